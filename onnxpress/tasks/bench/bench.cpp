// Makes the variants, measures everything in turns, and compares with the first model.
#include "onnxpress/tasks/bench/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "onnxpress/base/clock.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/temporary_folder.h"
#include "onnxpress/engines/find_engine.h"
#include "onnxpress/engines/ort/ort_engine.h"
#include "onnxpress/engines/own_process.h"
#include "onnxpress/inputs/npy.h"
#include "onnxpress/inputs/plan.h"
#include "onnxpress/inputs/samples.h"
#include "onnxpress/tasks/bench/measure.h"
#include "onnxpress/tasks/bench/saved_difference.h"
#include "onnxpress/tasks/bench/variants.h"
#include "onnxpress/tasks/files/compressed_sizes.h"
#include "onnxpress/tasks/files/convert.h"
#include "onnxpress/tasks/inspect/check.h"
#include "onnxpress/tasks/jobs/ask_files.h"
#include "onnxpress/tasks/profile/profile.h"
#include "onnxpress/tasks/report/json_report.h"

namespace onnxpress {

namespace fs = std::filesystem;

namespace {

using engines::NamedArrays;

// External files next to the model are part of it.
std::vector<std::string> files_of(const std::string& path, const LoadOptions& load) {
  std::vector<std::string> files{path};
  const LoadedModel loaded = open_model(path, load);
  for (const auto& each : loaded.model.external_files) {
    const std::string other = each->path().string();
    if (fs::exists(other) && std::ranges::find(files, other) == files.end()) files.push_back(other);
  }
  return files;
}

// Whether enough rounds agree on which model is faster (a sign test). With five rounds, all may agree by chance.
bool agree(const std::vector<double>& ratios) {
  constexpr std::size_t kFewest = 6;
  constexpr double kDeviations = 1.96;  // 95 % confidence
  const auto count = static_cast<double>(ratios.size());
  const auto faster = static_cast<double>(std::ranges::count_if(ratios, [](double ratio) { return ratio > 1; }));
  return ratios.size() >= kFewest && std::abs(2 * faster - count) >= kDeviations * std::sqrt(count);
}

class Bench {
 public:
  Bench(const BenchOptions& options, const std::function<void(const std::string&)>& progress)
      : options_(options), progress_(progress), folder_(fs::temp_directory_path()) {
    if (options.keep) fs::create_directories(*options.keep);
  }

  BenchReport run(const std::vector<std::string>& models) {
    const auto begin = Clock::now();
    for (const std::string& variant : options_.with) steps_of(variant);  // reports a typo before anything runs
    for (const std::string& model : models) add_file(model);
    check_inputs();
    for (const std::string& variant : options_.with) add_variant(variant);
    const bool can_run = prepare();
    for (BenchRow& row : report_.rows) describe(row);
    if (can_run) time_all();
    report_.seconds = seconds_since(begin);
    return std::move(report_);
  }

 private:
  void say(const std::string& what) const {
    if (progress_) progress_(what);
  }

  // ONNX Runtime reads .onnx only.
  void add_file(const std::string& path) {
    BenchRow row{.name = fs::path(path).filename().string(), .file = path};
    try {
      const LoadedModel loaded = open_model(path, options_.load);
      if (loaded.format != ModelForm::kOnnx) {
        row.file = (folder_.path() / fmt::format("model{}.onnx", report_.rows.size())).string();
        convert(path, row.file, {.load = options_.load}, {});
      }
    } catch (const Error& error) {
      if (report_.rows.empty()) throw;
      row.error = error.what();
    }
    report_.rows.push_back(std::move(row));
  }

  void add_variant(const std::string& variant) {
    say("making " + variant);
    const fs::path place = options_.keep ? fs::path(*options_.keep) : folder_.path() / variant;
    fs::create_directories(place);
    const fs::path result = place / (fs::path(report_.rows.front().file).stem().string() + "." + variant + ".onnx");
    BenchRow row{.name = variant, .file = result.string()};
    const MadeVariant made = make_variant(report_.rows.front().file, variant, result,
                                          {.program = options_.program,
                                           .python = options_.python.empty() ? find_python() : options_.python,
                                           .limit = options_.time_limit});
    row.made_seconds = made.seconds;
    row.made_memory = made.memory;
    row.error = made.error;
    if (!row.error.empty()) row.file.clear();
    report_.rows.push_back(std::move(row));
  }

  // Reports options that do not fit the first model before any variant is made.
  void check_inputs() const {
    LoadedModel loaded = open_model(report_.rows.front().file, options_.load);
    const analysis::Facts facts(loaded.model, settings_of(options_.bindings, loaded.model));
    require_fitting(facts, loaded.model);
    if (options_.samples) inputs::read_samples(*options_.samples, loaded.model);
  }

