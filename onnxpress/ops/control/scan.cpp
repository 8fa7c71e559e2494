// Scan, with and without a batch axis.
#include "onnxpress/ops/control/scan.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/ops/control/iterations.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/block_copy.h"
#include "onnxpress/ops/kernels/concatenated.h"

namespace onnxpress::ops {

namespace {

// The i-th number of a list parameter; 0 when it is absent.
std::int64_t listed(const Params& params, std::string_view name, std::size_t i) {
  const auto list = params.given(name) ? params.integers(name) : std::nullopt;
  return list && i < list->size() ? (*list)[i] : 0;
}

// How operands and results divide into states and scanned values.
struct Division {
  std::size_t first = 0;  // index of the operand that is the first state
  std::size_t states = 0, scanned = 0, collected = 0;
};

std::optional<Division> division_of(const Params& params, const Graph& body, std::size_t operands, std::size_t first) {
  const std::int64_t scanned = params.integer_or("num_scan_inputs", 0);
  if (operands < first || scanned < 1 || static_cast<std::uint64_t>(scanned) > operands - first) return std::nullopt;
  Division division{first, 0, static_cast<std::size_t>(scanned), 0};
  division.states = operands - first - division.scanned;
  if (body.inputs().size() != operands - first || body.outputs().size() < division.states) return std::nullopt;
  division.collected = body.outputs().size() - division.states;
  return division;
}

// The same for inference, which says what is wrong.
std::optional<Division> required_division(Inference& in, const Graph& body, std::size_t first) {
  if (in.operand_count() < first) return std::nullopt;
  const auto division = division_of(in.params, body, in.operand_count(), first);
  if (division && body.outputs().size() == in.result_count()) return division;
  const std::size_t count = in.operand_count() - first, inputs = body.inputs().size();
  const std::int64_t scanned = in.params.integer_or("num_scan_inputs", 0);
  if (scanned < 1 || static_cast<std::uint64_t>(scanned) > count)
    in.contradict(fmt::format("num_scan_inputs is {}, but must be from 1 to {}", scanned, count));
  else if (inputs != count)
    in.contradict(fmt::format("its body has {} inputs, but needs {}", inputs, count));
  else
    in.contradict(fmt::format("its body has {} outputs, but needs {}", body.outputs().size(), in.result_count()));
  return std::nullopt;
}

// A list with an entry for each scanned operand or result, if it is there.
bool require_entries(Inference& in, std::string_view name, std::size_t count, bool is_direction) {
  const auto list = in.params.given(name) ? in.params.integers(name) : std::nullopt;
  if (!list || list->empty()) return true;
  if (list->size() != count) {
    in.contradict(fmt::format("{} has {} entries, but needs {}", name, list->size(), count));
    return false;
  }
  const auto wrong = std::ranges::find_if(*list, [](std::int64_t each) { return each != 0 && each != 1; });
  if (!is_direction || wrong == list->end()) return true;
  in.contradict(fmt::format("{} has the entry {}, but must have 0 and 1 only", name, *wrong));
  return false;
}

bool require_lists(Inference& in, const Division& division) {
  return require_entries(in, "scan_input_axes", division.scanned, false) &&
         require_entries(in, "scan_input_directions", division.scanned, true) &&
         require_entries(in, "scan_output_axes", division.collected, false) &&
         require_entries(in, "scan_output_directions", division.collected, true) &&
         require_entries(in, "directions", division.scanned, true);
}

// The slice at one index of an axis, without that axis.
Array slice_at(const Array& array, std::size_t axis, std::int64_t index) {
  Sizes sizes = array.sizes();
  Layout layout{0, strides_of(array.sizes())};
  layout.offset = index * layout.strides[axis];
  sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(axis));
  layout.strides.erase(layout.strides.begin() + static_cast<std::ptrdiff_t>(axis));
  return block_of(array, layout, sizes, sizes);
}

struct Scanned {
  Array array;
  std::size_t axis = 0;
  bool backwards = false;
};

// Runs the body `length` times, replacing the states and collecting the outputs.
bool run_all(Call& call, Graph& body, std::vector<Datum>& states, std::span<const Scanned> scanned, std::int64_t length,
             Collector& collector) {
  std::vector<Datum> outputs;
  for (std::int64_t t = 0; t < length; ++t) {
    std::vector<Datum> inputs = states;
    for (const Scanned& each : scanned)
      inputs.emplace_back(slice_at(each.array, each.axis, each.backwards ? length - 1 - t : t));
    if (!run_iteration(call, body, inputs, body.outputs().size(), outputs)) return false;
    if (!collector.add(outputs, states.size())) return call.fail("a scan output is not a tensor");
    std::move(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(states.size()), states.begin());
  }
  if (!collector.needs_look()) return true;
  // A trial run gives the shapes of the collected outputs; slices of zeros are enough for that.
  std::vector<Datum> inputs = states;
  for (const Scanned& each : scanned) {
    Sizes sizes = each.array.sizes();
    sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(each.axis));
    inputs.emplace_back(zeros(each.array.type(), std::move(sizes)));
  }
  std::string why;
  if (call.run_body(body, inputs, outputs, why)) collector.look(outputs, states.size());
  return true;
}

}  // namespace

