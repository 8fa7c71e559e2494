// Weights that can be computed from another weight: reshaped, transposed, a part of it, times a power of two, or by a
// table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "onnxpress/weights/chain/chain.h"
#include "onnxpress/weights/lossless/candidate.h"

namespace onnxpress::weights {

// One constant of the model. Only those that `can_be_base` may be read by the chains of others.
struct Member {
  Value* value;
  const Tensor* tensor;
  bool can_be_base;
};

// Finds tensors that others can be computed from. Built once per model; queries are thread-safe.
class DerivedIndex {
 public:
  // Reads the tensors that have the type and size of another one, and the beginnings of rows of all tensors.
  DerivedIndex(const Model& model, std::span<const Member> members);

  struct Offer {
    std::string_view method;  // "reshaped", "transposed", "sliced", "scaled", "mapped"
    Chain chain;              // chain.base is set
  };
  // Chains that compute member `i` from another one that comes before it: larger ones come first, then earlier ones. So
  // two tensors never need each other. Wider elements may be computed from any bytes, because the reverse never
  // happens.
  std::vector<Offer> offers_for(std::size_t i, const Candidate& candidate) const;

 private:
  struct Hashes {
    std::uint64_t bytes = 0;     // of the content as it is
    std::uint64_t elements = 0;  // of the elements in any order
    std::uint64_t scaled = 0;    // of floats relative to the first that is not zero; 0: no such form
  };
  // Where a row or a column of a member begins. There are millions, so they are small and in one sorted list.
  struct Place {
    std::uint64_t hash;  // of the beginning
    std::uint32_t member;
    std::uint32_t axis;    // 0: a slice along axis 0; 1: along the last axis
    std::uint64_t offset;  // of the beginning, in bytes
  };

  bool comes_before(std::size_t a, std::size_t b) const;
  void index_twins();
  std::vector<std::uint32_t> twins_of(std::size_t i) const;
  void index_rows();
  std::optional<Offer> same_elements(std::size_t i, std::size_t base, const Candidate& candidate) const;
  std::optional<Offer> sliced(const Place& place, const Candidate& candidate) const;
  std::optional<Offer> mapped(std::size_t i, const Candidate& candidate) const;

  const Model& model_;
  std::span<const Member> members_;
  std::vector<std::uint64_t> bytes_;  // of each member's content; 0: cannot be read
  std::vector<Hashes> hashes_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_size_;  // type and size -> members
  // Members that may be a base, by each of their hashes combined with type and size; the first few of each.
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> twins_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> codes_;  // tensors of bytes, by the number of elements
  std::vector<Place> rows_;                                              // sorted by hash, then in the order of members
};

// The names of all methods above with one line each, for lists of what shrink can do.
struct DerivedMethod {
  std::string_view name, summary;
};
std::span<const DerivedMethod> derived_methods();

}  // namespace onnxpress::weights
