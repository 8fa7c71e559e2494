// Replaces a product with weights that are quantized in blocks by ONNX Runtime's MatMulNBits.
//
//   before: y = MatMul(x, DequantizeLinear(q, scales, zeros, axis = 0, block_size = 32))   with q of 4 or 8 bits
//   after:  y = com.microsoft.MatMulNBits(x, q, scales, zeros, bits = 4, block_size = 32)
//
// Also for transposed weights, and for a Gemm with its bias. The new weight stores the codes of each column together,
// as unsigned numbers.
#include <bit>

#include "onnxpress/passes/ort_rewrites.h"
#include "onnxpress/passes/shared/permutation.h"

namespace onnxpress::passes {

namespace {

// Quantized weights of shape [length, columns], or transposed. Blocks run along `length`, the axis that is summed over.
struct BlockWeights {
  Node* dequantize = nullptr;
  std::int64_t length = 0, columns = 0, block = 0, blocks = 0, bits = 0;
  bool is_signed = false, by_column = false;  // by_column: each column of the weights is a row of the codes
};

std::optional<BlockWeights> weights_in(Value* value, bool transposed, const Rewriter& rw) {
  if (Node* turn = rw.sole_producer(value, "Transpose")) {
    if (transposed || perm_of(*turn, rw) != Permutation{1, 0}) return std::nullopt;
    transposed = true;
    value = turn->input(0);
  }
  BlockWeights found{.dequantize = rw.sole_producer(value, "DequantizeLinear"), .by_column = transposed};
  const auto shape = found.dequantize ? rw.shape_of(value) : std::nullopt;
  if (!shape || shape->size() != 2 || !(*shape)[0].size() || !(*shape)[1].size()) return std::nullopt;
  const auto params = rw.params(*found.dequantize);
  found.length = *(*shape)[transposed ? 1 : 0].size();
  found.columns = *(*shape)[transposed ? 0 : 1].size();
  found.block = params.integer_or("block_size", 0);
  if (ops::normal_axis(params.integer_or("axis", 1), 2) != (transposed ? 1 : 0) || found.length < 1 ||
      found.columns < 1)
    return std::nullopt;
  const bool has_kernel =
      found.block >= 16 && found.block <= 256 && std::has_single_bit(static_cast<std::uint64_t>(found.block));
  const ElementType type = rw.element_of(found.dequantize->input(0));
  found.is_signed = type == ElementType::kInt4 || type == ElementType::kInt8;
  found.bits = type == ElementType::kInt4 || type == ElementType::kUint4 ? 4 : 8;
  if (!has_kernel || (!found.is_signed && type != ElementType::kUint4 && type != ElementType::kUint8))
    return std::nullopt;
  found.blocks = (found.length + found.block - 1) / found.block;
  return found;
}

// Packs the elements column by column, with w.bits bits each; every column starts at a whole byte.
ops::Array packed_columns(const ops::Array& from, const BlockWeights& w, std::int64_t rows, std::int64_t row_bytes,
                          ops::Sizes sizes) {
  ops::Array made = ops::Array::make<std::uint8_t>(std::move(sizes));
  const auto to = made.mutable_data<std::uint8_t>();
  std::ranges::fill(to, std::uint8_t{0});
  const std::int64_t per_byte = 8 / w.bits;
  const int lift = w.is_signed ? 1 << (w.bits - 1) : 0;
  const auto pack = [&](auto elements) {
    for (std::int64_t column = 0; column < w.columns; ++column) {
      for (std::int64_t row = 0; row < rows; ++row) {
        const auto at = static_cast<std::size_t>(w.by_column ? column * rows + row : row * w.columns + column);
        const int code = static_cast<int>(elements[at]) + lift;
        auto& byte = to[static_cast<std::size_t>(column * row_bytes + row / per_byte)];
        byte = static_cast<std::uint8_t>(byte | code << (row % per_byte * w.bits));
      }
    }
  };
  if (from.type() == ElementType::kInt4) pack(from.data<ops::Int4>());
  if (from.type() == ElementType::kUint4) pack(from.data<ops::Uint4>());
  if (from.type() == ElementType::kInt8) pack(from.data<std::int8_t>());
  if (from.type() == ElementType::kUint8) pack(from.data<std::uint8_t>());
  return made;
}

// The operands after x: codes, scales, zero points; empty when they do not fit.
std::vector<Value*> operands_of(const BlockWeights& w, Rewriter& rw) {
  Value *codes = w.dequantize->input(0), *scales = w.dequantize->input(1), *zeros = w.dequantize->input(2);
  const auto q = rw.is_constant(codes) ? rw.constant(codes) : std::nullopt,
             s = rw.is_constant(scales) ? rw.constant(scales) : std::nullopt,
             z = zeros && rw.is_constant(zeros) ? rw.constant(zeros) : std::nullopt;
  const ops::Sizes grid = w.by_column ? ops::Sizes{w.columns, w.blocks} : ops::Sizes{w.blocks, w.columns};
  if (!q || !s || s->type() != ElementType::kFloat || s->sizes() != grid) return {};
  if (zeros && (!z || z->sizes() != grid || z->type() != q->type())) return {};
  const std::int64_t code_bytes = w.block * w.bits / 8, zero_bytes = (w.blocks * w.bits + 7) / 8;
  std::vector<Value*> made = {
      rw.constant(packed_columns(*q, w, w.length, w.blocks * code_bytes, {w.columns, w.blocks, code_bytes})),
      w.by_column ? scales : rw.make("Transpose", {scales}, {{"perm", Permutation{1, 0}}})};
  if (z) made.push_back(rw.constant(packed_columns(*z, w, w.blocks, zero_bytes, {w.columns, zero_bytes})));
  // Without zero points, the op uses the middle code as zero, which is right only for codes that were signed.
  if (!z && !w.is_signed) made.push_back(rw.splat(ElementType::kUint8, std::vector{w.columns, zero_bytes}, 0));
  return made;
}

bool apply_ort_matmul_nbits(Node& node, Rewriter& rw) {
  if (!is_for_ort(node.output(), rw) || !is_for_ort(node.input(1), rw)) return false;
  const bool is_gemm = node.is("Gemm");
  const auto params = rw.params(node);
  if (is_gemm && (params.real_or("alpha", 1) != 1 || params.real_or("beta", 1) != 1 || params.flag("transA")))
    return false;
  const auto weights = weights_in(node.input(1), is_gemm && params.flag("transB"), rw);
  const auto x = rw.shape_of(node.input(0));
  if (!weights || !x || x->size() < 2) return false;
  Value* bias = is_gemm ? node.input(2) : nullptr;
  const auto addend = bias ? rw.shape_of(bias) : std::nullopt;
  if (bias && (!addend || addend->size() != 1 || (*addend)[0].size() != weights->columns)) return false;
  std::vector<Value*> operands = operands_of(*weights, rw);
  if (operands.empty()) return false;
  operands.insert(operands.begin(), node.input(0));
  if (bias) {
    operands.resize(5, nullptr);
    operands.push_back(bias);
  }
  const Parameter parameters[] = {
      {"K", weights->length}, {"N", weights->columns}, {"bits", weights->bits}, {"block_size", weights->block}};
  return rw.replace(node, rw.make("MatMulNBits", operands, parameters, kOrtDomain));
}

constexpr std::string_view kOrtMatmulNbitsRoots[] = {"MatMul", "Gemm"};

}  // namespace

extern const Rewrite ort_matmul_nbits;
const Rewrite ort_matmul_nbits = {.name = "ort-matmul-nbits",
                                  .summary = "replaces a product with weights quantized in blocks by MatMulNBits",
                                  .exactness = Exactness::kReassociates,
                                  .group = "ort",
                                  .large_pattern = true,
                                  .roots = kOrtMatmulNbitsRoots,
                                  .apply = apply_ort_matmul_nbits};

}  // namespace onnxpress::passes
