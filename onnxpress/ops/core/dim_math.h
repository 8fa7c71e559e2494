// DimMath: arithmetic on symbolic integers. Expressions are kept in a normal form (a sum of products of symbols and of
// floor-divisions, remainders, minima and maxima) and interned, so equal expressions are the same Dim.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/ir/type.h"

namespace onnxpress::ops {

struct Polynomial;

// The result is unknown if an operand is, or if a number has more than 62 bits.
class DimMath {
 public:
  explicit DimMath(Context& context);
  ~DimMath();
  DimMath(const DimMath&) = delete;
  DimMath& operator=(const DimMath&) = delete;

  Dim add(Dim a, Dim b);
  Dim sub(Dim a, Dim b);
  Dim mul(Dim a, Dim b);
  Dim floor_div(Dim a, Dim b);  // rounds down; unknown for b == 0
  Dim ceil_div(Dim a, Dim b);
  Dim mod(Dim a, Dim b);  // has the sign of b, as in Python
  Dim min(Dim a, Dim b);
  Dim max(Dim a, Dim b);
  // The size of two dims broadcast together: they are equal, or one of them is 1.
  Dim broadcast(Dim a, Dim b);
  Dim product(std::span<const Dim> dims);
  // a / b where the op's semantics guarantee that b divides a.
  Dim exact_div(Dim a, Dim b);

  // A symbol with a unique name: `hint`, or `hint` and a number.
  Dim fresh(std::string_view hint, bool nonnegative = true);

  // True when proved; false means "not known".
  bool equal(Dim a, Dim b);  // takes unified dims into account
  bool at_least(Dim a, std::int64_t bound);
  bool at_most(Dim a, std::int64_t bound);
  bool not_above(Dim a, Dim b) { return at_least(sub(b, a), 0); }
  std::optional<std::int64_t> lower_bound(Dim a);
  std::optional<std::int64_t> upper_bound(Dim a);

  // For an op whose semantics require a == b. Returns false, and changes nothing, when that is impossible (3 and 4).
  bool unify(Dim a, Dim b);
  // During its lifetime only symbols made after it are solved for: an equation inside a body holds only if the body
  // runs.
  class Scope {
   public:
    explicit Scope(DimMath& math);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    DimMath& math_;
    std::uint32_t outer_;
  };
  // Between hold() and release(), unify() only checks whether an equation is possible by itself and stores it, so that
  // dims keep their form while they are compared. release() solves the equations in order and returns the tags of those
  // that turn out to be impossible.
  void hold();
  void set_tag(std::uint32_t tag);  // of the equations that follow
  std::vector<std::uint32_t> release();
  // The dim with unified symbols replaced by their representative: use this to print and compare.
  Dim resolve(Dim dim);
  // Gives a symbol a size everywhere (`--dim batch=8`); false when it has another one already.
  bool bind(std::string_view symbol, std::int64_t size);

  // The value of a dim, with `size_of` for the sizes of plain symbols; nullopt when it needs one that `size_of` does
  // not know.
  using SizeOf = std::function<std::optional<std::int64_t>(const Symbol& symbol)>;
  std::optional<std::int64_t> value_of(Dim dim, const SizeOf& size_of);
  // The dim as a sum of products; nullopt for an unknown dim. Factors may be plain symbols, or atoms such as a floor
  // division, whose value value_of() returns.
  std::optional<Polynomial> polynomial(Dim dim) const;
  // Is the dim a single symbol, not an expression?
  bool is_plain(Dim dim) const;
  // Is it a plain symbol that was not made by fresh()?
  bool is_named(Dim dim) const;

  struct State;

 private:
  bool solve(Dim a, Dim b);

  std::unique_ptr<State> state_;
};

// The shape with every dim resolved.
std::vector<Dim> resolved(DimMath& math, std::span<const Dim> shape);

}  // namespace onnxpress::ops
