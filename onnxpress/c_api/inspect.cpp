// Calls that look at models: check, info, diff, infer, profile and plan_memory.
#include "onnxpress/c_api/call.h"
#include "onnxpress/ir/name_values.h"
#include "onnxpress/tasks/inspect/check.h"
#include "onnxpress/tasks/inspect/infer.h"
#include "onnxpress/tasks/inspect/info.h"
#include "onnxpress/tasks/profile/profile.h"
#include "onnxpress/tasks/report/field_lists/diff.h"
#include "onnxpress/tasks/report/field_lists/memory.h"

namespace onnxpress::c_api {

namespace {

CheckOptions options_of(const onnxpress_check_options& given) {
  CheckOptions options;
  options.strict = flag_in("strict", given.strict);
  options.no_external = flag_in("no_external", given.no_external);
  options.limit = count_in("limit", given.limit, options.limit);
  return options;
}

Answer answer_of(const CheckReport& report) {
  if (report.ok) return Answer(to_json(report));
  const std::string first = report.findings.empty() ? "" : ": " + report.findings.front().message;
  return Answer(to_json(report), fmt::format("the model has {} error{}{}", report.errors,
                                             report.errors == 1 ? "" : "s, the first is", first));
}

InfoOptions options_of(const onnxpress_info_options& given) {
  InfoOptions options;
  options.tensors = flag_in("tensors", given.tensors);
  options.duplicates = flag_in("duplicates", given.duplicates);
  options.all_inputs = flag_in("all_inputs", given.all_inputs);
  options.sort = word_in("sort", given.sort, options.sort);
  options.top = count_in("top", given.top, options.top);
  return options;
}

DiffOptions options_of(const onnxpress_diff_options& given) {
  DiffOptions options;
  for (const std::string& each : texts_in(given.ignore))
    options.ignore.push_back(*optional_word_in<Ignored>("ignore", each.c_str()));
  options.tolerance = amount_in("tolerance", given.tolerance);
  options.limit = count_in("limit", given.limit, options.limit);
  return options;
}

InferOptions options_of(const onnxpress_infer_options& given) {
  InferOptions options;
  options.bindings = bindings_in(given);
  options.custom_ops = optional_text_in(given.custom_ops);
  options.trust_value_info = flag_in("trust_value_info", given.trust_value_info);
  options.all = flag_in("all", given.all);
  options.limit = count_in("limit", given.limit, options.limit);
  return options;
}

Answer infer(Model& model, const onnxpress_infer_options& given) {
  const InferOptions options = options_of(given);
  InferReport report = given.declare ? declare_types(model, options) : infer(model, options);
  report.file = model.path.string();
  return Answer(to_json(report));
}

ProfileOptions options_of(const onnxpress_profile_options& given) {
  ProfileOptions options;
  options.bindings = bindings_in(given);
  options.custom_ops = optional_text_in(given.custom_ops);
  options.cost = optional_text_in(given.cost);
  options.count = word_in("count", given.count, options.count);
  options.device = optional_text_in(given.device);
  options.align = count_in("align", given.align, options.align);
  options.sparsity = flag_in("sparsity", given.sparsity);
  return options;
}

MemoryOptions options_of(const onnxpress_memory_options& given) {
  MemoryOptions options;
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
    return answer_of(onnxpress::check(checked, options_of(options)));
  });
}

int onnxpress_info(onnxpress_model* model, const onnxpress_info_options* given, onnxpress_report** report,
                   onnxpress_error** error) {
  return answer(given, report, error, [&](const onnxpress_info_options& options, const Call&) {
    return Answer(to_json(onnxpress::info(require(model, "model").model, options_of(options))));
  });
}

int onnxpress_diff(const onnxpress_model* before, const onnxpress_model* after, const onnxpress_diff_options* given,
                   onnxpress_report** report, onnxpress_error** error) {
  return answer(given, report, error, [&](const onnxpress_diff_options& options, const Call&) {
    const auto found =
        onnxpress::diff(require(before, "before").model, require(after, "after").model, options_of(options));
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
    return Answer(to_json(onnxpress::profile(require(model, "model").model, options_of(options))));
  });
}

int onnxpress_plan_memory(onnxpress_model* model, const onnxpress_memory_options* given, onnxpress_report** report,
                          onnxpress_error** error) {
  return change(model, given, report, error,
                [](onnxpress::Model& changed, const onnxpress_memory_options& options, const Call&) {
                  return Answer(to_json(onnxpress::plan_memory(changed, options_of(options))));
                });
}

}  // extern "C"
