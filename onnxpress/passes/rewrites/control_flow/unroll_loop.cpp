// Unrolls a Loop: writes its iterations one after another.
//
//   before: y = Loop(2, true, x) <body = (i, c, a) => {b = Mul(a, a)} (c, b)>
//   after:  t = Mul(x, x); y = Mul(t, t)
//
// The number of iterations must be known, and the condition must never end the loop early. Nodes that are constant in
// an iteration are folded, and no more may be left than the Loop and its body have. Scan outputs become a Concat.
#include <iterator>
#include <optional>

#include "onnxpress/passes/regions/body_copies.h"
#include "onnxpress/passes/rewrite.h"

namespace onnxpress::passes {

namespace {

std::optional<std::int64_t> number_in(const Value* value, const Rewriter& rw) {
  const auto array = rw.is_constant(value) ? rw.constant(value) : std::nullopt;
  const auto list = array ? array->integers() : std::nullopt;
  return list && list->size() == 1 ? std::optional(list->front()) : std::nullopt;
}

// How often the body runs; nullopt when it is not known.
std::optional<std::int64_t> iterations_of(const Node& loop, const Graph& body, const Rewriter& rw) {
  const auto count = number_in(loop.input(0), rw);
  if (!count || (loop.input(1) && number_in(loop.input(1), rw) != 1)) return std::nullopt;
  const Value* condition = body.outputs()[0]->value;
  while (const Node* identity = rw.producer(condition, "Identity")) condition = identity->input(0);
  const bool goes_on = condition == body.inputs()[1]->value || number_in(condition, rw) == 1;
  return goes_on ? count : std::nullopt;
}

// A constant of one element, with as many axes as the body declares for this input.
Value* as_declared(const ValueInfo& input, ElementType type, std::int64_t number, Rewriter& rw) {
  const auto shape = rw.shape_of(input.value);
  return rw.splat(type, std::vector<std::int64_t>(shape ? shape->size() : 0, 1), static_cast<double>(number));
}

bool apply_unroll_loop(Node& loop, Rewriter& rw) {
  const Graph* body = rw.params(loop).graph("body");
  if (!body || body->inputs().size() < 2 || body->outputs().size() != loop.output_count() + 1) return false;
  const std::size_t carried = body->inputs().size() - 2;
  if (loop.input_count() != carried + 2 || loop.output_count() < carried) return false;
  const auto count = iterations_of(loop, *body, rw);
  Unroller unroller(*body, loop, rw);
  if (!count || !unroller.can_unroll(*count)) return false;

  Iterations iterations;
  iterations.count = *count;
  iterations.first_state = 1;  // after the condition
  for (std::size_t i = 0; i < carried; ++i) iterations.states.push_back(loop.input(i + 2));
  iterations.collected.resize(loop.output_count() - carried);
  iterations.inputs = [&rw, body](std::int64_t i, std::vector<Value*> states) {
    Value* const fixed[] = {as_declared(*body->inputs()[0], ElementType::kInt64, i, rw),
                            as_declared(*body->inputs()[1], ElementType::kBool, 1, rw)};
    states.insert(states.begin(), std::begin(fixed), std::end(fixed));
    return states;
  };
  return unroller.unroll(iterations);
}

constexpr std::string_view kUnrollLoopRoots[] = {"Loop"};

}  // namespace

extern const Rewrite unroll_loop;
const Rewrite unroll_loop = {.name = "unroll-loop",
                             .summary = "unrolls a Loop, if that leaves no more nodes",
                             .exactness = Exactness::kExact,
                             .group = "control_flow",
                             .roots = kUnrollLoopRoots,
                             .apply = apply_unroll_loop};

}  // namespace onnxpress::passes
