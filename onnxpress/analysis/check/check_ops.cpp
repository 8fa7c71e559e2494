// Finds the op of each node, and checks that it exists in the imported version and that the node matches its schema.
#include <fmt/format.h>

#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "onnxpress/analysis/check/check_parts.h"
#include "onnxpress/analysis/check/check_types.h"
#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/suggest.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/schema/schema_table.h"

namespace onnxpress::analysis {

namespace {

constexpr std::int64_t kAnyVersion = std::numeric_limits<std::int64_t>::max();

// Domains that onnx itself defines: an op that is not listed in them does not exist.
bool is_onnx_domain(std::string_view domain) {
  return is_standard_domain(domain) || domain == "ai.onnx.ml" || domain == "ai.onnx.training" ||
         domain == "ai.onnx.preview" || domain == "ai.onnx.preview.training";
}

// For questions about attributes alone.
struct NoConstants : ops::ConstantOperands {
  const ops::Array* constant(std::size_t) const override { return nullptr; }
};

class OpChecker {
 public:
  OpChecker(const Facts& facts, FindingList& found) : facts_(facts), found_(found), types_(facts, found) {
    for (const ops::SchemaRow& row : ops::schema_table()) {
      if (!row.marks.empty()) marks_.emplace(std::tuple(row.domain, row.name, row.since), row.marks);
    }
  }

  void check_node(const Node& node);
  void report_foreign_ops() {
    for (const auto& [id, use] : foreign_) {
      found_.add(
          Severity::kNote, "unknown-op", *use.first,
          fmt::format("nothing is known about {}, so {} not checked", quote_name(function_id(id.first, id.second, "")),
                      use.count == 1 ? "this node is" : fmt::format("its {} nodes are", use.count)));
    }
  }

 private:
  struct Foreign {
    const Node* first = nullptr;
    std::size_t count = 0;
  };

  void report_unknown(const Node& node, std::int64_t version);
  const std::string& hint(const Node& node, std::int64_t version);
  std::string find_hint(const Node& node, std::int64_t version) const;
  std::string guess(const Node& node, std::int64_t version) const;
  std::optional<std::int64_t> version_of(const Node& node) const;
  // Whether scripts/update_schemas put this mark on the schema.
  bool has_mark(const ops::Schema& schema, std::string_view mark) const {
    const auto found = marks_.find(std::tuple(schema.domain, schema.name, schema.since));
    return found != marks_.end() && found->second == mark;
  }

  const Facts& facts_;
  FindingList& found_;
  TypeChecker types_;
  std::map<std::tuple<std::string_view, std::string_view, int>, std::string_view> marks_;
  std::map<std::pair<std::string_view, std::string_view>, Foreign> foreign_;  // by domain and op type
  std::map<std::tuple<std::string_view, std::string_view, std::int64_t>, std::string> hints_;
};

// Nullopt when the domain is not imported. check_opsets() reports that, and also impossible versions.
std::optional<std::int64_t> OpChecker::version_of(const Node& node) const {
  const std::vector<OpsetImport>& imports = facts_.ops().imports_of(*node.graph());
  if (imports.empty() && is_standard_domain(node.domain())) return 1;  // as before IR version 3
  return facts_.ops().version_of(node.domain(), *node.graph());
}

void OpChecker::check_node(const Node& node) {
  if (node.op_type().empty() || facts_.ops().function_of(node)) return;
  const ops::Op* op = facts_.ops().op_of(node);
  if (!op || has_mark(*op->schema, "runtime")) {
    const std::optional<std::int64_t> version = version_of(node);
    if (version && (*version > 0 || !is_onnx_domain(node.domain()))) report_unknown(node, *version);
    return;
  }
  const ops::Schema& schema = *op->schema;
  if (schema.deprecated) {
    found_.add(
        Severity::kError, "deprecated-op", node,
        fmt::format("{} was deprecated in version {} of {}", schema.name, schema.since, domain_text(schema.domain)));
    return;
  }
  const AppliedOp applied{node, schema, is_onnx_domain(schema.domain) ? Severity::kError : Severity::kWarning,
                          has_mark(schema, "open")};
  check_operands(applied, found_);
  check_attributes(applied, found_);
  types_.check(applied);
  const NoConstants none;
  if (std::string why = ops::tolerated_misuse(ops::Params(node, *op, none)); !why.empty())
    found_.add(Severity::kWarning, "broken-rule", node, std::move(why));
}

void OpChecker::report_unknown(const Node& node, std::int64_t version) {
  if (!is_onnx_domain(node.domain())) {
    Foreign& use = foreign_[{node.domain(), node.op_type()}];
    if (use.count++ == 0) use.first = &node;
    return;
  }
  const std::int64_t newest = newest_version(node.domain());
  const bool may_be_newer = newest > 0 && version > newest;
  std::string message = fmt::format("there is no op {} in version {} of {}", quote_name(node.op_type()),
                                    may_be_newer ? newest : version, domain_text(node.domain()));
  if (may_be_newer) {
    message += fmt::format(", the newest known here; version {} may have it", version);
  } else {
    message += hint(node, version);
  }
  found_.add(may_be_newer ? Severity::kNote : Severity::kError, "unknown-op", node, std::move(message));
}

// A guess at which op was meant, as the end of a message. Computed once per op because the search takes a while.
const std::string& OpChecker::hint(const Node& node, std::int64_t version) {
  const auto [at, is_new] = hints_.try_emplace({node.domain(), node.op_type(), version});
  if (is_new) at->second = find_hint(node, version);
  return at->second;
}

std::string OpChecker::find_hint(const Node& node, std::int64_t version) const {
  const std::string_view domain = normal_domain(node.domain());
  for (const ops::Op& op : ops::all_ops()) {
    const ops::Schema& schema = *op.schema;
    if (schema.domain != domain || schema.name != node.op_type() || has_mark(schema, "runtime")) continue;
    return fmt::format(": it came with version {}", schema.since);
  }
  if (ops::find_op(domain, node.op_type(), version)) return ": only ONNX Runtime has it there";
  for (const std::string_view other : {"", "ai.onnx.ml", "ai.onnx.preview.training", "com.microsoft"}) {
    if (other != domain && ops::find_op(other, node.op_type(), kAnyVersion)) {
      return fmt::format(": {} has an op of that name", domain_text(other));
    }
  }
  const std::string name = guess(node, version);
  return name.empty() ? "" : fmt::format(": did you mean {}?", quote_name(name));
}

std::string OpChecker::guess(const Node& node, std::int64_t version) const {
  std::vector<std::string> known;
  for (const ops::Op& op : ops::all_ops()) {
    const ops::Schema& schema = *op.schema;
    if (schema.domain != normal_domain(node.domain()) || schema.since > version) continue;
    if (known.empty() || known.back() != schema.name) known.emplace_back(schema.name);
  }
  return nearest(node.op_type(), known);
}

}  // namespace

void check_ops(const Model& model, const Facts& facts, FindingList& found) {
  OpChecker checker(facts, found);
  for_each_node(model, [&checker](const Node& node) { checker.check_node(node); });
  checker.report_foreign_ops();
}

}  // namespace onnxpress::analysis
