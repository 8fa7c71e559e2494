// Finds the oldest versions in which every op has its newest form.
#include "onnxpress/tasks/files/complete_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "onnxpress/analysis/check/check.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/ops/core/op.h"
#include "onnxpress/ops/schema/attribute_values.h"
#include "onnxpress/ops/schema/opset_changes.h"
#include "onnxpress/passes/opset/convert_opset.h"

namespace onnxpress {

namespace {

constexpr std::int64_t kLeast = 17;  // every runtime of the last years reads it

// Whether the two versions of an op differ in the types that they accept, if at all.
bool have_one_form(const ops::Schema& older, const ops::Schema& newer) {
  const auto same_formals = [](const auto& a, const auto& b) {
    return std::ranges::equal(a, b, [](const ops::Formal& x, const ops::Formal& y) {
      return x.name == y.name && x.optional == y.optional && x.variadic == y.variadic;
    });
  };
  const bool same_attributes =
      std::ranges::equal(older.attributes, newer.attributes, [&](const auto& a, const auto& b) {
        return a.name == b.name && a.type == b.type && a.required == b.required && a.default_text == b.default_text &&
               std::ranges::equal(ops::values_of(older, a.name), ops::values_of(newer, b.name));
      });
  const bool changed = std::ranges::any_of(ops::opset_changes(), [&](const ops::OpsetChange& each) {
    return newer.domain.empty() && each.op == newer.name && each.since == newer.since;
  });
  return !older.deprecated && !changed && same_attributes && same_formals(older.operands, newer.operands) &&
         same_formals(older.results, newer.results);
}

// The version that brought the newest form of an op; 1 for ops that are not known.
std::int64_t newest_form_of(const Node& node) {
  const ops::Op* op = ops::newest_op(node.domain(), node.op_type());
  while (op && op->schema->deprecated && op->schema->since > 1)
    op = ops::find_op(node.domain(), node.op_type(), op->schema->since - 1);
  if (!op) return 1;
  for (int since = op->schema->since; since > 1; since = op->schema->since) {
    const ops::Op* older = ops::find_op(node.domain(), node.op_type(), since - 1);
    if (!older || !have_one_form(*older->schema, *op->schema)) break;
    op = older;
  }
  return op->schema->since;
}

void set_opset(Model& model, std::int64_t version) {
  for (OpsetImport& each : model.opsets) {
    if (is_standard_domain(each.domain)) each.version = version;
  }
  model.ir_version = passes::ir_version_for(version);
}

// An older form that the text is written in, or types that came later, show as errors.
void choose_opset(Model& model, std::int64_t least) {
  std::optional<std::size_t> fewest;
  std::int64_t best = least;
  const auto try_opset = [&](std::int64_t version) {
    set_opset(model, version);
    const std::size_t errors = analysis::check(model, {.external_files = false}).count(Severity::kError);
    if (fewest && errors >= *fewest) return;
    fewest = errors;
    best = version;
  };
  for (std::int64_t each = least; each <= passes::newest_opset() && fewest != 0; ++each) try_opset(each);
  for (std::int64_t each = least - 1; each > 0 && fewest != 0; --each) try_opset(each);
  set_opset(model, best);
}

void import_domains(Model& model) {
  std::map<std::string_view, std::int64_t> needed = {{"", kLeast}};
  for_each_node(model, [&](const Node& node) {
    std::int64_t& version = needed[normal_domain(node.domain())];
    version = std::max(version, newest_form_of(node));
  });
  for (const Function* function : model.functions) {
    for (const OpsetImport& each : function->opsets) {
      std::int64_t& version = needed[normal_domain(each.domain)];
      version = std::max(version, each.version);
    }
  }
  for (const auto& [domain, version] : needed) model.opsets.push_back({domain, version, {}});
  choose_opset(model, needed[""]);
}

}  // namespace

std::string complete_header(Model& model) {
  if (model.ir_version) return {};
  const bool chooses = model.opsets.empty();
  if (chooses)
    import_domains(model);
  else
    model.ir_version = passes::ir_version_for(model.opset("").value_or(kLeast));
  model.mark_changed();
  std::string text = fmt::format("IR version {}", *model.ir_version);
  for (const OpsetImport& each : model.opsets) {
    if (!chooses) break;
    text += fmt::format(", {} {}", is_standard_domain(each.domain) ? "opset" : each.domain, each.version);
  }
  return text;
}

}  // namespace onnxpress
