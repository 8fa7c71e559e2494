/// \file
/// An open file or folder of the operating system, closed when it goes out of scope.
#pragma once

#include <utility>

namespace onnxpress {

/// Owns a file descriptor; -1 means none.
class Descriptor {
 public:
  explicit Descriptor(int value = -1) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    reset(other.release());
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { reset(-1); }

  int get() const { return value_; }
  bool is_open() const { return value_ >= 0; }
  /// Gives up the file without closing it.
  int release() { return std::exchange(value_, -1); }
  /// Closes the file and takes ownership of `value`.
  void reset(int value);

 private:
  int value_;
};

}  // namespace onnxpress
