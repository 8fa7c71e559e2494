// Compares the two products row by row if all sizes are known, else axis by axis.
#include "onnxpress/passes/shared/matmul_rows.h"

#include <algorithm>

namespace onnxpress::passes {

namespace {

// An operand with one axis is a row on the left and a column on the right.
ops::Shape as_matrices(ops::Shape shape, bool is_left) {
  if (shape.size() == 1) shape.insert(is_left ? shape.begin() : shape.end(), Dim::size(1));
  return shape;
}

ops::Shape batches_of(const ops::Shape& matrices) { return {matrices.begin(), matrices.end() - 2}; }

// The batch axes of both operands together; nullopt if they do not fit.
std::optional<ops::Shape> broadcast(const ops::Shape& a, const ops::Shape& b, const Rewriter& rw) {
  ops::Shape both(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < both.size(); ++i) {
    const Dim left = i < a.size() ? a[a.size() - 1 - i] : Dim::size(1),
              right = i < b.size() ? b[b.size() - 1 - i] : Dim::size(1);
    Dim& dim = both[both.size() - 1 - i];
    if (left.size() == 1 || rw.dims().equal(left, right)) {
      dim = right;
    } else if (right.size() == 1) {
      dim = left;
    } else {
      return std::nullopt;
    }
  }
  return both;
}

bool equal(const ops::Shape& a, const ops::Shape& b, const Rewriter& rw) {
  return std::ranges::equal(a, b, [&](Dim left, Dim right) { return rw.dims().equal(left, right); });
}

// One operand of a product, and the batches of the result.
struct Operand {
  ops::Shape batches, result_batches;
};

// For each batch of the result, the matrix of the operand that it uses. Empty when that is not known.
std::vector<std::int64_t> matrices_used(const Operand& operand) {
  std::vector<std::int64_t> used = {0};
  const std::size_t missing = operand.result_batches.size() - operand.batches.size();
  for (std::size_t i = 0; i < operand.result_batches.size(); ++i) {
    constexpr std::int64_t kMostBatches = 1 << 16;
    const auto size = operand.result_batches[i].size();
    if (!size || *size < 1 || *size * static_cast<std::int64_t>(used.size()) > kMostBatches) return {};
    const bool repeats = i < missing || operand.batches[i - missing].size() == 1;
    std::vector<std::int64_t> next;
    for (const std::int64_t before : used) {
      for (std::int64_t k = 0; k < *size; ++k) next.push_back(repeats ? before : before * *size + k);
    }
    used = std::move(next);
  }
  return used;
}

// The rows of the result, in order: which row of the left operand and which matrix of the right one make it.
std::vector<std::pair<std::int64_t, std::int64_t>> rows_of(const ops::Shape& a, const ops::Shape& b,
                                                           const ops::Shape& batches) {
  constexpr std::size_t kMostRows = 1 << 16;
  const auto height = a[a.size() - 2].size();
  const auto left = matrices_used({batches_of(a), batches}), right = matrices_used({batches_of(b), batches});
  std::vector<std::pair<std::int64_t, std::int64_t>> rows;
  if (!height || *height < 1 || left.empty() || right.empty()) return rows;
  if (static_cast<std::size_t>(*height) > kMostRows / left.size()) return rows;
  for (std::size_t i = 0; i < left.size(); ++i) {
    for (std::int64_t k = 0; k < *height; ++k) rows.emplace_back(left[i] * *height + k, right[i]);
  }
  return rows;
}

}  // namespace

std::optional<ProductShapes> product_shapes(const ops::Shape& a, const ops::Shape& b, const Rewriter& rw) {
  if (a.empty() || b.empty()) return std::nullopt;
  const ops::Shape left = as_matrices(a, true), right = as_matrices(b, false);
  auto result = broadcast(batches_of(left), batches_of(right), rw);
  if (!result || !rw.dims().equal(left.back(), right[right.size() - 2]) || left.back().size() == 0) return std::nullopt;
  if (a.size() > 1) result->push_back(left[left.size() - 2]);
  if (b.size() > 1) result->push_back(right.back());
  return ProductShapes{a, b, *result};
}

bool same_products(const ProductShapes& one, const ProductShapes& other, const Rewriter& rw) {
  const ops::Shape a = as_matrices(one.a, true), b = as_matrices(one.b, false), c = as_matrices(other.a, true),
                   d = as_matrices(other.b, false);
  if (!rw.dims().equal(a.back(), c.back()) || !rw.dims().equal(b.back(), d.back())) return false;
  // A single matrix on the right multiplies all rows on the left, however they are grouped.
  if (b.size() == 2 && d.size() == 2) return true;
  const ops::Shape left = batches_of(a), right = batches_of(b), others = batches_of(c);
  // Nothing is repeated, and both have matrices of the same size.
  const bool same_height = rw.dims().equal(a[a.size() - 2], c[c.size() - 2]);
  if (same_height && equal(left, right, rw) && equal(others, batches_of(d), rw)) return true;
  const auto batches = broadcast(left, right, rw), other_batches = broadcast(others, batches_of(d), rw);
  const auto rows = batches ? rows_of(a, b, *batches) : rows_of({}, {}, {});
  return other_batches && !rows.empty() && rows == rows_of(c, d, *other_batches);
}

}  // namespace onnxpress::passes
