// Scan of opset 8 had a batch axis. Since opset 9, that is a Scan over the batch around a Scan of one element.
#pragma once

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

// Whether the types of all operands and results are known, as the body around the node must declare them.
bool can_scan_batch(const Node& scan, const analysis::Facts& facts);
// Replaces a Scan that is for one element of the batch by one over axis 0 of all its operands, whose body has a copy
// of the node. `facts` are about the values of the node before the conversion, with the batch axis.
void scan_batch(Model& model, Node& scan, const analysis::Facts& facts);

}  // namespace onnxpress::passes
