// The safetensors format: the length of a JSON header, the header, and the data of all tensors.
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "onnxpress/base/atomic_file.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/mapped_file.h"
#include "onnxpress/base/utf8.h"
#include "onnxpress/format/external_files.h"
#include "onnxpress/tasks/edit/tensor_files.h"

namespace onnxpress {

namespace {

struct TypeName {
  std::string_view name;
  ElementType type;
};
constexpr TypeName kTypes[] = {{"F64", ElementType::kDouble},        {"F32", ElementType::kFloat},
                               {"F16", ElementType::kFloat16},       {"BF16", ElementType::kBfloat16},
                               {"I64", ElementType::kInt64},         {"I32", ElementType::kInt32},
                               {"I16", ElementType::kInt16},         {"I8", ElementType::kInt8},
                               {"U64", ElementType::kUint64},        {"U32", ElementType::kUint32},
                               {"U16", ElementType::kUint16},        {"U8", ElementType::kUint8},
                               {"BOOL", ElementType::kBool},         {"F8_E4M3", ElementType::kFloat8e4m3fn},
                               {"F8_E5M2", ElementType::kFloat8e5m2}};

constexpr std::uint64_t kMostHeader = 100'000'000;  // the limit of the reference reader
constexpr std::size_t kMostRank = 1024;

std::optional<std::string_view> name_for(ElementType type) {
  for (const TypeName& each : kTypes) {
    if (each.type == type) return each.name;
  }
  return std::nullopt;
}

[[noreturn]] void fail(const std::filesystem::path& path, std::string message) {
  Error error("", std::move(message), "is it a .safetensors file?");
  error.set_file(path.string());
  throw error;
}

std::optional<std::uint64_t> natural(const nlohmann::json& value) {
  return value.is_number_unsigned() ? std::optional(value.get<std::uint64_t>()) : std::nullopt;
}

LoadedTensor tensor_in(const std::string& name, const nlohmann::json& entry, const Bytes& data,
                       const std::filesystem::path& path) {
  const auto part = [&](const char* key) -> const nlohmann::json& {
    const auto found = entry.is_object() ? entry.find(key) : entry.end();
    if (!entry.is_object() || found == entry.end())
      fail(path, fmt::format("tensor {} has no {}", quote_name(name), key));
    return *found;
  };
  LoadedTensor made{name, ElementType::kUndefined, {}, {}};
  const nlohmann::json &type = part("dtype"), &shape = part("shape"), &offsets = part("data_offsets");
  for (const TypeName& each : kTypes) {
    if (type.is_string() && each.name == type.get_ref<const std::string&>()) made.type = each.type;
  }
  if (made.type == ElementType::kUndefined)
    fail(path, fmt::format("tensor {} has a type that ONNX does not have", quote_name(name)));
  if (!shape.is_array() || shape.size() > kMostRank)
    fail(path, fmt::format("tensor {} has no shape", quote_name(name)));
  for (const nlohmann::json& each : shape) {
    const auto size = natural(each);
    if (!size || *size > static_cast<std::uint64_t>(Dim::kMostSize))
      fail(path, fmt::format("the shape of tensor {} is not a list of sizes", quote_name(name)));
    made.dims.push_back(static_cast<std::int64_t>(*size));
  }
  const auto begin = offsets.is_array() && offsets.size() == 2 ? natural(offsets[0]) : std::nullopt;
  const auto end = begin ? natural(offsets[1]) : std::nullopt;
  if (!begin || !end || *begin > *end || *end > data.size())
    fail(path, fmt::format("the data of tensor {} is not in the file", quote_name(name)));
  const auto count = product_of(made.dims);
  const auto bytes = count ? raw_size(made.type, *count) : std::nullopt;
  if (!bytes || *bytes != *end - *begin)
    fail(path,
         fmt::format("tensor {} has {} bytes, which is not what its shape needs", quote_name(name), *end - *begin));
  made.content = data.slice(*begin, *bytes);
  return made;
}

}  // namespace

TensorFiles write_safetensors(const Model& model, const std::vector<NamedContent>& tensors,
                              const std::filesystem::path& output) {
  TensorFiles made;
  nlohmann::ordered_json header = {{"__metadata__", {{"format", "onnx"}}}};
  std::vector<const Tensor*> order;
  std::uint64_t offset = 0;
  for (const NamedContent& each : tensors) {
    const auto type = name_for(each.tensor->type);
    const auto bytes = each.tensor->expected_bytes();
    const bool fits = type && bytes && is_valid_utf8(each.name) && each.name != "__metadata__";
    if (!fits) {
      made.left_out.push_back(fmt::format("{}: safetensors cannot hold {}", quote_name(each.name),
                                          type ? "such a name" : name_of(each.tensor->type)));
      continue;
    }
    header[each.name] = {{"dtype", *type},
                         {"shape", std::vector<std::int64_t>(each.tensor->dims.begin(), each.tensor->dims.end())},
                         {"data_offsets", {offset, offset + *bytes}}};
    order.push_back(each.tensor);
    offset += *bytes;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  AtomicFile file(output);
  std::uint64_t length = text.size();
  char prefix[8];
  for (char& c : prefix) {
    c = static_cast<char>(length & 0xff);
    length >>= 8;
  }
  file.write({prefix, sizeof prefix});
  file.write(text);
  const std::function<void(std::uint64_t, std::uint64_t)> silent;
  for (const Tensor* tensor : order) {
    format::Progress progress(silent, *tensor->expected_bytes());
    format::write_content(file, model, *tensor, *tensor->expected_bytes(), progress);
  }
  const std::uint64_t size = file.position();
  file.commit();
  made.files.push_back({output.string(), size});
  return made;
}

std::vector<LoadedTensor> read_safetensors(const std::filesystem::path& input) {
  const Bytes all = MappedFile::open(input, FileAccess::kMap)->bytes();
  if (all.size() < 8) fail(input, "the file is too short");
  std::uint64_t length = 0;
  for (int i = 7; i >= 0; --i)
    length = length << 8 | static_cast<unsigned char>(all.view()[static_cast<std::size_t>(i)]);
  if (length > kMostHeader || length > all.size() - 8)
    fail(input, fmt::format("the header would have {} bytes", length));
  const std::string_view text = all.view().substr(8, length);
  const nlohmann::json header = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!header.is_object()) fail(input, "the header is not JSON");
  const Bytes data = all.slice(8 + length, all.size() - 8 - length);
  std::vector<LoadedTensor> tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name != "__metadata__") tensors.push_back(tensor_in(name, entry, data, input));
  }
  return tensors;
}

}  // namespace onnxpress
