// Casts data part by part.
#include "onnxpress/weights/lossless/converted_data.h"

#include "onnxpress/ir/release_pages.h"
#include "onnxpress/ops/core/element.h"
#include "onnxpress/weights/lossless/statistics.h"

namespace onnxpress::weights {

void ConvertedData::produce(const std::function<void(std::string_view piece)>& take) const {
  std::string converted;
  for_each_part(files_, from_, from_.bytes(), [&](std::string_view part) {
    converted.clear();
    convert_(part, converted);
    take(converted);
  });
}

namespace {

using ops::TypeList;

template <typename From, typename To>
void cast(std::string_view part, std::string& out) {
  const Elements<From> elements(part);
  const std::size_t begin = out.size();
  out.resize(begin + elements.size() * sizeof(To));
  char* to = out.data() + begin;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const To value = static_cast<To>(static_cast<ops::Computed<From>>(elements[i]));
    __builtin_memcpy(to + i * sizeof(To), &value, sizeof(To));
  }
}

using FromTypes = TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kInt64, ElementType::kInt32,
                           ElementType::kInt16, ElementType::kUint16, ElementType::kUint32, ElementType::kUint64>;
using ToTypes = TypeList<ElementType::kFloat, ElementType::kFloat16, ElementType::kBfloat16, ElementType::kFloat8e4m3fn,
                         ElementType::kFloat8e5m2, ElementType::kInt32, ElementType::kUint32, ElementType::kInt16,
                         ElementType::kUint16, ElementType::kInt8, ElementType::kUint8>;

}  // namespace

ConvertedData::Convert cast_between(ElementType from, ElementType to) {
  ConvertedData::Convert found = nullptr;
  ops::dispatch(FromTypes(), from,
                [&]<typename From>() { ops::dispatch(ToTypes(), to, [&]<typename To>() { found = cast<From, To>; }); });
  return found;
}

std::optional<Chain> cast_chain(const Candidate& tensor, ElementType narrow) {
  const auto convert = cast_between(tensor.type(), narrow);
  if (!convert || !tensor.has_op("Cast", narrow) || !tensor.has_op("Cast", tensor.type())) return std::nullopt;
  ChainBuilder chain(tensor);
  const std::uint64_t bytes = tensor.count() * static_cast<std::uint64_t>(bits_of(narrow)) / 8;
  const auto stored = chain.constant(narrow, tensor.dims(), std::make_shared<ConvertedData>(tensor, bytes, convert));
  chain.op("Cast", {stored}, {chain.attribute("to", static_cast<std::int64_t>(tensor.type()))});
  return chain.finish();
}

}  // namespace onnxpress::weights
