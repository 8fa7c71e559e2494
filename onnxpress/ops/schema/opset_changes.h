// Changes between versions of an op that the schemas do not show: renamed parameters, defaults with another meaning,
// replaced ops. Everything else about a version follows from its schema.
#pragma once

#include <span>
#include <string_view>

namespace onnxpress::ops {

struct OpsetChange {
  enum class Kind {
    kRename,        // parameter `name` is called `with` from this version on
    kDrop,          // parameter `name` means nothing any more where it is not 0
    kSet,           // to mean the same as before, parameter `name` must be `with`, unless it was given
    kWords,         // values of the text `name`: "bilinear=linear bicubic=cubic"
    kWriteDefault,  // parameter `name` had another default, which must be written now
    kCountResults,  // parameter `name` is the number of results, unless operand `with` is given
    kSkipOperand,   // operands from the one that is now `name` on moved by one position
    kReplaced,      // the op is called `name` now
    kFlattens,      // it worked on a matrix: axes before `axis`, and the others; now on one axis
    kAligns,        // parameter `axis` aligned the second operand; now it is aligned at the end
    kSlope,         // the second operand is one number for each channel; now it is aligned at the end
    kRounds,        // it rounded down where `with` makes larger, and up where it makes smaller; now as `name` says
    kLeavesOut,     // a window that starts in the padding at the end is left out now
    kBlocked,       // another meaning, and there is no way around: `name` says why
  };
  std::string_view op;
  int since;
  Kind kind;
  std::string_view name = {}, with = {};
};

// Of the standard domain, sorted by version.
std::span<const OpsetChange> opset_changes();

}  // namespace onnxpress::ops
