// Finds the id of an operator's name.
#include "onnxpress/ir/op_names.h"

namespace onnxpress {

OpNames::Id OpNames::find_or_add(const OpName& name) {
  std::uint64_t key = 0;
  for (const std::string_view text : {name.type, name.domain, name.overload}) {
    key = (key ^ (texts_.intern(text) + 1)) * 0x9e3779b97f4a7c15;
    key ^= key >> 29;
  }
  std::vector<Id>& ids = by_texts_[key];
  for (const Id id : ids) {
    if (names_[id] == name) return id;
  }
  ids.push_back(static_cast<Id>(names_.size()));
  names_.push_back(name);
  return ids.back();
}

}  // namespace onnxpress
