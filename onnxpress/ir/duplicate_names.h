// What it means when a graph defines one name twice.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "onnxpress/ir/model.h"

namespace onnxpress {

enum class DefinitionKind : std::uint8_t { kOther, kInitializer, kConstant, kSparseInitializer };

// ONNX Runtime makes initializers of the Constant nodes of a main graph when it loads a model, and of sparse ones after
// that; the last one of a name counts, for every use. Exports exist that rely on it. Does the later definition count?
// Nullopt where the runtime refuses the model, or where it is the default of an input.
std::optional<bool> later_counts(DefinitionKind earlier, DefinitionKind later);

// Codes of the notes that readers leave for the two cases.
inline constexpr std::string_view kHiddenConstant = "hidden-constant";
inline constexpr std::string_view kAmbiguousName = "ambiguous-name";
Note hidden_constant_note(const Graph& graph, std::string_view name);
Note ambiguous_name_note(const Graph& graph, std::string_view name);
bool has_note(const Model& model, std::string_view code);

// Gives values of the main graph whose name means another value a name of their own, so that the order of definitions
// no longer matters.
void rename_hidden_values(Model& model);

}  // namespace onnxpress
