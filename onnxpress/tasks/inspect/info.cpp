// Assembles the report of `info` from the analyses and the map of the file's bytes.
#include "onnxpress/tasks/inspect/info.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "onnxpress/analysis/duplicates.h"
#include "onnxpress/base/option_error.h"
#include "onnxpress/format/byte_map.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/ir/name_values.h"
#include "onnxpress/tasks/report/json_report.h"

namespace onnxpress {

namespace {

using analysis::TensorEntry;
using analysis::TensorList;

const FileRange* external_range(const Tensor& tensor) { return std::get_if<FileRange>(&tensor.content); }

TensorLine line_of(const TensorList& list, const TensorEntry& entry) {
  const Tensor& tensor = *entry.tensor;
  TensorLine line;
  line.name = entry.name;
  line.type = name_of(tensor.type);
  line.shape.assign(tensor.dims.begin(), tensor.dims.end());
  line.elements = entry.elements;
  line.bytes = entry.bytes;
  line.place = name_of(entry.role);
  line.scope = scope_text(list, entry.scope);
  if (entry.node) line.node = entry.node->op_type();
  if (entry.attribute) line.attribute = entry.attribute->name;
  if (const FileRange* range = external_range(tensor)) line.external_file = range->file->location();
  return line;
}

std::vector<std::uint32_t> ordered(const TensorList& list, TensorOrder order) {
  std::vector<std::uint32_t> indices(list.entries.size());
  std::iota(indices.begin(), indices.end(), 0);
  const auto entry = [&list](std::uint32_t i) -> const TensorEntry& { return list.entries[i]; };
  if (order == TensorOrder::kSize) {
    std::ranges::stable_sort(indices, [&](auto a, auto b) { return entry(a).bytes > entry(b).bytes; });
  } else if (order == TensorOrder::kName) {
    std::ranges::stable_sort(indices, [&](auto a, auto b) { return entry(a).name < entry(b).name; });
  }
  return indices;
}

std::vector<TensorLine> lines_of(const TensorList& list, TensorOrder order, std::uint64_t most) {
  std::vector<TensorLine> lines;
  for (const std::uint32_t i : ordered(list, order)) {
    if (lines.size() == most) break;
    lines.push_back(line_of(list, list.entries[i]));
  }
  return lines;
}

// Bytes in at least one of the ranges [begin, end).
std::uint64_t covered(std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges) {
  std::ranges::sort(ranges);
  std::uint64_t total = 0, reached = 0;
  for (const auto& [begin, end] : ranges) {
    if (end > reached) total += end - std::max(begin, reached);
    reached = std::max(reached, end);
  }
  return total;
}

// Maps the file to get its size and to apply the rules for paths, even with --no-mmap, because nothing is read.
void find_file_size(ExternalFileLine& line, const Model& model, const LoadOptions& options) {
  try {
    line.file_bytes =
        open_contained(model.path.parent_path(), line.location, options.outside_paths(), FileAccess::kMap)->size();
  } catch (const Error& error) {
    line.problem = error.message();
  }
}

void add_external_files(ByteTotals& bytes, const TensorList& list, const Model& model, const LoadOptions& options) {
  struct Use {
    std::uint64_t tensors = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  };
  std::map<std::string_view, Use> uses;
  for (const TensorEntry& entry : list.entries) {
    const FileRange* range = external_range(*entry.tensor);
    if (!range) continue;
    Use& use = uses[range->file->location()];
    ++use.tensors;
    std::uint64_t end = 0;
    if (__builtin_add_overflow(range->offset, entry.bytes, &end)) end = UINT64_MAX;
    use.ranges.emplace_back(range->offset, end);
  }
  for (auto& [location, use] : uses) {
    ExternalFileLine line{std::string(location), use.tensors, 0, std::nullopt, ""};
    find_file_size(line, model, options);
    // Of a truncated file, only the bytes that exist count as used, whatever the model says.
    for (auto& [begin, end] : use.ranges) {
      if (line.file_bytes) end = std::min(end, *line.file_bytes);
    }
    line.used_bytes = covered(std::move(use.ranges));
    bytes.external += line.file_bytes.value_or(0);
    bytes.external_files.push_back(std::move(line));
  }
}

// Text with elided tensors can stand for far more bytes than it contains; above this limit, no byte map is made.
constexpr std::uint64_t kMostEncodedText = std::uint64_t{1} << 30;

// The map looks into fields that the reader skips (a tensor in an attribute of type INT); damage there must not make
// the whole report fail.
format::ByteMap byte_map_of(std::string_view file) {
  try {
    return format::map_bytes(file);
  } catch (const Error&) {
    format::ByteMap map;
    map[format::ByteCategory::kUnknown] = file.size();
    return map;
  }
}

// `encoded` is empty if the file itself is the encoded model.
void add_parts(ByteTotals& bytes, const Model& model, std::string_view encoded) {
  const std::string_view file = encoded.empty() ? model.origin.view() : encoded;
  const format::ByteMap map = byte_map_of(file);
  bytes.total = map.total();
  for (std::size_t i = 0; i < format::kByteCategoryCount; ++i) {
    if (map.counts[i] > 0)
      bytes.parts.push_back({std::string(name_of(static_cast<format::ByteCategory>(i))), map.counts[i]});
  }
  std::ranges::stable_sort(bytes.parts, [](const BytePart& a, const BytePart& b) { return a.bytes > b.bytes; });
}

std::vector<DuplicateLine> lines_of(const TensorList& list, const std::vector<analysis::DuplicateGroup>& groups) {
  std::vector<DuplicateLine> lines;
  for (const analysis::DuplicateGroup& group : groups) {
    DuplicateLine line{group.bytes, group.copies, group.bytes * (group.copies - 1), {}};
    for (const std::uint32_t i : group.tensors) line.tensors.push_back(line_of(list, list.entries[i]));
    lines.push_back(std::move(line));
  }
  return lines;
}

DuplicateTotals duplicates_of(const TensorList& list) {
  const analysis::Duplicates found = analysis::find_duplicates(list);
  DuplicateTotals totals;
  totals.bytes_same_tensor = found.bytes_same_tensor;
  totals.bytes_same_bytes = found.bytes_same_bytes;
  totals.duplicated_bytes = found.bytes_same_tensor + found.bytes_same_bytes;
  totals.bytes_read = found.bytes_read;
  totals.same_tensor = lines_of(list, found.same_tensor);
  totals.same_bytes = lines_of(list, found.same_bytes);
  for (const analysis::UnreadableTensor& each : found.unreadable) {
    totals.unreadable.push_back({std::string(list.entries[each.tensor].name), each.reason});
  }
  return totals;
}

}  // namespace

namespace {

// Everything except the sizes of the file and its parts.
InfoReport report_of(const Model& model, const InfoOptions& options) {
  InfoReport report;
  report.model = analysis::summarize(model);
  const TensorList list = analysis::list_tensors(model);
  report.weights = analysis::total(list);
  report.compute = compute_of(model);
  report.largest = lines_of(list, TensorOrder::kSize, options.top);
  if (options.tensors) report.tensors = lines_of(list, options.sort, list.entries.size());
  if (options.duplicates) report.duplicates = duplicates_of(list);
  add_external_files(report.bytes, list, model, options.load);
  for (const Note& note : model.notes) ++(note.kind == Note::Kind::kRepair ? report.repairs : report.problems);
  return report;
}

// Option `interface` means nothing else, so options that list something else are a mistake.
void require_sense(const InfoOptions& options) {
  if (!options.interface) return;
  if (options.tensors) throw OptionError("option `interface` and option `tensors` cannot be combined");
  if (options.duplicates) throw OptionError("option `interface` and option `duplicates` cannot be combined");
  if (options.compressed) throw OptionError("option `interface` and option `compressed` cannot be combined");
}

InfoReport interface_of(const Model& model) {
  InfoReport report;
  report.only_interface = true;
  report.model = analysis::summarize(model);
  return report;
}

InterfaceReport rest_of(const InfoReport& report) {
  return {report.file, report.model.inputs, report.model.inputs_with_default, report.model.outputs};
}

// Each external file is compressed on its own.
CompressedSizes compressed_size_of(std::string_view file, const Model& model) {
  std::vector<std::string> external;
  for (const auto& each : model.external_files) external.push_back(each->path().string());
  CompressedSizes sizes = external.empty() ? CompressedSizes() : compressed_sizes(external);
  sizes.gzip += compressed_size(file, Compressor::kGzip);
  sizes.brotli += compressed_size(file, Compressor::kBrotli);
  sizes.zstd += compressed_size(file, Compressor::kZstd);
  return sizes;
}

}  // namespace

InfoReport info(const Model& given, const InfoOptions& options) {
  require_sense(options);
  const std::optional<Model> named = named_copy(given);  // values made since the model was read have no names yet
  const Model& model = named ? *named : given;
  InfoReport report = options.interface ? interface_of(model) : report_of(model, options);
  report.file = model.path.string();
  if (report.only_interface) return report;
  const std::string encoded = model.changed() ? format::encode_model(model) : std::string();
  add_parts(report.bytes, model, encoded);
  report.file_bytes = encoded.empty() ? model.origin.size() : encoded.size();
  if (options.compressed)
    report.compressed = compressed_size_of(encoded.empty() ? model.origin.view() : encoded, model);
  return report;
}

InfoReport info_as_read(const Model& model, ModelForm format, std::uint64_t file_bytes, const InfoOptions& options) {
  require_sense(options);
  InfoReport report = options.interface ? interface_of(model) : report_of(model, options);
  report.format = format;
  report.file_bytes = file_bytes;
  if (report.only_interface) return report;
  const bool is_text = format == ModelForm::kText;
  if (is_text && report.weights.bytes > kMostEncodedText) return report;
  add_parts(report.bytes, model, is_text ? format::encode_model(model) : std::string());
  return report;
}

std::string to_json(const InfoReport& report) {
  return report.only_interface ? json_text(rest_of(report)) : json_text(report);
}

std::string to_json(const std::vector<InfoRow>& rows) {
  const auto is_short = [](const InfoRow& row) { return row.report && row.report->only_interface; };
  if (std::ranges::none_of(rows, is_short)) return json_text_of_rows(rows);
  std::vector<ReportRow<InterfaceReport>> made;
  for (const InfoRow& row : rows) {
    made.push_back({row.file, row.error, row.hint, std::nullopt});
    if (row.report) made.back().report = rest_of(*row.report);
  }
  return json_text_of_rows(made);
}

}  // namespace onnxpress
