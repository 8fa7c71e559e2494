// The choice of an engine: ONNX Runtime if it is there and wished for, else the built-in evaluator.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "onnxpress/engine.h"
#include "onnxpress/engines/engine.h"

namespace onnxpress::engines {

struct EngineWish {
  std::optional<RuntimeChoice> runtime;
  std::string provider;
  std::string library;  // path of ONNX Runtime, if the caller knows it; empty: search for it
  double seconds = 0;   // how long loading a model or a run may take; 0: patience() (own_process.h)
};

// If nothing is chosen: ONNX Runtime if it is installed, else our evaluator. ONNX Runtime runs in a process of its own,
// so that its crashes and hangs are errors here (EngineDied); the evaluator does if its time is limited. Throws Error
// when ONNX Runtime was asked for and is missing, or when it does not have the provider (ort/providers.h).
Engines engines_for(const EngineWish& wish = {});

// The engine for options of a task. `library` is as in EngineWish.
std::shared_ptr<const Engine> engine_for(const EngineOptions& options, const std::string& library = {});

// ONNX Runtime, if it is there (ort/find_ort.cpp); null in builds without it (no_ort/find_ort.cpp). A library that
// cannot be used counts as missing, unless the user asked for ONNX Runtime.
std::shared_ptr<const Engine> find_ort(const EngineWish& wish);

// What to do if it is missing; for hints.
inline constexpr const char* kHowToGet =
    "pip install onnxruntime, or set ONNXPRESS_ORT to the path of libonnxruntime.so";

}  // namespace onnxpress::engines
