// Plans and writes external data.
#include "onnxpress/format/external_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "onnxpress/base/error.h"

namespace onnxpress::format {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kChunk = std::uint64_t{16} << 20;    // bytes between two progress reports
constexpr std::uint64_t kCopyFrom = std::uint64_t{1} << 18;  // from here on, a kernel copy is faster than a write

}  // namespace

bool can_move(const Tensor& tensor) {
  return tensor.expected_bytes().has_value() && !tensor.conflicting && !tensor.segmented;
}

void mark_moved(const TensorPlace& place) {
  if (place.value) {
    place.graph->mark_changed(*place.value);
  } else {
    place.graph->mark_changed(*place.node, *place.attribute);
  }
}

void Progress::add(std::uint64_t bytes) {
  done_ += bytes;
  if (!tell_ || done_ - told_ < kChunk) return;
  told_ = done_;
  tell_(done_, std::max(done_, total_));
}

void Progress::finish() {
  if (tell_) tell_(done_, done_);
}

std::uint64_t external_alignment(std::uint64_t tensor_bytes) {
  constexpr std::uint64_t kPage = 4096, kWindowsMapping = 65536, kLarge = std::uint64_t{1} << 20;
  return tensor_bytes >= kLarge ? kWindowsMapping : kPage;
}

ExternalPlan plan_external(Model& model, std::uint64_t threshold, bool attributes_too, const StaysInside& stays_inside,
                           TensorMoves& moves) {
  ExternalPlan plan;
  std::uint64_t end = 0;
  for_each_tensor(model, [&](Tensor& tensor, const TensorPlace& place) {
    if (!can_move(tensor)) return;
    const std::uint64_t length = *tensor.expected_bytes();
    // A tensor that is external already moves regardless of its size, so that all external data is in one file.
    const bool is_external = tensor.storage == Storage::kExternal;
    if (!is_external && (length < threshold || length == 0 || (place.node && !attributes_too) || place.sparse)) return;
    if (stays_inside && stays_inside(tensor, place)) {
      ++plan.kept_inside;
      if (!is_external) return;
      moves.in.insert(&tensor);
      mark_moved(place);
      return;
    }
    const std::uint64_t alignment = external_alignment(length);
    end = (end + alignment - 1) / alignment * alignment;
    if (!moves.out.emplace(&tensor, TensorMoves::Slot{end, length}).second) return;
    plan.order.push_back(&tensor);
    end += length;
    mark_moved(place);
  });
  return plan;
}

void plan_single_file(Model& model, TensorMoves& moves) {
  for_each_tensor(model, [&](Tensor& tensor, const TensorPlace& place) {
    if (tensor.storage != Storage::kExternal) return;
    if (!can_move(tensor)) {
      throw Error(fmt::format("tensor {}", quote_name(tensor.name)),
                  "is external and malformed, so it cannot be moved inside", "see onnxpress check for details");
    }
    moves.in.insert(&tensor);
    mark_moved(place);
  });
}

void write_view(AtomicFile& out, const Model& model, std::string_view view, Progress& progress) {
  const MappedFile* source = nullptr;
  std::uint64_t offset = 0;
  for (const auto& file : model.files) {
    if (const auto found = file->offset_of(view)) {
      source = file.get();
      offset = *found;
    }
  }
  for (std::uint64_t done = 0; done < view.size();) {
    const std::uint64_t piece = std::min<std::uint64_t>(kChunk, view.size() - done);
    if (source && view.size() >= kCopyFrom) {
      out.copy_range(*source, offset + done, piece);
    } else {
      out.write(view.substr(done, piece));
      if (source) source->release_pages(view.substr(done, piece));
    }
    done += piece;
    progress.add(piece);
  }
}

