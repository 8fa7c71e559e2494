// What is in a model: the report behind `onnxpress info`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/analysis/summary.h"
#include "onnxpress/tasks/files/compressed_sizes.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/profile/compute_line.h"
#include "onnxpress/tasks/report/field_lists/info.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/report/rows.h"

namespace onnxpress {

// The same for a model that was just read: sizes are those of its file.
InfoReport info_as_read(const Model& model, ModelForm format, std::uint64_t file_bytes,
                        const InfoOptions& options = {});

using InfoRow = ReportRow<InfoReport>;

// {"models": [...]}: reports, and {"file", "error", "hint"} for those that failed.
std::string to_json(const std::vector<InfoRow>& rows);

}  // namespace onnxpress
