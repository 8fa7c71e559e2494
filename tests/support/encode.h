// Builds encoded ONNX messages field by field, for cases that no sane writer would produce.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "onnxpress/format/onnx_fields.h"
#include "onnxpress/format/wire.h"

namespace onnxpress::tests {

namespace fields = format::fields;

class Message {
 public:
  Message& text(std::uint32_t field, std::string_view value) {
    format::append_bytes(bytes_, field, value);
    return *this;
  }
  Message& number(std::uint32_t field, std::int64_t value) {
    format::append_int(bytes_, field, value);
    return *this;
  }
  Message& real(std::uint32_t field, float value) {
    format::append_float(bytes_, field, value);
    return *this;
  }
  Message& message(std::uint32_t field, const Message& value) { return text(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// node("Add", {"x", "y"}, {"z"})
inline Message node(std::string_view op, std::initializer_list<std::string_view> inputs,
                    std::initializer_list<std::string_view> outputs) {
  Message out;
  for (const std::string_view name : inputs) out.text(fields::node::kInput, name);
  for (const std::string_view name : outputs) out.text(fields::node::kOutput, name);
  return out.text(fields::node::kOpType, op);
}

inline Message value_info(std::string_view name) { return Message().text(fields::value_info::kName, name); }

inline Message raw_tensor(std::string_view name, std::int32_t type, std::initializer_list<std::int64_t> dims,
                          std::string_view raw) {
  Message out;
  for (const std::int64_t dim : dims) out.number(fields::tensor::kDims, dim);
  return out.number(fields::tensor::kDataType, type)
      .text(fields::tensor::kName, name)
      .text(fields::tensor::kRawData, raw);
}

// A model with this graph, IR version 10 and opset 21.
inline Message model(const Message& graph) {
  return Message()
      .number(fields::model::kIrVersion, 10)
      .message(fields::model::kGraph, graph)
      .message(fields::model::kOpsetImport,
               Message().text(fields::opset::kDomain, "").number(fields::opset::kVersion, 21));
}

}  // namespace onnxpress::tests
