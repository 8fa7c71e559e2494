// Codes in the order in which the ops want them, and the nodes.
#include "onnxpress/weights/integer/ort_ops.h"

#include <algorithm>
#include <bit>

#include "onnxpress/ir/constants.h"
#include "onnxpress/weights/chain/chain.h"
#include "onnxpress/weights/lossy/code_stream.h"

namespace onnxpress::weights {

namespace {

constexpr std::string_view kDomain = "com.microsoft";

bool is_matmul(const Use& use) {
  const Node& user = *use.user();
  return user.is("MatMul") && &use == &user.inputs()[1];
}
bool is_gather(const Use& use) {
  const Node& user = *use.user();
  const Attribute* axis = user.attribute("axis");
  const auto* at = axis ? std::get_if<std::int64_t>(&axis->value) : nullptr;
  return user.is("Gather") && use.index() == 0 && (!axis || (at && *at == 0));
}

// Blocks of one column after the other: [columns, blocks, block], low bits first.
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

// Scales and zero points by row of the result: the weight's columns (MatMul) or its rows (Gather).
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

class Replacer {
 public:
  Replacer(Model& model, std::shared_ptr<const Quantized> q) : model_(model), q_(std::move(q)) {}

  void replace(Node& node, const Groups& groups, std::span<const std::int64_t> code_dims,
               const std::shared_ptr<const ByteStream>& codes) {
    make_constants(groups, code_dims, codes);
    const bool matmul = groups.by_column;
    std::vector<Value*> inputs = matmul ? std::vector<Value*>{node.input(0), codes_, scales_}
                                        : std::vector<Value*>{codes_, node.input(1), scales_};
    if (zeros_) inputs.push_back(zeros_);
    std::vector<Attribute*> attributes = {number("bits", q_->scheme.bits),
                                          number("block_size", static_cast<std::int64_t>(q_->grid.block))};
    if (matmul) {  // of a Gather, axis 0 is gathered and axis 1 quantized: the defaults
      attributes.push_back(number("K", static_cast<std::int64_t>(q_->grid.length)));
      attributes.push_back(number("N", static_cast<std::int64_t>(q_->grid.inner)));
    }
    Graph& graph = *node.graph();
    Node* position = node.next();
    Value* output = node.output();
    const std::string_view name = node.name();
    graph.erase(node);
    graph.insert_before(position, {.op_type = matmul ? "MatMulNBits" : "GatherBlockQuantized",
                                   .domain = kDomain,
                                   .name = name,
                                   .inputs = inputs,
                                   .outputs = std::span(&output, 1),
                                   .attributes = attributes});
  }

 private:
  void make_constants(const Groups& groups, std::span<const std::int64_t> code_dims,
                      const std::shared_ptr<const ByteStream>& codes) {
    if (codes_) return;  // of the first user
    const auto rows = static_cast<std::int64_t>(groups.rows), blocks = static_cast<std::int64_t>(groups.blocks);
    const std::int64_t scale_dims[] = {rows, blocks};
    codes_ = constant(ElementType::kUint8, code_dims, codes);
    scales_ = constant(ElementType::kFloat, scale_dims, Bytes::owned(scales_of(*q_, groups)));
    if (q_->zeros.empty()) return;
    const std::int64_t zero_dims[] = {rows, (blocks * q_->scheme.bits + 7) / 8};
    zeros_ = constant(ElementType::kUint8, zero_dims, Bytes::owned(zeros_of(*q_, groups)));
  }

  Value* constant(ElementType type, std::span<const std::int64_t> dims, Tensor::Content content) {
    Tensor* tensor = make_tensor(model_.arena(), type, dims, std::move(content));
    return add_constant(model_, model_.graph(), model_.graph().nodes().front(), tensor);
  }

  Attribute* number(std::string_view name, std::int64_t value) { return make_attribute(model_.arena(), name, value); }

  Model& model_;
  std::shared_ptr<const Quantized> q_;
  Value *codes_ = nullptr, *scales_ = nullptr, *zeros_ = nullptr;
};

void import_domain(Model& model) {
  if (model.opset(kDomain)) return;
  model.opsets.push_back({kDomain, 1, {}});
  model.mark_changed();
}

}  // namespace

bool takes_codes(const Weight& weight, const Scheme& scheme) {
  const bool blocks =
      scheme.block >= 16 && scheme.block <= 256 && std::has_single_bit(static_cast<std::uint64_t>(scheme.block));
  const bool has_op = scheme.codes == Codes::kInteger && scheme.levels == 0 && !scheme.offset && blocks;
  if (!has_op || (scheme.bits != 4 && scheme.bits != 8)) return false;
  const Value& value = *weight.value;
  const auto dims = weight.tensor->dims;
  if (dims.size() != 2 || weight.tensor->type != ElementType::kFloat || value.is_output() || !value.first_use())
    return false;
  bool all_matmul = true, all_gather = true;
  for (const Use* use = value.first_use(); use; use = use->next()) {
    all_matmul = all_matmul && is_matmul(*use);
    all_gather = all_gather && is_gather(*use);
  }
  return all_matmul || (all_gather && dims[1] % scheme.block == 0);
}

std::uint64_t code_bytes(const Quantized& quantized) {
  const auto bits = static_cast<std::uint64_t>(quantized.scheme.bits);
  constexpr std::uint64_t kNode = 120;
  return quantized.grid.padded_count() * bits / 8 + quantized.scales.size() * sizeof(float) +
         (quantized.zeros.size() * bits + 7) / 8 + kNode;
}

void replace_users(Model& model, const Weight& weight, const std::shared_ptr<const Quantized>& quantized) {
  const Grid& grid = quantized->grid;
  const bool matmul = is_matmul(*weight.value->first_use());
  const auto bits = static_cast<std::uint64_t>(quantized->scheme.bits);
  std::vector<std::int64_t> dims;
  std::shared_ptr<const ByteStream> codes;
  Groups groups{grid.outer, grid.blocks, matmul};
  if (matmul) {
    groups.rows = grid.inner;
    dims = {static_cast<std::int64_t>(grid.inner), static_cast<std::int64_t>(grid.blocks),
            static_cast<std::int64_t>(grid.block * bits / 8)};
    codes = std::make_shared<ColumnCodes>(quantized);
  } else {
    dims = {static_cast<std::int64_t>(grid.outer), static_cast<std::int64_t>(grid.length * bits / 8)};
    codes = std::make_shared<CodeStream>(
        quantized, CodePart{.bits = quantized->scheme.bits, .order = CodePart::Order::kSequential, .padded = false});
  }
  Replacer replacer(model, quantized);
  while (const Use* use = weight.value->first_use()) replacer.replace(*use->user(), groups, dims, codes);
  remove_unused_constant(*weight.value);
  import_domain(model);
}

}  // namespace onnxpress::weights
