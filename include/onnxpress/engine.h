/// \file
/// What runs models, for calls that have to.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace onnxpress {

namespace engines {
class Engine;
}

/// Runs models. An engine never changes, so any number of calls and threads may share it.
using Engine = engines::Engine;

/// What VerifyOptions::engine can be.
enum class RuntimeChoice : std::uint8_t {
  kOrt,        ///< ONNX Runtime
  kOnnxpress,  ///< the built-in evaluator
  kBoth,       ///< both, one after the other
};

/// What EngineOptions::engine can be.
enum class EngineName : std::uint8_t {
  kOrt,        ///< ONNX Runtime
  kOnnxpress,  ///< the built-in evaluator
};

/// Options of tasks that may run a model, for commands and calls by name. Programs in C++ give a task the engine
/// itself.
struct EngineOptions {
  static constexpr std::string_view kTitle = "Running";  ///< of this group of options in lists

  /// what runs the model: ort, or onnxpress (the built-in evaluator, which is slower); default: ort if it is found
  std::optional<EngineName> engine;
};

/// ONNX Runtime if it is installed, else the built-in evaluator, which is much slower: the engine that the command
/// uses. `library` is the path of ONNX Runtime's library; if it is empty, the usual places are searched.
///
/// ONNX Runtime runs in a copy of the calling process, so that a crash or a hang there becomes an Error here. No thread
/// of the program may hold a lock that ONNX Runtime needs while a call uses the engine.
std::shared_ptr<const Engine> find_engine(const std::string& library = {});

}  // namespace onnxpress
