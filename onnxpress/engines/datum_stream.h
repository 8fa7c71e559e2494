// Arrays, sequences and maps as bytes, from one process to another on the same machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnxpress/base/platform/forked.h"
#include "onnxpress/engines/engine.h"

namespace onnxpress::engines {

// Writing never fails here; Channel::flush() tells whether the other process is still there.
class DatumWriter {
 public:
  explicit DatumWriter(platform::Channel& channel) : channel_(channel) {}
  void number(std::uint64_t number) { channel_.write(&number, sizeof(number)); }
  void text(std::string_view text);
  void array(const ops::Array& array);
  void datum(const ops::Datum& datum);

 private:
  platform::Channel& channel_;
};

// Each call throws StreamEnded when the other process is gone, or wrote something that makes no sense because its
// memory is damaged.
struct StreamEnded {};
class DatumReader {
 public:
  explicit DatumReader(platform::Channel& channel) : channel_(channel) {}
  std::uint64_t number();
  std::uint64_t number_up_to(std::uint64_t most);
  std::string text();
  ops::Array array();
  ops::Datum datum(int depth = 0);

 private:
  void bytes(void* to, std::size_t size);

  platform::Channel& channel_;
};

}  // namespace onnxpress::engines
