// Loads, runs and times one model.
#include "cli/commands/bench_worker.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

#include "cli/arguments/command_line.h"
#include "cli/terminal/screen.h"
#include "onnxpress/base/clock.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/platform/process.h"
#include "onnxpress/engines/find_engine.h"
#include "onnxpress/engines/ort/providers.h"
#include "onnxpress/inputs/npy.h"

namespace onnxpress::cli {

namespace fs = std::filesystem;

namespace {

class Worker {
 public:
  Worker(std::string model, const engines::SessionSettings& settings) : model_(std::move(model)), settings_(settings) {
    runtime_ = engines::OnnxRuntime::find();
    if (!runtime_) throw Error("", "no ONNX Runtime was found", engines::kHowToGet);
    settings_.provider = engines::find_provider(*runtime_, settings_.provider);
  }

  std::string obey(const std::string& request) {
    std::istringstream words(request);
    std::string verb;
    words >> verb;
    if (verb == "load") return load(rest_of(words) == "plainly");
    if (verb == "memory") return std::to_string(platform::peak_memory());
    std::int64_t count = 0;
    if (verb == "run" && words >> count) return run(count);
    if (verb == "profile" && words >> count) return profile(count, rest_of(words));
    if (verb == "inputs") return read_inputs(rest_of(words));
    if (verb == "save") return save(rest_of(words));
    throw Error("", fmt::format("unknown request '{}'", verb));
  }

 private:
  static fs::path rest_of(std::istringstream& words) {
    std::string path;
    std::getline(words >> std::ws, path);
    return path;
  }

  // With `plainly`, without the runtime's optimizations and without packed weights.
  std::string load(bool plainly) {
    session_.reset();
    engines::SessionSettings settings = settings_;
    if (plainly) settings.level = engines::OrtLevel::kOff, settings.pack_weights = false;
    const auto begin = Clock::now();
    session_.emplace(runtime_, fs::path(model_), settings);
    return fmt::format("{:.9f}", seconds_since(begin));
  }

  std::string read_inputs(const fs::path& folder) {
    std::set<std::string> known;
    for (const engines::Port& port : session_->inputs()) known.insert(port.name);
    std::ifstream names(folder / "names");
    std::size_t i = 0;
    for (std::string name; std::getline(names, name); ++i) {
      if (known.contains(name)) inputs_.emplace_back(name, inputs::read_npy(folder / fmt::format("{}.npy", i)));
    }
    return std::to_string(inputs_.size());
  }

  std::string run(std::int64_t count) {
    std::string times;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto begin = Clock::now();
      session_->run(inputs_);
      times += fmt::format("{}{:.9f}", times.empty() ? "" : " ", seconds_since(begin));
    }
    return times;
  }

  std::string save(const fs::path& folder) {
    const auto outputs = session_->run(inputs_);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (!outputs[i].array() || outputs[i].array()->is_string()) continue;
      std::ofstream(folder / fmt::format("{}.npy", i), std::ios::binary) << inputs::encode_npy(*outputs[i].array());
    }
    return std::to_string(outputs.size());
  }

  // Writes the profile, and the model as ONNX Runtime has changed it, to the folder.
  std::string profile(std::int64_t count, const fs::path& folder) {
    engines::SessionSettings settings = settings_;
    const fs::path prefix = folder / "profile", optimized = folder / "optimized.onnx";
    settings.profile_prefix = prefix.c_str();
    settings.optimized_path = optimized.c_str();
    engines::OrtSession profiled(runtime_, fs::path(model_), settings);
    for (std::int64_t i = 0; i < count; ++i) profiled.run(inputs_);
    return profiled.end_profile();
  }

  std::string model_;
  engines::SessionSettings settings_;
  std::shared_ptr<const engines::OnnxRuntime> runtime_;
  std::optional<engines::OrtSession> session_;
  engines::OrtSession::Inputs inputs_;
};

}  // namespace

int bench_worker(const std::string& model, const engines::SessionSettings& settings) {
  std::unique_ptr<Worker> worker;
  for (std::string request; std::getline(std::cin, request);) {
    std::string answer;
    try {
      if (!worker) worker = std::make_unique<Worker>(model, settings);
      answer = "ok " + worker->obey(request);
    } catch (const Error& error) {
      answer = "error " + error.message();
    } catch (const std::bad_alloc&) {
      answer = "error out of memory";
    }
    print(answer + "\n");
    flush_output();
  }
  return kDone;
}

}  // namespace onnxpress::cli
