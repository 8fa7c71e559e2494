// Is this a valid ONNX model? Structural checks with exact places: names, scopes, types, sizes, opsets, cycles,
// functions, external files. What operators mean is not looked at here.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress::analysis {

enum class Severity : std::uint8_t {
  kError,   // invalid: readers refuse it or disagree about it
  kRepair,  // not what the standard says, but ONNX Runtime takes it and so do we, repaired in memory where needed
  kNote,    // valid, and worth knowing
};
inline constexpr std::size_t kSeverityCount = 3;
std::string_view name_of(Severity severity);  // "error", "repair", "note"

struct Finding {
  Severity severity;
  std::string_view code;  // "undefined-input": stable, one per kind of problem; docs/check.md lists them
  std::string where;      // "graph 'main', node 'conv1' (Conv) #12"; empty for the model as a whole
  std::string message;
};

struct CheckSettings {
  bool external_files = true;       // open external data files and hold ranges against their sizes
  std::size_t kept_findings = 100;  // of each severity; more are counted only
};

struct Findings {
  std::vector<Finding> kept;  // errors first, then repairs, then notes
  std::array<std::size_t, kSeverityCount> counts = {};

  std::size_t count(Severity severity) const { return counts[static_cast<std::size_t>(severity)]; }
};

// Linear in the size of the graph. Weights are not read, but for typed fields (their entries are counted) and sparse
// indices.
Findings check(const Model& model, const CheckSettings& settings = {});

}  // namespace onnxpress::analysis
