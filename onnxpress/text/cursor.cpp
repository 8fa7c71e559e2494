// Reads characters and tokens, and shows the place of an error with a caret.
#include "onnxpress/text/cursor.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/base/utf8.h"
#include "onnxpress/ir/identifier.h"

namespace onnxpress::text {

namespace {

// Not those of <cctype>, which depend on the locale; the text must not.
constexpr bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
constexpr bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// An untrusted line in a form that is safe for a terminal: each unsafe character and each broken byte becomes one
// harmless column.
struct Shown {
  std::string text;
  std::size_t characters = 0;
  std::size_t columns = 0;  // of a terminal
};

Shown shown(std::string_view line) {
  Shown out;
  while (!line.empty()) {
    const auto [point, length] = first_character(line);
    ++out.characters;
    if (!is_unsafe_to_show(point)) {
      out.text += line.substr(0, length);
      out.columns += columns_of(point);
    } else {
      out.text += point < 0x80 ? ' ' : '?';
      ++out.columns;
    }
    line.remove_prefix(length);
  }
  return out;
}

// The line of an error (only a part of a long line) with a caret under the place where `after` begins.
std::string excerpt(std::string_view before, std::string_view after, std::size_t line_number) {
  constexpr std::size_t kBefore = 80, kAfter = 40;
  std::string left, right;
  if (before.size() > kBefore) {
    before = utf8_tail(before, kBefore);
    left = "...";
  }
  if (after.size() > kAfter) {
    after = utf8_head(after, kAfter);
    right = "...";
  }
  const Shown head = shown(before);
  const std::string margin = fmt::format("{:>5} | ", line_number);
  return fmt::format("\n{}{}{}{}{}\n{:>{}}{:{}}^", margin, left, head.text, shown(after).text, right, "| ",
                     margin.size(), "", left.size() + head.columns);
}

}  // namespace

bool is_special_number(std::string_view text) {
  const auto is = [text](std::string_view lower) {
    return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                      [](char a, char b) { return (a | 0x20) == b; });
  };
  return is("nan") || is("inf") || is("infinity");
}

Cursor::Cursor(std::string_view source, Arena& arena)
    : begin_(source.data()), next_(begin_), end_(begin_ + source.size()), whole_end_(end_), arena_(arena) {
  if (source.substr(0, 3) == "\xef\xbb\xbf") next_ += 3;  // the byte order mark that some editors write
}

const char* Cursor::place() {
  while (next_ != end_) {
    if (is_space(*next_)) {
      ++next_;
    } else if (*next_ == '#' && !(end_ - next_ > 1 && next_[1] == '@')) {
      next_ = std::find(next_, end_, '\n');
    } else {
      break;
    }
  }
  return next_;
}

bool Cursor::take(char c) {
  if (at_end() || *next_ != c) return false;
  ++next_;
  return true;
}

bool Cursor::take(std::string_view exact) {
  if (!starts(exact)) return false;
  next_ += exact.size();
  return true;
}

void Cursor::expect(char c, std::string_view context) { expect(std::string_view(&c, 1), context); }

void Cursor::expect(std::string_view exact, std::string_view context) {
  if (!take(exact)) fail(fmt::format("expected '{}' {}", exact, context));
}

// --- Names and strings

std::string_view Cursor::peek_identifier() {
  const char* begin = place();
  if (begin == end_ || !is_letter(*begin)) return {};
  const char* end = std::find_if_not(begin, end_, is_letter_or_digit);
  return {begin, static_cast<std::size_t>(end - begin)};
}

std::string_view Cursor::take_identifier() {
  const std::string_view found = peek_identifier();
  next_ += found.size();
  return found;
}

std::string_view Cursor::take_word() {
  const char* begin = place();
  next_ = std::find_if_not(begin, end_, is_letter_or_digit);
  return {begin, static_cast<std::size_t>(next_ - begin)};
}

char Cursor::peek_after_identifier() {
  const char* before = place();
  next_ += peek_identifier().size();
  const char after = peek();
  next_ = before;
  return after;
}

