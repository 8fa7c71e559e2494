// Lets a Conv pad its operand itself.
//
//   before: y = Conv(Pad(x, [0, 0, 1, 1, 0, 0, 1, 1]), w)
//   after:  y = Conv(x, w, pads = [1, 1, 1, 1])
//
// Zeros only, on spatial axes only, none taken away; the Conv must not choose its padding by auto_pad.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply(Node& conv, Rewriter& rw) {
  Node* pad = rw.producer(conv.input(0), "Pad");
  const auto shape = pad ? rw.shape_of(pad->input(0)) : std::nullopt;
  if (!shape || shape->size() < 3) return false;
  const auto params = rw.params(*pad), own = rw.params(conv);
  const auto padding = own.text_or("auto_pad", "NOTSET");
  if (params.text_or("mode", "constant") != "constant" || (padding != "NOTSET" && padding != "VALID")) return false;
  for (const std::string_view name : {"value", "constant_value"}) {
    if (params.given(name) && params.real(name) != 0.0) return false;
  }
  auto pads = params.integers("pads");
  const std::size_t rank = shape->size();
  if (!pads || params.given("axes") || pads->size() != 2 * rank) return false;
  std::vector<std::int64_t> all = own.integers("pads").value_or(std::vector<std::int64_t>());
  if (padding == "VALID" || all.empty()) all.assign(2 * (rank - 2), 0);
  if (all.size() != 2 * (rank - 2)) return false;
  for (std::size_t i = 0; i < 2 * rank; ++i) {
    const std::size_t axis = i % rank;
    if ((*pads)[i] < 0 || (axis < 2 && (*pads)[i] != 0)) return false;
    if (axis >= 2) all[(i / rank) * (rank - 2) + axis - 2] += (*pads)[i];
  }
  if (!rw.set_input(conv, 0, pad->input(0))) return false;
  if (own.given("auto_pad")) rw.set_parameter(conv, {"auto_pad", "NOTSET"});
  rw.set_parameter(conv, {"pads", all});
  return true;
}

constexpr std::string_view kRoots[] = {"Conv"};

}  // namespace

extern const Rewrite fuse_pad_conv;
const Rewrite fuse_pad_conv = {.name = "fuse-pad-conv",
                               .summary = "lets a Conv pad its operand itself",
                               .exactness = Exactness::kExact,
                               .group = "fusion",
                               .roots = kRoots,
                               .apply = apply};

}  // namespace onnxpress::passes
