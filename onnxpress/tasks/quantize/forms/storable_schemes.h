// Which schemes the opset of a model can hold, and what users are told where it cannot hold what they ask for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onnxpress/tasks/quantize/weight_plan.h"

namespace onnxpress {

// Throws Error if no weight can be stored in the scheme requested for it or, without a request, in any of these.
void require_storable(const std::vector<PlannedWeight>& planned, const std::vector<weights::Scheme>& schemes,
                      const QuantizeOptions& options);
// A note that some schemes need another opset and were not tried, which may explain why the file is no smaller; empty
// if all were tried.
std::string left_out_note(const std::vector<PlannedWeight>& planned, const std::vector<weights::Scheme>& schemes,
                          const QuantizeOptions& options);
// A note if chosen codes are wider than requested for the weight or by `preset`; empty if none are.
std::string wider_codes_note(const std::vector<PlannedWeight>& planned, const std::optional<weights::Scheme>& preset,
                             const QuantizeOptions& options);

}  // namespace onnxpress
