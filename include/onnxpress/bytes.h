/// \file
/// Bytes: content in memory, together with whatever keeps it alive.
#pragma once

#include "onnxpress/base/bytes.h"
