// Which schemes the opset of a model can hold, and what users are told where it cannot hold what they ask for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onnxpress/tasks/shrink/lossy/weight_plan.h"

namespace onnxpress::tasks {

// Throws Error when no weight can be stored as requested, or else in any of these schemes.
void require_storable(const std::vector<PlannedWeight>& planned, const std::vector<weights::Scheme>& schemes,
                      const CompressOptions& options);
// Whoever wonders why the file is no smaller wants to know that fewer bits would be tried in another opset; empty:
// nothing is left out.
std::string left_out_note(const std::vector<PlannedWeight>& planned, const std::vector<weights::Scheme>& schemes,
                          const CompressOptions& options);
// Where chosen codes are wider than what was asked for by weight or else by `preset`; empty: nowhere.
std::string wider_codes_note(const std::vector<PlannedWeight>& planned, const std::optional<weights::Scheme>& preset,
                             const CompressOptions& options);

}  // namespace onnxpress::tasks
