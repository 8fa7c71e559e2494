// Reads and writes .npy files: a header, which is a Python dictionary of three entries, and raw data.
#include "onnxpress/inputs/npy.h"

#include <fmt/format.h>

#include <cstring>

#include "onnxpress/base/error.h"
#include "onnxpress/base/from_chars.h"
#include "onnxpress/base/mapped_file.h"
#include "onnxpress/base/utf8.h"

namespace onnxpress::inputs {

namespace {

struct NumpyType {
  std::string_view name;  // without the byte order
  ElementType type;
};
constexpr NumpyType kTypes[] = {
    {"f4", ElementType::kFloat},     {"f8", ElementType::kDouble},      {"f2", ElementType::kFloat16},
    {"i1", ElementType::kInt8},      {"i2", ElementType::kInt16},       {"i4", ElementType::kInt32},
    {"i8", ElementType::kInt64},     {"u1", ElementType::kUint8},       {"u2", ElementType::kUint16},
    {"u4", ElementType::kUint32},    {"u8", ElementType::kUint64},      {"b1", ElementType::kBool},
    {"c8", ElementType::kComplex64}, {"c16", ElementType::kComplex128},
};

constexpr std::string_view kMagic = "\x93NUMPY";

[[noreturn]] void fail(const std::string& what) { throw Error("", what, "write it with numpy.save"); }

// The text after 'key':, up to the end of its value.
std::string_view entry(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) fail(fmt::format("the .npy header has no '{}'", key));
  std::string_view rest = header.substr(at + key.size() + 3);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest;
}

ops::Sizes parse_shape(std::string_view text) {
  ops::Sizes sizes;
  const std::size_t close = text.find(')');
  if (!text.starts_with('(') || close == std::string_view::npos) fail("the .npy header has no shape");
  text = text.substr(1, close - 1);
  while (!text.empty()) {
    const std::size_t begin = text.find_first_not_of(" ,");
    if (begin == std::string_view::npos) break;
    std::int64_t size = 0;
    const auto [end, error] = onnxpress::from_chars(text.data() + begin, text.data() + text.size(), size);
    if (error != std::errc() || size < 0) fail("the .npy header has an invalid shape");
    sizes.push_back(size);
    text = text.substr(static_cast<std::size_t>(end - text.data()));
  }
  return sizes;
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | ((code >> 18) & 7));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3f));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

// '<U7': each text is 7 numbers of 32 bits, padded with zeros.
ops::Array read_texts(std::string_view data, std::string_view width_text, const ops::Sizes& sizes, std::size_t count) {
  std::size_t width = 0;
  onnxpress::from_chars(width_text.data(), width_text.data() + width_text.size(), width);
  if (width > (std::size_t{1} << 24) || (width > 0 && data.size() / (width * 4) < count))
    fail("the .npy file is truncated");
  ops::Array made = ops::Array::make(ElementType::kString, sizes);
  for (std::size_t i = 0; i < count; ++i) {
    std::string& text = made.mutable_data<std::string>()[i];
    for (std::size_t k = 0; k < width; ++k) {
      std::uint32_t code = 0;
      std::memcpy(&code, data.data() + (i * width + k) * 4, 4);
      if (code == 0) break;
      append_utf8(text, code);
    }
  }
  return made;
}

ops::Array parse(std::string_view file) {
  if (!file.starts_with(kMagic) || file.size() < 12) fail("this is not a .npy file");
  const bool wide = file[6] >= 2;
  std::uint32_t header_size = 0;
  std::memcpy(&header_size, file.data() + 8, wide ? 4 : 2);
  const std::size_t begin = wide ? 12 : 10;
  if (header_size > file.size() - begin) fail("the .npy header is truncated");
  const std::string_view header = file.substr(begin, header_size), data = file.substr(begin + header_size);

  const ops::Sizes sizes = parse_shape(entry(header, "shape"));
  const auto count = ops::count_of(sizes);
  if (!count) fail("the .npy file has more elements than can be handled");
  if (entry(header, "fortran_order").starts_with("True") && sizes.size() > 1) fail("the .npy file is in Fortran order");
  const std::string_view described = entry(header, "descr");
  const std::size_t close = described.find('\'', 1);
  if (described.size() < 3 || described[0] != '\'' || close == std::string_view::npos || close < 3)
    fail("the .npy file has a structured type");
  const char order = described[1];
  const std::string_view name = described.substr(2, close - 2);
  if (order == '>') fail("the .npy file has big-endian numbers");
  if (name.starts_with('U')) return read_texts(data, name.substr(1), sizes, *count);
  for (const NumpyType& each : kTypes) {
    if (each.name != name) continue;
    ops::Array made = ops::Array::make(each.type, sizes);
    if (data.size() < made.count() * made.width()) fail("the .npy file is truncated");
    if (made.count() > 0) std::memcpy(made.mutable_bytes(), data.data(), made.count() * made.width());
    return made;
  }
  fail(fmt::format("the .npy file has elements of type {}", quote_name(described.substr(1, close - 1))));
}

