// Words the messages for broken rules.
#include "onnxpress/ops/core/rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace onnxpress::ops {

namespace {

bool is_automatic(std::string_view auto_pad) { return !auto_pad.empty() && auto_pad != "NOTSET"; }

bool has_entries(const Params& params, std::string_view name) {
  const auto list = params.attribute(name) ? params.integers(name) : std::nullopt;
  return list && !list->empty();
}

}  // namespace

std::optional<std::size_t> required_axis(Inference& in, std::int64_t axis, std::size_t rank) {
  const auto normal = normal_axis(axis, rank);
  if (!normal) in.contradict(fmt::format("axis {} does not exist in an operand of rank {}", axis, rank));
  return normal;
}

bool require_rank(Inference& in, std::size_t operand, std::size_t rank) {
  const Shape* shape = in.shape(operand);
  if (!shape || shape->size() == rank) return true;
  in.contradict(fmt::format("operand {} has rank {}, but must have rank {}", operand, shape->size(), rank));
  return false;
}

bool require_rank_at_least(Inference& in, std::size_t operand, std::size_t least) {
  const Shape* shape = in.shape(operand);
  if (!shape || shape->size() >= least) return true;
  in.contradict(fmt::format("operand {} has rank {}, but must have at least rank {}", operand, shape->size(), least));
  return false;
}

bool require_flag(Inference& in, std::string_view attribute) {
  const auto value = in.params.attribute(attribute) ? in.params.integer(attribute) : std::nullopt;
  if (!value || *value == 0 || *value == 1) return true;
  in.contradict(fmt::format("{} is {}, but must be 0 or 1", attribute, *value));
  return false;
}

bool require_positive(Inference& in, std::string_view attribute) {
  const auto value = in.params.attribute(attribute) ? in.params.integer(attribute) : std::nullopt;
  if (!value || *value > 0) return true;
  in.contradict(fmt::format("{} is {}, but must be positive", attribute, *value));
  return false;
}

bool require_text(Inference& in, std::string_view attribute, std::initializer_list<std::string_view> allowed) {
  const auto text = in.params.attribute(attribute) ? in.params.text(attribute) : std::nullopt;
  if (!text || std::find(allowed.begin(), allowed.end(), *text) != allowed.end()) return true;
  in.contradict(fmt::format("{} is '{}', which does not exist", attribute, *text));
  return false;
}

bool require_one_of(Inference& in, std::initializer_list<std::string_view> attributes, bool needs_one) {
  const auto given = std::count_if(attributes.begin(), attributes.end(),
                                   [&](std::string_view each) { return in.params.attribute(each) != nullptr; });
  if (given == 1 || (given == 0 && !needs_one)) return true;
  in.contradict(fmt::format("has {} of the attributes {}, but {}", given, fmt::join(attributes, ", "),
                            needs_one ? "needs one" : "may have only one"));
  return false;
}

bool require_list(Inference& in, std::string_view attribute, std::size_t count, std::int64_t least, bool may_be_empty) {
  const auto list = in.params.attribute(attribute) ? in.params.integers(attribute) : std::nullopt;
  if (!list || (list->empty() && may_be_empty)) return true;
  if (list->size() != count) {
    in.contradict(fmt::format("{} has {} entries, but needs {}", attribute, list->size(), count));
    return false;
  }
  const auto small = std::find_if(list->begin(), list->end(), [&](std::int64_t each) { return each < least; });
  if (small == list->end()) return true;
  in.contradict(fmt::format("{} has the entry {}, but entries must be at least {}", attribute, *small, least));
  return false;
}

bool require_windows(Inference& in, std::size_t axes, bool knows_shapes) {
  // The operators of runtimes are more tolerant.
  const bool is_strict = knows_shapes && in.params.schema().domain.empty();
  const std::int64_t least_pad = is_strict ? 0 : std::numeric_limits<std::int64_t>::min();
  const std::string_view auto_pad = in.params.text_or("auto_pad", "NOTSET");
  const bool known = auto_pad.empty() || auto_pad == "NOTSET" || auto_pad == "VALID" || auto_pad == "SAME_UPPER" ||
                     auto_pad == "SAME_LOWER";
  if (!known) in.contradict(fmt::format("auto_pad is '{}', which does not exist", auto_pad));
  return known && require_list(in, "kernel_shape", axes, 1, !is_strict) &&
         require_list(in, "strides", axes, 1, !is_strict) && require_list(in, "dilations", axes, 1, !is_strict) &&
         require_list(in, "pads", 2 * axes, least_pad, !is_strict);
}

bool require_one_padding(Inference& in) {
  const std::string_view auto_pad = in.params.text_or("auto_pad", "");
  if (!is_automatic(auto_pad) || !has_entries(in.params, "pads")) return true;
  in.contradict(fmt::format("has both pads and auto_pad '{}', of which only one is allowed", auto_pad));
  return false;
}

std::string tolerated_misuse(const Params& params) {
  // Convolutions take the shape of the kernel from their weights; pools must state it.
  const ParameterSchema* kernel = params.schema().attribute("kernel_shape");
  if (!kernel || !kernel->required) return "";
  const std::string_view auto_pad = params.text_or("auto_pad", "");
  if (!is_automatic(auto_pad) || !has_entries(params, "pads")) return "";
  return fmt::format("has both pads and auto_pad '{}', of which only one is allowed; ONNX Runtime ignores pads",
                     auto_pad);
}

}  // namespace onnxpress::ops