  // Fills in what is known without running the model.
  void describe(BenchRow& row) {
    if (!row.error.empty()) return;
    say("reading " + row.name);
    try {
      const std::vector<std::string> files = files_of(row.file, options_.load);
      for (const std::string& file : files) row.bytes += fs::file_size(file);
      CheckOptions check;
      check.load = options_.load;
      row.errors = check_file(row.file, check).errors;
      const ProfileReport work = work_as_run(row.file);
      row.parameters = work.parameters;
      row.nodes = static_cast<std::uint64_t>(
          std::ranges::count_if(work.node_list, [](const NodeProfile& each) { return each.op != "Constant"; }));
      if (work.macs.value && !work.macs.at_least) row.macs = work.macs.value;
      constexpr std::uint64_t kMostCompressed = std::uint64_t{256} << 20;
      if (can_compress() && row.bytes < kMostCompressed) {
        row.gzip = compressed_size(files, Compressor::kGzip);
        if (options_.brotli) row.brotli = compressed_size(files, Compressor::kBrotli);
      }
    } catch (const Error& error) {
      row.error = error.what();
    }
  }

  // Finds the runtime, and inputs that the first model accepts. Returns false, with a note, if one is missing.
  bool prepare() {
    const auto runtime = engines::OnnxRuntime::find();
    if (!runtime) {
      report_.notes.emplace_back(fmt::format("no ONNX Runtime was found, so nothing was run: {}", engines::kHowToGet));
      return false;
    }
    // A model may crash the runtime or never finish.
    const auto engine = engines::in_own_process(engines::ort_engine(runtime, options_.provider), options_.time_limit);
    report_.runtime = engine->name();
    report_.threads = options_.threads;
    if (const std::string problem = make_inputs(*engine); !problem.empty()) {
      report_.notes.push_back(fmt::format("nothing was run, because the first model does not run: {}", problem));
      return false;
    }
    return true;
  }

  // Returns the problem, or an empty string.
  std::string make_inputs(const engines::Engine& engine) {
    const fs::path folder = folder_.path() / "inputs";
    fs::create_directories(folder);
    fs::create_directories(folder_.path() / "outputs");
    try {
      const inputs::InputSet set = inputs_that_run(engine);
      report_.inputs = set.about;
      write_inputs(set, folder);
    } catch (const Error& error) {
      return error.message();
    }
    return {};
  }

  void time_all() {
    // The first model runs in two processes: the difference between the two is the noise of the machine.
    std::vector<Contestant> contestants(1);
    contestants.front().model = report_.rows.front().file;
    std::vector<BenchRow*> rows;
    for (BenchRow& row : report_.rows) {
      if (!row.error.empty()) continue;
      rows.push_back(&row);
      contestants.push_back({.model = row.file});
    }
    say(fmt::format("running {} models in turns", rows.size()));
    const MeasureSettings settings = settings_for();
    report_.rounds = measure(contestants, settings);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      fill(*rows[i], contestants[i + 1]);
      compare_times(*rows[i], contestants[i + 1], contestants[1], contestants[0]);
      if (rows[i]->error.empty()) measure_loss(*rows[i], settings.outputs, i + 1);
    }
    add_floor(settings);
    if (options_.nodes && report_.rows.front().error.empty()) add_node_times(settings);
  }

  MeasureSettings settings_for() const {
    return {.program = options_.program,
            .threads = options_.threads,
            .level = options_.level,
            .provider = options_.provider,
            .inputs = folder_.path() / "inputs",
            .outputs = folder_.path() / "outputs",
            .seconds = options_.seconds,
            .limit = options_.time_limit};
  }

  inputs::InputSet inputs_that_run(const engines::Engine& engine) const {
    LoadedModel loaded = open_model(report_.rows.front().file, options_.load);
    const analysis::FactSettings facts_settings = settings_of(options_.bindings, loaded.model);
    const analysis::Facts facts(loaded.model, facts_settings);
    if (options_.samples) return std::move(inputs::read_samples(*options_.samples, loaded.model).front());
    engines::NamedArrays values(facts_settings.values.begin(), facts_settings.values.end());
    inputs::InputPlan plan(loaded.model, facts, std::move(values), 0);
    const auto opened = engine.open(loaded.model);
    return plan.first([&](const inputs::InputSet& each) { opened->run(each.arrays); }, inputs::kUsualSizes);
  }

  // Writes the names into one file and the arrays into numbered files, because names of inputs may not be valid file
  // names.
  void write_inputs(const inputs::InputSet& set, const fs::path& folder) {
    std::ofstream names(folder / "names");
    for (std::size_t i = 0; i < set.arrays.size(); ++i) {
      const auto& [name, array] = set.arrays[i];
      names << name << '\n';
      std::ofstream(folder / fmt::format("{}.npy", i), std::ios::binary) << inputs::encode_npy(array);
      shapes_.push_back(fmt::format("{}={}", name, fmt::join(array.sizes(), ",")));
    }
  }

