// Writes JSON values as text, in pieces: punctuation and indentation, numbers, texts and bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace onnxpress::format {

class JsonText {
 public:
  JsonText(bool pretty, const std::function<void(std::string_view)>& sink) : pretty_(pretty), sink_(sink) {}

  // --- Structure. A list or object on one line contains only scalars.
  void open(char bracket, bool one_line = false);
  void close(char bracket, bool one_line = false);
  void next(bool first, bool one_line = false);  // call before each element
  void key(std::string_view name);
  void finish();  // ends the line and passes the rest to the sink

  // --- Values.
  void word(std::string_view quoted);  // a text known to need no escapes
  void number(std::int64_t value);
  void number_text(std::uint64_t value);  // 64-bit numbers are strings in protobuf's JSON
  void number_text(std::int64_t value);
  void real(float value);
  void real(double value);
  bool text(std::string_view value);  // returns false, and writes nothing, when it is not UTF-8
  void bytes(std::string_view value);

  std::uint64_t nan_payloads() const { return nan_payloads_; }

 private:
  template <typename T>
  void finite(T value);
  void new_line();
  void flush_if_full();
  void flush();

  bool pretty_;
  const std::function<void(std::string_view)>& sink_;
  std::string buffer_;
  std::size_t indentation_ = 0;
  std::uint64_t nan_payloads_ = 0;
};

}  // namespace onnxpress::format
