// Finds the users of a weight that can take codes, and replaces them by integer ops.
#include "onnxpress/passes/integer/dynamic_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "onnxpress/ir/constants.h"
#include "onnxpress/ops/core/op.h"
#include "onnxpress/passes/shared/wire_size.h"

namespace onnxpress::passes {

namespace {

bool is_constant(const Value& value) {
  return value.constant() || (value.producer() && value.producer()->is("Constant"));
}

// Removes the initializer or Constant node. The value keeps its users and must get another definition.
void undefine(Value& constant) {
  if (constant.producer())
    constant.graph()->erase(*constant.producer());
  else
    constant.graph()->remove_initializer(&constant);
}

bool swaps_axes(const Node& node) {
  if (!node.is("Transpose") || !node.output()) return false;
  const Attribute* attribute = node.attribute("perm");
  if (!attribute) return true;
  const auto* perm = std::get_if<std::span<const std::int64_t>>(&attribute->value);
  return perm && perm->size() == 2 && (*perm)[0] == 1 && (*perm)[1] == 0;
}

const ops::OpDef* row_of(const Node& node) {
  const ops::Op* op = ops::newest_op(node.domain(), node.op_type());
  return op ? op->def : nullptr;
}

// The op type, such as MatMulInteger or ConvInteger; empty if there is none.
std::string_view integer_form_of(const Node& node) {
  const ops::OpDef* row = row_of(node);
  return row ? row->integer_form : std::string_view();
}

// The axis of the weight that holds the output channels; nullopt when the node has no integer form.
std::optional<std::size_t> channel_axis_of(const Use& use, std::size_t rank) {
  const Node& node = *use.user();
  if (use.index() != 1 || integer_form_of(node).empty()) return std::nullopt;
  const ops::WeightAxes axes = row_of(node)->weights.axes(node, 1, rank);
  return axes.channel_end == axes.channel_begin + 1 ? std::optional(axes.channel_begin) : std::nullopt;
}

std::string bytes_of(std::span<const float> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

class UseFinder {
 public:
  UseFinder(std::size_t rank, const std::function<std::string(const Node&)>& refusal)
      : rank_(rank), refusal_(refusal) {}

  void add_users(const Value& value, Node* transpose) {
    for (const Use* use = value.first_use(); use; use = use->next()) {
      if (!transpose && rank_ == 2 && swaps_axes(*use->user())) {
        const Value& swapped = *use->user()->output();
        if (swapped.is_output()) found_.others = true;
        add_users(swapped, use->user());
      } else {
        add(*use, transpose);
      }
    }
  }
  DynamicUses found() && { return std::move(found_); }

 private:
  void add(const Use& use, Node* transpose) {
    Node& node = *use.user();
    const auto axis = channel_axis_of(use, rank_);
    if (!axis) return refuse(fmt::format("{} has no integer version", node.op_type()));
    if (!node.input(0) || is_constant(*node.input(0)) || !node.output())
      return refuse("it has no activation to multiply with");
    if (std::string why = refusal_(node); !why.empty()) return refuse(std::move(why));
    const std::size_t own = transpose ? 1 - *axis : *axis;  // the axis in the weight itself
    if (found_.taken.empty()) found_.channel_axis = own;
    if (own != found_.channel_axis) return refuse("its output channels are on another axis");
    found_.taken.push_back({&node, transpose, own == 0 && !node.is("Conv")});
  }
  void refuse(std::string why) {
    found_.others = true;
    if (found_.refused.empty()) found_.refused = std::move(why);
  }

  std::size_t rank_;
  const std::function<std::string(const Node&)>& refusal_;
  DynamicUses found_;
};

}  // namespace

DynamicUses dynamic_uses(const Value& weight, const Scopes& scopes,
                         const std::function<std::string(const Node&)>& refusal) {
  UseFinder finder(constant_tensor(weight)->dims.size(), refusal);
  finder.add_users(weight, nullptr);
  DynamicUses uses = std::move(finder).found();
  uses.others = uses.others || scopes.must_stay(weight);
  return uses;
}

std::uint64_t dynamic_bytes(const Tensor& weight, std::size_t scales, const DynamicUses& uses) {
  constexpr std::uint64_t kNodes = 120, kName = 5;
  const auto count = static_cast<std::int64_t>(scales);
  return initializer_bytes(ElementType::kUint8, weight.dims, weight.element_count().value_or(0), kName) +
         initializer_bytes(ElementType::kFloat, std::span(&count, 1), scales * sizeof(float), kName) +
         uses.taken.size() * kNodes;
}

// --- Rewriting.

struct DynamicRewriter::Product {
  Value *codes, *transposed, *scales;
  std::vector<float> factors;
  std::vector<std::int64_t> scale_dims;
};

DynamicRewriter::DynamicRewriter(Model& model, IntegerCodes codes, const std::vector<const DynamicUses*>& all)
    : model_(model), codes_(codes) {
  for (const DynamicUses* uses : all) {
    for (const DynamicUse& use : uses->taken) {
      Value* x = use.node->input(0);
      const auto [found, is_new] = activations_.try_emplace(x, Activation{use.node->graph()});
      if (!is_new && found->second.graph != use.node->graph()) found->second.graph = x->graph();
    }
  }
}

void DynamicRewriter::rewrite(Value& weight, const DynamicUses& uses, WeightCodes codes) {
  Product product = make_product(weight, uses, std::move(codes));
  for (const DynamicUse& use : uses.taken) replace(use, product);
  for (const DynamicUse& use : uses.taken) {
    Node* transpose = use.transpose;
    if (!transpose || transpose->erased() || transpose->output()->first_use() || transpose->output()->is_output())
      continue;
    transpose->graph()->erase(*transpose);
  }
  if (!uses.others) undefine(weight);
}

// Constants, and the nodes that read only constants, are placed at the front of the main graph.
DynamicRewriter::Product DynamicRewriter::make_product(Value& weight, const DynamicUses& uses, WeightCodes codes) {
  Graph& root = model_.graph();
  Product made{.factors = std::move(codes.scales)};
  const auto dims = constant_tensor(weight)->dims;
  Node* front = root.nodes().front();
  if (front == weight.producer()) front = front->next();
  const Place place{root, front};
  const bool is_signed = codes_ == IntegerCodes::kInt8;
  made.codes = constant(place, is_signed ? ElementType::kInt8 : ElementType::kUint8, dims, std::move(codes.codes));
  made.scale_dims = {static_cast<std::int64_t>(made.factors.size())};
  if (uses.taken.front().node->is("Conv")) made.scale_dims.resize(dims.size() - 1, 1);
  made.scales = constant(place, ElementType::kFloat, made.scale_dims, Bytes::owned(bytes_of(made.factors)));
  const bool transposes = std::ranges::any_of(uses.taken, &DynamicUse::transposed);
  made.transposed = transposes ? add(place, "Transpose", {made.codes}) : nullptr;
  if (uses.others) decode(place, &weight, uses, made);
  return made;
}

// Decodes the floats for users that still need them.
void DynamicRewriter::decode(const Place& place, Value* value, const DynamicUses& uses, const Product& product) {
  const std::size_t rank = constant_tensor(*value)->dims.size();
  undefine(*value);
  if (value->graph() != &place.graph) {  // the weight was in a body: move it out
    Value* outside = place.graph.create_value({});
    value->graph()->replace_operands(value, outside);
    value = outside;
  }
  std::vector<std::int64_t> dims(rank - uses.channel_axis, 1);
  dims.front() = static_cast<std::int64_t>(product.factors.size());
  Value* scales = dims == product.scale_dims
                      ? product.scales
                      : constant(place, ElementType::kFloat, dims, Bytes::owned(bytes_of(product.factors)));
  Value* floats =
      add(place, "Cast", {product.codes}, {attribute("to", static_cast<std::int64_t>(ElementType::kFloat))});
  if (codes_ == IntegerCodes::kUint8) {
    const float middle = 128;
    floats =
        add(place, "Sub", {floats, constant(place, ElementType::kFloat, {}, Bytes::owned(bytes_of({&middle, 1})))});
  }
  add(place, "Mul", {floats, scales}, {}, value);
}

// Quantizes each activation once, right after the node that computes it; or, when all its users are in one body, there.
const DynamicRewriter::Activation& DynamicRewriter::quantized_activation(Value* x) {
  Activation& made = activations_.at(x);
  if (made.codes) return made;
  Graph& graph = *made.graph;
  const bool here = x->graph() == &graph && x->producer();
  Node* position = here ? x->producer()->next() : graph.nodes().front();
  Value* results[] = {graph.create_value({}), graph.create_value({}), graph.create_value({})};
  graph.insert_before(position, {.op_type = "DynamicQuantizeLinear", .inputs = std::span(&x, 1), .outputs = results});
  made.codes = results[0], made.scale = results[1], made.zero = results[2];
  return made;
}

// ONNX Runtime fuses Mul(Cast(MatMulInteger(...)), Mul(scale of x, scales)), but only with this order of operands.
void DynamicRewriter::replace(const DynamicUse& use, Product& product) {
  Node& node = *use.node;
  Graph& graph = *node.graph();
  const Place before{graph, &node};
  const Activation& x = quantized_activation(node.input(0));
  Value* sums = multiplied(before, use, x, product);
  Value* floats = add(before, "Cast", {sums}, {attribute("to", static_cast<std::int64_t>(ElementType::kFloat))});
  Value* scale = add(before, "Mul", {x.scale, scales_for(node, product)});
  Value* old_bias = node.input(2);
  Value* bias = bias_of(before, node, product);
  Value* y = node.output();
  const Place after{graph, node.next()};
  graph.erase(node);
  if (bias != old_bias) remove_unused_constant(*old_bias);
  Value* products = add(after, "Mul", {floats, scale}, {}, bias ? nullptr : y);
  if (bias) add(after, "Add", {products, bias}, {}, y);
}

Value* DynamicRewriter::multiplied(const Place& place, const DynamicUse& use, const Activation& x,
                                   const Product& product) {
  const Node& node = *use.node;
  Value* a = x.codes;
  if (node.is("Gemm") && attribute_or<std::int64_t>(node, "transA", 0) != 0) a = add(place, "Transpose", {a});
  std::vector<Value*> inputs = {a, use.transposed ? product.transposed : product.codes, x.zero};
  if (codes_ == IntegerCodes::kUint8) {
    if (!zero_point_) {
      Graph& root = model_.graph();
      zero_point_ = constant({root, root.nodes().front()}, ElementType::kUint8, {}, Bytes::owned("\x80"));
    }
    inputs.push_back(zero_point_);
  }
  std::vector<Attribute*> attributes;
  if (node.is("Conv")) attributes.assign(node.attributes().begin(), node.attributes().end());
  return add(place, integer_form_of(node), inputs, attributes, nullptr, node.name());
}

Value* DynamicRewriter::scales_for(const Node& node, const Product& product) {
  const float alpha = node.is("Gemm") ? attribute_or<float>(node, "alpha", 1) : 1;
  if (alpha == 1) return product.scales;
  std::vector<float> scales = product.factors;
  for (float& scale : scales) scale *= alpha;
  Graph& root = model_.graph();
  return constant({root, root.nodes().front()}, ElementType::kFloat, product.scale_dims,
                  Bytes::owned(bytes_of(scales)));
}

Value* DynamicRewriter::bias_of(const Place& place, const Node& node, const Product& product) {
  Value* bias = node.is("MatMul") ? nullptr : node.input(2);
  if (!bias) return nullptr;
  if (node.is("Conv")) return spread_bias(place, bias, product.scale_dims);
  const float beta = attribute_or<float>(node, "beta", 1);
  if (beta == 1) return bias;
  if (beta == 0) return nullptr;
  return add(place, "Mul", {bias, constant(place, ElementType::kFloat, {}, Bytes::owned(bytes_of({&beta, 1})))});
}

// Reshapes [channels] to [channels, 1, 1], so that Add broadcasts it like the bias of a Conv.
Value* DynamicRewriter::spread_bias(const Place& place, Value* bias, std::span<const std::int64_t> dims) {
  if (const Tensor* tensor = is_constant(*bias) ? constant_tensor(*bias) : nullptr;
      tensor && tensor->dims.size() == 1) {
    Value*& spread = biases_[bias];
    if (!spread) {
      std::vector<std::int64_t> all(dims.begin(), dims.end());
      all.front() = tensor->dims.front();
      Graph& root = model_.graph();
      spread = constant({root, root.nodes().front()}, tensor->type, all, tensor->bytes());
    }
    return spread;
  }
  const auto rank = static_cast<std::int64_t>(dims.size());
  Value* shape = constant(place, ElementType::kInt64, std::span(&rank, 1),
                          Bytes::owned({reinterpret_cast<const char*>(dims.data()), dims.size_bytes()}));
  return add(place, "Reshape", {bias, shape});
}

Value* DynamicRewriter::constant(const Place& place, ElementType type, std::span<const std::int64_t> dims,
                                 Tensor::Content content) {
  Tensor* tensor = make_tensor(model_.arena(), type, dims, std::move(content));
  return add_constant(model_, place.graph, place.position, tensor);
}

Value* DynamicRewriter::add(const Place& place, std::string_view op_type, const std::vector<Value*>& inputs,
                            const std::vector<Attribute*>& attributes, Value* output, std::string_view name) {
  Value* result = output ? output : place.graph.create_value({});
  place.graph.insert_before(
      place.position,
      {.op_type = op_type, .name = name, .inputs = inputs, .outputs = std::span(&result, 1), .attributes = attributes});
  return result;
}

Attribute* DynamicRewriter::attribute(std::string_view name, std::int64_t value) {
  return make_attribute(model_.arena(), name, value);
}

}  // namespace onnxpress::passes
