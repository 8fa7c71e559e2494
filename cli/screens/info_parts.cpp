// Renders weights, duplicates and bytes.
#include "cli/screens/info_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/table.h"

namespace onnxpress::cli {

namespace {

using Align = Table::Align;

std::string shape_text(const std::vector<std::int64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ",")); }

// "initializer", "If_0/then_branch Constant", "Conv.bias", "initializer @weights.data"
std::string where_text(const TensorLine& line) {
  std::string text = line.place == "Constant node" ? "Constant" : line.place;
  if (line.place == "attribute") text = fmt::format("{}.{}", line.node.empty() ? "default" : line.node, line.attribute);
  if (!line.scope.empty()) text = fmt::format("{} {}", line.scope, text);
  if (!line.external_file.empty()) text += fmt::format(" @{}", line.external_file);
  return printable(text);
}

std::string name_text(const TensorLine& line) { return line.name.empty() ? "(no name)" : printable(line.name); }

std::string elements_text(const TensorLine& line) { return line.elements ? with_commas(*line.elements) : "?"; }

std::string tensor_table(const std::vector<TensorLine>& lines, bool exact, const Screen& screen) {
  Table table({{"name", Align::kLeft, true},
               {"shape", Align::kLeft, true},
               {"elements", Align::kRight},
               {"type", Align::kLeft, false, Ink::kGood},
               {"bytes", Align::kRight},
               {"where", Align::kLeft, true, Ink::kFaint}});
  for (const TensorLine& line : lines) {
    const std::string bytes = exact ? with_commas(line.bytes) : human_bytes(line.bytes);
    table.add({name_text(line), shape_text(line.shape), elements_text(line), line.type, bytes, where_text(line)});
  }
  return table.to_text(screen);
}

}  // namespace

std::string section_title(std::string_view title, const std::string& remark, const Screen& screen) {
  std::string out = '\n' + inked(title, Ink::kTitle, screen);
  if (!remark.empty()) out += "  " + remark;
  return out + '\n';
}

namespace {

// "  341 in Constant nodes (2.18 MB), 4 in attributes (24 B)"; nothing when all are initializers, as usual.
std::string places_text(const WeightTotals& weights) {
  if (weights.by_place.size() == 1 && weights.by_place.front().name == "initializer") return {};
  std::vector<std::string> parts;
  for (const WeightGroup& place : weights.by_place) {
    const std::string plural = place.name.ends_with('s') ? "" : "s";
    parts.push_back(
        fmt::format("{} in {}{} ({})", with_commas(place.tensors), place.name, plural, human_bytes(place.bytes)));
  }
  return fmt::format("  {}\n", fmt::join(parts, ", "));
}

}  // namespace

std::string weight_section(const InfoReport& report, const Screen& screen) {
  const WeightTotals& weights = report.weights;
  if (weights.tensors == 0) return section_title("Weights", "none", screen);
  std::string out =
      section_title("Weights",
                    fmt::format("{} in {}, {}", counted(weights.parameters, "parameter", "parameters"),
                                counted(weights.tensors, "tensor", "tensors"), human_bytes(weights.bytes)),
                    screen);
  Table table({{"", Align::kLeft, false, Ink::kGood},
               {"tensors", Align::kRight},
               {"parameters", Align::kRight},
               {"bytes", Align::kRight},
               {"", Align::kRight}});
  const auto add = [&](const WeightGroup& group) {
    table.add({group.name, with_commas(group.tensors), with_commas(group.parameters), human_bytes(group.bytes),
               percent(group.bytes, weights.bytes)});
  };
  for (const WeightGroup& group : weights.by_type) add(group);
  out += table.to_text(screen) + places_text(weights);
  if (report.largest.empty()) return out;
  return out + section_title("Largest tensors", "", screen) + tensor_table(report.largest, false, screen);
}

std::string tensor_section(const InfoReport& report, const Screen& screen) {
  const WeightTotals& weights = report.weights;
  std::string out;
  if (!report.tensors->empty()) out += tensor_table(*report.tensors, true, screen) + '\n';
  return out + fmt::format("  {} in {}, {}\n", counted(weights.parameters, "parameter", "parameters"),
                           counted(weights.tensors, "tensor", "tensors"), exact_bytes(weights.bytes));
}

