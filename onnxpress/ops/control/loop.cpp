// Loop.
#include "onnxpress/ops/control/loop.h"

#include <fmt/format.h>

#include "onnxpress/ops/control/iterations.h"
#include "onnxpress/ops/core/budget.h"

namespace onnxpress::ops {

namespace {

// The limit of iterations. The condition of a loop that runs longer probably never becomes false.
std::int64_t most_trips() {
  const EvaluationMeter* meter = current_meter();
  const std::uint64_t trips = meter ? meter->budget().trips : EvaluationBudget().trips;
  return static_cast<std::int64_t>(std::min(trips, std::uint64_t{1} << 62));
}

bool is_element(const Fact& fact, std::int64_t wanted) {
  return fact.elements && fact.elements->size() == 1 && fact.elements->front() == Dim::size(wanted);
}

// How often the body runs; known only when the condition is always true, or false from the start.
Dim trip_count(Inference& in, const Fact& condition) {
  if (in.has(1) && is_element(in.operand(1), 0)) return Dim::size(0);
  if (in.has(1) && !is_element(in.operand(1), 1)) return Dim();
  const auto* most = in.elements(0);
  if (!most || most->size() != 1 || most->front().is_unknown() || !is_element(condition, 1)) return Dim();
  return in.dims.max(most->front(), Dim::size(0));
}

// The iteration number and the condition are scalars, or arrays of one element if the body declares them so.
Array as_declared(const Array& scalar, const Graph& body, std::size_t input) {
  const Type* type = input < body.inputs().size() ? body.inputs()[input]->type : nullptr;
  return type && type->has_shape && type->dims.size() == 1 ? scalar.reshaped({1}) : scalar;
}

Fact scalar_fact(ElementType type, const Graph& body, std::size_t input) {
  const Type* declared = input < body.inputs().size() ? body.inputs()[input]->type : nullptr;
  const bool list = declared && declared->has_shape && declared->dims.size() == 1;
  return Fact::tensor(type, list ? Shape{Dim::size(1)} : Shape{});
}

// The condition inside the body, which is true whenever the body runs.
Fact running_condition(const Graph& body) {
  Fact fact = scalar_fact(ElementType::kBool, body, 1);
  fact.elements = {Dim::size(1)};
  fact.range = {1, 1, true};
  return fact;
}

// In old models initializers are also inputs, after those that get a value.
bool require_inputs(Inference& in, const Graph& body, std::size_t count) {
  const auto& inputs = body.inputs();
  bool fits = inputs.size() >= count;
  for (std::size_t i = count; i < inputs.size(); ++i)
    fits = fits && inputs[i]->value && inputs[i]->value->initializer();
  if (!fits) in.contradict(fmt::format("its body has {} inputs, but needs {}", inputs.size(), count));
  return fits;
}

// As many results as the body has outputs besides the condition, and inputs of the types that it declares: their shapes
// may change from one iteration to the next.
bool require_body(Inference& in, const Graph& body, const BodyFacts& facts) {
  if (!require_inputs(in, body, in.operand_count())) return false;
  if (body.outputs().size() != in.result_count() + 1) {
    in.contradict(fmt::format("its body has {} outputs, but needs {}", body.outputs().size(), in.result_count() + 1));
    return false;
  }
  BodyFacts types = facts;
  for (std::vector<Fact>* part : {&types.before, &types.carried}) {
    for (Fact& each : *part) each.shape.reset();
  }
  return require_declared_inputs(in, body, types);
}

}  // namespace

void infer_loop(Inference& in) {
  Graph* body = in.params.graph("body");
  if (!body || in.operand_count() < 2) return;
  const std::size_t carried = in.operand_count() - 2;
  Fact iteration = scalar_fact(ElementType::kInt64, *body, 0);
  iteration.range = {0, std::numeric_limits<double>::infinity(), true};
  // The body runs only while the condition is true, so the condition is true in every iteration.
  BodyFacts facts{{std::move(iteration), running_condition(*body)}, {}, {}};
  for (std::size_t i = 0; i < carried; ++i) facts.carried.push_back(in.operand(2 + i));
  if (!require_body(in, *body, facts)) return;
  // The outputs begin with the condition. It is removed, so that the carried values come first.
  Fact condition;
  const auto whole_body = in.infer_body;
  if (!whole_body) return;
  in.infer_body = [&](Graph& inner, std::span<const Fact> inputs) {
    std::vector<Fact> outputs = whole_body(inner, inputs);
    if (outputs.empty()) return outputs;
    condition = outputs.front();
    outputs.erase(outputs.begin());
    return outputs;
  };
  const std::vector<Fact> outputs = infer_iterations(in, *body, facts);
  in.infer_body = whole_body;
  if (outputs.size() < carried) return;
  for (std::size_t i = 0; i < carried; ++i) set_carried(in, i, std::move(facts.carried[i]));
  Dim trips = trip_count(in, condition);
  for (std::size_t i = carried; i < in.result_count() && i < outputs.size(); ++i) {
    if (trips.is_unknown()) trips = in.fresh(i, 0);  // one symbol for all results
    set_collected(in, i, outputs[i], 0, trips);
  }
}

bool evaluate_loop(Call& call) {
  Graph* body = call.params.graph("body");
  if (!body || !call.run_body || call.operand_count() < 2) return call.fail("there is no body to run");
  const std::size_t carried = call.operand_count() - 2, outputs_of_body = body->outputs().size();
  if (body->inputs().size() != carried + 2 || outputs_of_body < carried + 1 ||
      call.result_count() > outputs_of_body - 1)
    return call.fail("the inputs and outputs of the body do not match the operands and results");
  const std::int64_t most = most_trips();
  const auto limits = call.has(0) ? call.array(0).integers() : std::vector<std::int64_t>{most + 1};
  const auto begins = call.has(1) ? truth_of(call.array(1)) : true;
  if (!limits || limits->size() != 1 || !begins)
    return call.fail("the trip count or the condition is not a single element");

  const auto inputs_at = [&](std::int64_t trip, std::span<const Datum> values) {
    std::vector<Datum> inputs{as_declared(Array::scalar(trip), *body, 0),
                              as_declared(Array::scalar(Bool(true)), *body, 1)};
    inputs.insert(inputs.end(), values.begin(), values.end());
    return inputs;
  };
  std::vector<Datum> values, outputs;
  for (std::size_t i = 0; i < carried; ++i) values.push_back(call.has(2 + i) ? call.datum(2 + i) : Datum());
  Collector collector(outputs_of_body - 1 - carried);
  bool goes_on = *begins;
  for (std::int64_t trip = 0; trip < limits->front() && goes_on; ++trip) {
    if (trip >= most) return call.fail(fmt::format("the loop runs more than {} times", most));
    if (!run_iteration(call, *body, inputs_at(trip, values), outputs_of_body, outputs)) return false;
    const auto truth = outputs[0].array() ? truth_of(*outputs[0].array()) : std::nullopt;
    if (!truth || !collector.add(outputs, carried + 1))
      return call.fail("the body's condition or scan outputs have a wrong type");
    goes_on = *truth;
    std::move(outputs.begin() + 1, outputs.begin() + 1 + static_cast<std::ptrdiff_t>(carried), values.begin());
  }
  if (std::string why; collector.needs_look() && call.run_body(*body, inputs_at(0, values), outputs, why))
    collector.look(outputs, carried + 1);
  for (std::size_t i = 0; i < carried; ++i) call.set(i, std::move(values[i]));
  for (std::size_t i = carried; i + 1 < outputs_of_body && i < call.result_count(); ++i) {
    auto whole = collector.collected(i - carried, 0, false, body->outputs()[i + 1]->type);
    if (!whole) return call.fail("the scan outputs change their shape from one iteration to the next");
    call.set(i, std::move(*whole));
  }
  return true;
}

}  // namespace onnxpress::ops
