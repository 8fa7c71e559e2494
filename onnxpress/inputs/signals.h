// Made-up signals: numbers that behave like images, speech or noise, in the layout of a tensor.
#pragma once

#include <vector>

#include "onnxpress/inputs/random_numbers.h"
#include "onnxpress/ops/core/array.h"

namespace onnxpress::inputs {

using Signal = std::vector<float>;

// All return as many numbers as a tensor of these sizes has.
Signal normal_noise(const ops::Sizes& sizes, RandomNumbers& random);   // mean 0, deviation 1
Signal uniform_noise(const ops::Sizes& sizes, RandomNumbers& random);  // from 0 to 1
// Slow waves, rectangles with sharp edges and a little grain, from 0 to 1, along the two axes of an image (the last
// two, or those in front of up to four channels). Channels look alike.
Signal smooth_image(const ops::Sizes& sizes, RandomNumbers& random);
// The same image with the mean and deviation of photographs taken out, channel by channel, as most vision models
// expect.
Signal normalized_image(Signal image, const ops::Sizes& sizes);
// Lines of letters on plain paper, dark on light or the other way round, from small print to one word that fills the
// image; from 0 to 1.
Signal text_image(const ops::Sizes& sizes, RandomNumbers& random);
// Harmonics of a voice with varying loudness, and hiss, along the last axis; mostly between -1 and 1.
Signal speech(const ops::Sizes& sizes, RandomNumbers& random);
// Rectangles of ones among zeros, about a quarter of each plane.
Signal blobs(const ops::Sizes& sizes, RandomNumbers& random);

}  // namespace onnxpress::inputs
