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
  bool mixed = false;  // variadic, and each may have another type
};

struct ParameterSchema {
  std::string_view name;
  AttributeType type = AttributeType::kUndefined;
  bool required = false;
  std::string_view default_text;  // null data: none
};

struct TypeVariable {
  std::string_view name;
  std::vector<std::string_view> types;  // "float", "seq(float)", ...
};

// What a row in the generated table says (schema_table.cpp), taken apart.
struct Schema {
  std::string_view domain, name;  // "" is ai.onnx
  int since = 1;
  bool deprecated = false;
  std::vector<Formal> operands, results;
  std::vector<ParameterSchema> attributes;
  std::vector<TypeVariable> type_variables;

  // Position among the operands (or results); -1 when there is none of that name.
  int operand(std::string_view wanted) const;
  const ParameterSchema* attribute(std::string_view wanted) const;
};

enum Trait : std::uint32_t {
  kElementwise = 1,      // result element i depends on element i of each operand only (after broadcasting)
  kCommutative = 2,      // the two operands may be swapped
  kIdempotent = 4,       // f(f(x)) == f(x)
  kMonotone = 8,         // x <= y implies f(x) <= f(y)
  kReadsOnlyShape = 16,  // does not look at elements of operand 0
  kMovesData = 32,       // result elements are elements of operand 0, unchanged
  kRandom = 64,          // not a function of its operands
  kHasBodies = 128,
  kView = 256,          // the elements of operand 0 in the same order, with other dims
  kConvertsData = 512,  // result elements are elements of operand 0, in another type
  kJoinsData = 1024,    // result elements are elements of the operands, unchanged
  kDecodes = 2048,      // may be part of a chain of constant nodes that decodes a weight: exact, and cheap to run once
  kTypeMatters = 4096,  // the result, or whether ONNX Runtime has a kernel, depends on the element type of an operand
                        // that the result does not share
  kRuntimesDiffer = 8192,    // runtimes do not all compute what the standard says, so we must not compute it for them
  kMarksCodes = 16384,       // runtimes recognize quantized layers by these nodes, so they stay where they are
  kMultipliesCodes = 32768,  // a layer that takes its weights as integer codes, in any operand but the first
  kScoresClasses = 65536,    // its results are often scores, with the classes along the last axis
};

// Which axes of a weight count output channels, and over which the op sums. Empty: not known.
struct WeightAxes {
  std::size_t channel_begin = 0, channel_end = 0, reduced_begin = 0, reduced_end = 0;
};

// Which operands of an op are weights when they are constants of floats.
struct WeightOperands {
  std::uint32_t slots = 0;  // bit i: operand i
  // For a weight of this rank as this operand of this node (core/weight_axes.h). Null: not known.
  WeightAxes (*axes)(const Node& node, std::size_t operand, std::size_t rank) = nullptr;

  bool has(std::size_t operand) const { return operand < 32 && ((slots >> operand) & 1U) != 0; }
};

// A set of element types, as bits.
template <typename... Types>
constexpr std::uint32_t type_set(Types... types) {
  return ((std::uint32_t{1} << static_cast<unsigned>(types)) | ... | 0U);
}

// Our row. It holds for every version of the op; a row with a higher `since` takes over from that version on.
struct OpDef {
  std::string_view name;
  std::string_view domain = "";
  int since = 1;
  std::uint32_t traits = 0;
  // Says what it can about the results; says nothing where it knows nothing. Element types that the schema forces are
  // there already.
  void (*infer)(Inference&) = nullptr;
  // Computes the results; false (through Call::fail) when it cannot.
  bool (*evaluate)(Call&) = nullptr;
  // Says how much work it is (core/cost.h). Null: what the traits say; an op without either has an unknown cost.
  void (*cost)(CostQuery&) = nullptr;
  WeightOperands weights = {};
  // The op of the standard domain that computes the same with 8-bit codes instead of floats; empty: there is none.
  std::string_view integer_form = {};
  // The operand that holds indices along the `axis` of operand 0; 0: there is none.
  std::uint8_t indices = 0;
  // Element types that the schema allows but ONNX Runtime's CPU kernels lack (known for ops that decode weights only).
  std::uint32_t ort_lacks = 0;
};

struct Op {
  const Schema* schema = nullptr;
  const OpDef* def = nullptr;  // null: we know the schema only

  bool has(Trait trait) const { return has_any(trait); }
  // At least one of these traits.
  bool has_any(std::uint32_t traits) const { return def && (def->traits & traits) != 0; }
  // Is that operand a weight when it is a constant of floats?
  bool takes_weight(std::size_t operand) const { return def && def->weights.has(operand); }
};

// The op that a node of this domain, type and opset version means; null when the domain, the op or the version is not
// known. "ai.onnx" is "". Thread-safe; the answer lives as long as the program.
const Op* find_op(std::string_view domain, std::string_view name, std::int64_t version);
// Its newest version: for questions whose answer is the same for all.
const Op* newest_op(std::string_view domain, std::string_view name);
// Every (domain, op, since) there is a schema for, sorted.
std::span<const Op> all_ops();

// The families: each a table in a file of that name, listed in registry.cpp.
using Family = std::span<const OpDef>;

}  // namespace onnxpress::ops
