// onnx-tool's table of instructions per op, as version 1.0.1 computes it: a bias is counted, a scalar has no elements,
// ConvTranspose multiplies its output instead of its input.
#include <algorithm>
#include <string_view>

#include "onnxpress/analysis/cost/count_style.h"

namespace onnxpress::analysis {

namespace {

struct Instructions {
  std::string_view op;
  std::int64_t each;  // for each element of the first result
};

constexpr Instructions kPerResult[] = {
    {"Abs", 1},
    {"Add", 1},
    {"And", 1},
    {"Atan", 64},
    {"BatchNormalization", 31},
    {"Ceil", 1},
    {"Clip", 2},
    {"Cos", 39},
    {"CumSum", 1},
    {"DequantizeLinear", 2},
    {"Div", 4},
    {"Elu", 35},
    {"Equal", 1},
    {"Exp", 32},
    {"Floor", 1},
    {"Gelu", 34},
    {"Greater", 1},
    {"GreaterOrEqual", 1},
    {"HardSigmoid", 4},
    {"HardSwish", 5},
    {"Hardmax", 1},
    {"ImageScaler", 2},
    {"InstanceNormalization", 7},
    {"LeakyRelu", 2},
    {"Less", 1},
    {"LessOrEqual", 1},
    {"Log", 43},
    {"LogSoftmax", 80},
    {"LpNormalization", 33},
    {"Max", 1},
    {"Min", 1},
    {"Mod", 1},
    {"Mul", 1},
    {"Neg", 1},
    {"NonZero", 1},
    {"Not", 1},
    {"Or", 1},
    {"PRelu", 2},
    {"Pow", 32},
    {"QuantizeLinear", 2},
    {"Reciprocal", 4},
    {"Relu", 1},
    {"Round", 1},
    {"Sigmoid", 32},
    {"Sign", 1},
    {"Sin", 39},
    {"Softmax", 36},
    {"Softplus", 76},
    {"Sqrt", 24},
    {"Sub", 1},
    {"Tanh", 76},
    {"Xor", 1},
};

constexpr Instructions kPerOperand[] = {
    {"ReduceL2", 25}, {"ReduceMax", 1}, {"ReduceMean", 1}, {"ReduceMin", 1}, {"ReduceProd", 1}, {"ReduceSum", 1},
};

constexpr std::string_view kHidden[] = {"Cast", "Concat",  "Constant", "ConstantOfShape", "Gather",  "Identity",
                                        "Pad",  "Reshape", "Shape",    "Slice",           "Squeeze", "Unsqueeze"};

static_assert(std::ranges::is_sorted(kPerResult, {}, &Instructions::op) && std::ranges::is_sorted(kHidden));

const Instructions* find(std::span<const Instructions> table, std::string_view op) {
  const auto at = std::ranges::lower_bound(table, op, {}, &Instructions::op);
  return at != table.end() && at->op == op ? &*at : nullptr;
}

class Counter {
 public:
  explicit Counter(ops::CostQuery& query) : query_(query), dims_(query.dims) {}

  Dim count() {
    const std::string_view op = query_.in.params.node().op_type();
    if (const Instructions* found = find(kPerResult, op)) return times(volume_of_result(), found->each);
    if (const Instructions* found = find(kPerOperand, op)) return times(volume(0), found->each);
    if (op == "Conv" || op == "ConvTranspose") return with_bias(product(1), query_.in.has(2));
    if (op == "ConvInteger") return product(1);
    if (op == "QLinearConv") return with_bias(product(3), query_.in.has(8));
    if (op == "Gemm") return with_bias(times_axis(query_.in.params.flag("transA") ? 0 : 1), query_.in.has(2));
    if (op == "MatMul" || op == "MatMulInteger")
      return with_bias(times_axis(last_axis()), query_.in.operand_count() == 3);
    if (op == "QLinearMatMul") return qlinear_matmul();
    if (op == "Sum") return times(volume_of_result(), static_cast<std::int64_t>(query_.in.operand_count()) - 1);
    if (op == "MaxPool" || op == "AveragePool") return pool();
    if (op == "GlobalAveragePool") return dims_.add(volume(0), times(volume_of_result(), 4));
    if (op == "LayerNormalization") return layer_normalization();
    if (op == "LRN") return times(volume_of_result(), 37 + query_.in.params.integer_or("size", 0));
    if (op == "Resize" || op == "Upsample") return resize();
    if (op == "LSTM") return recurrent(180);
    if (op == "GRU") return recurrent(110);
    if (op == "Einsum") return query_.cost.macs;
    return Dim::size(0);
  }

