// The locks of AddressSanitizer's runtime, held during a fork: before LLVM 17, it does not do so itself, and a copy
// that is made while another thread allocates waits forever. Nothing in builds without it.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ONNXPRESS_HAS_ASAN 1
#endif
#endif

#ifdef ONNXPRESS_HAS_ASAN
// Functions of the runtime, which is linked statically; null where it is a library of its own.
namespace __lsan {
[[gnu::weak]] void LockThreadRegistry();
[[gnu::weak]] void UnlockThreadRegistry();
[[gnu::weak]] void LockAllocator();
[[gnu::weak]] void UnlockAllocator();
}  // namespace __lsan
namespace __sanitizer {
[[gnu::weak]] void StackDepotLockAll();
[[gnu::weak]] void StackDepotUnlockAll();
}  // namespace __sanitizer
#endif

namespace onnxpress::platform {

// From its construction to its end, nothing may be allocated, and no thread may be started.
class SanitizerLocks {
 public:
#ifdef ONNXPRESS_HAS_ASAN
  SanitizerLocks() {
    if (!is_there()) return;
    __lsan::LockThreadRegistry();
    __lsan::LockAllocator();
    __sanitizer::StackDepotLockAll();
  }
  ~SanitizerLocks() {
    if (!is_there()) return;
    __sanitizer::StackDepotUnlockAll();
    __lsan::UnlockAllocator();
    __lsan::UnlockThreadRegistry();
  }

 private:
  static bool is_there() {
    return __lsan::LockThreadRegistry && __lsan::UnlockThreadRegistry && __lsan::LockAllocator &&
           __lsan::UnlockAllocator && __sanitizer::StackDepotLockAll && __sanitizer::StackDepotUnlockAll;
  }

 public:
#else
  SanitizerLocks() {}  // not trivial, so that nobody is told of an unused variable
#endif
  SanitizerLocks(const SanitizerLocks&) = delete;
  SanitizerLocks& operator=(const SanitizerLocks&) = delete;
};

}  // namespace onnxpress::platform
