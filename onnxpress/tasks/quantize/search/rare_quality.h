// The quality of rare inputs, estimated from inputs that are not rare.
#pragma once

#include <cstddef>
#include <vector>

namespace onnxpress {

// Estimates the SNR in dB that this fraction of all inputs falls short of, as if the tail of their errors fell off
// exponentially. `ratios` are noise over signal of the worst of `inputs` inputs. Infinite if there are too few of them,
// or so many that an input as rare as that is among them.
double rare_quality(std::vector<double> ratios, std::size_t inputs, double fraction);

}  // namespace onnxpress
