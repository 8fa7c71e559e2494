// Checks the model's own fields (IR version, metadata, presence of a graph), and reports problems that the reader
// noticed.
#include <fmt/format.h>

#include <unordered_set>

#include "onnxpress/analysis/check/check_parts.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/duplicate_names.h"

namespace onnxpress::analysis {

namespace {

constexpr std::int64_t kNewestIrVersion = 14;  // onnx 1.23

void check_ir_version(const Model& model, FindingList& found) {
  if (!model.ir_version) {
    found.add_to_model(Severity::kError, "ir-version", "the file does not state its IR version");
  } else if (*model.ir_version <= 0) {
    found.add_to_model(Severity::kError, "ir-version",
                       fmt::format("the IR version is {}, which is not valid", *model.ir_version));
  } else if (*model.ir_version < 3 && !model.opsets.empty()) {
    found.add_to_model(Severity::kError, "ir-version",
                       fmt::format("the IR version is {}, but the model imports opsets, which came with version 3",
                                   *model.ir_version));
  } else if (*model.ir_version > kNewestIrVersion) {
    found.add_to_model(
        Severity::kNote, "new-ir-version",
        fmt::format("IR version {} is newer than {}, the newest known here", *model.ir_version, kNewestIrVersion));
  }
}

// A dimension that no tensor can have is valid for onnx.checker and runtimes, which see the size of the input first.
Severity severity_of(const Note& note) {
  if (note.code == "huge-dim") return Severity::kNote;
  return note.kind == Note::Kind::kRepair ? Severity::kWarning : Severity::kError;
}

// Reports what the reader tolerated, except for problems that other checks find themselves and locate more precisely.
void list_notes(const Model& model, FindingList& found) {
  for (const Note& note : model.notes) {
    const bool found_by_others = note.code == "node-order" || note.code == "cycle" || note.code == "missing-opset" ||
                                 note.code == kHiddenConstant || note.code == kAmbiguousName;
    if (found_by_others || note.code == "more") continue;
    found.add(
        severity_of(note), note.code, [&] { return note.where; }, note.message);
  }
}

}  // namespace

void check_header(const Model& model, FindingList& found) {
  if (!model.has_graph) found.add_to_model(Severity::kError, "no-graph", "the file has no graph");
  check_ir_version(model, found);
  std::unordered_set<std::string_view> keys;
  for (const MetadataEntry& entry : model.metadata) {
    if (keys.insert(entry.key).second) continue;
    found.add_to_model(Severity::kError, "duplicate-metadata",
                       fmt::format("metadata key {} occurs more than once", quote_name(entry.key)));
  }
  if (model.has_graph && model.graph().name().empty()) {
    found.add_to_model(Severity::kError, "empty-graph-name", "the main graph has no name");
  }
  list_notes(model, found);
}

}  // namespace onnxpress::analysis
