// Puts codes, scales and zero points in the order that ONNX Runtime's ops require.
#include "onnxpress/weights/lossy/block_codes.h"

#include <algorithm>
#include <bit>

#include "onnxpress/weights/lossy/code_stream.h"

namespace onnxpress::weights {

namespace {

// The blocks of one column after another: [columns, blocks, block], low bits first.
class ColumnCodes final : public ByteStream {
 public:
  explicit ColumnCodes(std::shared_ptr<const Quantized> quantized) : q_(std::move(quantized)) {}
  std::uint64_t size() const override { return q_->grid.padded_count() * static_cast<unsigned>(q_->scheme.bits) / 8; }
  void produce(const std::function<void(std::string_view piece)>& take) const override {
    constexpr std::uint64_t kTile = 16;
    const Grid& grid = q_->grid;
    const std::uint64_t rows = grid.padded_length();
    const auto bits = static_cast<unsigned>(q_->scheme.bits);
    std::vector<std::uint16_t> tile(rows * kTile);
    std::string column;
    for (std::uint64_t first = 0; first < grid.inner; first += kTile) {
      const auto width = static_cast<std::size_t>(std::min(kTile, grid.inner - first));
      for (std::uint64_t r = 0; r < rows; ++r) q_->encode(r * grid.inner + first, width, tile.data() + r * kTile);
      for (std::size_t c = 0; c < width; ++c) {
        column.assign(rows * bits / 8, '\0');
        for (std::uint64_t r = 0; r < rows; ++r) {
          char& byte = column[r * bits / 8];
          byte = static_cast<char>(static_cast<unsigned char>(byte) | tile[r * kTile + c] << (r * bits % 8));
        }
        take(column);
      }
    }
  }

 private:
  std::shared_ptr<const Quantized> q_;
};

// Where the scale and zero point of a block are. Rows are those of the result: the weight's columns (MatMul) or its
// rows (Gather).
struct Groups {
  std::uint64_t rows, blocks;
  bool by_column;
  std::uint64_t at(std::uint64_t row, std::uint64_t block) const {
    return by_column ? block * rows + row : row * blocks + block;
  }
};

std::string scales_of(const Quantized& q, const Groups& groups) {
  std::string bytes;
  for (std::uint64_t r = 0; r < groups.rows; ++r) {
    for (std::uint64_t b = 0; b < groups.blocks; ++b) {
      const float scale = q.scales[groups.at(r, b)];
      bytes.append(reinterpret_cast<const char*>(&scale), sizeof scale);
    }
  }
  return bytes;
}

std::string zeros_of(const Quantized& q, const Groups& groups) {
  const auto bits = static_cast<unsigned>(q.scheme.bits);
  const std::uint64_t row_bytes = (groups.blocks * bits + 7) / 8;
  std::string bytes(groups.rows * row_bytes, '\0');
  for (std::uint64_t r = 0; r < groups.rows; ++r) {
    for (std::uint64_t b = 0; b < groups.blocks; ++b) {
      char& byte = bytes[r * row_bytes + b * bits / 8];
      byte = static_cast<char>(static_cast<unsigned char>(byte) | static_cast<unsigned>(q.zero_of(groups.at(r, b)))
                                                                      << (b * bits % 8));
    }
  }
  return bytes;
}

}  // namespace

bool has_block_codes(const Scheme& scheme) {
  const bool blocks =
      scheme.block >= 16 && scheme.block <= 256 && std::has_single_bit(static_cast<std::uint64_t>(scheme.block));
  return scheme.codes == Codes::kInteger && scheme.levels == 0 && !scheme.offset && blocks &&
         (scheme.bits == 4 || scheme.bits == 8);
}

std::uint64_t code_bytes(const Quantized& quantized) {
  const auto bits = static_cast<std::uint64_t>(quantized.scheme.bits);
  constexpr std::uint64_t kNode = 120;
  return quantized.grid.padded_count() * bits / 8 + quantized.scales.size() * sizeof(float) +
         (quantized.zeros.size() * bits + 7) / 8 + kNode;
}

passes::BlockCodes block_codes(const std::shared_ptr<const Quantized>& quantized, bool by_column) {
  const Quantized& q = *quantized;
  const Grid& grid = q.grid;
  const auto bits = static_cast<std::uint64_t>(q.scheme.bits);
  const auto number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  const Groups groups{by_column ? grid.inner : grid.outer, grid.blocks, by_column};
  passes::BlockCodes made{.bits = q.scheme.bits, .block = number(grid.block), .by_column = by_column};
  made.length = number(grid.length), made.columns = number(grid.inner);
  if (by_column) {
    made.code_dims = {number(grid.inner), number(grid.blocks), number(grid.block * bits / 8)};
    made.codes = std::make_shared<ColumnCodes>(quantized);
  } else {
    made.code_dims = {number(grid.outer), number(grid.length * bits / 8)};
    made.codes = std::make_shared<CodeStream>(
        quantized, CodePart{.bits = q.scheme.bits, .order = CodePart::Order::kSequential, .padded = false});
  }
  made.scale_dims = {number(groups.rows), number(groups.blocks)};
  made.scales = Bytes::owned(scales_of(q, groups));
  if (q.zeros.empty()) return made;
  made.zero_dims = {number(groups.rows), number((groups.blocks * bits + 7) / 8)};
  made.zeros = Bytes::owned(zeros_of(q, groups));
  return made;
}

}  // namespace onnxpress::weights
