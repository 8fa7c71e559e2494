// Rewrite rules written by the user: functions as patterns and as replacements.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

// Both are functions of the model that is rewritten, but not listed in it. Inputs, outputs and attributes of the two
// have the same names.
struct Rule {
  const Function* pattern = nullptr;
  const Function* replacement = nullptr;
  const Node* root = nullptr;  // the node that makes the first output; null: everywhere
};

struct RuleReport {
  std::string rule;
  std::uint64_t count = 0;
  std::vector<std::string> nodes;  // that made the first output of the pattern where it was found
  std::string reason;              // where it was found nowhere: how far the closest attempt came, and what did not fit
};

// In the main graph, bodies and functions, rule by rule, until none fits. A replacement of a single node that no opset
// and no function of the model knows keeps the pattern as the model-local function of that node, so that the model
// still runs everywhere; attributes that it passes on by their own names are attributes of that function. Throws Error
// when the two functions of a rule do not fit together.
std::vector<RuleReport> apply_rules(Model& model, const std::vector<Rule>& rules);

// "domain::Name"
std::string full_name(const Function& function);

}  // namespace onnxpress::passes
