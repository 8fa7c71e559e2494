// The range of numbers that the text may use for each type.
#include "onnxpress/text/element_form.h"

#include <limits>

namespace onnxpress::text {

bool is_signed_integer(ElementType type) {
  switch (type) {
    case ElementType::kInt2:
    case ElementType::kInt4:
    case ElementType::kInt8:
    case ElementType::kInt16:
    case ElementType::kInt32:
    case ElementType::kInt64:
      return true;
    default:
      return false;
  }
}

ElementForm element_form_of(ElementType type) {
  using Kind = ElementForm::Kind;
  switch (type) {
    case ElementType::kFloat:
      return {Kind::kFloat, 1, 4};
    case ElementType::kDouble:
      return {Kind::kDouble, 1, 8};
    case ElementType::kComplex64:
      return {Kind::kFloat, 2, 4};
    case ElementType::kComplex128:
      return {Kind::kDouble, 2, 8};
    default:
      break;
  }
  ElementForm form;
  const int bits = bits_of(type);
  form.bytes = bits / 8;
  if (bits >= 64) {
    form.least = std::numeric_limits<std::int64_t>::min();
    form.most = std::numeric_limits<std::int64_t>::max();
    return form;
  }
  // For types under 8 bits, a number may be a whole packed byte. Bit patterns may be negative, because official files
  // have them sign-extended.
  const int width = bits < 8 ? 8 : bits;
  const bool pattern = bits < 8 || is_float(type);
  const std::int64_t half = std::int64_t{1} << (width - 1);
  form.least = pattern || is_signed_integer(type) ? -half : 0;
  form.most = pattern || !is_signed_integer(type) ? 2 * half - 1 : half - 1;
  return form;
}

}  // namespace onnxpress::text
