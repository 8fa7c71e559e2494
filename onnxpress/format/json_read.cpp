// Converts JSON to the encoded model in one pass over the text, without a tree of JSON values or messages in memory.
#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "onnxpress/base/base64.h"
#include "onnxpress/base/error.h"
#include "onnxpress/format/json.h"
#include "onnxpress/format/json_path.h"
#include "onnxpress/format/json_scalar.h"
#include "onnxpress/format/schema.h"
#include "onnxpress/format/wire.h"

namespace onnxpress::format {
namespace {

// Builds the encoded bytes. The length of a message is not known before its end, so lengths are left out at first and
// finish() inserts them all at once: each byte is moved only once, no matter how deeply it is nested.
class Encoding {
 public:
  struct Open {
    std::size_t slot;       // in lengths_
    std::size_t inner = 0;  // bytes that the lengths inside will take
  };

  std::string& bytes() { return bytes_; }

  Open open(std::uint32_t field) {
    append_tag(bytes_, field, WireType::kLength);
    lengths_.push_back({bytes_.size(), 0});
    return {lengths_.size() - 1};
  }

  void close(const Open& closed, Open& outer) {
    Length& length = lengths_[closed.slot];
    length.value = bytes_.size() - length.position + closed.inner;
    outer.inner += closed.inner + varint_size(length.value);
  }

  std::string finish(const Open& outermost) {
    std::size_t end = bytes_.size();
    bytes_.resize(end + outermost.inner);
    std::size_t to = bytes_.size();
    std::string varint;
    for (auto length = lengths_.rbegin(); length != lengths_.rend(); ++length) {
      const std::size_t size = end - length->position;
      to -= size;
      std::memmove(bytes_.data() + to, bytes_.data() + length->position, size);
      varint.clear();
      append_varint(varint, length->value);
      to -= varint.size();
      std::memcpy(bytes_.data() + to, varint.data(), varint.size());
      end = length->position;
    }
    return std::move(bytes_);
  }

 private:
  struct Length {
    std::size_t position;  // in bytes_, where the length goes
    std::uint64_t value;
  };
  std::string bytes_;
  std::vector<Length> lengths_;
};

std::string_view expected_of(FieldKind kind) {
  switch (kind) {
    case FieldKind::kFloat:
    case FieldKind::kDouble:
      return "a number";
    case FieldKind::kString:
      return "a text";
    case FieldKind::kBytes:
      return "a text in base64";
    case FieldKind::kEnum:
      return "a name or number of the enum";
    case FieldKind::kMessage:
      return "an object";
    default:
      return "a whole number";
  }
}

constexpr int kNumberOverflow = 406;  // nlohmann's id

// Receives the events of nlohmann's parser, which does not recurse either.
class Reader : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::string finish() { return encoding_.finish(outermost_); }

  bool null() override;
  bool boolean(bool value) override { return scalar(value); }
  // "-0" is the only zero that arrives as a signed number.
  bool number_integer(number_integer_t value) override {
    return scalar(value == 0 ? JsonScalar(JsonReal{-0.0, "-0"}) : JsonScalar(std::int64_t{value}));
  }
  bool number_unsigned(number_unsigned_t value) override { return scalar(std::uint64_t{value}); }
  bool number_float(number_float_t value, const string_t& digits) override { return scalar(JsonReal{value, digits}); }
  bool string(string_t& value) override { return scalar(std::string_view(value)); }
  bool binary(binary_t&) override { return false; }  // only in binary formats
  bool start_object(std::size_t) override;
  bool key(string_t& name) override;
  bool end_object() override;
  bool start_array(std::size_t) override;
  bool end_array() override;
  bool parse_error(std::size_t, const std::string& last_token, const nlohmann::detail::exception& error) override;

 private:
  struct Object {
    const MessageSchema* schema;
    Encoding::Open open;
    std::uint32_t seen = 0;         // one bit per field number
    const Field* choice = nullptr;  // the one present of the fields that exclude each other
    bool in_list = false;
    bool packing = false;  // the list is packed and has its tag already
    Encoding::Open packed = {};
  };

