// What shape inference functions can ask and say, and the rules that many ops share.
#include "onnxpress/ops/core/inference.h"

#include <fmt/format.h>

namespace onnxpress::ops {

namespace {

const Fact kUnknown;

// A formal type such as "seq(T)" or "int64", with the type variables bound by the operands.
class Binding {
 public:
  void bind(std::string_view formal, const Fact& fact) {
    if (fact.kind == Fact::Kind::kUnknown) return;
    if (inside(formal, "seq") || inside(formal, "optional")) {
      if (fact.inner) bind(content(formal), *fact.inner);
      return;
    }
    for (const auto& [name, bound] : bound_) {
      if (name == formal) return;
    }
    bound_.emplace_back(formal, &fact);
  }

  Fact type_of(std::string_view formal) const {
    if (inside(formal, "seq")) return nested(Fact::Kind::kSequence, formal);
    if (inside(formal, "optional")) return nested(Fact::Kind::kOptional, formal);
    if (inside(formal, "map")) return {.kind = Fact::Kind::kMap};
    if (const auto element = element_type_named(formal)) return Fact::tensor(*element);
    for (const auto& [name, bound] : bound_) {
      if (name != formal) continue;
      Fact fact{.kind = bound->kind, .element = bound->element};
      fact.inner = bound->inner;
      return fact;
    }
    return Fact::unknown();
  }

 private:
  static bool inside(std::string_view formal, std::string_view kind) {
    return formal.size() > kind.size() + 1 && formal.starts_with(kind) && formal[kind.size()] == '(';
  }
  static std::string_view content(std::string_view formal) {
    const std::size_t open = formal.find('(');
    return formal.substr(open + 1, formal.size() - open - 2);
  }
  Fact nested(Fact::Kind kind, std::string_view formal) const {
    return {.kind = kind, .inner = std::make_shared<const Fact>(type_of(content(formal)))};
  }

  std::vector<std::pair<std::string_view, const Fact*>> bound_;
};

const Formal* formal_at(std::span<const Formal> formals, std::size_t i) {
  if (i < formals.size()) return &formals[i];
  return !formals.empty() && formals.back().variadic ? &formals.back() : nullptr;
}

// A type variable that allows a single type is as good as that type.
std::string_view only_type(const Schema& schema, std::string_view formal) {
  for (const TypeVariable& variable : schema.type_variables) {
    if (variable.name == formal && variable.types.size() == 1) return variable.types[0];
  }
  return formal;
}

}  // namespace

Inference::Inference(const Node& node, const Op& op, std::span<const Fact* const> operands, DimMath& math,
                     const AttributeScope* scope)
    : params(node, op, *this, scope),
      dims(math),
      operands_(operands),
      results_(node.output_count()),
      from_elements_(operands.size()) {
  Binding binding;
  const Schema& schema = *op.schema;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Formal* formal = formal_at(schema.operands, i);
    if (formal && !formal->mixed && operands[i]) binding.bind(formal->type, *operands[i]);
  }
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const Formal* formal = formal_at(schema.results, i);
    if (formal && !formal->mixed) results_[i] = binding.type_of(only_type(schema, formal->type));
  }
}

const Fact& Inference::operand(std::size_t i) const { return has(i) ? *operands_[i] : kUnknown; }

const Fact& Inference::operand(std::string_view name) const {
  const int position = params.schema().operand(name);
  return position < 0 ? kUnknown : operand(static_cast<std::size_t>(position));
}

const Array* Inference::constant(std::size_t i) const {
  if (!has(i)) return nullptr;
  const Fact& fact = *operands_[i];
  if (fact.constant) return fact.constant.get();
  if (!fact.elements || !fact.sizes()) return nullptr;
  if (!from_elements_[i]) {
    std::vector<std::int64_t> list;
    for (const Dim element : *fact.elements) {
      const auto size = dims.resolve(element).size();
      if (!size) return nullptr;
      list.push_back(*size);
    }
    from_elements_[i] = std::make_shared<const Array>(Array::of<std::int64_t>(list).reshaped(*fact.sizes()));
  }
  return from_elements_[i].get();
}

std::optional<std::vector<Dim>> Inference::symbolic(std::string_view name) const {
  if (params.attribute(name)) {
    const auto list = params.integers(name);
    if (!list) return std::nullopt;
    std::vector<Dim> dims_of_list;
    for (const std::int64_t each : *list) dims_of_list.push_back(Dim::fits(each) ? Dim::size(each) : Dim());
    return dims_of_list;
  }
  const int position = params.schema().operand(name);
  if (position < 0 || !has(static_cast<std::size_t>(position))) return std::nullopt;
  const Fact& fact = operand(static_cast<std::size_t>(position));
  if (fact.elements) return fact.elements;
  if (const auto sizes = fact.sizes(); sizes && sizes->size() <= 1) {
    const auto count = count_of(*sizes);
    if (count && *count <= kMostElementsKnown) return std::vector<Dim>(*count);
  }
  return std::nullopt;
}

void Inference::set_shape(std::size_t i, Shape shape) {
  if (i >= results_.size()) return;
  results_[i].kind = Fact::Kind::kTensor;
  results_[i].shape = std::move(shape);
}

void Inference::set_element(std::size_t i, ElementType type) {
  if (i >= results_.size()) return;
  results_[i].kind = Fact::Kind::kTensor;
  results_[i].element = type;
}

void Inference::set_elements(std::size_t i, std::vector<Dim> elements) {
  if (i < results_.size() && elements.size() <= kMostElementsKnown) results_[i].elements = std::move(elements);
}

void Inference::same_as(std::size_t result, std::size_t operand) {
  if (const Shape* known = shape(operand)) set_shape(result, *known);
}

Dim Inference::fresh(std::size_t result, std::size_t axis) {
  const Value* value = params.node().output(result);
  const std::string_view name = value && !value->name().empty() ? value->name() : params.node().op_type();
  return dims.fresh(fmt::format("{}.{}", name, axis));
}

// --- Shared rules

std::optional<Shape> broadcast(Inference& in, std::span<const Shape* const> shapes) {
  std::size_t rank = 0;
  for (const Shape* shape : shapes) {
    if (!shape) return std::nullopt;
    rank = std::max(rank, shape->size());
  }
  Shape result(rank, Dim::size(1));
  for (const Shape* shape : shapes) {
    for (std::size_t i = 0; i < shape->size(); ++i) {
      Dim& into = result[rank - shape->size() + i];
      into = in.dims.broadcast(into, (*shape)[i]);
    }
  }
  return result;
}

void infer_same_shape(Inference& in) { in.same_as(0, 0); }

void infer_broadcast(Inference& in) {
  std::vector<const Shape*> shapes;
  for (std::size_t i = 0; i < in.operand_count(); ++i) shapes.push_back(in.shape(i));
  if (auto shape = broadcast(in, shapes)) in.set_shape(*shape);
}

}  // namespace onnxpress::ops
