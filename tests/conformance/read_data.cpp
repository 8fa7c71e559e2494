// Reads one value for a test.
#include "tests/conformance/read_data.h"

#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "onnxpress/format/read_value.h"

namespace onnxpress::tests {

namespace {

ops::Datum datum_of(const format::StoredValue& value) {
  switch (value.kind) {
    case format::StoredValue::Kind::kTensor:
      return ops::Array::from(*value.tensor);
    case format::StoredValue::Kind::kOptional:
      return value.items.empty() ? ops::Datum() : datum_of(value.items[0]);
    case format::StoredValue::Kind::kSequence: {
      ops::Sequence items;
      for (const format::StoredValue& item : value.items) items.push_back(datum_of(item));
      return ops::Datum(std::move(items));
    }
    case format::StoredValue::Kind::kMap:
    case format::StoredValue::Kind::kNone:
      break;
  }
  return {};
}

}  // namespace

ops::Datum read_datum(const std::filesystem::path& path, const Type* type, Model& holder) {
  std::ifstream in(path, std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return datum_of(format::read_value(Bytes::owned(std::move(content)), type, holder));
}

}  // namespace onnxpress::tests
