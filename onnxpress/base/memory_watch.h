// Watches how much memory this process needs during a call.
#pragma once

#include <cstdint>
#include <memory>

namespace onnxpress {

// Looks every few milliseconds, in a thread of its own that the destructor ends. A peak that is shorter may be missed.
class MemoryWatch {
 public:
  MemoryWatch();
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;
  ~MemoryWatch();

  // The most anonymous memory seen so far: what the process allocated, without pages of mapped files, which the system
  // drops when it needs memory. 0 when the system does not tell.
  std::uint64_t peak_anonymous();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace onnxpress
