// Removes parts that a model does not need to run: names of nodes, documentation, metadata, declared types of inner
// values.
#pragma once

#include <cstdint>
#include <string_view>

#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/report/field_lists/files.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

// Works on the main graph, bodies, functions and training graphs. Parts with nothing to remove keep their bytes.
StripReport strip(Model& model, const StripOptions& options);

// Removes texts in which exporters say where a node came from, such as stack traces: documentation and metadata of
// graphs, nodes, values and tensors. Those of the model stay, because applications read labels and settings from there.
// With `keep_layers`, so do the names of the layers that nodes belong to, which `profile` shows.
StripReport strip_origins(Model& model, bool keep_layers);
// How many bytes these texts take, about.
std::uint64_t origin_bytes(const Model& model);

// The metadata in which torch.export writes the layers around a node.
inline constexpr std::string_view kLayersKey = "pkg.torch.onnx.name_scopes";

}  // namespace onnxpress
