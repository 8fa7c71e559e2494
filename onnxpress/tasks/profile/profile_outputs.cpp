// Writes Markdown, traces and annotated models.
#include "onnxpress/tasks/profile/profile_outputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/tasks/files/convert.h"
#include "onnxpress/tasks/inspect/infer.h"
#include "onnxpress/tasks/profile/profile_names.h"
#include "onnxpress/tasks/report/json_report.h"

namespace onnxpress {

namespace {

// --- Markdown

// Escapes names from a file, so that they are neither markup nor end the cell.
std::string md_cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      out += ' ';
      continue;
    }
    if (std::string_view("\\|`*_<>[]&#").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string shown(const std::optional<std::uint64_t>& value) { return value ? fmt::format("{}", *value) : "?"; }

// --- Trace

constexpr double kNominalFlops = 100e9, kNominalBytes = 20e9;

double microseconds_of(const NodeProfile& node, bool measured) {
  if (measured) return node.microseconds.value_or(0);
  if (node.roof_microseconds) return *node.roof_microseconds;
  const double bytes = static_cast<double>(node.read.value_or(0)) + static_cast<double>(node.written.value_or(0));
  return 1e6 * std::max(static_cast<double>(node.flops.value_or(0)) / kNominalFlops, bytes / kNominalBytes);
}

void write_event(ReportSink& sink, const NodeProfile& node, double begin, double duration) {
  const auto entry = [&sink](std::string_view key, const std::optional<std::uint64_t>& value) {
    sink.key(key);
    value ? sink.natural(*value) : sink.nothing();
  };
  sink.begin_object();
  sink.key("name");
  sink.text(node.name);
  sink.key("cat");
  sink.text(node.op);
  sink.key("ph");
  sink.text("X");
  sink.key("pid");
  sink.natural(1);
  sink.key("tid");
  sink.natural(1);
  sink.key("ts");
  sink.real(begin);
  sink.key("dur");
  sink.real(duration);
  sink.key("args");
  sink.begin_object();
  entry("macs", node.macs);
  entry("flops", node.flops);
  entry("parameters", node.parameters);
  entry("read", node.read);
  entry("written", node.written);
  sink.key("output");
  sink.text(node.outputs.empty() ? "" : node.outputs.front());
  sink.end_object();
  sink.end_object();
}

void write_counter(ReportSink& sink, double at, std::uint64_t alive) {
  sink.begin_object();
  sink.key("name");
  sink.text("activations alive");
  sink.key("ph");
  sink.text("C");
  sink.key("pid");
  sink.natural(1);
  sink.key("ts");
  sink.real(at);
  sink.key("args");
  sink.begin_object();
  sink.key("bytes");
  sink.natural(alive);
  sink.end_object();
  sink.end_object();
}

// --- Metadata

class Annotator {
 public:
  Annotator(Model& model, const ProfileReport& report) : model_(model), report_(report) {}

  void annotate() {
    std::size_t row = 0;
    for (Node& node : model_.graph().nodes()) {
      while (row < report_.node_list.size() && report_.node_list[row].depth > 0) ++row;
      if (row == report_.node_list.size()) break;
      annotate(node, report_.node_list[row++]);
    }
    drop(model_.metadata);
    put(model_.metadata, "macs", report_.macs.value);
    put(model_.metadata, "flops", report_.flops.value);
    put(model_.metadata, "params", report_.parameters);
    put(model_.metadata, "memory", report_.memory.pool);
    if (report_.macs.value && report_.macs.formula != std::to_string(*report_.macs.value))
      put_text(model_.metadata, "macs_formula", report_.macs.formula);
    model_.mark_changed();
  }

 private:
  void annotate(Node& node, const NodeProfile& line) {
    std::vector<MetadataEntry> entries(node.metadata().begin(), node.metadata().end());
    drop(entries);
    put(entries, "macs", line.macs);
    put(entries, "flops", line.flops);
    put(entries, "params", line.parameters);
    put(entries, "memory", line.live);
    put(entries, "read", line.read);
    put(entries, "written", line.written);
    if (line.microseconds) put_text(entries, "time_us", fmt::format("{:.3f}", *line.microseconds));
    model_.graph().set_node_metadata(node, model_.arena().copy(std::span<const MetadataEntry>(entries)));
  }

  static void drop(std::vector<MetadataEntry>& entries) {
    std::erase_if(entries, [](const MetadataEntry& each) { return each.key.starts_with("onnxpress."); });
  }
  void put(std::vector<MetadataEntry>& entries, std::string_view key, const std::optional<std::uint64_t>& value) {
    if (value) put_text(entries, key, std::to_string(*value));
  }
  void put_text(std::vector<MetadataEntry>& entries, std::string_view key, const std::string& text) {
    entries.push_back({model_.arena().text(fmt::format("onnxpress.{}", key)), model_.arena().text(text)});
  }

  Model& model_;
  const ProfileReport& report_;
};

}  // namespace

std::string to_markdown(const ProfileReport& report) {
  std::string out = fmt::format("# {}\n\n", md_cell(report.file));
  out += "| figure | value |\n|---|---:|\n";
  out += fmt::format("| {} | {}{} |\n", unit_of(report.count), report.work.at_least ? "at least " : "",
                     shown(report.work.value));
  out += fmt::format("| formula | {} |\n", md_cell(report.work.formula));
  for (const AssumedSize& each : report.assumed)
    out += fmt::format("| assumed {} | {} |\n", md_cell(each.symbol), each.size);
  out += fmt::format("| parameters | {} |\n| weight bytes | {} |\n| bytes read | {} |\n| bytes written | {} |\n",
                     report.parameters, report.weight_bytes, shown(report.read.value), shown(report.written.value));
  out += fmt::format("| activation peak | {} |\n| pool | {} |\n", report.memory.peak, report.memory.pool);
  out += fmt::format("\n| op | nodes | {} | params | read | written |\n|---|---:|---:|---:|---:|---:|\n",
                     unit_of(report.count));
  for (const OpProfile& op : report.ops)
    out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", md_cell(op.op), op.nodes, op.work, op.parameters, op.read,
                       op.written);
  out += fmt::format("\n| node | op | {} | params | read | written | alive | output |\n", unit_of(report.count));
  out += "|---|---|---:|---:|---:|---:|---:|---|\n";
  for (const NodeProfile& node : report.node_list)
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", md_cell(node.name), md_cell(node.op),
                       shown(node.work), node.parameters, shown(node.read), shown(node.written), node.live,
                       node.outputs.empty() ? "" : md_cell(node.outputs.front()));
  return out;
}

std::string to_trace(const ProfileReport& report) {
  const bool measured = report.time.has_value();
  return json_text_of([&](ReportSink& sink) {
    sink.begin_object();
    sink.key("displayTimeUnit");
    sink.text("ms");
    sink.key("otherData");
    sink.begin_object();
    sink.key("times");
    sink.text(measured ? "median of a run in ONNX Runtime " + report.time->runtime
                       : "estimated for a machine with 100 GFLOP/s and 20 GB/s");
    sink.end_object();
    sink.key("traceEvents");
    sink.begin_list();
    double now = 0;
    for (const NodeProfile& node : report.node_list) {
      if (!node.counted) continue;
      const double duration = microseconds_of(node, measured);
      write_event(sink, node, now, duration);
      if (node.depth == 0) write_counter(sink, now, node.live);
      now += duration;
    }
    sink.end_list();
    sink.end_object();
  });
}

void annotate(Model& model, const ProfileReport& report, const ProfileOptions& options) {
  InferOptions infer_options;
  infer_options.bindings = options.bindings;
  infer_options.custom_ops = options.custom_ops;
  declare_types(model, infer_options);
  Annotator(model, report).annotate();
}

}  // namespace onnxpress
