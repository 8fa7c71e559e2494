// Translates the pass names of onnxoptimizer and OnnxSlim to ours, for scripts that use them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace onnxpress {

// `ours` are our names, separated by blanks. If it is empty, `remark` says that optimize always does this, or never.
struct OtherName {
  std::string_view name, ours, remark;
};
std::span<const OtherName> other_names();

// Null when no other tool has a pass of that name.
const OtherName* find_other_name(std::string_view name);
// Splits `other.ours` into single names.
std::vector<std::string_view> names_meant(const OtherName& other);

}  // namespace onnxpress
