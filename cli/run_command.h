// The whole command as one function, which main() and the Python package call.
#pragma once

#include <functional>

namespace onnxpress::cli {

// Takes the arguments of main(). Returns the exit code.
int run_command(int argc, char** argv);

// Runs `work`, flushes its output and returns its exit code. If it throws, reports that on standard error and returns
// the matching exit code.
int safely(const std::function<int()>& work);

}  // namespace onnxpress::cli
