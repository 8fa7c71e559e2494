// Expresses values of attributes that the other opset lacks.
#include "onnxpress/passes/opset/value_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "onnxpress/ops/kernels/convert.h"

namespace onnxpress::passes {

namespace {

constexpr std::uint64_t kMostIndices = std::uint64_t{1} << 20;

std::string_view text_in(Draft& draft, std::string_view name, std::string_view otherwise) {
  const Parameter* parameter = find_parameter(draft, name);
  const auto* text = parameter ? std::get_if<std::string_view>(&parameter->content) : nullptr;
  return text ? *text : otherwise;
}

void remove_parameter(Draft& draft, std::string_view name) {
  std::erase_if(draft.parameters, [name](const Parameter& each) { return each.name == name; });
}

// In "max=Max min=Min", the op of a word; empty if the word is not there.
std::string_view op_for(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size()), middle = words.find('=');
    if (words.substr(0, middle) == word) return words.substr(middle + 1, end - middle - 1);
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return {};
}

// The sizes of a value, -1 where one is not known; nullopt without a known rank.
std::optional<ops::Sizes> sizes_of(const analysis::Facts& facts, const Value& value) {
  const auto shape = facts.shape_of(value);
  if (!shape) return std::nullopt;
  ops::Sizes sizes;
  for (const Dim& each : *shape) sizes.push_back(each.size().value_or(-1));
  return sizes;
}

// The index from the start; -1 when that cannot be known.
std::int64_t from_start(std::int64_t index, std::int64_t size) {
  if (index >= 0) return index;
  return size < 0 || index < -size ? -1 : index + size;
}

// Whether the rows of ScatterND's indices are known and all different.
bool rows_differ(const ops::Array& indices, std::span<const std::int64_t> numbers, const ops::Sizes& sizes) {
  if (indices.rank() == 0 || indices.sizes().back() < 1) return false;
  const auto width = static_cast<std::size_t>(indices.sizes().back());
  if (width > sizes.size()) return false;
  std::set<std::vector<std::int64_t>> seen;
  for (std::size_t begin = 0; begin < numbers.size(); begin += width) {
    std::vector<std::int64_t> row;
    for (std::size_t i = 0; i < width; ++i) row.push_back(from_start(numbers[begin + i], sizes[i]));
    if (std::ranges::find(row, -1) != row.end() || !seen.insert(std::move(row)).second) return false;
  }
  return true;
}

// The same for ScatterElements, which replaces the coordinate of one axis.
bool places_differ(const ops::Array& indices, std::span<const std::int64_t> numbers, const ops::Sizes& sizes,
                   std::int64_t axis) {
  const auto rank = static_cast<std::int64_t>(indices.rank());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank || sizes.size() != indices.rank()) return false;
  const auto at = static_cast<std::size_t>(axis);
  const ops::Sizes strides = ops::strides_of(indices.sizes());
  std::set<std::pair<std::int64_t, std::int64_t>> seen;  // all other coordinates, and that one
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto flat = static_cast<std::int64_t>(i);
    const std::int64_t own = flat / strides[at] % indices.size(at) * strides[at];
    const std::int64_t index = from_start(numbers[i], sizes[at]);
    if (index < 0 || !seen.emplace(flat - own, index).second) return false;
  }
  return true;
}

bool writes_each_place_once(const Node& node, const analysis::Facts& facts, std::int64_t axis) {
  const auto indices = facts.constant(*node.input(1), kMostIndices);
  const auto numbers = indices ? indices->integers() : std::nullopt;
  const auto sizes = sizes_of(facts, *node.input(0));
  if (!numbers || !sizes) return false;
  return node.is("ScatterND") ? rows_differ(*indices, *numbers, *sizes)
                              : places_differ(*indices, *numbers, *sizes, axis);
}

}  // namespace

