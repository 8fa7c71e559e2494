// Computes three results for each node: ours, the runtime's and the one in double.
#include "onnxpress/tasks/verify/compare_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/base/error.h"
#include "onnxpress/compare/output_difference.h"
#include "onnxpress/compare/recorder.h"
#include "onnxpress/ops/kernels/convert.h"
#include "onnxpress/tasks/report/json_report.h"

namespace onnxpress {

namespace {

using compare::as_double;
using compare::Distance;
using compare::distance_of;
using compare::is_real;
using ops::Array;
using ops::Datum;

// A result is suspicious if its error is this many times that of the other one, and that of rounding the exact result.
constexpr double kFactor = 4;

bool is_cast_to_real(const Node& node) {
  const Attribute* to = node.is("Cast") ? node.attribute("to") : nullptr;
  const auto* number = to ? std::get_if<std::int64_t>(&to->value) : nullptr;
  return number && compare::is_real(static_cast<ElementType>(*number));
}

Datum widened(const Datum& datum) {
  const auto wide = datum.array() ? compare::as_double(*datum.array()) : std::nullopt;
  return wide ? Datum(*wide) : datum;
}

class NodeComparison {
 public:
  NodeComparison(const Model& model, std::unordered_map<const Value*, Datum> known, NodeReport& report)
      : model_(model), ops_(model), known_(std::move(known)), report_(report) {
    for (const auto& [value, datum] : known_) {
      if (value->is_input()) wide_.emplace(value, widened(datum));
    }
  }

  void run() {
    for (const Node& node : model_.graph().nodes()) {
      ++report_.nodes;
      compare(node);
    }
  }

  // The value when the whole model is evaluated in double; null when it is not an array.
  const Array* exact(const Value& value) const {
    const auto found = wide_.find(&value);
    return found != wide_.end() ? found->second.array() : nullptr;
  }
  const Datum* theirs(const Value& value) const {
    const auto found = known_.find(&value);
    return found != known_.end() ? &found->second : nullptr;
  }

 private:
  using Values = std::unordered_map<const Value*, Datum>;

  // Weights are read when they are needed, and not kept.
  std::optional<std::vector<Datum>> operands_of(const Node& node, const Values& values) const {
    std::vector<Datum> operands;
    for (const Use& use : node.inputs()) {
      const Value* value = use.value();
      const auto found = value ? values.find(value) : values.end();
      if (found != values.end()) {
        operands.push_back(found->second);
      } else if (value && value->initializer()) {
        operands.emplace_back(Array::from(*value->initializer()));
      } else if (value && value->sparse_initializer()) {
        operands.emplace_back(Array::from(*value->sparse_initializer()));
      } else if (value) {
        return std::nullopt;
      } else {
        operands.emplace_back();
      }
    }
    return operands;
  }

  static std::optional<std::vector<Datum>> evaluated(const Node& node, const ops::Op& op,
                                                     const std::vector<Datum>& operands, bool wide) {
    std::vector<Datum> data;
    std::vector<const Datum*> pointers;
    data.reserve(operands.size());
    for (const Datum& each : operands) data.push_back(wide ? widened(each) : each);
    for (std::size_t i = 0; i < data.size(); ++i) pointers.push_back(node.input(i) ? &data[i] : nullptr);
    if (wide && is_cast_to_real(node) && data.size() == 1 && data[0].array() &&
        data[0].array()->type() == ElementType::kDouble)
      return std::vector<Datum>{data[0]};
    return analysis::evaluate_node(node, op, pointers);
  }

  void compare(const Node& node) {
    const ops::Op* op = ops_.function_of(node) ? nullptr : ops_.op_of(node);
    std::optional<std::vector<Datum>> operands;
    try {
      operands = op ? operands_of(node, known_) : std::nullopt;
    } catch (const Error&) {  // a weight that cannot be read
    }
    const auto ours = operands ? evaluated(node, *op, *operands, false) : std::nullopt;
    follow_exactly(node, op);
    if (!ours) {
      report_.skipped.push_back(fmt::format("{} ({})", quote_name(node.name()), plain_or_quoted(node.op_type())));
      return;
    }
    const auto exact = evaluated(node, *op, *operands, true);
    ++report_.compared;
    for (std::size_t i = 0; i < node.output_count() && i < ours->size(); ++i) {
      const Value* output = node.output(i);
      const Datum* there = output ? theirs(*output) : nullptr;
      if (!there || !there->array() || !(*ours)[i].array()) continue;
      const Array* third = exact && i < exact->size() ? (*exact)[i].array() : nullptr;
      compare(node, *output, *(*ours)[i].array(), *there->array(), third);
    }
  }

  void compare(const Node& node, const Value& output, const Array& ours, const Array& theirs, const Array* exact) {
    NodeLine line{.node = std::string(node.name()),
                  .op = std::string(node.op_type()),
                  .output = std::string(output.name()),
                  .type = type_text(theirs),
                  .verdict = "rounding"};
    if (ours.type() != theirs.type() || ours.sizes() != theirs.sizes()) {
      line.verdict = "differs";
      line.type = fmt::format("{}, ours {}", type_text(theirs), type_text(ours));
    } else if (const auto x = compare::as_double(ours)) {
      judge(line, *x, *compare::as_double(theirs), exact, ours.type());
    } else {
      line.different = compare::different_elements(ours, theirs);
      if (line.different > 0) line.verdict = "differs";
    }
    if (line.verdict != "rounding") ++report_.suspicious;
    report_.lines.push_back(std::move(line));
  }

