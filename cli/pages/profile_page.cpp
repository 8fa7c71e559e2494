// Packs a profile for its page, as lists instead of objects to keep pages of large models small.
#include "cli/pages/profile_page.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/pages/page_template.h"
#include "onnxpress/base/version.h"
#include "onnxpress/tasks/report/json_report.h"

namespace onnxpress::cli {

namespace {

std::string quoted(const std::string& text) {
  std::string json = json_text(text);
  while (json.ends_with('\n')) json.pop_back();
  return json;
}

std::string number(const std::optional<std::uint64_t>& value) { return value ? std::to_string(*value) : "null"; }

template <typename Lines, typename Write>
std::string list(const Lines& lines, const Write& write) {
  std::string out = "[";
  for (const auto& line : lines) {
    if (out.size() > 1) out += ",\n";
    out += write(line);
  }
  return out + "]";
}

std::string nodes(const ProfileReport& report) {
  return list(report.node_list, [](const NodeProfile& node) {
    const auto real = [](const std::optional<double>& value) { return value ? fmt::format("{:.4g}", *value) : "null"; };
    const bool roof = node.roof_microseconds.has_value();
    return fmt::format("[{},{},{},{},{},{},{},{},{},{},{},{},{},{}]", quoted(node.name), quoted(node.op), node.depth,
                       node.counted ? 1 : 0, number(node.work), node.parameters, number(node.written), node.live,
                       real(node.microseconds), roof ? number(node.flops) : "null", roof ? number(node.read) : "null",
                       real(node.roof_microseconds), quoted(std::string(word_of(node.bound))),
                       quoted(node.outputs.empty() ? "" : node.outputs.front()));
  });
}

std::string layers(const ProfileReport& report) {
  return list(report.layers, [](const LayerLine& line) {
    return fmt::format("[{},{},{},{},{},{},{},{},{:.2f}]", quoted(line.name), quoted(line.op), line.depth, line.repeats,
                       line.nodes, line.work, line.parameters, line.written, line.microseconds);
  });
}

std::string memory(const MemoryProfile& memory) {
  const std::string alive = list(memory.alive, [](const MemoryValue& each) {
    return fmt::format("[{},{},{}]", quoted(each.name), quoted(each.type), each.bytes);
  });
  return fmt::format(R"({{"peak":{},"pool":{},"weights":{},"inputs":{},"peak_node":{},"alive":{}}})", memory.peak,
                     memory.pool, memory.weights, memory.inputs, quoted(memory.peak_node), alive);
}

std::string time_and_sparsity(const ProfileReport& report) {
  std::string out;
  if (report.time)
    out += fmt::format(R"("time":{{"median_ms":{:.4f},"p90_ms":{:.4f},"runs":{}}},)", report.time->median_ms,
                       report.time->p90_ms, report.time->runs);
  if (report.roof)
    out += fmt::format(R"("roof":{{"device":{},"gflops":{},"gb_per_s":{},"milliseconds":{},"share":{}}},)",
                       quoted(report.roof->device), report.roof->gflops_float, report.roof->gb_per_s,
                       report.roof->milliseconds,
                       report.roof->share ? fmt::format("{:.4g}", *report.roof->share) : "null");
  if (report.sparsity)
    out += fmt::format(R"("sparsity":{{"zeros":{},"elements":{},"effective_macs":{}}},)", report.sparsity->zeros,
                       report.sparsity->elements, report.sparsity->effective_macs);
  return out;
}

std::string data_of(const ProfileReport& report) {
  const auto texts = [](const std::vector<std::string>& all) { return list(all, quoted); };
  std::string out = fmt::format(R"({{"version":{},"file":{},"unit":{},)", quoted(std::string(version())),
                                quoted(report.file), quoted(std::string(unit_of(report.count))));
  out +=
      fmt::format(R"("total":{},"at_least":{},"formula":{},"parameters":{},"weight_bytes":{},"read":{},"written":{},)",
                  report.work.value.value_or(0), report.work.at_least, quoted(report.work.formula), report.parameters,
                  report.weight_bytes, number(report.read.value), number(report.written.value));
  out += time_and_sparsity(report);
  out += fmt::format("\"inputs\":{},\"unknown_ops\":{},", texts(report.inputs), texts(report.unknown_ops));
  out += fmt::format("\"assumed\":{},", list(report.assumed, [](const AssumedSize& each) {
                       return fmt::format("[{},{}]", quoted(each.symbol), each.size);
                     }));
  out += fmt::format("\"choices\":{},", list(report.choices, [](const ChoiceLine& each) {
                       return fmt::format("[{},{},{},{}]", quoted(each.node), number(each.then_macs.value),
                                          number(each.else_macs.value), quoted(each.counted));
                     }));
  out += fmt::format("\"ops\":{},", list(report.ops, [](const OpProfile& op) {
                       return fmt::format("[{},{},{},{},{},{}]", quoted(op.op), op.nodes, op.work, op.parameters,
                                          op.read, op.written);
                     }));
  return out + fmt::format("\"memory\":{},\n\"layers\":{},\n\"nodes\":{}}}", memory(report.memory), layers(report),
                           nodes(report));
}

}  // namespace

std::string profile_page(const ProfileReport& report) {
  return filled_page(kProfileTemplate, std::filesystem::path(report.file).filename().string(), data_of(report));
}

}  // namespace onnxpress::cli
