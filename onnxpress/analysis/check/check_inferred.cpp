// Compares declared types and shapes with inferred ones, and finds operands that do not fit together.
#include <fmt/format.h>

#include <string_view>

#include "onnxpress/analysis/check/check_parts.h"
#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ops/schema/schema_defaults.h"

namespace onnxpress::analysis {

namespace {

// Whether the node's shape, sizes or axes are computed by other nodes. Runtimes then learn the shape of the result only
// when the model runs.
bool reads_computed_shape(const Node& node, const Facts& facts) {
  const ops::Op* op = facts.ops().plain_op_of(node);
  for (std::size_t i = 0; op && i < node.input_count(); ++i) {
    if (ops::is_parameter(*op->schema, i) && node.input(i) && !constant_tensor(*node.input(i))) return true;
  }
  return false;
}

// True when only the shapes differ, as in "float[2,3]" and "float[N]".
bool same_element(std::string_view a, std::string_view b) {
  return a.substr(0, a.find('[')) == b.substr(0, b.find('['));
}

}  // namespace

void check_inferred(const Facts& facts, FindingList& found) {
  for (const Contradiction& each : facts.contradictions()) {
    const Node* producer = each.value->producer();
    if (!producer) continue;  // check_declarations() checks inputs and initializers
    // We also follow shapes that other nodes compute. A contradiction that only we can see is still wrong, but no
    // runtime refuses the model because of it.
    const bool is_seen_late = same_element(each.declared, each.inferred) && reads_computed_shape(*producer, facts);
    found.add(is_seen_late ? Severity::kWarning : Severity::kError, "inferred-type", *producer,
              fmt::format("output {} {} is declared as {}, but {} returns {}", each.value->output_index(),
                          quote_name(each.value->name()), each.declared, producer->op_type(), each.inferred));
  }
  for (const BrokenRule& each : facts.broken_rules()) {
    if (each.about_types) continue;  // check_types() reports these in more detail
    found.add(Severity::kError, "broken-rule", *each.node, fmt::format("it cannot be computed: {}", each.why));
  }
}

}  // namespace onnxpress::analysis
