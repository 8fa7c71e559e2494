// Finds the zero point of each weight, converts weights to bits, and looks for patterns.
#include "onnxpress/analysis/sparsity/sparsity.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

#include "onnxpress/analysis/sparsity/zero_bits.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/parallel_for.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::analysis {

namespace {

using ZeroPoints = std::unordered_map<const Value*, ops::Array>;

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// Finds zero points by name: in schemas, the zero point of operand `w` is called `w_zero_point`.
ZeroPoints zero_points_of(const Facts& facts, const Model& model) {
  constexpr std::uint64_t kMost = 1 << 20;
  ZeroPoints found;
  for_each_node(model, [&](const Node& node) {
    const ops::Op* op = facts.ops().plain_op_of(node);
    if (!op || !op->schema) return;
    for (std::size_t i = 0; i < op->schema->operands.size() && i < node.input_count(); ++i) {
      const Value* point = node.input(i);
      const std::string name = lower(op->schema->operands[i].name);
      if (!point || !name.ends_with("_zero_point")) continue;
      for (std::size_t k = 0; k < node.input_count() && k < op->schema->operands.size(); ++k) {
        if (!node.input(k) || lower(op->schema->operands[k].name) + "_zero_point" != name) continue;
        if (auto array = facts.constant(*point, kMost)) found.emplace(node.input(k), std::move(*array));
      }
    }
  });
  return found;
}

// Unpacks four-bit elements to one per byte.
std::vector<std::byte> unpacked(const Bytes& bytes, std::uint64_t count) {
  std::vector<std::byte> out(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto both = static_cast<unsigned char>(bytes.view()[i / 2]);
    out[i] = static_cast<std::byte>(i % 2 == 0 ? both & 15 : both >> 4);
  }
  return out;
}

bool is_signed_zero_type(ElementType type) { return is_float(type) || type == ElementType::kBfloat16; }

class Reader {
 public:
  Reader(const TensorEntry& entry, const ops::Array* zero_point, const SparsityOptions& options)
      : tensor_(*entry.tensor), zero_point_(zero_point), options_(options) {}

  void read(WeightSparsity& out) {
    const Bytes bytes = tensor_.bytes();
    const auto* data = reinterpret_cast<const std::byte*>(bytes.view().data());
    const int bits = bits_of(tensor_.type);
    if (bits == 4) {
      unpacked_ = unpacked(bytes, out.elements);
      data = unpacked_.data();
    } else if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
      out.problem = "elements of this type cannot be compared";
      return;
    }
    rule_.width = bits == 4 ? 1 : static_cast<std::size_t>(bits) / 8;
    if (bits == 4) rule_.mask = 15;
    if (is_signed_zero_type(tensor_.type)) rule_.mask = ~(std::uint64_t{1} << (bits - 1));
    if (tensor_.dims.size() < 2 || out.elements == 0) {
      std::vector<std::uint64_t> words((out.elements + 63) / 64);
      rule_.zero = zero_of(0);
      out.zeros = find_nonzeros(data, out.elements, rule_, words.data());
      return;
    }
    read_matrices(data, out);
  }

