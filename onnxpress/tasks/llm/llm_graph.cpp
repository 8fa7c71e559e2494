// Writes each step as nodes. Values that depend only on positions (rotary angles, ALiBi, distance buckets) are inputs,
// because they are not parameters.
#include "onnxpress/tasks/llm/llm_graph.h"

#include <fmt/format.h>

#include <cmath>
#include <unordered_map>

#include "onnxpress/tasks/generate/generate_builder.h"
#include "onnxpress/tasks/llm/llm_graph_writer.h"

namespace onnxpress {

Value* LlmGraphWriter::node(std::string_view op, std::string_view name, std::initializer_list<Value*> inputs,
                            std::initializer_list<Attribute*> attributes) {
  const std::string base = fmt::format("{}{}", scope_, name);
  const std::uint64_t number = names_[base]++;
  return b_.node(op, number == 0 ? base : fmt::format("{}_{}", base, number), inputs, attributes);
}

Value* LlmGraphWriter::weight(const std::string& name, std::initializer_list<std::int64_t> dims) {
  Value*& known = weights_[name];
  if (!known) known = b_.weight(name, std::span(dims.begin(), dims.size()));
  return known;
}

Value* LlmGraphWriter::input(const std::string& name, ElementType type, std::initializer_list<Dim> dims) {
  Value*& known = inputs_[name];
  if (!known) known = b_.input(name, b_.type(type, std::span(dims.begin(), dims.size())));
  return known;
}

Value* LlmGraphWriter::reshape(Value* x, std::initializer_list<std::int64_t> dims) {
  return node("Reshape", "Reshape", {x, b_.shape(dims)});
}

Attribute* LlmGraphWriter::number(std::string_view name, std::int64_t value) { return b_.attribute(name, value); }

void LlmGraphWriter::enter(LlmPart, const std::string& scope) { scope_ = scope.ends_with('.') ? scope : scope + "."; }

// --- Embedding

Flow LlmGraphWriter::tokens(const std::string& name, std::uint64_t) {
  sequence_ = name == "encoder_input_ids" ? b_.symbol("source") : b_.symbol("sequence");
  return {.value = input(name, ElementType::kInt64, {b_.symbol("batch"), sequence_})};
}

Flow LlmGraphWriter::lookup(Flow ids, const std::string& table, std::int64_t count, std::int64_t width) {
  return flow(node("Gather", "Gather", {weight(table, {count, width}), ids.value}), width);
}

Flow LlmGraphWriter::add_table(Flow x, const std::string& name, std::int64_t count) {
  return flow(node("Add", "Add", {x.value, weight(name, {count, width_of(x)})}), width_of(x));
}

Flow LlmGraphWriter::sound(std::int64_t channels, std::uint64_t steps) {
  return flow(input("input_features", options_.type,
                    {b_.symbol("batch"), Dim::size(channels), Dim::size(static_cast<std::int64_t>(steps))}),
              channels);
}

Flow LlmGraphWriter::convolve(Flow x, const std::string& name, std::int64_t channels, std::int64_t stride) {
  return flow(node("Conv", "Conv",
                   {x.value, weight(name + ".weight", {channels, width_of(x), 3}), weight(name + ".bias", {channels})},
                   {b_.ints("kernel_shape", {3}), b_.ints("pads", {1, 1}), b_.ints("strides", {stride})}),
              channels);
}

Flow LlmGraphWriter::to_tokens(Flow x) {
  return flow(node("Transpose", "Transpose", {x.value}, {b_.ints("perm", {0, 2, 1})}), width_of(x));
}

// --- Products with weights

Flow LlmGraphWriter::linear(Flow x, const std::string& name, std::int64_t out, bool bias) {
  Value* y = node("MatMul", "MatMul", {x.value, weight(name + ".weight", {width_of(x), out})});
  if (bias) y = node("Add", "Add", {y, weight(name + ".bias", {out})});
  return flow(y, out);
}

// The table is [rows, width]; no transposed copy is made.
Flow LlmGraphWriter::tied_linear(Flow x, const std::string& table, std::int64_t count) {
  Value* rows = weight(table, {count, width_of(x)});
  return flow(node("Einsum", "Einsum", {x.value, rows},
                   {b_.attribute("equation", std::string_view(call_.all_logits ? "bsd,vd->bsv" : "bd,vd->bv"))}),
              count);
}

Flow LlmGraphWriter::head_linear(Flow x, const std::string& name, std::int64_t heads, std::int64_t out) {
  Value* w = weight(name + ".weight", {heads, width_of(x) / heads, out});
  Value* y = node("Einsum", "Einsum", {reshape(x.value, {0, 0, heads, width_of(x) / heads}), w},
                  {b_.attribute("equation", std::string_view("bshd,hdo->bsho"))});
  return flow(reshape(y, {0, 0, heads * out}), heads * out);
}

// Gathers the matrices of the experts that a token uses, so that only their work is done.
Flow LlmGraphWriter::experts(Flow x, const LlmExperts& call) {
  const std::int64_t width = width_of(x), all = call.experts, inner = call.inner;
  Value* scores = node("MatMul", "router.MatMul", {x.value, weight(scope_ + "router.weight", {width, all})});
  scores = node("Softmax", "router.Softmax", {scores}, {number("axis", -1)});
  if (call.router_bias) scores = node("Add", "router.Add", {scores, weight(scope_ + "router.bias", {all})});
  Value* const top_inputs[] = {scores, b_.shape({call.used})};
  Attribute* const top_attributes[] = {number("axis", -1)};
  const std::string results[] = {scope_ + "shares", scope_ + "chosen"};
  const auto top = b_.nodes("TopK", scope_ + "TopK", top_inputs, top_attributes, results);
  const auto gathered = [&](const std::string& name, std::int64_t from, std::int64_t to) {
    return node("Gather", name + ".Gather", {weight(scope_ + name + ".weight", {all, from, to}), top[1]});
  };
  Value* rows = node("Unsqueeze", "Unsqueeze", {x.value, b_.shape({2, 3})});
  const auto product = [&](const std::string& name) {
    return flow(node("MatMul", name + ".MatMul", {rows, gathered(name, width, inner)}), inner);
  };
  const Flow up = product("up");
  const Flow active =
      call.gated ? multiply(activate(product("gate"), call.activation), up) : activate(up, call.activation);
  Value* down = node("MatMul", "down.MatMul", {active.value, gathered("down", inner, width)});
  Value* shares = node("Unsqueeze", "shares.Unsqueeze", {top[0], b_.shape({3, 4})});
  Value* mixed =
      node("ReduceSum", "ReduceSum", {node("Mul", "Mul", {down, shares}), b_.shape({2, 3})}, {number("keepdims", 0)});
  return flow(mixed, width);
}

// --- Elementwise

Flow LlmGraphWriter::norm(Flow x, const std::string& name, LlmNorm kind, std::int64_t heads) {
  const std::int64_t width = width_of(x) / heads;
  Value* rows = heads == 1 ? x.value : reshape(x.value, {0, 0, heads, width});
  Value* scale = weight(name + ".weight", {width});
  Value* y = nullptr;
  Attribute* epsilon = b_.attribute("epsilon", 1e-5F);
  if (kind == LlmNorm::kLayer) {
    y = node("LayerNormalization", "LayerNormalization", {rows, scale, weight(name + ".bias", {width})}, {epsilon});
  } else if (kind == LlmNorm::kLayerWithoutBias) {
    y = node("LayerNormalization", "LayerNormalization", {rows, scale}, {epsilon});
  } else if (options_.opset >= 23) {
    y = node("RMSNormalization", "RMSNormalization", {rows, scale}, {epsilon});
  } else {
    Value* mean = node("ReduceMean", "ReduceMean", {node("Mul", "Mul", {rows, rows}), b_.shape({-1})});
    Value* root = node("Sqrt", "Sqrt", {node("Add", "Add", {mean, constant("epsilon", 1e-5)})});
    y = node("Mul", "Mul", {node("Div", "Div", {rows, root}), scale});
  }
  return flow(heads == 1 ? y : reshape(y, {0, 0, width_of(x)}), width_of(x));
}

Value* LlmGraphWriter::constant(const std::string& name, double value) {
  Value*& known = inputs_[name];
  if (!known) known = b_.number(name, value);
  return known;
}

Flow LlmGraphWriter::activate(Flow x, std::string_view kind) {
  Value* y = nullptr;
  if (kind == "Silu") {
    y = node("Mul", "Silu.Mul", {x.value, node("Sigmoid", "Silu.Sigmoid", {x.value})});
  } else if (kind == "GeluTanh") {
    y = node("Gelu", "Gelu", {x.value}, {b_.attribute("approximate", std::string_view("tanh"))});
  } else {
    y = node(kind, kind, {x.value});
  }
  return flow(y, width_of(x));
}

Flow LlmGraphWriter::add(Flow a, Flow b) { return flow(node("Add", "Add", {a.value, b.value}), width_of(a)); }
Flow LlmGraphWriter::multiply(Flow a, Flow b) { return flow(node("Mul", "Mul", {a.value, b.value}), width_of(a)); }

Flow LlmGraphWriter::last_token(Flow x) {
  return flow(node("Gather", "last.Gather", {x.value, index("last_index", -1)}, {number("axis", 1)}), width_of(x));
}

Flow LlmGraphWriter::first_token(Flow x) {
  return flow(node("Gather", "first.Gather", {x.value, index("first_index", 0)}, {number("axis", 1)}), width_of(x));
}

Value* LlmGraphWriter::index(const std::string& name, std::int64_t value) {
  Value*& known = inputs_[name];
  if (!known) known = b_.integer(name, value);
  return known;
}

void LlmGraphWriter::output(Flow x, const std::string& name) {
  const bool rows = name != "last_hidden_state" && !(name == "logits" && call_.all_logits);
  Value* named = b_.node("Identity", name + ".Identity", {x.value}, {}, name);
  const Dim width = Dim::size(width_of(x)), batch = b_.symbol("batch");
  const Dim all[] = {batch, b_.symbol("sequence"), width}, last[] = {batch, width};
  b_.output(named, rows ? b_.type(last) : b_.type(all));
  for (const auto& [value, type] : caches_) b_.output(value, type);
  caches_.clear();
}

Model llm_graph(const LlmConfig& config, const LlmCall& call, const LlmGraphOptions& options) {
  GenerateOptions made;
  made.type = options.type;
  made.fill = options.fill;
  made.seed = options.seed;
  made.opset = options.opset;
  Model model = empty_model(made, config.name);
  ModelBuilder builder(model, made);
  LlmGraphWriter writer(builder, call, options);
  walk_llm(config, call, writer);
  return model;
}

}  // namespace onnxpress
