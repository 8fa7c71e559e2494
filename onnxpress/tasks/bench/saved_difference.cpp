// Reads the files pair by pair.
#include "onnxpress/tasks/bench/saved_difference.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/inputs/npy.h"

namespace onnxpress {

namespace fs = std::filesystem;

SavedDifference saved_difference(const fs::path& right, const fs::path& other) {
  SavedDifference difference;
  for (std::size_t i = 0; fs::exists(right / fmt::format("{}.npy", i)); ++i) {
    const fs::path name = fmt::format("{}.npy", i);
    const ops::Array array = inputs::read_npy(right / name);
    const bool classes = array.rank() == 2 && array.size(1) > 1 && compare::is_real(array.type());
    const auto found = compare::difference_of(array, inputs::read_npy(other / name), classes);
    const auto snr = found.distance.snr();
    if (snr) difference.lowest_snr = std::min(*snr, difference.lowest_snr.value_or(*snr));
    difference.all.add(found);
  }
  return difference;
}

}  // namespace onnxpress
