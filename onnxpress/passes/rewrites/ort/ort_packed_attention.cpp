// Fuses the products that make queries, keys and values with the MultiHeadAttention that reads them.
//
//   before: q, k, v = Split(Add(MatMul(x, w), b), axis = -1); y = com.microsoft.MultiHeadAttention(q, k, v, num_heads)
//   after:  y = com.microsoft.Attention(x, w, b, num_heads)
//
// All three are made from the same x by constant weights, in one product or in three. Without biases, zeros are added.
#include <algorithm>

#include "onnxpress/passes/ort_rewrites.h"
#include "onnxpress/passes/shared/blocks/columns.h"

namespace onnxpress::passes {

namespace {

// x times constant weights, plus a constant bias.
struct Projection {
  Value *x = nullptr, *weights = nullptr, *bias = nullptr;  // without bias: null
  std::int64_t width = 0;
};

std::optional<Projection> projection_in(const Value* value, const Rewriter& rw) {
  Projection found;
  const Node* product = rw.producer(value, "MatMul");
  const Node* add = product ? nullptr : rw.producer(value, "Add");
  for (const std::size_t side : {0, 1}) {
    if (!add || product || !rw.is_constant(add->input(side))) continue;
    found.bias = add->input(side);
    product = rw.producer(add->input(1 - side), "MatMul");
  }
  if (!product || !rw.is_constant(product->input(1))) return std::nullopt;
  const auto x = rw.shape_of(product->input(0)), weights = rw.shape_of(product->input(1)),
             bias = found.bias ? rw.shape_of(found.bias) : std::nullopt;
  if (!x || x->size() != 3 || !weights || weights->size() != 2 || !weights->back().size()) return std::nullopt;
  if (found.bias && (!bias || bias->size() != 1 || bias->front() != weights->back())) return std::nullopt;
  found.x = product->input(0);
  found.weights = product->input(1);
  found.width = *weights->back().size();
  return found;
}

struct Packed {
  Projection all;
  std::vector<std::int64_t> widths;
};

// Joins the weights of three products, if nothing else needs the parts.
std::optional<Packed> join(const Node& attention, Rewriter& rw) {
  Packed packed;
  std::vector<Value*> weights, biases;
  for (const std::size_t i : {0, 1, 2}) {
    const Value* part = attention.input(i);
    const auto each = part && part->use_count() == 1 && !part->is_output() ? projection_in(part, rw) : std::nullopt;
    if (!each || (i > 0 && each->x != packed.all.x)) return std::nullopt;
    packed.all.x = each->x;
    packed.widths.push_back(each->width);
    weights.push_back(each->weights);
    if (each->bias) biases.push_back(each->bias);
  }
  if (!biases.empty() && biases.size() != 3) return std::nullopt;
  const Parameter columns[] = {{"axis", 1}}, elements[] = {{"axis", 0}};
  packed.all.weights = rw.make("Concat", weights, columns);
  if (!biases.empty()) packed.all.bias = rw.make("Concat", biases, elements);
  return rw.is_constant(packed.all.weights) ? std::optional(packed) : std::nullopt;
}

std::optional<Packed> packed_in(const Node& attention, Rewriter& rw) {
  const auto parts = three_parts(attention.input(0), attention.input(1), attention.input(2), rw);
  if (!parts) return join(attention, rw);
  const auto all = projection_in(parts->of, rw);
  if (!all) return std::nullopt;
  return Packed{*all, {parts->widths.begin(), parts->widths.end()}};
}

bool apply_ort_packed_attention(Node& node, Rewriter& rw) {
  if (!is_for_ort(node.input(0), rw) || node.used_outputs() != 1 || !node.output()->is_used()) return false;
  for (const std::size_t i : {4, 6, 7, 8, 9}) {
    if (node.input(i)) return false;
  }
  auto packed = packed_in(node, rw);
  const auto params = rw.params(node);
  const std::int64_t heads = params.integer_or("num_heads", 0);
  if (!packed || heads < 1 || packed->widths[0] != packed->widths[1] || packed->widths[0] % heads != 0 ||
      packed->widths[2] % heads != 0)
    return false;
  if (node.input(3)) {
    if (packed->all.bias) return false;
    packed->all.bias = node.input(3);
  }
  // ONNX Runtime 1.31 crashes without a bias.
  const std::int64_t width = packed->widths[0] * 2 + packed->widths[2];
  if (!packed->all.bias) packed->all.bias = rw.splat(ElementType::kFloat, std::vector{width}, 0);
  Value* const operands[] = {packed->all.x, packed->all.weights, packed->all.bias, nullptr, nullptr, node.input(5)};
  std::vector<Parameter> parameters = {{"num_heads", heads}};
  if (packed->widths[2] != packed->widths[0]) parameters.emplace_back("qkv_hidden_sizes", packed->widths);
  if (params.given("scale")) parameters.emplace_back("scale", params.real_or("scale", 0));
  if (params.flag("unidirectional")) parameters.emplace_back("unidirectional", 1);
  return rw.replace(node, rw.make("Attention", operands, parameters, kOrtDomain));
}

constexpr std::string_view kOrtPackedAttentionRoots[] = {"com.microsoft.MultiHeadAttention"};

}  // namespace

extern const Rewrite ort_packed_attention;
const Rewrite ort_packed_attention = {
    .name = "ort-packed-attention",
    .summary = "fuses the products that make queries, keys and values with the attention after them",
    .exactness = Exactness::kReassociates,
    .group = "ort",
    .large_pattern = true,
    .roots = kOrtPackedAttentionRoots,
    .apply = apply_ort_packed_attention};

}  // namespace onnxpress::passes
