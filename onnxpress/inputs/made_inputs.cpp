// Generates numbers for inputs.
#include "onnxpress/inputs/made_inputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/inputs/random_numbers.h"
#include "onnxpress/ops/kernels/convert.h"

namespace onnxpress::inputs {

std::optional<std::int64_t> index_limit(const Value& value, const analysis::Facts& facts, int depth) {
  std::optional<std::int64_t> limit;
  const auto lower = [&limit](std::optional<std::int64_t> other) {
    if (other && (!limit || *other < *limit)) limit = other;
  };
  for (const Use* use = value.first_use(); use; use = use->next()) {
    const Node& node = *use->user();
    const ops::Op* op = facts.ops().plain_op_of(node);
    if (!op || !op->def) continue;
    if (op->def->indices != 0 && op->def->indices == use->index() && node.input(0)) {
      const auto shape = facts.shape_of(*node.input(0));
      const Attribute* given = node.attribute("axis");
      const auto* axis = given ? std::get_if<std::int64_t>(&given->value) : nullptr;
      if (!shape || shape->empty()) continue;
      const auto at = ops::normal_axis(axis ? *axis : 0, shape->size());
      if (at) lower((*shape)[*at].size());
      continue;
    }
    if (node.is("OneHot") && use->index() == 0 && node.input(1)) {
      const auto entries = facts.constant(*node.input(1), 1);
      const auto number = entries ? entries->number() : std::nullopt;
      if (number && *number >= 1 && *number < 1e9) lower(static_cast<std::int64_t>(*number));
      continue;
    }
    const bool hands_on = op->has_any(ops::kMovesData | ops::kConvertsData);
    if (hands_on && use->index() == 0 && node.output(0) && depth > 0)
      lower(index_limit(*node.output(0), facts, depth - 1));
  }
  return limit;
}

ops::Array made_input(const Value& input, ElementType type, const ops::Sizes& sizes, std::string_view how,
                      std::uint64_t seed, const analysis::Facts& facts) {
  if (!ops::count_of(sizes))
    throw Error("", fmt::format("input {} has too many elements", quote_name(input.name())), "");
  ops::Array made = ops::Array::make(type, sizes);
  RandomNumbers generator(seed, input.name());
  const std::int64_t limit = is_integer(type) ? std::max<std::int64_t>(index_limit(input, facts, 4).value_or(2), 1) : 2;
  // Indices must also fit into the type.
  const std::int64_t fitting =
      bits_of(type) < 62 ? std::min(limit, std::int64_t{1} << std::max(bits_of(type) - 1, 1)) : limit;
  const auto number = [&]() -> double {
    if (how != "random") return how == "ones" ? 1 : 0;
    if (is_float(type)) return generator.normal();
    return static_cast<double>(generator.next() % static_cast<std::uint64_t>(fitting));
  };
  using Types = ops::TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kFloat16, ElementType::kBfloat16,
                              ElementType::kUint8, ElementType::kInt8, ElementType::kUint16, ElementType::kInt16,
                              ElementType::kUint32, ElementType::kInt32, ElementType::kUint64, ElementType::kInt64>;
  const bool numbers = ops::dispatch(Types(), type, [&]<typename T>() {
    for (T& each : made.mutable_data<T>()) each = static_cast<T>(static_cast<ops::Computed<T>>(number()));
  });
  if (numbers) return made;
  if (type == ElementType::kBool) {
    for (ops::Bool& each : made.mutable_data<ops::Bool>()) each = ops::Bool(number() != 0);
    return made;
  }
  if (type == ElementType::kString) {
    constexpr const char* kTexts[] = {"a", "", "one two", "3.5", "A", "\xc3\xa9t\xc3\xa9", "x"};
    for (std::string& each : made.mutable_data<std::string>())
      each = how == "random" ? kTexts[generator.next() % std::size(kTexts)] : how == "ones" ? "1" : "";
    return made;
  }
  if (is_float(type) || is_integer(type)) {  // float8 and types of less than 8 bits
    ops::Array wide = ops::Array::make<float>(sizes);
    for (float& each : wide.mutable_data<float>()) each = static_cast<float>(number());
    if (auto narrow = ops::converted(wide, type)) return std::move(*narrow);
  }
  throw Error("", fmt::format("inputs of type {} cannot be generated", name_of(type)),
              fmt::format("use option `input={}=file.npy`", input.name()));
}

std::vector<const ValueInfo*> inputs_to_give(const Model& model) {
  std::vector<const ValueInfo*> needed;
  for (const ValueInfo* input : model.graph().inputs()) {
    if (!input->value->initializer() && !input->value->sparse_initializer()) needed.push_back(input);
  }
  return needed;
}

std::vector<std::pair<std::string, ops::Array>> made_inputs(const Model& model, const analysis::Facts& facts,
                                                            const OpenDims& open, std::uint64_t seed) {
  std::vector<std::pair<std::string, ops::Array>> made;
  std::vector<std::string> assumed;
  for (const ValueInfo* info : model.graph().inputs()) {
    const Value& input = *info->value;
    const ops::Fact& fact = facts.of(input);
    if (input.initializer() || input.sparse_initializer() || fact.kind == ops::Fact::Kind::kOptional) continue;
    if (!fact.is_tensor())
      throw Error("", fmt::format("input {} is not a tensor", quote_name(input.name())), "only tensors can be given");
    const ops::Sizes sizes = sizes_to_make(input, facts, open, assumed);
    made.emplace_back(input.name(), made_input(input, fact.element, sizes, "random", seed, facts));
  }
  return made;
}

}  // namespace onnxpress::inputs
