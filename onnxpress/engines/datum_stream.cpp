// Both processes run the same program, so numbers are written as they are in memory.
#include "onnxpress/engines/datum_stream.h"

#include <new>

namespace onnxpress::engines {

namespace {

constexpr std::uint64_t kMostCharacters = std::uint64_t{1} << 31, kMostAxes = 1024, kMostParts = std::uint64_t{1} << 24;
constexpr int kDeepest = 64;

enum Kind : std::uint64_t { kNothing, kArray, kSequence, kMap };

}  // namespace

void DatumWriter::text(std::string_view text) {
  number(text.size());
  channel_.write(text.data(), text.size());
}

void DatumWriter::array(const ops::Array& array) {
  number(static_cast<std::uint64_t>(array.type()));
  number(array.rank());
  channel_.write(array.sizes().data(), array.rank() * sizeof(std::int64_t));
  if (array.is_string()) {
    for (const std::string& each : array.data<std::string>()) text(each);
  } else {
    channel_.write(array.bytes(), array.count() * array.width());
  }
}

void DatumWriter::datum(const ops::Datum& datum) {
  if (datum.empty()) return number(kNothing);
  if (const ops::Array* held = datum.array()) {
    number(kArray);
    return array(*held);
  }
  if (const ops::Sequence* parts = datum.sequence()) {
    number(kSequence);
    number(parts->size());
    for (const ops::Datum& each : *parts) this->datum(each);
    return;
  }
  const auto& map = std::get<std::shared_ptr<const ops::Map>>(datum.content);
  number(kMap);
  array(map->keys);
  array(map->values);
}

void DatumReader::bytes(void* to, std::size_t size) {
  if (!channel_.read(to, size)) throw StreamEnded();
}

std::uint64_t DatumReader::number() {
  std::uint64_t number = 0;
  bytes(&number, sizeof(number));
  return number;
}

std::uint64_t DatumReader::number_up_to(std::uint64_t most) {
  const std::uint64_t found = number();
  if (found > most) throw StreamEnded();
  return found;
}

std::string DatumReader::text() {
  std::string text(number_up_to(kMostCharacters), '\0');
  bytes(text.data(), text.size());
  return text;
}

ops::Array DatumReader::array() {
  const auto type = static_cast<ElementType>(number_up_to(kElementTypeCount - 1));
  ops::Sizes sizes(number_up_to(kMostAxes));
  bytes(sizes.data(), sizes.size() * sizeof(std::int64_t));
  if (type == ElementType::kUndefined || !ops::count_of(sizes)) throw StreamEnded();
  ops::Array array = ops::Array::make(type, std::move(sizes));
  if (array.is_string()) {
    for (std::string& each : array.mutable_data<std::string>()) each = text();
  } else {
    bytes(array.mutable_bytes(), array.count() * array.width());
  }
  return array;
}

ops::Datum DatumReader::datum(int depth) {
  switch (number_up_to(kMap)) {
    case kNothing:
      return {};
    case kArray:
      return ops::Datum(array());
    case kSequence: {
      if (depth == kDeepest) throw StreamEnded();
      ops::Sequence parts(number_up_to(kMostParts));
      for (ops::Datum& each : parts) each = datum(depth + 1);
      return ops::Datum(std::move(parts));
    }
    default:
      break;
  }
  ops::Map map;
  map.keys = array();
  map.values = array();
  ops::Datum datum;
  datum.content = std::make_shared<const ops::Map>(std::move(map));
  return datum;
}

}  // namespace onnxpress::engines
