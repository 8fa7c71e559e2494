// Decides what an input is for by its type, its name and how the graph uses it, then generates numbers of that kind.
#include "onnxpress/inputs/input_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/base/error.h"
#include "onnxpress/inputs/compared_numbers.h"
#include "onnxpress/inputs/image_layout.h"
#include "onnxpress/inputs/made_inputs.h"
#include "onnxpress/inputs/pixel_range.h"
#include "onnxpress/inputs/signals.h"
#include "onnxpress/ops/core/budget.h"

namespace onnxpress::inputs {

namespace {

constexpr std::size_t kFew = 4;  // a setting has at most so many elements, not a signal

bool name_has(const Value& input, std::string_view word) {
  std::string name(input.name());
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.find(word) != std::string::npos;
}

std::optional<std::int64_t> channels_of(const Value& input, const analysis::Facts& facts) {
  const auto shape = facts.shape_of(input);
  return shape && shape->size() == 4 ? (*shape)[1].size() : std::nullopt;
}

// One plane next to an image with three, or a telling name.
bool is_mask(const Value& input, const analysis::Facts& facts) {
  if (name_has(input, "mask")) return true;
  if (channels_of(input, facts) != 1 || !input.graph()) return false;
  return std::ranges::any_of(input.graph()->inputs(), [&](const ValueInfo* other) {
    return channels_of(*other->value, facts) == 3 && facts.of(*other->value).element == facts.of(input).element;
  });
}

bool is_normalized(InputKind kind) { return kind == InputKind::kNormalizedImage || kind == InputKind::kNormalizedText; }

class StyledInput {
 public:
  StyledInput(const Value& input, ElementType type, const ops::Sizes& sizes, const InputStyle& style,
              std::int64_t usual_size, const analysis::Facts& facts)
      : input_(input),
        type_(type),
        sizes_(sizes),
        style_(style),
        usual_size_(usual_size),
        facts_(facts),
        random_(style.seed * 7919 + static_cast<std::uint64_t>(style.kind), input.name()),
        count_(ops::count_of(sizes).value_or(0)) {}

  ops::Array make() {
    ops::require_scratch(count_, sizeof(Signal::value_type));
    if (is_float(type_)) return stored(floats());
    switch (type_) {
      case ElementType::kUint8:
        return stored(is_index() ? integers() : is_mask(input_, facts_) ? scaled(mask(), 255, 0) : pixels());
      case ElementType::kInt8:
        return stored(is_index() ? integers() : scaled(waves(), 100, 0));
      case ElementType::kInt16:
        return stored(is_index() ? integers() : scaled(waves(), 8000, 0));
      case ElementType::kBool:
        return bools();
      default:
        return stored(integers());
    }
  }

 private:
  bool other_way() const { return style_.seed % 2 == 1; }
  bool is_index() const { return index_limit(input_, facts_, 4).has_value(); }

  Signal mask() { return style_.kind == InputKind::kZeros ? Signal(count_, 0.0F) : blobs(sizes_, random_); }

  // A limit leaves most numbers that are compared with it, or (one in eight) any part of them. Other settings (a speed,
  // a threshold) are near 1: nobody sets them to noise.
  double float_setting() {
    const auto limit = compared_floats(input_, facts_);
    if (!limit) return random_.uniform(0.75, 1.25);
    const double part = random_.uniform(0, style_.seed % 8 == 7 ? 1 : 0.3) * (limit->high - limit->low);
    return limit->is_lower ? limit->low + part : limit->high - part;
  }

  Signal floats() {
    if (count_ <= kFew && sizes_.size() <= 1) {
      Signal out(count_);
      for (float& each : out) each = static_cast<float>(float_setting());
      return out;
    }
    if (is_mask(input_, facts_)) return mask();
    if (other_way() && takes_bytes_as_floats(input_, facts_)) {
      Signal bytes = pixels();
      for (float& each : bytes) each = std::clamp(each, 0.0F, 255.0F);
      return bytes;
    }
    Signal out = waves();
    const bool is_plain_picture = style_.kind == InputKind::kImage || style_.kind == InputKind::kText;
    const bool from_minus_one = is_plain_picture && style_.seed % 4 == 3;
    if (from_minus_one) return scaled(std::move(out), 2, -1);
    return is_normalized(style_.kind) ? normalized_image(std::move(out), sizes_) : out;
  }

