// Sessions in a process of their own, so that a runtime that crashes or hangs there becomes an Error here.
#pragma once

#include <memory>

#include "onnxpress/engines/engine.h"

namespace onnxpress::engines {

// The same engine, but each session is in a copy of this process, which is made when the session is opened and ends
// with it. Loading a model and each run may take `seconds`; after that, and after a crash, EngineDied is thrown. Where
// processes cannot be copied, sessions stay in this process.
std::shared_ptr<const Engine> in_own_process(std::shared_ptr<const Engine> engine, double seconds);

// How long loading a model or a run may take: ONNXPRESS_ORT_SECONDS if it is set, else 600. Throws Error when it is set
// to something that is not a positive number.
double patience();

}  // namespace onnxpress::engines
