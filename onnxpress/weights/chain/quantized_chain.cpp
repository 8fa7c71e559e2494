// Unpacks codes, subtracts the zero point, scales, and restores shape and type.
#include "onnxpress/weights/chain/quantized_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "onnxpress/base/small_float.h"
#include "onnxpress/ops/core/op.h"
#include "onnxpress/ops/schema/schema_defaults.h"
#include "onnxpress/weights/chain/chain_parts.h"
#include "onnxpress/weights/lossy/code_stream.h"

namespace onnxpress::weights {

namespace {

using Dims = std::vector<std::int64_t>;

// Bits that a code takes in the file.
int stored_bits(const Quantized& q) {
  const std::uint32_t levels =
      q.is_affine() ? q.scheme.level_count() : static_cast<std::uint32_t>(std::max<std::size_t>(2, q.table.size()));
  int bits = 1;
  while ((std::uint64_t{1} << bits) < levels) ++bits;
  if (bits > 12) return 16;
  return bits > 8 ? (bits + 1) / 2 * 2 : bits;  // a byte, and 2 or 4 bits more
}

// The dims that codes are decoded in, and those of the scales, which broadcast against them.
struct View {
  Dims codes, scales;
};
View view_of(const Quantized& q, std::span<const std::int64_t> dims) {
  const Grid& grid = q.grid;
  switch (grid.sharing) {
    case Grid::Sharing::kTensor:
      return {{dims.begin(), dims.end()}, {}};
    case Grid::Sharing::kChannel: {
      View view{{dims.begin(), dims.end()}, {}};
      const auto length = static_cast<std::int64_t>(grid.length), inner = static_cast<std::int64_t>(grid.inner);
      if (inner == 1) {
        view.scales = {length};
        if (dims.empty() || dims.back() != length) view.codes = {static_cast<std::int64_t>(grid.outer), length};
        return view;
      }
      std::int64_t behind = 1;
      for (std::size_t axis = dims.size(); axis-- > 0;
           behind *= dims[axis]) {  // usually the channels are one axis: keep the dims
        if (dims[axis] != length || behind != inner) continue;
        view.scales.assign(dims.size() - axis, 1);
        view.scales[0] = length;
        return view;
      }
      view = {{static_cast<std::int64_t>(grid.outer), length, inner}, {length, 1}};
      return view;
    }
    case Grid::Sharing::kBlock:
      break;
  }
  View view;
  const auto add = [&view](std::uint64_t codes, std::uint64_t scales) {
    view.codes.push_back(static_cast<std::int64_t>(codes));
    view.scales.push_back(static_cast<std::int64_t>(scales));
  };
  if (grid.outer > 1) add(grid.outer, grid.outer);
  add(grid.blocks, grid.blocks);
  add(grid.block, 1);
  if (grid.inner > 1) add(grid.inner, grid.inner);
  return view;
}

class FoldedChain {
 public:
  FoldedChain(const Candidate& tensor, std::shared_ptr<const Quantized> quantized, bool whole_bytes)
      : tensor_(tensor), q_(std::move(quantized)), chain_(tensor), view_(view_of(*q_, tensor.dims())) {
    bits_ = stored_bits(*q_);
    const bool whole = !can_unpack(tensor) || (whole_bytes && bits_ != 4);
    if (whole && bits_ != 8) bits_ = bits_ < 8 ? 8 : 16;
  }

  std::optional<Chain> build() {
    const ElementType type = tensor_.type();
    if (!tensor_.has_op("Cast", ElementType::kUint8) || !tensor_.has_op("Mul", ElementType::kFloat) ||
        !tensor_.has_op("Cast", type))
      return std::nullopt;
    // The first versions of Mul broadcast only if an attribute says so.
    if (ops::find_op("", "Mul", *tensor_.opset())->schema->attribute("broadcast")) return std::nullopt;
    const bool pads = q_->grid.padded_length() != q_->grid.length;
    Chain::Ref result = q_->is_affine() ? centred() : looked_up();
    if (q_->is_affine() || q_->scheme.codes != Codes::kPalette) result = chain_.op("Mul", {result, scales()});
    result = shaped(result, pads);
    if (type != ElementType::kFloat) cast(chain_, result, type);
    return chain_.finish();
  }

