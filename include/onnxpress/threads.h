/// \file
/// Whose threads do the work: ThreadPool and UseThreads.
#pragma once

#include "onnxpress/base/thread_pool.h"
