// The forms that each weight of a model can be stored in, with their sizes and errors.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/tasks/quantize/quantize.h"
#include "onnxpress/weights/chain/chain.h"
#include "onnxpress/weights/find/weight_roles.h"
#include "onnxpress/weights/lossy/compensate.h"
#include "onnxpress/weights/lossy/quantized.h"

namespace onnxpress {

// One way to store a weight.
struct WeightForm {
  weights::Scheme scheme;
  weights::Chain chain;                             // if it has no steps, `content` replaces the tensor's content
  std::shared_ptr<const weights::Quantized> codes;  // not null: nodes that use the weight take the codes themselves
  std::shared_ptr<const ByteStream> content;        // the rounded values: what the chain decodes to
  std::uint64_t bytes = 0;                          // in the file
  double cost = 0;  // bytes by which forms are compared: in the file, or estimated after a compressor
  weights::WeightError error;
  // The error that counts as harm: that of the weights or, if the layer's inputs are known, of the layer's results, on
  // the same scale.
  double noise = 0;
  double quality() const;  // energy of the weights over `noise`, in dB
  double weight_quality() const { return plain ? plain->error.sqnr() : error.sqnr(); }  // of the weights themselves
  // What keeps its errors from adding up (empty: nothing), and the corrected bias that belongs to it.
  std::string method = {};
  std::optional<Bytes> bias = {};
  std::shared_ptr<const WeightForm> plain = {};  // the same form without that
};

struct PlannedWeight {
  weights::Weight weight;
  std::string reason_kept;   // empty: it may change
  std::uint64_t before = 0;  // bytes in the file
  std::shared_ptr<const weights::FloatSource> source;
  std::optional<weights::Scheme> requested;           // by preset, options or recipe
  std::shared_ptr<const weights::LayerSample> layer;  // recorded inputs of its layer; null: none
  Value* bias = nullptr;                              // of that layer, if it may be changed
  std::string scaled;                                 // how its channels were scaled; empty: not at all
  std::vector<WeightForm> forms;                      // smallest first
  std::optional<std::size_t> chosen;
  double sensitivity = 0;  // harm to the outputs per unit of noise in it
  bool lossless = false;   // kept because lossless methods store it well
  // Not null: the chosen form is dynamic, and the model has it already. If null although it was asked for,
  // `not_dynamic` says why.
  std::shared_ptr<const passes::DynamicUses> dynamic;
  std::string not_dynamic;
};

// All weights; `reason_kept` is set for those that must stay. Throws Error for patterns that match nothing.
std::vector<PlannedWeight> plan_weights(const Model& model, const QuantizeOptions& options);
// The weight in that scheme; nullopt if it cannot be stored this way, or would not be smaller.
std::optional<WeightForm> make_form(const Model& model, const PlannedWeight& planned, const weights::Scheme& scheme,
                                    const QuantizeOptions& options, weights::Target target,
                                    const weights::LayerRounding* layer = nullptr);
// The schemes that are tried when bits are chosen for each tensor.
std::vector<weights::Scheme> ladder(const QuantizeOptions& options);

// Gives an initializer or a Constant node other content of the same size.
void replace_content(Value& constant, Tensor::Content content);

// In a pattern, * stands for any characters and ? for any one; \*, \? and \\ stand for *, ? and \ themselves.
bool matches(std::string_view pattern, const weights::Weight& weight);  // by tensor name, node name or op type
bool matches(std::string_view pattern, const Node& node);               // by name or op type

}  // namespace onnxpress
