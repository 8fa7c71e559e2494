// Error compensation: a weight is rounded so that the errors of one output channel cancel out for the inputs that its
// layer gets, column after column (Frantar et al., "GPTQ", 2022, in the form of Chee et al., "QuIP", 2023), and what is
// left on average goes into the bias (Nagel et al., "Data-Free Quantization", 2019).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "onnxpress/weights/lossy/quantized.h"

namespace onnxpress::weights {

// Inputs of a layer in some runs of the model: vectors, which each output channel multiplies with its row of the
// weight. Convolutions may have several groups of channels.
struct LayerSample {
  std::size_t groups = 1, rows = 0, columns = 0;    // output channels and inputs, of one group
  std::uint64_t row_stride = 0, column_stride = 0;  // of the weight, in elements
  std::vector<float> to_fit, to_check;  // [group][vector][column]: errors are made to cancel out for the first
  std::vector<float> fit_factors, check_factors;  // by vector: the factor that makes all runs count the same
  std::size_t fitted = 0, checked = 0;            // vectors of each group
  std::size_t width = 256;                        // columns among which errors may cancel out
  bool has_bias = false;                          // that may be changed
  std::size_t all_rows() const { return groups * rows; }
};

// The error of a layer's results with some codes, for vectors that nothing was fitted to.
struct LayerLoss {
  double plain = 0, shifted = 0;  // noise over signal: with the bias as it is, and with `shift` added to it
  std::vector<float> shift;       // by output channel: what to add to the bias; empty without a bias
  double least() const { return shift.empty() || plain <= shifted ? plain : shifted; }
  bool prefers_shift() const { return !shift.empty() && shifted < plain; }
};

// Rounds one weight in several ways.
class LayerRounding {
 public:
  // The source must have as many elements as the sample has rows times columns.
  LayerRounding(const FloatSource& source, std::shared_ptr<const LayerSample> sample);

  LayerLoss loss_of(const Quantized& quantized) const;
  // The same scales with codes that compensate each other's errors. For codes of up to 8 bits.
  Quantized compensated(const Quantized& plain) const;

 private:
  struct Block {  // columns of one group whose errors may cancel out
    std::size_t first = 0;
    std::vector<std::size_t> order;  // in which they are rounded
    std::vector<float> feedback;     // row j: factors for the errors of columns before j, which are added to column j
  };
  class RowRounder;

  std::vector<Block> blocks_of(std::size_t group) const;
  Block make_block(std::size_t group, std::size_t first, std::size_t count) const;
  void round_block(const RowRounder& rounder, const Block& block, std::size_t first, std::size_t rows,
                   std::vector<float>& errors, std::uint8_t* codes) const;
  const float* vectors(const std::vector<float>& all, std::size_t group, std::size_t count) const;

  std::shared_ptr<const LayerSample> sample_;
  std::vector<float> weight_, mean_;        // in the order of the tensor; by group and column
  std::vector<std::vector<Block>> blocks_;  // by group
  float mean_weight_ = 0;                   // mean of the squared factors
  double signal_ = 0;                       // of the layer's results for the vectors to check
};

}  // namespace onnxpress::weights
