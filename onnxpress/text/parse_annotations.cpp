// Annotations: what a model may contain but the official syntax cannot express. Other tools see them as comments:
//
//   #@ doc_string: "first line\nsecond line"
//   #@ metadata_props: ["key": "value"]
//   y = Relu (x)
#include <fmt/format.h>

#include "onnxpress/base/error.h"
#include "onnxpress/text/parser.h"

namespace onnxpress::text {

namespace {

struct Key {
  std::string_view word;
  unsigned key;
};

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

Annotations Parser::parse_annotations(unsigned allowed, std::string_view what) {
  Annotations annotations;
  while (in_.starts("#@")) {
    if (!annotations.place) annotations.place = in_.place();
    in_.narrow_to_line();
    in_.take("#@");
    do {
      parse_annotation(allowed, what, annotations);
    } while (in_.take(','));
    if (!in_.at_end()) in_.fail("expected the end of the line after an annotation");
    in_.widen();
  }
  return annotations;
}

void Parser::parse_annotation(unsigned allowed, std::string_view what, Annotations& annotations) {
  constexpr Key kKeys[] = {{"doc_string", kDoc},
                           {"metadata_props", kMetadata},
                           {"denotation", kDenotation},
                           {"dim_denotations", kDimDenotations},
                           {"quantization_annotation", kQuantization},
                           {"configuration", kConfigurations},
                           {"device_configurations", kNodeConfigurations},
                           {"tensor_names", kTensorNames},
                           {"name", kName}};
  const char* place = in_.place();
  const std::string_view word = in_.identifier("an annotation after '#@'");
  unsigned key = 0;
  std::string known;
  for (const Key& each : kKeys) {
    if ((each.key & allowed) == 0) continue;
    if (each.word == word) key = each.key;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", each.word);
  }
  if (key == 0) {
    in_.fail_at(place, fmt::format("{} has no annotation {}", what, quote_name(word)),
                known.empty() ? "ordinary comments begin with '# '" : fmt::format("known: {}", known));
  }
  in_.expect(':', "after the annotation's name");
  switch (key) {
    case kDoc:
      annotations.doc = parse_text("a string");
      break;
    case kMetadata:
      annotations.metadata = parse_entries("metadata");
      break;
    case kName:
      annotations.name = parse_text("a string");
      break;
    case kTensorNames:
      annotations.tensor_names = parse_entries("the names of tensors");
      break;
    case kDenotation:
      annotations.denotation = parse_text("a string");
      break;
    case kDimDenotations:
      in_.expect('[', "to begin the denotations");
      do {
        const std::string_view text = in_.string("a string for each dimension");
        annotations.dim_denotations.push_back(text.empty() ? std::string_view() : arena_.text(text));
      } while (in_.take(','));
      in_.expect(']', "after the denotations");
      break;
    case kQuantization:
      annotations.quantization = parse_quantization();
      break;
    default:
      annotations.device_configurations = parse_blobs();
  }
}

// ["tensor": ["SCALE_TENSOR": "s", "ZERO_POINT_TENSOR": "z"], ...]
std::vector<QuantizationAnnotation> Parser::parse_quantization() {
  std::vector<QuantizationAnnotation> all;
  in_.expect('[', "to begin the annotations");
  do {
    QuantizationAnnotation annotation;
    annotation.tensor_name = parse_text("the name of a tensor");
    in_.expect(':', "after the name of the tensor");
    annotation.parameters = in_arena(parse_entries("parameters"));
    all.push_back(annotation);
  } while (in_.take(','));
  in_.expect(']', "after the annotations");
  return all;
}

// Encoded messages that are kept as they are, written in hexadecimal.
std::vector<std::string_view> Parser::parse_blobs() {
  std::vector<std::string_view> all;
  in_.expect('[', "to begin the encoded messages");
  do {
    const char* place = in_.place();
    const std::string_view digits = in_.string("an encoded message");
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
      const int high = hex_digit(digits[i]), low = hex_digit(digits[i + 1]);
      if (high < 0 || low < 0) break;
      bytes += static_cast<char>(high * 16 + low);
    }
    if (bytes.size() * 2 != digits.size())
      in_.fail_at(place, "an encoded message must be pairs of the digits 0-9 and a-f");
    all.push_back(arena_.text(bytes));
  } while (in_.take(','));
  in_.expect(']', "after the encoded messages");
  return all;
}

}  // namespace onnxpress::text
