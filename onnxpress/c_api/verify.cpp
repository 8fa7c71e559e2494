// Engines, and comparing what two models compute.
#include "onnxpress/tasks/verify/verify.h"

#include <memory>
#include <optional>

#include "onnxpress/c_api/call.h"

namespace onnxpress::c_api {

namespace {

VerifyOptions options_of(const onnxpress_verify_options& given) {
  VerifyOptions options;
  options.samples = optional_text_in(given.samples);
  options.sets = optional_count_in("sets", given.sets);
  if (options.samples && options.sets)
    throw BadCall("options 'samples' and 'sets' cannot be combined", "use one of them");
  options.seed = count_in("seed", given.seed);
  options.tolerance = amount_in("tolerance", given.tolerance);
  options.quality = amount_in("quality", given.quality);
  options.locate = flag_in("locate", given.locate);
  options.time_limit = amount_in("time_limit", given.time_limit);
  options.bindings = bindings_in(given);
  if (given.engine) options.engine = given.engine->chosen;
  return options;
}

Answer verify(Model& reference, Model& other, const onnxpress_verify_options& given) {
  const engines::Engines engines = given.engine ? given.engine->engines : engines::Engines{engines::evaluator_engine()};
  const VerifyReport report = verify_models(reference, other, {options_of(given)}, engines);
  const bool differs = report.verdict == Verdict::kDiffers;
  return Answer(to_json(report), differs ? "the models do not compute the same" : "");
}

onnxpress_engine* find(const onnxpress_engine_options& given) {
  auto engine = std::make_unique<onnxpress_engine>();
  engine->chosen = optional_word_in<RuntimeChoice>("runtime", given.runtime);
  engine->engines = engines::engines_for({.runtime = engine->chosen,
                                          .provider = text_in(given.provider),
                                          .library = text_in(given.library),
                                          .seconds = amount_in("time_limit", given.time_limit)});
  for (const auto& each : engine->engines) engine->name += (engine->name.empty() ? "" : ", ") + each->name();
  return engine.release();
}

}  // namespace

}  // namespace onnxpress::c_api

extern "C" {

using namespace onnxpress::c_api;

int onnxpress_find_engine(const onnxpress_engine_options* given, onnxpress_engine** engine, onnxpress_error** error) {
  return guarded(error, [&] {
    require(engine, "engine") = nullptr;
    *engine = find(options_in(given));
  });
}

const char* onnxpress_engine_name(const onnxpress_engine* engine) { return engine ? engine->name.c_str() : ""; }

void onnxpress_engine_free(onnxpress_engine* engine) { delete engine; }

int onnxpress_verify(onnxpress_model* reference, onnxpress_model* other, const onnxpress_verify_options* given,
                     onnxpress_report** report, onnxpress_error** error) {
  return answer(given, report, error, [&](const onnxpress_verify_options& options, const Call&) {
    onnxpress::Model& first = require(reference, "reference").model;
    onnxpress::Model& second = require(other, "other").model;
    std::optional<onnxpress::Model> copy;
    if (&first == &second) copy = first.clone();
    return verify(first, copy ? *copy : second, options);
  });
}

}  // extern "C"