  static void judge(NodeLine& line, const Array& ours, const Array& theirs, const Array* exact, ElementType type) {
    // If an op cannot be evaluated in double, our result is compared with the runtime's.
    const bool known = exact && exact->type() == ElementType::kDouble && exact->sizes() == ours.sizes();
    const Array& third = known ? *exact : theirs;
    const compare::Distance a = compare::distance_of(ours, third, type), b = compare::distance_of(theirs, third, type);
    const auto once = ops::converted(third, type);
    const auto rounded = once ? compare::as_double(*once) : std::nullopt;
    const double least = rounded ? compare::distance_of(*rounded, third, type).noise : 0;
    line.ours_snr = a.snr();
    line.runtime_snr = b.snr();
    line.ours_ulps = a.ulps;
    line.runtime_ulps = b.ulps;
    const double square = kFactor * kFactor;
    // Two units in the last place are allowed: one for rounding the result, one for rounding on the way to it.
    const bool ours_off = a.ulps > 2 && a.noise > square * std::max(b.noise, least);
    const bool theirs_off = b.ulps > 2 && b.noise > square * std::max(a.noise, least);
    if (a.not_finite != b.not_finite) {
      line.verdict = a.not_finite > b.not_finite ? "ours" : "runtime";
    } else if (ours_off) {
      line.verdict = known ? "ours" : "differs";
    } else if (theirs_off) {
      line.verdict = "runtime";
    }
  }

  // Evaluates the whole model in double. If a node cannot be evaluated in double, its operands are rounded to their
  // type; if it cannot be evaluated at all, the runtime's result is used.
  void follow_exactly(const Node& node, const ops::Op* op) {
    std::optional<std::vector<Datum>> results;
    try {
      const auto operands = op ? operands_of(node, wide_) : std::nullopt;
      if (operands) results = evaluated(node, *op, *operands, true);
      if (operands && !results) results = evaluated(node, *op, narrowed(node, *operands), false);
    } catch (const Error&) {  // a weight that cannot be read
    }
    for (std::size_t i = 0; i < node.output_count(); ++i) {
      const Value* output = node.output(i);
      if (!output) continue;
      if (results && i < results->size()) {
        wide_.insert_or_assign(output, widened((*results)[i]));
      } else if (const Datum* there = theirs(*output)) {
        wide_.insert_or_assign(output, widened(*there));
      }
    }
  }

  std::vector<Datum> narrowed(const Node& node, std::vector<Datum> operands) const {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const Datum* there = node.input(i) ? theirs(*node.input(i)) : nullptr;
      if (!there || !there->array() || !operands[i].array() || !compare::is_real(there->array()->type())) continue;
      if (auto array = ops::converted(*operands[i].array(), there->array()->type())) operands[i] = std::move(*array);
    }
    return operands;
  }

  const Model& model_;
  analysis::OpResolver ops_;
  Values known_, wide_;
  NodeReport& report_;
};

std::optional<double> snr_between(const Array* a, const Array* b) {
  if (!a || !b || !compare::is_real(a->type()) || a->sizes() != b->sizes()) return std::nullopt;
  const auto x = compare::as_double(*a), y = compare::as_double(*b);
  return x && y ? compare::distance_of(*x, *y, a->type()).snr() : std::nullopt;
}

void add_outputs(const Model& model, const std::vector<Datum>& ours, const NodeComparison& nodes, NodeReport& report) {
  for (std::size_t i = 0; i < model.graph().outputs().size() && i < ours.size(); ++i) {
    const Value& value = *model.graph().outputs()[i]->value;
    const Datum* theirs = nodes.theirs(value);
    if (!ours[i].array() || !theirs || !theirs->array()) continue;
    report.outputs.push_back({.output = std::string(value.name()),
                              .snr = snr_between(ours[i].array(), theirs->array()),
                              .ours_snr = snr_between(ours[i].array(), nodes.exact(value)),
                              .runtime_snr = snr_between(theirs->array(), nodes.exact(value))});
  }
}

}  // namespace

NodeReport compare_nodes(const engines::Engine& engine, const Model& original, const RunOptions& options,
                         std::size_t most_lines) {
  NodeReport report{.file = original.path.string(), .engine = engine.name()};
  Model model = original.clone();  // branches are inlined
  RunReport made;
  const analysis::Evaluator::Inputs inputs = made_inputs(model, options, made);
  report.assumed = made.assumed;
  compare::Recorder recorder(engine, model, engines::arrays_of(inputs));
  report.inlined = recorder.inline_branches();
  NodeComparison nodes(model, recorder.record_all(), report);
  nodes.run();
  analysis::Evaluator evaluator(model);
  if (const auto ours = evaluator.run(inputs)) add_outputs(model, *ours, nodes, report);
  const auto end = std::stable_partition(report.lines.begin(), report.lines.end(),
                                         [](const NodeLine& line) { return line.verdict != "rounding"; });
  std::stable_sort(end, report.lines.end(),
                   [](const NodeLine& a, const NodeLine& b) { return a.ours_ulps > b.ours_ulps; });
  report.lines.resize(std::min(report.lines.size(), static_cast<std::size_t>(report.suspicious) + most_lines));
  return report;
}

std::string to_json(const NodeReport& report) { return json_text(report); }

}  // namespace onnxpress
