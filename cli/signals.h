// What happens when a mapped file is cut under us, or when the reader of our output goes away.
#pragma once

namespace onnxpress::cli {

// SIGBUS from a mapped file that lost its end becomes a message and exit code 3; SIGPIPE becomes an ordinary write
// error.
void install_signal_handlers();

}  // namespace onnxpress::cli