  bool scalar(const JsonScalar& value);
  const Field& begin_value(std::string_view found);
  void append(const Field& field, const JsonScalar& value);
  void append_base64_field(const Field& field, std::string_view text);
  std::uint64_t varint_of(const Field& field, const JsonScalar& value) const;
  template <typename T>
  std::uint64_t whole(const JsonScalar& value) const;
  template <typename T>
  void append_real(const JsonScalar& value);
  void enter();
  void end_value();
  [[noreturn]] void fail(std::string message) const { throw Error(json_path(path_), std::move(message)); }
  [[noreturn]] void fail_expected(std::string_view expected, std::string_view found) const {
    fail(fmt::format("expected {}, found {}", expected, found));
  }

  Encoding encoding_;
  Encoding::Open outermost_ = {0};
  std::vector<Object> objects_;
  std::vector<JsonStep> path_;  // one step per object's current field
  std::size_t depth_ = 0;
};

void Reader::enter() {
  if (++depth_ > kMaxJsonDepth) fail(fmt::format("objects and lists are nested deeper than {}", kMaxJsonDepth));
}

// Returns the field of the value that begins now.
const Field& Reader::begin_value(std::string_view found) {
  if (objects_.empty()) fail_expected("an object, the model", found);
  Object& object = objects_.back();
  const Field& field = *path_.back().field;
  if (field.is_repeated() && !object.in_list) fail_expected("a list", found);
  if (field.label == FieldLabel::kChoice) {
    if (object.choice) fail(fmt::format("this field and '{}' exclude each other", object.choice->json_name.view()));
    object.choice = &field;
  }
  return field;
}

bool Reader::start_object(std::size_t) {
  enter();
  if (objects_.empty()) {
    objects_.push_back({&schema_of(MessageIndex::kModel), {}});
    return true;
  }
  const Field& field = begin_value("an object");
  if (field.kind != FieldKind::kMessage) fail_expected(expected_of(field.kind), "an object");
  objects_.push_back({&schema_of(field.message), encoding_.open(field.number)});
  return true;
}

bool Reader::key(string_t& name) {
  Object& object = objects_.back();
  const Field* field = object.schema->find(name);
  if (!field) fail(fmt::format("{} has no field {}", object.schema->name, quote_name(name)));
  path_.push_back({field});
  const std::uint32_t bit = 1U << field->number;
  if ((object.seen & bit) != 0) fail("the field occurs twice");
  object.seen |= bit;
  return true;
}

bool Reader::end_object() {
  --depth_;
  const Object closed = objects_.back();
  objects_.pop_back();
  if (objects_.empty()) {
    outermost_ = closed.open;
    return true;
  }
  encoding_.close(closed.open, objects_.back().open);
  end_value();
  return true;
}

// Moves the path on: to the next element of a list, or back to the object.
void Reader::end_value() {
  if (objects_.back().in_list) {
    ++path_.back().index;
  } else {
    path_.pop_back();
  }
}

bool Reader::start_array(std::size_t) {
  enter();
  if (objects_.empty()) fail_expected("an object, the model", "a list");
  Object& object = objects_.back();
  const Field& field = *path_.back().field;
  if (!field.is_repeated() || object.in_list) fail_expected(expected_of(field.kind), "a list");
  object.in_list = true;
  path_.back().index = 0;
  return true;
}

bool Reader::end_array() {
  --depth_;
  Object& object = objects_.back();
  if (object.packing) encoding_.close(object.packed, object.open);
  object.packing = false;
  object.in_list = false;
  path_.pop_back();
  return true;
}

bool Reader::null() {
  if (objects_.empty()) fail_expected("an object, the model", "null");
  if (objects_.back().in_list) fail_expected(expected_of(path_.back().field->kind), "null");
  path_.pop_back();  // the field is absent
  return true;
}

bool Reader::scalar(const JsonScalar& value) {
  const Field& field = begin_value(shown(value));
  if (field.kind == FieldKind::kMessage) fail_expected(expected_of(field.kind), shown(value));
  append(field, value);
  end_value();
  return true;
}

void Reader::append(const Field& field, const JsonScalar& value) {
  if (!field.is_number()) {
    const auto* text = std::get_if<std::string_view>(&value);
    if (!text) fail_expected(expected_of(field.kind), shown(value));
    return field.kind == FieldKind::kBytes ? append_base64_field(field, *text)
                                           : append_bytes(encoding_.bytes(), field.number, *text);
  }
  Object& object = objects_.back();
  const bool packed = field.label == FieldLabel::kPacked;
  if (packed && !object.packing) {
    object.packed = encoding_.open(field.number);
    object.packing = true;
  }
  const auto tag = [&](WireType type) {
    if (!packed) append_tag(encoding_.bytes(), field.number, type);
  };
  if (field.kind == FieldKind::kFloat) {
    tag(WireType::kFixed32);
    append_real<float>(value);
  } else if (field.kind == FieldKind::kDouble) {
    tag(WireType::kFixed64);
    append_real<double>(value);
  } else {
    tag(WireType::kVarint);
    append_varint(encoding_.bytes(), varint_of(field, value));
  }
}

void Reader::append_base64_field(const Field& field, std::string_view text) {
  const std::optional<std::size_t> size = base64_decoded_size(text);
  if (!size) fail(fmt::format("{} characters cannot be base64", text.size()));
  append_tag(encoding_.bytes(), field.number, WireType::kLength);
  append_varint(encoding_.bytes(), *size);
  if (!append_base64_decoded(encoding_.bytes(), text)) fail_expected(expected_of(field.kind), quote_name(text));
}

template <typename T>
void Reader::append_real(const JsonScalar& value) {
  const std::optional<T> real = as_real<T>(value);
  if (!real) fail_expected(sizeof(T) == 4 ? "a number that fits in a float" : "a number", shown(value));
  char raw[sizeof(T)];
  std::memcpy(raw, &*real, sizeof(T));
  encoding_.bytes().append(raw, sizeof(T));
}

template <typename T>
std::uint64_t Reader::whole(const JsonScalar& value) const {
  const std::optional<T> number = as_whole<T>(value);
  using Limits = std::numeric_limits<T>;
  if (!number)
    fail(fmt::format("expected a whole number from {} to {}, found {}", Limits::min(), Limits::max(), shown(value)));
  return static_cast<std::uint64_t>(*number);  // negative ones are extended to 64 bits, as protobuf does
}

std::uint64_t Reader::varint_of(const Field& field, const JsonScalar& value) const {
  switch (field.kind) {
    case FieldKind::kInt64:
      return whole<std::int64_t>(value);
    case FieldKind::kUint64:
      return whole<std::uint64_t>(value);
    case FieldKind::kInt32:
      return whole<std::int32_t>(value);
    default:
      break;
  }
  if (const auto* name = std::get_if<std::string_view>(&value)) {
    for (const EnumValue& each : field.values) {
      if (each.name == *name) return static_cast<std::uint64_t>(each.number);
    }
  }
  const std::optional<std::int32_t> number = as_whole<std::int32_t>(value);
  if (!number) fail_expected(expected_of(field.kind), shown(value));
  return static_cast<std::uint64_t>(*number);
}

// "[json.exception.parse_error.101] parse error at line 2, column 5: syntax error while parsing value - <why>; last
// read: ..."
bool Reader::parse_error(std::size_t, const std::string& last_token, const nlohmann::detail::exception& error) {
  if (error.id == kNumberOverflow) fail(fmt::format("number {} is too large", quote_name(last_token)));
  std::string_view what = error.what();
  const auto after = [&what](std::string_view mark) {
    if (const std::size_t at = what.find(mark); at != std::string_view::npos) what.remove_prefix(at + mark.size());
  };
  after("parse error at ");
  const std::string place(what.substr(0, what.find(':')));
  after(": ");
  after(" - ");
  const std::string_view why = what.substr(0, what.find("; last read"));
  throw Error(place, fmt::format("not JSON: {}; last read: {}", why, quote_name(last_token)));
}

}  // namespace

std::string from_json(std::string_view json) {
  Reader reader;
  nlohmann::json::sax_parse(json.begin(), json.end(), &reader);
  return reader.finish();
}

}  // namespace onnxpress::format
