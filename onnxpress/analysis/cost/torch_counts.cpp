// The rules of fvcore and thop, which count PyTorch modules, applied to the ONNX ops that those become.
#include "onnxpress/analysis/cost/count_style.h"

namespace onnxpress::analysis {

namespace {

class TorchCounter {
 public:
  explicit TorchCounter(ops::CostQuery& query)
      : query_(query), dims_(query.dims), op_(query.in.params.node().op_type()) {}

  Dim fvcore() {
    if (op_ == "BatchNormalization") return times(x(), 2);  // one product and one sum, at inference
    if (op_ == "LayerNormalization" || op_ == "GroupNormalization" || op_ == "InstanceNormalization")
      return times(x(), query_.in.has(1) ? 5 : 4);
    // fvcore counts these two only for images (two spatial axes), and no other resize modes.
    if (op_ == "GlobalAveragePool") return times(x(), axes() == 2 ? 1 : 0);
    if (op_ == "Resize" || op_ == "Upsample")
      return times(y(), axes() != 2 ? 0 : mode() == "linear" ? 4 : mode() == "nearest" ? 1 : 0);
    if (op_ == "GridSample") return times(y(), 4);
    return is_recurrent() ? Dim::size(0) : query_.cost.macs;
  }

  Dim thop() {
    // thop has no rule for GroupNorm.
    if (op_ == "BatchNormalization" || op_ == "LayerNormalization" || op_ == "InstanceNormalization")
      return times(x(), query_.in.has(1) ? 4 : 2);
    if (op_ == "GlobalAveragePool") return dims_.add(x(), y());  // a sum over the window and a division
    if (op_ == "AveragePool") return y();
    if (op_ == "PRelu") return x();
    if (op_ == "Softmax") return softmax();
    if (op_ == "Resize" || op_ == "Upsample") return times(y(), resize());
    if (op_ == "MatMul") return query_.in.operand(1).is_constant ? query_.cost.macs : Dim::size(0);
    if (op_ == "ConvTranspose") return conv_transpose();
    if (is_recurrent()) return recurrent();
    if (op_ == "Conv" || op_ == "Gemm") return query_.cost.macs;
    return Dim::size(0);
  }

 private:
  bool is_recurrent() const { return op_ == "LSTM" || op_ == "GRU" || op_ == "RNN"; }
  Dim times(Dim dim, std::int64_t factor) { return dims_.mul(dim, Dim::size(factor)); }
  Dim x() { return query_.operand_elements(0); }
  Dim y() { return query_.result_elements(); }
  std::string_view mode() { return query_.in.params.text_or("mode", "nearest"); }

  // n exponentials, n - 1 sums and n divisions for each row.
  Dim softmax() {
    const ops::Shape* shape = query_.in.shape(0);
    if (!shape || shape->empty()) return {};
    const auto axis = ops::normal_axis(query_.in.params.integer_or("axis", -1), shape->size());
    if (!axis) return {};
    return dims_.sub(times(x(), 3), dims_.floor_div(x(), (*shape)[*axis]));
  }

  // The number of spatial axes, after batch and channels.
  std::size_t axes() {
    const ops::Shape* shape = query_.in.shape(0);
    return shape && shape->size() > 2 ? shape->size() - 2 : 2;
  }

  // thop has a rule for trilinear resizing, but never uses it.
  std::int64_t resize() {
    if (mode() == "linear") return axes() == 1 ? 5 : axes() == 2 ? 11 : 0;
    return mode() == "cubic" ? 224 + 35 : 1;
  }

  // thop uses its rule for Conv here, too: results times input channels of a group times the window.
  Dim conv_transpose() {
    const ops::Shape *shape = query_.in.shape(0), *w = query_.in.shape(1);
    const std::int64_t groups = query_.in.params.integer_or("group", 1);
    if (!shape || shape->size() < 2 || !w || w->size() < 2 || groups < 1 || !Dim::fits(groups)) return {};
    const Dim channels = dims_.floor_div((*shape)[1], Dim::size(groups));
    return dims_.mul(dims_.mul(y(), channels), dims_.product(std::span<const Dim>(*w).subspan(2)));
  }

  // Per step, direction and item of the batch; h is the size of the state.
  Dim recurrent() {
    const ops::Shape *steps = query_.in.shape(0), *w = query_.in.shape(1), *r = query_.in.shape(2);
    if (!steps || steps->size() != 3 || !w || w->size() != 3 || !r || r->size() != 3) return {};
    const Dim h = (*r)[2];
    Dim gate = dims_.add(dims_.mul(dims_.add((*w)[2], h), h), h);
    if (query_.in.has(3)) gate = dims_.add(gate, times(h, 2));
    const std::int64_t gates = op_ == "LSTM" ? 4 : op_ == "GRU" ? 3 : 1;
    const Dim cell = dims_.add(times(gate, gates), times(h, op_ == "RNN" ? 0 : 4));
    return dims_.mul(dims_.mul(cell, (*w)[0]), dims_.mul((*steps)[0], (*steps)[1]));
  }

  ops::CostQuery& query_;
  ops::DimMath& dims_;
  std::string_view op_;
};

}  // namespace

Dim fvcore_count(ops::CostQuery& query) { return TorchCounter(query).fvcore(); }
Dim thop_count(ops::CostQuery& query) { return TorchCounter(query).thop(); }

}  // namespace onnxpress::analysis
