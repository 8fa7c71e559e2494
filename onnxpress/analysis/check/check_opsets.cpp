// Opset imports: one per used domain, with a version that can exist and that suits the model.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "onnxpress/analysis/check/check_parts.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::analysis {

namespace {

constexpr std::int64_t kFirstIrVersionWithOpsets = 3;  // older models use version 1 of every op

// The newest versions in onnx 1.23.
struct NewestOpset {
  std::string_view domain;
  std::int64_t version;
};
constexpr NewestOpset kNewestOpsets[] = {
    {"", 28}, {"ai.onnx.ml", 5}, {"ai.onnx.training", 1}, {"ai.onnx.preview.training", 1}};

}  // namespace

std::string domain_text(std::string_view domain) {
  return is_standard_domain(domain) ? "the standard domain" : fmt::format("domain {}", quote_name(domain));
}

std::int64_t newest_version(std::string_view domain) {
  for (const NewestOpset& newest : kNewestOpsets) {
    if (newest.domain == normal_domain(domain)) return newest.version;
  }
  return 0;
}

namespace {

// Imports of one model or function.
class ImportChecker {
 public:
  // `function` is the function body that the imports belong to; null for the model's own imports.
  ImportChecker(const std::vector<OpsetImport>& imports, const Graph* function, FindingList& found)
      : function_(function), found_(found) {
    for (const OpsetImport& import : imports) add_import(import);
  }

  bool has(std::string_view domain) const { return versions_.contains(normal_domain(domain)); }
  bool empty() const { return versions_.empty(); }
  void report(Severity severity, std::string_view code, std::string message) {
    found_.add(
        severity, code, [this] { return function_ ? found_.places.of(*function_) : std::string(); },
        std::move(message));
  }

 private:
  void add_import(const OpsetImport& import) {
    const auto [first, is_new] = versions_.emplace(normal_domain(import.domain), import.version);
    if (!is_new) {
      const bool same = first->second == import.version;
      report(same ? Severity::kNote : Severity::kError, "duplicate-opset",
             same ? fmt::format("{} is imported twice", domain_text(import.domain))
                  : fmt::format("{} is imported with version {} and again with {}", domain_text(import.domain),
                                first->second, import.version));
    }
    if (import.version <= 0) {
      // In custom domains the number has no meaning.
      report(is_standard_domain(import.domain) ? Severity::kError : Severity::kWarning, "opset-version",
             fmt::format("{} is imported with version {}, but versions start at 1", domain_text(import.domain),
                         import.version));
    }
    const std::int64_t newest = newest_version(import.domain);
    if (newest > 0 && import.version > newest) {
      report(Severity::kNote, "new-opset",
             fmt::format("version {} of {} is newer than {}, the newest known here", import.version,
                         domain_text(import.domain), newest));
    }
  }

  const Graph* function_;  // its place is computed only for a finding, because that takes time for each function
  FindingList& found_;
  std::map<std::string_view, std::int64_t> versions_;
};

// The domains that the nodes of a graph and its bodies use, each with the first node that uses it.
struct Domains {
  std::map<std::string_view, const Node*> used;
  const Node* first_spelled_out = nullptr;  // the first node whose domain is "ai.onnx"
  std::size_t spelled_out = 0;
};

Domains domains_of(Graph& graph) {
  Domains domains;
  const Node* last = nullptr;  // to look up the domain only when it changes: neighbours usually have the same
  for_each_graph(graph, [&](const Graph& each) {
    for (const Node& node : each.nodes()) {
      if (!node.domain().empty() && is_standard_domain(node.domain()) && domains.spelled_out++ == 0) {
        domains.first_spelled_out = &node;
      }
      if (!last || node.domain() != last->domain()) domains.used.emplace(normal_domain(node.domain()), &node);
      last = &node;
    }
  });
  return domains;
}

void check_use(Graph& graph, ImportChecker& imports, FindingList& found) {
  const Domains domains = domains_of(graph);
  if (domains.first_spelled_out) {
    const std::string others =
        domains.spelled_out == 1 ? "" : fmt::format(", as {} of the graph do", counted(domains.spelled_out, "node"));
    found.add(Severity::kError, "spelled-out-domain", *domains.first_spelled_out,
              fmt::format("writes the standard domain as 'ai.onnx'{}; onnx.checker knows only the empty name", others));
  }
  for (const auto& [domain, node] : domains.used) {
    if (imports.has(domain)) continue;
    found.add(Severity::kError, "missing-opset", *node, fmt::format("{} is not imported", domain_text(domain)));
  }
}

// The onnx package refuses a function with an op of another version than the model would use, although the function
// imports an opset of its own. A domain that the model does not import has the version of the first function that does.
class FunctionOps {
 public:
  explicit FunctionOps(const Model& model) {
    add(model.opsets);
    for (const Function* function : model.functions) add(function->opsets);
  }

  void check(const Function& function, FindingList& found) const {
    std::map<std::string_view, std::int64_t> own;
    for (const OpsetImport& import : function.opsets) own.emplace(normal_domain(import.domain), import.version);
    if (std::ranges::all_of(own, [this](const auto& each) { return versions_.at(each.first) == each.second; })) return;
    for (const Node& node : function.body->nodes()) {
      const std::string_view domain = normal_domain(node.domain());
      const auto version = own.find(domain);
      if (version == own.end() || newest_version(domain) == 0) continue;
      const std::int64_t inside = since(node, version->second), outside = since(node, versions_.at(domain));
      if (inside == outside) continue;
      found.add(Severity::kError, "function-opset", node,
                fmt::format("the function imports version {} of {} and the model {}, in which {} is another version "
                            "of the op",
                            version->second, domain_text(domain), versions_.at(domain), node.op_type()));
      return;  // the others follow from the same import
    }
  }

 private:
  void add(const std::vector<OpsetImport>& imports) {
    for (const OpsetImport& import : imports) versions_.emplace(normal_domain(import.domain), import.version);
  }
  static std::int64_t since(const Node& node, std::int64_t version) {
    const ops::Op* op = ops::find_op(node.domain(), node.op_type(), version);
    return op ? op->schema->since : 0;
  }

  std::map<std::string_view, std::int64_t> versions_;
};

}  // namespace

void check_opsets(const Model& model, FindingList& found) {
  ImportChecker imports(model.opsets, nullptr, found);
  const bool has_imports = model.ir_version.value_or(0) >= kFirstIrVersionWithOpsets;
  if (imports.empty() && has_imports && model.has_graph) {
    imports.report(Severity::kError, "no-opsets", "no opset is imported, not even that of the standard domain");
  } else if (has_imports) {
    check_use(model.graph(), imports, found);
    for (const TrainingInfo* training : model.training) {
      for (Graph* graph : {training->initialization, training->algorithm}) {
        if (graph) check_use(*graph, imports, found);
      }
    }
  }
  const FunctionOps ops(model);
  for (const Function* function : model.functions) {
    ImportChecker own(function->opsets, function->body, found);
    check_use(*function->body, own, found);
    ops.check(*function, found);
  }
}

}  // namespace onnxpress::analysis
