// Rewrite rules written by the user: functions as patterns and as replacements.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

// Both functions live in the arena of the model that is rewritten, but are not in its list of functions. Inputs,
// outputs and attributes of the two have the same names.
struct Rule {
  const Function* pattern = nullptr;
  const Function* replacement = nullptr;
  const Node* root = nullptr;  // match only where this node produces the first output; null: everywhere
};

struct RuleReport {
  std::string rule;
  std::uint64_t count = 0;
  std::vector<std::string> nodes;  // for each match, the node that produced the first output
  std::string reason;              // if there was no match: how far the closest attempt got, and what did not fit
};

// Applies the rules one after the other to the main graph, bodies and functions, each until it matches nowhere. If a
// replacement is a single node whose op no opset and no function of the model defines, the pattern becomes the
// model-local function of that op, so that the model still runs everywhere; attributes that the node passes on under
// their own names become attributes of that function. Throws Error when the two functions of a rule do not fit
// together.
std::vector<RuleReport> apply_rules(Model& model, const std::vector<Rule>& rules);

// "domain::Name"
std::string full_name(const Function& function);

}  // namespace onnxpress::passes
