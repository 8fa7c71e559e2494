// Passes arrays to Python as .npy files, and reads the numbers back as JSON.
#include "onnxpress/tasks/verify/user_metric.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "onnxpress/base/error.h"
#include "onnxpress/base/platform/child_process.h"
#include "onnxpress/base/temporary_folder.h"
#include "onnxpress/inputs/npy.h"
#include "onnxpress/tasks/bench/variants.h"
#include "onnxpress/tasks/verify/label_metrics.h"

namespace onnxpress {

namespace fs = std::filesystem;

namespace {

// argv: the user's file, the folder of arrays, and the labels or an empty string.
constexpr const char* kCode =
    "import sys, json, importlib.util, numpy as np\n"
    "file, folder, labels = sys.argv[1:4]\n"
    "spec = importlib.util.spec_from_file_location('user_metric', file)\n"
    "module = importlib.util.module_from_spec(spec)\n"
    "spec.loader.exec_module(module)\n"
    "labels = np.load(labels) if labels else None\n"
    "listed = json.load(open(folder + '/names'))\n"
    "def outputs(model):\n"
    "    return [{n: np.load(f'{folder}/{model}/{i}_{k}.npy') for k, n in enumerate(listed['names'])}\n"
    "            for i in range(listed['runs'])]\n"
    "def plain(found):\n"
    "    found = found if isinstance(found, dict) else {'metric': found}\n"
    "    return {str(k): float(v) for k, v in found.items()}\n"
    "print('metrics ' + json.dumps([plain(module.metric(outputs(m), labels)) for m in ('first', 'second')]))\n";

void write_arrays(const fs::path& folder, const std::vector<std::vector<ops::Datum>>& runs) {
  fs::create_directories(folder);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (std::size_t k = 0; k < runs[i].size(); ++k) {
      if (!runs[i][k].array()) throw Error("", "a metric only works for tensors");
      std::ofstream(folder / fmt::format("{}_{}.npy", i, k), std::ios::binary)
          << inputs::encode_npy(*runs[i][k].array());
    }
  }
}

}  // namespace

std::vector<MetricLine> user_metrics(const UserMetric& metric, const VerifyResult& report) {
  const TemporaryFolder folder(fs::temp_directory_path());
  write_arrays(folder.path() / "first", report.kept_first);
  write_arrays(folder.path() / "second", report.kept_second);
  std::ofstream(folder.path() / "names") << nlohmann::json{
      {"names", metric.names},
      {"runs", report.kept_first.size()}}.dump();
  platform::ChildProcess child(
      {find_python(), "-c", kCode, metric.file, folder.path().string(), metric.labels.value_or("")});
  std::string found;
  while (const auto line = child.read_line(metric.limit)) {
    if (line->starts_with("metrics ")) found = line->substr(8);
  }
  const platform::ChildEnd end = child.finish(1);
  const auto values = nlohmann::json::parse(found, nullptr, /*allow_exceptions=*/false);
  if (!end.is_good() || !values.is_array() || values.size() != 2) {
    Error error("", fmt::format("the metric {}: {}", platform::to_string(end, metric.limit), child.errors()),
                "it must have metric(outputs, labels) that returns a number or a dict of numbers; NumPy is needed");
    error.set_file(metric.file);
    throw error;
  }
  std::vector<MetricLine> lines;
  for (const auto& [name, value] : values[0].items())
    lines.push_back({.name = name, .first = value.get<double>(), .second = values[1].value(name, std::nan(""))});
  return lines;
}

void add_metrics(const VerifyOptions& options, VerifyResult& report) {
  if (report.kept_first.empty()) return;
  if (options.labels)
    report.metrics = label_metrics(report.kept_first, report.kept_second, inputs::read_npy(*options.labels));
  if (!options.metric) return;
  UserMetric metric{.file = *options.metric, .labels = options.labels};
  for (const VerifiedOutput& each : report.engines.front().outputs) metric.names.push_back(each.output);
  for (MetricLine& line : user_metrics(metric, report)) report.metrics.push_back(std::move(line));
}

}  // namespace onnxpress
