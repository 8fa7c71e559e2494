// Compares what graphs declare: inputs and outputs, value_info, initializers.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "onnxpress/analysis/diff/differences_parts.h"
#include "onnxpress/base/error.h"

namespace onnxpress::analysis {

namespace {

std::string name_text(const ValueInfo& info) { return quote_name(info.value ? info.value->name() : ""); }
std::string declared_text(const ValueInfo& info) { return fmt::format("{} {}", name_text(info), to_string(info.type)); }
std::string_view name_of_value(const ValueInfo& info) { return info.value ? info.value->name() : std::string_view(); }

// Compares two lists of declarations.
class DeclarationComparison {
 public:
  // `names_count`: a changed name alone is a difference.
  DeclarationComparison(Subject subject, bool names_count, const std::string& where, DiffContext& context)
      : subject_(subject), names_count_(names_count), where_(where), context_(context) {}

  // Pairs by name first. Of the rest, pairs those whose values are partners: they were renamed.
  void compare(std::span<ValueInfo* const> before, std::span<ValueInfo* const> after) {
    partners_.assign(before.size(), kNone);
    taken_.assign(after.size(), false);
    std::unordered_map<std::string_view, std::uint32_t> names;
    std::unordered_map<const Value*, std::uint32_t> values;
    for (std::uint32_t k = 0; k < after.size(); ++k) {
      names.emplace(name_of_value(*after[k]), k);
      values.emplace(after[k]->value, k);
    }
    for (std::uint32_t i = 0; i < before.size(); ++i) {
      const auto at = names.find(name_of_value(*before[i]));
      if (at != names.end()) take(i, at->second);
    }
    for (std::uint32_t i = 0; i < before.size(); ++i) {
      const Value* partner =
          partners_[i] == kNone && before[i]->value ? context_.matching.after(*before[i]->value) : nullptr;
      const auto at = partner ? values.find(partner) : values.end();
      if (at != values.end()) take(i, at->second);
    }
    report(before, after);
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  void take(std::uint32_t i, std::uint32_t k) {
    if (taken_[k]) return;
    taken_[k] = true;
    partners_[i] = k;
  }

  void report(std::span<ValueInfo* const> before, std::span<ValueInfo* const> after) {
    std::vector<std::uint32_t> positions;
    for (std::uint32_t i = 0; i < before.size(); ++i) {
      if (partners_[i] == kNone) {
        context_.add(Change::kRemoved, subject_, where_,
                     fmt::format("{} {}", name_of(subject_), declared_text(*before[i])));
      } else {
        compare_pair(*before[i], *after[partners_[i]]);
        positions.push_back(partners_[i]);
      }
    }
    for (std::uint32_t k = 0; k < after.size(); ++k) {
      if (!taken_[k])
        context_.add(Change::kAdded, subject_, where_,
                     fmt::format("{} {}", name_of(subject_), declared_text(*after[k])));
    }
    if (!std::is_sorted(positions.begin(), positions.end())) {
      context_.add(Change::kReordered, subject_, where_, fmt::format("{}s", name_of(subject_)),
                   {{"", list_text(before), list_text(after)}});
    }
  }

  void compare_pair(const ValueInfo& before, const ValueInfo& after) {
    const std::string what = fmt::format("{} {}", name_of(subject_), name_text(before));
    std::vector<Detail> details;
    if (!same_type(before.type, after.type)) details.push_back({"type", to_string(before.type), to_string(after.type)});
    if (subject_ == Subject::kOutput && !context_.matching.same(before.value, after.value)) {
      details.push_back({"made by", maker_text(before.value, context_.before_places),
                         maker_text(after.value, context_.after_places)});
    }
    const bool renamed = names_count_ && name_of_value(before) != name_of_value(after);
    const bool changed = !details.empty();
    if (renamed) details.insert(details.begin(), {"name", name_text(before), name_text(after)});
    if (renamed || changed)
      context_.add(changed ? Change::kChanged : Change::kRenamed, subject_, where_, what, std::move(details));
    compare_docs(before.doc, after.doc, where_, what, context_);
    compare_metadata(before.metadata, after.metadata, where_, what, context_);
  }

  static std::string maker_text(const Value* value, const Places& places) {
    if (!value || !value->is_defined()) return "nothing";
    if (value->producer()) return places.short_of(*value->producer());
    return value->is_input() ? "an input" : "an initializer";
  }

  static std::string list_text(std::span<ValueInfo* const> list) {
    constexpr std::size_t kShown = 16;
    std::string text;
    for (std::size_t i = 0; i < list.size() && i < kShown; ++i) text += (i > 0 ? ", " : "") + name_text(*list[i]);
    return list.size() > kShown ? text + ", ..." : text;
  }

  Subject subject_;
  bool names_count_;
  const std::string& where_;
  DiffContext& context_;
  std::vector<std::uint32_t> partners_;  // by position in before
  std::vector<bool> taken_;              // by position in after
};

}  // namespace

void compare_interface(const Graph& before, const Graph& after, const std::string& where, DiffContext& context) {
  // Users of the model rely on the names of the main graph; the names in bodies and functions do not matter to them.
  const bool names = context.settings.names || &before == context.main_graph;
  DeclarationComparison(Subject::kInput, names, where, context).compare(before.inputs(), after.inputs());
  DeclarationComparison(Subject::kOutput, names, where, context).compare(before.outputs(), after.outputs());
}

void compare_annotations(const Graph& before, const Graph& after, const std::string& where, DiffContext& context) {
  std::map<std::string_view, std::pair<std::span<const MetadataEntry>, std::span<const MetadataEntry>>> all;
  for (const QuantizationAnnotation& each : before.quantization_annotations())
    all[each.tensor_name].first = each.parameters;
  for (const QuantizationAnnotation& each : after.quantization_annotations())
    all[each.tensor_name].second = each.parameters;
  for (const auto& [name, parameters] : all) {
    compare_metadata(parameters.first, parameters.second, where, fmt::format("quantization of {}", quote_name(name)),
                     context);
  }
}

// Only value_info of values that both sides have is listed one by one, because shape inference adds hundreds of
// entries.
void compare_value_infos(const Graph& before, const Graph& after, const std::string& where, DiffContext& context) {
  if (!context.settings.value_info) return;
  std::unordered_map<const Value*, const ValueInfo*> now;
  std::unordered_map<std::string_view, const ValueInfo*> unknown;  // declarations of values that do not exist
  for (const ValueInfo* info : after.value_infos()) {
    if (info->value && info->value->is_defined())
      now.emplace(info->value, info);
    else
      unknown.emplace(name_of_value(*info), info);
  }
  std::size_t removed = 0, kept = 0;
  for (const ValueInfo* info : before.value_infos()) {
    const Value* partner = info->value ? context.matching.after(*info->value) : nullptr;
    const auto at = now.find(partner);
    const auto same_name = partner ? unknown.end() : unknown.find(name_of_value(*info));
    const ValueInfo* other = at != now.end() ? at->second : same_name != unknown.end() ? same_name->second : nullptr;
    if (!other) {
      ++removed;
      continue;
    }
    ++kept;
    const std::string what = "value " + name_text(*info);
    if (!same_type(info->type, other->type)) {
      context.add(Change::kChanged, Subject::kValueInfo, where, what,
                  {{"type", to_string(info->type), to_string(other->type)}});
    }
    compare_docs(info->doc, other->doc, where, what, context);
    compare_metadata(info->metadata, other->metadata, where, what, context);
  }
  const std::size_t total = after.value_infos().size(), added = total > kept ? total - kept : 0;
  const auto entries = [](std::size_t count) {
    return counted(count, "declared type of a value", "declared types of values");
  };
  if (removed > 0) context.add(Change::kRemoved, Subject::kValueInfo, where, entries(removed));
  if (added > 0) context.add(Change::kAdded, Subject::kValueInfo, where, entries(added));
}

}  // namespace onnxpress::analysis
