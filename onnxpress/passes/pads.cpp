// Pads as [begin of each axis..., end of each axis...].
#include "onnxpress/passes/pads.h"

namespace onnxpress::passes {

std::optional<Padding> padding_of(const Node& pad, const Rewriter& rw) {
  const auto params = rw.params(pad);
  const auto shape = rw.shape_of(pad.input(0));
  if (!shape || params.text_or("mode", "constant") != "constant") return std::nullopt;
  Padding found{std::vector<std::int64_t>(shape->size(), 0), std::vector<std::int64_t>(shape->size(), 0)};
  for (const std::string_view name : {"value", "constant_value"}) {
    if (!params.given(name)) continue;
    const auto number = params.real(name);
    if (!number) return std::nullopt;
    found.number = *number;
  }
  auto pads = params.integers("pads");
  if (!pads) pads = params.integers("paddings");
  const auto named = params.integers("axes");
  if (!pads || (params.given("axes") && !named)) return std::nullopt;
  std::vector<std::size_t> axes(shape->size());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = i;
  if (named) {
    const auto normal = ops::normal_axes(*named, shape->size());
    if (!normal) return std::nullopt;
    axes = *normal;
  }
  if (pads->size() != 2 * axes.size()) return std::nullopt;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    found.begin[axes[i]] = (*pads)[i];
    found.end[axes[i]] = (*pads)[axes.size() + i];
  }
  return found;
}

std::string_view pad_number_name(const Graph& graph, const Rewriter& rw) {
  const ops::Op* op = rw.ops().op_named("", "Pad", graph);
  return op && op->schema->attribute("value") ? "value" : "constant_value";
}

std::optional<std::vector<std::int64_t>> pads_with(const Node& node, const Padding& padding, const Rewriter& rw) {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  const auto params = rw.params(node);
  const auto automatic = params.text_or("auto_pad", "NOTSET");
  const std::size_t rank = padding.begin.size();
  if (rank < 3 || (automatic != "NOTSET" && automatic != "VALID")) return std::nullopt;
  std::vector<std::int64_t> all(2 * (rank - 2), 0);
  if (automatic == "NOTSET" && params.given("pads")) {
    const auto own = params.integers("pads");
    if (!own || own->size() != all.size()) return std::nullopt;
    all = *own;
  }
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t begin = padding.begin[i], end = padding.end[i];
    if (begin < 0 || end < 0 || begin > kMost || end > kMost || (i < 2 && begin + end != 0)) return std::nullopt;
    if (i < 2) continue;
    all[i - 2] += begin;
    all[i - 2 + rank - 2] += end;
  }
  return all;
}

void set_pads(Node& node, const std::vector<std::int64_t>& pads, Rewriter& rw) {
  if (rw.params(node).given("auto_pad")) rw.set_parameter(node, {"auto_pad", "NOTSET"});
  rw.set_parameter(node, {"pads", pads});
}

}  // namespace onnxpress::passes
