// Types as text.
#include "onnxpress/text/cursor.h"
#include "onnxpress/text/printer.h"
#include "onnxpress/text/words.h"

namespace onnxpress::text {

void Printer::print_element_type(ElementType type) {
  if (!is_known(type) && type != ElementType::kUndefined) {
    lose(fmt::format("element type {}, which has no name", static_cast<std::int32_t>(type)));
    type = ElementType::kUndefined;
  }
  out_ += name_of(type);
}

void Printer::print_dims(std::span<const Dim> dims) {
  out_ += '[';
  print_list(dims, [this](Dim dim) {
    if (const Symbol* symbol = dim.symbol()) {
      append_word(out_, symbol->name);
    } else {
      out_ += to_string(dim);
    }
  });
  out_ += ']';
}

void Printer::print_type(const Type* type) {
  if (!type) return;
  const auto tensor = [&] {
    print_element_type(type->element);
    if (!type->has_shape) out_ += "[]";
    if (!type->dims.empty()) print_dims(type->dims);
  };
  const auto qualified = [this](std::string_view name) {
    is_qualified(name) ? static_cast<void>(out_ += name) : append_quoted(out_, name);
  };
  switch (type->kind) {
    case Type::Kind::kNone:
      return;
    case Type::Kind::kTensor:
      tensor();
      return;
    case Type::Kind::kSparseTensor:
      out_ += "sparse_tensor(";
      tensor();
      break;
    case Type::Kind::kSequence:
    case Type::Kind::kOptional:
      out_ += type->kind == Type::Kind::kSequence ? "seq(" : "optional(";
      print_type(type->inner);
      break;
    case Type::Kind::kMap:
      out_ += "map(";
      print_element_type(type->element);
      out_ += ", ";
      print_type(type->inner);
      break;
    case Type::Kind::kOpaque:
      out_ += "opaque(";
      if (!type->opaque_domain.empty()) {
        qualified(type->opaque_domain);
        out_ += ", ";
      }
      if (!type->opaque_name.empty() || !type->opaque_domain.empty()) qualified(type->opaque_name);
      break;
  }
  out_ += ')';
}

// Those of the outermost type are annotations of its value; further in there is no place for them.
void Printer::lose_denotations(const Type& type, bool top) {
  if (!lost_) return;
  bool any = !type.denotation.empty();
  for (const std::string_view denotation : type.dim_denotations) any |= !denotation.empty();
  if (any && !top) lose("the denotation of a type inside another, or in an attribute");
  if (type.inner) lose_denotations(*type.inner, false);
}

}  // namespace onnxpress::text
