/* The smallest test framework that says where it failed, and what the tests of the C interface share. */
#ifndef TESTS_C_CHECK_H
#define TESTS_C_CHECK_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnxpress/onnxpress_c.h"

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

/* A call that must be done. */
#define DONE(call)                                                                                                 \
  do {                                                                                                             \
    onnxpress_error* error = NULL;                                                                                 \
    const int outcome = (call);                                                                                    \
    if (outcome != ONNXPRESS_DONE || error) {                                                                      \
      fprintf(stderr, "%s:%d: %s gave %d: %s\n", __FILE__, __LINE__, #call, outcome, onnxpress_error_text(error)); \
      exit(1);                                                                                                     \
    }                                                                                                              \
  } while (0)

/* A call that must not be done: its result, and a part of its message. */
#define NOT_DONE(expected, part, call)                                                                             \
  do {                                                                                                             \
    onnxpress_error* error = NULL;                                                                                 \
    const int outcome = (call);                                                                                    \
    if (outcome != (expected) || !strstr(onnxpress_error_text(error), part)) {                                     \
      fprintf(stderr, "%s:%d: %s gave %d: %s\n", __FILE__, __LINE__, #call, outcome, onnxpress_error_text(error)); \
      exit(1);                                                                                                     \
    }                                                                                                              \
    onnxpress_error_free(error);                                                                                   \
  } while (0)

/* Bytes of a model. */
typedef struct bytes {
  void* data;
  size_t count;
} bytes;

/* x[N,64] -> Identity -> MatMul with one of two equal weights -> Add of the product with the other -> y[N,64] */
onnxpress_model* layers(void);
onnxpress_model* model_of(const char* text);
bytes saved(onnxpress_model* model);
int same_bytes(bytes a, bytes b);
double number(const onnxpress_report* report, const char* path);

void test_changes(void);
void test_failures(void);
void test_files(const char* folder);
void test_options(void);
void test_reports(void);
void test_threads(void);

#endif
