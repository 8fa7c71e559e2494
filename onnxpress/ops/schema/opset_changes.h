// Changes between versions of an op that the schemas do not show: renamed parameters, defaults with another meaning,
// replaced ops. Everything else about a version follows from its schema.
#pragma once

#include <span>
#include <string_view>

namespace onnxpress::ops {

struct OpsetChange {
  enum class Kind {
    kRename,        // parameter `name` is called `with` from this version on
    kDrop,          // parameter `name` is gone; the op now behaves as if it were not 0
    kSet,           // if absent, parameter `name` must now be set to `with` for the same meaning
    kWords,         // values of the string `name` were renamed: "bilinear=linear bicubic=cubic"
    kWriteDefault,  // parameter `name` had another default, which must be written now; as an operand, it is now `with`
    kAbsent,        // an absent parameter `name` meant the number `with`; now it must be there
    kCountResults,  // parameter `name` must be the number of results, unless operand `with` is given
    kSkipOperand,   // operands from the position of the new operand `name` on moved by one
    kReplaced,      // the op is called `name` now
    kFlattens,      // it worked on a matrix of the axes before `axis` and the rest; now on one axis
    kAligns,        // parameter `axis` aligned the second operand, which is now aligned at the end
    kSlope,         // the second operand had one number per channel and is now aligned at the end
    kRounds,        // it rounded down for scales `with` that enlarge, up for those that shrink; now as `name` says
    kScales,        // its scales for height and width became a list for all axes
    kBatches,       // it had a batch axis, and an operand `name` for the lengths in the batch
    kShifts,        // the word `with` of parameter `name` is gone
    kCombines,      // parameter `name` has new words, each the name of an op for two elements: "max=Max min=Min"
    kCenters,       // the word `with` of parameter `name` is new: it centers results whose sizes were not whole
    kFloors,        // floats are now rounded down if `name` is 0; that was for integers only
    kLeavesOut,     // a window that starts in the padding at the end is left out now
    kBlocked,       // the meaning changed and cannot be expressed: `name` says why
  };
  std::string_view op;
  int since;
  Kind kind;
  std::string_view name = {}, with = {};
};

// The changes of the standard domain, sorted by version.
std::span<const OpsetChange> opset_changes();

}  // namespace onnxpress::ops
