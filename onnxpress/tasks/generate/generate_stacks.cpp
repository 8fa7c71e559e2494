// Kinds that repeat one pattern: `chain`, `wide`, `weights`, and the layers of `constants` and `functions`.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "onnxpress/tasks/generate/generate_builder.h"

namespace onnxpress {

namespace {

std::int64_t width_of(const ModelBuilder& builder) { return static_cast<std::int64_t>(builder.options().sizes.hidden); }

// "x" of shape [batch, width], and the type it has.
Value* row_input(ModelBuilder& builder, std::int64_t width, const Type*& type) {
  const Dim dims[] = {builder.symbol("batch"), Dim::size(width)};
  type = builder.type(dims);
  return builder.input("x", type);
}

std::string result_name(std::uint64_t i, std::uint64_t count) {
  return i + 1 == count ? "y" : fmt::format("value_{}", i);
}

}  // namespace

void build_chain(ModelBuilder& builder) {
  constexpr std::int64_t kWidth = 16;
  constexpr std::string_view kOps[] = {"Add", "Relu", "Mul", "Sigmoid", "Sub", "Tanh"};
  const Type* type = nullptr;
  Value* x = row_input(builder, kWidth, type);
  const std::int64_t dims[] = {kWidth};
  Value* operand = builder.weight("operand", dims);
  const std::uint64_t count = builder.options().sizes.nodes;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string_view op = kOps[i % std::size(kOps)];
    const bool binary = i % 2 == 0;
    Value* const inputs[] = {x, operand};
    x = builder.node(op, fmt::format("{}_{}", op, i), std::span(inputs).first(binary ? 2 : 1), {},
                     result_name(i, count));
    if (builder.options().sizes.value_info && i + 1 < count) builder.graph().add_value_info(x, type);
  }
  builder.output(x, type);
}

void build_wide(ModelBuilder& builder) {
  constexpr std::int64_t kWidth = 16;
  const Type* type = nullptr;
  Value* x = row_input(builder, kWidth, type);
  std::vector<Value*> all;
  for (std::uint64_t i = 0; i < builder.options().sizes.nodes; ++i) {
    all.push_back(builder.node("Neg", fmt::format("Neg_{}", i), {x}, {}, fmt::format("value_{}", i)));
  }
  builder.output(builder.node("Sum", "Sum", all, {}, "y"), type);
}

// A Gather reads one row of each weight, so that the model runs fast however large it is.
void build_weights(ModelBuilder& builder) {
  constexpr std::uint64_t kRowBytes = 4096;
  const auto element_bytes = static_cast<std::uint64_t>(bits_of(builder.options().type)) / 8;
  const std::uint64_t tensors = builder.options().sizes.tensors, bytes = builder.options().sizes.bytes;
  const std::uint64_t row = std::clamp<std::uint64_t>(bytes / tensors, element_bytes, kRowBytes) / element_bytes;
  const std::uint64_t row_bytes = row * element_bytes;
  const std::uint64_t rows = std::max<std::uint64_t>(1, (bytes + tensors * row_bytes - 1) / (tensors * row_bytes));
  const std::int64_t dims[] = {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(row)};

  Value* index = builder.input("index", builder.type(ElementType::kInt64, {}));
  const Dim row_dims[] = {Dim::size(static_cast<std::int64_t>(row))};
  const Type* row_type = builder.type(row_dims);
  for (std::uint64_t i = 0; i < tensors; ++i) {
    Value* weight = builder.weight(fmt::format("weight_{}", i), dims);
    Value* taken = builder.node("Gather", fmt::format("Gather_{}", i), {weight, index}, {}, fmt::format("row_{}", i));
    builder.output(taken, row_type);
  }
}

void build_constants(ModelBuilder& builder) {
  const std::int64_t width = width_of(builder), weight_dims[] = {width, width}, bias_dims[] = {width};
  const Type* type = nullptr;
  Value* x = row_input(builder, width, type);
  const auto constant = [&builder](const std::string& name, std::span<const std::int64_t> dims) {
    return builder.node("Constant", fmt::format("{}.Constant", name), {},
                        {builder.attribute("value", builder.filled(dims, name))}, name);
  };
  const std::uint64_t count = builder.options().sizes.layers;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string layer = fmt::format("layers.{}", i);
    Value* weight = constant(layer + ".weight", weight_dims);
    Value* bias = constant(layer + ".bias", bias_dims);
    Value* product = builder.node("MatMul", layer + ".MatMul", {x, weight});
    Value* sum = builder.node("Add", layer + ".Add", {product, bias});
    x = builder.node("Relu", layer + ".Relu", {sum}, {}, result_name(i, count));
  }
  builder.output(x, type);
}

namespace {

constexpr std::string_view kFunctionDomain = "onnxpress.generated";

// activate<slope>(x) = LeakyRelu<alpha = slope>(x): an attribute that is passed on.
void add_activation(ModelBuilder& builder, const OpsetImport& standard) {
  Function* function = builder.model().create_function();
  function->name = "Activate";
  function->domain = kFunctionDomain;
  function->attribute_names.emplace_back("slope");
  function->opsets = {standard};
  builder.enter(*function->body);
  Value* x = builder.input("x", nullptr);
  Attribute* alpha = builder.attribute("alpha", {});
  alpha->type = AttributeType::kFloat;
  alpha->ref_name = "slope";
  builder.output(builder.node("LeakyRelu", "leak", {x}, {alpha}, "y"), nullptr);
}

// Layer(x, weight, bias) = Activate<slope = 0.1>(x * weight + bias): a function that calls another.
void add_layer(ModelBuilder& builder, const OpsetImport& standard, const OpsetImport& own) {
  Function* function = builder.model().create_function();
  function->name = "Layer";
  function->domain = kFunctionDomain;
  function->opsets = {standard, own};
  builder.enter(*function->body);
  Value* x = builder.input("x", nullptr);
  Value* weight = builder.input("weight", nullptr);
  Value* bias = builder.input("bias", nullptr);
  Value* sum = builder.node("Add", "add", {builder.node("MatMul", "multiply", {x, weight}), bias});
  builder.output(builder.node("Activate", "activate", {sum}, {builder.attribute("slope", 0.1F)}, "y", kFunctionDomain),
                 nullptr);
}

}  // namespace

void build_functions(ModelBuilder& builder) {
  const OpsetImport standard = builder.model().opsets.front(), own{kFunctionDomain, 1, {}};
  builder.model().opsets.push_back(own);
  add_activation(builder, standard);
  add_layer(builder, standard, own);
  builder.enter(builder.model().graph());

  const std::int64_t width = width_of(builder), weight_dims[] = {width, width}, bias_dims[] = {width};
  const Type* type = nullptr;
  Value* x = row_input(builder, width, type);
  const std::uint64_t count = builder.options().sizes.layers;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string layer = fmt::format("layers.{}", i);
    Value* weight = builder.weight(layer + ".weight", weight_dims);
    Value* bias = builder.weight(layer + ".bias", bias_dims);
    x = builder.node("Layer", layer, {x, weight, bias}, {}, result_name(i, count), kFunctionDomain);
  }
  builder.output(x, type);
}

}  // namespace onnxpress
