// The engine that every front end uses.
#include "onnxpress/engines/find_engine.h"

#include "onnxpress/engine.h"

namespace onnxpress {

std::shared_ptr<const Engine> find_engine(const std::string& library) {
  return engines::engines_for({.library = library}).front();
}

}  // namespace onnxpress
