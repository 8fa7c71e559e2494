/* Each call that changes or describes a model does what it says. */
#include "tests/c/check.h"

static void shrinks_and_expands(void) {
  onnxpress_model *model = layers(), *original = NULL;
  onnxpress_report* report = NULL;
  const bytes before = saved(model);
  DONE(onnxpress_clone(model, &original, &error));
  DONE(onnxpress_shrink(model, NULL, &report, &error));
  const bytes after = saved(model);
  CHECK(number(report, "before.file") == (double)before.count);
  CHECK(number(report, "after.file") == (double)after.count);
  CHECK(after.count < before.count - 60 * 64 * 4); /* w2 equals w1 */
  onnxpress_report_free(report);
  DONE(onnxpress_expand(model, NULL, &report, &error));
  CHECK(strstr(onnxpress_report_json(report), "\"tensors\""));
  onnxpress_report_free(report);
  DONE(onnxpress_verify(original, model, NULL, NULL, &error));
  onnxpress_bytes_free(before.data);
  onnxpress_bytes_free(after.data);
  onnxpress_model_free(model);
  onnxpress_model_free(original);
}

static void optimizes(void) {
  onnxpress_model *model = layers(), *original = NULL;
  onnxpress_report* report = NULL;
  DONE(onnxpress_clone(model, &original, &error));
  onnxpress_optimize_options options = ONNXPRESS_OPTIMIZE_OPTIONS;
  options.verify = 1;
  DONE(onnxpress_optimize(model, &options, &report, &error));
  CHECK(number(report, "nodes_before") == 5);
  CHECK(number(report, "nodes_after") == 3); /* no Identity, and Gemm for MatMul and Add */
  CHECK(number(report, "check.done") == 1);
  onnxpress_report_free(report);
  NOT_DONE(ONNXPRESS_NO, "differ", onnxpress_diff(original, model, NULL, &report, &error));
  CHECK(number(report, "equal") == 0);
  onnxpress_report_free(report);
  onnxpress_model_free(model);
  onnxpress_model_free(original);
}

static void quantizes(void) {
  onnxpress_model *model = layers(), *original = NULL;
  onnxpress_report* report = NULL;
  const bytes before = saved(model);
  DONE(onnxpress_clone(model, &original, &error));
  onnxpress_quantize_options options = ONNXPRESS_QUANTIZE_OPTIONS;
  options.to = "int8";
  DONE(onnxpress_quantize(model, &options, &report, &error));
  const bytes after = saved(model);
  CHECK(after.count < before.count / 4);
  onnxpress_report_free(report);
  onnxpress_verify_options loose = ONNXPRESS_VERIFY_OPTIONS;
  loose.quality = 25;
  DONE(onnxpress_verify(original, model, &loose, NULL, &error));
  loose.quality = 70;
  loose.locate = 1;
  NOT_DONE(ONNXPRESS_NO, "compute", onnxpress_verify(original, model, &loose, &report, &error));
  const char* verdict = NULL;
  CHECK(onnxpress_report_text(report, "verdict", &verdict) == ONNXPRESS_DONE && strcmp(verdict, "differs") == 0);
  onnxpress_report_free(report);
  onnxpress_bytes_free(before.data);
  onnxpress_bytes_free(after.data);
  onnxpress_model_free(model);
  onnxpress_model_free(original);
}

/* Lists are arrays that end with NULL. */
static void edits_and_extracts(void) {
  onnxpress_model *model = layers(), *part = NULL;
  onnxpress_report* report = NULL;
  const char* const renamed[] = {"x=image", "y=scores", NULL};
  onnxpress_edit_options edit = ONNXPRESS_EDIT_OPTIONS;
  edit.rename = renamed;
  DONE(onnxpress_edit(model, &edit, &report, &error));
  CHECK(number(report, "changes") == 2);
  onnxpress_report_free(report);

  const char* const ends[] = {"h", NULL};
  onnxpress_extract_options extract = ONNXPRESS_EXTRACT_OPTIONS;
  extract.outputs = ends;
  DONE(onnxpress_extract(model, &extract, &part, &report, &error));
  CHECK(number(report, "nodes") == 2);
  const char* name = NULL;
  CHECK(onnxpress_report_text(report, "inputs.0.name", &name) == ONNXPRESS_DONE && strcmp(name, "image") == 0);
  onnxpress_report_free(report);
  DONE(onnxpress_check(part, NULL, NULL, &error));
  onnxpress_model_free(part);
  onnxpress_model_free(model);
}

static void describes(void) {
  onnxpress_model* model = layers();
  onnxpress_report* report = NULL;
  DONE(onnxpress_info(model, NULL, &report, &error));
  CHECK(number(report, "weights.parameters") == 2 * 64 * 64);
  onnxpress_report_free(report);

  const char* const batch[] = {"N=10", NULL};
  onnxpress_profile_options profile = ONNXPRESS_PROFILE_OPTIONS;
  profile.dim = batch;
  DONE(onnxpress_profile(model, &profile, &report, &error));
  CHECK(strstr(onnxpress_report_json(report), "81920")); /* 2 layers of 10 x 64 x 64 multiply-adds */
  onnxpress_report_free(report);

  onnxpress_memory_options memory = ONNXPRESS_MEMORY_OPTIONS;
  memory.dim = batch;
  memory.align = 256;
  DONE(onnxpress_plan_memory(model, &memory, &report, &error));
  CHECK(number(report, "align") == 256);
  CHECK(number(report, "peak") >= 2 * 10 * 64 * 4);
  onnxpress_report_free(report);

  onnxpress_infer_options infer = ONNXPRESS_INFER_OPTIONS;
  infer.declare = 1;
  const bytes before = saved(model);
  DONE(onnxpress_infer(model, &infer, &report, &error));
  CHECK(number(report, "complete") == 5);
  const bytes after = saved(model);
  CHECK(after.count > before.count);
  onnxpress_report_free(report);
  onnxpress_bytes_free(before.data);
  onnxpress_bytes_free(after.data);
  onnxpress_model_free(model);
}

static void finds_engines(void) {
  onnxpress_engine* engine = NULL;
  onnxpress_engine_options options = ONNXPRESS_ENGINE_OPTIONS;
  options.runtime = "onnxpress";
  DONE(onnxpress_find_engine(&options, &engine, &error));
  CHECK(strcmp(onnxpress_engine_name(engine), "onnxpress") == 0);
  onnxpress_model* model = layers();
  onnxpress_report* report = NULL;
  onnxpress_verify_options verify = ONNXPRESS_VERIFY_OPTIONS;
  verify.engine = engine;
  verify.sets = 2;
  DONE(onnxpress_verify(model, model, &verify, &report, &error));
  CHECK(number(report, "engines.0.runs") == 2);
  onnxpress_report_free(report);
  onnxpress_model_free(model);
  onnxpress_engine_free(engine);

  options.runtime = "ort";
  options.library = "no/such/library.so";
  NOT_DONE(ONNXPRESS_FAILED, "", onnxpress_find_engine(&options, &engine, &error));
  CHECK(!engine);
}

void test_changes(void) {
  shrinks_and_expands();
  optimizes();
  quantizes();
  edits_and_extracts();
  describes();
  finds_engines();
}
