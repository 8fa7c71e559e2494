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

// Throws Error if a name is ambiguous. All its uses were read as uses of its first definition, and writing a changed
// model would make that guess permanent.
void require_clear_names(const Model& model);
// The same for a writer, which may copy such a model, but not write it changed. A model that was read from a text
// always counts as a copy here: whoever changes it calls require_clear_names() first.
void require_clear_names_if_changed(const Model& model);

// Renames the values of the main graph that are hidden by another value of the same name, so that the order of
// definitions no longer matters.
void rename_hidden_values(Model& model);

}  // namespace onnxpress
