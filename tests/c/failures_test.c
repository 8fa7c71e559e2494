/* Calls that fail say why, and leave the model as it was. */
#include "tests/c/check.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

static void finds_errors(void) {
  onnxpress_model* model = model_of(
      "<ir_version: 8, opset_import: [\"\" : 17]>\n"
      "broken (float[N] x) => (float[N] y) { y = Relu (missing) }\n");
  onnxpress_report* report = NULL;
  NOT_DONE(ONNXPRESS_NO, "1 error", onnxpress_check(model, NULL, &report, &error));
  CHECK(number(report, "ok") == 0);
  CHECK(number(report, "errors") == 1);
  const char* code = NULL;
  CHECK(onnxpress_report_text(report, "findings.0.code", &code) == ONNXPRESS_DONE);
  CHECK(strcmp(code, "undefined-input") == 0);
  onnxpress_report_free(report);
  onnxpress_model_free(model);
}

/* The call sees an error after it has begun to change the model. */
static void keeps_the_model(void) {
  onnxpress_model* model = layers();
  const bytes before = saved(model);
  onnxpress_report* report = NULL;

  const char* const shapes[] = {"no_such_input=1x64", NULL};
  onnxpress_optimize_options optimize = ONNXPRESS_OPTIMIZE_OPTIONS;
  optimize.shape = shapes;
  NOT_DONE(ONNXPRESS_FAILED, "no_such_input", onnxpress_optimize(model, &optimize, &report, &error));
  CHECK(!report);

  const char *const metadata[] = {"made=here", NULL}, *const gone[] = {"no_such_output", NULL};
  onnxpress_edit_options edit = ONNXPRESS_EDIT_OPTIONS;
  edit.set_metadata = metadata;
  edit.remove_output = gone;
  NOT_DONE(ONNXPRESS_FAILED, "no_such_output", onnxpress_edit(model, &edit, &report, &error));

  onnxpress_quantize_options quantize = ONNXPRESS_QUANTIZE_OPTIONS;
  quantize.scheme = "int99";
  NOT_DONE(ONNXPRESS_BAD_CALL, "int99", onnxpress_quantize(model, &quantize, &report, &error));

  const bytes after = saved(model);
  CHECK(same_bytes(before, after));
  onnxpress_bytes_free(before.data);
  onnxpress_bytes_free(after.data);
  onnxpress_model_free(model);
}

/* A goal that cannot be met: the answer is no, and there is a report. */
static void refuses_goals(void) {
  onnxpress_model* model = layers();
  const bytes before = saved(model);
  onnxpress_quantize_options options = ONNXPRESS_QUANTIZE_OPTIONS;
  options.activations = "dynamic"; /* integers, which cannot keep 70 dB */
  options.layers = "all";
  options.quality = 70;
  onnxpress_report* report = NULL;
  onnxpress_error* error = NULL;
  CHECK(onnxpress_quantize(model, &options, &report, &error) == ONNXPRESS_NO);
  const char* refused = NULL;
  CHECK(onnxpress_report_text(report, "refused", &refused) == ONNXPRESS_DONE);
  CHECK(strstr(refused, "70.0 dB"));
  CHECK(strcmp(refused, onnxpress_error_text(error)) == 0);
  onnxpress_error_free(error);
  onnxpress_report_free(report);
  const bytes after = saved(model);
  CHECK(same_bytes(before, after));
  onnxpress_bytes_free(after.data);

  options.best_effort = 1;
  DONE(onnxpress_quantize(model, &options, NULL, &error));
  const bytes changed = saved(model);
  CHECK(!same_bytes(before, changed));
  onnxpress_bytes_free(changed.data);
  onnxpress_bytes_free(before.data);
  onnxpress_model_free(model);
}

typedef struct progress {
  int left;
  int stages;
} progress;

static int counts_down(void* data, const char* stage, uint64_t done, uint64_t total) {
  progress* state = data;
  CHECK(stage && done <= total);
  if (stage[0] != '\0') ++state->stages;
  return state->left-- == 0;
}

/* Cancels at every place where that is possible, the first, the second, ... until the call gets to its end. */
static int cancels_everywhere(int (*call)(onnxpress_model*, progress*, onnxpress_error**)) {
  onnxpress_model* model = layers();
  const bytes before = saved(model);
  for (int places = 0;; ++places) {
    progress state = {places, 0};
    onnxpress_error* error = NULL;
    const int result = call(model, &state, &error);
    if (result == ONNXPRESS_DONE) {
      onnxpress_bytes_free(before.data);
      onnxpress_model_free(model);
      CHECK(state.stages > 0);
      return places;
    }
    CHECK(result == ONNXPRESS_CANCELLED && error);
    onnxpress_error_free(error);
    const bytes after = saved(model);
    CHECK(same_bytes(before, after));
    onnxpress_bytes_free(after.data);
  }
}

static int shrink(onnxpress_model* model, progress* state, onnxpress_error** error) {
  onnxpress_shrink_options options = ONNXPRESS_SHRINK_OPTIONS;
  options.progress = counts_down;
  options.progress_data = state;
  return onnxpress_shrink(model, &options, NULL, error);
}

