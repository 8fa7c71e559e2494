// From the change log of the standard (onnx/onnx, docs/Changelog.md), version by version.
#include "onnxpress/ops/schema/opset_changes.h"

namespace onnxpress::ops {

namespace {

using Kind = OpsetChange::Kind;

constexpr OpsetChange kChanges[] = {
    {"Pad", 2, Kind::kRename, "paddings", "pads"},
    {"GlobalLpPool", 2, Kind::kBlocked, "p was a float"},
    {"LpPool", 2, Kind::kBlocked, "p was a float"},
    {"Concat", 4, Kind::kAbsent, "axis", "1"},
    {"Cast", 6, Kind::kBlocked, "the type was a string"},
    {"Tile", 6, Kind::kBlocked, "it repeated along a single axis"},
    {"Add", 7, Kind::kAligns},
    {"And", 7, Kind::kAligns},
    {"Div", 7, Kind::kAligns},
    {"Equal", 7, Kind::kAligns},
    {"Greater", 7, Kind::kAligns},
    {"Less", 7, Kind::kAligns},
    {"Mul", 7, Kind::kAligns},
    {"Or", 7, Kind::kAligns},
    {"Pow", 7, Kind::kAligns},
    {"Sub", 7, Kind::kAligns},
    {"Xor", 7, Kind::kAligns},
    {"PRelu", 7, Kind::kSlope},
    {"Gemm", 7, Kind::kDrop, "broadcast"},
    {"BatchNormalization", 7, Kind::kDrop, "is_test"},
    {"Dropout", 7, Kind::kDrop, "is_test"},
    {"Upsample", 7, Kind::kScales},
    {"Scan", 9, Kind::kRename, "directions", "scan_input_directions"},
    {"Scan", 9, Kind::kBatches, "sequence_lens"},
    {"TopK", 10, Kind::kRename, "k", "K"},
    {"Upsample", 10, Kind::kReplaced, "Resize"},
    {"Pad", 11, Kind::kRename, "value", "constant_value"},
    {"Resize", 11, Kind::kSkipOperand, "roi"},
    {"Resize", 11, Kind::kSet, "coordinate_transformation_mode", "asymmetric"},
    {"Resize", 11, Kind::kRounds, "nearest_mode", "scales"},
    {"Scatter", 11, Kind::kReplaced, "ScatterElements"},
    {"Hardmax", 13, Kind::kFlattens},
    {"LogSoftmax", 13, Kind::kFlattens},
    {"Resize", 13, Kind::kShifts, "coordinate_transformation_mode", "tf_half_pixel_for_nn"},
    {"Softmax", 13, Kind::kFlattens},
    {"RoiAlign", 16, Kind::kSet, "coordinate_transformation_mode", "output_half_pixel"},
    {"ScatterElements", 16, Kind::kCombines, "reduction", "add=Add mul=Mul"},
    {"ScatterND", 16, Kind::kCombines, "reduction", "add=Add mul=Mul"},
    {"ScatterElements", 18, Kind::kCombines, "reduction", "max=Max min=Min"},
    {"ScatterND", 18, Kind::kCombines, "reduction", "max=Max min=Min"},
    {"Split", 18, Kind::kCountResults, "num_outputs", "split"},
    {"Resize", 19, Kind::kCenters, "coordinate_transformation_mode", "half_pixel_symmetric"},
    {"DFT", 20, Kind::kWriteDefault, "axis", "-2"},
    {"GridSample", 20, Kind::kWords, "mode", "bilinear=linear bicubic=cubic"},
    {"GroupNormalization", 21, Kind::kBlocked, "scale and bias had one number for each group"},
    {"AveragePool", 22, Kind::kLeavesOut},
    {"LpPool", 22, Kind::kLeavesOut},
    {"MaxPool", 22, Kind::kLeavesOut},
    {"Mod", 28, Kind::kFloors, "fmod"},
};

}  // namespace

std::span<const OpsetChange> opset_changes() { return kChanges; }

}  // namespace onnxpress::ops
