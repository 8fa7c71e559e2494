// Tensors: "{1, 2}" after a type, or external data: "["location": "weights.bin", "offset": "4096"]".
#include <fmt/format.h>

#include <limits>

#include "onnxpress/base/error.h"
#include "onnxpress/base/from_chars.h"
#include "onnxpress/text/parser.h"

namespace onnxpress::text {

std::span<const std::int64_t> Parser::sizes_of(const Type& type, const char* place) {
  if (!type.has_shape) {
    in_.fail_at(place, "a tensor's value needs a shape", "a scalar is written without brackets, as in: float {1}");
  }
  std::vector<std::int64_t> sizes;
  for (const Dim dim : type.dims) {
    if (!dim.size())
      in_.fail_at(place, fmt::format("a tensor's value needs sizes, but it has dimension '{}'", to_string(dim)));
    sizes.push_back(*dim.size());
  }
  return in_arena(sizes);
}

Tensor* Parser::parse_tensor(const Type& type, std::string_view name, const char* place) {
  if (type.kind != Type::Kind::kTensor) in_.fail_at(place, "only tensors can have a value");
  auto* tensor = arena_.make<Tensor>();
  tensor->name = name;
  tensor->type = type.element;
  tensor->dims = sizes_of(type, place);
  tensor->changed = true;
  if (in_.peek() == '[') {
    parse_external(*tensor);
  } else if (tensor->type == ElementType::kString) {
    parse_strings(*tensor);
  } else if (in_.peek() == '{' || in_.starts("...")) {
    parse_numbers(*tensor);
  }
  return tensor;
}

void Parser::parse_strings(Tensor& tensor) {
  std::vector<std::string_view> texts;
  const char* place = in_.place();
  const bool open = in_.take('{');
  if (!in_.take('}') && open) {  // the official printer leaves out the '{' of a tensor without strings
    do {
      texts.push_back(parse_text("a string"));
    } while (in_.take(','));
    in_.expect('}', "after the tensor's elements");
  }
  if (!texts.empty()) {
    const auto count = tensor.element_count();
    if (count != texts.size()) {
      in_.fail_at(place, fmt::format("{} has {} elements, but {} are given", to_string(tensor.type, tensor.dims),
                                     count.value_or(0), texts.size()));
    }
    tensor.storage = Storage::kStrings;
  }
  tensor.content = in_arena(texts);
}

void Parser::parse_external(Tensor& tensor) {
  const char* place = in_.place();
  tensor.storage = Storage::kExternal;
  tensor.external_entries = in_arena(parse_entries("external data"));
  FileRange range;
  std::string_view location;
  const auto whole_number = [&](const MetadataEntry& entry) {
    std::uint64_t value = 0;
    const char* end = entry.value.data() + entry.value.size();
    const auto [stop, error] = onnxpress::from_chars(entry.value.data(), end, value);
    const bool fits = value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (error != std::errc() || stop != end || !fits) {
      in_.fail_at(place, fmt::format("the {} of external data is {}, which is not a whole number of bytes", entry.key,
                                     quote_name(entry.value)));
    }
    return value;
  };
  for (const MetadataEntry& entry : tensor.external_entries) {
    if (entry.key == "location") location = entry.value;
    if (entry.key == "offset") range.offset = whole_number(entry);
    if (entry.key == "length") range.length = whole_number(entry);
  }
  if (location.empty())
    in_.fail_at(place, "external data needs a location", "write, for example, [\"location\": \"weights.bin\"]");
  auto& file = external_files_[location];
  if (!file) {
    file = std::make_shared<ExternalFile>(folder_, std::string(location), options_.outside_paths, options_.access,
                                          options_.external);
    model_.external_files.push_back(file);
  }
  range.file = file;
  tensor.content = std::move(range);
}

// An extension: "sparse_tensor(float[3,4]) {float[2] {1, 2}, int64[2] {0, 5}}", with the values and then their
// positions.
SparseTensor* Parser::parse_sparse_tensor(const Type& type, std::string_view name, const char* place) {
  auto* sparse = arena_.make<SparseTensor>();
  sparse->dims = sizes_of(type, place);
  sparse->changed = true;
  in_.expect('{', "and the values and indices of the sparse tensor");
  const char* values_place = in_.place();
  sparse->values = parse_sparse_part("the values of the sparse tensor");
  if (sparse->values->type != type.element) {
    in_.fail_at(values_place, fmt::format("the values are {}, but the sparse tensor is {}",
                                          name_of(sparse->values->type), name_of(type.element)));
  }
  if (name.data()) sparse->values->name = name;
  in_.expect(',', "after the values of the sparse tensor");
  sparse->indices = parse_sparse_part("the indices of the sparse tensor");
  in_.expect('}', "after the indices of the sparse tensor");
  return sparse;
}

Tensor* Parser::parse_sparse_part(std::string_view what) {
  const char* place = in_.place();
  if (!at_type()) in_.fail(fmt::format("expected {}, a tensor", what));
  const Type* type = parse_type();
  const std::string_view name = in_.at_name() ? arena_.text(in_.name("a name")) : std::string_view();
  in_.take('=');
  return parse_tensor(*type, name, place);
}

}  // namespace onnxpress::text
