// Chooses a form for each weight so that a goal for the whole model is met, preferring forms with the least harm for
// the bytes they save.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "onnxpress/tasks/shrink/lossy/weight_plan.h"

namespace onnxpress::tasks {

// Every form that pays at that price: harm that a byte may do. Harm is sensitivity times noise.
void choose_by_price(std::vector<PlannedWeight>& planned, double price);

// What the forms chosen do to the outputs, as the sensitivities say; and the smallest choice that does no more than
// that.
double harm_of_choice(const std::vector<PlannedWeight>& planned);
void choose_by_harm(std::vector<PlannedWeight>& planned, double most);
// Smaller forms for single weights, the largest savings first, as long as the harm that they add fits. False when none
// does.
bool take_smaller(std::vector<PlannedWeight>& planned, double room);

// The smallest form that is good; none where none is.
void choose_smallest(std::vector<PlannedWeight>& planned, const std::function<bool(const WeightForm&)>& good);

// The most precise choice that is small enough; false when none is, with the smallest one chosen.
bool choose_most_precise(std::vector<PlannedWeight>& planned, const std::function<bool()>& small_enough);

// The smallest choice that is good enough, by about so many questions; false when none is, with the best one chosen.
bool choose_smallest_good_enough(std::vector<PlannedWeight>& planned, int questions,
                                 const std::function<bool()>& good_enough);

// Of the forms chosen, and of the weights that stay.
std::uint64_t bytes_of_choice(const std::vector<PlannedWeight>& planned);
double cost_of_choice(const std::vector<PlannedWeight>& planned);                 // after the compressor, as estimated
weights::WeightError error_of_choice(const std::vector<PlannedWeight>& planned);  // over all weights that may change

}  // namespace onnxpress::tasks
