// Sizes for the dims that a model leaves open: what an input gets, and which sizes a search tries.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/ops/core/array.h"

namespace onnxpress::inputs {

// A size that follows from others: that of a mask from those of the cache and of the new tokens.
struct SizeRule {
  Dim expression;
  const Symbol* plus = nullptr;  // added to it; may be null
};
using SizeRules = std::map<const Symbol*, SizeRule>;

// Sizes for dims that were not given. The first of several dims is usually the batch, which has the same size wherever
// its name occurs.
struct OpenDims {
  std::int64_t batch = 1, others = 1;
  std::set<const Symbol*> batches;                   // names of first dims
  std::map<const Symbol*, std::int64_t> sizes = {};  // of single symbols; take precedence over the other rules
  SizeRules follows = {};                            // how symbols follow from others

  std::int64_t size_of(const Symbol& symbol, ops::DimMath& dims) const;
};
// Includes the rules that must hold, because the graph implies them.
OpenDims open_dims(const Model& model, const analysis::Facts& facts, std::int64_t batch, std::int64_t others);

// The sizes of an input to generate: dims that were not given get theirs from `open`, and their names are added to
// `assumed`. Throws Error when the rank is not known.
ops::Sizes sizes_to_make(const Value& input, const analysis::Facts& facts, const OpenDims& open,
                         std::vector<std::string>& assumed);

// The dims of an input, each a size, a symbol or unknown. A dim that the graph makes an expression of others stays a
// symbol of its own, and `follows` says how it is computed. nullopt: the rank is not known.
std::optional<ops::Shape> open_shape(const Value& input, const analysis::Facts& facts);
// The symbols in the dims of the inputs that callers must provide, in order of appearance.
std::vector<const Symbol*> open_symbols(const Model& model, const analysis::Facts& facts);

// What a search for sizes tries, and how much memory and work a run may take.
struct SizePolicy {
  struct Size {
    std::int64_t batch, others;
  };
  std::span<const Size> sizes;  // in this order
  bool one_larger;              // then one symbol larger than the others, as for a signal next to a recurrent state
  double most_bytes;            // of all activations that are alive at the same time
  double most_work;             // in multiply-adds (engines/run_work.h)
};
extern const SizePolicy kSmallSizes;  // that run fast
extern const SizePolicy kUsualSizes;  // that models are probably used with

// The sizes to try, in order. If some symbols follow from others (related_sizes.h), sizes that respect this come first.
std::vector<OpenDims> sizes_to_try(const SizePolicy& policy, const Model& model, const analysis::Facts& facts);

}  // namespace onnxpress::inputs