bool evaluate_scan(Call& call) {
  Graph* body = call.params.graph("body");
  if (!body || !call.run_body) return call.fail("there is no body to run");
  const auto division = division_of(call.params, *body, call.operand_count(), 0);
  if (!division) return call.fail("the inputs and outputs of the body do not match the operands");
  std::vector<Datum> states;
  for (std::size_t i = 0; i < division->states; ++i) {
    if (!call.has(i)) return call.fail("an initial state is missing");
    states.push_back(call.datum(i));
  }
  std::vector<Scanned> scanned;
  for (std::size_t i = 0; i < division->scanned; ++i) {
    const Array& array = call.array(division->states + i);
    const auto axis = normal_axis(listed(call.params, "scan_input_axes", i), array.rank());
    if (!axis) return call.fail(fmt::format("the scan axis is out of range for an operand of rank {}", array.rank()));
    scanned.push_back({array, *axis, listed(call.params, "scan_input_directions", i) == 1});
    if (array.size(*axis) != scanned[0].array.size(scanned[0].axis))
      return call.fail("the scanned operands have different lengths");
  }
  const std::int64_t length = scanned[0].array.size(scanned[0].axis);
  Collector collector(division->collected);
  if (!run_all(call, *body, states, scanned, length, collector)) return false;
  for (std::size_t i = 0; i < states.size(); ++i) call.set(i, std::move(states[i]));
  for (std::size_t i = 0; i < division->collected; ++i) {
    auto whole = collector.collected(i, listed(call.params, "scan_output_axes", i),
                                     listed(call.params, "scan_output_directions", i) == 1,
                                     body->outputs()[division->states + i]->type);
    if (!whole) return call.fail("the scan outputs change their shape from one iteration to the next");
    call.set(division->states + i, std::move(*whole));
  }
  return true;
}

void infer_scan(Inference& in) {
  Graph* body = in.params.graph("body");
  const auto division = body ? required_division(in, *body, 0) : std::nullopt;
  if (!division || !require_lists(in, *division)) return;
  BodyFacts facts;
  for (std::size_t i = 0; i < division->states; ++i) facts.carried.push_back(in.operand(i));
  Dim length;
  for (std::size_t i = 0; i < division->scanned; ++i) {
    const Fact& operand = in.operand(division->states + i);
    Fact slice = Fact::tensor(operand.element);
    slice.range = operand.range;
    const auto axis =
        operand.shape ? required_axis(in, listed(in.params, "scan_input_axes", i), operand.rank()) : std::nullopt;
    if (operand.shape && !axis) return;
    if (axis) {
      slice.shape = *operand.shape;
      const Dim own = (*slice.shape)[*axis];
      slice.shape->erase(slice.shape->begin() + static_cast<std::ptrdiff_t>(*axis));
      if (length.is_unknown()) length = own;
      if (!own.is_unknown()) in.unify(length, own);
    }
    facts.after.push_back(std::move(slice));
  }
  if (!require_declared_inputs(in, *body, facts)) return;
  const std::vector<Fact> outputs = infer_iterations(in, *body, facts);
  if (outputs.size() < division->states) return;
  for (std::size_t i = 0; i < division->states; ++i) set_carried(in, i, std::move(facts.carried[i]));
  for (std::size_t i = division->states; i < outputs.size(); ++i) {
    const std::int64_t axis = listed(in.params, "scan_output_axes", i - division->states);
    if (outputs[i].shape && !required_axis(in, axis, outputs[i].rank() + 1)) return;
    set_collected(in, i, outputs[i], axis, length);
  }
}

// --- With a batch axis

namespace {

// Stacks the results of all batches. Shorter sequences are padded with zeros.
std::optional<Array> batched(std::vector<Array> parts, bool pads) {
  std::int64_t longest = 0;
  for (const Array& part : parts) longest = std::max(longest, part.rank() > 0 ? part.size(0) : 0);
  for (Array& part : parts) {
    if (!pads || part.rank() == 0 || part.size(0) == longest) continue;
    Sizes sizes = part.sizes();
    sizes[0] = longest;
    Array padded = zeros(part.type(), std::move(sizes));
    const Sizes strides = strides_of(part.sizes());
    copy_block(part.sizes(), part, {0, strides}, padded, {0, strides});
    part = std::move(padded);
  }
  return stacked(parts, 0);
}

// The scanned operands of one batch.
std::optional<std::vector<Scanned>> scanned_of_batch(Call& call, const Division& division, std::int64_t batch,
                                                     std::int64_t length) {
  std::vector<Scanned> scanned;
  for (std::size_t i = 0; i < division.scanned; ++i) {
    const Array slice = slice_at(call.array(division.first + division.states + i), 0, batch);
    if (length > slice.size(0)) return std::nullopt;
    // "Backwards" starts at the end of the sequence, not of the array.
    Sizes sizes = slice.sizes();
    sizes[0] = length;
    scanned.push_back(
        {block_of(slice, {0, strides_of(slice.sizes())}, sizes, sizes), 0, listed(call.params, "directions", i) == 1});
  }
  return scanned;
}

}  // namespace

