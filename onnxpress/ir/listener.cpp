// Adds listeners to a model and removes them.
#include "onnxpress/ir/listener.h"

#include <algorithm>

namespace onnxpress {

Listening::Listening(const Model& model, GraphListener& listener) : context_(model.context()), listener_(listener) {
  context_.listeners.push_back(&listener);
}

Listening::~Listening() {
  auto& listeners = context_.listeners;
  const auto last = std::find(listeners.rbegin(), listeners.rend(), &listener_);  // a listener may be registered twice
  if (last != listeners.rend()) listeners.erase(std::next(last).base());
}

}  // namespace onnxpress