void combine_before(const ops::OpsetChange& change, Node& node, const analysis::Facts& facts, const MakeNode& make,
                    Draft& draft) {
  const std::string_view word = text_in(draft, change.name, "none"), op = op_for(change.with, word);
  if (op.empty() || draft.operands.size() < 3) return;
  const Parameter* given = find_parameter(draft, "axis");
  const auto* number = given ? std::get_if<std::int64_t>(&given->content) : nullptr;
  const std::int64_t axis = number ? *number : 0;
  if (!writes_each_place_once(node, facts, axis))
    throw Obstacle{fmt::format(
        "{} {} came with opset {}, and can be expressed otherwise only if its indices are constant and all different",
        change.name, word, change.since)};
  const bool whole = node.is("ScatterND");
  const std::vector<Parameter> along = {{"axis", axis}};
  Value* const read[] = {draft.operands[0], draft.operands[1]};
  Value* const old = make(node, whole ? "GatherND" : "GatherElements", read,
                          whole ? std::span<const Parameter>() : std::span<const Parameter>(along));
  Value* const both[] = {old, draft.operands[2]};
  draft.operands[2] = make(node, op, both, {});
  remove_parameter(draft, change.name);
}

void center_plainly(const ops::OpsetChange& change, const Node& node, const analysis::Facts& facts, Draft& draft) {
  if (text_in(draft, change.name, "") != change.with) return;
  const bool has_sizes = draft.operands.size() > 3 && draft.operands[3];
  bool whole = has_sizes;
  if (!has_sizes && draft.operands.size() > 2 && draft.operands[2]) {
    const auto sizes = sizes_of(facts, *node.input(0));
    const auto constant = facts.constant(*draft.operands[2], 1 << 16);
    const auto scales = constant ? ops::converted(*constant, ElementType::kDouble) : std::nullopt;
    whole = sizes && scales && sizes->size() == scales->count();
    for (std::size_t i = 0; whole && i < sizes->size(); ++i) {
      const double scale = scales->data<double>()[i], result = static_cast<double>((*sizes)[i]) * scale;
      whole = scale == 1 || ((*sizes)[i] >= 0 && result == std::floor(result));
    }
  }
  if (!whole)
    throw Obstacle{fmt::format("{} came with opset {}, and sizes times scales are not known to be whole", change.with,
                               change.since)};
  find_parameter(draft, change.name)->content = std::string_view("half_pixel");
}

void shift_by_rounding(const ops::OpsetChange& change, Draft& draft) {
  if (text_in(draft, change.name, "") != change.with) return;
  // half_pixel gives 0.5 less: floor(x) is x - 0.5 rounded half up, and x rounded half down is ceil(x - 0.5).
  const std::string_view mode = text_in(draft, "nearest_mode", "round_prefer_floor");
  const bool rounds_down = mode == "floor";
  if (text_in(draft, "mode", "nearest") != "nearest" || (!rounds_down && mode != "round_prefer_floor"))
    throw Obstacle{fmt::format("{} is gone since opset {}, except for mode nearest with floor or round_prefer_floor",
                               change.with, change.since)};
  find_parameter(draft, change.name)->content = std::string_view("half_pixel");
  remove_parameter(draft, "nearest_mode");
  draft.parameters.emplace_back("nearest_mode", std::string_view(rounds_down ? "round_prefer_ceil" : "ceil"));
}

void require_integers(const ops::OpsetChange& change, const Node& node, const analysis::Facts& facts, Draft& draft) {
  const Parameter* given = find_parameter(draft, change.name);
  const auto* number = given ? std::get_if<std::int64_t>(&given->content) : nullptr;
  if ((number && *number != 0) || !node.input(0)) return;
  const ElementType type = facts.of(*node.input(0)).element;
  if (type == ElementType::kUndefined || is_float(type))
    throw Obstacle{fmt::format("{} = 0 is for integers only below opset {}", change.name, change.since)};
}

}  // namespace onnxpress::passes
