/// \file
/// The one error type: what is wrong, in which file, where in it, and what to do about it.
/// Thrown only when reading, writing or carrying out a request; analyses and passes answer "unknown" instead.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace onnxpress {

/// What is wrong, in which file, where in it, and what to do about it.
class Error : public std::exception {
 public:
  /// `where` is a place inside the file ("graph 'g', node 'conv1' (Conv)") or empty; `hint` says what to do, or is
  /// empty.
  Error(std::string where, std::string message, std::string hint = {});

  const std::string& file() const { return file_; }
  const std::string& where() const { return where_; }
  const std::string& message() const { return message_; }
  const std::string& hint() const { return hint_; }

  /// Code deep inside a reader does not know the name of the file; the code that opened it adds the name. The first
  /// name stays.
  void set_file(std::string file);
  /// Adds an enclosing place in front of `where`, e.g. "graph 'main'" before "node 'conv1'".
  void add_outer_place(std::string_view place);

  /// "file: where: message", without the "error:" prefix and the hint.
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  void compose();

  std::string file_, where_, message_, hint_, text_;
};

/// Quotes a name from an untrusted file for a message: unsafe characters (base/utf8.h) are escaped, so that the result
/// is always valid UTF-8, and the middle of a long name is left out.
std::string quote_name(std::string_view name);
/// For op types and attribute names: quotes the name only if it is empty or needs escaping, since quotes around plain
/// names would only be noise.
std::string plain_or_quoted(std::string_view name);

}  // namespace onnxpress
