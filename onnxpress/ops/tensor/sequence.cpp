// Sequences and optionals.
#include <fmt/format.h>

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/cost.h"
#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/core/inference.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/block_copy.h"

namespace onnxpress::ops {

namespace {

Fact sequence_of(Fact element) {
  return {.kind = Fact::Kind::kSequence, .inner = std::make_shared<const Fact>(std::move(element))};
}

// The fact that holds for every element of the sequence in operand i.
Fact element_of(Inference& in, std::size_t i) {
  const Fact& sequence = in.operand(i);
  return sequence.kind == Fact::Kind::kSequence && sequence.inner ? *sequence.inner : Fact::unknown();
}

const Sequence* sequence_in(Call& call, std::size_t i) { return call.has(i) ? call.datum(i).sequence() : nullptr; }

// Maps a position in [-count, count) to [0, count); nullopt when it is out of range or not an integer.
std::optional<std::size_t> position_in(Call& call, std::size_t operand, std::size_t count) {
  const auto list = call.array(operand).integers();
  return list && list->size() == 1 ? normal_axis(list->front(), count) : std::nullopt;
}

// --- Sequences

bool evaluate_sequence_construct(Call& call) {
  Sequence made;
  for (std::size_t i = 0; i < call.operand_count(); ++i) {
    // Sequences of sequences are refused: they could double in size at every node.
    if (!call.has(i) || !call.datum(i).array()) return call.fail("an operand is missing or not a tensor");
    made.push_back(call.datum(i));
  }
  return call.done(Datum(std::move(made)));
}

void infer_sequence_construct(Inference& in) {
  if (in.operand_count() == 0) return;
  Fact element = in.operand(0);
  for (std::size_t i = 1; i < in.operand_count(); ++i) element = join(element, in.operand(i), in.dims);
  in.set(0, sequence_of(std::move(element)));
}

ElementType empty_type(const Params& params) {
  const auto given = params.integer("dtype");
  return given ? static_cast<ElementType>(*given) : ElementType::kFloat;
}

bool evaluate_sequence_empty(Call& call) { return call.done(Datum(Sequence())); }

// Any fact holds for the elements of an empty sequence, but the type must be right because elements may be added later.
void infer_sequence_empty(Inference& in) { in.set(0, sequence_of(Fact::tensor(empty_type(in.params)))); }

bool evaluate_sequence_at(Call& call) {
  const Sequence* sequence = sequence_in(call, 0);
  const auto position = sequence ? position_in(call, 1, sequence->size()) : std::nullopt;
  return position ? call.done((*sequence)[*position]) : call.fail("the position is out of range");
}

void infer_sequence_at(Inference& in) { in.set(0, element_of(in, 0)); }

bool evaluate_sequence_insert(Call& call) {
  const Sequence* sequence = sequence_in(call, 0);
  if (!sequence || !call.has(1) || !call.datum(1).array()) return call.fail("there is no sequence or no tensor");
  std::optional<std::size_t> position = sequence->size();
  if (call.has(2)) {
    // Positions are in [-n, n]; n itself means after the last element.
    const auto list = call.array(2).integers();
    const bool behind = list && list->size() == 1 && list->front() == static_cast<std::int64_t>(sequence->size());
    if (!behind) position = position_in(call, 2, sequence->size());
  }
  if (!position) return call.fail(fmt::format("the position is out of range for {} elements", sequence->size()));
  Sequence made = *sequence;
  made.insert(made.begin() + static_cast<std::ptrdiff_t>(*position), call.datum(1));
  return call.done(Datum(std::move(made)));
}

void infer_sequence_insert(Inference& in) {
  const ElementType inside = element_of(in, 0).element, inserted = in.operand(1).element;
  if (is_known(inside) && is_known(inserted) && inside != inserted)
    return in.contradict(
        fmt::format("a tensor of {} cannot go into a sequence of {}", name_of(inserted), name_of(inside)));
  if (in.operand(0).kind == Fact::Kind::kSequence)
    in.set(0, sequence_of(join(element_of(in, 0), in.operand(1), in.dims)));
}

bool evaluate_sequence_erase(Call& call) {
  const Sequence* sequence = sequence_in(call, 0);
  if (!sequence || sequence->empty()) return call.fail("there is nothing to erase");
  const auto position = call.has(1) ? position_in(call, 1, sequence->size()) : sequence->size() - 1;
  if (!position) return call.fail(fmt::format("the position is out of range for {} elements", sequence->size()));
  Sequence made = *sequence;
  made.erase(made.begin() + static_cast<std::ptrdiff_t>(*position));
  return call.done(Datum(std::move(made)));
}

void infer_sequence_erase(Inference& in) {
  if (in.operand(0).kind == Fact::Kind::kSequence) in.set(0, sequence_of(element_of(in, 0)));
}

bool evaluate_sequence_length(Call& call) {
  const Sequence* sequence = sequence_in(call, 0);
  return sequence ? call.done(Array::scalar(static_cast<std::int64_t>(sequence->size())))
                  : call.fail("the operand is not a sequence");
}

void infer_sequence_length(Inference& in) {
  if (in.result_count() == 0) return;
  in.set_shape({});
  in.result().range = {0, std::numeric_limits<double>::infinity(), true};
}

// Runs the body on the i-th element of every sequence; operands that are not sequences are passed unchanged.
bool evaluate_sequence_map(Call& call) {
  const Sequence* sequence = sequence_in(call, 0);
  Graph* body = call.params.graph("body");
  if (!sequence || !body || !call.run_body) return call.fail("there is no sequence or no body");
  std::vector<Sequence> results(call.result_count());
  for (std::size_t at = 0; at < sequence->size(); ++at) {
    std::vector<Datum> inputs, outputs;
    for (std::size_t i = 0; i < call.operand_count(); ++i) {
      const Sequence* each = sequence_in(call, i);
      if (!call.has(i) || (each && each->size() != sequence->size()))
        return call.fail("the sequences have different lengths");
      inputs.push_back(each ? (*each)[at] : call.datum(i));
    }
    std::string why;
    if (!call.run_body(*body, inputs, outputs, why)) return call.fail(std::move(why));
    if (outputs.size() < results.size()) return call.fail("the body has too few outputs");
    for (std::size_t i = 0; i < results.size(); ++i) results[i].push_back(std::move(outputs[i]));
  }
  for (std::size_t i = 0; i < results.size(); ++i) call.set(i, Datum(std::move(results[i])));
  return true;
}

void infer_sequence_map(Inference& in) {
  for (Fact& result : in.results()) result = {.kind = Fact::Kind::kSequence};
  Graph* body = in.params.graph("body");
  if (!body || !in.infer_body) return;
  if (body->inputs().size() != in.operand_count())
    return in.contradict(
        fmt::format("gives {} operands to a body that has {} inputs", in.operand_count(), body->inputs().size()));
  std::vector<Fact> inputs;
  for (std::size_t i = 0; i < in.operand_count(); ++i)
    inputs.push_back(in.operand(i).kind == Fact::Kind::kSequence ? element_of(in, i) : in.operand(i));
  std::vector<Fact> outputs = in.infer_body(*body, inputs);
  for (std::size_t i = 0; i < in.result_count() && i < outputs.size(); ++i)
    in.set(i, sequence_of(std::move(outputs[i])));
}

// --- Optionals

bool evaluate_optional(Call& call) { return call.done(call.has(0) ? call.datum(0) : Datum()); }

// The type of what an empty optional could hold. Nothing contradicts it, because there is nothing in it.
Fact fact_of(const Type* type) {
  if (!type) return Fact::unknown();
  if (type->kind == Type::Kind::kTensor) {
    Fact fact = Fact::tensor(type->element);
    if (!type->has_shape) return fact;
    fact.shape.emplace();
    for (const Dim dim : type->dims) fact.shape->push_back(dim.size().value_or(-1) >= 0 ? dim : Dim());
    return fact;
  }
  if (type->kind == Type::Kind::kSequence) return sequence_of(fact_of(type->inner));
  return Fact::unknown();
}

void infer_optional(Inference& in) {
  if (in.operand_count() == 0 && !in.params.attribute("type"))
    return in.contradict("has neither an operand nor a type");
  Fact element = in.has(0) ? in.operand(0) : fact_of(in.params.type("type"));
  in.set(0, {.kind = Fact::Kind::kOptional, .inner = std::make_shared<const Fact>(std::move(element))});
}

bool evaluate_optional_has_element(Call& call) {
  return call.done(Array::scalar(Bool(call.has(0) && !call.datum(0).empty())));
}

void infer_optional_has_element(Inference& in) {
  if (in.result_count() == 0) return;
  in.set_element(0, ElementType::kBool);
  in.set_shape({});
  in.result().range = {0, 1, true};
  const Fact::Kind kind = in.operand(0).kind;
  if (!in.has(0)) in.set_elements(0, {Dim::size(0)});
  if (kind == Fact::Kind::kTensor || kind == Fact::Kind::kSequence) in.set_elements(0, {Dim::size(1)});
}

bool evaluate_optional_get_element(Call& call) {
  return call.has(0) && !call.datum(0).empty() ? call.done(call.datum(0)) : call.fail("the optional is empty");
}

void infer_optional_get_element(Inference& in) {
  const Fact& operand = in.operand(0);
  if (operand.kind != Fact::Kind::kOptional) {
    in.set(0, operand);
  } else if (operand.inner) {
    in.set(0, *operand.inner);
  }
}

constexpr OpDef kSequenceRows[] = {
    {.name = "Optional", .infer = infer_optional, .evaluate = evaluate_optional, .cost = cost_nothing},
    {.name = "OptionalGetElement",
     .infer = infer_optional_get_element,
     .evaluate = evaluate_optional_get_element,
     .cost = cost_nothing},
    {.name = "OptionalHasElement",
     .infer = infer_optional_has_element,
     .evaluate = evaluate_optional_has_element,
     .cost = cost_nothing},
    {.name = "SequenceAt", .infer = infer_sequence_at, .evaluate = evaluate_sequence_at, .cost = cost_nothing},
    {.name = "SequenceConstruct",
     .infer = infer_sequence_construct,
     .evaluate = evaluate_sequence_construct,
     .cost = cost_nothing},
    {.name = "SequenceEmpty", .infer = infer_sequence_empty, .evaluate = evaluate_sequence_empty, .cost = cost_nothing},
    {.name = "SequenceErase", .infer = infer_sequence_erase, .evaluate = evaluate_sequence_erase, .cost = cost_nothing},
    {.name = "SequenceInsert",
     .infer = infer_sequence_insert,
     .evaluate = evaluate_sequence_insert,
     .cost = cost_nothing},
    {.name = "SequenceLength",
     .infer = infer_sequence_length,
     .evaluate = evaluate_sequence_length,
     .cost = cost_nothing},
    {.name = "SequenceMap", .traits = kHasBodies, .infer = infer_sequence_map, .evaluate = evaluate_sequence_map},
};

}  // namespace

Family sequence() { return kSequenceRows; }

}  // namespace onnxpress::ops
