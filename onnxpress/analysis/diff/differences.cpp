// Compares two models: their own fields, then matching graphs, functions and training graphs.
#include "onnxpress/analysis/diff/differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "onnxpress/analysis/diff/differences_parts.h"
#include "onnxpress/base/error.h"

namespace onnxpress::analysis {

std::string_view name_of(Change change) {
  constexpr std::string_view kNames[kChangeCount] = {"added", "removed", "changed", "renamed", "reordered"};
  return kNames[static_cast<std::size_t>(change)];
}

std::string_view name_of(Subject subject) {
  constexpr std::string_view kNames[kSubjectCount] = {"model", "input",  "output",     "function", "graph",
                                                      "node",  "tensor", "value_info", "metadata", "doc"};
  return kNames[static_cast<std::size_t>(subject)];
}

void DiffContext::add(Difference difference) {
  ++found_.total;
  ++found_.counts[static_cast<std::size_t>(difference.subject)][static_cast<std::size_t>(difference.change)];
  std::vector<Difference>& kept = kept_[static_cast<std::size_t>(difference.subject)];
  if (kept.size() < settings.kept_differences) kept.push_back(std::move(difference));
}

Differences DiffContext::result() && {
  for (std::vector<Difference>& part : kept_) std::move(part.begin(), part.end(), std::back_inserter(found_.kept));
  return std::move(found_);
}

void compare_texts(std::string_view what, std::string_view before, std::string_view after,
                   std::vector<Detail>& details) {
  if (before != after) details.push_back({std::string(what), quote_name(before), quote_name(after)});
}

void compare_docs(std::string_view before, std::string_view after, const std::string& where, const std::string& what,
                  DiffContext& context) {
  if (!context.settings.docs || before == after) return;
  const Change change = before.empty() ? Change::kAdded : after.empty() ? Change::kRemoved : Change::kChanged;
  const auto text = [](std::string_view doc) { return doc.empty() ? std::string() : quote_name(doc); };
  context.add(change, Subject::kDoc, where, what, {{"", text(before), text(after)}});
}

void compare_metadata(std::span<const MetadataEntry> before, std::span<const MetadataEntry> after,
                      const std::string& where, const std::string& what, DiffContext& context) {
  if (!context.settings.metadata || (before.empty() && after.empty())) return;
  std::map<std::string_view, std::string_view> old,
      now;  // sorted by key, so that the order in the file does not matter
  for (const MetadataEntry& entry : before) old[entry.key] = entry.value;
  for (const MetadataEntry& entry : after) now[entry.key] = entry.value;
  const auto name = [&what](std::string_view key) {
    return what.empty() ? quote_name(key) : fmt::format("{}, {}", what, quote_name(key));
  };
  for (const auto& [key, value] : old) {
    const auto at = now.find(key);
    if (at == now.end()) {
      context.add(Change::kRemoved, Subject::kMetadata, where, name(key), {{"", quote_name(value), ""}});
    } else if (at->second != value) {
      context.add(Change::kChanged, Subject::kMetadata, where, name(key),
                  {{"", quote_name(value), quote_name(at->second)}});
    }
  }
  for (const auto& [key, value] : now) {
    if (!old.contains(key)) {
      context.add(Change::kAdded, Subject::kMetadata, where, name(key), {{"", "", quote_name(value)}});
    }
  }
}

void compare_order(const std::vector<std::uint32_t>& positions, Subject subject, const std::string& where,
                   std::string_view noun, DiffContext& context) {
  if (!context.settings.order) return;
  // The longest increasing subsequence counts as unmoved: ends[k] is the smallest end of one with k + 1 members.
  std::vector<std::uint32_t> ends;
  for (const std::uint32_t position : positions) {
    const auto at = std::lower_bound(ends.begin(), ends.end(), position);
    if (at == ends.end()) {
      ends.push_back(position);
    } else {
      *at = position;
    }
  }
  const std::size_t moved = positions.size() - ends.size();
  if (moved > 0)
    context.add(Change::kReordered, subject, where, fmt::format("{} of {} {}", moved, positions.size(), noun));
}

namespace {

std::string number_text(const std::optional<std::int64_t>& number) { return number ? std::to_string(*number) : "none"; }

void compare_number(std::string_view what, const std::optional<std::int64_t>& before,
                    const std::optional<std::int64_t>& after, DiffContext& context) {
  if (before == after) return;
  context.add(Change::kChanged, Subject::kModel, "", std::string(what),
              {{"", number_text(before), number_text(after)}});
}

void compare_field(std::string_view what, std::string_view before, std::string_view after, DiffContext& context) {
  if (before == after) return;
  context.add(Change::kChanged, Subject::kModel, "", std::string(what), {{"", quote_name(before), quote_name(after)}});
}

std::string opset_text(std::string_view domain) {
  return is_standard_domain(domain) ? "opset" : fmt::format("opset of {}", quote_name(domain));
}

void compare_opsets(const std::vector<OpsetImport>& before, const std::vector<OpsetImport>& after,
                    const std::string& where, DiffContext& context) {
  std::map<std::string_view, std::int64_t> old, now;
  for (const OpsetImport& import : before) old[normal_domain(import.domain)] = import.version;
  for (const OpsetImport& import : after) now[normal_domain(import.domain)] = import.version;
  for (const auto& [domain, version] : old) {
    const auto at = now.find(domain);
    if (at == now.end()) {
      context.add(Change::kRemoved, Subject::kModel, where, fmt::format("{} {}", opset_text(domain), version));
    } else if (at->second != version) {
      context.add(Change::kChanged, Subject::kModel, where, opset_text(domain),
                  {{"", std::to_string(version), std::to_string(at->second)}});
    }
  }
  for (const auto& [domain, version] : now) {
    if (!old.contains(domain))
      context.add(Change::kAdded, Subject::kModel, where, fmt::format("{} {}", opset_text(domain), version));
  }
}

void compare_header(const Model& before, const Model& after, DiffContext& context) {
  compare_number("ir_version", before.ir_version, after.ir_version, context);
  compare_opsets(before.opsets, after.opsets, "", context);
  if (context.settings.metadata) {
    compare_field("producer_name", before.producer_name, after.producer_name, context);
    compare_field("producer_version", before.producer_version, after.producer_version, context);
    compare_field("domain", before.domain, after.domain, context);
    compare_number("model_version", before.model_version, after.model_version, context);
  }
  compare_metadata(before.metadata, after.metadata, "", "", context);
  compare_docs(before.doc, after.doc, "", "model", context);
  if (before.device_configurations != after.device_configurations) {
    context.add(Change::kChanged, Subject::kModel, "", "device configurations");
  }
}

// --- Functions

std::string id_of(const Function& function) { return function_id(function.domain, function.name, function.overload); }

void compare_function(const Function& before, const Function& after, DiffContext& context) {
  const std::string where = context.before_places.of(*before.body);
  compare_opsets(before.opsets, after.opsets, where, context);
  compare_docs(before.doc, after.doc, where, "function", context);
  compare_metadata(before.metadata, after.metadata, where, "", context);
  std::vector<Detail> details;
  if (before.attribute_names != after.attribute_names) {
    details.push_back({"parameters", fmt::format("{}", fmt::join(before.attribute_names, ", ")),
                       fmt::format("{}", fmt::join(after.attribute_names, ", "))});
  }
  compare_attributes(before.attribute_defaults, after.attribute_defaults, where, nullptr, details, context);
  if (!details.empty()) {
    context.add(Change::kChanged, Subject::kFunction, "", quote_name(id_of(before)), std::move(details));
  }
  compare_graphs(*before.body, *after.body, context);
}

void compare_functions(const Model& before, const Model& after, DiffContext& context) {
  std::map<std::string, const Function*> now;
  for (const Function* function : after.functions) now.emplace(id_of(*function), function);
  for (const Function* function : before.functions) {
    const auto at = now.find(id_of(*function));
    if (at == now.end()) {
      context.add(Change::kRemoved, Subject::kFunction, "", quote_name(id_of(*function)));
    } else {
      compare_function(*function, *at->second, context);
      now.erase(at);
    }
  }
  for (const Function* function : after.functions) {
    const auto at = now.find(id_of(*function));
    if (at != now.end() && at->second == function)
      context.add(Change::kAdded, Subject::kFunction, "", quote_name(at->first));
  }
}

// --- Training

void compare_training_graph(const Graph* before, const Graph* after, const std::string& what, DiffContext& context) {
  if (before && after) {
    compare_graphs(*before, *after, context);
  } else if (before || after) {
    context.add(before ? Change::kRemoved : Change::kAdded, Subject::kGraph, "", what);
  }
}

void compare_training(const Model& before, const Model& after, DiffContext& context) {
  const TrainingInfo none;
  for (std::size_t i = 0; i < std::max(before.training.size(), after.training.size()); ++i) {
    const TrainingInfo& old = i < before.training.size() ? *before.training[i] : none;
    const TrainingInfo& now = i < after.training.size() ? *after.training[i] : none;
    const std::string where = fmt::format("training #{}", i);
    compare_training_graph(old.initialization, now.initialization, where + ", initialization", context);
    compare_training_graph(old.algorithm, now.algorithm, where + ", algorithm", context);
    compare_metadata(old.initialization_binding, now.initialization_binding, where, "initialization binding", context);
    compare_metadata(old.update_binding, now.update_binding, where, "update binding", context);
  }
}

}  // namespace

Differences find_differences(const Model& before, const Model& after, const DiffSettings& settings) {
  DiffContext context(before, after, settings);
  compare_header(before, after, context);
  if (before.has_graph && after.has_graph) {
    compare_graphs(before.graph(), after.graph(), context);
  } else if (before.has_graph != after.has_graph) {
    context.add(before.has_graph ? Change::kRemoved : Change::kAdded, Subject::kGraph, "", "the main graph");
  }
  compare_functions(before, after, context);
  compare_training(before, after, context);
  return std::move(context).result();
}

}  // namespace onnxpress::analysis
