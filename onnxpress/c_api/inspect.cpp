// Calls that look at models: check, info, diff, infer, profile and plan_memory.
#include "onnxpress/c_api/call.h"
#include "onnxpress/ir/name_values.h"
#include "onnxpress/tasks/inspect/check.h"
#include "onnxpress/tasks/inspect/diff.h"
#include "onnxpress/tasks/inspect/infer.h"
#include "onnxpress/tasks/inspect/info.h"
#include "onnxpress/tasks/memory/memory.h"
#include "onnxpress/tasks/profile/profile.h"

namespace onnxpress::c_api {

namespace {

tasks::CheckOptions options_of(const onnxpress_check_options& given) {
  tasks::CheckOptions options;
  options.strict = flag_in("strict", given.strict);
  options.no_external = flag_in("no_external", given.no_external);
  options.limit = count_in("limit", given.limit, options.limit);
  return options;
}

Answer answer_of(const tasks::CheckReport& report) {
  if (report.ok) return Answer(to_json(report));
  const std::string first = report.findings.empty() ? "" : ": " + report.findings.front().message;
  return Answer(to_json(report), fmt::format("the model has {} error{}{}", report.errors,
                                             report.errors == 1 ? "" : "s, the first is", first));
}

tasks::InfoOptions options_of(const onnxpress_info_options& given) {
  tasks::InfoOptions options;
  options.tensors = flag_in("tensors", given.tensors);
  options.duplicates = flag_in("duplicates", given.duplicates);
  options.all_inputs = flag_in("all_inputs", given.all_inputs);
  options.sort = word_in("sort", given.sort, options.sort);
  options.top = count_in("top", given.top, options.top);
  return options;
}

tasks::DiffOptions options_of(const onnxpress_diff_options& given) {
  tasks::DiffOptions options;
  for (const std::string& each : texts_in(given.ignore))
    options.ignore.push_back(*optional_word_in<tasks::Ignored>("ignore", each.c_str()));
  options.tolerance = amount_in("tolerance", given.tolerance);
  options.limit = count_in("limit", given.limit, options.limit);
  return options;
}

tasks::InferOptions options_of(const onnxpress_infer_options& given) {
  tasks::InferOptions options;
  options.bindings = bindings_in(given);
  options.custom_ops = optional_text_in(given.custom_ops);
  options.trust_value_info = flag_in("trust_value_info", given.trust_value_info);
  options.all = flag_in("all", given.all);
  options.limit = count_in("limit", given.limit, options.limit);
  return options;
}

Answer infer(Model& model, const onnxpress_infer_options& given) {
  const tasks::InferOptions options = options_of(given);
  tasks::InferReport report = given.declare ? tasks::declare_types(model, options) : tasks::infer(model, options);
  report.file = model.path.string();
  return Answer(to_json(report));
}

tasks::ProfileOptions options_of(const onnxpress_profile_options& given) {
  tasks::ProfileOptions options;
  options.bindings = bindings_in(given);
  options.custom_ops = optional_text_in(given.custom_ops);
  options.cost = optional_text_in(given.cost);
  options.count = word_in("count", given.count, options.count);
  options.device = optional_text_in(given.device);
  options.align = count_in("align", given.align, options.align);
  options.sparsity = flag_in("sparsity", given.sparsity);
  return options;
}

tasks::MemoryOptions options_of(const onnxpress_memory_options& given) {
  tasks::MemoryOptions options;
  options.bindings = bindings_in(given);
  options.custom_ops = optional_text_in(given.custom_ops);
  options.align = count_in("align", given.align, options.align);
  options.reorder = flag_in("reorder", given.reorder);
  return options;
}

}  // namespace

}  // namespace onnxpress::c_api

extern "C" {

using namespace onnxpress::c_api;

int onnxpress_check(onnxpress_model* model, const onnxpress_check_options* given, onnxpress_report** report,
                    onnxpress_error** error) {
  return answer(given, report, error, [&](const onnxpress_check_options& options, const Call&) {
    onnxpress::Model& checked = require(model, "model").model;
    onnxpress::name_values(checked);  // values made since the model was read have no names yet
    return answer_of(onnxpress::tasks::check(checked, options_of(options)));
  });
}

int onnxpress_info(onnxpress_model* model, const onnxpress_info_options* given, onnxpress_report** report,
                   onnxpress_error** error) {
  return answer(given, report, error, [&](const onnxpress_info_options& options, const Call&) {
    return Answer(to_json(onnxpress::tasks::info(require(model, "model").model, options_of(options))));
  });
}

int onnxpress_diff(const onnxpress_model* before, const onnxpress_model* after, const onnxpress_diff_options* given,
                   onnxpress_report** report, onnxpress_error** error) {
  return answer(given, report, error, [&](const onnxpress_diff_options& options, const Call&) {
    const auto found =
        onnxpress::tasks::diff(require(before, "before").model, require(after, "after").model, options_of(options));
    return Answer(to_json(found), found.equal ? "" : fmt::format("the models differ in {} places", found.total));
  });
}

int onnxpress_infer(onnxpress_model* model, const onnxpress_infer_options* given, onnxpress_report** report,
                    onnxpress_error** error) {
  return change(model, given, report, error,
                [](onnxpress::Model& changed, const onnxpress_infer_options& options, const Call&) {
                  flag_in("declare", options.declare);
                  return infer(changed, options);
                });
}

int onnxpress_profile(onnxpress_model* model, const onnxpress_profile_options* given, onnxpress_report** report,
                      onnxpress_error** error) {
  return answer(given, report, error, [&](const onnxpress_profile_options& options, const Call&) {
    return Answer(to_json(onnxpress::tasks::profile(require(model, "model").model, options_of(options))));
  });
}

int onnxpress_plan_memory(onnxpress_model* model, const onnxpress_memory_options* given, onnxpress_report** report,
                          onnxpress_error** error) {
  return change(model, given, report, error,
                [](onnxpress::Model& changed, const onnxpress_memory_options& options, const Call&) {
                  return Answer(to_json(onnxpress::tasks::plan_memory(changed, options_of(options))));
                });
}

}  // extern "C"
