// The table of contents: every rewrite, in the order in which they are tried at a node. Each has a file of its name in
// rewrites/.
#include <algorithm>
#include <array>

#include "onnxpress/passes/rewrite.h"

namespace onnxpress::passes {

// clean-up
extern const Rewrite remove_identity;
extern const Rewrite merge_transposes;
// fusion
extern const Rewrite fuse_conv_batchnorm;

std::span<const Rewrite* const> all_rewrites() {
  static constexpr std::array<const Rewrite*, 3> kRewrites = {
      &remove_identity,
      &merge_transposes,
      &fuse_conv_batchnorm,
  };
  return kRewrites;
}

const Rewrite* find_rewrite(std::string_view name) {
  const auto all = all_rewrites();
  const auto found = std::ranges::find(all, name, &Rewrite::name);
  return found == all.end() ? nullptr : *found;
}

std::string_view name_of(Exactness exactness) {
  switch (exactness) {
    case Exactness::kExact:
      return "exact";
    case Exactness::kReassociates:
      return "reassociates";
    case Exactness::kApproximate:
      break;
  }
  return "approximate";
}

}  // namespace onnxpress::passes