static int optimize(onnxpress_model* model, progress* state, onnxpress_error** error) {
  onnxpress_optimize_options options = ONNXPRESS_OPTIMIZE_OPTIONS;
  options.progress = counts_down;
  options.progress_data = state;
  return onnxpress_optimize(model, &options, NULL, error);
}

static int quantize(onnxpress_model* model, progress* state, onnxpress_error** error) {
  onnxpress_quantize_options options = ONNXPRESS_QUANTIZE_OPTIONS;
  options.progress = counts_down;
  options.progress_data = state;
  options.to = "int8";
  options.verify = 1;
  return onnxpress_quantize(model, &options, NULL, error);
}

static void refuses_null(void) {
  onnxpress_model *model = layers(), *other = NULL;
  void* data = NULL;
  size_t count = 0;
  double value = 0;
  const char* text = NULL;
  NOT_DONE(ONNXPRESS_BAD_CALL, "'path' is NULL", onnxpress_load(NULL, NULL, &other, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'model' is NULL", onnxpress_load("x.onnx", NULL, NULL, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'bytes' is NULL", onnxpress_load_bytes(NULL, 5, NULL, &other, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'model' is NULL", onnxpress_load_bytes("x", 1, NULL, NULL, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'model' is NULL", onnxpress_save(NULL, "x.onnx", NULL, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'path' is NULL", onnxpress_save(model, NULL, NULL, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'model' is NULL", onnxpress_save_bytes(NULL, NULL, &data, &count, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'bytes' is NULL", onnxpress_save_bytes(model, NULL, NULL, &count, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'count' is NULL", onnxpress_save_bytes(model, NULL, &data, NULL, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'model' is NULL", onnxpress_clone(NULL, &other, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'copy' is NULL", onnxpress_clone(model, NULL, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'model' is NULL", onnxpress_check(NULL, NULL, NULL, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'model' is NULL", onnxpress_info(NULL, NULL, NULL, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'before' is NULL", onnxpress_diff(NULL, model, NULL, NULL, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'after' is NULL", onnxpress_diff(model, NULL, NULL, NULL, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'model' is NULL", onnxpress_infer(NULL, NULL, NULL, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'model' is NULL", onnxpress_profile(NULL, NULL, NULL, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'model' is NULL", onnxpress_plan_memory(NULL, NULL, NULL, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'model' is NULL", onnxpress_shrink(NULL, NULL, NULL, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'model' is NULL", onnxpress_expand(NULL, NULL, NULL, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'model' is NULL", onnxpress_quantize(NULL, NULL, NULL, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'model' is NULL", onnxpress_optimize(NULL, NULL, NULL, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'model' is NULL", onnxpress_edit(NULL, NULL, NULL, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'model' is NULL", onnxpress_extract(NULL, NULL, &other, NULL, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'part' is NULL", onnxpress_extract(model, NULL, NULL, NULL, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'engine' is NULL", onnxpress_find_engine(NULL, NULL, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'reference' is NULL", onnxpress_verify(NULL, model, NULL, NULL, &error));
  NOT_DONE(ONNXPRESS_BAD_CALL, "'other' is NULL", onnxpress_verify(model, NULL, NULL, NULL, &error));
  CHECK(onnxpress_report_number(NULL, "x", &value) == ONNXPRESS_BAD_CALL);
  CHECK(onnxpress_report_text(NULL, "x", &text) == ONNXPRESS_BAD_CALL);
  CHECK(strcmp(onnxpress_report_json(NULL), "") == 0 && strcmp(onnxpress_engine_name(NULL), "") == 0);
  CHECK(strcmp(onnxpress_error_text(NULL), "") == 0 && strcmp(onnxpress_error_hint(NULL), "") == 0);
  CHECK(strcmp(onnxpress_error_file(NULL), "") == 0);
  /* Without a place for the error, the result alone says it. */
  CHECK(onnxpress_shrink(NULL, NULL, NULL, NULL) == ONNXPRESS_BAD_CALL);
  CHECK(onnxpress_load("no_such_file.onnx", NULL, &other, NULL) == ONNXPRESS_FAILED && !other);
  onnxpress_error_free(NULL);
  onnxpress_report_free(NULL);
  onnxpress_model_free(NULL);
  onnxpress_engine_free(NULL);
  onnxpress_bytes_free(NULL);
  onnxpress_model_free(model);
}

/* More than any address space has. The sanitizer would end the program instead. */
static void survives_want_of_memory(void) {
#ifndef HAS_SANITIZER
  onnxpress_model* model = NULL;
  NOT_DONE(ONNXPRESS_FAILED, "out of memory", onnxpress_load_bytes("x", SIZE_MAX / 8, NULL, &model, &error));
  CHECK(!model);
#endif
}

void test_failures(void) {
  finds_errors();
  keeps_the_model();
  refuses_goals();
  CHECK(cancels_everywhere(shrink) > 2);
  CHECK(cancels_everywhere(optimize) > 0);
  CHECK(cancels_everywhere(quantize) > 2);
  refuses_null();
  survives_want_of_memory();
}
