// Runs the parts of the check and sorts the findings.
#include "onnxpress/analysis/check/check.h"

#include <fmt/format.h>

#include <iterator>

#include "onnxpress/analysis/check/check_parts.h"
#include "onnxpress/analysis/facts/facts.h"

namespace onnxpress::analysis {

std::string_view name_of(Severity severity) {
  constexpr std::string_view kNames[kSeverityCount] = {"error", "warning", "note"};
  return kNames[static_cast<std::size_t>(severity)];
}

bool FindingList::wants_one_more(Severity severity) {
  return counts_[static_cast<std::size_t>(severity)]++ < settings_.kept_findings;
}

Findings FindingList::sorted() && {
  Findings all;
  all.counts = counts_;
  for (std::vector<Finding>& part : kept_) std::move(part.begin(), part.end(), std::back_inserter(all.kept));
  return all;
}

Findings check(const Model& model, const CheckSettings& settings) {
  FindingList found(model, settings);
  check_header(model, found);
  check_opsets(model, found);
  check_texts(model, found);
  check_names(model, found);
  check_declarations(model, found);
  check_nodes(model, found);
  check_order(model, found);
  check_functions(model, found);
  const Facts facts(model, {.trust_value_info = true, .solve_dims = false});
  check_ops(model, facts, found);
  check_inferred(model, facts, found);
  check_tensors(model, found);
  if (settings.external_files) check_external(model, found);
  return std::move(found).sorted();
}

}  // namespace onnxpress::analysis
