// The expressions behind DimMath: what each interned symbol stands for. Private to dim_math.cpp, dim_bounds.cpp and
// dim_unify.cpp.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "onnxpress/ops/core/dim_math.h"
#include "onnxpress/ops/core/polynomial.h"

namespace onnxpress::ops {

struct DimMath::State {
  enum class Kind : std::uint8_t { kSymbol, kSum, kFloorDiv, kMin, kMax, kBroadcast };

  struct Entry {
    Kind kind = Kind::kSymbol;
    bool nonnegative = true;  // true for all dims; for fresh symbols on request
    bool made = false;        // by fresh(); such symbols are replaced first when two are unified
    Dim a, b;                 // operands of the atoms
    Polynomial sum;           // of a kSum
    Dim replacement;          // what it was unified with (for an atom one of its operands); unknown if nothing
    Dim resolved;             // valid for `epoch`
    std::uint64_t epoch = 0;
  };

  Context& context;
  std::unordered_map<std::uint32_t, Entry> entries;  // by symbol id
  std::unordered_map<std::string, const Symbol*> interned;
  std::uint64_t epoch = 1;  // grows with each unification
  bool unified = false;
  std::uint64_t fresh_count = 0;
  std::uint32_t first_solvable = 0;  // symbols with ids below this are not solved for

  struct Equation {
    Dim a, b;
    std::uint32_t first_solvable, tag;
  };
  bool holding = false;
  std::uint32_t tag = 0;
  std::vector<Equation> held;

  // Cache of sums and products of two dims, valid for `memory_epoch`: models repeat the same few shapes.
  struct Operands {
    Dim a, b;
    bool is_product;
    friend bool operator==(const Operands&, const Operands&) = default;
  };
  struct HashOperands {
    std::size_t operator()(const Operands& operands) const;
  };
  std::unordered_map<Operands, Dim, HashOperands> memory;
  std::uint64_t memory_epoch = 0;

  explicit State(Context& shared) : context(shared) {}

  Entry& entry(const Symbol* symbol) { return entries[symbol->id]; }

  Polynomial polynomial(Dim dim) {
    Polynomial made;
    if (const auto size = dim.size()) {
      made.constant = *size;
      return made;
    }
    const Symbol* symbol = dim.symbol();
    const auto found = entries.find(symbol->id);
    if (found != entries.end() && found->second.kind == Kind::kSum) return found->second.sum;
    made.terms.push_back({1, {symbol}});
    return made;
  }

  const Symbol* intern(const std::string& key, const std::string& text, Entry value) {
    const auto [at, is_new] = interned.try_emplace(key, nullptr);
    if (is_new) {
      at->second = context.create_expression(text);
      entries.emplace(at->second->id, std::move(value));
    }
    return at->second;
  }

  // compute(), cached. Both operands are resolved.
  template <typename Compute>
  Dim remembered(const Operands& operands, Compute compute) {
    if (memory_epoch != epoch) memory.clear();
    memory_epoch = epoch;
    if (const auto found = memory.find(operands); found != memory.end()) return found->second;
    const Dim made = compute();
    memory.emplace(operands, made);
    return made;
  }

  Dim dim_of(const std::optional<Polynomial>& polynomial) {
    if (!polynomial) return {};
    if (polynomial->is_constant()) return Dim::size(polynomial->constant);
    const Term& first = polynomial->terms.front();
    if (polynomial->constant == 0 && polynomial->terms.size() == 1 && first.coefficient == 1 &&
        first.factors.size() == 1) {
      return Dim::symbol(first.factors[0]);
    }
    const std::string key = key_of(*polynomial);
    if (const auto found = interned.find(key); found != interned.end()) return Dim::symbol(found->second);
    Entry value;
    value.kind = Kind::kSum;
    value.sum = *polynomial;
    return Dim::symbol(intern(key, to_string(*polynomial), std::move(value)));
  }

  static std::string operand_key(Dim dim) {
    return dim.is_size() ? fmt::format("{}", *dim.size()) : fmt::format("s{}", dim.symbol()->id);
  }

  Dim atom(Kind kind, Dim a, Dim b, const std::string& text) {
    if (text.size() > kLongestText) return {};
    Entry value;
    value.kind = kind;
    value.a = a;
    value.b = b;
    return Dim::symbol(intern(fmt::format("{}:{},{}", static_cast<int>(kind), operand_key(a), operand_key(b)), text,
                              std::move(value)));
  }

  // Bounds; `low` asks for the lower one.
  std::optional<std::int64_t> bound(const Polynomial& p, int depth);
  std::optional<std::int64_t> symbol_bound(const Symbol* symbol, bool low, int depth);
  std::optional<std::int64_t> term_bound(const Term& term, int depth);
  std::optional<std::int64_t> better_bound(const Polynomial& p, int depth);

  Dim substitute(DimMath& math, Dim dim);
  bool mentions(Dim dim, const Symbol* symbol, int depth);
  bool takes_operand(Dim whole, Dim operand);

  static constexpr std::size_t kLongestText = 512;
  static constexpr int kMostDepth = 6;  // of proofs that look into expressions
};

// Rounds down.
inline std::int64_t floor_of(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

inline Polynomial negated(const Polynomial& p) {
  Polynomial made = p;
  made.constant = -made.constant;
  for (Term& term : made.terms) term.coefficient = -term.coefficient;
  return made;
}

}  // namespace onnxpress::ops