std::string header_of(std::span<const std::int64_t> sizes, const std::string& descr) {
  std::string shape;
  for (const std::int64_t size : sizes) shape += fmt::format("{},", size);
  if (sizes.size() > 1) shape.pop_back();
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, shape);
  // The data begins at a multiple of 64.
  header.append((64 - (kMagic.size() + 4 + header.size() + 1) % 64) % 64, ' ');
  header += '\n';
  std::string out(kMagic);
  out += '\x01';
  out += '\0';
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  return out;
}

// Invalid UTF-8 becomes one character per byte, so that nothing is lost silently.
std::vector<std::uint32_t> code_points(std::string_view text) {
  std::vector<std::uint32_t> codes;
  while (!text.empty()) {
    const Utf8Character first = first_character(text);
    codes.push_back(first.point == Utf8Character::kBroken ? static_cast<unsigned char>(text.front()) : first.point);
    text.remove_prefix(first.length);
  }
  return codes;
}

std::string encode_texts(const ops::Array& array) {
  std::vector<std::vector<std::uint32_t>> texts;
  std::size_t width = 1;
  for (const std::string& text : array.data<std::string>()) {
    texts.push_back(code_points(text));
    width = std::max(width, texts.back().size());
  }
  std::string data(texts.size() * width * 4, '\0');
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::memcpy(data.data() + i * width * 4, texts[i].data(), texts[i].size() * 4);
  return header_of(array.sizes(), fmt::format("<U{}", width)) + data;
}

// Converts types that NumPy does not have to float32, which holds the same numbers.
ops::Array as_floats(const ops::Array& array) {
  using Types = ops::TypeList<ElementType::kBfloat16, ElementType::kFloat8e4m3fn, ElementType::kFloat8e4m3fnuz,
                              ElementType::kFloat8e5m2, ElementType::kFloat8e5m2fnuz, ElementType::kFloat8e8m0,
                              ElementType::kFloat6e2m3, ElementType::kFloat6e3m2, ElementType::kFloat4e2m1,
                              ElementType::kInt4, ElementType::kUint4, ElementType::kInt2, ElementType::kUint2>;
  ops::Array made = ops::Array::make<float>(array.sizes());
  ops::dispatch(Types(), array.type(), [&]<typename T>() {
    for (std::size_t i = 0; i < array.count(); ++i)
      made.mutable_data<float>()[i] = static_cast<float>(array.data<T>()[i]);
  });
  return made;
}

}  // namespace

ops::Array decode_npy(std::string_view file) { return parse(file); }

ops::Array read_npy(const std::filesystem::path& path) {
  try {
    const auto file = MappedFile::open(path, FileAccess::kMap);
    return parse(file->bytes().view());
  } catch (Error& error) {
    error.set_file(path.string());
    throw;
  }
}

std::optional<std::string> npy_header(ElementType type, std::span<const std::int64_t> dims) {
  for (const NumpyType& each : kTypes) {
    if (each.type == type) return header_of(dims, fmt::format("{}{}", bits_of(type) == 8 ? "|" : "<", each.name));
  }
  return std::nullopt;
}

std::string encode_npy(const ops::Array& array, std::string* lost) {
  if (array.is_string()) return encode_texts(array);
  if (const auto header = npy_header(array.type(), array.sizes()))
    return *header + std::string(reinterpret_cast<const char*>(array.bytes()), array.count() * array.width());
  if (lost) *lost = fmt::format("NumPy has no {}: written as float32, the same numbers", name_of(array.type()));
  return encode_npy(as_floats(array));
}

}  // namespace onnxpress::inputs
