// Ops that read elements by index: Gather, GatherElements, GatherND, Compress.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_gather(Inference& in);
bool evaluate_gather(Call& call);
void infer_gather_elements(Inference& in);
bool evaluate_gather_elements(Call& call);
void infer_gather_nd(Inference& in);
bool evaluate_gather_nd(Call& call);
void infer_compress(Inference& in);
bool evaluate_compress(Call& call);

// Maps indices to [0, size): negative ones count from the end. False when one is out of range.
bool normalize_indices(std::vector<std::int64_t>& indices, std::int64_t size);

// data[:, indices, :] along one axis, for indices in range; the axis is replaced by axes of the shape `sizes`.
Array gathered(const Array& data, std::size_t axis, std::span<const std::int64_t> indices, const Sizes& sizes);

}  // namespace onnxpress::ops
