// Checks model-local functions: unique ids, no recursion (not through bodies either), matching calls, no unused
// functions.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>

#include "onnxpress/analysis/check/check_parts.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::analysis {

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};
// The onnx package refuses deeper chains of calls, and ONNX Runtime runs out of stack at a few thousand.
constexpr std::uint32_t kDeepCalls = 100;
// Runtimes inline every call. A model that grows beyond this many nodes then is an attack, or will behave like one.
constexpr double kManyInlinedNodes = 1e7;

std::string id_of(const Function& function) { return function_id(function.domain, function.name, function.overload); }

class FunctionChecker {
 public:
  FunctionChecker(const Model& model, FindingList& found) : model_(model), found_(found) {}

  void run() {
    index_functions();
    for (const Function* function : model_.functions) check_parameters(*function);
    Calls main = calls_of(model_.graph());
    for (const TrainingInfo* training : model_.training) {
      for (Graph* graph : {training->initialization, training->algorithm}) {
        if (!graph) continue;
        const Calls more = calls_of(*graph);
        main.targets.insert(main.targets.end(), more.targets.begin(), more.targets.end());
        main.nodes += more.nodes;
      }
    }
    for (const Function* function : model_.functions) calls_.push_back(calls_of(*function->body));
    calls_.push_back(std::move(main));
    const auto count = static_cast<std::uint32_t>(calls_.size());
    states_.resize(count);
    walk_from(count - 1);
    for (std::uint32_t i = 0; i + 1 < count; ++i) {
      if (states_[i].seen) continue;
      if (!hidden_[i])
        add(Severity::kNote, "unused-function", i,
            "is never called, neither by the main graph nor by a function in use");
      walk_from(i);
    }
    report_size(states_.back());
  }

 private:
  using Id = std::tuple<std::string_view, std::string_view, std::string_view>;
  static Id id(std::string_view domain, std::string_view name, std::string_view overload) {
    return {normal_domain(domain), name, overload};
  }
  struct Calls {
    std::vector<std::uint32_t> targets;  // one per call
    double nodes = 0;                    // nodes that are not calls
  };
  struct State {
    bool seen = false, open = false;
    std::uint32_t depth = 0;  // longest chain of calls below this function
    double inlined = 0;       // number of nodes when every call is replaced by its body
    std::uint32_t stack_position = 0;
  };
  struct Frame {
    std::uint32_t function, next;
  };

  void index_functions();
  void check_parameters(const Function& function);
  Calls calls_of(Graph& graph);
  void check_call(const Node& node, const Function& function);
  void walk_from(std::uint32_t root);
  void report_recursion(std::uint32_t callee);
  void report_size(const State& main);
  void add(Severity severity, std::string_view code, std::uint32_t function, std::string message) {
    found_.add(
        severity, code, [&] { return found_.places.of(*model_.functions[function]->body); }, std::move(message));
  }

  const Model& model_;
  FindingList& found_;
  std::map<Id, std::uint32_t> index_;
  std::vector<bool> hidden_;  // by function: true if an earlier one has the same id
  std::vector<Calls> calls_;  // by function; the last is the main graph
  std::vector<State> states_;
  std::vector<Frame> stack_;
};

void FunctionChecker::index_functions() {
  for (std::uint32_t i = 0; i < model_.functions.size(); ++i) {
    const Function& function = *model_.functions[i];
    if (function.name.empty()) add(Severity::kError, "empty-name", i, "the function has no name");
    const bool is_new = index_.emplace(id(function.domain, function.name, function.overload), i).second;
    hidden_.push_back(!is_new);
    if (!is_new) add(Severity::kError, "duplicate-function", i, "an earlier function has the same name");
  }
}

void FunctionChecker::check_parameters(const Function& function) {
  std::unordered_set<std::string_view> seen;
  const auto check = [&](std::string_view name) {
    if (seen.insert(name).second) return;
    found_.add(Severity::kError, "duplicate-parameter", *function.body,
               fmt::format("the attribute {} is listed more than once", quote_name(name)));
  };
  for (const std::string_view name : function.attribute_names) check(name);
  for (const Attribute* attribute : function.attribute_defaults) check(attribute->name);
}

