// Writes the iterations of a Loop one after the other.
//
//   before: y = Loop(3, true, x) <body = (i, c, a) => {b = Mul(a, a)} (c, b)>
//   after:  y = Mul(Mul(Mul(x, x), ...
//
// The number of iterations is known and the condition never ends them earlier. What is made must stay small: iterations
// times nodes. A result for each iteration becomes a Concat.
#include <fmt/format.h>

#include <optional>

#include "onnxpress/passes/body_copies.h"
#include "onnxpress/passes/rewrite.h"

namespace onnxpress::passes {

namespace {

constexpr std::int64_t kMostNodes = 48;

std::optional<std::int64_t> number_in(const Value* value, const Rewriter& rw) {
  const auto array = rw.is_constant(value) ? rw.constant(value) : std::nullopt;
  const auto list = array ? array->integers() : std::nullopt;
  return list && list->size() == 1 ? std::optional(list->front()) : std::nullopt;
}

// How often the body runs; nullopt when the operands do not say.
std::optional<std::int64_t> iterations_of(const Node& loop, const Graph& body, const Rewriter& rw) {
  const auto count = number_in(loop.input(0), rw);
  if (!count || *count < 1 || *count > kMostNodes || (loop.input(1) && number_in(loop.input(1), rw) != 1))
    return std::nullopt;
  const Value* condition = body.outputs()[0]->value;
  while (const Node* identity = rw.producer(condition, "Identity")) condition = identity->input(0);
  const bool goes_on = condition == body.inputs()[1]->value || number_in(condition, rw) == 1;
  return goes_on ? count : std::nullopt;
}

bool apply_unroll_loop(Node& loop, Rewriter& rw) {
  const Graph* body = rw.params(loop).graph("body");
  if (!body || body->inputs().size() < 2 || body->outputs().size() != loop.output_count() + 1) return false;
  const std::size_t carried = body->inputs().size() - 2;
  if (loop.input_count() != carried + 2 || loop.output_count() < carried) return false;
  const auto count = iterations_of(loop, *body, rw);
  Unroller unroller(*body, loop, rw);
  if (!count || *count * nodes_in(*body) > kMostNodes || !unroller.can_copy()) return false;

  std::vector<Value*> results;
  for (std::size_t i = 0; i < carried; ++i) results.push_back(loop.input(i + 2));
  std::vector<std::vector<Value*>> collected(loop.output_count() - carried);
  for (std::int64_t i = 0; i < *count; ++i) {
    std::vector<Value*> inputs = {rw.scalar(ElementType::kInt64, static_cast<double>(i)),
                                  rw.scalar(ElementType::kBool, 1)};
    inputs.insert(inputs.end(), results.begin(), results.end());
    const auto outputs = unroller.copy(inputs, *count > 1 ? fmt::format("iteration {} of ", i) : "");
    results.assign(outputs.begin() + 1, outputs.begin() + 1 + static_cast<std::ptrdiff_t>(carried));
    for (std::size_t k = 0; k < collected.size(); ++k)
      collected[k].push_back(
          rw.make("Unsqueeze", {outputs[carried + 1 + k]}, {{"axes", std::vector<std::int64_t>{0}}}));
  }
  const Parameter parameters[] = {{"axis", 0}};
  for (const auto& parts : collected)
    results.push_back(parts.size() == 1 ? parts.front() : rw.make("Concat", parts, parameters));
  return unroller.finish(results);
}

constexpr std::string_view kUnrollLoopRoots[] = {"Loop"};

}  // namespace

extern const Rewrite unroll_loop;
const Rewrite unroll_loop = {.name = "unroll-loop",
                             .summary = "writes the iterations of a short Loop one after the other",
                             .exactness = Exactness::kExact,
                             .group = "control flow",
                             .roots = kUnrollLoopRoots,
                             .apply = apply_unroll_loop};

}  // namespace onnxpress::passes
