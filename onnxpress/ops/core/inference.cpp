// What shape inference functions can ask and set, and rules that many ops share.
#include "onnxpress/ops/core/inference.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/ops/schema/schema_defaults.h"

namespace onnxpress::ops {

namespace {

const Fact kUnknown;

// Null if `formal` is a concrete type such as "int64".
const TypeVariable* type_variable(const Schema& schema, std::string_view formal) {
  for (const TypeVariable& variable : schema.type_variables) {
    if (variable.name == formal) return &variable;
  }
  return nullptr;
}

// Binds the type variables in formal types such as "seq(T)" to the types of the operands.
class Binding {
 public:
  explicit Binding(const Schema& schema) : schema_(schema) {}

  // False when the schema does not allow that type there.
  bool bind(std::string_view formal, const Fact& fact) {
    if (fact.kind == Fact::Kind::kUnknown) return true;
    if (inside(formal, "seq") || inside(formal, "optional")) return !fact.inner || bind(content(formal), *fact.inner);
    for (const auto& [name, bound] : bound_) {
      if (name == formal) return agree(*bound, fact);
    }
    if (!is_allowed(formal, fact)) return false;
    bound_.emplace_back(formal, &fact);
    return true;
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
  static bool agree(const Fact& a, const Fact& b) {
    return !a.is_tensor() || !b.is_tensor() || a.element == b.element || !is_known(a.element) || !is_known(b.element);
  }
  bool is_allowed(std::string_view formal, const Fact& fact) const {
    if (!fact.is_tensor() || !is_known(fact.element)) return true;
    if (const TypeVariable* variable = type_variable(schema_, formal)) {
      const std::vector<std::string_view>& types = variable->types;
      return std::find(types.begin(), types.end(), name_of(fact.element)) != types.end();
    }
    const auto element = element_type_named(formal);
    return !element || *element == fact.element;
  }
  static std::string_view content(std::string_view formal) {
    const std::size_t open = formal.find('(');
    return formal.substr(open + 1, formal.size() - open - 2);
  }
  Fact nested(Fact::Kind kind, std::string_view formal) const {
    return {.kind = kind, .inner = std::make_shared<const Fact>(type_of(content(formal)))};
  }

  const Schema& schema_;
  std::vector<std::pair<std::string_view, const Fact*>> bound_;
};

// A type variable that allows only one type stands for that type.
std::string_view only_type(const Schema& schema, std::string_view formal) {
  const TypeVariable* variable = type_variable(schema, formal);
  return variable && variable->types.size() == 1 ? variable->types[0] : formal;
}

}  // namespace

Inference::Inference(const Node& node, const Op& op, std::span<const Fact* const> operands, DimMath& math,
                     const AttributeScope* scope)
    : params(node, op, *this, scope),
      dims(math),
      operands_(operands),
      results_(node.output_count()),
      from_elements_(operands.size()) {
  const Schema& schema = *op.schema;
  Binding binding(schema);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Formal* formal = formal_at(schema.operands, i);
    if (!formal || formal->mixed || !operands[i]) continue;
    if (binding.bind(formal->type, *operands[i])) continue;
    contradict(fmt::format("operand {} cannot have elements of type {}", i, to_string(operands[i]->element)));
    types_contradict_ = true;
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
  const auto make = [&] {
    const std::string_view name = value && !value->name().empty() ? value->name() : params.node().op_type();
    return dims.fresh(fmt::format("{}.{}", name, axis));
  };
  if (!value || !remembered_) return make();
  const auto [at, is_new] = remembered_->try_emplace({value->id(), axis});
  if (is_new) at->second = make();
  return at->second;
}

void Inference::contradict(std::string why) {
  if (!contradiction_.empty() && !only_warns_) return;
  contradiction_ = std::move(why);
  only_warns_ = false;
}

void Inference::warn(std::string why) {
  if (!contradiction_.empty()) return;
  contradiction_ = std::move(why);
  only_warns_ = true;
}

void Inference::unify(Dim a, Dim b) {
  if (dims.unify(a, b)) return;
  contradict(fmt::format("dims {} and {} must be equal", to_string(dims.resolve(a)), to_string(dims.resolve(b))));
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
      const auto one = in.dims.resolve(into).size(), other = in.dims.resolve((*shape)[i]).size();
      if (one && other && *one != *other && *one != 1 && *other != 1)
        in.contradict(fmt::format("dims {} and {} cannot be broadcast together", *one, *other));
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
