// One loop per element type.
#include "onnxpress/text/number_list.h"

#include <fmt/format.h>

#include <cstring>

#include "onnxpress/base/small_float.h"
#include "onnxpress/text/element_form.h"
#include "onnxpress/text/numbers.h"
#include "onnxpress/text/small_float.h"

namespace onnxpress::text {

namespace {

// Calls `append(number)` for numbers [begin, end) of type T, and writes the commas between them.
template <typename T, typename Append>
void append_each(std::string& out, std::string_view raw, std::uint64_t begin, std::uint64_t end, Append&& append) {
  for (std::uint64_t i = begin; i < end; ++i) {
    if (i > 0) out += ", ";
    T number;
    std::memcpy(&number, raw.data() + i * sizeof(T), sizeof(T));
    append(number);
  }
}

template <typename T>
void append_as_integers(std::string& out, std::string_view raw, std::uint64_t begin, std::uint64_t end) {
  append_each<T>(out, raw, begin, end, [&out](T number) {
    const fmt::format_int text(number);
    out.append(text.data(), text.size());
  });
}

// How many bits one number in the text represents.
int bits_of_number(ElementType type, bool small_as_values) {
  const int bits = bits_of(type);
  if (type == ElementType::kComplex64 || type == ElementType::kComplex128) return bits / 2;
  // The official syntax writes 4- and 2-bit types as whole bytes, but float6 element by element.
  return bits < 8 && bits != 6 && !small_as_values ? 8 : bits;
}

}  // namespace

NumberList::NumberList(ElementType type, std::string_view raw, std::uint64_t elements, bool small_as_values)
    : type_(type), raw_(raw), small_as_values_(small_as_values), bits_(bits_of_number(type, small_as_values)) {
  const int bits = bits_of(type);
  if (bits_ < bits) {
    size_ = elements * 2;
  } else {
    size_ = bits_ == bits ? elements : raw.size();
  }
}

std::string_view NumberList::bytes_of(std::uint64_t begin, std::uint64_t end) const {
  const auto width = static_cast<std::uint64_t>(bits_);
  const std::uint64_t first = begin * width / 8;
  return raw_.substr(first, end * width / 8 - first);
}

void NumberList::append(std::string& out, std::uint64_t begin, std::uint64_t end) const {
  switch (type_) {
    case ElementType::kFloat:
    case ElementType::kComplex64:
      return append_each<std::uint32_t>(out, raw_, begin, end, [&out](std::uint32_t bits) { append_float(out, bits); });
    case ElementType::kDouble:
    case ElementType::kComplex128:
      return append_each<std::uint64_t>(out, raw_, begin, end,
                                        [&out](std::uint64_t bits) { append_double(out, bits); });
    default:
      break;
  }
  const auto small = small_float_of(type_);
  if (bits_ < 8) return append_small(out, begin, end);
  if (!small || !small_as_values_) return append_integers(out, begin, end);
  const auto append_value = [&](std::uint32_t bits) { append_small_float(out, *small, bits); };
  if (bits_ == 16) return append_each<std::uint16_t>(out, raw_, begin, end, append_value);
  append_each<std::uint8_t>(out, raw_, begin, end, append_value);
}

void NumberList::append_integers(std::string& out, std::uint64_t begin, std::uint64_t end) const {
  switch (type_) {
    case ElementType::kInt8:
      return append_as_integers<std::int8_t>(out, raw_, begin, end);
    case ElementType::kInt16:
      return append_as_integers<std::int16_t>(out, raw_, begin, end);
    case ElementType::kInt32:
      return append_as_integers<std::int32_t>(out, raw_, begin, end);
    case ElementType::kInt64:
      return append_as_integers<std::int64_t>(out, raw_, begin, end);
    case ElementType::kUint32:
      return append_as_integers<std::uint32_t>(out, raw_, begin, end);
    case ElementType::kUint64:
      return append_as_integers<std::uint64_t>(out, raw_, begin, end);
    default:  // bit patterns, packed bytes and bool are written as unsigned numbers
      if (bits_ == 16) return append_as_integers<std::uint16_t>(out, raw_, begin, end);
      append_as_integers<std::uint8_t>(out, raw_, begin, end);
  }
}

void NumberList::append_small(std::string& out, std::uint64_t begin, std::uint64_t end) const {
  const auto small = small_float_of(type_);
  for (std::uint64_t i = begin; i < end; ++i) {
    if (i > 0) out += ", ";
    std::uint8_t pattern = 0;
    unpack(raw_.data(), bits_, i, 1, &pattern);
    if (small_as_values_ && small) {
      append_small_float(out, *small, pattern);
    } else {
      fmt::format_to(std::back_inserter(out), "{}",
                     is_signed_integer(type_) ? sign_extended(pattern, bits_) : static_cast<int>(pattern));
    }
  }
}

}  // namespace onnxpress::text
