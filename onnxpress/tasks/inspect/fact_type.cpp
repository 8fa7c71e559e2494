// Converts facts to types.
#include "onnxpress/tasks/inspect/fact_type.h"

namespace onnxpress {

using ops::Fact;

const Type* declared_type(const Fact& fact, Arena& arena) {
  if (fact.kind == Fact::Kind::kUnknown || fact.kind == Fact::Kind::kOther) return nullptr;
  if (fact.kind == Fact::Kind::kMap && !is_known(fact.element)) return nullptr;
  auto* type = arena.make<Type>();
  if (fact.is_tensor()) {
    if (fact.element == ElementType::kUndefined) return nullptr;
    type->kind = Type::Kind::kTensor;
    type->element = fact.element;
    type->has_shape = fact.shape.has_value();
    if (fact.shape) {
      ops::Shape dims = *fact.shape;
      // A kernel larger than its input gives a size below 0, which no file may declare.
      for (Dim& dim : dims) {
        if (dim.is_size() && *dim.size() < 0) dim = Dim();
      }
      type->dims = arena.copy(std::span<const Dim>(dims));
    }
    return type;
  }
  type->kind = fact.kind == Fact::Kind::kSequence ? Type::Kind::kSequence
               : fact.kind == Fact::Kind::kMap    ? Type::Kind::kMap
                                                  : Type::Kind::kOptional;
  type->element = fact.kind == Fact::Kind::kMap ? fact.element : ElementType::kUndefined;
  type->inner = fact.inner ? declared_type(*fact.inner, arena) : nullptr;
  return type->inner ? type : nullptr;
}

const Type* declared_type(const analysis::Facts& facts, const Value& value) {
  Fact fact = facts.of(value);
  fact.shape = facts.shape_of(value);
  const Type* inferred = declared_type(fact, value.graph()->context().arena);
  return inferred ? inferred : value.type();
}

}  // namespace onnxpress