  static void fill(BenchRow& row, const Contestant& found) {
    row.error = found.error;
    if (!row.error.empty()) return;
    row.memory = found.memory;
    row.load = found.load;
    row.first_run = found.first_run;
    row.median = quantile(found.times, 0.5);
    row.p95 = quantile(found.times, 0.95);
    row.low = quantile(found.times, 0.25);
    row.high = quantile(found.times, 0.75);
    if (*row.median > 0) row.throughput = 1 / *row.median;
  }

  // Compares round by round, so that a slow moment of the machine affects both. `twin` is a second process of the first
  // model.
  void compare_times(BenchRow& row, const Contestant& one, const Contestant& first, const Contestant& twin) {
    if (!row.error.empty() || !first.error.empty() || !twin.error.empty()) return;
    std::vector<double> ratios, same;
    for (std::size_t i = 0; i < one.turns.size() && i < first.turns.size() && i < twin.turns.size(); ++i) {
      ratios.push_back((first.turns[i] + twin.turns[i]) / 2 / one.turns[i]);
      same.push_back(first.turns[i] / twin.turns[i]);
    }
    const double between = std::abs(quantile(same, 0.5) - 1);
    report_.noise = between;
    report_.noisy = between > 0.02;
    row.speed = &one == &first ? 1 : quantile(ratios, 0.5);
    // The notch of a box plot: medians that differ by less cannot be told apart.
    const auto notch = [](const std::vector<double>& numbers) {
      return 1.57 * (quantile(numbers, 0.75) - quantile(numbers, 0.25)) /
             std::sqrt(static_cast<double>(numbers.size()));
    };
    row.noise = std::max({between, notch(same), notch(ratios) / *row.speed});
    const bool is_small = std::abs(*row.speed - 1) <= *row.noise * std::max(1.0, *row.speed);
    row.in_noise = &one != &first && (is_small || !agree(ratios));
  }

  void measure_loss(BenchRow& row, const fs::path& outputs, std::size_t number) {
    try {
      const SavedDifference found = saved_difference(outputs / "1", outputs / std::to_string(number));
      if (!found.all.why.empty())
        report_.notes.push_back(fmt::format("{}: an output differs: {}", row.name, found.all.why));
      row.snr = found.lowest_snr;
      row.same_bits = found.all.same_bits;
      if (found.all.is_real) row.max_abs = found.all.distance.max_abs;
      row.top1 = found.all.classes.top1();
    } catch (const Error& error) {
      report_.notes.push_back(fmt::format("{}: its outputs were not compared: {}", row.name, error.message()));
    }
  }

  // The runtime chooses kernels by details such as where weights are stored and what it can fuse. So the first model is
  // also run without optimizations: a difference of that size is no error of a variant.
  void add_floor(const MeasureSettings& settings) {
    const auto is_off = [](const BenchRow& row) {
      return row.error.empty() && row.median && row.snr && !row.same_bits;
    };
    if (std::ranges::none_of(report_.rows, is_off) || !report_.rows.front().error.empty()) return;
    say("running the first model without optimizations");
    try {
      const fs::path plain = settings.outputs / "plain";
      save_plain_outputs(report_.rows.front().file, settings, plain);
      report_.floor_snr = saved_difference(settings.outputs / "1", plain).lowest_snr;
    } catch (const Error&) {  // then errors are shown without a floor
      return;
    }
    constexpr double kTwice = 6.02;  // dB
    for (BenchRow& row : report_.rows)
      row.in_floor = is_off(row) && report_.floor_snr && *row.snr > *report_.floor_snr - kTwice;
  }

  void add_node_times(const MeasureSettings& settings) {
    say("timing nodes");
    try {
      constexpr std::uint64_t kRuns = 10;
      const ProfiledModel profiled = profile_of(report_.rows.front().file, settings, kRuns);
      const LoadedModel loaded = open_model(report_.rows.front().file, options_.load);
      const LoadedModel changed = open_model(profiled.optimized.string());
      report_.nodes = node_times(engines::read_kernel_times(profiled.profile), loaded.model, changed.model,
                                 work_as_run(report_.rows.front().file));
    } catch (const Error& error) {
      report_.notes.push_back(fmt::format("nodes were not timed: {}", error.message()));
    }
  }

  // The work at the sizes of the inputs, if there are inputs.
  ProfileReport work_as_run(const std::string& path) const {
    ProfileOptions profile;
    profile.load = options_.load;
    profile.bindings = options_.bindings;
    if (!shapes_.empty()) {
      profile.bindings.dim.clear();
      profile.bindings.shape = shapes_;
    }
    return profile_file(path, profile);
  }

  const BenchOptions& options_;
  const std::function<void(const std::string&)>& progress_;
  TemporaryFolder folder_;
  std::vector<std::string> shapes_;  // of the inputs, in the form of option `shape`
  BenchReport report_;
};

}  // namespace

BenchReport bench(const std::vector<std::string>& models, const BenchOptions& options,
                  const std::function<void(const std::string&)>& progress) {
  return Bench(options, progress).run(models);
}

std::string to_json(const BenchReport& report) { return json_text(report); }

}  // namespace onnxpress
