// The elements of tensors: reads numbers and makes raw little-endian bytes.
#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/base/from_chars.h"
#include "onnxpress/text/element_form.h"
#include "onnxpress/text/elided_stream.h"
#include "onnxpress/text/limits.h"
#include "onnxpress/text/numbers.h"
#include "onnxpress/text/parser.h"
#include "onnxpress/text/small_float.h"

namespace onnxpress::text {

namespace {

// Reads numbers of one element type.
class ElementReader {
 public:
  ElementReader(Cursor& in, ElementType type)
      : in_(in), type_(type), form_(element_form_of(type)), small_(small_float_of(type)) {}

  // Reserves memory for this many numbers, but not for more than the text can contain.
  void expect(std::uint64_t numbers);
  void add();
  std::uint64_t count() const { return count_; }  // numbers read so far
  bool has_real_numbers() const { return has_real_numbers_; }
  bool is_negative() const { return packed_.back() < 0; }  // the last number, of a type under 8 bits
  // The raw form. For types under 8 bits, `per_element` tells whether a number is an element or a whole packed byte.
  std::string raw(bool per_element, const char* place);

 private:
  template <typename T>
  void append(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  std::int64_t integer(const Number& number, const char* place, std::int64_t least, std::int64_t most);
  void add_integer(const Number& number, const char* place);
  void add_small_float(const Number& number, const char* place);

  Cursor& in_;
  ElementType type_;
  ElementForm form_;
  std::optional<SmallFloat> small_;
  std::uint64_t count_ = 0;
  bool has_real_numbers_ = false;
  std::string bytes_;
  std::vector<std::int16_t> packed_;  // numbers of types under 8 bits
};

// A number takes at least two characters, including the one that separates it from the next.
void ElementReader::expect(std::uint64_t numbers) {
  numbers = std::min<std::uint64_t>(numbers, in_.remaining() / 2 + 1);
  if (form_.bytes != 0) bytes_.reserve(numbers * static_cast<std::uint64_t>(form_.bytes));
}

void ElementReader::add() {
  const char* place = in_.place();
  const Number number = in_.number("a number");
  ++count_;
  if (form_.kind == ElementForm::Kind::kFloat) {
    const auto bits = to_float_bits(number);
    if (!bits) in_.fail_at(place, "this number is too large for a float");
    append(*bits);
  } else if (form_.kind == ElementForm::Kind::kDouble) {
    const auto bits = to_double_bits(number);
    if (!bits) in_.fail_at(place, "this number is too large for a double");
    append(*bits);
  } else if (number.kind != Number::Kind::kInteger && small_) {
    add_small_float(number, place);
  } else if (number.kind != Number::Kind::kInteger) {
    in_.fail_at(place, fmt::format("an element of type {} must be an integer", name_of(type_)));
  } else {
    add_integer(number, place);
  }
}

std::int64_t ElementReader::integer(const Number& number, const char* place, std::int64_t least, std::int64_t most) {
  const auto value = to_int64(number);
  if (!value || *value < least || *value > most) {
    in_.fail_at(place,
                fmt::format("this number does not fit in {}, which goes from {} to {}", name_of(type_), least, most));
  }
  return *value;
}

void ElementReader::add_integer(const Number& number, const char* place) {
  if (type_ == ElementType::kUint64) {
    const auto value = to_uint64(number);
    if (!value) in_.fail_at(place, "this number does not fit in uint64");
    append(*value);
    return;
  }
  const std::int64_t value = integer(number, place, form_.least, form_.most);
  switch (form_.bytes) {
    case 8:
      append(value);
      break;
    case 4:
      append(static_cast<std::uint32_t>(value));
      break;
    case 2:
      append(static_cast<std::uint16_t>(value));
      break;
    case 1:
      append(static_cast<std::uint8_t>(value));
      break;
    default:
      packed_.push_back(static_cast<std::int16_t>(value));
  }
}

// An extension: in the official syntax, elements of these types are integers that give the bits.
void ElementReader::add_small_float(const Number& number, const char* place) {
  has_real_numbers_ = true;
  const auto value = to_double(number);
  const auto bits = value ? small_float_bits(*small_, *value) : std::nullopt;
  if (!bits) in_.fail_at(place, fmt::format("{} cannot represent this number", name_of(type_)));
  if (form_.bytes == 2) {
    append(static_cast<std::uint16_t>(*bits));
  } else if (form_.bytes == 1) {
    append(static_cast<std::uint8_t>(*bits));
  } else {
    packed_.push_back(static_cast<std::int16_t>(*bits));
  }
}

std::string ElementReader::raw(bool per_element, const char* place) {
  if (form_.bytes != 0) return std::move(bytes_);
  if (!per_element) return std::string(packed_.begin(), packed_.end());
  const int bits = bits_of(type_);
  const int mask = (1 << bits) - 1;
  std::string raw;
  int pending = 0, pending_bits = 0;
  for (const std::int16_t value : packed_) {
    const bool fits =
        is_signed_integer(type_) ? value >= -(mask + 1) / 2 && value <= mask / 2 : value >= 0 && value <= mask;
    if (!fits) in_.fail_at(place, fmt::format("{} does not fit in {}", value, name_of(type_)));
    pending |= (value & mask) << pending_bits;
    pending_bits += bits;
    if (pending_bits < 8) continue;
    raw += static_cast<char>(pending & 0xff);
    pending >>= 8;
    pending_bits -= 8;
  }
  if (pending_bits > 0) raw += static_cast<char>(pending);
  return raw;
}

}  // namespace

void Parser::parse_numbers(Tensor& tensor) {
  const char* place = in_.place();
  if (in_.take("...")) return parse_elided_rest(tensor, {}, 0);
  ElementReader elements(in_, tensor.type);
  in_.expect('{', "to begin the tensor's elements");
  if (in_.take('}')) return;  // no data at all, regardless of the shape
  if (!is_known(tensor.type)) in_.fail_at(place, "a tensor without an element type can have no elements");
  const auto numbers_per_element = static_cast<std::uint64_t>(element_form_of(tensor.type).numbers);
  if (const auto count_said = tensor.element_count(); count_said && *count_said < kMaxElidedBytes)
    elements.expect(*count_said * numbers_per_element);
  do {
    if (!in_.take("...")) {
      elements.add();
      continue;
    }
    const std::uint64_t shown = elements.count() / numbers_per_element;
    if (elements.count() > 0 && (bits_of(tensor.type) < 8 || elements.count() % numbers_per_element != 0)) {
      in_.fail_at(place,
                  fmt::format("an elided tensor of type {} cannot show any of its elements", name_of(tensor.type)),
                  "write {...}");
    }
    parse_elided_rest(tensor, elements.raw(false, place), shown);
    in_.expect('}', "after an elided tensor");
    return;
  } while (in_.take(','));
  in_.expect('}', "after the tensor's elements");

  if (elements.count() % numbers_per_element != 0)
    in_.fail_at(place, "a complex element takes two numbers, real and imaginary");
  const auto count = tensor.element_count();
  const auto bytes = tensor.expected_bytes();
  if (!count || !bytes)
    in_.fail_at(place, fmt::format("a tensor of shape {} cannot have elements", to_string(tensor.dims)));
  // The official syntax writes types of 4 and 2 bits as whole bytes, as in int32_data; one number per element is our
  // extension. The two differ in how many numbers there are, except for a tensor of a single element.
  const bool packable = bits_of(tensor.type) == 4 || bits_of(tensor.type) == 2;
  const bool packed = packable && elements.count() == *bytes && !elements.has_real_numbers() &&
                      !(*count == 1 && elements.is_negative());
  if (!packed && elements.count() / numbers_per_element != *count) {
    in_.fail_at(place, fmt::format("{} has {} elements, but {} {} given", to_string(tensor.type, tensor.dims), *count,
                                   elements.count() / numbers_per_element, elements.count() == 1 ? "is" : "are"));
  }
  tensor.storage = Storage::kMade;
  tensor.content = Bytes::owned(elements.raw(!packed, place));
}

// After "...": how many elements are left out, and the hash of the whole tensor, both optional: "1048572 more, xxh3
// 0123456789abcdef".
void Parser::parse_elided_rest(Tensor& tensor, std::string shown, std::uint64_t shown_elements) {
  const char* place = in_.place();
  const auto count = tensor.element_count();
  const auto bytes = tensor.expected_bytes();
  if (!count || !bytes || *bytes > kMaxElidedBytes) {
    in_.fail_at(place, fmt::format("a tensor of type {} cannot be elided", to_string(tensor.type, tensor.dims)));
  }
  if (shown_elements > *count) in_.fail_at(place, fmt::format("{} elements are shown of {}", shown_elements, *count));
  if (in_.at_number()) {
    if (to_uint64(in_.number("a number")) != *count - shown_elements) {
      in_.fail_at(place,
                  fmt::format("{} elements are left out, which is not the number given here", *count - shown_elements));
    }
    in_.expect("more", "after the number of elements that are left out");
  }
  std::optional<std::uint64_t> hash;
  if (in_.starts(",") && in_.take(',')) {
    in_.expect("xxh3", "and the hash of an elided tensor");
    const std::string_view digits = in_.take_word();
    std::uint64_t value = 0;
    const auto [end, error] = onnxpress::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc() || digits.size() != 16 || end != digits.data() + digits.size()) {
      in_.fail_at(place, "the hash of an elided tensor has 16 hexadecimal digits");
    }
    hash = value;
  }
  ++elided_tensors_;
  tensor.storage = Storage::kMade;
  tensor.content = std::shared_ptr<const ByteStream>(std::make_shared<ElidedStream>(std::move(shown), *bytes, hash));
}

}  // namespace onnxpress::text
