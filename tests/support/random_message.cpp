// Fills messages by the schema table.
#include "tests/support/random_message.h"

#include <cstring>
#include <limits>

#include "onnxpress/format/wire.h"

namespace onnxpress::tests {
namespace {

using format::Field;
using format::FieldKind;
using format::FieldLabel;
using format::MessageIndex;

class Filler {
 public:
  Filler(std::mt19937& random, int size) : random_(random), left_(size) {}

  std::string message(MessageIndex index) {
    const auto fields = format::schema_of(index).fields;
    const Field* choice = &fields[below(fields.size())];  // one of the fields that exclude each other
    std::string out;
    for (const Field& field : fields) {
      if (field.label == FieldLabel::kChoice && choice != &field) continue;
      if (below(3) == 0) continue;
      const std::size_t count = field.is_repeated() ? below(4) : 1;
      if (field.label == FieldLabel::kPacked) {
        std::string list;
        for (std::size_t i = 0; i < count; ++i) append_number(list, field);
        if (count > 0) format::append_bytes(out, field.number, list);
        continue;
      }
      for (std::size_t i = 0; i < count; ++i) append(out, field);
    }
    return out;
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }

  void append(std::string& out, const Field& field) {
    if (field.kind == FieldKind::kMessage) {
      if (left_-- > 0) format::append_bytes(out, field.number, message(field.message));
    } else if (!field.is_number()) {
      format::append_bytes(out, field.number, field.kind == FieldKind::kBytes ? bytes() : text());
    } else {
      format::append_tag(out, field.number,
                         field.kind == FieldKind::kFloat    ? format::WireType::kFixed32
                         : field.kind == FieldKind::kDouble ? format::WireType::kFixed64
                                                            : format::WireType::kVarint);
      append_number(out, field);
    }
  }

  void append_number(std::string& out, const Field& field) {
    switch (field.kind) {
      case FieldKind::kFloat:
        append_raw(out, real<float>());
        return;
      case FieldKind::kDouble:
        append_raw(out, real<double>());
        return;
      case FieldKind::kEnum:
        format::append_varint(out, field.values[below(field.values.size())].number);
        return;
      case FieldKind::kInt32:
        append_int32(out);
        return;
      default:
        format::append_varint(out, (std::uint64_t{random_()} << 32 | random_()) >> below(64));
    }
  }

  void append_int32(std::string& out) {
    const auto value = static_cast<std::int32_t>(random_());
    format::append_varint(out, static_cast<std::uint64_t>(std::int64_t{value}));
  }

  template <typename T>
  void append_raw(std::string& out, T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    out.append(raw, sizeof(T));
  }

  // Any bits except NaNs with a payload, which JSON cannot hold; often a special number.
  template <typename T>
  T real() {
    using Limits = std::numeric_limits<T>;
    const T special[] = {0,
                         -T{0},
                         1,
                         Limits::quiet_NaN(),
                         Limits::infinity(),
                         -Limits::infinity(),
                         Limits::max(),
                         Limits::lowest(),
                         Limits::min(),
                         Limits::denorm_min(),
                         T{0.1},
                         T{1e10},
                         T{16777216}};
    if (below(2) == 0) return special[below(std::size(special))];
    T value;
    do {
      const std::uint64_t bits = std::uint64_t{random_()} << 32 | random_();
      std::memcpy(&value, &bits, sizeof(T));
    } while (value != value);
    return value;
  }

  std::string bytes() {
    std::string out(below(12), '\0');
    for (char& c : out) c = static_cast<char>(random_());
    return out;
  }

  std::string text() {
    const char* parts[] = {"conv", "/layer.1/", "\"", "\\", "\n", "\x01", "\x7f", "ü", "重み", "🙂", "", "\u2028"};
    std::string out;
    for (std::size_t i = below(4); i > 0; --i) out += parts[below(std::size(parts))];
    return out;
  }

  std::mt19937& random_;
  int left_;  // inner messages that may still be made
};

}  // namespace

std::string random_message(MessageIndex message, std::mt19937& random, int size) {
  return Filler(random, size).message(message);
}

}  // namespace onnxpress::tests
