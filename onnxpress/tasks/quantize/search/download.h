// Chooses forms with which the model is small enough after a compressor: the work behind `--max-download`.
#pragma once

#include "onnxpress/tasks/files/compressed_sizes.h"
#include "onnxpress/tasks/quantize/work.h"

namespace onnxpress {

// Makes the most precise choice whose result is small enough, and fills in the report's `download`. Throws Error if
// even the smallest result is too large.
void choose_by_download(Work& work, const DownloadTarget& target);

// After the choice has changed: is the result still small enough? True if no download was asked for.
bool still_fits(Work& work);

}  // namespace onnxpress
