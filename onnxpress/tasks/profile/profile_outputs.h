// A profile in forms that other programs show: Markdown, a trace for chrome://tracing and Perfetto, and the model
// itself with its costs as metadata.
#pragma once

#include <string>

#include "onnxpress/tasks/profile/profile.h"

namespace onnxpress {

std::string to_markdown(const ProfileReport& report);

// One track of nodes, and one counter of the memory in use. Times are measured ones if there are any; otherwise they
// are estimated for a machine with 100 GFLOP/s and 20 GB/s, and the trace says so.
std::string to_trace(const ProfileReport& report);

// Adds inferred types to the model and, at each node and at the model, `onnxpress.macs`, `onnxpress.params`,
// `onnxpress.memory` and the like, which Netron shows. The report is the profile of this model.
void annotate(Model& model, const ProfileReport& report, const ProfileOptions& options);

}  // namespace onnxpress
