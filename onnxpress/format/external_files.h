// External data while writing: which tensors go where, copying files along, and never touching anything outside the
// output folder.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <vector>

#include "onnxpress/base/atomic_file.h"
#include "onnxpress/format/encoder.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::format {

// Tells the caller how far a long write is, at intervals of 16 MiB.
class Progress {
 public:
  Progress(const std::function<void(std::uint64_t, std::uint64_t)>& tell, std::uint64_t total)
      : tell_(tell), total_(total) {}
  void add(std::uint64_t bytes);
  void finish();

 private:
  const std::function<void(std::uint64_t, std::uint64_t)>& tell_;
  std::uint64_t total_, done_ = 0, told_ = 0;
};

// Offsets are multiples of this, so that a runtime can map a tensor: a page or, for large tensors, the 64 KiB that
// Windows requires.
std::uint64_t external_alignment(std::uint64_t tensor_bytes);

// Whether the content can be moved to another file. Strings and malformed tensors cannot.
bool can_move(const Tensor& tensor);
// Marks what holds the tensor as changed, so that it is encoded again.
void mark_moved(const TensorPlace& place);

struct ExternalPlan {
  std::vector<const Tensor*> order;  // of the tensors that go into the external file
  std::uint64_t kept_inside = 0;  // tensors that are large enough to move, but WriteOptions::stays_inside() keeps them
};
// Plans to move every tensor of at least `threshold` bytes into the external file, in file order. Marks what holds them
// as changed, so that it is encoded again.
ExternalPlan plan_external(Model& model, std::uint64_t threshold, bool attributes_too, const StaysInside& stays_inside,
                           TensorMoves& moves);
// Plans to move all tensors that are in external files now into the model.
void plan_single_file(Model& model, TensorMoves& moves);

// Writes raw content, copying from file to file if possible; throws Error when a stream does not give the size that it
// announced.
void write_content(AtomicFile& out, const Model& model, const Tensor& tensor, std::uint64_t length, Progress& progress);
void write_view(AtomicFile& out, const Model& model, std::string_view view, Progress& progress);
void write_range(AtomicFile& out, const FileRange& range, std::uint64_t length, Progress& progress);
void write_stream(AtomicFile& out, const ByteStream& stream, std::uint64_t length, Progress& progress);
// Writes an encoded model.
void write_message(AtomicFile& out, const Model& model, const Rope& message, Progress& progress);

// Copies files that stay external into another output folder. An existing file with the same content is left alone; one
// with other content is an error unless `overwrite`. The constructor writes all of them or throws; no name appears
// before commit().
class ExternalCopies {
 public:
  ExternalCopies(const Model& model, const std::filesystem::path& folder, bool overwrite);
  void commit();
  struct Copy {
    std::filesystem::path path;
    std::uint64_t bytes = 0;
  };
  const std::vector<Copy>& copies() const { return copies_; }

 private:
  std::deque<AtomicFile> files_;
  std::vector<Copy> copies_;
};

}  // namespace onnxpress::format
