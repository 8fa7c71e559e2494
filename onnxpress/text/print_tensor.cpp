// Tensors as text: every element exactly, or the first few and a hash of all.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/text/element_form.h"
#include "onnxpress/text/numbers.h"
#include "onnxpress/text/printer.h"
#include "onnxpress/text/small_float.h"
#include "onnxpress/text/words.h"

namespace onnxpress::text {

namespace {

constexpr std::uint64_t kShownElements = 4;

template <typename T>
T load(std::string_view raw, std::uint64_t i) {
  T value;
  std::memcpy(&value, raw.data() + i * sizeof(T), sizeof(T));
  return value;
}

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
  if (tensor.storage == Storage::kExternal) out_ += "= ";  // "float[2] [" would be hard to tell from a shape
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
    return print_elided(tensor, bytes.view().substr(0, shown), XXH3_64bits(bytes.data(), bytes.size()));
  }
  out_ += '{';
  print_numbers(tensor.type, bytes.view(), count);
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
  print_numbers(tensor.type, shown, shown_elements);
  fmt::format_to(std::back_inserter(out_), "{}... {} more", shown.empty() ? "" : ", ",
                 *tensor.element_count() - shown_elements);
  if (hash) fmt::format_to(std::back_inserter(out_), ", xxh3 {:016x}", *hash);
  out_ += '}';
}

void Printer::print_numbers(ElementType type, std::string_view raw, std::uint64_t count) {
  const auto each = [&]<typename T>(T, std::uint64_t numbers, auto&& append) {
    for (std::uint64_t i = 0; i < numbers; ++i) {
      if (i > 0) out_ += ", ";
      append(load<T>(raw, i));
    }
  };
  const auto integers = [&](auto sample) {
    each(sample, count, [this](auto value) { fmt::format_to(std::back_inserter(out_), "{}", value); });
  };
  const auto patterns = [&](auto sample) {
    if (!options_.small_types_as_values) return integers(sample);
    each(sample, count, [&](auto bits) { append_small_float(out_, *small_float_of(type), bits); });
  };
  const auto append_float_bits = [this](std::uint32_t bits) { append_float(out_, bits); };
  const auto append_double_bits = [this](std::uint64_t bits) { append_double(out_, bits); };
  switch (type) {
    case ElementType::kFloat:
      return each(std::uint32_t{}, count, append_float_bits);
    case ElementType::kComplex64:
      return each(std::uint32_t{}, count * 2, append_float_bits);
    case ElementType::kDouble:
      return each(std::uint64_t{}, count, append_double_bits);
    case ElementType::kComplex128:
      return each(std::uint64_t{}, count * 2, append_double_bits);
    case ElementType::kInt8:
      return integers(std::int8_t{});
    case ElementType::kInt16:
      return integers(std::int16_t{});
    case ElementType::kInt32:
      return integers(std::int32_t{});
    case ElementType::kInt64:
      return integers(std::int64_t{});
    case ElementType::kBool:
    case ElementType::kUint8:
      return integers(std::uint8_t{});
    case ElementType::kUint16:
      return integers(std::uint16_t{});
    case ElementType::kUint32:
      return integers(std::uint32_t{});
    case ElementType::kUint64:
      return integers(std::uint64_t{});
    case ElementType::kFloat16:
    case ElementType::kBfloat16:
      return patterns(std::uint16_t{});
    default:
      break;
  }
  if (bits_of(type) == 8) return patterns(std::uint8_t{});
  print_small_elements(type, raw, count);
}

// 4- and 2-bit types are whole bytes in the official syntax; a float6 is an element by itself.
void Printer::print_small_elements(ElementType type, std::string_view raw, std::uint64_t count) {
  const int bits = bits_of(type);
  if (bits != 6 && !options_.small_types_as_values) {
    for (std::size_t i = 0; i < raw.size(); ++i) {
      fmt::format_to(std::back_inserter(out_), "{}{}", i > 0 ? ", " : "",
                     static_cast<unsigned>(static_cast<unsigned char>(raw[i])));
    }
    return;
  }
  const auto small = small_float_of(type);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i > 0) out_ += ", ";
    std::uint8_t pattern = 0;
    unpack(raw.data(), bits, i, 1, &pattern);
    if (options_.small_types_as_values && small) {
      append_small_float(out_, *small, pattern);
    } else {
      const int value = is_signed_integer(type) ? sign_extended(pattern, bits) : pattern;
      fmt::format_to(std::back_inserter(out_), "{}", value);
    }
  }
}

// An extension: the official syntax has the type, but no values of it.
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
