// Rope: an encoded message whose small parts are bytes here and whose large parts stay where they are (the mapped file,
// an external file, a stream) until the message is written. So a length is always the length of what is written, in one
// walk.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "onnxpress/ir/tensor.h"

namespace onnxpress::format {

class Rope {
 public:
  // Data that is not copied: a view that outlives the rope, or something that makes `size` bytes when asked.
  struct Splice {
    std::size_t at = 0;  // position in the small bytes where it goes
    std::uint64_t size = 0;
    std::variant<std::string_view, FileRange, std::shared_ptr<const ByteStream>> content;
  };

  std::string& bytes() { return bytes_; }  // append small pieces here
  void append(std::string_view view);      // copied when small, borrowed when large: must outlive the rope
  void append(const FileRange& range, std::uint64_t size);
  void append(std::shared_ptr<const ByteStream> stream, std::uint64_t size);
  void append(Rope&& other);
  // A length-delimited field.
  void append_field(std::uint32_t field, std::string_view content);
  // The same for a message that is appended in between. `expected` is a guess at its size (that of its origin, say):
  // when it is right to a factor of 128, closing moves nothing.
  struct Open {
    std::size_t length_at, length_size, first_splice;
    std::uint64_t size_before;
  };
  Open open_field(std::uint32_t field, std::uint64_t expected);
  void close_field(const Open& open);
  void reserve(std::size_t small_bytes) { bytes_.reserve(small_bytes); }

  std::uint64_t size() const { return bytes_.size() + spliced_; }

  // Hands everything over in order.
  struct Visitor {
    std::function<void(std::string_view)> small;
    std::function<void(const Splice&)> large;
  };
  void visit(const Visitor& visitor) const;

 private:
  std::string bytes_;
  std::vector<Splice> splices_;
  std::uint64_t spliced_ = 0;
};

}  // namespace onnxpress::format
