/// \file
/// Error, the only exception of the library's own, and the version of the library.
#pragma once

#include "onnxpress/base/error.h"
#include "onnxpress/base/version.h"