  // Around 0 or from 0 to 1; images are not normalized yet.
  Signal waves() {
    switch (style_.kind) {
      case InputKind::kNormal:
        return normal_noise(sizes_, random_);
      case InputKind::kUniform:
        return uniform_noise(sizes_, random_);
      case InputKind::kImage:
      case InputKind::kNormalizedImage:
        return smooth_image(sizes_, random_);
      case InputKind::kText:
      case InputKind::kNormalizedText:
        return is_image(type_, sizes_) ? text_image(sizes_, random_) : smooth_image(sizes_, random_);
      case InputKind::kSpeech:
        return speech(sizes_, random_);
      case InputKind::kSaturated: {
        Signal out = normal_noise(sizes_, random_);
        for (float& each : out) each = std::clamp(4 * each, -1.0F, 1.0F);
        return out;
      }
      case InputKind::kZeros:
        break;
    }
    return Signal(count_, 0.0F);
  }

  Signal pixels() {
    switch (style_.kind) {
      case InputKind::kNormal:
        return scaled(waves(), 50, 128);
      case InputKind::kSpeech:
      case InputKind::kSaturated:
        return scaled(waves(), 127.5, 127.5);
      default:
        return scaled(waves(), 255, 0);
    }
  }

  static Signal scaled(Signal signal, double factor, double offset) {
    for (float& each : signal) each = static_cast<float>(each * factor + offset);
    return signal;
  }

  Signal integers() {
    if (const auto limit = index_limit(input_, facts_, 4)) return indices(std::max<std::int64_t>(1, *limit));
    if (count_ > kFew || sizes_.size() > 1) {
      const auto codes = compared_codes(input_, facts_);
      if (!codes) return leading_ones();
      return scaled(indices(codes->high - codes->low + 1), 1, static_cast<double>(codes->low));
    }
    return Signal(count_, static_cast<float>(setting()));
  }

  Signal indices(std::int64_t limit) {
    const int bits = bits_of(type_);
    if (bits < 62) limit = std::min(limit, std::int64_t{1} << std::max(bits - 1, 1));
    limit = std::min(limit, std::int64_t{1} << 24);  // floats hold no more, and no table is that long
    Signal out(count_);
    // Half of these go with indices like any others: what is an image in another input need not come with a pattern
    // here.
    const bool is_any = style_.seed % 4 >= 2 && style_.kind != InputKind::kZeros;
    for (std::size_t i = 0; i < count_; ++i) {
      switch (is_any ? InputKind::kNormal : style_.kind) {
        case InputKind::kImage:
        case InputKind::kNormalizedImage:  // all of them in turn
          out[i] = static_cast<float>(static_cast<std::int64_t>(i * static_cast<std::size_t>(limit) / count_));
          break;
        case InputKind::kSpeech:  // small ones more often, as words are
          out[i] = static_cast<float>(std::floor(std::pow(static_cast<double>(limit), random_.uniform())) - 1);
          break;
        case InputKind::kSaturated:
          out[i] = static_cast<float>(random_.below(2) * (limit - 1));
          break;
        case InputKind::kZeros:
          out[i] = 0;
          break;
        default:
          out[i] = static_cast<float>(random_.below(limit));
      }
    }
    return out;
  }

  // As masks of texts are: all ones, or ones up to some place.
  Signal leading_ones() {
    const std::size_t length = sizes_.empty() ? 1 : static_cast<std::size_t>(std::max<std::int64_t>(1, sizes_.back()));
    const std::size_t ones = other_way() && style_.kind != InputKind::kNormal ? (length * 3 + 3) / 4 : length;
    Signal out(count_);
    for (std::size_t i = 0; i < count_; ++i) out[i] = i % length < ones ? 1 : 0;
    return out;
  }

