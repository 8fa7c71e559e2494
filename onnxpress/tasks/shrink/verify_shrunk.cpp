// Walks two graphs in step. Both are brought to one form first: without dead nodes, without chains.
#include "onnxpress/tasks/shrink/verify_shrunk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <unordered_map>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/passes/freeze_inputs.h"
#include "onnxpress/passes/remove_dead.h"
#include "onnxpress/weights/chain/expand_chains.h"
#include "onnxpress/weights/extract_constants.h"
#include "onnxpress/weights/narrow_types.h"
#include "onnxpress/weights/share_sparse.h"

namespace onnxpress::tasks {

namespace {

// The value of an initializer or of a Constant node; an empty one for others.
ops::Datum constant_of(const Value& value, const analysis::OpResolver& ops) {
  if (value.initializer()) return value.is_input() ? ops::Datum() : ops::Datum(ops::Array::from(*value.initializer()));
  const Node* node = value.producer();
  const ops::Op* op = node && node->is("Constant") ? ops.op_of(*node) : nullptr;
  const auto results = op ? analysis::evaluate_node(*node, *op, {}) : std::nullopt;
  return results && results->size() == 1 ? results->front() : ops::Datum();
}

bool same_bits(const ops::Array& a, const ops::Array& b) {
  if (a.type() != b.type() || a.sizes() != b.sizes()) return false;
  if (a.is_string()) return std::ranges::equal(a.data<std::string>(), b.data<std::string>());
  return std::memcmp(a.bytes(), b.bytes(), a.count() * a.width()) == 0;
}

// One that cannot be read was not touched.
bool is_same(const SparseTensor& a, const SparseTensor& b) {
  try {
    return weights::same_sparse(a, b) || (!a.origin.empty() && a.origin == b.origin);
  } catch (const Error&) {
    return a.origin == b.origin;
  }
}

class Comparison {
 public:
  Comparison(const Model& before, const Model& after)
      : before_(before), after_(after), old_ops_(before), new_ops_(after) {}

  void compare() {
    compare_graphs(before_.graph(), after_.graph());
    if (before_.functions.size() != after_.functions.size()) fail("has another number of functions");
    for (std::size_t i = 0; i < before_.functions.size(); ++i)
      compare_graphs(*before_.functions[i]->body, *after_.functions[i]->body);
  }

 private:
  [[noreturn]] static void fail(const std::string& what) {
    throw Error("verify", what, "this is a defect of onnxpress; please report it");
  }

  void compare_graphs(const Graph& a, const Graph& b) {
    if (a.inputs().size() != b.inputs().size() || a.outputs().size() != b.outputs().size())
      fail("a graph has another interface");
    for (std::size_t i = 0; i < a.inputs().size(); ++i) match(*a.inputs()[i]->value, *b.inputs()[i]->value);
    const Node *left = next_real(a.nodes().front()), *right = next_real(b.nodes().front());
    for (; left && right; left = next_real(left->next()), right = next_real(right->next()))
      compare_nodes(*left, *right);
    if (left || right) fail("a graph has another number of nodes");
    for (std::size_t i = 0; i < a.outputs().size(); ++i)
      compare_values(*a.outputs()[i]->value, *b.outputs()[i]->value, "an output");
  }

  static const Node* next_real(const Node* node) {
    while (node && node->is("Constant")) node = node->next();
    return node;
  }

  void compare_nodes(const Node& a, const Node& b) {
    const std::string place = fmt::format("node {} ({})", quote_name(a.name()), plain_or_quoted(a.op_type()));
    if (a.op_type() != b.op_type() || a.domain() != b.domain() || a.input_count() != b.input_count() ||
        a.output_count() != b.output_count())
      fail(place + " stands where another node was");
    for (std::size_t i = 0; i < a.input_count(); ++i) {
      if (!a.input(i) != !b.input(i)) fail(place + " has other operands");
      if (a.input(i)) compare_values(*a.input(i), *b.input(i), place);
    }
    std::vector<Graph*> old_bodies, new_bodies;
    for (Attribute* each : a.attributes()) for_each_graph_in(*each, [&](Graph& body) { old_bodies.push_back(&body); });
    for (Attribute* each : b.attributes()) for_each_graph_in(*each, [&](Graph& body) { new_bodies.push_back(&body); });
    if (old_bodies.size() != new_bodies.size()) fail(place + " has other bodies");
    for (std::size_t i = 0; i < old_bodies.size(); ++i) compare_graphs(*old_bodies[i], *new_bodies[i]);
    for (std::size_t i = 0; i < a.output_count(); ++i) {
      if (a.output(i) && b.output(i)) match(*a.output(i), *b.output(i));
    }
  }

  void match(const Value& a, const Value& b) { matched_[&a] = &b; }

  void compare_values(const Value& a, const Value& b, const std::string& place) {
    if (const auto found = matched_.find(&a); found != matched_.end()) {
      if (found->second != &b)
        fail(fmt::format("{} reads {} instead of {}", place, quote_name(b.name()), quote_name(a.name())));
      return;
    }
    if (!compared_.emplace(&a, &b).second) return;
    const ops::Datum old_value = constant_of(a, old_ops_), new_value = constant_of(b, new_ops_);
    if (old_value.array() && new_value.array()) {
      if (!same_bits(*old_value.array(), *new_value.array()))
        fail(fmt::format("the bits of {} differ", quote_name(a.name())));
      return;
    }
    const bool both_sparse = a.sparse_initializer() && b.sparse_initializer();
    if (both_sparse && !is_same(*a.sparse_initializer(), *b.sparse_initializer()))
      fail(fmt::format("the bits of {} differ", quote_name(a.name())));
    const bool unknown = !old_value.array() && !new_value.array() && a.name() == b.name();
    if (!both_sparse && !unknown) fail(fmt::format("{} reads something else than {}", place, quote_name(a.name())));
  }

  const Model &before_, &after_;
  analysis::OpResolver old_ops_, new_ops_;
  std::unordered_map<const Value*, const Value*> matched_;  // what is computed
  std::set<std::pair<const Value*, const Value*>> compared_;
};

void normalize(Model& model) {
  passes::remove_dead(model);
  weights::expand_chains(model);
}

}  // namespace

bool verify_shrunk(const std::string& original, const std::string& shrunk, const ShrinkOptions& options) {
  LoadedModel before = load_model(original, options.load), after = load_model(shrunk, options.load);
  // What changes types or inputs on purpose is done to both.
  if (options.extraction.narrow_types) weights::narrow_types(before.model);
  (void)weights::extract_constants(before.model, options.extraction.wish());
  if (options.freeze) passes::freeze_inputs(before.model);
  if (options.freeze) passes::freeze_inputs(after.model);
  normalize(before.model);
  normalize(after.model);
  Comparison(before.model, after.model).compare();
  return true;
}

void verify_result(const std::string& original, const std::string& result, const ShrinkOptions& options,
                   const std::vector<weights::Extracted>& extracted, ShrinkReport& report) {
  try {
    report.verified = verify_shrunk(original, result, options);
    if (!options.compare_outputs) return;
    ModelPair pair{original, result, {}, options.load};
    for (std::size_t i = 0; i < extracted.size(); ++i)
      pair.further.emplace_back(report.extracted[i].input, ops::Array::from(extracted[i].tensor));
    report.outputs = options.compare_outputs(pair);
  } catch (Error& error) {
    error.set_file(report.output);
    throw;
  }
}

}  // namespace onnxpress::tasks