 private:
  Chain::Ref codes(CodePart part, ElementType type) {
    return chain_.constant(type, view_.codes, std::make_shared<CodeStream>(q_, part));
  }
  Chain::Ref unpacked(CodePart part) {
    const std::int64_t row[] = {1, static_cast<std::int64_t>(packed_bytes(q_->grid.padded_count(), part.bits))};
    return unpack(chain_, chain_.constant(ElementType::kUint8, row, std::make_shared<CodeStream>(q_, part)), part.bits,
                  view_.codes);
  }
  Chain::Ref number(double value, ElementType type) {
    const auto real = static_cast<float>(value);
    const auto whole = static_cast<std::int32_t>(value);
    const char* bytes =
        type == ElementType::kFloat ? reinterpret_cast<const char*>(&real) : reinterpret_cast<const char*>(&whole);
    return chain_.constant(type, {}, Bytes::owned(std::string(bytes, sizeof real)));
  }

  Chain::Ref floats(const std::vector<float>& values, std::span<const std::int64_t> dims) {
    return chain_.constant(
        ElementType::kFloat, dims,
        Bytes::owned(std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float))));
  }

  // Codes as `type` (float or int32). Sets `middle` to what was subtracted from them.
  Chain::Ref code_numbers(ElementType type, int& middle) {
    middle = 0;
    if (bits_ == 16) {
      middle = 1 << 15;
      const auto high = cast(chain_, codes({.shift = 8, .bits = 8, .is_signed = true}, ElementType::kInt8), type);
      const auto low = cast(chain_, codes({.shift = 0, .bits = 8}, ElementType::kUint8), type);
      return chain_.op("Add", {chain_.op("Mul", {high, number(256, type)}), low});
    }
    if (bits_ == 8) {
      const bool is_signed = q_->is_affine() && q_->zeros.empty() && q_->middle == 128;
      if (is_signed) middle = 128;
      return cast(chain_,
                  codes({.bits = 8, .is_signed = is_signed}, is_signed ? ElementType::kInt8 : ElementType::kUint8),
                  type);
    }
    // Planes of 8, 4, 2 and 1 bits, the lowest bits first.
    std::optional<Chain::Ref> sum;
    for (int shift = 0; shift < bits_;) {
      const int left = bits_ - shift, bits = left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
      auto part = cast(
          chain_,
          bits == 8 ? codes({.shift = 0, .bits = 8}, ElementType::kUint8) : unpacked({.shift = shift, .bits = bits}),
          type);
      if (sum) part = chain_.op("Add", {chain_.op("Mul", {part, number(1 << shift, type)}), *sum});
      sum = part;
      shift += bits;
    }
    return *sum;
  }

  // Codes minus the zero point of their group.
  Chain::Ref centred() {
    int middle = 0;
    const auto numbers = code_numbers(ElementType::kFloat, middle);
    if (q_->zeros.empty()) {
      if (q_->middle == middle) return numbers;
      return chain_.op("Sub", {numbers, number(q_->middle - middle, ElementType::kFloat)});
    }
    if (q_->zeros.size() == 1)
      return chain_.op("Sub", {numbers, number(q_->zeros[0] - static_cast<float>(middle), ElementType::kFloat)});
    if (q_->zeros.is_half()) return chain_.op("Sub", {numbers, offsets()});
    if (bits_ > 8) {
      std::vector<float> zeros;
      for (std::size_t i = 0; i < q_->zeros.size(); ++i) zeros.push_back(q_->zeros[i] - static_cast<float>(middle));
      return chain_.op("Sub", {numbers, floats(zeros, view_.scales)});
    }
    return chain_.op("Sub", {numbers, cast(chain_, zero_points(), ElementType::kFloat)});
  }

  // Zero points that are floats.
  Chain::Ref offsets() {
    std::string bytes;
    for (std::size_t i = 0; i < q_->zeros.size(); ++i) {
      const std::uint16_t bits = q_->zeros.bits(i);
      bytes.append(reinterpret_cast<const char*>(&bits), sizeof bits);
    }
    return halves(Bytes::owned(std::move(bytes)));
  }

