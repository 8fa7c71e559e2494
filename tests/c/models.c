/* Models for the tests, and their bytes. */
#include "tests/c/check.h"

enum { kSide = 64 };

onnxpress_model* model_of(const char* text) {
  onnxpress_model* model = NULL;
  DONE(onnxpress_load_bytes(text, strlen(text), NULL, &model, &error));
  return model;
}

/* Numbers that need all their bits, and always the same ones. */
static char* append_weight(char* end, const char* name) {
  end += sprintf(end, "float[%d,%d] %s = {", kSide, kSide, name);
  unsigned state = 1;
  for (int i = 0; i < kSide * kSide; ++i) {
    state = state * 1103515245u + 12345u;
    end += sprintf(end, "%s%.7f", i ? "," : "", (double)(state >> 8 & 0xffffff) / 0x1000000 - 0.5);
  }
  return end + sprintf(end, "}");
}

onnxpress_model* layers(void) {
  char* text = malloc(2 * kSide * kSide * 16 + 1000);
  CHECK(text);
  char* end = text + sprintf(text,
                             "<ir_version: 8, opset_import: [\"\" : 17]>\n"
                             "layers (float[N,%d] x) => (float[N,%d] y) <\n",
                             kSide, kSide);
  end = append_weight(end, "w1");
  end += sprintf(end, ",\n");
  end = append_weight(end, "w2");
  sprintf(end,
          ">\n{\n  same = Identity (x)\n  h = MatMul (same, w1)\n  r = Relu (h)\n  p = MatMul (r, w2)\n"
          "  y = Add (p, h)\n}\n");
  onnxpress_model* model = model_of(text);
  free(text);
  /* As from a file: text has no bytes of its own to keep. */
  bytes encoded = saved(model);
  onnxpress_model_free(model);
  DONE(onnxpress_load_bytes(encoded.data, encoded.count, NULL, &model, &error));
  onnxpress_bytes_free(encoded.data);
  return model;
}

bytes saved(onnxpress_model* model) {
  bytes result = {NULL, 0};
  DONE(onnxpress_save_bytes(model, NULL, &result.data, &result.count, &error));
  CHECK(result.data && result.count > 0);
  return result;
}

int same_bytes(bytes a, bytes b) { return a.count == b.count && memcmp(a.data, b.data, a.count) == 0; }

double number(const onnxpress_report* report, const char* path) {
  double found = -1;
  CHECK(onnxpress_report_number(report, path, &found) == ONNXPRESS_DONE);
  return found;
}
