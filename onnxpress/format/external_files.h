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

// Tells the caller how far a long write is, a few times per second.
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

// Offsets are multiples of this, so that a runtime can map a tensor: a page, or for large tensors what Windows asks
// for.
std::uint64_t external_alignment(std::uint64_t tensor_bytes);

// Whether its content can be in another file: strings and malformed tensors stay.
bool can_move(const Tensor& tensor);
// What holds the tensor is encoded anew.
void mark_moved(const TensorPlace& place);

struct ExternalPlan {
  std::vector<const Tensor*> order;  // of the tensors that go into the external file
  std::uint64_t kept_inside = 0;     // large enough to move, but WriteOptions::stays_inside() says no
};
// Every tensor of at least `threshold` bytes, in file order. Marks what holds them as changed, so that it is encoded
// anew.
ExternalPlan plan_external(Model& model, std::uint64_t threshold, bool attributes_too, const StaysInside& stays_inside,
                           TensorMoves& moves);
// All tensors that are in external files now.
void plan_single_file(Model& model, TensorMoves& moves);

// Writes raw content, file to file where it can; throws Error when a stream does not give what it promised.
void write_content(AtomicFile& out, const Model& model, const Tensor& tensor, std::uint64_t length, Progress& progress);
void write_view(AtomicFile& out, const Model& model, std::string_view view, Progress& progress);
void write_range(AtomicFile& out, const FileRange& range, std::uint64_t length, Progress& progress);
void write_stream(AtomicFile& out, const ByteStream& stream, std::uint64_t length, Progress& progress);
// An encoded model.
void write_message(AtomicFile& out, const Model& model, const Rope& message, Progress& progress);

// Files that stay external, on their way into another output folder. Files that are there with the same content are
// left alone; with other content it is an error unless `overwrite`. The constructor writes all of them or throws; no
// name appears before commit().
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
