// What it means when a graph defines one name twice.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "onnxpress/ir/model.h"

namespace onnxpress {

enum class DefinitionKind : std::uint8_t { kOther, kInitializer, kConstant, kSparseInitializer };

// When ONNX Runtime loads a model, it turns first the Constant nodes of the main graph into initializers and then the
// sparse initializers; of several with one name, the last is used everywhere. Some exporters rely on this. Returns
// whether the later definition counts; nullopt where the runtime rejects the model, or where it is the default of an
// input.
std::optional<bool> later_counts(DefinitionKind earlier, DefinitionKind later);

// Codes of the notes that readers leave for the two cases.
inline constexpr std::string_view kHiddenConstant = "hidden-constant";
inline constexpr std::string_view kAmbiguousName = "ambiguous-name";
Note hidden_constant_note(const Graph& graph, std::string_view name);
Note ambiguous_name_note(const Graph& graph, std::string_view name);
bool has_note(const Model& model, std::string_view code);

// Renames the values of the main graph that are hidden by another value of the same name, so that the order of
// definitions no longer matters.
void rename_hidden_values(Model& model);

}  // namespace onnxpress
