// Finds how the weight of a layer is laid out, and takes the vectors it is multiplied with from an input: rows, or
// windows.
#include "onnxpress/tasks/quantize/layers/layer_vectors.h"

#include <algorithm>

#include "onnxpress/ir/constants.h"
#include "onnxpress/ops/kernels/conv_window.h"
#include "onnxpress/weights/find/channel_links.h"

namespace onnxpress {

namespace {

using weights::LayerSample;

class NoConstants final : public ops::ConstantOperands {
 public:
  const ops::Array* constant(std::size_t /*i*/) const override { return nullptr; }
};
const NoConstants kNoConstants;

ops::Params params_of(const LayerUse& use) { return {*use.node, *use.op, kNoConstants}; }

bool is_conv(const LayerUse& use) { return use.node->is("Conv"); }
bool transposes(const LayerUse& use, std::string_view name) {
  return use.node->is("Gemm") && params_of(use).flag(name);
}

// The value, if it is a constant of `count` floats that nothing else reads; otherwise null.
Value* own_constant(Value* value, std::uint64_t count) {
  if (!weights::is_own_floats(value) || constant_tensor(*value)->element_count() != count) return nullptr;
  const Tensor* tensor = constant_tensor(*value);
  return tensor->dims.empty() || static_cast<std::uint64_t>(tensor->dims.back()) != count ? nullptr : value;
}

// The third operand of Conv and Gemm; for MatMul, what the Add after it adds.
Value* bias_of(const LayerUse& use, std::uint64_t channels) {
  const Node& node = *use.node;
  if (!node.is("MatMul")) {
    const bool scaled = node.is("Gemm") && params_of(use).real_or("beta", 1) != 1;
    return node.input_count() > 2 && !scaled ? own_constant(node.input(2), channels) : nullptr;
  }
  const Value* result = node.output();
  if (!result || result->is_output() || result->use_count() != 1) return nullptr;
  const Node& add = *result->first_use()->user();
  if (!add.is("Add") || add.graph() != node.graph()) return nullptr;
  return own_constant(add.input(0) == result ? add.input(1) : add.input(0), channels);
}

std::optional<LayerUse> layer_use(const Use& use, const Tensor& tensor, const analysis::OpResolver& ops) {
  const Node& node = *use.user();
  const ops::Op* op = ops.plain_op_of(node);
  if (use.index() != 1 || !op || !op->def || op->def->integer_form.empty()) return std::nullopt;
  const Value* input = node.input(0);
  if (!input || constant_tensor(*input) || input->graph() != node.graph() || !node.output()) return std::nullopt;
  LayerUse found{&node, op};
  const std::size_t rank = tensor.dims.size();
  if (is_conv(found)) {
    const std::int64_t groups = params_of(found).integer_or("group", 1);
    if (rank < 3 || groups < 1 || tensor.dims[0] % groups != 0) return std::nullopt;
  } else if (rank != 2) {
    return std::nullopt;
  }
  return found;
}

// At most `most` numbers, spread evenly over [0, all).
std::vector<std::uint64_t> spread(std::uint64_t all, std::size_t most) {
  const std::uint64_t count = std::min<std::uint64_t>(all, most);
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < count; ++i) numbers.push_back((2 * i + 1) * all / (2 * count));
  return numbers;
}

std::vector<float> matrix_rows(const LayerUse& use, const LayerSample& sample, const ops::Array& input,
                               std::size_t most) {
  const bool turned = transposes(use, "transA");
  if (input.rank() < 1 || (turned && input.rank() != 2)) return {};
  const auto columns = static_cast<std::uint64_t>(input.size(turned ? 0 : input.rank() - 1));
  if (columns != sample.columns) return {};
  const std::uint64_t rows = input.count() / columns;
  const auto x = input.data<float>();
  std::vector<float> vectors;
  for (const std::uint64_t row : spread(rows, most)) {
    for (std::uint64_t k = 0; k < columns; ++k) vectors.push_back(turned ? x[k * rows + row] : x[row * columns + k]);
  }
  return vectors;
}

std::vector<float> windows(const LayerUse& use, const LayerSample& sample, const ops::Array& input, std::size_t most,
                           const ops::Sizes& kernel) {
  const std::size_t axes = kernel.size();
  if (input.rank() != axes + 2) return {};
  std::string why;
  const auto window =
      ops::conv_window(params_of(use), ops::Sizes(input.sizes().begin() + 2, input.sizes().end()), kernel, why);
  if (!window) return {};
  const auto channels = static_cast<std::uint64_t>(input.size(1)), taps = static_cast<std::uint64_t>(window->taps());
  if (channels * taps != sample.groups * sample.columns) return {};
  const auto positions = static_cast<std::uint64_t>(window->positions());
  const auto pixels = static_cast<std::uint64_t>(window->pixels());
  const auto x = input.data<float>();
  std::vector<float> vectors;
  std::vector<std::int64_t> places(taps);  // index in the image; -1 in the padding
  for (const std::uint64_t each : spread(static_cast<std::uint64_t>(input.size(0)) * positions, most)) {
    for (std::uint64_t tap = 0; tap < taps; ++tap) {
      std::int64_t place = 0, scale = 1;
      std::uint64_t position = each % positions, left = tap;
      for (std::size_t axis = axes; axis-- > 0;) {
        const auto out = static_cast<std::uint64_t>(window->out[axis]), size = static_cast<std::uint64_t>(kernel[axis]);
        const std::int64_t at = static_cast<std::int64_t>(position % out) * window->strides[axis] +
                                static_cast<std::int64_t>(left % size) * window->dilations[axis] -
                                window->pads_before[axis];
        if (at < 0 || at >= window->in[axis]) place = -1;
        if (place >= 0) place += at * scale;
        scale *= window->in[axis];
        position /= out, left /= size;
      }
      places[tap] = place;
    }
    const float* image = x.data() + each / positions * channels * pixels;
    for (std::uint64_t c = 0; c < channels; ++c) {
      for (const std::int64_t place : places)
        vectors.push_back(place < 0 ? 0 : image[c * pixels + static_cast<std::uint64_t>(place)]);
    }
  }
  return vectors;
}

}  // namespace

