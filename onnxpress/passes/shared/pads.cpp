// Pads as [begin of each axis..., end of each axis...].
#include "onnxpress/passes/shared/pads.h"

#include <algorithm>

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

namespace {

constexpr std::int64_t kMostPads = std::int64_t{1} << 31;

// The pads of a Conv with auto_pad = SAME_UPPER or SAME_LOWER: its result has size / stride elements, rounded up.
std::optional<std::vector<std::int64_t>> same_pads(const Node& conv, bool upper, const Rewriter& rw) {
  const auto params = rw.params(conv);
  const auto x = rw.shape_of(conv.input(0)), w = rw.shape_of(conv.input(1));
  if (!x || !w || x->size() != w->size() || x->size() < 3) return std::nullopt;
  const std::size_t axes = x->size() - 2;
  const std::vector<std::int64_t> ones(axes, 1);
  const auto strides = params.integers("strides").value_or(ones),
             dilations = params.integers("dilations").value_or(ones);
  if (strides.size() != axes || dilations.size() != axes) return std::nullopt;
  std::vector<std::int64_t> pads(2 * axes, 0);
  for (std::size_t i = 0; i < axes; ++i) {
    const auto size = (*x)[i + 2].size(), kernel = (*w)[i + 2].size();
    const auto is_plain = [](std::int64_t number) { return number > 0 && number < kMostPads; };
    if (!size || !kernel || !is_plain(*size) || !is_plain(*kernel) || !is_plain(strides[i]) || !is_plain(dilations[i]))
      return std::nullopt;
    const std::int64_t steps = (*size + strides[i] - 1) / strides[i] - 1;
    const std::int64_t reach = (*kernel - 1) * dilations[i] + 1;
    const std::int64_t all = std::max<std::int64_t>(0, steps * strides[i] + reach - *size);
    pads[i] = upper ? all / 2 : all - all / 2;
    pads[i + axes] = all - pads[i];
  }
  return pads;
}

}  // namespace

std::optional<std::vector<std::int64_t>> pads_with(const Node& node, const Padding& padding, const Rewriter& rw) {
  const auto params = rw.params(node);
  const auto automatic = params.text_or("auto_pad", "NOTSET");
  const std::size_t rank = padding.begin.size();
  const bool upper = automatic == "SAME_UPPER", same = upper || automatic == "SAME_LOWER";
  if (rank < 3 || (!same && automatic != "NOTSET" && automatic != "VALID")) return std::nullopt;
  std::vector<std::int64_t> all(2 * (rank - 2), 0);
  if (same) {
    const auto chosen = node.is("Conv") || node.is("ConvInteger") ? same_pads(node, upper, rw) : std::nullopt;
    if (!chosen || chosen->size() != all.size()) {
      rw.refuse("auto_pad chooses pads for a size that is not known");
      return std::nullopt;
    }
    all = *chosen;
  }
  if (automatic == "NOTSET" && params.given("pads")) {
    const auto own = params.integers("pads");
    if (!own || own->size() != all.size()) return std::nullopt;
    all = *own;
  }
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t begin = padding.begin[i], end = padding.end[i];
    if (begin < 0 || end < 0 || begin > kMostPads || end > kMostPads || (i < 2 && begin + end != 0)) {
      rw.refuse("the Pad {}", begin < 0 || end < 0 ? "takes away elements" : "pads more than the sizes of an image");
      return std::nullopt;
    }
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
