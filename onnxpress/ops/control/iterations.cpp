// Computes fixed points, and collects results over iterations.
#include "onnxpress/ops/control/iterations.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/ops/kernels/block_copy.h"
#include "onnxpress/ops/kernels/concatenated.h"

namespace onnxpress::ops {

namespace {

constexpr int kMostRounds = 8;

// The facts of carried values inside the body: an unknown dim becomes a symbol, so that the body can compute with it.
// The symbol is the same in every round.
class CarriedSymbols {
 public:
  CarriedSymbols(Inference& in, const Graph& body, std::size_t first) : in_(in), body_(body), first_(first) {}

  Fact as_seen(std::size_t i, Fact fact) {
    if (!fact.shape) return fact;
    for (std::size_t axis = 0; axis < fact.shape->size(); ++axis) {
      if ((*fact.shape)[axis].is_unknown()) (*fact.shape)[axis] = symbol(i, axis);
    }
    return fact;
  }

 private:
  Dim symbol(std::size_t i, std::size_t axis) {
    for (const auto& [key, dim] : made_) {
      if (key == std::pair(i, axis)) return dim;
    }
    const std::size_t input = first_ + i;
    const std::string_view name = input < body_.inputs().size() ? body_.inputs()[input]->value->name() : "carried";
    made_.emplace_back(std::pair(i, axis), in_.dims.fresh(fmt::format("{}.{}", name, axis)));
    return made_.back().second;
  }

  Inference& in_;
  const Graph& body_;
  std::size_t first_;
  std::vector<std::pair<std::pair<std::size_t, std::size_t>, Dim>> made_;
};

// Only the type, which never changes from one iteration to the next.
Fact type_only(const Fact& fact) {
  Fact type{.kind = fact.kind, .element = fact.element};
  if (fact.inner) type.inner = std::make_shared<const Fact>(type_only(*fact.inner));
  return type;
}

std::vector<Fact> infer_once(Inference& in, Graph& body, const BodyFacts& facts, CarriedSymbols& symbols) {
  std::vector<Fact> inputs = facts.before;
  for (std::size_t i = 0; i < facts.carried.size(); ++i) inputs.push_back(symbols.as_seen(i, facts.carried[i]));
  inputs.insert(inputs.end(), facts.after.begin(), facts.after.end());
  return in.infer_body(body, inputs);
}

bool fits(const Type& declared, const Fact& given, DimMath& dims) {
  if (is_known(declared.element) && is_known(given.element) && declared.element != given.element) return false;
  if (!declared.has_shape || !given.shape) return true;
  return std::ranges::equal(declared.dims, *given.shape, [&](Dim wanted, Dim got) {
    const std::int64_t size = wanted.size().value_or(-1);  // exporters write -1 for any
    return size < 0 || dims.resolve(got).size().value_or(size) == size;
  });
}

}  // namespace

std::vector<Fact> infer_iterations(Inference& in, Graph& body, BodyFacts& facts) {
  if (!in.infer_body) return {};
  CarriedSymbols symbols(in, body, facts.before.size());
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<Fact> outputs = infer_once(in, body, facts, symbols);
    if (outputs.size() < facts.carried.size()) return {};
    bool stable = true;
    for (std::size_t i = 0; i < facts.carried.size(); ++i) {
      Fact& carried = facts.carried[i];
      Fact next = join(carried, outputs[i], in.dims);
      // Bounds that change once may change forever.
      if (next.range != carried.range) next.range = Range();
      stable &= same(next, carried);
      carried = std::move(next);
    }
    if (stable) return outputs;
  }
  for (Fact& carried : facts.carried) carried = type_only(carried);
  return infer_once(in, body, facts, symbols);
}

