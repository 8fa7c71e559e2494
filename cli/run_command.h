// The whole command as one function, which main() and the Python package call.
#pragma once

#include <functional>

namespace onnxpress::cli {

// The words are those of main(). Returns the exit code.
int run_command(int argc, char** argv);

// The exit code of `work`, or that of what it throws, which is said on standard error. Its output is flushed.
int safely(const std::function<int()>& work);

}  // namespace onnxpress::cli
