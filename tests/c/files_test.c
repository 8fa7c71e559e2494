/* Models from files and memory, and back. */
#include "tests/c/check.h"

static void writes_and_reads_files(const char* folder) {
  char path[4096], text[4096];
  snprintf(path, sizeof(path), "%s/c_api.onnx", folder);
  snprintf(text, sizeof(text), "%s/c_api.onnxtxt", folder);
  onnxpress_model *model = layers(), *again = NULL;
  DONE(onnxpress_save(model, path, NULL, &error));
  DONE(onnxpress_load(path, NULL, &again, &error));
  const bytes before = saved(model), after = saved(again);
  CHECK(same_bytes(before, after));
  onnxpress_model_free(again);

  DONE(onnxpress_save(model, text, NULL, &error));
  DONE(onnxpress_load(text, NULL, &again, &error));
  DONE(onnxpress_diff(model, again, NULL, NULL, &error));
  onnxpress_model_free(again);

  onnxpress_load_options options = ONNXPRESS_LOAD_OPTIONS;
  options.borrow_bytes = 1;
  DONE(onnxpress_load_bytes(before.data, before.count, &options, &again, &error));
  onnxpress_model* copy = NULL;
  DONE(onnxpress_clone(again, &copy, &error));
  onnxpress_model_free(again);
  DONE(onnxpress_diff(model, copy, NULL, NULL, &error));
  onnxpress_model_free(copy);
  onnxpress_model_free(model);
  onnxpress_bytes_free(before.data);
  onnxpress_bytes_free(after.data);
}

static void puts_weights_outside(const char* folder) {
  char path[4096], data[4096];
  snprintf(path, sizeof(path), "%s/c_outside.onnx", folder);
  snprintf(data, sizeof(data), "%s/c_weights.bin", folder);
  onnxpress_save_options options = ONNXPRESS_SAVE_OPTIONS;
  options.weights = "external";
  options.external_name = "c_weights.bin";
  onnxpress_model *model = layers(), *again = NULL;
  DONE(onnxpress_save(model, path, &options, &error));
  FILE* file = fopen(data, "rb");
  CHECK(file);
  CHECK(fseek(file, 0, SEEK_END) == 0 && ftell(file) >= 2 * 64 * 64 * 4);
  fclose(file);
  DONE(onnxpress_load(path, NULL, &again, &error));
  const bytes inside = saved(again);
  CHECK(inside.count > 2 * 64 * 64 * 4);
  onnxpress_bytes_free(inside.data);
  options.weights = "outside";
  NOT_DONE(ONNXPRESS_BAD_CALL, "as-loaded", onnxpress_save(model, path, &options, &error));
  onnxpress_model_free(again);
  onnxpress_model_free(model);
}

static void refuses_damaged_files(const char* folder) {
  char path[4096];
  snprintf(path, sizeof(path), "%s/c_truncated.onnx", folder);
  onnxpress_model* model = layers();
  const bytes whole = saved(model);
  onnxpress_model_free(model);
  FILE* file = fopen(path, "wb");
  CHECK(file && fwrite(whole.data, 1, whole.count / 2, file) == whole.count / 2);
  fclose(file);

  onnxpress_error* error = NULL;
  model = (onnxpress_model*)&model;
  CHECK(onnxpress_load(path, NULL, &model, &error) == ONNXPRESS_FAILED);
  CHECK(!model && error);
  CHECK(strstr(onnxpress_error_text(error), "c_truncated.onnx: "));
  CHECK(strcmp(onnxpress_error_file(error), path) == 0);
  onnxpress_error_free(error);
  CHECK(onnxpress_load_bytes(whole.data, whole.count / 2, NULL, &model, &error) == ONNXPRESS_FAILED);
  CHECK(!model);
  CHECK(strcmp(onnxpress_error_file(error), "") == 0 && !strstr(onnxpress_error_text(error), "standard input"));
  onnxpress_error_free(error);
  onnxpress_bytes_free(whole.data);

  NOT_DONE(ONNXPRESS_FAILED, "no_such_file.onnx", onnxpress_load("no_such_file.onnx", NULL, &model, &error));
  NOT_DONE(ONNXPRESS_FAILED, "./-", onnxpress_load("-", NULL, &model, &error)); /* not standard input */
}

void test_files(const char* folder) {
  writes_and_reads_files(folder);
  puts_weights_outside(folder);
  refuses_damaged_files(folder);
}
