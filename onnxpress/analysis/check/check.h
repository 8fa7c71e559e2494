// Is this a valid ONNX model? Checks with exact places: names, scopes, opsets, cycles, functions, sizes of tensors,
// external files; and, against the schemas of the operators, their inputs, outputs, attributes and types.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/check.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::analysis {

inline constexpr std::size_t kSeverityCount = 3;

std::string_view name_of(Severity severity);  // "error", "warning", "note"

struct Finding {
  Severity severity;
  std::string_view code;  // "undefined-input": stable, one per kind of problem; docs/commands/check.md lists them
  std::string where;      // "graph 'main', node 'conv1' (Conv) #12"; empty for the model as a whole
  std::string message;
};

struct CheckSettings {
  bool external_files = true;       // open external data files and compare ranges with their sizes
  std::size_t kept_findings = 100;  // per severity; further ones are only counted
};

struct Findings {
  std::vector<Finding> kept;  // errors first, then warnings, then notes
  std::array<std::size_t, kSeverityCount> counts = {};

  std::size_t count(Severity severity) const { return counts[static_cast<std::size_t>(severity)]; }
};

// Infers types and shapes, which adds symbols to the model's context; otherwise the model is not changed. The time is
// about linear in the size of the graph. The only weights it reads are small ones, typed fields (whose entries are
// counted) and sparse indices.
Findings check(const Model& model, const CheckSettings& settings = {});

}  // namespace onnxpress::analysis