 private:
  // The zero point of this row, or the one for all rows.
  std::uint64_t zero_of(std::uint64_t row) const {
    if (!zero_point_ || zero_point_->count() == 0 || zero_point_->is_string()) return 0;
    const std::size_t at = zero_point_->count() == static_cast<std::uint64_t>(row_count_) ? row : 0;
    std::uint64_t zero = 0;
    std::memcpy(&zero, zero_point_->bytes() + at * zero_point_->width(),
                std::min<std::size_t>(zero_point_->width(), 8));
    return zero & width_mask();
  }
  std::uint64_t width_mask() const {
    const std::uint64_t all = rule_.width >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * rule_.width)) - 1;
    return all & rule_.mask;
  }

  void read_matrices(const std::byte* data, WeightSparsity& out) {
    out.rows = static_cast<std::uint64_t>(tensor_.dims[0]);
    out.columns = static_cast<std::uint64_t>(tensor_.dims[1]);
    row_count_ = static_cast<std::int64_t>(out.rows);
    const std::uint64_t in_row = out.elements / out.rows, window = in_row / out.columns;
    const bool by_column = zero_point_ && zero_point_->count() > 1 && zero_point_->count() != out.rows &&
                           zero_point_->count() == out.columns && window == 1;
    // Row by row, because each may have its own zero point; a row of a matrix is a whole number of words.
    BitMatrices rows(1, out.rows, in_row);
    for (std::uint64_t r = 0; r < out.rows; ++r) {
      rule_.zero = zero_of(r);
      const std::byte* row = data + r * in_row * rule_.width;
      out.zeros +=
          by_column ? compare_columns(row, in_row, rows.row(0, r)) : find_nonzeros(row, in_row, rule_, rows.row(0, r));
    }
    if (out.ratio() <= options_.pattern_from) return;
    out.has_pattern = true;
    if (window == 1) return find_patterns(rows, out);
    BitMatrices matrices(window, out.rows, out.columns);
    for (std::uint64_t r = 0; r < out.rows; ++r) {
      for (std::size_t w = 0; w < rows.words(); ++w) {
        for (std::uint64_t left = rows.row(0, r)[w]; left != 0; left &= left - 1) {
          const std::uint64_t at = w * 64 + static_cast<unsigned>(std::countr_zero(left));
          matrices.set(at % window, r, at / window);
        }
      }
    }
    find_patterns(matrices, out);
  }

  std::size_t compare_columns(const std::byte* row, std::uint64_t count, std::uint64_t* words) const {
    std::size_t zeros = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint64_t element = 0, zero = 0;
      std::memcpy(&element, row + i * rule_.width, rule_.width);
      std::memcpy(&zero, zero_point_->bytes() + i * zero_point_->width(),
                  std::min<std::size_t>(zero_point_->width(), 8));
      if (((element ^ zero) & width_mask()) == 0) {
        ++zeros;
      } else {
        words[i / 64] |= std::uint64_t{1} << (i % 64);
      }
    }
    return zeros;
  }

  static void find_patterns(const BitMatrices& bits, WeightSparsity& out) {
    out.block = block_pattern(bits, out.ratio());
    out.groups = group_pattern(bits);
    out.lines = zero_lines(bits);
  }

  const Tensor& tensor_;
  const ops::Array* zero_point_;
  const SparsityOptions& options_;
  ZeroRule rule_;
  std::int64_t row_count_ = -1;
  std::vector<std::byte> unpacked_;
};

// Elements that a sparse tensor does not list are zero.
void read_sparse(const TensorEntry& entry, WeightSparsity& out) {
  const SparseTensor* sparse = entry.value ? entry.value->sparse_initializer() : nullptr;
  const auto all = sparse ? product_of(sparse->dims) : std::nullopt;
  if (!all || *all < out.elements) return;
  out.zeros = *all - out.elements;
  out.elements = *all;
}

}  // namespace

std::vector<WeightSparsity> sparsity_of(const TensorList& list, const Facts& facts, const Model& model,
                                        const SparsityOptions& options) {
  std::vector<WeightSparsity> found;
  for (std::uint32_t i = 0; i < list.entries.size(); ++i) {
    const TensorEntry& entry = list.entries[i];
    const bool is_number = entry.tensor && bits_of(entry.tensor->type) > 0;
    if (entry.role == TensorRole::kSparseIndices || !is_number || entry.wrong_size) continue;
    if (entry.elements.value_or(0) < options.least_elements && entry.role != TensorRole::kSparseValues) continue;
    found.push_back({.tensor = i, .elements = entry.elements.value_or(0)});
  }
  const ZeroPoints points = zero_points_of(facts, model);
  parallel_for(found.size(), [&](std::size_t i) {
    const TensorEntry& entry = list.entries[found[i].tensor];
    if (entry.role == TensorRole::kSparseValues) return read_sparse(entry, found[i]);
    const auto point = entry.value ? points.find(entry.value) : points.end();
    try {
      Reader(entry, point == points.end() ? nullptr : &point->second, options).read(found[i]);
    } catch (const Error& error) {
      found[i].problem = error.what();
    }
  });
  return found;
}

}  // namespace onnxpress::analysis
