// Converts the encoded model to JSON, message by message, without decoding it into anything else.
//
// A message's fields may come in any order and a repeated field in several runs, but JSON needs each field once. So
// each message is surveyed once and then read once for each field that it has; a field that is skipped costs only its
// tag and length.
#include <fmt/format.h>

#include <optional>
#include <span>
#include <vector>

#include "onnxpress/base/error.h"
#include "onnxpress/format/json.h"
#include "onnxpress/format/json_path.h"
#include "onnxpress/format/json_text.h"
#include "onnxpress/format/schema.h"
#include "onnxpress/format/wire.h"

namespace onnxpress::format {
namespace {

// A message that is not repeated may come in several parts, which mean the same as their concatenation.
using Parts = std::span<const std::string_view>;

// Skips the field; returns false when it is an empty packed list, which is the same as absent.
bool skip_content(WireReader& reader, const Field& field) {
  if (reader.type() == WireType::kLength) {
    const bool may_be_packed = field.is_repeated() && field.is_number();
    return !reader.bytes().empty() || !may_be_packed;
  }
  reader.skip();
  return true;
}

class Writer {
 public:
  Writer(std::string_view model, const JsonOptions& options, const std::function<void(std::string_view)>& sink)
      : file_begin_(model.data()), text_(options.pretty, sink) {}

  JsonLosses write(std::string_view model) {
    write_message({&model, 1}, schema_of(MessageIndex::kModel));
    text_.finish();
    losses_.nan_payloads = text_.nan_payloads();
    return losses_;
  }

 private:
  struct Survey {
    std::uint32_t present = 0;      // one bit per field number
    const Field* choice = nullptr;  // the last one of the fields that exclude each other
    std::size_t choice_since = 0;   // the position since which no other choice came
  };

  // Calls `visit(reader, position)` for each field of a message; `visit` must read the field or call reader.skip().
  template <typename Visit>
  void for_each_field(Parts parts, Visit&& visit) const {
    std::size_t position = 0;
    for (const std::string_view part : parts) {
      for (WireReader reader(part, file_begin_); reader.next(); ++position) visit(reader, position);
    }
  }
  template <typename Visit>
  void for_each_field(Parts parts, const Field& field, Visit&& visit) const {
    for_each_field(parts, [&](WireReader& reader, std::size_t position) {
      reader.field() == field.number ? visit(reader, position) : reader.skip();
    });
  }

  Survey survey(Parts parts, const MessageSchema& schema);
  void write_message(Parts parts, const MessageSchema& schema);
  void write_list(Parts parts, const Field& field);
  void write_one(Parts parts, const Field& field, std::size_t since);
  void write_elements(WireReader& reader, const Field& field);
  void write_scalar(WireReader& reader, const Field& field);
  void write_varint(std::uint64_t value, const Field& field);
  void begin_element(bool one_line);
  void enter() {
    if (++depth_ > kMaxJsonDepth) {
      throw Error(json_path(path_), fmt::format("objects and lists are nested deeper than {}", kMaxJsonDepth));
    }
  }
  void leave() { --depth_; }

