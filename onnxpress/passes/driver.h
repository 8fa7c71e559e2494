// The driver: applies rewrites wherever they match, in the main graph, in bodies and in functions, until none matches
// any more.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/whole_graph.h"

namespace onnxpress::passes {

struct RewriteStep;

struct DriverOptions {
  std::span<const Rewrite* const> rewrites = all_rewrites();
  std::span<const WholeGraphPass* const> whole_graph = all_whole_graph_passes();
  Exactness least_exact = Exactness::kReassociates;  // rewrites that guarantee less are left out
  std::vector<std::string> without;                  // names of rewrites that are left out
  // Stops after this many rewrites, so that bisection can find the first one that breaks a model.
  std::optional<std::size_t> stop_after;
  // This many rewrites are taken for an endless loop: two rewrites that undo each other. Default: ten per node, plus a
  // thousand.
  std::optional<std::size_t> most_rewrites;
  std::optional<std::uint64_t> fold_limit;  // constants of more bytes are not computed
  // If above 0: begins with constants that take up to this many bytes more than they free, all of them together, and
  // continues with what these make possible. For a model to which no rewrite applies any more.
  std::uint64_t growth = 0;
  bool records_nodes = false;                               // steps list the nodes that they remove and add
  std::function<void(const RewriteStep& step)> after_step;  // may read the model; may be empty
};

// One application of a rewrite.
struct RewriteStep {
  std::string_view rewrite;
  std::string node;  // name of the node it started from, else the name of its first output; may be empty
  std::string_view op_type;
  std::string text;                         // a note from the rewrite; may be empty
  std::vector<std::string> removed, added;  // "Conv /layer1/conv"; only with DriverOptions::records_nodes
};

struct DriverReport {
  std::vector<RewriteStep> steps;                  // in the order in which they happened
  std::map<std::string_view, std::size_t> counts;  // by rewrite
  std::size_t dead_nodes = 0;                      // erased because nothing uses them any more
  std::size_t dead_constants = 0;                  // the same for constants that rewrites left behind
  // If most_rewrites was reached: the rewrite that was applied most often. Otherwise empty.
  std::string_view looping;
  bool changed() const { return !steps.empty() || dead_nodes > 0; }
};

// Are there constants that only DriverOptions::growth would compute? For a model to which no rewrite applies any more.
bool has_large_constants(Model& model, const analysis::Facts& facts);

// Inputs, outputs and their names and types stay as they are. A model with training graphs is left alone.
DriverReport apply_rewrites(Model& model, const analysis::Facts& facts, const DriverOptions& options = {});
// The same, but computes the facts itself.
DriverReport apply_rewrites(Model& model, const DriverOptions& options = {});

// Why the rewrites that start from the op of this node do not apply to it.
struct Refusal {
  std::string_view rewrite;
  std::vector<std::string> reasons;  // conditions that did not hold, in the order in which they were checked
};
// For a model to which no rewrite applies any more: `node` stays as it is.
std::vector<Refusal> refusals_at(Model& model, const analysis::Facts& facts, Node& node, const DriverOptions& options);

}  // namespace onnxpress::passes
