// Chooses a form for each weight so that a goal for the whole model is met, preferring forms with the least harm for
// the bytes they save.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "onnxpress/tasks/quantize/weight_plan.h"

namespace onnxpress {

// Chooses the form of each weight that saves most after its harm is subtracted: `price` is the harm that saving a byte
// may do. Harm is sensitivity times noise.
void choose_by_price(std::vector<PlannedWeight>& planned, double price);

// The harm that the sensitivities predict for the chosen forms.
double harm_of_choice(const std::vector<PlannedWeight>& planned);
// Makes the smallest choice with at most that much predicted harm.
void choose_by_harm(std::vector<PlannedWeight>& planned, double most);
// Chooses smaller forms for single weights, the largest savings first, as long as the harm that they add fits into
// `room`. Returns false if none does. With `members`, only these weights (by index) may change.
bool take_smaller(std::vector<PlannedWeight>& planned, double room);
bool take_smaller(std::vector<PlannedWeight>& planned, double room, std::span<const std::size_t> members);

// Chooses the smallest form of each weight that is good, if there is one.
void choose_smallest(std::vector<PlannedWeight>& planned, const std::function<bool(const WeightForm&)>& good);

// Makes the most precise choice that is small enough. If none is, makes the smallest one and returns false.
bool choose_most_precise(std::vector<PlannedWeight>& planned, const std::function<bool()>& small_enough);

// Makes the smallest choice that is good enough, with about `questions` calls. If none is, makes the best one and
// returns false.
bool choose_smallest_good_enough(std::vector<PlannedWeight>& planned, int questions,
                                 const std::function<bool()>& good_enough);

// Totals over the chosen forms and the weights that stay as they are.
std::uint64_t bytes_of_choice(const std::vector<PlannedWeight>& planned);
double cost_of_choice(const std::vector<PlannedWeight>& planned);                 // estimated, after a compressor
weights::WeightError error_of_choice(const std::vector<PlannedWeight>& planned);  // over all weights that may change

}  // namespace onnxpress
