// Handles signals: a mapped file that is truncated while it is being read, and a closed output pipe.
#pragma once

namespace onnxpress::cli {

// SIGBUS from a mapped file that was truncated becomes a message and exit code 3; SIGPIPE becomes an ordinary write
// error.
void install_signal_handlers();

}  // namespace onnxpress::cli