std::string_view Cursor::identifier(std::string_view what) {
  const std::string_view found = take_identifier();
  if (found.empty()) fail(fmt::format("expected {}", what));
  return found;
}

bool Cursor::at_name() { return at_string() || !peek_identifier().empty(); }

std::string_view Cursor::name(std::string_view what) { return at_string() ? string(what) : identifier(what); }

std::string_view Cursor::string(std::string_view what) {
  const char* begin = place();
  if (peek() != '"') {
    fail(fmt::format("expected {}", what), peek() == '\'' ? "strings are written with double quotes" : "");
  }
  bool escaped = false;
  const char* at = begin + 1;
  for (; at != end_ && *at != '"'; ++at) {
    if (*at != '\\') continue;
    escaped = true;
    if (++at == end_) break;
  }
  if (at == end_) fail_at(begin, "this string has no end", "a '\"' inside a string is written \\\"");
  next_ = at + 1;
  const std::string_view raw(begin + 1, static_cast<std::size_t>(at - begin - 1));
  return escaped ? unescaped(raw) : raw;
}

// A backslash makes the next character literal. Only in annotations, which end with their line, \n is a line break.
std::string_view Cursor::unescaped(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      out += raw[i];
    } else {
      ++i;
      out += in_line_ && raw[i] == 'n' ? '\n' : raw[i];
    }
  }
  return arena_.text(out);
}

// --- Numbers

bool Cursor::at_number() {
  const char c = peek();
  return is_digit(c) || c == '-' || is_special_number(peek_identifier());
}

std::string_view Cursor::digits() {
  const char* begin = next_;
  next_ = std::find_if_not(next_, end_, is_digit);
  return {begin, static_cast<std::size_t>(next_ - begin)};
}

Number Cursor::number(std::string_view what) {
  const char* begin = place();
  const auto next_is = [this](char c) { return next_ != end_ && *next_ == c; };
  if (next_is('-')) ++next_;
  if (next_ != end_ && is_letter(*next_)) return special_number(begin);
  if (digits().empty()) fail_at(begin, fmt::format("expected {}", what));
  Number number;
  if (next_is('.')) {
    ++next_;
    digits();
    number.kind = Number::Kind::kReal;
  }
  if (next_is('e') || next_is('E')) {
    ++next_;
    if (next_is('+') || next_is('-')) ++next_;
    if (digits().empty()) fail_at(next_, "expected the digits of the exponent");
    number.kind = Number::Kind::kReal;
  }
  number.text = {begin, static_cast<std::size_t>(next_ - begin)};
  return number;
}

Number Cursor::special_number(const char* begin) {
  const std::string_view word = take_identifier();
  if (!is_special_number(word)) fail_at(begin, "expected a number");
  if (word.size() == 3 && (word[1] | 0x20) == 'a' && word.data() == begin && starts("(0x")) {
    next_ += 3;
    const char* bits = next_;
    next_ = std::find_if_not(next_, end_, is_hex);
    const Number number{Number::Kind::kNanBits, {bits, static_cast<std::size_t>(next_ - bits)}};
    expect(')', "after the bits of the nan");
    return number;
  }
  return {Number::Kind::kReal, {begin, static_cast<std::size_t>(next_ - begin)}};
}

// --- Annotations and errors

void Cursor::narrow_to_line() {
  end_ = std::find(next_, whole_end_, '\n');
  in_line_ = true;
}

void Cursor::widen() {
  end_ = whole_end_;
  in_line_ = false;
}

void Cursor::fail_at(const char* place, const std::string& message, const std::string& hint) const {
  const std::string_view before(begin_, static_cast<std::size_t>(place - begin_));
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto line_number = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::string_view left = before.substr(line_begin);
  const std::string_view right(place, static_cast<std::size_t>(std::find(place, whole_end_, '\n') - place));
  throw Error(fmt::format("{}:{}", line_number, shown(left).characters + 1),
              message + excerpt(left, right, line_number), hint);
}

}  // namespace onnxpress::text
