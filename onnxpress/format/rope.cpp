// Appends to ropes and walks them.
#include "onnxpress/format/rope.h"

#include "onnxpress/format/wire.h"

namespace onnxpress::format {

namespace {
// Below this size, copying is cheaper than keeping a reference.
constexpr std::size_t kBorrowFrom = 4096;
}  // namespace

void Rope::append(std::string_view view) {
  if (view.size() < kBorrowFrom) {
    bytes_.append(view);
    return;
  }
  // Neighbours in the file stay one piece, so that an unchanged run of nodes or weights is written (or copied from file
  // to file) at once.
  if (!splices_.empty() && splices_.back().at == bytes_.size()) {
    auto* last = std::get_if<std::string_view>(&splices_.back().content);
    if (last && last->data() + last->size() == view.data()) {
      *last = {last->data(), last->size() + view.size()};
      splices_.back().size += view.size();
      spliced_ += view.size();
      return;
    }
  }
  splices_.push_back({bytes_.size(), view.size(), view});
  spliced_ += view.size();
}

void Rope::append(const FileRange& range, std::uint64_t size) {
  if (size == 0) return;
  splices_.push_back({bytes_.size(), size, range});
  spliced_ += size;
}

void Rope::append(std::shared_ptr<const ByteStream> stream, std::uint64_t size) {
  if (size == 0) return;
  splices_.push_back({bytes_.size(), size, std::move(stream)});
  spliced_ += size;
}

void Rope::append(Rope&& other) {
  for (Splice& splice : other.splices_) {
    splice.at += bytes_.size();
    splices_.push_back(std::move(splice));
  }
  bytes_ += other.bytes_;
  spliced_ += other.spliced_;
  other = {};
}

void Rope::append_field(std::uint32_t field, std::string_view content) {
  append_tag(bytes_, field, WireType::kLength);
  append_varint(bytes_, content.size());
  append(content);
}

Rope::Open Rope::open_field(std::uint32_t field, std::uint64_t expected) {
  append_tag(bytes_, field, WireType::kLength);
  const std::size_t length_size = varint_size(expected);
  const std::size_t length_at = bytes_.size();
  bytes_.resize(length_at + length_size);
  return {length_at, length_size, splices_.size(), size()};
}

void Rope::close_field(const Open& open) {
  std::uint64_t length = size() - open.size_before;
  const std::size_t length_size = varint_size(length);
  if (length_size != open.length_size) {
    bytes_.replace(open.length_at, open.length_size, length_size, '\0');
    for (std::size_t i = open.first_splice; i < splices_.size(); ++i)
      splices_[i].at = splices_[i].at - open.length_size + length_size;
  }
  char* at = bytes_.data() + open.length_at;
  for (; length >= 0x80; length >>= 7) *at++ = static_cast<char>(length | 0x80);
  *at = static_cast<char>(length);
}

void Rope::visit(const Visitor& visitor) const {
  std::size_t done = 0;
  for (const Splice& splice : splices_) {
    if (splice.at > done) visitor.small(std::string_view(bytes_).substr(done, splice.at - done));
    done = splice.at;
    visitor.large(splice);
  }
  if (done < bytes_.size()) visitor.small(std::string_view(bytes_).substr(done));
}

}  // namespace onnxpress::format
