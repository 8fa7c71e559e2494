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
  double number = 0;                     // the number that it pads with
};

// Only for a Pad with mode "constant"; nullopt for other modes, and when something is known only at run time.
std::optional<Padding> padding_of(const Node& pad, const Rewriter& rw);
// The name of the parameter that holds the number in the Pad of this graph's opset.
std::string_view pad_number_name(const Graph& graph, const Rewriter& rw);

// For a Conv or pool: its pads plus those of the spatial axes in `padding`; nullopt when `padding` pads other axes or
// removes elements, or when the node computes its own padding (auto_pad) and the result is not known. It is known for a
// Conv if the sizes of its operand are.
std::optional<std::vector<std::int64_t>> pads_with(const Node& node, const Padding& padding, const Rewriter& rw);
// Sets the pads and turns auto_pad off.
void set_pads(Node& node, const std::vector<std::int64_t>& pads, Rewriter& rw);

}  // namespace onnxpress::passes
