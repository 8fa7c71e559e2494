// The forms that each weight of a model can be stored in, with their sizes and errors.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/tasks/shrink/lossy/compress_weights.h"
#include "onnxpress/weights/chain/chain.h"
#include "onnxpress/weights/choose/weight_roles.h"
#include "onnxpress/weights/lossy/compensate.h"
#include "onnxpress/weights/lossy/quantized.h"

namespace onnxpress::tasks {

// One way to store a weight.
struct WeightForm {
  weights::Scheme scheme;
  weights::Chain chain;                             // without steps: `content` takes the tensor's place
  std::shared_ptr<const weights::Quantized> codes;  // not null: users of the weight take the codes themselves
  std::shared_ptr<const ByteStream> content;        // the rounded values: what the chain decodes to
  std::uint64_t bytes = 0;                          // in the file
  double cost = 0;  // what counts when forms are compared: bytes, or bits after a compressor
  weights::WeightError error;
  // What counts as harm: the error of the weights, or, where the layer's inputs are known, what it does to the layer's
  // results, on the same scale.
  double noise = 0;
  double quality() const;  // the same over the energy of the weights, in dB
  double weight_quality() const { return plain ? plain->error.sqnr() : error.sqnr(); }  // of the weights themselves
  // Where its errors are kept from adding up: what that is called, and the bias that goes with it.
  std::string method = {};
  std::optional<Bytes> bias = {};
  std::shared_ptr<const WeightForm> plain = {};  // the same without that
};

struct PlannedWeight {
  weights::Weight weight;
  std::string reason_kept;   // empty: it may change
  std::uint64_t before = 0;  // bytes in the file
  std::shared_ptr<const weights::FloatSource> source;
  std::optional<weights::Scheme> requested;           // by preset, options or recipe
  std::shared_ptr<const weights::LayerSample> layer;  // null: nothing is known about what it is multiplied with
  Value* bias = nullptr;                              // of that layer, if it may be changed
  std::string scaled;                                 // how its channels were scaled; empty: not at all
  std::vector<WeightForm> forms;  // smallest first; those that are worse than a smaller one left out
  std::optional<std::size_t> chosen;
  double sensitivity = 0;  // harm that a unit of noise in it does
  bool lossless = false;   // kept because the lossless methods do well
  // Not null: that is what the chosen form is, and the model has it already. Else why not, where it was asked for.
  std::shared_ptr<const passes::DynamicUses> dynamic;
  std::string not_dynamic;
};

// All weights, with those that must stay marked. Throws Error for patterns that match nothing.
std::vector<PlannedWeight> plan_weights(const Model& model, const CompressOptions& options);
// The form of that scheme; nullopt where it cannot be stored so, or is not smaller.
std::optional<WeightForm> make_form(const Model& model, const PlannedWeight& planned, const weights::Scheme& scheme,
                                    const CompressOptions& options, weights::Target target,
                                    const weights::LayerRounding* layer = nullptr);
// Schemes that are tried when bits are chosen by tensor.
std::vector<weights::Scheme> ladder(const CompressOptions& options);

// Another content of the same size, in an initializer or a Constant node.
void replace_content(Value& constant, Tensor::Content content);

// * and ? stand for any characters and any one; \*, \? and \\ for themselves.
bool matches(std::string_view pattern, const weights::Weight& weight);  // by tensor name, node name or op type
bool matches(std::string_view pattern, const Node& node);               // by name or op type
std::string pattern_of(std::string_view name);                          // that this name matches, and no other

}  // namespace onnxpress::tasks
