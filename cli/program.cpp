// The program around the command.
#include "cli/run_command.h"

int main(int argc, char** argv) { return onnxpress::cli::run_command(argc, argv); }