  std::int64_t setting() {
    std::vector<std::int64_t> compared = compared_numbers(input_, facts_);
    if (!compared.empty()) {
      std::ranges::sort(compared);
      compared.erase(std::unique(compared.begin(), compared.end()), compared.end());
      if (compared.size() == 1) compared.push_back(compared.front() + 1);
      return compared[(style_.seed + static_cast<std::size_t>(style_.kind)) % compared.size()];
    }
    return name_has(input_, "len") ? usual_size_ : 1;
  }

  ops::Array bools() {
    ops::Array made = ops::Array::make(type_, sizes_);
    if (count_ <= kFew) {
      const bool value = (style_.seed + static_cast<std::size_t>(style_.kind)) % 2 == 0;
      for (ops::Bool& each : made.mutable_data<ops::Bool>()) each = ops::Bool(value);
      return made;
    }
    const Signal ones = leading_ones();
    for (std::size_t i = 0; i < count_; ++i) made.mutable_data<ops::Bool>()[i] = ops::Bool(ones[i] != 0);
    return made;
  }

  ops::Array stored(const Signal& signal) {
    ops::Array made = ops::Array::make(type_, sizes_);
    const double low = type_ == ElementType::kInt8    ? -128
                       : type_ == ElementType::kInt16 ? -32768
                       : is_float(type_)              ? -1e30
                                                      : 0;
    const double high = type_ == ElementType::kInt8    ? 127
                        : type_ == ElementType::kUint8 ? 255
                        : type_ == ElementType::kInt16 ? 32767
                                                       : 1e30;
    using Types =
        ops::TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kFloat16, ElementType::kBfloat16,
                      ElementType::kUint8, ElementType::kInt8, ElementType::kUint16, ElementType::kInt16,
                      ElementType::kUint32, ElementType::kInt32, ElementType::kUint64, ElementType::kInt64>;
    const bool numbers = ops::dispatch(Types(), type_, [&]<typename T>() {
      const std::span<T> data = made.mutable_data<T>();
      for (std::size_t i = 0; i < count_; ++i) {
        double value = std::clamp(static_cast<double>(signal[i]), low, high);
        if (!is_float(type_)) value = std::floor(value);
        data[i] = static_cast<T>(static_cast<ops::Computed<T>>(value));
      }
    });
    if (numbers) return made;
    throw Error("", fmt::format("inputs of type {} cannot be generated", onnxpress::name_of(type_)),
                fmt::format("use option `samples`, with an array for {}", quote_name(input_.name())));
  }

  const Value& input_;
  ElementType type_;
  const ops::Sizes& sizes_;
  InputStyle style_;
  std::int64_t usual_size_;
  const analysis::Facts& facts_;
  RandomNumbers random_;
  std::size_t count_;
};

}  // namespace

std::string_view name_of(InputKind kind) {
  constexpr std::string_view kNames[] = {"normal", "uniform",          "image",          "speech", "saturated", "zeros",
                                         "text",   "normalized image", "normalized text"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool is_image(ElementType type, const ops::Sizes& sizes) {
  constexpr std::size_t kLeast = 16;
  if (!is_float(type) && type != ElementType::kUint8) return false;
  const ImageLayout layout(sizes);
  if (layout.rows < kLeast || layout.columns < kLeast) return false;
  const bool has_axis = layout.planes == 3 || layout.planes == 4 || (sizes.size() >= 4 && layout.images == 1);
  return has_axis && layout.planes != 2;
}

ops::Array styled_input(const Value& input, ElementType type, const ops::Sizes& sizes, const InputStyle& style,
                        std::int64_t usual_size, const analysis::Facts& facts) {
  if (!ops::count_of(sizes))
    throw Error("", fmt::format("input {} has too many elements", quote_name(input.name())), "");
  return StyledInput(input, type, sizes, style, usual_size, facts).make();
}

}  // namespace onnxpress::inputs