std::vector<LayerUse> layer_uses(const Value& weight, const Tensor& tensor, const analysis::OpResolver& ops) {
  std::vector<LayerUse> uses;
  if (tensor.type != ElementType::kFloat || weight.is_output()) return {};
  for (const Use* use = weight.first_use(); use; use = use->next()) {
    auto found = layer_use(*use, tensor, ops);
    if (!found) return {};
    const LayerSample layout = sample_for(*found, tensor);
    found->bias = bias_of(*found, layout.all_rows());
    if (!uses.empty()) {
      const LayerSample first = sample_for(uses.front(), tensor);
      if (first.groups != layout.groups || first.row_stride != layout.row_stride) return {};
    }
    uses.push_back(*found);
  }
  return uses;
}

weights::LayerSample sample_for(const LayerUse& use, const Tensor& tensor) {
  LayerSample sample;
  if (is_conv(use)) {
    sample.groups = static_cast<std::size_t>(params_of(use).integer_or("group", 1));
    sample.rows = static_cast<std::size_t>(tensor.dims[0]) / sample.groups;
    sample.columns = 1;
    for (const std::int64_t size : tensor.dims.subspan(1)) sample.columns *= static_cast<std::size_t>(size);
    sample.row_stride = sample.columns, sample.column_stride = 1;
    return sample;
  }
  const bool turned = transposes(use, "transB");
  const auto first = static_cast<std::size_t>(tensor.dims[0]), second = static_cast<std::size_t>(tensor.dims[1]);
  sample.rows = turned ? first : second, sample.columns = turned ? second : first;
  sample.row_stride = turned ? second : 1, sample.column_stride = turned ? 1 : second;
  return sample;
}

std::vector<float> layer_vectors(const LayerUse& use, const LayerSample& sample, const ops::Array& input,
                                 std::size_t most) {
  if (input.type() != ElementType::kFloat || input.count() == 0 || sample.columns == 0) return {};
  if (!is_conv(use)) return matrix_rows(use, sample, input, most);
  const Tensor* tensor = constant_tensor(*use.node->input(1));
  if (!tensor) return {};
  return windows(use, sample, input, most, ops::Sizes(tensor->dims.begin() + 2, tensor->dims.end()));
}

}  // namespace onnxpress
