// Compares views in place, and streams as they are generated.
#include "onnxpress/compare/same_content.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "onnxpress/base/error.h"
#include "onnxpress/ops/core/element.h"

namespace onnxpress::compare {

namespace {

bool same_kind(const Tensor& a, const Tensor& b) { return a.type == b.type && std::ranges::equal(a.dims, b.dims); }

bool is_stream(const Tensor& tensor) {
  return std::holds_alternative<std::shared_ptr<const ByteStream>>(tensor.content);
}

bool same_views(const Bytes& a, const Tensor& tensor_of_a, MappedFiles files_of_a, const Bytes& b,
                const Tensor& tensor_of_b, MappedFiles files_of_b) {
  if (a.size() != b.size()) return false;
  bool same = true;
  std::size_t at = 0;
  for_each_part(files_of_a, tensor_of_a, a, [&](std::string_view part) {
    const std::string_view other = b.view().substr(at, part.size());
    same = same && part == other;
    release_pages(files_of_b, tensor_of_b, other);
    at += part.size();
  });
  return same;
}

// Compares a stream with the bytes of another tensor; a piece without data stands for zeros.
bool same_stream(const Tensor& streamed, const Tensor& other, MappedFiles files_of_other) {
  const auto& stream = *std::get<std::shared_ptr<const ByteStream>>(streamed.content);
  const Bytes bytes = other.bytes();
  if (stream.size() != bytes.size()) return false;
  bool same = true;
  std::size_t at = 0;
  stream.produce([&](std::string_view piece) {
    const std::string_view part = bytes.view().substr(std::min(at, bytes.size()), piece.size());
    const auto is_zero = [](char c) { return c == 0; };
    same = same && part.size() == piece.size() && (piece.data() ? part == piece : std::ranges::all_of(part, is_zero));
    release_pages(files_of_other, other, part);
    at += piece.size();
  });
  return same && at == bytes.size();
}

// Content that cannot be read was not changed either, so both models must refer to it in the same way.
bool same_unreadable(const Tensor& a, const Tensor& b) {
  const auto *bytes = std::get_if<Bytes>(&a.content), *other_bytes = std::get_if<Bytes>(&b.content);
  if (bytes && other_bytes) return bytes->view() == other_bytes->view();
  const auto *range = std::get_if<FileRange>(&a.content), *other_range = std::get_if<FileRange>(&b.content);
  if (range && other_range)
    return range->file->location() == other_range->file->location() && range->offset == other_range->offset;
  return a.content.index() == b.content.index();
}

}  // namespace

bool same_tensor(const Tensor& a, MappedFiles files_of_a, const Tensor& b, MappedFiles files_of_b) {
  if (!same_kind(a, b)) return false;
  if (a.type == ElementType::kString) return std::ranges::equal(a.strings(), b.strings());
  try {
    if (is_stream(a)) return same_stream(a, b, files_of_b);
    if (is_stream(b)) return same_stream(b, a, files_of_a);
    return same_views(a.bytes(), a, files_of_a, b.bytes(), b, files_of_b);
  } catch (const Error&) {
    return same_unreadable(a, b);
  }
}

bool same_tensor(const ops::Array& a, const Tensor& b, MappedFiles files_of_b) {
  if (a.type() != b.type || !std::ranges::equal(a.sizes(), b.dims)) return false;
  if (a.is_string()) return std::ranges::equal(a.data<std::string>(), b.strings());
  Arena arena;
  return same_tensor(*a.to_tensor(arena, {}), {}, b, files_of_b);
}

bool same_array(const ops::Array& a, const ops::Array& b) {
  if (a.type() != b.type() || a.sizes() != b.sizes()) return false;
  if (a.is_string()) return std::ranges::equal(a.data<std::string>(), b.data<std::string>());
  return a.count() == 0 || std::memcmp(a.bytes(), b.bytes(), a.count() * a.width()) == 0;
}

bool same_sparse_tensor(const SparseTensor& a, const SparseTensor& b) {
  const auto same_part = [](const Tensor* x, const Tensor* y) { return x && y ? same_tensor(*x, {}, *y, {}) : x == y; };
  return std::ranges::equal(a.dims, b.dims) && same_part(a.values, b.values) && same_part(a.indices, b.indices);
}

bool is_within(const ops::Array& a, const ops::Array& b, double error) {
  if (a.type() != b.type() || a.sizes() != b.sizes()) return false;
  double difference = 0, magnitude = 0;
  const bool is_float = ops::dispatch(ops::FloatTypes(), a.type(), [&]<typename T>() {
    for (std::size_t i = 0; i < a.count(); ++i) {
      const auto x = static_cast<double>(static_cast<ops::Computed<T>>(a.data<T>()[i]));
      const auto y = static_cast<double>(static_cast<ops::Computed<T>>(b.data<T>()[i]));
      if (!std::isfinite(x)) {
        if (x != y && !(std::isnan(x) && std::isnan(y))) difference = INFINITY;
        continue;
      }
      difference = std::max(difference, std::isfinite(y) ? std::abs(x - y) : INFINITY);
      magnitude = std::max(magnitude, std::abs(x));
    }
  });
  // Decoding rounds once more, in scales and sums.
  const double digits = a.type() == ElementType::kBfloat16  ? 0x1p-7
                        : a.type() == ElementType::kFloat16 ? 0x1p-10
                                                            : 1e-5;
  return is_float && difference <= error * 1.01 + magnitude * digits;
}

}  // namespace onnxpress::compare
