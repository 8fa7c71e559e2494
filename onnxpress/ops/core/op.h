// Op: what we know about one operator in one version: its schema (generated from the onnx package) joined with our row
// of behaviour (shape inference, evaluation, cost).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "onnxpress/ir/attribute.h"

namespace onnxpress {
class Node;
}

namespace onnxpress::ops {

class Inference;
class Call;
class CostQuery;

// One operand or result of a schema. `type` is "T", "int64", "seq(T)", "optional(seq(T))", "map(int64, float)".
struct Formal {
  std::string_view name = {}, type = {};
  bool optional = false;
  bool variadic = false;
  bool mixed = false;  // variadic, and each may have a different type
};

struct ParameterSchema {
  std::string_view name;
  AttributeType type = AttributeType::kUndefined;
  bool required = false;
  std::string_view default_text;  // data() is null if there is none
};

struct TypeVariable {
  std::string_view name;
  std::vector<std::string_view> types;  // "float", "seq(float)", ...
};

// A parsed row of the generated table (schema_table.cpp).
struct Schema {
  std::string_view domain, name;  // "" is ai.onnx
  int since = 1;
  bool deprecated = false;
  std::vector<Formal> operands, results;
  std::vector<ParameterSchema> attributes;
  std::vector<TypeVariable> type_variables;

  // Position among the operands; -1 when there is none with that name.
  int operand(std::string_view wanted) const;
  const ParameterSchema* attribute(std::string_view wanted) const;
};

enum Trait : std::uint32_t {
  kElementwise = 1,      // result element i depends only on element i of each operand (after broadcasting)
  kCommutative = 2,      // the two operands may be swapped
  kIdempotent = 4,       // f(f(x)) == f(x)
  kMonotone = 8,         // x <= y implies f(x) <= f(y)
  kReadsOnlyShape = 16,  // does not read the elements of operand 0
  kMovesData = 32,       // result elements are elements of operand 0, unchanged
  kRandom = 64,          // not a function of its operands
  kHasBodies = 128,
  kView = 256,          // the elements of operand 0 in the same order, with another shape
  kConvertsData = 512,  // result elements are elements of operand 0, in another type
  kJoinsData = 1024,    // result elements are elements of the operands, unchanged
  kDecodes = 2048,      // may be part of a chain of nodes that decodes a constant weight: exact, and cheap to run once
  kTypeMatters = 4096,  // the result, or whether ONNX Runtime has a kernel, depends on the element type of an operand
                        // that the result does not share
  kRuntimesDiffer = 8192,    // not all runtimes compute what the standard says, so we must not fold it
  kMarksCodes = 16384,       // runtimes recognize quantized layers by these nodes, so they stay where they are
  kMultipliesCodes = 32768,  // a layer that takes its weights as integer codes, in any operand but the first
  kScoresClasses = 65536,    // its results are often scores, with the classes along the last axis
};

// Which axes of a weight are output channels, and over which axes the op sums. Empty if not known.
struct WeightAxes {
  std::size_t channel_begin = 0, channel_end = 0, reduced_begin = 0, reduced_end = 0;
};

// Which operands of an op are weights if they are float constants.
struct WeightOperands {
  std::uint32_t slots = 0;  // bit i: operand i
  // The axes of a weight of this rank in this operand of this node (core/weight_axes.h). Null if not known.
  WeightAxes (*axes)(const Node& node, std::size_t operand, std::size_t rank) = nullptr;

  bool has(std::size_t operand) const { return operand < 32 && ((slots >> operand) & 1U) != 0; }
};

// A set of element types, as bits.
template <typename... Types>
constexpr std::uint32_t type_set(Types... types) {
  return ((std::uint32_t{1} << static_cast<unsigned>(types)) | ... | 0U);
}

// Our row. It applies to every version of the op; a row with a higher `since` replaces it from that version on.
struct OpDef {
  std::string_view name;
  std::string_view domain = "";
  int since = 1;
  std::uint32_t traits = 0;
  // Sets what it can infer about the results. Element types that the schema determines are already set.
  void (*infer)(Inference&) = nullptr;
  // Computes the results; false (through Call::fail) when it cannot.
  bool (*evaluate)(Call&) = nullptr;
  // Computes the cost (core/cost.h). Null: by the traits; an op without either has an unknown cost.
  void (*cost)(CostQuery&) = nullptr;
  WeightOperands weights = {};
  // The op of the standard domain that computes the same with 8-bit codes instead of floats; empty if there is none.
  std::string_view integer_form = {};
  // The operand that holds indices along the `axis` of operand 0; 0 if there is none.
  std::uint8_t indices = 0;
  // Element types that the schema allows, but ONNX Runtime's CPU kernels do not support (filled in only for ops that
  // decode weights).
  std::uint32_t ort_lacks = 0;
};

struct Op {
  const Schema* schema = nullptr;
  const OpDef* def = nullptr;  // null if only the schema is known

  bool has(Trait trait) const { return has_any(trait); }
  // True if the op has at least one of these traits.
  bool has_any(std::uint32_t traits) const { return def && (def->traits & traits) != 0; }
  // Is that operand a weight if it is a float constant?
  bool takes_weight(std::size_t operand) const { return def && def->weights.has(operand); }
};

// The op for this domain, op type and opset version; null when the domain, the op or the version is not known.
// "ai.onnx" is "". Thread-safe; the result lives as long as the program.
const Op* find_op(std::string_view domain, std::string_view name, std::int64_t version);
// The newest version, for questions whose answer is the same for all versions.
const Op* newest_op(std::string_view domain, std::string_view name);
// Every (domain, op, since) that has a schema, sorted.
std::span<const Op> all_ops();

// A family of ops: a table in the file of that name, listed in registry.cpp.
using Family = std::span<const OpDef>;

}  // namespace onnxpress::ops
