// Output: answers go to standard output and messages to standard error; also what the terminal there can do.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "onnxpress/base/error.h"

namespace onnxpress::cli {

struct Screen {
  bool is_terminal = false;
  bool can_redraw = false;  // a terminal, not TERM=dumb: a line can be overwritten
  bool colour = false;      // a terminal, not TERM=dumb, and NO_COLOR is not set
  // Columns of a terminal, between 60 and 160, or the value of COLUMNS. Other output is not cut, because scripts need
  // all of it.
  std::size_t width = kUncut;
  static constexpr std::size_t kUncut = 1'000'000;
};

// Applies to both streams from now on. kAuto: on a terminal, unless NO_COLOR is set.
enum class ColorChoice { kAuto, kAlways, kNever };
void choose_color(ColorChoice choice);
// From now on, talk() prints nothing, and no progress is drawn. Errors are still shown.
void be_quiet();

Screen standard_output();
Screen standard_error();

enum class Ink { kPlain, kTitle, kStrong, kFaint, kGood, kBad, kWarning };
// The text in that colour if the screen has colours, otherwise as it is.
std::string inked(std::string_view text, Ink ink, const Screen& screen);

// The reader of our output has closed the pipe (`onnxpress ... | head`). This is no error: main() ends quietly.
struct ClosedPipe {};

// Appends to standard output. Throws Error when it cannot be written (a full disk), ClosedPipe when its reader is gone.
void print(std::string_view text);
// Writes what print() has buffered. main() calls it before it reports success.
void flush_output();
// Writes to standard error, unless --quiet; failures are ignored, because there is nowhere to report them.
void talk(std::string_view text);
// "error: <what>" and "hint: <hint>" on standard error.
void talk_error(std::string_view what, std::string_view hint = {});
void talk_error(const Error& error);

}  // namespace onnxpress::cli
