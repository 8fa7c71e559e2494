/* Runs all tests of the C interface: c_tests FOLDER, which is for files. */
#include "tests/c/check.h"

int main(int argc, char** argv) {
  CHECK(argc == 2);
  CHECK(onnxpress_version()[0] >= '0' && onnxpress_version()[0] <= '9');
  test_files(argv[1]);
  test_options();
  test_reports();
  test_changes();
  test_failures();
  test_threads();
  puts("c_tests: all passed");
  return 0;
}