void write_range(AtomicFile& out, const FileRange& range, std::uint64_t length, Progress& progress) {
  const MappedFile& file = range.file->open();
  if (range.offset > file.size() || length > file.size() - range.offset || range.length.value_or(length) != length) {
    throw Error(fmt::format("external data {}", quote_name(range.file->location())),
                fmt::format("a tensor needs {} bytes at {:#x}, the file has {} and the model says {}", length,
                            range.offset, file.size(), range.length.value_or(length)),
                "the file is truncated or belongs to another model");
  }
  for (std::uint64_t done = 0; done < length;) {
    const std::uint64_t piece = std::min(kChunk, length - done);
    out.copy_range(file, range.offset + done, piece);
    done += piece;
    progress.add(piece);
  }
}

void write_stream(AtomicFile& out, const ByteStream& stream, std::uint64_t length, Progress& progress) {
  std::uint64_t done = 0;
  stream.produce([&](std::string_view piece) {
    done += piece.size();
    if (done > length)
      throw Error("", fmt::format("a stream of weights yields more than the {} bytes it announced", length));
    if (piece.data()) {
      out.write(piece);
    } else {
      out.skip_to(out.position() + piece.size());
    }
    progress.add(piece.size());
  });
  if (done != length)
    throw Error("", fmt::format("a stream of weights yields {} bytes, but announced {}", done, length));
}

void write_content(AtomicFile& out, const Model& model, const Tensor& tensor, std::uint64_t length,
                   Progress& progress) {
  if (const auto* range = std::get_if<FileRange>(&tensor.content)) {
    write_range(out, *range, length, progress);
  } else if (const auto* stream = std::get_if<std::shared_ptr<const ByteStream>>(&tensor.content)) {
    write_stream(out, **stream, length, progress);
  } else {
    write_view(out, model, tensor.bytes().view(), progress);
  }
}

void write_message(AtomicFile& out, const Model& model, const Rope& message, Progress& progress) {
  message.visit({.small =
                     [&](std::string_view bytes) {
                       out.write(bytes);
                       progress.add(bytes.size());
                     },
                 .large =
                     [&](const Rope::Splice& splice) {
                       if (const auto* view = std::get_if<std::string_view>(&splice.content)) {
                         write_view(out, model, *view, progress);
                       } else if (const auto* range = std::get_if<FileRange>(&splice.content)) {
                         write_range(out, *range, splice.size, progress);
                       } else {
                         write_stream(out, *std::get<std::shared_ptr<const ByteStream>>(splice.content), splice.size,
                                      progress);
                       }
                     }});
}

namespace {

bool same_content(const fs::path& existing, const MappedFile& source) {
  const auto other = MappedFile::open(existing);
  return other->bytes().view() == source.bytes().view();
}

}  // namespace

ExternalCopies::ExternalCopies(const Model& model, const fs::path& folder, bool overwrite) {
  std::vector<const ExternalFile*> used;
  std::unordered_set<const ExternalFile*> seen;
  for_each_tensor(model, [&](const Tensor& tensor, const TensorPlace&) {
    const auto* range = std::get_if<FileRange>(&tensor.content);
    if (range && seen.insert(range->file.get()).second) used.push_back(range->file.get());
  });
  for (const ExternalFile* file : used) {
    require_contained_location(file->location());
    const fs::path target = folder / file->location();
    std::error_code ignored;
    if (!file->is_in_memory() && fs::equivalent(target, file->path(), ignored)) continue;
    const MappedFile& source = file->open();
    if (fs::exists(fs::symlink_status(target))) {
      if (fs::is_regular_file(fs::symlink_status(target)) && same_content(target, source)) continue;
      if (!overwrite) {
        Error error(
            "", "exists, and its content differs from the external data of this model",
            "replace it with option `overwrite_external`, or choose a new file with option `external_data=NAME`");
        error.set_file(target.string());
        throw error;
      }
    }
    AtomicFile& out = files_.emplace_back(folder, file->location());
    out.copy_range(source, 0, source.size());
    copies_.push_back({target, source.size()});
  }
}

void ExternalCopies::commit() {
  for (AtomicFile& file : files_) file.sync();
  for (AtomicFile& file : files_) file.commit();
}

}  // namespace onnxpress::format
