// ONNX Runtime packs elements of less than a byte, while ours take whole bytes; all others have the same form.
#include "onnxpress/engines/ort/values.h"

#include <fmt/format.h>

#include <cstring>

#include "onnxpress/base/error.h"

namespace onnxpress::engines {

namespace {

constexpr std::pair<ElementType, int> kOwnNumbers[] = {
    {ElementType::kUint2, 24}, {ElementType::kInt2, 25}, {ElementType::kFloat8e8m0, 26}};
constexpr int kSameUpTo = 23;  // float4

abi::Allocator* allocator_of(const OnnxRuntime& runtime) {
  abi::Allocator* allocator = nullptr;
  runtime.call<abi::DefaultAllocator>(&allocator);
  return allocator;
}

void give_strings(const OnnxRuntime& runtime, const ops::Array& array, ValueHandle& value) {
  runtime.call<abi::CreateTensor>(allocator_of(runtime), array.sizes().data(), array.rank(),
                                  element_number(ElementType::kString), value.out());
  std::vector<const char*> texts;
  for (const std::string& text : array.data<std::string>()) {
    if (text.find('\0') != std::string::npos)
      throw Error("", "ONNX Runtime does not accept strings that contain a zero byte");
    texts.push_back(text.c_str());
  }
  if (!texts.empty()) runtime.call<abi::FillStrings>(value.get(), texts.data(), texts.size());
}

ops::Array taken_strings(const OnnxRuntime& runtime, const abi::Value* value, ops::Sizes sizes) {
  ops::Array made = ops::Array::make(ElementType::kString, std::move(sizes));
  if (made.count() == 0) return made;
  std::size_t length = 0;
  runtime.call<abi::StringsLength>(value, &length);
  std::string all(length, '\0');
  std::vector<std::size_t> offsets(made.count());
  runtime.call<abi::StringsContent>(value, all.data(), all.size(), offsets.data(), offsets.size());
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const std::size_t end = i + 1 < offsets.size() ? offsets[i + 1] : length;
    made.mutable_data<std::string>()[i] = all.substr(offsets[i], end - offsets[i]);
  }
  return made;
}

ops::Array taken_array(const std::shared_ptr<const OnnxRuntime>& runtime, abi::Value* value) {
  TensorInfoHandle info(runtime);
  runtime->call<abi::TensorInfoOf>(value, info.out());
  int number = 0;
  std::size_t rank = 0;
  runtime->call<abi::ElementOf>(info.get(), &number);
  runtime->call<abi::RankOf>(info.get(), &rank);
  ops::Sizes sizes(rank);
  if (rank > 0) runtime->call<abi::DimsOf>(info.get(), sizes.data(), rank);
  const ElementType type = element_of_number(number);
  if (type == ElementType::kString) return taken_strings(*runtime, value, std::move(sizes));
  const auto count = ops::count_of(sizes);
  const auto bytes = count ? raw_size(type, *count) : std::nullopt;
  if (!bytes) throw Error("", fmt::format("an output has elements of an unknown type (number {})", number));
  void* data = nullptr;
  if (*bytes > 0) runtime->call<abi::TensorData>(value, &data);
  Tensor tensor;
  tensor.type = type;
  tensor.dims = sizes;
  tensor.storage = Storage::kMade;
  tensor.content = Bytes::owned(*bytes > 0 ? std::string(static_cast<const char*>(data), *bytes) : std::string());
  return ops::Array::from(tensor);
}

}  // namespace

int element_number(ElementType type) {
  for (const auto& [each, number] : kOwnNumbers) {
    if (each == type) return number;
  }
  return static_cast<int>(type) <= kSameUpTo ? static_cast<int>(type) : 0;
}

ElementType element_of_number(int number) {
  for (const auto& [each, own] : kOwnNumbers) {
    if (own == number) return each;
  }
  return number <= kSameUpTo ? static_cast<ElementType>(number) : ElementType::kUndefined;
}

GivenValue given_value(const std::shared_ptr<const OnnxRuntime>& runtime, const ops::Array& array) {
  GivenValue given{ValueHandle(runtime), array, {}};
  if (element_number(array.type()) == 0) {
    throw Error("", fmt::format("ONNX Runtime has no elements of type {}", to_string(array.type())));
  }
  if (array.is_string()) {
    give_strings(*runtime, array, given.value);
    return given;
  }
  const void* data = array.bytes();
  std::size_t size = array.count() * array.width();
  if (bits_of(array.type()) < 8) {
    Arena arena;
    const Bytes packed = array.to_tensor(arena, "")->bytes();
    given.packed.assign(packed.view().begin(), packed.view().end());
    data = given.packed.data();
    size = given.packed.size();
  }
  static constexpr std::byte kNothing{};
  if (size == 0) data = &kNothing;  // a tensor without elements needs an address, too
  MemoryInfoHandle memory(runtime);
  runtime->call<abi::CreateCpuMemoryInfo>(abi::kDeviceAllocator, abi::kDefaultMemory, memory.out());
  runtime->call<abi::CreateTensorWithData>(memory.get(), const_cast<void*>(data), size, array.sizes().data(),
                                           array.rank(), element_number(array.type()), given.value.out());
  return given;
}

ops::Datum datum_of(const std::shared_ptr<const OnnxRuntime>& runtime, abi::Value* value) {
  if (!value) return {};
  int present = 1, kind = abi::kUnknown;
  runtime->call<abi::HasValue>(value, &present);
  if (present == 0) return {};
  runtime->call<abi::KindOfValue>(value, &kind);
  if (kind == abi::kTensor) return taken_array(runtime, value);
  if (kind != abi::kSequence && kind != abi::kMap) throw Error("", "an output is a sparse tensor or of an opaque type");
  std::size_t count = 0;
  runtime->call<abi::PartCount>(value, &count);
  ops::Sequence parts;
  for (std::size_t i = 0; i < count; ++i) {
    ValueHandle part(runtime);
    runtime->call<abi::PartOf>(value, static_cast<int>(i), allocator_of(*runtime), part.out());
    parts.push_back(datum_of(runtime, part.get()));
  }
  if (kind == abi::kSequence) return ops::Datum(std::move(parts));
  if (parts.size() != 2 || !parts[0].array() || !parts[1].array())
    throw Error("", "an output is a map whose keys or values are not tensors");
  ops::Datum map;
  map.content = std::make_shared<const ops::Map>(ops::Map{*parts[0].array(), *parts[1].array()});
  return map;
}

}  // namespace onnxpress::engines