bool require_declared_inputs(Inference& in, const Graph& body, const BodyFacts& facts) {
  std::vector<const Fact*> given;
  for (const std::vector<Fact>* part : {&facts.before, &facts.carried, &facts.after}) {
    for (const Fact& each : *part) given.push_back(&each);
  }
  for (std::size_t i = 0; i < given.size() && i < body.inputs().size(); ++i) {
    const Type* declared = body.inputs()[i]->type;
    if (!declared || !declared->is_tensor() || !given[i]->is_tensor() || fits(*declared, *given[i], in.dims)) continue;
    const std::vector<Dim> dims = given[i]->shape ? resolved(in.dims, *given[i]->shape) : std::vector<Dim>();
    const Type got{.kind = Type::Kind::kTensor,
                   .has_shape = given[i]->shape.has_value(),
                   .element = given[i]->element,
                   .dims = dims};
    in.contradict(
        fmt::format("its body declares input {} as {}, but gets {}", i, to_string(declared), to_string(&got)));
    return false;
  }
  return true;
}

void set_carried(Inference& in, std::size_t result, Fact fact) {
  if (result >= in.result_count()) return;
  for (std::size_t axis = 0; fact.shape && axis < fact.shape->size(); ++axis) {
    if ((*fact.shape)[axis].is_unknown()) (*fact.shape)[axis] = in.fresh(result, axis);
  }
  in.set(result, std::move(fact));
}

void set_collected(Inference& in, std::size_t result, const Fact& each, std::int64_t axis, Dim count) {
  if (result >= in.result_count() || !each.is_tensor()) return;
  Fact fact = Fact::tensor(each.element);
  fact.range = each.range;
  const auto at = each.shape ? normal_axis(axis, each.rank() + 1) : std::nullopt;
  if (at) {
    fact.shape = *each.shape;
    fact.shape->insert(fact.shape->begin() + static_cast<std::ptrdiff_t>(*at), count);
  }
  in.set(result, std::move(fact));
}

bool Collector::add(std::span<const Datum> outputs, std::size_t first) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Array* part = outputs[first + i].array();
    if (!part) return false;
    parts_[i].push_back(*part);
  }
  return true;
}

void Collector::look(std::span<const Datum> outputs, std::size_t first) {
  for (std::size_t i = first; i < outputs.size(); ++i)
    looked_.push_back(outputs[i].array() ? *outputs[i].array() : Array());
}

std::optional<Array> Collector::collected(std::size_t i, std::int64_t axis, bool backwards,
                                          const Type* declared) const {
  if (!parts_[i].empty()) {
    const auto at = normal_axis(axis, parts_[i][0].rank() + 1);
    std::vector<Array> parts = parts_[i];
    if (backwards) std::reverse(parts.begin(), parts.end());
    return at ? stacked(parts, *at) : std::nullopt;
  }
  Sizes sizes;
  ElementType type = declared && declared->is_tensor() ? declared->element : ElementType::kUndefined;
  if (i < looked_.size() && is_known(looked_[i].type())) {
    sizes = looked_[i].sizes();
    type = looked_[i].type();
  } else if (declared && declared->has_shape) {
    for (const Dim dim : declared->dims) sizes.push_back(std::max<std::int64_t>(dim.size().value_or(0), 0));
  }
  const auto at = normal_axis(axis, sizes.size() + 1);
  if (!at || !is_known(type)) return std::nullopt;
  sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(*at), 0);
  return count_of(sizes) ? std::optional(Array::make(type, std::move(sizes))) : std::nullopt;
}

std::optional<bool> truth_of(const Array& condition) {
  const auto list = condition.integers();
  return list && list->size() == 1 ? std::optional(list->front() != 0) : std::nullopt;
}

bool run_iteration(Call& call, Graph& body, std::span<const Datum> inputs, std::size_t expected,
                   std::vector<Datum>& outputs) {
  std::string why;
  if (!call.run_body(body, inputs, outputs, why)) return call.fail(std::move(why));
  if (outputs.size() != expected)
    return call.fail(fmt::format("the body has {} outputs, not {}", outputs.size(), expected));
  return true;
}

}  // namespace onnxpress::ops
