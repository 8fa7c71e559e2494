// Calls that change models without loss: shrink, expand, optimize, edit and extract.
#include <memory>

#include "onnxpress/c_api/call.h"
#include "onnxpress/tasks/optimize/optimize.h"
#include "onnxpress/tasks/parts/extract.h"
#include "onnxpress/tasks/report/field_lists/edit.h"
#include "onnxpress/tasks/shrink/expand.h"
#include "onnxpress/tasks/shrink/shrink.h"

namespace onnxpress::c_api {

namespace {

ShrinkOptions options_of(const onnxpress_shrink_options& given) {
  ShrinkOptions options;
  options.target = word_in("target", given.target, options.target);
  options.only = names_in(given.only);
  options.skip = names_in(given.skip);
  options.freeze = flag_in("freeze", given.freeze);
  options.pack = flag_in("pack", given.pack);
  options.shorten_names = flag_in("shorten_names", given.shorten_names);
  options.verify = flag_in("verify", given.verify);
  options.engine = engine_in(given.engine);
  return options;
}

OptimizeOptions options_of(const onnxpress_optimize_options& given) {
  OptimizeOptions options;
  options.target = word_in("target", given.target, options.target);
  options.exact = flag_in("exact", given.exact);
  options.approximate = flag_in("approximate", given.approximate);
  options.freeze = flag_in("freeze", given.freeze);
  options.costs = flag_in("costs", given.costs);
  options.verify = flag_in("verify", given.verify);
  options.only = names_in(given.only);
  options.also = names_in(given.also);
  options.skip = names_in(given.skip);
  options.inline_functions = names_in(given.inline_functions);
  options.why = texts_in(given.why);
  options.opset = optional_count_in("opset", given.opset);
  options.rules = optional_text_in(given.rules);
  options.bindings = bindings_in(given);
  options.engine = engine_in(given.engine);
  return options;
}

EditOptions options_of(const onnxpress_edit_options& given) {
  EditOptions options;
  options.rename = texts_in(given.rename);
  options.set_shape = texts_in(given.set_shape);
  options.set_type = texts_in(given.set_type);
  options.set_attribute = texts_in(given.set_attribute);
  options.set_metadata = texts_in(given.set_metadata);
  options.remove_node = names_in(given.remove_node);
  options.add_output = names_in(given.add_output);
  options.remove_input = names_in(given.remove_input);
  options.remove_output = names_in(given.remove_output);
  options.doc = optional_text_in(given.doc);
  return options;
}

ExtractOptions options_of(const onnxpress_extract_options& given) {
  ExtractOptions options;
  options.inputs = names_in(given.inputs);
  options.outputs = names_in(given.outputs);
  options.nodes = names_in(given.nodes);
  options.prefix = text_in(given.prefix);
  return options;
}

}  // namespace

}  // namespace onnxpress::c_api

extern "C" {

using namespace onnxpress::c_api;

int onnxpress_shrink(onnxpress_model* model, const onnxpress_shrink_options* given, onnxpress_report** report,
                     onnxpress_error** error) {
  return change(model, given, report, error,
                [](onnxpress::Model& changed, const onnxpress_shrink_options& options, const Call& call) {
                  return Answer(to_json(onnxpress::shrink(changed, options_of(options), call.progress())));
                });
}

int onnxpress_expand(onnxpress_model* model, const onnxpress_expand_options* given, onnxpress_report** report,
                     onnxpress_error** error) {
  return change(model, given, report, error,
                [](onnxpress::Model& changed, const onnxpress_expand_options&, const Call&) {
                  return Answer(to_json(onnxpress::expand(changed)));
                });
}

int onnxpress_optimize(onnxpress_model* model, const onnxpress_optimize_options* given, onnxpress_report** report,
                       onnxpress_error** error) {
  return change(model, given, report, error,
                [](onnxpress::Model& changed, const onnxpress_optimize_options& options, const Call& call) {
                  const auto after_step = [&call](const onnxpress::Model&, std::string_view) { call.step(); };
                  return Answer(to_json(onnxpress::optimize(changed, options_of(options), after_step)));
                });
}

int onnxpress_edit(onnxpress_model* model, const onnxpress_edit_options* given, onnxpress_report** report,
                   onnxpress_error** error) {
  return change(model, given, report, error,
                [](onnxpress::Model& changed, const onnxpress_edit_options& options, const Call&) {
                  return Answer(to_json(onnxpress::edit(changed, options_of(options))));
                });
}

int onnxpress_extract(onnxpress_model* model, const onnxpress_extract_options* given, onnxpress_model** part,
                      onnxpress_report** report, onnxpress_error** error) {
  if (part) *part = nullptr;
  return answer(given, report, error, [&](const onnxpress_extract_options& options, const Call&) {
    require(part, "part");
    onnxpress::Part made = onnxpress::extract(require(model, "model").model, options_of(options));
    std::unique_ptr<onnxpress_model> copy(new onnxpress_model{std::move(made.model)});
    Answer done(to_json(made.report));
    *part = copy.release();
    return done;
  });
}

}  // extern "C"
