// What a model costs to run: multiply-adds, operations, parameters, bytes moved and memory, node by node, as numbers or
// as formulas of its dims. The report behind `onnxpress profile`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/profile/profile_report.h"
#include "onnxpress/tasks/report/rows.h"
#include "onnxpress/tasks/settings/bindings.h"

namespace onnxpress::tasks {

struct ProfileOptions {
  BindingOptions bindings;
  std::optional<std::string> custom_ops, cost, device;
  Count count = Count::kMac;
  std::uint64_t align = 1;
  bool sparsity = false;
  LoadOptions load;
  // Not options of the command: without `details`, nodes have no types and there is no tree of layers; types of
  // operands cost time and memory, and the screen does not show them.
  bool details = true, operand_types = true;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("", &ProfileOptions::bindings, "");
    visit("custom_ops", &ProfileOptions::custom_ops,
          "a description of ops that are not built in: a model with functions (.onnxtxt, .onnx), or a text file of "
          "shape rules");
    visit("cost", &ProfileOptions::cost,
          "a text file that gives the work of ops, one per line (docs/commands/profile.md)");
    visit("count", &ProfileOptions::count,
          "what to count: mac (default: multiply-adds only), flop (2 for each multiply-add, and all other operations), "
          "or what onnx-tool, fvcore or thop count");
    visit("device", &ProfileOptions::device,
          "compute the least time of each node on a device: a name, or a JSON file with its figures "
          "(docs/commands/llm.md)");
    visit("align", &ProfileOptions::align, "alignment of buffers in the memory plan, in bytes (default 1)");
    visit("sparsity", &ProfileOptions::sparsity,
          "read the weights and count zeros, find patterns, and compute the work they save");
    visit("", &ProfileOptions::load, "");
  }
};

// Reads no weights unless asked for sparsity. Throws Error when an option does not fit the model.
ProfileReport profile(const Model& model, const ProfileOptions& options);

using ProfileRow = ReportRow<ProfileReport>;

std::string to_json(const ProfileReport& report);
std::string to_json(const std::vector<ProfileRow>& rows);
// One row for each node, with texts in quotes and plain numbers; has onnx-tool's columns if its way of counting is
// used.
std::string to_csv(const ProfileReport& report);

}  // namespace onnxpress::tasks
