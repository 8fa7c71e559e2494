// Converts the settings of the public interface to options of the task.
#include "onnxpress/api/shrink.h"

#include <fmt/format.h>

#include <utility>

#include "onnxpress/api/expand.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/duplicate_names.h"
#include "onnxpress/tasks/files/require_order.h"
#include "onnxpress/tasks/shrink/shrink.h"
#include "onnxpress/weights/chain/expand_chains.h"

namespace onnxpress {

namespace {

template <typename Choice>
Choice choice_named(std::string_view setting, std::string_view name) {
  for (const auto& [word, choice] : tasks::Words<Choice>::kAll) {
    if (word == name) return choice;
  }
  throw Error("", fmt::format("{} has no value {}", setting, quote_name(name)));
}

}  // namespace

ShrinkResult shrink(Model& model, const ShrinkSettings& settings) {
  tasks::ShrinkOptions options;
  options.target = choice_named<tasks::ShrinkTarget>("target", settings.target);
  options.only.assign(settings.only.begin(), settings.only.end());
  options.skip.assign(settings.skip.begin(), settings.skip.end());
  options.freeze = settings.freeze;
  const tasks::ShrinkReport report = tasks::shrink(model, options, settings.progress);
  return {report.before.total(), report.after.total(), tasks::to_json(report)};
}

ExpandResult expand(Model& model) {
  tasks::require_order(model);
  require_clear_names(model);
  const weights::Expanded expanded = weights::expand_chains(model);
  return {expanded.tensors, expanded.bytes, expanded.nodes};
}

}  // namespace onnxpress
