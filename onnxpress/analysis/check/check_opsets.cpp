// Opset imports: one per used domain, with a version that can exist.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "onnxpress/analysis/check/check_parts.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::analysis {

namespace {

// The newest versions that onnx 1.23 has.
struct NewestOpset {
  std::string_view domain;
  std::int64_t version;
};
constexpr NewestOpset kNewestOpsets[] = {
    {"", 28}, {"ai.onnx.ml", 5}, {"ai.onnx.training", 1}, {"ai.onnx.preview.training", 1}};

// Domains whose newest version ONNX Runtime takes when a model does not import them.
bool is_built_in(std::string_view domain) {
  if (is_standard_domain(domain) || domain == "org.pytorch.aten") return true;
  return domain.starts_with("ai.onnx.") || domain.starts_with("com.microsoft") || domain.starts_with("com.ms.");
}

std::string domain_text(std::string_view domain) {
  return is_standard_domain(domain) ? "the standard domain" : fmt::format("domain {}", quote_name(domain));
}

// Imports of one model or function.
class ImportChecker {
 public:
  // `function` is the body that the imports are for, null for the model's own.
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
      // For a domain of somebody's own nothing depends on the number.
      report(is_standard_domain(import.domain) ? Severity::kError : Severity::kRepair, "opset-version",
             fmt::format("{} is imported with version {}", domain_text(import.domain), import.version));
    }
    for (const NewestOpset& newest : kNewestOpsets) {
      if (newest.domain != normal_domain(import.domain) || import.version <= newest.version) continue;
      report(Severity::kNote, "new-opset",
             fmt::format("version {} of {} is newer than {}, the newest known here", import.version,
                         domain_text(import.domain), newest.version));
    }
  }

  const Graph* function_;  // its place is looked for only when it is needed: that takes time for each function
  FindingList& found_;
  std::map<std::string_view, std::int64_t> versions_;
};

// Adds the domains of all nodes below `graph`, each with the first node that needs it.
void collect_domains(Graph& graph, std::map<std::string_view, const Node*>& used) {
  std::string_view last;  // nodes of one domain come in long rows
  bool any = false;
  for_each_graph(graph, [&](const Graph& each) {
    for (const Node& node : each.nodes()) {
      const std::string_view domain = normal_domain(node.domain());
      if (any && domain == last) continue;
      last = domain;
      any = true;
      used.emplace(domain, &node);
    }
  });
}

void check_use(Graph& graph, ImportChecker& imports, bool is_function, FindingList& found) {
  std::map<std::string_view, const Node*> used;
  collect_domains(graph, used);
  for (const auto& [domain, node] : used) {
    if (imports.has(domain)) continue;
    const bool tolerated = !is_function && is_built_in(domain);
    found.add(tolerated ? Severity::kRepair : Severity::kError, "missing-opset", *node,
              fmt::format("{} is not imported", domain_text(domain)));
  }
}

}  // namespace

void check_opsets(const Model& model, FindingList& found) {
  ImportChecker imports(model.opsets, nullptr, found);
  if (imports.empty() && model.has_graph && model.ir_version.value_or(0) >= 3) {
    imports.report(Severity::kError, "no-opsets", "no opset is imported, not even that of the standard domain");
  } else {
    check_use(model.graph(), imports, false, found);
    for (const TrainingInfo* training : model.training) {
      for (Graph* graph : {training->initialization, training->algorithm}) {
        if (graph) check_use(*graph, imports, false, found);
      }
    }
  }
  for (const Function* function : model.functions) {
    ImportChecker own(function->opsets, function->body, found);
    check_use(*function->body, own, true, found);
  }
}

}  // namespace onnxpress::analysis
