// The main graph as a drawing needs it. Bodies of If, Loop and Scan are counted, not drawn.
#include <span>
#include <string>
#include <string_view>

#include "onnxpress/ir/model.h"
#include "onnxpress/ir/node.h"
#include "onnxpress/tasks/inputs/load_model.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/text/print_model.h"
#include "web/bridge/tasks.h"

namespace onnxpress::web {

namespace {

void write_text(tasks::ReportSink& sink, std::string_view key, std::string_view text) {
  sink.key(key);
  sink.text(text);
}

// Omitted operands are empty texts, as in files.
void write_node(const Node& node, tasks::ReportSink& sink) {
  sink.begin_object();
  write_text(sink, "name", node.name());
  write_text(sink, "op", node.op_type());
  write_text(sink, "domain", normal_domain(node.domain()));
  sink.key("inputs");
  sink.begin_list();
  for (const Use& use : node.inputs()) sink.text(use.value() ? use.value()->name() : std::string_view());
  sink.end_list();
  sink.key("outputs");
  sink.begin_list();
  for (const Value* value : node.outputs()) sink.text(value ? value->name() : std::string_view());
  sink.end_list();
  constexpr std::uint64_t kShort = 8;
  write_text(sink, "text", text::print_node(node, {.elide_above = kShort, .hide_bodies = true}));
  sink.end_object();
}

void write_weight(const Value& value, tasks::ReportSink& sink) {
  const Tensor* tensor = value.initializer();
  if (!tensor) return;
  sink.begin_object();
  write_text(sink, "name", value.name());
  write_text(sink, "type", to_string(tensor->type, tensor->dims));
  sink.key("bytes");
  sink.natural(tensor->expected_bytes().value_or(0));
  sink.end_object();
}

void write_names(std::span<ValueInfo* const> infos, std::string_view key, tasks::ReportSink& sink) {
  sink.key(key);
  sink.begin_list();
  for (const ValueInfo* info : infos) sink.text(info->value->name());
  sink.end_list();
}

}  // namespace

std::string graph_json(const std::string& path) {
  const tasks::LoadedModel loaded = tasks::load_model(path);
  const Graph& graph = loaded.model.graph();
  return tasks::json_text_of([&graph](tasks::ReportSink& sink) {
    sink.begin_object();
    write_text(sink, "name", graph.name());
    write_names(graph.inputs(), "inputs", sink);
    write_names(graph.outputs(), "outputs", sink);
    sink.key("nodes");
    sink.begin_list();
    for (const Node& node : graph.nodes()) write_node(node, sink);
    sink.end_list();
    sink.key("weights");
    sink.begin_list();
    for (const Value* value : graph.initializers()) write_weight(*value, sink);
    sink.end_list();
    sink.end_object();
  });
}

}  // namespace onnxpress::web