 private:
  Dim times(Dim dim, std::int64_t factor) { return dims_.mul(dim, Dim::size(factor)); }
  // In onnx-tool a scalar has no elements.
  Dim volume(std::size_t operand) {
    const ops::Shape* shape = query_.in.shape(operand);
    return shape && shape->empty() ? Dim::size(0) : query_.operand_elements(operand);
  }
  Dim volume_of_result() {
    const ops::Shape* shape = query_.result_shape();
    return shape && shape->empty() ? Dim::size(0) : query_.result_elements();
  }
  Dim with_bias(Dim count, bool has_bias) { return has_bias ? dims_.add(count, volume_of_result()) : count; }

  // The result's elements times all axes of the weights except the first.
  Dim product(std::size_t weights) {
    const ops::Shape* w = query_.in.shape(weights);
    return w && !w->empty() ? dims_.mul(volume_of_result(), dims_.product(std::span<const Dim>(*w).subspan(1))) : Dim();
  }
  std::size_t last_axis() {
    const ops::Shape* a = query_.in.shape(0);
    return a && !a->empty() ? a->size() - 1 : 0;
  }
  Dim times_axis(std::size_t axis) {
    const ops::Shape* a = query_.in.shape(0);
    return a && axis < a->size() ? dims_.mul(volume_of_result(), (*a)[axis]) : Dim();
  }
  Dim qlinear_matmul() {
    const ops::Shape* b = query_.in.shape(3);
    return b && !b->empty() ? dims_.mul(volume(0), b->back()) : Dim();
  }
  // With a three-dimensional window, onnx-tool counts only the first axis.
  Dim pool() {
    const auto kernel = query_.in.params.integers("kernel_shape");
    if (!kernel || kernel->empty() || (*kernel)[0] < 0 || !Dim::fits((*kernel)[0])) return {};
    Dim count = times(volume_of_result(), (*kernel)[0]);
    if (kernel->size() == 2 && (*kernel)[1] >= 0 && Dim::fits((*kernel)[1])) count = times(count, (*kernel)[1]);
    return count;
  }
  Dim layer_normalization() {
    const ops::Shape* x = query_.in.shape(0);
    if (!x || x->empty()) return {};
    const auto axis = ops::normal_axis(query_.in.params.integer_or("axis", -1), x->size());
    if (!axis) return {};
    return dims_.add(times(volume(0), 7), dims_.floor_div(times(volume(0), 29), (*x)[*axis]));
  }
  Dim resize() {
    const std::string_view mode = query_.in.params.text_or("mode", "nearest");
    return times(volume_of_result(), mode == "linear" ? 4 : mode == "cubic" ? 8 : 0);
  }
  Dim recurrent(std::int64_t gates) {
    const ops::Shape *x = query_.in.shape(0), *r = query_.in.shape(2);
    if (!x || x->size() != 3 || !r || r->size() != 3) return {};
    const Dim runs = dims_.mul((*x)[0], (*x)[1]);
    Dim weights = dims_.add(volume(1), volume(2));
    if (query_.in.has(3)) weights = dims_.add(weights, volume(3));
    return dims_.mul(runs, dims_.add(weights, times((*r)[2], gates)));
  }

  ops::CostQuery& query_;
  ops::DimMath& dims_;
};

}  // namespace

Dim onnx_tool_count(ops::CostQuery& query) { return Counter(query).count(); }

bool onnx_tool_hides(std::string_view op_type) { return std::ranges::binary_search(kHidden, op_type); }

}  // namespace onnxpress::analysis
