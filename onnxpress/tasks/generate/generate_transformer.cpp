// Kind `transformer`: token ids in, logits out, built of the same plain ops that exporters write.
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <unordered_map>

#include "onnxpress/tasks/generate/generate_builder.h"

namespace onnxpress {

namespace {

class Transformer {
 public:
  explicit Transformer(ModelBuilder& builder)
      : b_(builder),
        hidden_(static_cast<std::int64_t>(builder.options().sizes.hidden)),
        heads_(static_cast<std::int64_t>(builder.options().sizes.heads)) {}

  void build() {
    const Dim token_dims[] = {b_.symbol("batch"), b_.symbol("sequence")};
    Value* ids = b_.input("input_ids", b_.type(ElementType::kInt64, token_dims));
    make_shared_constants();
    Value* x = embed(ids);
    const std::uint64_t layers = b_.options().sizes.layers, shared = b_.options().sizes.shared_layers;
    for (std::uint64_t i = 0; i < layers; ++i) {
      place_ = fmt::format("layers.{}", i);
      content_ = fmt::format("layers.{}", shared == 0 ? i : i % shared);
      stored_ = b_.options().sizes.duplicate_weights ? place_ : content_;
      x = b_.node("Add", path("attention.residual"), {x, attention(normalized(x, "norm1"))});
      x = b_.node("Add", path("mlp.residual"), {x, feed_forward(normalized(x, "norm2"))});
    }
    place_ = content_ = stored_ = "head";
    const auto vocab = static_cast<std::int64_t>(b_.options().sizes.vocab);
    Value* logits =
        b_.node("MatMul", "head.MatMul", {normalized(x, "norm"), weight("weight", {hidden_, vocab})}, {}, "logits");
    const Dim logit_dims[] = {b_.symbol("batch"), b_.symbol("sequence"), Dim::size(vocab)};
    b_.output(logits, b_.type(logit_dims));
  }

 private:
  std::string path(std::string_view name) const { return fmt::format("{}.{}", place_, name); }

  // The weight `name` of this layer. Layers that share weights get the same initializer, unless copies are wanted.
  Value* weight(std::string_view name, std::initializer_list<std::int64_t> dims) {
    const auto [place, is_new] = made_.try_emplace(fmt::format("{}.{}", stored_, name), nullptr);
    if (is_new)
      place->second =
          b_.weight(place->first, std::span(dims.begin(), dims.size()), fmt::format("{}.{}", content_, name));
    return place->second;
  }

  void make_shared_constants() {
    const std::int64_t head = hidden_ / heads_, split[] = {0, 0, heads_, head}, merge[] = {0, 0, hidden_};
    split_shape_ = b_.integers("split_heads_shape", split);
    merge_shape_ = b_.integers("merge_heads_shape", merge);
    scale_ = b_.number("attention_scale", std::sqrt(static_cast<double>(head)));
    root_two_ = b_.number("root_two", std::sqrt(2.0));
    one_ = b_.number("one", 1.0);
    half_ = b_.number("half", 0.5);
  }

  Value* embed(Value* ids) {
    constexpr std::int64_t kPositions = 512;
    const std::int64_t vocab_dims[] = {static_cast<std::int64_t>(b_.options().sizes.vocab), hidden_},
                       position_dims[] = {kPositions, hidden_};
    Value* zero = b_.integer("zero_index", 0);
    Value* one = b_.integer("one_index", 1);
    Value* tokens = b_.node("Gather", "embedding.tokens", {b_.weight("embedding.weight", vocab_dims), ids});
    Value* length = b_.node("Gather", "embedding.length", {b_.node("Shape", "embedding.Shape", {ids}), one});
    Value* range = b_.node("Range", "embedding.Range", {zero, length, one});
    Value* places = b_.node("Gather", "embedding.positions", {b_.weight("position.weight", position_dims), range});
    return b_.node("Add", "embedding.Add", {tokens, places});
  }

  Value* normalized(Value* x, std::string_view name) {
    const std::string scale = fmt::format("{}.weight", name), bias = fmt::format("{}.bias", name);
    return b_.node("LayerNormalization", path(name), {x, weight(scale, {hidden_}), weight(bias, {hidden_})},
                   {b_.attribute("axis", std::int64_t{-1}), b_.attribute("epsilon", 1e-5F)});
  }

  Value* linear(Value* x, std::string_view name, std::int64_t from, std::int64_t to) {
    const std::string w = fmt::format("{}.weight", name), bias = fmt::format("{}.bias", name);
    Value* product = b_.node("MatMul", path(fmt::format("{}.MatMul", name)), {x, weight(w, {from, to})});
    return b_.node("Add", path(fmt::format("{}.Add", name)), {weight(bias, {to}), product});
  }

  Value* head_view(Value* x, std::string_view name, std::initializer_list<std::int64_t> order) {
    Value* flat = linear(x, fmt::format("attention.{}", name), hidden_, hidden_);
    Value* split = b_.node("Reshape", path(fmt::format("attention.{}.Reshape", name)), {flat, split_shape_});
    return b_.node("Transpose", path(fmt::format("attention.{}.Transpose", name)), {split}, {b_.ints("perm", order)});
  }

  Value* attention(Value* x) {
    Value* q = head_view(x, "query", {0, 2, 1, 3});
    Value* k = head_view(x, "key", {0, 2, 3, 1});
    Value* v = head_view(x, "value", {0, 2, 1, 3});
    Value* scores =
        b_.node("Div", path("attention.Div"), {b_.node("MatMul", path("attention.scores"), {q, k}), scale_});
    Value* shares = b_.node("Softmax", path("attention.Softmax"), {scores}, {b_.attribute("axis", std::int64_t{-1})});
    Value* mixed = b_.node("MatMul", path("attention.mix"), {shares, v});
    Value* moved = b_.node("Transpose", path("attention.Transpose"), {mixed}, {b_.ints("perm", {0, 2, 1, 3})});
    Value* merged = b_.node("Reshape", path("attention.Reshape"), {moved, merge_shape_});
    return linear(merged, "attention.output", hidden_, hidden_);
  }

  // Gelu is spelled out with Erf, as exporters do.
  Value* feed_forward(Value* x) {
    Value* up = linear(x, "mlp.up", hidden_, 4 * hidden_);
    Value* erf = b_.node("Erf", path("mlp.Erf"), {b_.node("Div", path("mlp.Div"), {up, root_two_})});
    Value* gate = b_.node("Add", path("mlp.Add"), {erf, one_});
    Value* gelu = b_.node("Mul", path("mlp.half"), {b_.node("Mul", path("mlp.Mul"), {up, gate}), half_});
    return linear(gelu, "mlp.down", 4 * hidden_, hidden_);
  }

  ModelBuilder& b_;
  std::int64_t hidden_, heads_;
  std::string place_, content_,
      stored_;  // names of this layer, of the layer whose content it has, and of its initializers
  std::unordered_map<std::string, Value*> made_;
  Value *split_shape_ = nullptr, *merge_shape_ = nullptr, *scale_ = nullptr, *root_two_ = nullptr, *one_ = nullptr,
        *half_ = nullptr;
};

}  // namespace

void build_transformer(ModelBuilder& builder) { Transformer(builder).build(); }

}  // namespace onnxpress
