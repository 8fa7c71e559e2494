// The two functions by which code that Highway compiled for several processors is chosen at run time. Highway's library
// has them, too, but it measures the resolution of its timer whenever a program starts, which took a third of the time
// of `onnxpress --version`. So on x86 they are here, and the library is not linked.
#include <hwy/targets.h>

#if HWY_ARCH_X86
#include <cpuid.h>

namespace hwy {

namespace {

// Features that __builtin_cpu_supports() does not know in all compilers.
bool has_lzcnt_and_f16c() {
  constexpr unsigned kExtended = 0x80000001, kLzcnt = 1U << 5, kF16c = 1U << 29;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kF16c) == 0) return false;
  return __get_cpuid(kExtended, &a, &b, &c, &d) != 0 && (c & kLzcnt) != 0;
}

std::int64_t detect() {
  __builtin_cpu_init();  // also checks that the system saves the wide registers
  std::int64_t targets = 0;
  if (!__builtin_cpu_supports("ssse3")) return targets;
  targets |= HWY_SSSE3;
  if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("aes") || !__builtin_cpu_supports("pclmul"))
    return targets;
  targets |= HWY_SSE4;
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi") ||
      !__builtin_cpu_supports("bmi2") || !has_lzcnt_and_f16c())
    return targets;
  targets |= HWY_AVX2;
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512vl") ||
      !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512cd"))
    return targets;
  return targets | HWY_AVX3;
}

}  // namespace

int64_t SupportedTargets() {
  static const std::int64_t kTargets = detect();
  return kTargets;
}

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

}  // namespace hwy
#endif
