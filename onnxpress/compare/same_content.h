// Compares the elements of constants part by part, so that large weights need not be in memory.
#pragma once

#include "onnxpress/ir/release_pages.h"
#include "onnxpress/ops/core/array.h"

namespace onnxpress::compare {

// Same type, dims and bits. Two tensors that cannot be read are the same when the files refer to them in the same way.
bool same_tensor(const Tensor& a, MappedFiles files_of_a, const Tensor& b, MappedFiles files_of_b);
bool same_tensor(const ops::Array& a, const Tensor& b, MappedFiles files_of_b);
bool same_array(const ops::Array& a, const ops::Array& b);

// The same for sparse ones, by their parts.
bool same_sparse_tensor(const SparseTensor& a, const SparseTensor& b);

// Floats of one type and the same dims that differ by at most `error`, up to rounding in the type.
bool is_within(const ops::Array& a, const ops::Array& b, double error);

}  // namespace onnxpress::compare
