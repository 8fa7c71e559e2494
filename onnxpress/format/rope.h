// Rope: an encoded message whose small parts are stored here and whose large parts stay where they are (the mapped
// file, an external file, a stream) until the message is written. Sizes are known as it is built, so one walk over the
// model encodes it with correct lengths.
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
  // Data that is not copied: a view that outlives the rope, or a source that gives `size` bytes when the rope is
  // written.
  struct Splice {
    std::size_t at = 0;  // its position among the small bytes
    std::uint64_t size = 0;
    std::variant<std::string_view, FileRange, std::shared_ptr<const ByteStream>> content;
  };

  std::string& bytes() { return bytes_; }  // append small pieces here
  void append(std::string_view view);      // copied when small; borrowed when large, so it must outlive the rope
  void append(const FileRange& range, std::uint64_t size);
  void append(std::shared_ptr<const ByteStream> stream, std::uint64_t size);
  void append(Rope&& other);
  // Appends a length-delimited field.
  void append_field(std::uint32_t field, std::string_view content);
  // The same for a message that is appended between the two calls. `expected` is an estimate of its size, such as that
  // of its origin: if its varint takes as many bytes as that of the real size, closing moves nothing.
  struct Open {
    std::size_t length_at, length_size, first_splice;
    std::uint64_t size_before;
  };
  Open open_field(std::uint32_t field, std::uint64_t expected);
  void close_field(const Open& open);
  void reserve(std::size_t small_bytes) { bytes_.reserve(small_bytes); }

  std::uint64_t size() const { return bytes_.size() + spliced_; }

  // Passes all parts to the visitor, in order.
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
