// Finds the users of a weight that can take codes, and replaces them by ops of ONNX Runtime.
#include "onnxpress/passes/integer/ort_ops.h"

#include <string_view>

#include "onnxpress/ir/constants.h"

namespace onnxpress::passes {

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

class BlockReplacer {
 public:
  BlockReplacer(Model& model, const BlockCodes& codes) : model_(model), given_(codes) {
    codes_ = constant(ElementType::kUint8, codes.code_dims, codes.codes);
    scales_ = constant(ElementType::kFloat, codes.scale_dims, codes.scales);
    if (!codes.zeros.empty()) zeros_ = constant(ElementType::kUint8, codes.zero_dims, codes.zeros);
  }

  void replace(Node& node) {
    const bool matmul = given_.by_column;
    std::vector<Value*> inputs = matmul ? std::vector<Value*>{node.input(0), codes_, scales_}
                                        : std::vector<Value*>{codes_, node.input(1), scales_};
    if (zeros_) inputs.push_back(zeros_);
    std::vector<Attribute*> attributes = {number("bits", given_.bits), number("block_size", given_.block)};
    if (matmul) {  // a Gather needs neither: gathering on axis 0 and quantizing on axis 1 are the defaults
      attributes.push_back(number("K", given_.length));
      attributes.push_back(number("N", given_.columns));
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
  Value* constant(ElementType type, std::span<const std::int64_t> dims, Tensor::Content content) {
    Tensor* tensor = make_tensor(model_.arena(), type, dims, std::move(content));
    return add_constant(model_, model_.graph(), model_.graph().nodes().front(), tensor);
  }

  Attribute* number(std::string_view name, std::int64_t value) { return make_attribute(model_.arena(), name, value); }

  Model& model_;
  const BlockCodes& given_;
  Value *codes_ = nullptr, *scales_ = nullptr, *zeros_ = nullptr;
};

void import_domain(Model& model) {
  if (model.opset(kDomain)) return;
  model.opsets.push_back({kDomain, 1, {}});
  model.mark_changed();
}

}  // namespace

BlockUsers block_users(const Value& weight, std::int64_t block) {
  const Tensor* tensor = constant_tensor(weight);
  if (!tensor || tensor->dims.size() != 2 || tensor->type != ElementType::kFloat) return BlockUsers::kNone;
  if (weight.is_output() || !weight.first_use()) return BlockUsers::kNone;
  bool all_matmul = true, all_gather = true;
  for (const Use* use = weight.first_use(); use; use = use->next()) {
    all_matmul = all_matmul && is_matmul(*use);
    all_gather = all_gather && is_gather(*use);
  }
  if (all_matmul) return BlockUsers::kMatMul;
  return all_gather && tensor->dims[1] % block == 0 ? BlockUsers::kGather : BlockUsers::kNone;
}

void insert_block_ops(Model& model, Value& weight, const BlockCodes& codes) {
  BlockReplacer replacer(model, codes);
  while (const Use* use = weight.first_use()) replacer.replace(*use->user());
  remove_unused_constant(weight);
  import_domain(model);
}

}  // namespace onnxpress::passes
