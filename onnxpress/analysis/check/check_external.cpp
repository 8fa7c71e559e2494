// Checks external data: files can be opened, and ranges are inside them and do not look odd.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "onnxpress/analysis/check/check_parts.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::analysis {

namespace {

constexpr std::uint64_t kPage = 4096;  // the alignment a runtime needs to map a weight instead of copying it

struct Range {
  std::uint64_t begin, end;
  const Tensor* tensor;
};

// One external file and the ranges that tensors use.
struct FileUse {
  std::shared_ptr<const ExternalFile> file;
  std::optional<std::uint64_t> size;  // absent if the file could not be opened
  std::vector<Range> ranges;
  std::size_t unaligned = 0;
};

std::string tensor_place(const TensorPlace& place, const Places& places) {
  return place.node ? places.of(*place.node, *place.attribute) : places.initializer(*place.graph, place.value->name());
}

class ExternalChecker {
 public:
  explicit ExternalChecker(FindingList& found) : found_(found) {}

  void check(const Tensor& tensor, const TensorPlace& place) {
    if (tensor.storage != Storage::kExternal) return;
    const auto* range = std::get_if<FileRange>(&tensor.content);
    if (!range || range->file->location().empty())
      return add("external-location", place, "its data is external, but no file is named");
    FileUse& use = use_of(*range, place);
    const auto needs = tensor.expected_bytes();
    if (!needs) return;  // check_tensors() reports this
    const std::uint64_t length = range->length.value_or(*needs);
    if (length != *needs) {
      add("external-length", place,
          fmt::format("{} needs {} bytes, but length is {}", to_string(tensor.type, tensor.dims), *needs, length));
    }
    if (use.size && (range->offset > *use.size || length > *use.size - range->offset)) {
      add("external-range", place,
          fmt::format("needs {} bytes at {:#x} of {}, which ends at {:#x}", length, range->offset,
                      quote_name(range->file->location()), *use.size));
      return;
    }
    if (length == 0 || !use.size) return;
    use.ranges.push_back({range->offset, range->offset + length, &tensor});
    use.unaligned += range->offset % kPage != 0;
  }

  void report_files() {
    for (FileUse& use : files_) {
      const auto place = [&] { return fmt::format("external file {}", quote_name(use.file->location())); };
      if (use.unaligned > 0) {
        found_.add(Severity::kNote, "external-alignment", place,
                   fmt::format(
                       "{} of {} do not start at a multiple of {} bytes, so runtimes copy them instead of mapping them",
                       use.unaligned, counted(use.ranges.size(), "tensor"), kPage));
      }
      report_overlap(use, place);
    }
  }

 private:
  void add(std::string_view code, const TensorPlace& place, std::string message) {
    found_.add(
        Severity::kError, code, [&] { return tensor_place(place, found_.places); }, std::move(message));
  }

  // Opens each file once. A file that cannot be opened is reported at the first tensor in it.
  FileUse& use_of(const FileRange& range, const TensorPlace& place) {
    const auto [at, is_new] = index_.emplace(range.file.get(), files_.size());
    if (!is_new) return files_[at->second];
    FileUse& use = files_.emplace_back();
    use.file = range.file;
    try {
      use.size = range.file->open().size();
    } catch (const Error& error) {
      add("external-file", place, fmt::format("{}: {}", error.where(), error.message()));
    }
    return use;
  }

  // Two tensors with the same range share a weight; a range that partly overlaps another is probably a mistake.
  template <typename Place>
  void report_overlap(FileUse& use, const Place& place) {
    std::sort(use.ranges.begin(), use.ranges.end(),
              [](const Range& a, const Range& b) { return std::tie(a.begin, a.end) < std::tie(b.begin, b.end); });
    std::size_t overlaps = 0;
    const Range *widest = nullptr, *first = nullptr, *second = nullptr;
    for (const Range& range : use.ranges) {
      if (widest && range.begin < widest->end && (range.begin != widest->begin || range.end != widest->end)) {
        if (++overlaps == 1) first = widest, second = &range;
      }
      if (!widest || range.end > widest->end) widest = &range;
    }
    if (overlaps == 0) return;
    found_.add(Severity::kNote, "external-overlap", place,
               fmt::format("{} of {} partly overlap others, first {} at {:#x} and {} at {:#x}", overlaps,
                           counted(use.ranges.size(), "tensor"), quote_name(first->tensor->name), first->begin,
                           quote_name(second->tensor->name), second->begin));
  }

  FindingList& found_;
  std::vector<FileUse> files_;  // in the order of first use
  std::unordered_map<const ExternalFile*, std::size_t> index_;
};

}  // namespace

void check_external(const Model& model, FindingList& found) {
  ExternalChecker checker(found);
  for_each_tensor(model, [&checker](const Tensor& tensor, const TensorPlace& place) { checker.check(tensor, place); });
  checker.report_files();
}

}  // namespace onnxpress::analysis
