/// \file
/// Makes a model as small as possible without changing a bit of what it computes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/engine.h"
#include "onnxpress/files.h"
#include "onnxpress/model.h"

namespace onnxpress {

/// The runtime that a model is for. What QuantizeOptions::target can be.
enum class ShrinkTarget : std::uint8_t {
  kOrt,        ///< ONNX Runtime, native or WebAssembly
  kOrtWebGpu,  ///< its WebGPU builds, which have fewer types
  kOrtFormat,  ///< models that are converted to .ort: no nodes that decode weights
  kAny,        ///< any runtime: no nodes that decode weights
  kBrowser,    ///< what browsers use: as kOrtWebGpu
  kPhone,      ///< what phones use: as kOrtFormat
  kServer,     ///< what servers use: as kOrt
  kLlm,        ///< large language models in ONNX Runtime
};

/// Whether two models give the same outputs in ONNX Runtime (ShrinkReport::outputs).
struct OutputComparison {
  /// the runtime and its version; empty if there is none
  std::string runtime;
  /// true if both models gave the same bits
  bool same = false;
  /// outputs that were compared
  std::uint64_t outputs = 0;
  /// sets of inputs that both models got
  std::uint64_t runs = 0;
  /// why they were not compared; empty if they were
  std::string reason;
  /// what to do about that
  std::string hint;
};

/// Options of shrink().
struct ShrinkOptions {
  /// the runtime that the result is for: ort (default), ort-web-gpu (fewer types), ort-format or any (no decoding
  /// nodes); or browser, phone, server, llm, as for `quantize`
  ShrinkTarget target = ShrinkTarget::kOrt;
  /// use only these methods (docs/commands/shrink.md lists them)
  Names only;
  /// skip these methods
  Names skip;
  /// turn initializers that are also inputs into plain constants, so that they can shrink, too
  bool freeze = false;
  /// shorten the names of all inner values and remove those of nodes; inputs and outputs keep theirs
  bool shorten_names = false;
  /// also store floats in 28 bits and 8-bit codes in fewer bits, exactly; the model takes longer to load, and the
  /// report says how long
  bool pack = false;
  /// also run input and result in ONNX Runtime, if it is installed, and compare their outputs (tensors and connections
  /// are always compared)
  bool verify = false;
  /// write nothing, only report what would be saved
  bool dry_run = false;
  std::string name_map;  ///< for the command: where it writes the names that were shortened
  /// [] its fields stand here
  EngineOptions asked_engine;                     // for commands and calls by name, which turn it into `engine`
  std::shared_ptr<const engines::Engine> engine;  ///< runs the model; null: the built-in evaluator
  /// [] its fields stand here
  LoadOptions load;
};

/// What one method saved (ShrinkReport::methods).
struct MethodLine {
  /// name, as for option `only` and option `skip`
  std::string method;
  /// what it does
  std::string summary;
  /// tensors, nodes, texts, ... that became smaller or were removed
  std::uint64_t count = 0;
  /// bytes that it saved
  std::int64_t saved = 0;
};

/// A tensor that became smaller (ShrinkReport::largest).
struct SavingLine {
  /// name of the tensor
  std::string tensor;
  /// what made it smaller
  std::string method;
  /// bytes it took
  std::uint64_t before = 0;
  /// bytes it takes now, with the nodes that decode it
  std::uint64_t after = 0;
};

/// The size of a model.
struct ModelBytes {
  /// the model file
  std::uint64_t file = 0;
  /// its external data
  std::uint64_t external = 0;

  /// Both together.
  std::uint64_t total() const { return file + external; }
};

/// How long ONNX Runtime takes to load a model (ShrinkReport::load_seconds).
struct LoadTimes {
  /// seconds that ONNX Runtime takes to load the input
  double before = 0;
  /// the same for the result
  double after = 0;
};

/// The report of shrink().
struct ShrinkReport {
  /// path of the input
  std::string file;
  /// path of the result
  std::string output;
  /// size of the input (for text and JSON: of the .onnx file it would be)
  ModelBytes before;
  /// size of the result
  ModelBytes after;
  /// true if the model does not get smaller; the result is then a copy
  bool unchanged = false;
  /// true when nothing was written
  bool dry_run = false;
  /// bytes of initializers that are also inputs: callers may override them, so they stay as they are without option
  /// `freeze`
  std::uint64_t overridable = 0;
  /// with option `verify`: true if all tensors are the same, bit for bit
  std::optional<bool> verified;
  /// with option `verify`: comparison of the outputs in ONNX Runtime
  std::optional<OutputComparison> outputs;
  /// with option `pack`, if ONNX Runtime is installed: how long it takes to load both models
  std::optional<LoadTimes> load_seconds;
  /// what each method saved, in the order in which they ran
  std::vector<MethodLine> methods;
  /// the tensors that became smaller, the largest savings first
  std::vector<SavingLine> largest;
  /// files that were written, the model first
  std::vector<WrittenFile> files;
  /// how long it took
  double seconds = 0;
  /// peak resident memory of the process so far, in bytes, with pages of mapped files; 0 if the system does not tell
  std::uint64_t peak_memory = 0;
  /// the most memory that the process had allocated during the call, in bytes, without pages of mapped files; looked up
  /// every 4 ms, so a shorter peak may be missed; 0 if the system does not tell
  std::uint64_t peak_anonymous = 0;
};

/// One of the methods of shrink().
struct MethodName {
  std::string_view name;     ///< for ShrinkOptions::only and skip
  std::string_view summary;  ///< what it does
};

/// All methods that can be chosen, in the order in which they run (pipeline.cpp).
std::vector<MethodName> shrink_methods();

/// Shrinks a model in memory, encodes it, reads it back and compares it with the original. Throws Error; the model is
/// then as it was.
ShrinkReport shrink(Model& model, const ShrinkOptions& options = {},
                    const std::function<void(std::uint64_t done, std::uint64_t total)>& progress = {});

/// The report as JSON: what the command prints with --json.
std::string to_json(const ShrinkReport& report);

/// The report of expand().
struct ExpandReport {
  /// path of the input
  std::string file;
  /// path of the result
  std::string output;
  /// tensors that are now plain initializers
  std::uint64_t tensors = 0;
  /// bytes of their content
  std::uint64_t bytes = 0;
  /// nodes that computed them and were removed
  std::uint64_t nodes = 0;
  /// with option `verify`: comparison of the outputs in ONNX Runtime
  std::optional<OutputComparison> outputs;
  /// files that were written, the model first
  std::vector<WrittenFile> files;
};

/// Throws Error.
ExpandReport expand(Model& model);

/// The report as JSON: what the command prints with --json.
std::string to_json(const ExpandReport& report);

}  // namespace onnxpress
