// How many dims a value may have if inference cannot tell because an If decides, and how many its readers need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

// A set of ranks. Ranks of kMost and more are always in it.
class Ranks {
 public:
  static constexpr std::size_t kMost = 32;
  static Ranks all() { return Ranks(~std::uint64_t{0}); }
  static Ranks only(std::size_t rank) { return rank < kMost ? Ranks(std::uint64_t{1} << rank) : all(); }

  bool contains(std::size_t rank) const { return rank >= kMost || (bits_ >> rank & 1) != 0; }
  Ranks operator|(Ranks other) const { return Ranks(bits_ | other.bits_); }
  // Each rank plus (or minus) `axes`; negative ranks are dropped.
  Ranks more(std::size_t axes) const { return axes < kMost ? Ranks(bits_ << axes) : all(); }
  Ranks fewer(std::size_t axes) const { return axes < kMost ? Ranks(bits_ >> axes) : all(); }

 private:
  explicit Ranks(std::uint64_t bits) : bits_(bits) {}
  std::uint64_t bits_;
};

Ranks possible_ranks(const Value& value, const Rewriter& rw);
// The rank that the value must have because nodes that read it would fail otherwise; nullopt when none requires one.
std::optional<std::size_t> needed_rank(const Value& value, const Rewriter& rw);

}  // namespace onnxpress::passes