bool evaluate_batched_scan(Call& call) {
  Graph* body = call.params.graph("body");
  if (!body || !call.run_body) return call.fail("there is no body to run");
  const auto division = division_of(call.params, *body, call.operand_count(), 1);
  if (!division) return call.fail("the inputs and outputs of the body do not match the operands");
  const Array& leader = call.array(1 + division->states);
  for (std::size_t i = 1; i < call.operand_count(); ++i) {
    const bool is_scanned = i > division->states;
    if (call.array(i).rank() < (is_scanned ? 2U : 1U) || leader.rank() < 2 || call.array(i).size(0) != leader.size(0) ||
        (is_scanned && call.array(i).size(1) != leader.size(1)))
      return call.fail("the operands have different batches or lengths");
  }
  const std::int64_t batches = leader.size(0), longest = leader.size(1);
  const auto lengths =
      call.has(0) ? call.array(0).integers() : std::vector<std::int64_t>(static_cast<std::size_t>(batches), longest);
  if (batches == 0 || !lengths || lengths->size() != static_cast<std::size_t>(batches))
    return call.fail("the sequence lengths do not match the batches");
  std::vector<std::vector<Array>> parts(division->states + division->collected);
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    const std::int64_t length = (*lengths)[static_cast<std::size_t>(batch)];
    const auto scanned = length < 0 ? std::nullopt : scanned_of_batch(call, *division, batch, length);
    if (!scanned) return call.fail(fmt::format("sequence length {} is out of range", length));
    std::vector<Datum> states;
    for (std::size_t i = 0; i < division->states; ++i) states.emplace_back(slice_at(call.array(1 + i), 0, batch));
    Collector collector(division->collected);
    if (!run_all(call, *body, states, *scanned, length, collector)) return false;
    for (std::size_t i = 0; i < states.size(); ++i)
      parts[i].push_back(states[i].array() ? *states[i].array() : Array());
    for (std::size_t i = 0; i < division->collected; ++i) {
      const auto whole = collector.collected(i, 0, false, body->outputs()[division->states + i]->type);
      if (!whole) return call.fail("the scan outputs change their shape from one iteration to the next");
      parts[division->states + i].push_back(*whole);
    }
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto whole = batched(std::move(parts[i]), i >= division->states);
    if (!whole) return call.fail("the batches have results of different shapes");
    call.set(i, std::move(*whole));
  }
  return true;
}

void infer_batched_scan(Inference& in) {
  Graph* body = in.params.graph("body");
  const auto division = body ? required_division(in, *body, 1) : std::nullopt;
  if (!division || !require_lists(in, *division)) return;
  BodyFacts facts;
  Dim batches, length;
  for (std::size_t i = 1; i < in.operand_count(); ++i) {
    const Fact& operand = in.operand(i);
    const std::size_t dropped = i > division->states ? 2 : 1;
    Fact slice = Fact::tensor(operand.element);
    slice.range = operand.range;
    if (operand.shape && operand.rank() >= dropped) {
      slice.shape = Shape(operand.shape->begin() + static_cast<std::ptrdiff_t>(dropped), operand.shape->end());
      if (batches.is_unknown()) batches = (*operand.shape)[0];
      if (dropped == 2 && length.is_unknown()) length = (*operand.shape)[1];
    }
    (dropped == 1 ? facts.carried : facts.after).push_back(std::move(slice));
  }
  if (!require_declared_inputs(in, *body, facts)) return;
  const std::vector<Fact> outputs = infer_iterations(in, *body, facts);
  if (outputs.size() < division->states) return;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const bool is_state = i < division->states;
    const Fact& each = is_state ? facts.carried[i] : outputs[i];
    set_collected(in, i, each, 0, batches);
    if (is_state || i >= in.result_count() || !in.result(i).shape) continue;
    // If sequence lengths are given, all of them may be shorter than the operands.
    in.result(i).shape->insert(in.result(i).shape->begin() + 1, in.has(0) ? in.fresh(i, 1) : length);
    in.result(i).range = join(in.result(i).range, Range{0, 0, true});
  }
}

}  // namespace onnxpress::ops
