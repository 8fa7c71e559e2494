// What a Pad adds, regardless of where its version of the op keeps that.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

struct Padding {
  std::vector<std::int64_t> begin, end;  // one number per axis of the operand
  double number = 0;                     // what it pads with
};

// For one that pads with a constant; nullopt for other modes, and when something is known only at run time.
std::optional<Padding> padding_of(const Node& pad, const Rewriter& rw);
// What the number is called in the Pad of this graph's opset.
std::string_view pad_number_name(const Graph& graph, const Rewriter& rw);

// For a Conv or pool: its pads plus those of the spatial axes of `padding`; nullopt when it pads other axes, takes
// something away, or the node chooses its padding itself (auto_pad) and it is not known what: of a Conv it is where the
// sizes of its operand are.
std::optional<std::vector<std::int64_t>> pads_with(const Node& node, const Padding& padding, const Rewriter& rw);
// Sets them, in place of auto_pad.
void set_pads(Node& node, const std::vector<std::int64_t>& pads, Rewriter& rw);

}  // namespace onnxpress::passes
