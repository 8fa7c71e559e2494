/* Values of reports by their paths. */
#include "tests/c/check.h"

void test_reports(void) {
  onnxpress_model* model = layers();
  onnxpress_report* report = NULL;
  DONE(onnxpress_shrink(model, NULL, &report, &error));
  CHECK(onnxpress_report_json(report)[0] == '{');
  double value = 5;
  CHECK(onnxpress_report_number(report, "unchanged", &value) == ONNXPRESS_DONE && value == 0);
  CHECK(onnxpress_report_number(report, "methods", &value) == ONNXPRESS_DONE && value >= 1);
  const char* text = NULL;
  CHECK(onnxpress_report_text(report, "methods.0.method", &text) == ONNXPRESS_DONE && text[0] != '\0');
  CHECK(onnxpress_report_number(report, "methods.0.saved", &value) == ONNXPRESS_DONE);
  /* Not measured. */
  CHECK(onnxpress_report_number(report, "verified", &value) == ONNXPRESS_NO && value == 0);
  /* Of another kind, or not there. */
  CHECK(onnxpress_report_number(report, "output", &value) == ONNXPRESS_BAD_CALL);
  CHECK(onnxpress_report_number(report, "before", &value) == ONNXPRESS_BAD_CALL);
  CHECK(onnxpress_report_text(report, "before.file", &text) == ONNXPRESS_BAD_CALL && strcmp(text, "") == 0);
  const char* const wrong[] = {"",
                               ".",
                               "nothing",
                               "after.",
                               "after.file.more",
                               "methods.99",
                               "methods.-1",
                               "methods.0x1",
                               "methods.99999999999999999999",
                               "methods."};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i)
    CHECK(onnxpress_report_number(report, wrong[i], &value) == ONNXPRESS_BAD_CALL);
  onnxpress_report_free(report);
  onnxpress_model_free(model);
}
