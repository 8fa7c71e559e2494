// Zeros as holes, seeded random bits forced into a sane range, and counting numbers.
#include "onnxpress/tasks/generate/generate_fill.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

namespace onnxpress {

namespace {

static_assert(std::endian::native == std::endian::little, "weights are written in the order of memory");

// Layout of a floating-point format; zeros for other types.
struct FloatFormat {
  int exponent_bits = 0, mantissa_bits = 0;
};

FloatFormat float_format(ElementType type) {
  switch (type) {
    case ElementType::kFloat16:
      return {5, 10};
    case ElementType::kBfloat16:
      return {8, 7};
    case ElementType::kFloat:
      return {8, 23};
    case ElementType::kDouble:
      return {11, 52};
    default:
      return {};
  }
}

// A positive normal number (or zero) in the given format, rounded to nearest.
std::uint64_t float_bits(double number, FloatFormat format) {
  if (number == 0) return 0;
  const std::uint64_t bias = (std::uint64_t{1} << (format.exponent_bits - 1)) - 1;
  int exponent = 0;
  const double fraction = std::frexp(number, &exponent);  // in [0.5, 1)
  const auto scaled = static_cast<std::uint64_t>(std::nearbyint(std::ldexp(fraction, format.mantissa_bits + 1)));
  // `scaled` has its leading one at bit mantissa_bits (one higher after rounding up): adding it, instead of or-ing it,
  // carries into the exponent.
  return ((static_cast<std::uint64_t>(exponent - 2) + bias) << format.mantissa_bits) + scaled;
}

std::uint64_t number_bits(double number, ElementType type) {
  const FloatFormat format = float_format(type);
  if (format.exponent_bits == 0) return static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
  const std::uint64_t sign = std::uint64_t{std::signbit(number)} << (bits_of(type) - 1);
  return sign | float_bits(std::abs(number), format);
}

// `pattern` of a type's width, repeated over 64 bits.
std::uint64_t repeated(std::uint64_t pattern, int bits) {
  std::uint64_t all = 0;
  for (int at = 0; at < 64; at += bits) all |= pattern << at;
  return all;
}

constexpr std::size_t kPiece = std::size_t{1} << 20;  // a multiple of every element size

class FilledStream : public ByteStream {
 public:
  FilledStream(ElementType type, std::uint64_t count)
      : type_(type), size_(count * static_cast<std::uint64_t>(bits_of(type)) / 8) {}
  std::uint64_t size() const override { return size_; }

  void produce(const std::function<void(std::string_view)>& take) const override {
    std::vector<std::uint64_t> words(std::min<std::uint64_t>(kPiece, size_ + 7) / 8);
    const auto* text = reinterpret_cast<const char*>(words.data());
    for (std::uint64_t at = 0; at < size_; at += kPiece) {
      make_words(at / 8, words);
      take({text, std::min<std::uint64_t>(kPiece, size_ - at)});
    }
  }

 protected:
  // Makes the 64-bit words of the content from number `first` on.
  virtual void make_words(std::uint64_t first, std::vector<std::uint64_t>& words) const = 0;
  ElementType type() const { return type_; }

 private:
  ElementType type_;
  std::uint64_t size_;
};

class Zeros : public FilledStream {
 public:
  using FilledStream::FilledStream;
  void produce(const std::function<void(std::string_view)>& take) const override {
    if (size() > 0) take({nullptr, size()});
  }

 private:
  void make_words(std::uint64_t, std::vector<std::uint64_t>&) const override {}
};

// Float types: sign, mantissa and the lowest exponent bit are random, the other exponent bits are those of 2^-6. So
// numbers are in +-[2^-7, 2^-5), about what a trained layer has; no arithmetic, so no machine rounds differently.
class Random : public FilledStream {
 public:
  // With `rounded` the mantissa has no more bits than that of bfloat16.
  Random(ElementType type, std::uint64_t count, std::uint64_t seed, bool rounded)
      : FilledStream(type, count), seed_(splitmix64(seed)) {
    const FloatFormat format = float_format(type);
    if (type == ElementType::kBool) keep_ = repeated(1, 8);
    if (format.exponent_bits == 0) return;
    const std::uint64_t exponent = ((std::uint64_t{1} << format.exponent_bits) - 2) << format.mantissa_bits;
    keep_ = ~repeated(exponent, bits_of(type));
    set_ = repeated(float_bits(0x1p-6, format) & exponent, bits_of(type));
    const int dropped = format.mantissa_bits - float_format(ElementType::kBfloat16).mantissa_bits;
    if (rounded && dropped > 0) keep_ &= ~repeated((std::uint64_t{1} << dropped) - 1, bits_of(type));
  }

 private:
  void make_words(std::uint64_t first, std::vector<std::uint64_t>& words) const override {
    const std::uint64_t seed = seed_, keep = keep_, set = set_;
    for (std::uint64_t& word : words) word = (splitmix64(seed ^ first++) & keep) | set;
  }

  std::uint64_t seed_;
  std::uint64_t keep_ = ~std::uint64_t{0}, set_ = 0;
};

class Arange : public FilledStream {
 public:
  using FilledStream::FilledStream;

 private:
  void make_words(std::uint64_t first, std::vector<std::uint64_t>& words) const override {
    const auto width = static_cast<std::size_t>(bits_of(type()) / 8);
    const FloatFormat format = float_format(type());
    // From here on, integers are no longer exact in a float type; integer types wrap around by themselves.
    const std::uint64_t limit =
        type() == ElementType::kBool ? 2 : std::uint64_t{1} << (format.exponent_bits ? format.mantissa_bits + 1 : 63);
    std::uint64_t number = first * 8 / width % limit;
    auto* to = reinterpret_cast<char*>(words.data());
    for (std::size_t at = 0; at < words.size() * 8; at += width) {
      const std::uint64_t bits = format.exponent_bits ? float_bits(static_cast<double>(number), format) : number;
      std::memcpy(to + at, &bits, width);
      if (++number == limit) number = 0;
    }
  }
};

// A number of about the size of trained weights that can also be a variance, because it is not 0. Integers are 1.
class Splat : public FilledStream {
 public:
  using FilledStream::FilledStream;

 private:
  void make_words(std::uint64_t, std::vector<std::uint64_t>& words) const override {
    const std::uint64_t bits = number_bits(float_format(type()).exponent_bits ? 0x1p-6 : 1, type());
    std::ranges::fill(words, repeated(bits, bits_of(type())));
  }
};

}  // namespace

std::shared_ptr<const ByteStream> make_fill(Fill fill, ElementType type, std::uint64_t count, std::uint64_t seed) {
  switch (fill) {
    case Fill::kZeros:
      return std::make_shared<Zeros>(type, count);
    case Fill::kArange:
      return std::make_shared<Arange>(type, count);
    case Fill::kSplat:
      return std::make_shared<Splat>(type, count);
    case Fill::kRandom:
    case Fill::kHalf:
      break;
  }
  return std::make_shared<Random>(type, count, seed, fill == Fill::kHalf);
}

bool can_fill(ElementType type) {
  return type == ElementType::kBool || float_format(type).exponent_bits != 0 ||
         (is_integer(type) && bits_of(type) >= 8);
}

std::string encode_number(double number, ElementType type) {
  const std::uint64_t bits = number_bits(number, type);
  const auto width = static_cast<std::size_t>(bits_of(type) / 8);
  std::string out(width, '\0');
  std::memcpy(out.data(), &bits, width);
  return out;
}

}  // namespace onnxpress
