// Rewrite: one local change of a graph, as a value: its name, its exactness, the ops it starts from, and the function
// that applies it. pipeline.cpp lists them all.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "onnxpress/ir/graph.h"

namespace onnxpress::passes {

class Rewriter;

// What a rewrite promises, by what the standard says of the operators. tests/python/test_exact.py holds it to that.
enum class Exactness : std::uint8_t {
  // Every output has the same bits on all inputs, also the sign of a zero, because 1 / x tells zeros apart; only a NaN
  // may become another NaN. An operator gives equal results for equal operands, wherever these are in a tensor. Some
  // kernels of runtimes do not keep to that: docs/commands/optimize.md lists those of ONNX Runtime. A rewrite that
  // keeps bits only sometimes asks Rewriter::must_keep_bits().
  kExact,
  kReassociates,  // the same algebra; rounding may differ
  kApproximate,   // numbers may differ by more than rounding; never used by default
};
std::string_view name_of(Exactness exactness);

struct Rewrite {
  std::string_view name;     // "fuse-conv-batchnorm"; also the name of its file
  std::string_view summary;  // one line for help and docs
  Exactness exactness = Exactness::kExact;
  std::string_view group;      // the folder of its file in rewrites/: "no_ops", "layers", ...
  bool large_pattern = false;  // looks beyond the nodes around a change, so the driver tries it on all nodes again
  bool on_request = false;     // applied only if the user names it
  // Ops it starts from: "Conv", or "com.microsoft.Gelu" outside the standard. Empty: any op.
  std::span<const std::string_view> roots;
  bool (*apply)(Node&, Rewriter&) = nullptr;  // true if and only if it changed the graph
};

// Every rewrite, in the order in which they are tried at a node.
std::span<const Rewrite* const> all_rewrites();
// Null when there is none of that name.
const Rewrite* find_rewrite(std::string_view name);

}  // namespace onnxpress::passes
