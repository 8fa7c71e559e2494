// Tensors as text: every element exactly, or the first few and a hash of the whole tensor.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/base/parallel_for.h"
#include "onnxpress/text/name_syntax.h"
#include "onnxpress/text/number_list.h"
#include "onnxpress/text/printer.h"

namespace onnxpress::text {

namespace {

constexpr std::uint64_t kShownElements = 4;

}  // namespace

void Printer::print_tensor_type(const Tensor& tensor) {
  print_element_type(tensor.type);
  if (!tensor.dims.empty()) fmt::format_to(std::back_inserter(out_), "[{}]", fmt::join(tensor.dims, ", "));
}

void Printer::print_tensor(const Tensor& tensor, std::string_view name) {
  if (!tensor.doc.empty() || !tensor.metadata.empty())
    lose("the doc_string or metadata_props of a tensor in an attribute");
  print_tensor_type(tensor);
  out_ += ' ';
  if (!name.empty()) {
    append_name(out_, name);
    out_ += ' ';
  }
  if (tensor.storage == Storage::kExternal) out_ += "= ";  // "float[2] [" would look like a shape
  print_data(tensor);
}

void Printer::print_data(const Tensor& tensor) {
  if (tensor.segmented) lose(fmt::format("the segment of tensor {}", quote_name(tensor.name)));
  if (tensor.conflicting) lose(fmt::format("the other data fields of tensor {}", quote_name(tensor.name)));
  if (tensor.storage == Storage::kExternal) return print_external(tensor);
  if (const ElidedStream* elided = elided_content(tensor)) return print_elided(tensor, elided->shown(), elided->hash());
  const auto strings = tensor.strings();
  if (tensor.storage == Storage::kNone || tensor.type == ElementType::kString) {
    if (tensor.type == ElementType::kString && tensor.element_count() != strings.size() &&
        tensor.storage != Storage::kNone) {
      lose(fmt::format("the elements of tensor {}, whose number is not that of its shape", quote_name(tensor.name)));
      out_ += "{}";
      return;
    }
    out_ += '{';
    print_list(strings, [this](std::string_view text) { append_quoted(out_, text); });
    out_ += '}';
    return;
  }
  Bytes bytes;
  try {
    bytes = tensor.bytes();
  } catch (const Error& error) {
    lose(fmt::format("the elements of {}", error.what()));
    out_ += "{}";
    return;
  }
  const std::uint64_t count = tensor.element_count().value_or(0);
  if (count > options_.elide_above) {
    const int bits = bits_of(tensor.type);
    const std::uint64_t shown = bits < 8 ? 0 : std::min(count, kShownElements) * static_cast<std::uint64_t>(bits) / 8;
    print_elided(tensor, bytes.view().substr(0, shown), XXH3_64bits(bytes.data(), bytes.size()));
    return release_pages(files_, tensor, bytes.view());
  }
  out_ += '{';
  print_elements(tensor, bytes);
  out_ += '}';
}

void Printer::print_external(const Tensor& tensor) {
  const auto* range = std::get_if<FileRange>(&tensor.content);
  if (!tensor.external_entries.empty() || !range || !range->file) return print_entries(tensor.external_entries);
  const std::string offset = std::to_string(range->offset), length = std::to_string(range->length.value_or(0));
  std::vector<MetadataEntry> entries = {{"location", range->file->location()}, {"offset", offset}};
  if (range->length) entries.push_back({"length", length});
  print_entries(entries);
}

void Printer::print_elided(const Tensor& tensor, std::string_view shown, std::optional<std::uint64_t> hash) {
  const std::uint64_t shown_elements = shown.size() * 8 / static_cast<std::uint64_t>(bits_of(tensor.type));
  out_ += '{';
  const NumberList numbers(tensor.type, shown, shown_elements, options_.small_types_as_values);
  numbers.append(out_, 0, numbers.size());
  fmt::format_to(std::back_inserter(out_), "{}... {} more", shown.empty() ? "" : ", ",
                 *tensor.element_count() - shown_elements);
  if (hash) fmt::format_to(std::back_inserter(out_), ", xxh3 {:016x}", *hash);
  out_ += '}';
}

// Prints a long tensor in parts, a few at a time on several cores, so that only those are in memory.
void Printer::print_elements(const Tensor& tensor, const Bytes& bytes) {
  const NumberList numbers(tensor.type, bytes.view(), tensor.element_count().value_or(0),
                           options_.small_types_as_values);
  constexpr std::uint64_t kPart = std::uint64_t{1} << 15;
  constexpr std::size_t kAtOnce = 16;
  if (numbers.size() <= kPart) return numbers.append(out_, 0, numbers.size());
  std::vector<std::string> parts(kAtOnce);
  for (std::uint64_t begin = 0; begin < numbers.size(); begin += kPart * kAtOnce) {
    const std::uint64_t end = std::min(numbers.size(), begin + kPart * kAtOnce);
    const std::uint64_t count = (end - begin + kPart - 1) / kPart;
    parallel_for(count, [&](std::size_t i) {
      parts[i].clear();
      numbers.append(parts[i], begin + i * kPart, std::min(end, begin + (i + 1) * kPart));
    });
    for (std::uint64_t i = 0; i < count; ++i) {
      out_ += parts[i];
      flush_if_full();
    }
    release_pages(files_, tensor, numbers.bytes_of(begin, end));
  }
}

// An extension: the official syntax has the type, but no way to write its values.
void Printer::print_sparse(const SparseTensor& sparse, const Value* value) {
  out_ += "sparse_tensor(";
  print_element_type(sparse.values ? sparse.values->type : ElementType::kUndefined);
  if (!sparse.dims.empty()) fmt::format_to(std::back_inserter(out_), "[{}]", fmt::join(sparse.dims, ", "));
  out_ += ") ";
  if (value) {
    print_value(value);
    out_ += " = ";
  }
  const Tensor none;
  const Tensor& values = sparse.values ? *sparse.values : none;
  const Tensor& indices = sparse.indices ? *sparse.indices : none;
  out_ += '{';
  print_tensor(values,
               value ? std::string_view() : values.name);  // the name of the values is the name of the initializer
  out_ += ", ";
  print_tensor(indices, indices.name);
  out_ += '}';
  if (!sparse.values || !sparse.indices) lose("that a sparse tensor has no values or no indices");
}

}  // namespace onnxpress::text
