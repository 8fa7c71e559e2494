// `onnxpress llm`: computes what a language model costs from its config.json.
#include "onnxpress/tasks/llm/llm.h"

#include <vector>

#include "cli/commands/one_model.h"
#include "cli/screens/profile_screen.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/llm/llm_config.h"
#include "onnxpress/tasks/profile/device.h"

namespace onnxpress::cli {

namespace {

struct LlmArguments : OneModel<LlmOptions> {
  std::string onnx;
  bool list = false;
};

std::string milliseconds(double ms) {
  if (ms >= 10'000) return fmt::format("{:.1f} s", ms / 1000);
  return ms >= 100 ? fmt::format("{:.0f} ms", ms) : fmt::format("{:.2f} ms", ms);
}

std::string totals(const LlmReport& report, const Screen& screen) {
  Table table({{"", Table::Align::kLeft, false, Ink::kFaint}, {"", Table::Align::kLeft, true}});
  const bool sparse = report.used_parameters < report.parameters / 2;
  table.add(
      {"parameters", fmt::format("{}{}, {} in {}", with_commas(report.parameters),
                                 sparse ? fmt::format(", {} used by a token", with_commas(report.used_parameters)) : "",
                                 human_bytes(report.weight_bytes), word_of(report.weights))});
  table.add({"prompt", fmt::format("{} for {} of {}; {} moved", with_unit(report.prefill_macs, "MACs"),
                                   counted(report.batch, "sequence", "sequences"),
                                   counted(report.prompt, "token", "tokens"), human_bytes(report.prefill_bytes))});
  if (report.decodes) {
    table.add({"next token", fmt::format("{}; {} moved, {} of it weights", with_unit(report.decode_macs, "MACs"),
                                         human_bytes(report.decode_bytes), human_bytes(report.decode_weight_bytes))});
    table.add({"cache", fmt::format("{} per token in {}, {} after {}", human_bytes(report.kv_bytes_per_token),
                                    word_of(report.kv), human_bytes(report.kv_bytes),
                                    counted(report.prompt + report.new_tokens, "token", "tokens"))});
  }
  table.add({"activations", fmt::format("{} at most in {}; {} more if attention stores its scores",
                                        human_bytes(report.activation_bytes), word_of(report.activations),
                                        human_bytes(report.score_bytes))});
  if (!report.projection) return table.to_text(screen);
  const LlmProjection& on = *report.projection;
  table.add({"device", fmt::format("{}: lower bounds from its arithmetic and memory rates", printable(on.device))});
  table.add({"memory", fmt::format("{} with weights, cache and activations{}", human_bytes(on.memory_bytes),
                                   !on.fits   ? ""
                                   : *on.fits ? ": fits"
                                              : ": does NOT fit")});
  table.add({"time", report.decodes ? fmt::format("{} for the prompt, then {} to {} per token; {} in all",
                                                  milliseconds(on.prefill_ms), milliseconds(on.first_token_ms),
                                                  milliseconds(on.last_token_ms), milliseconds(on.total_ms))
                                    : milliseconds(on.prefill_ms)});
  table.add({"tokens/s", report.decodes
                             ? fmt::format("{:.1f} of the prompt, {:.1f} new", on.prefill_tokens_per_s, on.tokens_per_s)
                             : fmt::format("{:.1f}", on.prefill_tokens_per_s)});
  return table.to_text(screen);
}

std::string part_table(const LlmReport& report, const Screen& screen) {
  using Align = Table::Align;
  const bool timed = report.projection.has_value();
  std::vector<Table::Column> columns = {
      {"part"}, {"params", Align::kRight}, {"prompt MACs", Align::kRight}, {"moved", Align::kRight}};
  const auto add_time = [&] {
    if (!timed) return;
    columns.push_back({"time", Align::kRight});
    columns.push_back({"bound by", Align::kLeft});
  };
  add_time();
  if (report.decodes) {
    columns.push_back({"token MACs", Align::kRight});
    columns.push_back({"moved", Align::kRight});
    add_time();
  }
  Table table(std::move(columns));
  for (const LlmPartLine& part : report.parts) {
    std::vector<std::string> cells = {part.part, short_number(part.parameters), short_number(part.prefill_macs),
                                      human_bytes(part.prefill_bytes)};
    if (timed) {
      cells.push_back(milliseconds(*part.prefill_ms));
      cells.push_back(part.prefill_bound);
    }
    if (report.decodes) {
      cells.push_back(short_number(part.decode_macs));
      cells.push_back(human_bytes(part.decode_bytes));
      if (timed) {
        cells.push_back(milliseconds(*part.decode_ms));
        cells.push_back(part.decode_bound);
      }
    }
    table.add(std::move(cells));
  }
  return table.to_text(screen);
}

std::string llm_screen(const LlmReport& report) {
  const Screen screen = standard_output();
  return fmt::format("{}: {}, {} of width {}\n", inked(printable(report.model), Ink::kStrong, screen), report.family,
                     counted(report.layers, "layer", "layers"), report.hidden) +
         totals(report, screen) + part_table(report, screen);
}

std::string lists(const Screen& screen) {
  std::vector<std::string> models, devices;
  for (const KnownLlm& each : known_llms()) models.emplace_back(each.name);
  for (const KnownDevice& each : known_devices()) devices.emplace_back(each.name);
  return inked("Models", Ink::kTitle, screen) + "\n" + in_columns(models, screen) +
         inked("Devices", Ink::kTitle, screen) + "\n" + in_columns(devices, screen);
}

int run_llm(const LlmArguments& arguments) {
  if (arguments.list) {
    print(lists(standard_output()));
    return kDone;
  }
  if (arguments.input.empty())
    throw UsageError("CONFIG is missing", "name a config.json or a known model (see --list)");
  if (!arguments.onnx.empty() && !arguments.onnx.ends_with(".onnx"))
    throw UsageError("--onnx writes a file that ends in .onnx, not '" + arguments.onnx + "'");
  const LlmReport report = describe_llm(arguments.input, arguments.options);
  if (!arguments.onnx.empty()) {
    Model graph = graph_of_llm(arguments.input, arguments.options);
    save_checked(graph, {.output = arguments.onnx, .read_back = false});
  }
  return tell(report, arguments.json, llm_screen);
}

}  // namespace

Action add_llm(Command& command) {
  auto arguments = std::make_shared<LlmArguments>();
  add_file_argument(command, "CONFIG", arguments->input, "config.json of a model, or a known model (see --list)")
      .required = false;
  add_options(command, arguments->options);
  add_file(command, {"--onnx"}, arguments->onnx, "also write the model as a graph, without storing weights");
  add_flag(command, "--list", arguments->list, "list known models and devices");
  add_json(command, arguments->json);
  return [arguments] { return run_llm(*arguments); };
}

}  // namespace onnxpress::cli
