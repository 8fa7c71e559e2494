// Compares declared types and shapes with inferred ones, and finds operands that do not fit together.
#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <unordered_set>

#include "onnxpress/analysis/check/check_parts.h"
#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/base/error.h"

namespace onnxpress::analysis {

namespace {

// Values whose declared shape ONNX's own inference finds to be wrong, too: it does not follow what nodes compute from
// sizes, nor ops of other domains.
std::unordered_set<const Value*> refuted_by_onnx(const Model& model) {
  const Facts facts(model, {.as_runtime = true, .as_checker = true});
  std::unordered_set<const Value*> values;
  for (const Contradiction& each : facts.contradictions()) values.insert(each.value);
  return values;
}

// True when only the shapes differ, as in "float[2,3]" and "float[N]".
bool same_element(std::string_view a, std::string_view b) {
  return a.substr(0, a.find('[')) == b.substr(0, b.find('['));
}

}  // namespace

void check_inferred(const Model& model, const Facts& facts, FindingList& found) {
  std::optional<std::unordered_set<const Value*>> refuted;
  for (const Contradiction& each : facts.contradictions()) {
    const Node* producer = each.value->producer();
    if (!producer) continue;  // check_declarations() checks inputs and initializers
    // A contradiction that only we can see is still wrong, but no runtime refuses the model because of it.
    if (!refuted) refuted = refuted_by_onnx(model);
    const bool is_seen_late = same_element(each.declared, each.inferred) && !refuted->contains(each.value);
    found.add(is_seen_late ? Severity::kWarning : Severity::kError, "inferred-type", *producer,
              fmt::format("output {} {} is declared as {}, but {} returns {}", each.value->output_index(),
                          quote_name(each.value->name()), each.declared, producer->op_type(), each.inferred));
  }
  for (const BrokenRule& each : facts.broken_rules()) {
    if (each.about_types) continue;  // check_types() reports these in more detail
    found.add(Severity::kError, "broken-rule", *each.node, fmt::format("it cannot be computed: {}", each.why));
  }
  for (const BrokenRule& each : facts.warnings()) found.add(Severity::kWarning, "broken-rule", *each.node, each.why);
}

}  // namespace onnxpress::analysis
