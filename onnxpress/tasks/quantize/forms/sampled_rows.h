// Some rows of a large weight, which show what rounding does to all of it, and which schemes are worth trying.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/tasks/quantize/weight_plan.h"

namespace onnxpress {

// The same weight with some of its output channels.
class RowSample {
 public:
  // nullopt if the output channels are not along one axis, or there are only a few.
  static std::optional<RowSample> of(const Model& model, const PlannedWeight& all);
  const PlannedWeight& planned() const { return planned_; }

 private:
  RowSample(const Model& model, const PlannedWeight& all, std::size_t rows, std::size_t wanted);
  std::string taken(const weights::FloatSource& source, std::size_t axis, std::size_t rows, std::size_t wanted) const;

  std::unique_ptr<std::vector<std::int64_t>> dims_;
  std::unique_ptr<Tensor> tensor_;
  PlannedWeight planned_;
};

// The schemes that some price per byte would choose and, if the outputs must keep `quality` (in dB; 0: no such goal),
// that are neither much worse nor much better than that. All schemes if there is no RowSample of the weight.
std::vector<weights::Scheme> promising_schemes(const Model& model, const PlannedWeight& planned,
                                               std::vector<weights::Scheme> schemes, const QuantizeOptions& options,
                                               weights::Target target, double quality);

}  // namespace onnxpress
