// Measures models and variants of them side by side in ONNX Runtime. The report behind `onnxpress bench`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/engines/ort/session.h"
#include "onnxpress/tasks/bench/node_times.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/settings/bindings.h"

namespace onnxpress {
template <>
struct Words<engines::OrtLevel> {
  static constexpr std::pair<std::string_view, engines::OrtLevel> kAll[] = {{"off", engines::OrtLevel::kOff},
                                                                            {"basic", engines::OrtLevel::kBasic},
                                                                            {"extended", engines::OrtLevel::kExtended},
                                                                            {"all", engines::OrtLevel::kAll}};
};
}  // namespace onnxpress

namespace onnxpress {

struct BenchOptions {
  Names with;
  std::optional<std::string> samples, keep;
  std::string python, provider;
  double seconds = 20, time_limit = 120;
  engines::OrtLevel level = engines::OrtLevel::kAll;
  bool brotli = false, nodes = false;
  BindingOptions bindings;
  LoadOptions load;
  std::string program;   // the onnxpress command, which runs `bench --worker`, `optimize`, `shrink` and `quantize`
  unsigned threads = 0;  // of each session; 0: ONNX Runtime decides

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("with", &BenchOptions::with,
          "variants of the first model, separated by commas; a variant is one step or several joined by '+': optimize, "
          "shrink, int8, int4, fp16, dynamic, or a tool in Python: onnxsim, onnxslim, onnxoptimizer, ort-basic, "
          "ort-extended, ort-all, shrinkray, quantize-dynamic");
    visit("samples", &BenchOptions::samples, "a folder of inputs instead of random ones; the first set is used");
    visit("keep", &BenchOptions::keep, "keep the variants in this folder");
    visit("python", &BenchOptions::python,
          "Python for the other tools (default: the active environment's, or python3)");
    visit("seconds", &BenchOptions::seconds, "how long to run all models together (default 20)");
    visit("time_limit", &BenchOptions::time_limit, "how many seconds each step of a variant may take (default 120)");
    visit("level", &BenchOptions::level, "ONNX Runtime's own optimizations: all (default), extended, basic or off");
    visit("provider", &BenchOptions::provider,
          "execution provider of ONNX Runtime: cpu (default), cuda, or another one that it has");
    visit("brotli", &BenchOptions::brotli, "also measure the download size after brotli -q 11 (slow for large files)");
    visit("nodes", &BenchOptions::nodes,
          "also report the time of every node of the first model, with its work and bytes");
    visit("", &BenchOptions::bindings, "");
    visit("", &BenchOptions::load, "");
  }
};

// One model in the table.
struct BenchRow {
  std::string name, file, error;
  std::optional<double> made_seconds;
  std::uint64_t made_memory = 0, errors = 0;
  std::uint64_t bytes = 0, nodes = 0, parameters = 0;
  std::optional<std::uint64_t> gzip, brotli, macs, memory;
  std::optional<double> load, first_run, median, p95, low, high, throughput;
  std::optional<double> speed, noise;
  bool in_noise = false;
  std::optional<double> snr, max_abs, top1;
  bool same_bits = false, in_floor = false;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &BenchRow::name, "name of the variant or of the file");
    visit("file", &BenchRow::file, "its path; empty if there is no file");
    visit("error", &BenchRow::error, "why there are no figures; empty if there are");
    visit("made_seconds", &BenchRow::made_seconds, "how long it took to make the variant; null for files");
    visit("made_memory", &BenchRow::made_memory, "peak memory of the steps that made it, in bytes");
    visit("errors", &BenchRow::errors, "errors that `check` finds in it");
    visit("bytes", &BenchRow::bytes, "size of the file in bytes, including external data");
    visit("gzip", &BenchRow::gzip, "download size after gzip -9");
    visit("brotli", &BenchRow::brotli, "download size after brotli -q 11, with option `brotli`");
    visit("nodes", &BenchRow::nodes, "nodes, including bodies, without Constant nodes");
    visit("parameters", &BenchRow::parameters, "elements of weights");
    visit("macs", &BenchRow::macs, "multiply-adds of one run; null when not known");
    visit("memory", &BenchRow::memory, "peak resident memory of the process, in bytes");
    visit("load", &BenchRow::load, "seconds to load the model, the median of three");
    visit("first_run", &BenchRow::first_run, "time of the first run, in seconds");
    visit("median", &BenchRow::median, "median time of a run, in seconds");
    visit("p95", &BenchRow::p95, "95th percentile of the time of a run, in seconds");
    visit("low", &BenchRow::low, "lower quartile");
    visit("high", &BenchRow::high, "upper quartile");
    visit("throughput", &BenchRow::throughput, "runs per second, one after another");
    visit("speed", &BenchRow::speed, "speed relative to the first model: 2 is twice as fast");
    visit("noise", &BenchRow::noise, "uncertainty of `speed`, as a share of it");
    visit("in_noise", &BenchRow::in_noise, "true if the difference from the first model is no larger than that");
    visit("same_bits", &BenchRow::same_bits, "true if the outputs equal those of the first model, bit for bit");
    visit("snr", &BenchRow::snr,
          "signal-to-noise ratio of the worst output against the first model, in dB; null: no difference");
    visit("in_floor", &BenchRow::in_floor, "true if the error is at most twice what rounding explains (`floor_snr`)");
    visit("max_abs", &BenchRow::max_abs, "largest difference of an element");
    visit("top1", &BenchRow::top1, "share of rows with the same best class; null: not scores of classes");
  }
};

struct BenchReport {
  std::string runtime, inputs;
  std::uint64_t threads = 0, rounds = 0;
  std::optional<double> noise, floor_snr;
  bool noisy = false;
  std::vector<BenchRow> rows;
  std::optional<NodeTimes> nodes;
  std::vector<std::string> notes;
  double seconds = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("runtime", &BenchReport::runtime,
          "the runtime and its version; empty if none was found (then there are no times)");
    visit("inputs", &BenchReport::inputs, "inputs that the models ran on");
    visit("threads", &BenchReport::threads, "threads for each model; 0: the runtime decides");
    visit("rounds", &BenchReport::rounds, "turns of each model");
    visit("noise", &BenchReport::noise, "relative difference between two processes that run the first model");
    visit("noisy", &BenchReport::noisy, "true if that is more than 2 %");
    visit("floor_snr", &BenchReport::floor_snr,
          "the first model against itself run without the runtime's optimizations and packed weights, in dB; null if "
          "the bits are the same, or no variant needs it");
    visit("rows", &BenchReport::rows, "the models; the first is the one that the others are compared with");
    visit("nodes", &BenchReport::nodes, "with option `nodes`: where the time goes");
    visit("notes", &BenchReport::notes, "what could not be measured, and why");
    visit("seconds", &BenchReport::seconds, "total time in seconds");
  }
};

// Measures the models and the variants of the first. Problems with one of them are recorded in its row. Throws Error
// when the first model cannot be read, or a variant is not known. `progress` is told what is being done.
BenchReport bench(const std::vector<std::string>& models, const BenchOptions& options,
                  const std::function<void(const std::string& what)>& progress = {});

std::string to_json(const BenchReport& report);
std::string to_csv(const BenchReport& report);

}  // namespace onnxpress
