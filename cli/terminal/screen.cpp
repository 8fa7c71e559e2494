// Writes to standard output and standard error through stdio, which buffers, and checks every write for failure.
#include "cli/terminal/screen.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "cli/arguments/flag_text.h"
#include "cli/terminal/cell_text.h"

namespace onnxpress::cli {

namespace {

// Global, like the streams of the process.
ColorChoice color = ColorChoice::kAuto;
bool quiet = false;

// COLUMNS, if it is a reasonable number.
std::optional<std::size_t> wanted_columns() {
  const char* text = std::getenv("COLUMNS");
  std::size_t columns = 0;
  if (!text || std::from_chars(text, text + std::strlen(text), columns).ec != std::errc() || columns < 20)
    return std::nullopt;
  return columns;
}

Screen screen_of(int descriptor) {
  Screen screen;
  screen.colour = color == ColorChoice::kAlways;
  if (const auto columns = wanted_columns()) screen.width = *columns;
  if (isatty(descriptor) == 0) return screen;
  screen.is_terminal = true;
  // https://no-color.org: present and not empty.
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool capable = term && *term && std::string_view(term) != "dumb";
  screen.can_redraw = capable && !quiet;
  if (color == ColorChoice::kAuto) screen.colour = capable && !(no_color && *no_color);
  winsize size{};
  if (!wanted_columns())
    screen.width = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0
                       ? std::clamp<std::size_t>(size.ws_col, 60, 160)
                       : 100;
  return screen;
}

[[noreturn]] void fail_output(int reason) {
  if (reason == EPIPE) throw ClosedPipe();
  Error error("", fmt::format("cannot be written: {}", std::strerror(reason)),
              reason == ENOSPC ? "free some disk space for the output, and try again" : "");
  error.set_file("standard output");
  throw error;
}

}  // namespace

void choose_color(ColorChoice choice) { color = choice; }
void be_quiet() { quiet = true; }

Screen standard_output() { return screen_of(STDOUT_FILENO); }
Screen standard_error() { return screen_of(STDERR_FILENO); }

std::string inked(std::string_view text, Ink ink, const Screen& screen) {
  if (!screen.colour || text.empty() || ink == Ink::kPlain) return std::string(text);
  const auto code = [ink] {
    switch (ink) {
      case Ink::kTitle:
        return "1;36";
      case Ink::kStrong:
        return "1";
      case Ink::kFaint:
        return "2";
      case Ink::kGood:
        return "32";
      case Ink::kBad:
        return "1;31";
      case Ink::kWarning:
        return "33";
      case Ink::kPlain:
        break;
    }
    return "0";
  };
  return fmt::format("\x1b[{}m{}\x1b[0m", code(), text);
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail_output(errno);
}

void flush_output() {
  if (std::fflush(stdout) != 0) fail_output(errno);
  if (std::ferror(stdout) != 0) fail_output(EIO);
}

namespace {

void write_error(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

void talk(std::string_view text) {
  if (!quiet) write_error(text);
}

void talk_error(std::string_view what, std::string_view hint) {
  const Screen screen = standard_error();
  std::string text = fmt::format("{} {}\n", inked("error:", Ink::kBad, screen), printable_lines(with_flags(what)));
  if (!hint.empty())
    text += fmt::format("{} {}\n", inked("hint:", Ink::kGood, screen), printable_lines(with_flags(hint)));
  write_error(text);
}

void talk_error(const Error& error) { talk_error(error.what(), error.hint()); }

}  // namespace onnxpress::cli
