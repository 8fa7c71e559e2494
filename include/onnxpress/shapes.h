/// \file
/// The shapes of a model for any sizes of its symbols, for programs that run it at many sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress {

/// A symbol of the model: a dim that callers choose, or one that depends on the data.
struct ShapeSymbol {
  std::string name;       ///< as the model calls it
  std::string from;       ///< the first value whose shape has it
  bool is_input = false;  ///< it is a dim of an input; otherwise it depends on the data
};

/// Works out every shape once, as integer arithmetic over the symbols. Other sizes then need no further inference
/// and no allocation: set() the symbols, call update(), and ask for shapes.
///
/// The header that `onnxpress shapes` generates and the Python object have the same calls and give the same numbers.
class ShapeEngine {
 public:
  /// Does not change the model. Calls of functions are inlined first, so
  /// that the values inside have shapes, too. Throws Error.
  explicit ShapeEngine(const Model& model);
  ~ShapeEngine();
  /// Takes over what `other` has worked out; it may only be assigned to or destroyed then.
  ShapeEngine(ShapeEngine&& other) noexcept;
  /// The same.
  ShapeEngine& operator=(ShapeEngine&& other) noexcept;

  /// The model without the nodes that only compute shapes. Their results, which Reshape, Expand, Slice and others read,
  /// are inputs instead: operands().
  const Model& compute_graph() const;

  /// The symbols that sizes are set for.
  const std::vector<ShapeSymbol>& symbols() const;
  /// Sizes are 1 until they are set. Throws Error if there is no symbol of that name.
  void set(std::string_view symbol, std::int64_t size);
  /// Computes all shapes for the current sizes.
  void update();

  /// Names of the values whose shapes are known: inputs of the model and results of its nodes. Those in the body of an
  /// If, Loop or Scan are named after the first result of that node and its attribute: "y.then_branch/x".
  const std::vector<std::string>& values() const;
  /// Index among values(); nullopt when there is none of that name.
  std::optional<std::size_t> find_value(std::string_view name) const;
  /// The shape of a value; -1 for a dim that is not known.
  std::span<const std::int64_t> shape(std::size_t value) const;
  /// The size of a value in bytes; -1 when a dim is not known.
  std::int64_t bytes(std::size_t value) const;

  /// Names of the inputs of the compute graph that the engine provides.
  const std::vector<std::string>& operands() const;
  /// Index among operands(); nullopt when there is none of that name.
  std::optional<std::size_t> find_operand(std::string_view name) const;
  /// The elements of an operand.
  std::span<const std::int64_t> operand(std::size_t which) const;

  /// Places the values of the compute graph, including inputs and outputs, in one arena, for the sizes of the last
  /// update(). Values that live at the same time do not overlap. Returns the size of the arena in bytes.
  std::int64_t plan();
  /// The offset of a value in the plan, a multiple of 64; -1 if its size is unknown or it is not in the compute graph.
  std::int64_t offset(std::size_t value) const;

 private:
  friend std::string to_json(const ShapeEngine& engine);
  friend std::string to_cpp_header(const ShapeEngine& engine, const std::string& name);
  struct State;
  std::unique_ptr<State> state_;
};

/// The engine as JSON: what `onnxpress shapes` writes (docs/commands/shapes.md).
std::string to_json(const ShapeEngine& engine);

/// The engine as a C++17 header without dependencies. Throws Error when `name` cannot be the name of a struct.
std::string to_cpp_header(const ShapeEngine& engine, const std::string& name = "ShapeEngine");

}  // namespace onnxpress
