// Runs the model, and reads the profile that ONNX Runtime writes when a session ends.
#include "onnxpress/engines/ort/kernel_times.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "onnxpress/base/clock.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/temporary_folder.h"

namespace onnxpress::engines {

namespace {

constexpr double kSeconds = 0.5;
constexpr std::uint64_t kFewestRuns = 5, kMostRuns = 200;
constexpr std::string_view kKernel = "_kernel_time";

double median(std::vector<double> numbers) {
  if (numbers.empty()) return 0;
  std::ranges::sort(numbers);
  const std::size_t half = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
}

struct Event {
  std::string name, op;
  double begin = 0, duration = 0;
};

struct Events {
  std::vector<Event> kernels, runs;  // by time
};

std::string text_in(const nlohmann::json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}
double number_in(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

Events read_events(const std::filesystem::path& path) {
  std::ifstream file(path);
  const nlohmann::json all = nlohmann::json::parse(file, nullptr, false);
  Events found;
  if (!all.is_array()) throw Error("", "ONNX Runtime wrote a profile that cannot be read", "");
  for (const nlohmann::json& each : all) {
    if (!each.is_object()) continue;
    Event event{text_in(each, "name"), "", number_in(each, "ts"), number_in(each, "dur")};
    if (event.name == "model_run")
      found.runs.push_back(std::move(event));
    else if (event.name.ends_with(kKernel)) {
      event.name.resize(event.name.size() - kKernel.size());
      if (each.contains("args")) event.op = text_in(each["args"], "op_name");
      found.kernels.push_back(std::move(event));
    }
  }
  // If two begin together, the longer one contains the other.
  std::ranges::stable_sort(found.kernels, [](const Event& a, const Event& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.duration > b.duration;
  });
  std::ranges::stable_sort(found.runs, {}, &Event::begin);
  return found;
}

// The time of each kernel without the kernels inside it: the time of a Loop includes the kernels in its body.
std::vector<double> own_times(const std::vector<Event>& kernels) {
  std::vector<double> own(kernels.size());
  std::vector<std::size_t> around;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    own[i] = kernels[i].duration;
    while (!around.empty() && kernels[around.back()].begin + kernels[around.back()].duration <= kernels[i].begin)
      around.pop_back();
    if (!around.empty() &&
        kernels[around.back()].begin + kernels[around.back()].duration >= kernels[i].begin + kernels[i].duration)
      own[around.back()] = std::max(0.0, own[around.back()] - kernels[i].duration);
    around.push_back(i);
  }
  return own;
}

std::vector<KernelTime> kernels_of(const Events& events) {
  const std::vector<double> own = own_times(events.kernels);
  std::map<std::string, std::vector<double>> by_name;  // one time for each run except the first
  std::vector<KernelTime> order;
  const std::size_t runs = events.runs.size();
  std::size_t run = 0;
  for (std::size_t i = 0; i < events.kernels.size(); ++i) {
    const Event& kernel = events.kernels[i];
    while (run < runs && kernel.begin > events.runs[run].begin + events.runs[run].duration) ++run;
    if (run == 0 || run >= runs) continue;  // the first run only warms up
    auto [at, is_new] = by_name.try_emplace(kernel.name, std::vector<double>(runs - 1, 0.0));
    if (is_new) order.push_back({kernel.name, kernel.op, 0});
    at->second[run - 1] += own[i];
  }
  for (KernelTime& each : order) {
    std::vector<double>& times = by_name.at(each.name);
    std::ranges::sort(times);
    each.microseconds = median(times);
    each.p90 = times[std::min(times.size() - 1, times.size() * 9 / 10)];
    each.least = times.front();
  }
  return order;
}

std::filesystem::path profile_in(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") return entry.path();
  }
  throw Error("", "ONNX Runtime wrote no profile", "");
}

}  // namespace

KernelTimes read_kernel_times(const std::filesystem::path& profile) {
  const Events events = read_events(profile);
  KernelTimes times;
  for (std::size_t i = 1; i < events.runs.size(); ++i) times.run_milliseconds.push_back(events.runs[i].duration / 1000);
  times.kernels = kernels_of(events);
  return times;
}

KernelTimes time_kernels(const std::shared_ptr<const OnnxRuntime>& runtime, const std::filesystem::path& model,
                         const OrtSession::Inputs& inputs, const TimeSettings& settings,
                         const std::filesystem::path& optimized) {
  const TemporaryFolder folder(std::filesystem::temp_directory_path());
  KernelTimes times;
  {
    SessionSettings how;
    how.threads = settings.threads;
    const std::string prefix = (folder.path() / "profile").string(), changed = optimized.string();
    how.profile_prefix = prefix.c_str();
    how.optimized_path = changed.c_str();
    const OrtSession session(runtime, model, how);
    session.run(inputs);
    const auto begin = Clock::now();
    const auto seconds = [&begin] { return seconds_since(begin); };
    for (std::uint64_t i = 0;
         settings.runs > 0 ? i < settings.runs : i < kMostRuns && (i < kFewestRuns || seconds() < kSeconds); ++i) {
      const auto start = Clock::now();
      session.run(inputs);
      times.run_milliseconds.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
  }
  times.kernels = read_kernel_times(profile_in(folder.path())).kernels;
  return times;
}

}  // namespace onnxpress::engines
