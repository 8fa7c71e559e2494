// Shapes of spectra: DFT and STFT.
#pragma once

#include <string_view>

#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

// The single element of an integer operand as an expression; unknown when it is absent or not known.
Dim symbolic_scalar(const Inference& in, std::string_view name);
Dim half_and_one(Inference& in, Dim length);  // how many frequencies half of a spectrum has

void infer_dft(Inference& in);
void infer_stft(Inference& in);

}  // namespace onnxpress::ops
