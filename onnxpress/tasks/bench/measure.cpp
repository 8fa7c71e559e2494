// Talks to the workers (`bench --worker`), which answer with lines of "ok ..." or "error ...".
#include "onnxpress/tasks/bench/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <sstream>

#include "onnxpress/base/clock.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/platform/child_process.h"

namespace onnxpress {

namespace fs = std::filesystem;

namespace {

class Worker {
 public:
  Worker(const fs::path& model, const MeasureSettings& settings)
      : limit_(settings.limit), child_(words_for(model, settings)) {}

  // Returns the words after "ok". Throws Error with the worker's message, or with how it ended.
  std::string ask(const std::string& request) {
    child_.resume();
    const bool sent = child_.write_line(request);
    const auto answer = sent ? child_.read_line(limit_) : std::nullopt;
    if (!answer) {
      platform::ChildEnd end = child_.finish(sent ? 0.5 : 5);
      const std::string said = child_.errors();
      throw Error("", platform::to_string(end, limit_) + (said.empty() ? "" : ": " + said));
    }
    child_.pause();
    if (answer->starts_with("ok")) return answer->substr(std::min<std::size_t>(3, answer->size()));
    throw Error("", answer->starts_with("error ") ? answer->substr(6) : *answer);
  }

  std::vector<double> numbers(const std::string& request) {
    std::istringstream stream(ask(request));
    std::vector<double> found;
    for (double number = 0; stream >> number;) found.push_back(number);
    return found;
  }

 private:
  static std::vector<std::string> words_for(const fs::path& model, const MeasureSettings& settings) {
    std::vector<std::string> words = {settings.program, "bench",   "--worker",
                                      model.string(),   "--level", std::string(word_of(settings.level))};
    if (!settings.provider.empty()) words.insert(words.end(), {"--provider", settings.provider});
    if (settings.threads > 0) words.insert(words.end(), {"--threads", std::to_string(settings.threads)});
    return words;
  }

  double limit_;
  platform::ChildProcess child_;
};

// One contestant and its worker.
class Runner {
 public:
  Runner(Contestant& contestant, const MeasureSettings& settings, std::size_t number)
      : contestant_(contestant), settings_(settings), number_(number) {}

  bool is_alive() const { return worker_ != nullptr; }

  void begin() {
    guarded([this] {
      worker_ = std::make_unique<Worker>(contestant_.model, settings_);
      std::vector<double> loads = worker_->numbers("load");
      // A model that loads in less than a second is loaded three times.
      for (int i = 0; i < 2 && loads.back() < 1; ++i) loads.push_back(worker_->numbers("load").front());
      contestant_.load = quantile(loads, 0.5);
      worker_->ask("inputs " + settings_.inputs.string());
      contestant_.first_run = worker_->numbers("run 1").front();
      const fs::path outputs = settings_.outputs / std::to_string(number_);
      fs::create_directories(outputs);
      worker_->ask("save " + outputs.string());
      time_ = quantile(worker_->numbers("run 3"), 0.5);
    });
  }

  // Runs for about that long. The first run starts with cold caches and does not count, unless it is the only one.
  void turn(double seconds) {
    guarded([&] {
      const double count = std::clamp(seconds / std::max(time_, 1e-7), 1.0, 500.0);
      std::vector<double> times = worker_->numbers(fmt::format("run {}", static_cast<int>(count) + 1));
      if (times.size() > 1) times.erase(times.begin());
      contestant_.turns.push_back(quantile(times, 0.5));
      contestant_.times.insert(contestant_.times.end(), times.begin(), times.end());
    });
  }

  void end() {
    guarded([this] { contestant_.memory = static_cast<std::uint64_t>(worker_->numbers("memory").front()); });
    worker_.reset();
  }

 private:
  template <typename Work>
  void guarded(const Work& work) {
    if (!contestant_.error.empty()) return;
    try {
      work();
    } catch (const Error& error) {
      contestant_.error = error.message();
      worker_.reset();
    }
  }

  Contestant& contestant_;
  const MeasureSettings& settings_;
  std::size_t number_;
  std::unique_ptr<Worker> worker_;
  double time_ = 0;
};

}  // namespace

double quantile(std::vector<double> numbers, double share) {
  if (numbers.empty()) return 0;
  std::ranges::sort(numbers);
  const double at = share * static_cast<double>(numbers.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, numbers.size() - 1);
  return numbers[low] + (numbers[high] - numbers[low]) * (at - static_cast<double>(low));
}

std::uint64_t measure(std::vector<Contestant>& contestants, const MeasureSettings& settings) {
  constexpr std::uint64_t kLeastRounds = 5, kMostRounds = 200;
  std::vector<std::unique_ptr<Runner>> runners;
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    runners.push_back(std::make_unique<Runner>(contestants[i], settings, i));
    runners.back()->begin();
  }
  const auto alive = std::ranges::count_if(runners, [](const auto& each) { return each->is_alive(); });
  if (alive == 0) return 0;
  // Short turns in many rounds, so that a disturbance of a second affects all models alike.
  const double turn = std::clamp(settings.seconds / static_cast<double>(alive) / 40, 0.01, 0.5);
  const auto begin = Clock::now();
  std::uint64_t rounds = 0;
  for (; rounds < kMostRounds && (rounds < kLeastRounds || seconds_since(begin) < settings.seconds); ++rounds) {
    // Every other round runs in reverse, so that no model always follows the same one.
    for (std::size_t i = 0; i < runners.size(); ++i) {
      const std::size_t k = rounds % 2 == 0 ? i : runners.size() - 1 - i;
      if (runners[k]->is_alive()) runners[k]->turn(turn);
    }
    if (seconds_since(begin) > std::max(5 * settings.seconds, 15.0)) break;  // single runs take many seconds
  }
  for (const auto& runner : runners) runner->end();
  return rounds;
}

void save_plain_outputs(const fs::path& model, const MeasureSettings& settings, const fs::path& folder) {
  Worker worker(model, settings);
  worker.ask("load plainly");
  worker.ask("inputs " + settings.inputs.string());
  fs::create_directories(folder);
  worker.ask("save " + folder.string());
}

ProfiledModel profile_of(const fs::path& model, const MeasureSettings& settings, std::uint64_t runs) {
  Worker worker(model, settings);
  worker.ask("load");
  worker.ask("inputs " + settings.inputs.string());
  const fs::path folder = settings.outputs / "profile";
  fs::create_directories(folder);
  const std::string profile = worker.ask(fmt::format("profile {} {}", runs + 1, folder.string()));
  return {.profile = profile, .optimized = folder / "optimized.onnx"};
}

}  // namespace onnxpress
