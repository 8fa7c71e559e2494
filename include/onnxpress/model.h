/// \file
/// Model, and what it consists of: Graph, Node, Value, Tensor, Attribute, Type.
#pragma once

#include "onnxpress/ir/model.h"
