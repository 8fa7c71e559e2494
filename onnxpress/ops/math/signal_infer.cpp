// Infers the shapes of spectra, and checks the rules of DFT and STFT.
#include "onnxpress/ops/math/signal_infer.h"

#include <fmt/format.h>

#include "onnxpress/ops/core/axis_rules.h"
#include "onnxpress/ops/core/rules.h"

namespace onnxpress::ops {

Dim symbolic_scalar(const Inference& in, std::string_view name) {
  const auto list = in.symbolic(name);
  return list && list->size() == 1 ? (*list)[0] : Dim();
}

Dim half_and_one(Inference& in, Dim length) {
  return in.dims.add(in.dims.floor_div(length, Dim::size(2)), Dim::size(1));
}

// --- DFT

namespace {

// The last axis holds the real and the imaginary part. Half of a spectrum is enough only for real signals: these have
// one part, and their spectrum has two.
bool require_parts(Inference& in) {
  if (!require_rank_at_least(in, 0, 2)) return false;
  const Shape* x = in.shape(0);
  const auto parts = x ? in.dims.resolve(x->back()).size() : std::nullopt;
  const std::int64_t needed = in.params.flag("inverse") ? 2 : 1;
  if (!parts || !in.params.flag("onesided") || *parts == needed) return true;
  in.contradict(fmt::format("the last axis has size {}, but must have size {} with onesided", *parts, needed));
  return false;
}

// A computed axis or length may be a list of one number, which runtimes take.
bool require_scalars(Inference& in) {
  for (const std::string_view name : {std::string_view("dft_length"), std::string_view("axis")}) {
    const int position = in.params.schema().operand(name);
    const auto operand = static_cast<std::size_t>(position);
    if (position >= 0 && is_stated(in, operand) && !require_rank(in, operand, 0)) return false;
  }
  return true;
}

}  // namespace

void infer_dft(Inference& in) {
  if (!require_parts(in) || !require_scalars(in)) return;
  const Shape* x = in.shape(0);
  if (!x) return;
  const bool real_result = in.params.flag("inverse") && in.params.flag("onesided");
  Shape y = *x;
  y.back() = Dim::size(real_result ? 1 : 2);
  const auto chosen = in.params.integer("axis");
  if (!chosen && in.params.given("axis")) {
    // A transform along any axis keeps all sizes, unless it is one-sided or cuts or pads the signal.
    const bool keeps = !in.params.flag("onesided") && !in.params.given("dft_length");
    for (std::size_t i = 0; !keeps && i + 1 < y.size(); ++i) y[i] = Dim();
    return in.set_shape(y);
  }
  const auto axis = required_axis(in, chosen.value_or(-2), x->size());
  if (!axis) return;
  if (*axis + 1 == x->size())
    return in.contradict("the axis is the last one, which holds the real and the imaginary part");
  Dim length = y[*axis];
  if (in.params.given("dft_length")) {
    length = symbolic_scalar(in, "dft_length");
  } else if (real_result) {
    length = in.dims.mul(in.dims.sub(length, Dim::size(1)), Dim::size(2));
  }
  y[*axis] = in.params.flag("onesided") && !real_result ? half_and_one(in, length) : length;
  in.set_shape(y);
}

// --- STFT

void infer_stft(Inference& in) {
  if (!require_rank_at_least(in, 0, 2) || !require_rank(in, 2, 1)) return;
  // One that is computed may be a list of one number, which runtimes take.
  if (in.constant(3) && !require_rank(in, 3, 0)) return;
  const Shape *signal = in.shape(0), *window = in.shape(2);
  const bool known = signal && signal->size() >= 2;
  Dim length = known ? (*signal)[1] : Dim(), frame = length;
  if (in.params.given("frame_length")) {
    frame = symbolic_scalar(in, "frame_length");
    if (window && window->size() == 1 && !frame.is_unknown()) in.unify(frame, (*window)[0]);
  } else if (in.params.given("window")) {
    frame = window && window->size() == 1 ? (*window)[0] : Dim();
  }
  const Dim frames =
      in.dims.add(in.dims.floor_div(in.dims.sub(length, frame), symbolic_scalar(in, "frame_step")), Dim::size(1));
  const Dim bins = in.params.integer_or("onesided", 1) != 0 ? half_and_one(in, frame) : frame;
  in.set_shape({known ? (*signal)[0] : Dim(), frames, bins, Dim::size(2)});
}

}  // namespace onnxpress::ops
