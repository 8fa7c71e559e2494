// main() of the program: runs the command.
#include "cli/run_command.h"
#include "onnxpress/base/platform/process.h"

int main(int argc, char** argv) {
  onnxpress::platform::return_freed_memory();
  return onnxpress::cli::run_command(argc, argv);
}
