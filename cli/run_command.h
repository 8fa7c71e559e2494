// The whole command as one call: what main() is, and what the Python package starts.
#pragma once

namespace onnxpress::cli {

// The words are those of main(). Returns the exit code.
int run_command(int argc, char** argv);

}  // namespace onnxpress::cli
