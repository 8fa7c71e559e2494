// Types as text.
#include "onnxpress/text/printer.h"

namespace onnxpress::text {

void Printer::print_element_type(ElementType type) {
  if (!is_known(type) && type != ElementType::kUndefined) {
    lose(fmt::format("element type {}, which has no name", static_cast<std::int32_t>(type)));
    type = ElementType::kUndefined;
  }
  out_ += name_of(type);
}

void Printer::print_type(const Type* type) {
  append_type(out_, type, ", ", [this](ElementType element) { print_element_type(element); });
}

// Denotations of the outermost type are annotations of its value; those of inner types cannot be shown.
void Printer::lose_denotations(const Type& type, bool top) {
  if (!lost_) return;
  bool any = !type.denotation.empty();
  for (const std::string_view denotation : type.dim_denotations) any |= !denotation.empty();
  if (any && !top) lose("the denotation of a type inside another, or in an attribute");
  if (type.inner) lose_denotations(*type.inner, false);
}

}  // namespace onnxpress::text