  // The zero points of codes of up to 8 bits.
  Chain::Ref zero_points() {
    if (bits_ != 4 && bits_ != 2) {
      std::string bytes;
      for (std::size_t i = 0; i < q_->zeros.size(); ++i) bytes.push_back(static_cast<char>(q_->zeros.bits(i)));
      return chain_.constant(ElementType::kUint8, view_.scales, Bytes::owned(std::move(bytes)));
    }
    const std::uint64_t size = packed_bytes(q_->zeros.size(), bits_);
    std::string packed(size, '\0');
    for (std::size_t i = 0; i < q_->zeros.size(); ++i) {
      char& byte = packed[i % size];
      byte = static_cast<char>(static_cast<unsigned char>(byte) | q_->zeros.bits(i)
                                                                      << (i / size * static_cast<unsigned>(bits_)));
    }
    const std::int64_t row[] = {1, static_cast<std::int64_t>(size)};
    return unpack(chain_, chain_.constant(ElementType::kUint8, row, Bytes::owned(std::move(packed))), bits_,
                  view_.scales);
  }

  Chain::Ref looked_up() {
    int middle = 0;
    const auto numbers = code_numbers(ElementType::kInt32, middle);
    const auto count = static_cast<std::int64_t>(q_->table.size());
    return chain_.op("Gather", {floats(q_->table, std::span(&count, 1)), numbers});
  }

  Chain::Ref scales() {
    if (!q_->scales.is_half()) return chain_.constant(ElementType::kFloat, view_.scales, q_->scales.bytes());
    return halves(q_->scales.bytes());
  }
  // Converts float16 numbers, one for each group, to floats.
  Chain::Ref halves(const Bytes& bytes) {
    if (tensor_.has_op("Cast", ElementType::kFloat16))
      return cast(chain_, chain_.constant(ElementType::kFloat16, view_.scales, bytes), ElementType::kFloat);
    std::vector<float> values(bytes.size() / sizeof(std::uint16_t));
    widen_halves(bytes.data(), values.size(), values.data());
    return floats(values, view_.scales);
  }

  Chain::Ref shaped(Chain::Ref result, bool pads) {
    const Grid& grid = q_->grid;
    if (pads) {
      const std::int64_t flat[] = {static_cast<std::int64_t>(grid.outer),
                                   static_cast<std::int64_t>(grid.padded_length()),
                                   static_cast<std::int64_t>(grid.inner)};
      result = first_of(chain_, reshape(chain_, result, flat), static_cast<std::int64_t>(grid.length), 1);
      return reshape(chain_, result, tensor_.dims());
    }
    return std::ranges::equal(view_.codes, tensor_.dims()) ? result : reshape(chain_, result, tensor_.dims());
  }

  const Candidate& tensor_;
  std::shared_ptr<const Quantized> q_;
  ChainBuilder chain_;
  View view_;
  int bits_ = 8;
};

}  // namespace

std::string why_not_folded(const Scheme& scheme, std::optional<std::int64_t> opset) {
  const bool brain = scheme.codes == Codes::kBfloat16, scales = !brain && scheme.codes != Codes::kFloat16;
  const ElementType stored = brain ? ElementType::kBfloat16 : ElementType::kUint8;
  const auto works = [&](std::int64_t version) {
    const ops::Op *cast = ops::find_op("", "Cast", version), *mul = ops::find_op("", "Mul", version);
    // The first version of Cast takes the type as a string, and the first ones of Mul broadcast only if an attribute
    // says so.
    return cast && cast->schema->attribute("to")->type == AttributeType::kInt &&
           ops::allows(*cast->schema, cast->schema->operands[0], stored) &&
           (!scales || (mul && !mul->schema->attribute("broadcast")));
  };
  const std::int64_t now = opset.value_or(0);
  if (works(now)) return {};
  std::int64_t first = now + 1;
  while (first < 32 && !works(first)) ++first;
  return fmt::format("nodes that decode {} need opset {}, and the model has {}", brain ? "bfloat16" : "a weight", first,
                     now);
}

std::optional<Chain> folded_chain(const Candidate& tensor, std::shared_ptr<const Quantized> quantized,
                                  bool whole_bytes) {
  return FoldedChain(tensor, std::move(quantized), whole_bytes).build();
}

}  // namespace onnxpress::weights
