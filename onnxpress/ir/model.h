/// \file
/// Model: the root that owns everything. Move-only; graphs, nodes, values and tensors point into it and die with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/base/arena.h"
#include "onnxpress/base/mapped_file.h"
#include "onnxpress/base/name_table.h"
#include "onnxpress/ir/graph.h"
#include "onnxpress/ir/op_names.h"

namespace onnxpress {

class GraphListener;

/// What all graphs of a model share: the arena, the table of names in the file, symbols and the id counters. Its
/// address never changes.
struct Context {
  std::shared_ptr<const Context> source;  ///< for a clone: the context of the original, whose texts it shares
  Arena arena;
  NameTable names;   ///< every value name of the model; new names must not be among them
  OpNames op_names;  ///< Node::op_id() is an index into these
  std::uint32_t node_count = 0;
  std::uint32_t value_count = 0;
  std::vector<GraphListener*> listeners;  ///< see listener.h; Listening adds and removes them
  std::mutex mutex;                       ///< protects lazy updates by threads that only read the model

  /// The one Symbol of that name.
  const Symbol* symbol(std::string_view name);
  bool has_symbol(std::string_view name) const { return symbol_names_.find(name) != NameTable::kNone; }
  /// A new expression; symbol() never returns it, even for the same text.
  const Symbol* create_expression(std::string_view text);
  std::uint32_t symbol_count = 0;

 private:
  friend class ModelCloner;
  NameTable symbol_names_;
  std::vector<const Symbol*> symbols_;
};

/// The version of one operator set that a model or function uses.
struct OpsetImport {
  std::string_view domain;  ///< "" and "ai.onnx" are the same
  std::int64_t version = 0;
  std::string_view origin;
};

/// The version of a domain's opset; "ai.onnx" and "" are the same domain.
std::optional<std::int64_t> opset_in(std::span<const OpsetImport> imports, std::string_view domain);

/// A model-local function. Inputs and outputs are those of its body, whose declarations have no type.
struct Function {
  std::string_view name, domain, overload, doc;
  Graph* body = nullptr;
  std::vector<std::string_view> attribute_names;  ///< parameters without a default
  std::vector<Attribute*> attribute_defaults;     ///< parameters with one
  std::vector<OpsetImport> opsets;
  std::vector<MetadataEntry> metadata;
  std::string_view origin;
  bool changed = true;
};

/// Graphs for training, which models for inference do not have.
struct TrainingInfo {
  Graph* initialization = nullptr;
  Graph* algorithm = nullptr;
  std::vector<MetadataEntry> initialization_binding, update_binding;
  std::string_view origin;
  bool changed = true;
};

/// A problem that the reader tolerated, or repaired in memory. `check` lists them.
struct Note {
  enum class Kind : std::uint8_t { kRepair, kProblem };
  Kind kind;
  std::string_view code;  ///< short and stable, such as "node-order"; always a literal
  std::string where, message;
};

/// A model: its main graph, functions, opsets and metadata, and the memory that holds them.
class Model {
 public:
  Model();  ///< empty: a main graph without nodes, changed
  Model(Model&&) noexcept = default;
  Model& operator=(Model&&) noexcept = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  Context& context() const { return *context_; }
  Arena& arena() const { return context_->arena; }
  Graph& graph() const { return *graph_; }

  /// Plain fields. Call mark_changed() after changing one.
  std::optional<std::int64_t> ir_version, model_version;
  std::string_view producer_name, producer_version, domain, doc;
  std::vector<OpsetImport> opsets;
  std::vector<MetadataEntry> metadata;
  std::vector<Function*> functions;
  std::vector<TrainingInfo*> training;
  std::vector<std::string_view> device_configurations;  ///< encoded messages, kept as they are
  std::vector<Note> notes;
  bool has_graph = true;  ///< the file has a graph (one without is malformed)

  Function* create_function();
  TrainingInfo* create_training();
  Graph* create_body();  ///< for an attribute; becomes owned when the attribute is set on a node

  std::optional<std::int64_t> opset(std::string_view wanted) const { return opset_in(opsets, wanted); }

  /// A copy that can be changed independently of this model. Weights, texts and the file are
  /// shared. Nodes and values keep their ids; unchanged parts are written byte for byte by both.
  Model clone() const;

  void mark_changed() { *changed_ = true; }
  /// True if writing must encode the model message again.
  bool changed() const;

  /// Where the model came from: its encoded form, its path, the files mapped so far and its external-data files.
  Bytes origin;
  std::filesystem::path path;
  std::vector<std::shared_ptr<const MappedFile>> files;
  std::vector<std::shared_ptr<const ExternalFile>> external_files;

  /// For readers: the current model is what `origin` encodes.
  void set_unchanged() { *changed_ = false; }

 private:
  friend class ModelCloner;
  std::shared_ptr<Context> context_;  // shared with clones, which refer to its texts
  std::unique_ptr<bool> changed_;
  Graph* graph_;
};

}  // namespace onnxpress
