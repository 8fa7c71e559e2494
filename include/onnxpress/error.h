/// \file
/// Error, the only exception of the library's own, with its kinds OptionError and MissingFile; and the version of the
/// library.
#pragma once

#include "onnxpress/base/error.h"
#include "onnxpress/base/option_error.h"
#include "onnxpress/base/platform/missing_file.h"
#include "onnxpress/base/version.h"
