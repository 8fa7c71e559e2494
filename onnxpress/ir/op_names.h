/// \file
/// OpNames: every operator that a model's nodes name, once, with a dense id. The meaning of a node is looked up by that
/// id, not by comparing strings.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "onnxpress/base/name_table.h"

namespace onnxpress {

/// How a node names its operator.
struct OpName {
  std::string_view domain;  ///< "" for the standard one, however it was written
  std::string_view type, overload;
  friend bool operator==(const OpName&, const OpName&) = default;
};

/// A set of operator names, numbered from 0 in the order in which they were added.
class OpNames {
 public:
  using Id = std::uint32_t;

  /// The id of that name, assigned now if the name is new. The caller keeps the characters alive.
  Id intern(const OpName& name) {
    Recent& recent = recent_[place_of(name.type)];
    if (recent.name != name || recent.name.type.empty()) recent = {name, find_or_add(name)};
    return recent.id;
  }
  const OpName& operator[](Id id) const { return names_[id]; }
  std::size_t size() const { return names_.size(); }

 private:
  // A small cache by place_of(): models have many nodes but few ops, so one comparison usually finds the id.
  struct Recent {
    OpName name;
    Id id = 0;
  };
  static constexpr std::size_t kRecent = 64;
  static std::size_t place_of(std::string_view type) {
    if (type.empty()) return 0;
    return (type.size() * 7 + static_cast<unsigned char>(type.front()) * 3 + static_cast<unsigned char>(type.back())) %
           kRecent;
  }
  Id find_or_add(const OpName& name);

  std::array<Recent, kRecent> recent_;
  NameTable texts_;
  std::unordered_map<std::uint64_t, std::vector<Id>> by_texts_;  // by a hash of the ids of the three texts
  std::vector<OpName> names_;
};

}  // namespace onnxpress