  const char* file_begin_;
  JsonText text_;
  JsonLosses losses_;
  std::vector<JsonStep> path_;
  std::size_t depth_ = 0;
  bool first_element_ = true;  // of the list being written; restored after each nested message
};

Writer::Survey Writer::survey(Parts parts, const MessageSchema& schema) {
  Survey result;
  for_each_field(parts, [&](WireReader& reader, std::size_t position) {
    const Field* field = schema.find(reader.field());
    if (!field) {
      if (losses_.unknown_fields++ == 0) {
        losses_.first_unknown_field = fmt::format("field {} of {}", reader.field(), json_path(path_));
      }
      reader.skip();
    } else if (skip_content(reader, *field)) {
      result.present |= 1U << field->number;
      if (field->label == FieldLabel::kChoice && result.choice != field) {
        result.choice = field;
        result.choice_since = position;
      }
    }
  });
  return result;
}

void Writer::write_message(Parts parts, const MessageSchema& schema) {
  enter();
  const Survey found = survey(parts, schema);
  const bool empty = found.present == 0;
  text_.open('{', empty);
  bool first = true;
  for (const Field& field : schema.fields) {
    const bool is_choice = field.label == FieldLabel::kChoice;
    if ((found.present >> field.number & 1) == 0 || (is_choice && found.choice != &field)) continue;
    text_.next(first);
    text_.key(field.json_name.view());
    path_.push_back({&field, field.is_repeated() ? 0 : JsonStep::kWhole});
    if (field.is_repeated()) {
      write_list(parts, field);
    } else {
      write_one(parts, field, is_choice ? found.choice_since : 0);
    }
    path_.pop_back();
    first = false;
  }
  text_.close('}', empty);
  leave();
}

void Writer::write_list(Parts parts, const Field& field) {
  enter();
  const bool one_line = field.kind != FieldKind::kMessage;
  text_.open('[', one_line);
  first_element_ = true;
  for_each_field(parts, field, [&](WireReader& reader, std::size_t) { write_elements(reader, field); });
  text_.close(']', one_line);
  leave();
}

void Writer::begin_element(bool one_line) {
  text_.next(first_element_, one_line);
  first_element_ = false;
}

void Writer::write_elements(WireReader& reader, const Field& field) {
  const auto real = [this](auto value) {
    begin_element(true);
    text_.real(value);
  };
  switch (field.kind) {
    case FieldKind::kMessage: {
      begin_element(false);
      const std::string_view content = reader.bytes();
      write_message({&content, 1}, schema_of(field.message));
      first_element_ = false;
      ++path_.back().index;
      return;
    }
    case FieldKind::kString:
    case FieldKind::kBytes:
      begin_element(true);
      write_scalar(reader, field);
      ++path_.back().index;
      return;
    case FieldKind::kFloat:
      reader.each_fixed<float>(real);
      return;
    case FieldKind::kDouble:
      reader.each_fixed<double>(real);
      return;
    default:
      reader.each_varint([&](std::uint64_t value) {
        begin_element(true);
        write_varint(value, field);
      });
  }
}

void Writer::write_one(Parts parts, const Field& field, std::size_t since) {
  if (field.kind == FieldKind::kMessage) {
    std::vector<std::string_view> merged;
    for_each_field(parts, field, [&](WireReader& reader, std::size_t position) {
      const std::string_view content = reader.bytes();
      if (position >= since) merged.push_back(content);
    });
    write_message(merged, schema_of(field.message));
    return;
  }
  std::optional<WireReader> last;
  for_each_field(parts, field, [&](WireReader& reader, std::size_t) {
    last = reader;
    reader.skip();
  });
  write_scalar(*last, field);
}

void Writer::write_scalar(WireReader& reader, const Field& field) {
  switch (field.kind) {
    case FieldKind::kString:
      if (!text_.text(reader.bytes())) {
        throw Error(json_path(path_), "the text is not valid UTF-8, so JSON cannot represent it",
                    "ONNX requires all names and texts to be UTF-8");
      }
      return;
    case FieldKind::kBytes:
      text_.bytes(reader.bytes());
      return;
    case FieldKind::kFloat:
      text_.real(reader.float32());
      return;
    case FieldKind::kDouble:
      text_.real(reader.float64());
      return;
    default:
      write_varint(reader.varint(), field);
  }
}

void Writer::write_varint(std::uint64_t value, const Field& field) {
  const auto low = static_cast<std::int32_t>(value);  // protobuf takes the low 32 bits of a longer number
  switch (field.kind) {
    case FieldKind::kInt64:
      text_.number_text(static_cast<std::int64_t>(value));
      return;
    case FieldKind::kUint64:
      text_.number_text(value);
      return;
    case FieldKind::kEnum:
      for (const EnumValue& each : field.values) {
        if (each.number == low) return text_.word(each.name);
      }
      [[fallthrough]];
    default:
      text_.number(low);
  }
}

}  // namespace

JsonLosses write_json(std::string_view encoded_model, const JsonOptions& options,
                      const std::function<void(std::string_view)>& sink) {
  return Writer(encoded_model, options, sink).write(encoded_model);
}

std::string to_json(std::string_view encoded_model, const JsonOptions& options, JsonLosses* losses) {
  std::string json;
  JsonLosses lost = write_json(encoded_model, options, [&json](std::string_view piece) { json += piece; });
  if (losses) *losses = std::move(lost);
  return json;
}

}  // namespace onnxpress::format
