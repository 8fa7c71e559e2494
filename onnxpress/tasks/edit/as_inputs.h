// Constants that become inputs of the model, fed from .npy files next to it: `onnxpress tensors MODEL --as-inputs`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnxpress/passes/whole/extract_constants.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/report/field_lists/edit.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

// Gives the inputs their names and chooses file names that never collide. Throws Error for types that .npy files cannot
// hold, and if names made as in scs4onnx collide.
std::vector<ExtractedLine> name_extracted(Model& model, const std::vector<passes::Extracted>& extracted,
                                          const std::string& output, NpyNames names);

// The .npy files and OUTPUT.npy.json, which lists them. They use the arguments when they are written.
std::vector<Beside> extracted_files(const Model& model, const std::vector<passes::Extracted>& extracted,
                                    const std::vector<ExtractedLine>& lines, const std::string& output);

}  // namespace onnxpress
