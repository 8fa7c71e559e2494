/* Different models in different threads, which share an engine and a report. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "tests/c/check.h"

typedef struct job {
  const onnxpress_engine* engine;
  const onnxpress_report* report;
  int64_t threads;
  pthread_t thread;
  bytes result;
  int told;
} job;

static int stays_in_its_thread(void* data, const char* stage, uint64_t done, uint64_t total) {
  job* work = data;
  (void)stage, (void)done, (void)total;
  CHECK(pthread_equal(pthread_self(), work->thread));
  ++work->told;
  return 0;
}

static void* work(void* data) {
  job* each = data;
  each->thread = pthread_self();
  for (int i = 0; i < 3; ++i) {
    onnxpress_model* model = layers();
    onnxpress_quantize_options quantize = ONNXPRESS_QUANTIZE_OPTIONS;
    quantize.to = "int8";
    quantize.verify = 1;
    quantize.engine = each->engine;
    quantize.threads = each->threads;
    quantize.progress = stays_in_its_thread;
    quantize.progress_data = each;
    DONE(onnxpress_quantize(model, &quantize, NULL, &error));
    onnxpress_shrink_options shrink = ONNXPRESS_SHRINK_OPTIONS;
    shrink.threads = each->threads;
    DONE(onnxpress_shrink(model, &shrink, NULL, &error));
    CHECK(number(each->report, "weights.parameters") == 2 * 64 * 64);
    onnxpress_bytes_free(each->result.data);
    each->result = saved(model);
    onnxpress_model_free(model);
  }
  return NULL;
}

void test_threads(void) {
  onnxpress_engine_options options = ONNXPRESS_ENGINE_OPTIONS;
  options.runtime = "onnxpress";
  onnxpress_engine* engine = NULL;
  DONE(onnxpress_find_engine(&options, &engine, &error));
  onnxpress_model* model = layers();
  onnxpress_report* report = NULL;
  DONE(onnxpress_info(model, NULL, &report, &error));

  job jobs[3];
  pthread_t threads[3];
  memset(jobs, 0, sizeof(jobs));
  for (int i = 0; i < 3; ++i) {
    jobs[i].engine = engine;
    jobs[i].report = report;
    jobs[i].threads = i; /* as many as the machine has, one, two: the same bytes */
    CHECK(pthread_create(&threads[i], NULL, work, &jobs[i]) == 0);
  }
  for (int i = 0; i < 3; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  for (int i = 0; i < 3; ++i) {
    CHECK(jobs[i].told > 0);
    CHECK(same_bytes(jobs[0].result, jobs[i].result));
  }
  for (int i = 0; i < 3; ++i) onnxpress_bytes_free(jobs[i].result.data);
  onnxpress_report_free(report);
  onnxpress_model_free(model);
  onnxpress_engine_free(engine);
}
