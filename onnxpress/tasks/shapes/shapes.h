// Exports the shapes of all values as formulas of the model's symbols, for engines that run a model at many sizes: the
// work behind `onnxpress shapes`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/settings/bindings.h"

namespace onnxpress {

struct ShapesOptions {
  std::string name = "ShapeEngine";
  BindingOptions bindings;
  LoadOptions load;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &ShapesOptions::name, "name of the struct in the header (default ShapeEngine)");
    visit("", &ShapesOptions::bindings, "");
    visit("", &ShapesOptions::load, "");
  }
};

struct EngineSymbol {
  std::string name, from;
  bool is_input = false;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &EngineSymbol::name, "name of the symbol");
    visit("is_input", &EngineSymbol::is_input, "true if it is a dim of an input; false if it depends on the data");
    visit("from", &EngineSymbol::from, "the first value whose shape has it");
  }
};

// `op` is number, symbol, add, subtract, multiply, floor_divide, min, max or broadcast.
struct EngineStep {
  std::string op;
  std::int64_t a = 0, b = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("op", &EngineStep::op,
          "`number`, `symbol`, `add`, `subtract`, `multiply`, `floor_divide`, `min`, `max` or `broadcast`");
    visit("a", &EngineStep::a, "the number; which symbol; or the step that gives the left operand");
    visit("b", &EngineStep::b, "the step that gives the right operand");
  }
};

struct EngineValue {
  std::string name, type, text;
  std::int64_t element_bits = 0;
  std::vector<std::int64_t> dims;
  std::int64_t first = -1, last = -1;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit(
        "name", &EngineValue::name,
        "name of the value; in a body, prefixed by the first result of the node and the attribute: `y.then_branch/x`");
    visit("type", &EngineValue::type, "its element type");
    visit("element_bits", &EngineValue::element_bits, "bits of an element; 0 for strings");
    visit("dims", &EngineValue::dims,
          "for each dim (for an operand: each element) the step that gives it; -1 if it is not known");
    visit("text", &EngineValue::text, "the same as readable text");
    visit("first", &EngineValue::first,
          "position of the node in the compute graph that computes it, from 0 (nodes of a body come right before the "
          "node that contains it); 0 for inputs, -1 if the graph has no such value");
    visit("last", &EngineValue::last,
          "position of the last node that needs it; the number of nodes for outputs; inputs of a body live as long as "
          "it runs");
  }
};

struct ShapesReport {
  std::string file;
  std::vector<EngineSymbol> symbols;
  std::vector<EngineStep> steps;
  std::vector<EngineValue> values, operands;
  std::uint64_t unknown = 0, removed_nodes = 0;
  std::vector<WrittenFile> files;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("file", &ShapesReport::file, "path of the model");
    visit("symbols", &ShapesReport::symbols, "the symbols that the caller sets");
    visit("steps", &ShapesReport::steps, "integer arithmetic, in order");
    visit("values", &ShapesReport::values, "inputs of the model and results of its nodes, with their shapes");
    visit("operands", &ShapesReport::operands, "inputs that replace nodes in the compute graph, with their elements");
    visit("unknown", &ShapesReport::unknown, "values with a dim that is not known");
    visit("removed_nodes", &ShapesReport::removed_nodes, "nodes that only computed shapes");
    visit("files", &ShapesReport::files, "files that were written");
  }
};

// The engine of a model, and its compute graph: the model without nodes that only compute shapes, with calls of
// functions replaced by their nodes. Throws Error.
ShapesReport shapes(const Model& model, const ShapesOptions& options, Model& compute_graph);

// The memory plan of an engine: values that live at the same time do not overlap. Offsets are multiples of kAlignment;
// the generated header and the Python object place in the same way, so that all give the same offsets.
inline constexpr std::int64_t kAlignment = 64;
struct EnginePlan {
  std::vector<std::int64_t> offsets;  // by value; -1 if its size is not known or it is not in the compute graph
  std::int64_t arena_bytes = 0;
};
EnginePlan plan_of(const std::vector<EngineValue>& values, const std::vector<std::int64_t>& bytes);

// A C++17 header without dependencies: one struct with the symbols as members that computes shapes and sizes.
std::string header_of(const ShapesReport& report, const std::string& name);

std::string to_json(const ShapesReport& report);

}  // namespace onnxpress