namespace {

constexpr std::size_t kNameWidth = 22;  // two names and the other cells of a group fit on a line

// "fc1.weight, fc2.weight, 3 more"
std::string names_text(const std::vector<TensorLine>& tensors) {
  constexpr std::size_t kShown = 2;
  std::vector<std::string> names;
  for (const TensorLine& line : tensors) {
    if (names.size() < kShown) names.push_back(elided(name_text(line), kNameWidth));
  }
  if (tensors.size() > kShown) names.push_back(fmt::format("{} more", tensors.size() - kShown));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string type_text(const TensorLine& line) {
  return line.shape.empty() ? line.type : line.type + shape_text(line.shape);
}

// "float[2,3] and int32[6]"
std::string types_text(const DuplicateLine& group, bool all) {
  std::string text = elided(type_text(group.tensors.front()), kNameWidth);
  if (all) text += " and " + elided(type_text(group.tensors[1]), kNameWidth);
  return text;
}

std::string group_table(const std::vector<DuplicateLine>& groups, std::uint64_t top, bool all_types,
                        const Screen& screen) {
  Table table({{"saving", Align::kRight},
               {"copies", Align::kRight},
               {"bytes each", Align::kRight},
               {"type", Align::kLeft, true, Ink::kGood},
               {"tensors", Align::kLeft, true}});
  for (std::size_t i = 0; i < std::min<std::size_t>(groups.size(), top); ++i) {
    const DuplicateLine& group = groups[i];
    table.add({human_bytes(group.saving), with_commas(group.copies), with_commas(group.bytes),
               types_text(group, all_types), names_text(group.tensors)});
  }
  std::string out = table.to_text(screen);
  if (groups.size() > top)
    out += fmt::format("  and {} (--top shows more)\n", counted(groups.size() - top, "other group", "other groups"));
  return out;
}

}  // namespace

std::string duplicate_section(const DuplicateTotals& duplicates, std::uint64_t top, const Screen& screen) {
  std::string out =
      section_title("Duplicates",
                    duplicates.duplicated_bytes == 0
                        ? "none"
                        : fmt::format("{} stored more than once", exact_bytes(duplicates.duplicated_bytes)),
                    screen);
  if (!duplicates.same_tensor.empty()) out += group_table(duplicates.same_tensor, top, false, screen);
  if (!duplicates.same_bytes.empty()) {
    out += section_title("Same bytes, but different type or shape", human_bytes(duplicates.bytes_same_bytes), screen);
    out += group_table(duplicates.same_bytes, top, true, screen);
  }
  if (!duplicates.unreadable.empty()) {
    out += section_title("Could not be read", counted(duplicates.unreadable.size(), "tensor", "tensors"), screen);
    for (std::size_t i = 0; i < std::min<std::size_t>(duplicates.unreadable.size(), std::max<std::uint64_t>(top, 1));
         ++i) {
      out += fmt::format("  {}\n", printable(duplicates.unreadable[i].reason));
    }
  }
  return out;
}

namespace {

std::string part_table(const InfoReport& report, const Screen& screen) {
  const ByteTotals& bytes = report.bytes;
  Table table({{"", Align::kLeft}, {"", Align::kRight}, {"", Align::kRight}, {"", Align::kLeft, false, Ink::kGood}});
  for (const BytePart& part : bytes.parts) {
    const double share = bytes.total ? static_cast<double>(part.bytes) / static_cast<double>(bytes.total) : 0;
    table.add({part.part, with_commas(part.bytes), percent(part.bytes, bytes.total), bar(share, 30)});
  }
  const bool whole = report.format == ModelForm::kOnnx;
  table.add({whole ? "file size" : "size as .onnx", with_commas(bytes.total), "100.0 %"});
  return table.to_text(screen);
}

std::string external_table(const ByteTotals& bytes, const Screen& screen) {
  Table table({{"external file", Align::kLeft, true},
               {"tensors", Align::kRight},
               {"used", Align::kRight},
               {"unused", Align::kRight},
               {"size", Align::kRight}});
  for (const ExternalFileLine& file : bytes.external_files) {
    if (!file.file_bytes) {
      table.add_remark(printable(file.location), printable(file.problem));
      continue;
    }
    table.add({printable(file.location), with_commas(file.tensors), with_commas(file.used_bytes),
               with_commas(*file.file_bytes - file.used_bytes), with_commas(*file.file_bytes)});
  }
  return table.to_text(screen);
}

}  // namespace

std::string byte_section(const InfoReport& report, const Screen& screen) {
  std::string out = section_title("Where the bytes are", "", screen);
  if (!report.bytes.parts.empty()) out += part_table(report, screen);
  if (!report.bytes.external_files.empty()) out += '\n' + external_table(report.bytes, screen);
  return out;
}

std::string metadata_section(const Summary& model, std::uint64_t top, const Screen& screen) {
  if (model.metadata.empty()) return {};
  Table table({{"", Align::kLeft, true, Ink::kFaint}, {"", Align::kLeft, true}});
  const std::size_t shown = std::min<std::size_t>(model.metadata.size(), std::max<std::uint64_t>(top, 1));
  for (std::size_t i = 0; i < shown; ++i)
    table.add({printable(model.metadata[i].key), printable(model.metadata[i].value)});
  std::string out = section_title("Metadata", "", screen) + table.to_text(screen);
  if (shown < model.metadata.size()) out += fmt::format("  and {} more\n", with_commas(model.metadata.size() - shown));
  return out;
}

}  // namespace onnxpress::cli
