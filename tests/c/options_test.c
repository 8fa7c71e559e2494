/* Option structs of other versions, and values that make no sense. */
#include "tests/c/check.h"

/* As a program sees it that was compiled before the last field was added, in memory that ends there. */
static void takes_shorter_structs(void) {
  const size_t without_engine = offsetof(onnxpress_quantize_options, engine);
  onnxpress_quantize_options* options = malloc(without_engine);
  CHECK(options);
  memset(options, 0, without_engine);
  options->size = without_engine;
  options->to = "int8";
  onnxpress_model *model = layers(), *expected = layers();
  DONE(onnxpress_quantize(model, options, NULL, &error));
  free(options);
  onnxpress_quantize_options whole = ONNXPRESS_QUANTIZE_OPTIONS;
  whole.to = "int8";
  DONE(onnxpress_quantize(expected, &whole, NULL, &error));
  const bytes a = saved(model), b = saved(expected);
  CHECK(same_bytes(a, b));
  onnxpress_bytes_free(a.data);
  onnxpress_bytes_free(b.data);
  onnxpress_model_free(model);
  onnxpress_model_free(expected);
}

static void takes_longer_structs(void) {
  struct {
    onnxpress_shrink_options known;
    const char* added;
  } later;
  memset(&later, 0, sizeof(later));
  later.known.size = sizeof(later);
  onnxpress_model* model = layers();
  DONE(onnxpress_shrink(model, &later.known, NULL, &error));
  later.added = "not known yet";
  onnxpress_error* error = NULL;
  CHECK(onnxpress_shrink(model, &later.known, NULL, &error) == ONNXPRESS_BAD_CALL);
  CHECK(strstr(onnxpress_error_hint(error), "newer"));
  onnxpress_error_free(error);
  onnxpress_model_free(model);
}

static void refuses_sizes(void) {
  onnxpress_model* model = layers();
  onnxpress_shrink_options options = ONNXPRESS_SHRINK_OPTIONS;
  options.size = 0;
  NOT_DONE(ONNXPRESS_BAD_CALL, "'size'", onnxpress_shrink(model, &options, NULL, &error));
  options.size = (size_t)-1;
  NOT_DONE(ONNXPRESS_BAD_CALL, "'size'", onnxpress_shrink(model, &options, NULL, &error));
  options.size = sizeof(options.size);
  DONE(onnxpress_shrink(model, &options, NULL, &error));
  onnxpress_model_free(model);
}

static void refuses_values(void) {
  onnxpress_model* model = layers();
  onnxpress_shrink_options shrink = ONNXPRESS_SHRINK_OPTIONS;
  shrink.target = "orc";
  onnxpress_error* error = NULL;
  CHECK(onnxpress_shrink(model, &shrink, NULL, &error) == ONNXPRESS_BAD_CALL);
  CHECK(strstr(onnxpress_error_text(error), "'target'") && strstr(onnxpress_error_hint(error), "'ort'"));
  onnxpress_error_free(error);
  shrink.target = NULL;
  shrink.freeze = 2;
  NOT_DONE(ONNXPRESS_BAD_CALL, "'freeze'", onnxpress_shrink(model, &shrink, NULL, &error));
  shrink.freeze = 0;
  shrink.threads = -1;
  NOT_DONE(ONNXPRESS_BAD_CALL, "'threads'", onnxpress_shrink(model, &shrink, NULL, &error));
  shrink.threads = 1000000;
  NOT_DONE(ONNXPRESS_BAD_CALL, "'threads'", onnxpress_shrink(model, &shrink, NULL, &error));

  onnxpress_quantize_options quantize = ONNXPRESS_QUANTIZE_OPTIONS;
  NOT_DONE(ONNXPRESS_BAD_CALL, "how to store", onnxpress_quantize(model, &quantize, NULL, &error));
  quantize.to = "int8";
  quantize.layers = "all";
  NOT_DONE(ONNXPRESS_BAD_CALL, "'layers'", onnxpress_quantize(model, &quantize, NULL, &error));
  quantize.layers = NULL;
  quantize.compressor = "gzip";
  NOT_DONE(ONNXPRESS_BAD_CALL, "'max_download'", onnxpress_quantize(model, &quantize, NULL, &error));
  quantize.compressor = NULL;
  quantize.quality = -1;
  NOT_DONE(ONNXPRESS_BAD_CALL, "'quality'", onnxpress_quantize(model, &quantize, NULL, &error));
  quantize.quality = 30;
  quantize.max_size = 1000;
  NOT_DONE(ONNXPRESS_BAD_CALL, "cannot be combined", onnxpress_quantize(model, &quantize, NULL, &error));

  onnxpress_verify_options verify = ONNXPRESS_VERIFY_OPTIONS;
  verify.samples = "folder";
  verify.sets = 3;
  NOT_DONE(ONNXPRESS_BAD_CALL, "'sets'", onnxpress_verify(model, model, &verify, NULL, &error));
  const char* const ignored[] = {"names", "nonsense", NULL};
  onnxpress_diff_options diff = ONNXPRESS_DIFF_OPTIONS;
  diff.ignore = ignored;
  NOT_DONE(ONNXPRESS_BAD_CALL, "'ignore'", onnxpress_diff(model, model, &diff, NULL, &error));
  onnxpress_model_free(model);
}

void test_options(void) {
  takes_shorter_structs();
  takes_longer_structs();
  refuses_sizes();
  refuses_values();
}
