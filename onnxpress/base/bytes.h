/// \file
/// Bytes: an immutable range of bytes together with whatever keeps it alive. Copying is cheap, slicing is
/// bounds-checked. All file content is held this way, so that weights are never copied just to read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace onnxpress {

/// An immutable range of bytes, and shared ownership of whatever holds them.
class Bytes {
 public:
  Bytes() = default;
  Bytes(std::string_view view, std::shared_ptr<const void> keep_alive)
      : view_(view), keep_alive_(std::move(keep_alive)) {}

  /// Owns a copy of (or takes over) `content`.
  static Bytes owned(std::string content);
  /// The caller promises that `view` outlives the result.
  static Bytes borrowed(std::string_view view) { return {view, nullptr}; }

  const char* data() const { return view_.data(); }
  std::size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }
  std::string_view view() const { return view_; }
  std::span<const std::byte> span() const { return std::as_bytes(std::span(view_.data(), view_.size())); }
  const std::shared_ptr<const void>& keep_alive() const { return keep_alive_; }

  /// Throws Error when [offset, offset + length) is not inside this range.
  Bytes slice(std::uint64_t offset, std::uint64_t length) const;

  /// Element `i` of the range seen as an array of T. Weights in a file have no alignment, so this copies byte-wise.
  template <typename T>
  T load(std::size_t i) const {
    T value;
    std::memcpy(&value, view_.data() + i * sizeof(T), sizeof(T));
    return value;
  }

 private:
  std::string_view view_;
  std::shared_ptr<const void> keep_alive_;
};

}  // namespace onnxpress
