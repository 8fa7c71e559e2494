// Encodes the model and passes it to ONNX Runtime, in memory or through a file.
#include "onnxpress/engines/ort/run_in_session.h"

#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/temporary_folder.h"
#include "onnxpress/engines/ort/session.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::engines {

namespace {

bool draws_numbers(const Model& model) {
  const analysis::OpResolver ops(model);
  bool found = false;
  for_each_node(model, [&](const Node& node) {
    const ops::Op* op = ops.op_of(node);
    found |= op && op->has(ops::kRandom);
  });
  return found;
}

// Gives each op that draws random numbers its own seed.
void set_seeds(Model& model) {
  const analysis::OpResolver ops(model);
  float seed = 1;
  for_each_node(model, [&](Node& node) {
    const ops::Op* op = ops.op_of(node);
    if (op && op->has(ops::kRandom) && op->schema && op->schema->attribute("seed") &&
        op->schema->attribute("seed")->type == AttributeType::kFloat) {
      node.graph()->set_attribute(node, make_attribute(model.arena(), "seed", seed));
      seed += 1;
    }
  });
}

// Threads that spin while they wait for each other waste half of the CPU time for models with small layers, and most of
// it on a busy machine.
SessionSettings without_spinning() {
  SessionSettings settings;
  settings.spins = false;
  return settings;
}

std::shared_ptr<const OrtSession> session_of_file(const std::shared_ptr<const OnnxRuntime>& runtime, Model& model,
                                                  const std::filesystem::path& beside) {
  const TemporaryFolder folder(beside);
  const std::filesystem::path path = folder.path() / "model.onnx";
  format::write_model(model, path, {.weights = format::WriteOptions::Weights::kExternal, .encode_anew = true});
  return std::make_shared<const OrtSession>(runtime, path, without_spinning());
}

// ONNX Runtime maps weights that are in a separate file, but copies those inside the model twice.
std::shared_ptr<const OrtSession> session_of(const std::shared_ptr<const OnnxRuntime>& runtime, Model& model) {
  constexpr std::uint64_t kMostCopied = std::uint64_t{1} << 26, kMostInMemory = std::uint64_t{1} << 30;
  const std::uint64_t bytes = format::encoded_size(model).total();
  const bool in_memory = model.external_files.empty() && bytes < kMostInMemory;
  const std::filesystem::path fast = in_memory && bytes >= kMostCopied ? memory_folder() : std::filesystem::path();
  if (!fast.empty()) {
    try {
      return session_of_file(runtime, model, fast);
    } catch (const Error&) {  // not enough room there, or the model was rejected: try the ways below
    }
  }
  if (in_memory)
    return std::make_shared<const OrtSession>(runtime, std::string_view(format::encode_model(model, true)),
                                              without_spinning());
  return session_of_file(runtime, model, std::filesystem::temp_directory_path());
}

std::vector<ops::Datum> run(const OrtSession& session, const analysis::Evaluator::Inputs& inputs) {
  OrtSession::Inputs given;
  for (const auto& [name, datum] : inputs) {
    if (const ops::Array* array = datum.array()) given.emplace_back(std::string(name), *array);
  }
  return session.run(given);
}

}  // namespace

LoadModel load_in_session(std::shared_ptr<const OnnxRuntime> runtime) {
  return [runtime = std::move(runtime)](Model& model) -> RunModel {
    if (!draws_numbers(model)) {
      return [session = session_of(runtime, model)](const analysis::Evaluator::Inputs& inputs) {
        return run(*session, inputs);
      };
    }
    // Random numbers depend on those drawn before, so each run gets its own session.
    const auto seeded = std::make_shared<Model>(model.clone());
    set_seeds(*seeded);
    return [runtime, seeded](const analysis::Evaluator::Inputs& inputs) {
      return run(*session_of(runtime, *seeded), inputs);
    };
  };
}

}  // namespace onnxpress::engines
