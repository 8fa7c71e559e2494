// Op: what we know about one operator in one version: its schema (generated from the onnx package) joined with our row
// of behaviour (shape inference, evaluation, cost).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "onnxpress/ir/attribute.h"

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
};

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
};

struct Op {
  const Schema* schema = nullptr;
  const OpDef* def = nullptr;  // null: we know the schema only

  bool has(Trait trait) const { return def && (def->traits & trait) != 0; }
};

// The op that a node of this domain, type and opset version means; null when the domain, the op or the version is not
// known. "ai.onnx" is "". Thread-safe; the answer lives as long as the program.
const Op* find_op(std::string_view domain, std::string_view name, std::int64_t version);
// Every (domain, op, since) there is a schema for, sorted.
std::span<const Op> all_ops();

// The families: each a table in a file of that name, listed in registry.cpp.
using Family = std::span<const OpDef>;

}  // namespace onnxpress::ops
