// Writes the iterations of a Loop one after the other.
//
//   before: y = Loop(3, true, x) <body = (i, c, a) => {b = Mul(a, a)} (c, b)>
//   after:  y = Mul(Mul(Mul(x, x), ...
//
// The number of iterations is known and the condition never ends them earlier. What is made must stay small: iterations
// times nodes. A result for each iteration becomes a Concat.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "onnxpress/passes/node_copier.h"
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

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

std::int64_t nodes_in(const Graph& body) {
  std::int64_t count = 0;
  for (const Node& node : body.nodes()) {
    if (!node.is("Constant")) ++count;
    for (const Attribute* attribute : node.attributes())
      for_each_graph_in(*attribute, [&](const Graph& inner) { count += nodes_in(inner); });
  }
  return count;
}

bool apply_unroll_loop(Node& loop, Rewriter& rw) {
  const Graph* body = rw.params(loop).graph("body");
  if (!body || body->inputs().size() < 2 || body->outputs().empty() || !body->sparse_initializers().empty())
    return false;
  const std::size_t carried = body->inputs().size() - 2;
  if (loop.input_count() != carried + 2 || body->outputs().size() != loop.output_count() + 1 ||
      loop.output_count() < carried)
    return false;
  if (!std::ranges::all_of(body->initializers(), [&](const Value* value) { return rw.constant(value).has_value(); }))
    return false;
  const auto count = iterations_of(loop, *body, rw);
  if (!count || *count * nodes_in(*body) > kMostNodes) return false;

  std::vector<Value*> state;
  for (std::size_t i = 0; i < carried; ++i) state.push_back(loop.input(i + 2));
  std::vector<std::vector<Value*>> collected(loop.output_count() - carried);
  for (std::int64_t iteration = 0; iteration < *count; ++iteration) {
    NodeCopier copier(rw.model());
    if (*count > 1) copier.name_prefix = fmt::format("iteration {} of ", iteration);
    copier.map(body->inputs()[0]->value, rw.scalar(ElementType::kInt64, static_cast<double>(iteration)));
    copier.map(body->inputs()[1]->value, rw.scalar(ElementType::kBool, 1));
    for (std::size_t i = 0; i < carried; ++i) copier.map(body->inputs()[i + 2]->value, state[i]);
    for (Value* value : body->initializers()) copier.map(value, rw.constant(*rw.constant(value)));
    for (const Node& node : body->nodes()) copier.copy(node, *loop.graph(), &loop);
    for (std::size_t i = 0; i < carried; ++i) state[i] = copier.copy_of(body->outputs()[i + 1]->value);
    for (std::size_t i = 0; i < collected.size(); ++i) {
      Value* result = copier.copy_of(body->outputs()[carried + 1 + i]->value);
      collected[i].push_back(rw.make("Unsqueeze", {result}, {{"axes", std::vector<std::int64_t>{0}}}));
    }
  }
  const Parameter parameters[] = {{"axis", 0}};
  for (const auto& parts : collected)
    state.push_back(parts.size() == 1 ? parts.front() : rw.make("Concat", parts, parameters));
  if (std::ranges::find(state, nullptr) != state.end()) return false;
  for (std::size_t i = 0; i < loop.output_count(); ++i) {
    Value* output = loop.output(i);
    if (!output || !output->is_used()) continue;
    Value* with = output->is_output() ? rw.make("Identity", {state[i]}) : state[i];
    rw.replace_value(output, with);
  }
  if (!loop.erased()) loop.graph()->erase(loop);
  return true;
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
