// Writes layers as nodes.
#include "onnxpress/tasks/generate/architectures/net.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace onnxpress {

Net::Scope::Scope(Net& net, std::string_view name) : net_(net), before_(net.path_.size()) {
  net.path_ += name;
  net.path_ += '.';
}

std::string Net::next(std::string_view kind) {
  std::string name = path_ + std::string(kind);
  std::ranges::transform(name.begin() + static_cast<std::ptrdiff_t>(path_.size()), name.end(),
                         name.begin() + static_cast<std::ptrdiff_t>(path_.size()),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return fmt::format("{}{}", name, ++counts_[name]);
}

Picture Net::node(std::string_view op, std::span<Value* const> inputs, std::span<Attribute* const> attributes,
                  std::int64_t channels) {
  const std::string name = next(op), result[] = {name + "_output"};
  return {b_.nodes(op, name, inputs, attributes, result).front(), channels};
}

Value* Net::weight(std::string_view name, std::initializer_list<std::int64_t> dims) {
  return b_.weight(name, std::span(dims.begin(), dims.size()));
}

Value* Net::scalar(double value) {
  Value*& known = scalars_[value];
  if (!known) known = b_.number(fmt::format("scalar_{}", scalars_.size()), value);
  return known;
}

// --- Ends

Picture Net::input(std::int64_t channels, std::int64_t height, std::int64_t width, std::string_view name) {
  const Dim dims[] = {b_.symbol("batch"), Dim::size(channels), Dim::size(height), Dim::size(width)};
  return {b_.input(name, b_.type(dims)), channels};
}

Picture Net::rows_input(std::string_view name, std::int64_t rows, std::int64_t width) {
  const Dim dims[] = {b_.symbol("batch"), Dim::size(rows), Dim::size(width)};
  return {b_.input(name, b_.type(dims)), width};
}

Value* Net::ids_input(std::string_view name, std::int64_t count) {
  const Dim dims[] = {b_.symbol("batch"), Dim::size(count)};
  return b_.input(name, b_.type(ElementType::kInt64, dims));
}

void Net::output(Picture x, std::string_view name, std::span<const std::int64_t> dims_behind_batch) {
  std::vector<Dim> dims = {b_.symbol("batch")};
  for (const std::int64_t each : dims_behind_batch) dims.push_back(Dim::size(each));
  b_.output(b_.node("Identity", fmt::format("{}.Identity", name), {x.value}, {}, name), b_.type(dims));
}

// --- Layers with weights

Picture Net::conv(Picture x, std::int64_t out, std::int64_t kernel, ConvOptions options) {
  const std::int64_t p = options.padding >= 0 ? options.padding : options.dilation * (kernel - 1) / 2;
  const std::string name = next("conv");
  std::vector<Value*> inputs = {x.value, weight(name + ".weight", {out, x.channels / options.group, kernel, kernel})};
  if (options.bias) inputs.push_back(weight(name + ".bias", {out}));
  const std::int64_t d = options.dilation, s = options.stride;
  Attribute* const attributes[] = {b_.ints("kernel_shape", {kernel, kernel}), b_.ints("pads", {p, p, p, p}),
                                   b_.ints("strides", {s, s}), b_.ints("dilations", {d, d}),
                                   b_.attribute("group", options.group)};
  const std::string result[] = {name + "_output"};
  return {b_.nodes("Conv", name, inputs, attributes, result).front(), out};
}

Picture Net::conv_transpose(Picture x, std::int64_t out, std::int64_t kernel, std::int64_t stride) {
  const std::string name = next("deconv");
  return node("ConvTranspose",
              {x.value, weight(name + ".weight", {x.channels, out, kernel, kernel}), weight(name + ".bias", {out})},
              {b_.ints("kernel_shape", {kernel, kernel}), b_.ints("strides", {stride, stride})}, out);
}

Picture Net::batch_norm(Picture x) {
  const std::string name = next("bn");
  const std::int64_t c = x.channels;
  return node("BatchNormalization",
              {x.value, weight(name + ".weight", {c}), weight(name + ".bias", {c}), weight(name + ".mean", {c}),
               weight(name + ".variance", {c})},
              {}, c);
}

Picture Net::layer_norm(Picture x) {
  const std::string name = next("norm");
  return node("LayerNormalization",
              {x.value, weight(name + ".weight", {x.channels}), weight(name + ".bias", {x.channels})},
              {b_.attribute("axis", std::int64_t{-1}), b_.attribute("epsilon", 1e-5F)}, x.channels);
}

// In the form that exporters write: normalization by group, then a weight for each channel.
Picture Net::group_norm(Picture x, std::int64_t groups) {
  const std::string name = next("group_norm");
  Value* ones = weight(name + ".ones", {groups});
  Value* zeros = weight(name + ".zeros", {groups});
  const Picture flat = reshape(x, {0, groups, -1}, groups);
  const Picture normal = node("InstanceNormalization", {flat.value, ones, zeros}, {}, groups);
  Value* shape = node("Shape", {x.value}, {}, 0).value;
  const Picture back = node("Reshape", {normal.value, shape}, {}, x.channels);
  const Picture product = node("Mul", {back.value, weight(name + ".weight", {x.channels, 1, 1})}, {}, x.channels);
  return node("Add", {product.value, weight(name + ".bias", {x.channels, 1, 1})}, {}, x.channels);
}

Picture Net::prelu(Picture x) {
  return node("PRelu", {x.value, weight(next("slope"), {x.channels, 1, 1})}, {}, x.channels);
}

Picture Net::linear(Picture x, std::int64_t out, bool bias) {
  const std::string name = next("linear");
  const Picture y = node("MatMul", {x.value, weight(name + ".weight", {x.channels, out})}, {}, out);
  return bias ? node("Add", {y.value, weight(name + ".bias", {out})}, {}, out) : y;
}

Picture Net::gemm(Picture x, std::int64_t out) {
  const std::string name = next("fc");
  return node("Gemm", {x.value, weight(name + ".weight", {out, x.channels}), weight(name + ".bias", {out})},
              {b_.attribute("transB", std::int64_t{1})}, out);
}

Picture Net::scaled(Picture x) { return node("Mul", {x.value, weight(next("gamma"), {x.channels})}, {}, x.channels); }

Picture Net::weight_added(Picture x, std::initializer_list<std::int64_t> dims) {
  return node("Add", {x.value, weight(next("table"), dims)}, {}, x.channels);
}

Picture Net::lookup(Value* ids, std::int64_t count, std::int64_t width) {
  return node("Gather", {weight(next("embedding"), {count, width}), ids}, {}, width);
}

Picture Net::unit(Picture x, std::int64_t out, std::int64_t kernel, ConvOptions options, std::string_view activation) {
  options.bias = false;
  const Picture y = batch_norm(conv(x, out, kernel, options));
  return activation.empty() ? y : act(y, activation);
}

// --- Layers without weights

Picture Net::act(Picture x, std::string_view op) {
  const std::int64_t c = x.channels;
  if (op == "Silu") return multiply(x, node("Sigmoid", {x.value}, {}, c));
  if (op == "QuickGelu") return multiply(x, node("Sigmoid", {times(x, 1.702).value}, {}, c));
  if (op == "Mish") return multiply(x, act(node("Softplus", {x.value}, {}, c), "Tanh"));
  if (op == "Relu6") return node("Clip", {x.value, scalar(0), scalar(6)}, {}, c);
  if (op == "LeakyRelu") return node("LeakyRelu", {x.value}, {b_.attribute("alpha", 0.1F)}, c);
  return node(op, {x.value}, {}, c);
}

Picture Net::max_pool(Picture x, std::int64_t kernel, std::int64_t stride, std::int64_t p, bool ceil) {
  return node("MaxPool", {x.value},
              {b_.ints("kernel_shape", {kernel, kernel}), b_.ints("strides", {stride, stride}),
               b_.ints("pads", {p, p, p, p}), b_.attribute("ceil_mode", std::int64_t{ceil})},
              x.channels);
}

Picture Net::average_pool(Picture x, std::int64_t kernel, std::int64_t stride, std::int64_t p) {
  return node(
      "AveragePool", {x.value},
      {b_.ints("kernel_shape", {kernel, kernel}), b_.ints("strides", {stride, stride}), b_.ints("pads", {p, p, p, p})},
      x.channels);
}

Picture Net::global_pool(Picture x) { return node("GlobalAveragePool", {x.value}, {}, x.channels); }

Picture Net::flatten(Picture x, std::int64_t width) {
  return node("Flatten", {x.value}, {b_.attribute("axis", std::int64_t{1})}, width);
}

Picture Net::lrn(Picture x) {
  return node("LRN", {x.value}, {b_.attribute("size", std::int64_t{5}), b_.attribute("alpha", 1e-4F)}, x.channels);
}

Picture Net::add(Picture a, Picture b) { return node("Add", {a.value, b.value}, {}, a.channels); }
Picture Net::multiply(Picture a, Picture b) { return node("Mul", {a.value, b.value}, {}, a.channels); }
Picture Net::times(Picture x, double factor) { return node("Mul", {x.value, scalar(factor)}, {}, x.channels); }

Picture Net::concat(std::span<const Picture> parts, std::int64_t axis) {
  std::vector<Value*> inputs;
  std::int64_t channels = 0;
  for (const Picture& each : parts) {
    inputs.push_back(each.value);
    channels += each.channels;
  }
  Attribute* const attributes[] = {b_.attribute("axis", axis)};
  return node("Concat", inputs, attributes, channels);
}

std::vector<Picture> Net::split(Picture x, std::int64_t parts, std::int64_t axis) {
  const std::string name = next("split");
  std::vector<std::string> results;
  for (std::int64_t i = 0; i < parts; ++i) results.push_back(fmt::format("{}_output_{}", name, i));
  Value* const inputs[] = {x.value};
  Attribute* const attributes[] = {b_.attribute("axis", axis), b_.attribute("num_outputs", parts)};
  std::vector<Picture> out;
  for (Value* each : b_.nodes("Split", name, inputs, attributes, results)) out.push_back({each, x.channels / parts});
  return out;
}

Picture Net::upsample(Picture x, std::int64_t factor, std::string_view mode) {
  const auto f = static_cast<double>(factor);
  const double scales[] = {1, 1, f, f};
  return node("Resize", {x.value, nullptr, b_.floats(fmt::format("{}scales", next("resize")), scales)},
              {b_.attribute("mode", b_.text(mode)),
               b_.attribute("coordinate_transformation_mode", std::string_view("asymmetric"))},
              x.channels);
}

Picture Net::softmax(Picture x, std::int64_t axis) {
  return node("Softmax", {x.value}, {b_.attribute("axis", axis)}, x.channels);
}

Picture Net::reshape(Picture x, std::initializer_list<std::int64_t> dims, std::int64_t channels) {
  return node("Reshape", {x.value, b_.shape(dims)}, {}, channels);
}

Picture Net::transpose(Picture x, std::initializer_list<std::int64_t> order) {
  return node("Transpose", {x.value}, {b_.ints("perm", order)}, x.channels);
}

Picture Net::matmul(Picture a, Picture b, std::int64_t channels) {
  return node("MatMul", {a.value, b.value}, {}, channels);
}

// Moves the first `by` positions of the axis to its end or, if `by` is negative, the last ones to its front.
Picture Net::roll(Picture x, std::int64_t by, std::int64_t axis) {
  constexpr std::int64_t kEnd = INT64_MAX;
  const auto part = [&](std::int64_t begin, std::int64_t end) {
    return node("Slice", {x.value, b_.shape({begin}), b_.shape({end}), b_.shape({axis})}, {}, x.channels);
  };
  const Picture first = part(0, by), second = part(by, kEnd);
  return {concat({second, first}, axis).value, x.channels};
}

Picture Net::attention(Picture q, Picture k, Picture v, std::int64_t heads, Value* bias) {
  const std::int64_t width = q.channels / heads;
  const auto by_heads = [&](Picture x, std::initializer_list<std::int64_t> order) {
    return transpose(reshape(x, {0, 0, heads, x.channels / heads}, x.channels), order);
  };
  const Picture queries = times(by_heads(q, {0, 2, 1, 3}), 1 / std::sqrt(static_cast<double>(width)));
  Picture scores = matmul(queries, by_heads(k, {0, 2, 3, 1}), 0);
  if (bias) scores = node("Add", {scores.value, bias}, {}, 0);
  const Picture mixed = matmul(softmax(scores), by_heads(v, {0, 2, 1, 3}), v.channels);
  return reshape(transpose(mixed, {0, 2, 1, 3}), {0, 0, v.channels}, v.channels);
}

}  // namespace onnxpress
