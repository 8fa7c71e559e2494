/* Shrinks a model that is held in memory: shrink_in_memory model.onnx smaller.onnx */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "onnxpress/onnxpress_c.h"

/* The content of a file; NULL if it cannot be read. */
static void* read_file(const char* path, size_t* count) {
  FILE* file = fopen(path, "rb");
  if (!file) return NULL;
  void* bytes = NULL;
  if (fseek(file, 0, SEEK_END) == 0 && (*count = (size_t)ftell(file)) != (size_t)-1 && fseek(file, 0, SEEK_SET) == 0)
    bytes = malloc(*count + 1);
  if (bytes && fread(bytes, 1, *count, file) != *count) {
    free(bytes);
    bytes = NULL;
  }
  fclose(file);
  return bytes;
}

static int write_file(const char* path, const void* bytes, size_t count) {
  FILE* file = fopen(path, "wb");
  if (!file) return 0;
  const int written = fwrite(bytes, 1, count, file) == count;
  return fclose(file) == 0 && written;
}

/* Called from time to time; anything but 0 would end the call. */
static int show(void* data, const char* stage, uint64_t done, uint64_t total) {
  (void)data;
  if (total > 0) fprintf(stderr, "%s: %" PRIu64 " of %" PRIu64 "\n", stage, done, total);
  return 0;
}

/* The result of the first call that fails, or ONNXPRESS_DONE. */
static int shrink(const void* before, size_t before_count, void** after, size_t* after_count, onnxpress_error** error) {
  onnxpress_model* model = NULL;
  onnxpress_report* report = NULL;
  onnxpress_shrink_options options = ONNXPRESS_SHRINK_OPTIONS;
  options.progress = show;
  int result = onnxpress_load_bytes(before, before_count, NULL, &model, error);
  if (!result) result = onnxpress_shrink(model, &options, &report, error);
  if (!result) result = onnxpress_save_bytes(model, NULL, after, after_count, error);
  double methods = 0;
  if (!result && onnxpress_report_number(report, "methods", &methods) == ONNXPRESS_DONE)
    printf("%zu -> %zu bytes, by %.0f methods\n", before_count, *after_count, methods);
  onnxpress_report_free(report);
  onnxpress_model_free(model);
  return result;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: shrink_in_memory model.onnx smaller.onnx\n");
    return 2;
  }
  size_t before_count = 0, after_count = 0;
  void *before = read_file(argv[1], &before_count), *after = NULL;
  onnxpress_error* error = NULL;
  int result = ONNXPRESS_FAILED;
  if (!before) {
    perror(argv[1]);
  } else if ((result = shrink(before, before_count, &after, &after_count, &error)) != ONNXPRESS_DONE) {
    fprintf(stderr, "error: %s\n", onnxpress_error_text(error));
    if (onnxpress_error_hint(error)[0]) fprintf(stderr, "hint: %s\n", onnxpress_error_hint(error));
  } else if (!write_file(argv[2], after, after_count)) {
    perror(argv[2]);
    result = ONNXPRESS_FAILED;
  }
  onnxpress_error_free(error);
  onnxpress_bytes_free(after);
  free(before);
  return result;
}
