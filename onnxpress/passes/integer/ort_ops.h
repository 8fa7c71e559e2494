// Weights that stay codes while the model runs, for ops of ONNX Runtime (com.microsoft) that take codes directly. They
// need less memory and decode tokens faster; other runtimes do not have them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "onnxpress/base/bytes.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

// Blocks of codes along the axis that is summed over, with a scale for each, in the layout that the ops need.
struct BlockCodes {
  std::shared_ptr<const ByteStream> codes;
  std::vector<std::int64_t> code_dims;
  Bytes scales, zeros;  // no zeros: the middle code stands for 0
  std::array<std::int64_t, 2> scale_dims = {}, zero_dims = {};
  std::int64_t bits = 0, block = 0;
  bool by_column = false;                // true: column by column, for MatMulNBits; false: row by row, for Gather
  std::int64_t length = 0, columns = 0;  // of the matrix, for MatMulNBits
};

// What all users of a weight are, if they can take codes: MatMul with the matrix on the right, or Gather of rows.
enum class BlockUsers : std::uint8_t { kNone, kMatMul, kGather };
// `block` is the number of codes in a block.
BlockUsers block_users(const Value& weight, std::int64_t block);

// All users change: MatMul becomes MatMulNBits, and Gather becomes GatherBlockQuantized. The weight is removed.
void insert_block_ops(Model& model, Value& weight, const BlockCodes& codes);

}  // namespace onnxpress::passes
