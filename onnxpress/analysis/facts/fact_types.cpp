// Declared types as facts, and facts as text.
#include <fmt/format.h>

#include "onnxpress/analysis/facts/facts.h"

namespace onnxpress::analysis {

using ops::Fact;

bool is_placeholder(std::string_view dim_name) { return dim_name.empty() || dim_name == "?"; }

namespace {

bool says_nothing(Dim dim) {
  return (dim.is_size() && *dim.size() < 0) || (dim.is_symbol() && is_placeholder(dim.symbol()->name));
}

}  // namespace

Fact fact_of(const Type* type) {
  if (!type) return Fact::unknown();
  switch (type->kind) {
    case Type::Kind::kTensor: {
      Fact fact = Fact::tensor(type->element);
      if (!type->has_shape) return fact;
      ops::Shape shape;
      for (const Dim dim : type->dims) shape.push_back(says_nothing(dim) ? Dim() : dim);
      fact.shape = std::move(shape);
      return fact;
    }
    case Type::Kind::kSequence:
    case Type::Kind::kOptional: {
      Fact fact;
      fact.kind = type->kind == Type::Kind::kSequence ? Fact::Kind::kSequence : Fact::Kind::kOptional;
      fact.inner = std::make_shared<const Fact>(fact_of(type->inner));
      return fact;
    }
    case Type::Kind::kMap: {
      Fact fact;
      fact.kind = Fact::Kind::kMap;
      fact.element = type->element;
      return fact;
    }
    case Type::Kind::kNone:
      return Fact::unknown();
    case Type::Kind::kSparseTensor:
    case Type::Kind::kOpaque:
      break;
  }
  Fact fact;
  fact.kind = Fact::Kind::kOther;
  return fact;
}

std::string to_string(const Fact& fact) {
  switch (fact.kind) {
    case Fact::Kind::kUnknown:
      return "?";
    case Fact::Kind::kTensor: {
      std::string text(fact.element == ElementType::kUndefined ? "?" : name_of(fact.element));
      if (!fact.shape) return text + "[]";
      for (std::size_t i = 0; i < fact.shape->size(); ++i) {
        text += i == 0 ? '[' : ',';
        text += onnxpress::to_string((*fact.shape)[i]);
      }
      return fact.shape->empty() ? text : text + "]";
    }
    case Fact::Kind::kSequence:
      return fmt::format("seq({})", fact.inner ? to_string(*fact.inner) : "?");
    case Fact::Kind::kOptional:
      return fmt::format("optional({})", fact.inner ? to_string(*fact.inner) : "?");
    case Fact::Kind::kMap:
      return fact.inner ? fmt::format("map({}, {})", name_of(fact.element), to_string(*fact.inner))
                        : fmt::format("map({})", name_of(fact.element));
    case Fact::Kind::kOther:
      break;
  }
  return "other";
}

}  // namespace onnxpress::analysis
