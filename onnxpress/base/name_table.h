/// \file
/// NameTable: stores every distinct name once, with a dense id, so that scopes can be arrays instead of maps.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace onnxpress {

/// A set of names, numbered from 0 in the order in which they were added.
class NameTable {
 public:
  using Id = std::uint32_t;
  static constexpr Id kNone = ~Id{0};

  NameTable();
  void reserve(std::size_t names);  ///< makes room for that many, so that interning them does not grow the table

  /// The id of `name`, assigned now if the name is new. The caller keeps the characters alive (the mapped file, an
  /// arena).
  Id intern(std::string_view name) { return intern(prepare(name)); }
  /// The same in two steps, for many names: `prepare` hashes the name and prefetches the slot that `intern` will read,
  /// so that names prepared a few ahead do not wait for memory one by one.
  struct Prepared {
    std::string_view name;
    std::uint32_t hash;
  };
  Prepared prepare(std::string_view name) const;
  Id intern(Prepared prepared);
  /// kNone when the name was never interned.
  Id find(std::string_view name) const;
  std::string_view text(Id id) const { return names_[id]; }
  std::size_t size() const { return names_.size(); }

 private:
  struct Slot {
    Id id = kNone;
    std::uint32_t hash = 0;
  };
  std::size_t slot_of(std::string_view name, std::uint32_t hash) const;
  void grow(std::size_t slots);

  std::uint64_t seed_;
  std::vector<Slot> slots_;  // open addressing, power-of-two size, at most half full
  std::vector<std::string_view> names_;
};

}  // namespace onnxpress