FunctionChecker::Calls FunctionChecker::calls_of(Graph& graph) {
  Calls calls;
  for_each_graph(graph, [&](const Graph& each) {
    for (const Node& node : each.nodes()) {
      const auto at = index_.empty() ? index_.end() : index_.find(id(node.domain(), node.op_type(), node.overload()));
      if (at == index_.end()) {
        calls.nodes += 1;
      } else {
        calls.targets.push_back(at->second);
        check_call(node, *model_.functions[at->second]);
      }
    }
  });
  return calls;
}

void FunctionChecker::check_call(const Node& node, const Function& function) {
  const auto check = [&](std::string_view what, std::size_t given, std::size_t declared) {
    // Inputs may be left out, but a call that leaves out outputs is refused by onnx.checker and ONNX Runtime.
    if (given == declared || (given < declared && what == "input")) return;
    found_.add(
        Severity::kError, "call-arity", node,
        fmt::format("has {}, but function {} has {}", counted(given, what), quote_name(id_of(function)), declared));
  };
  check("input", node.input_count(), function.body->inputs().size());
  check("output", node.output_count(), function.body->outputs().size());
}

// Depth first, with an explicit stack because a chain of calls can be as long as the file.
void FunctionChecker::walk_from(std::uint32_t root) {
  const auto enter = [this](std::uint32_t function) {
    State& state = states_[function];
    state.seen = state.open = true;
    state.stack_position = static_cast<std::uint32_t>(stack_.size());
    state.inlined = calls_[function].nodes;
    std::vector<std::uint32_t>& targets = calls_[function].targets;
    std::sort(targets.begin(), targets.end());
    stack_.push_back({function, 0});
  };
  enter(root);
  std::uint32_t returned = kNone;
  while (!stack_.empty()) {
    Frame& frame = stack_.back();
    State& state = states_[frame.function];
    const std::vector<std::uint32_t>& targets = calls_[frame.function].targets;
    if (returned != kNone) {
      state.depth = std::max(state.depth, states_[returned].depth + 1);
      returned = kNone;
    }
    if (frame.next == targets.size()) {
      state.open = false;
      for (const std::uint32_t target : targets) state.inlined += states_[target].inlined;
      returned = frame.function;
      stack_.pop_back();
      continue;
    }
    const std::uint32_t target = targets[frame.next++];
    const bool again = frame.next > 1 && targets[frame.next - 2] == target;
    if (again) continue;
    if (!states_[target].seen) {
      enter(target);
    } else if (states_[target].open) {
      report_recursion(target);
    } else {
      state.depth = std::max(state.depth, states_[target].depth + 1);
    }
  }
}

void FunctionChecker::report_recursion(std::uint32_t callee) {
  constexpr std::size_t kShown = 8;
  std::string text = "calls itself: ";
  const std::size_t first = states_[callee].stack_position;
  for (std::size_t i = first; i < stack_.size() && i < first + kShown; ++i) {
    text += quote_name(id_of(*model_.functions[stack_[i].function])) + " -> ";
  }
  if (stack_.size() > first + kShown) text += fmt::format("{} more -> ", stack_.size() - first - kShown);
  add(Severity::kError, "recursive-function", callee, text + quote_name(id_of(*model_.functions[callee])));
}

void FunctionChecker::report_size(const State& main) {
  if (main.depth > kDeepCalls) {
    found_.add_to_model(Severity::kNote, "deep-calls",
                        fmt::format("function calls are nested {} deep; readers give up at {} or run out of stack",
                                    main.depth, kDeepCalls));
  }
  if (main.inlined > kManyInlinedNodes) {
    found_.add_to_model(
        Severity::kNote, "many-inlined-nodes",
        fmt::format("with every call replaced by its function's body, as runtimes do, there are {:.2g} nodes",
                    main.inlined));
  }
}

}  // namespace

void check_functions(const Model& model, FindingList& found) {
  if (!model.functions.empty()) FunctionChecker(model, found).run();
}

}  // namespace onnxpress::analysis
