// The two functions by which code that Highway compiled for several processors is chosen at run time. Highway's library
// has them, too, but it measures the resolution of its timer whenever a program starts, which took a third of the time
// of `onnxpress --version`. So on x86 they are here, and the library is not linked.
#include <hwy/targets.h>

#if HWY_ARCH_X86
#include <cpuid.h>

#include <initializer_list>

namespace hwy {

namespace {

// What the processor says of itself. Asked directly, because __builtin_cpu_supports() needs a part of the compiler's
// runtime that zig's does not have, and does not know all features in all compilers.
struct Features {
  unsigned basic_c = 0, leaf7_b = 0, extended_c = 0;
  bool saves_avx = false, saves_avx512 = false;  // whether the system keeps the wide registers of each thread
};

// Register XCR0: bits 1 and 2 are the state of AVX, 5 to 7 that of AVX-512. The instruction is written as bytes,
// because its intrinsic needs the file to be compiled for a newer processor.
std::uint64_t saved_registers() {
  std::uint32_t low = 0, high = 0;
  __asm__ volatile(".byte 0x0f, 0x01, 0xd0" : "=a"(low), "=d"(high) : "c"(0));  // xgetbv
  return (std::uint64_t{high} << 32) | low;
}

Features features() {
  constexpr unsigned kExtended = 0x80000001, kSavesWideRegisters = 1U << 27;
  constexpr std::uint64_t kAvx = 0x6, kAvx512 = 0xe6;
  Features found;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return found;
  found.basic_c = c;
  if ((c & kSavesWideRegisters) != 0) {
    const std::uint64_t saved = saved_registers();
    found.saves_avx = (saved & kAvx) == kAvx;
    found.saves_avx512 = (saved & kAvx512) == kAvx512;
  }
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0) found.leaf7_b = b;
  if (__get_cpuid(kExtended, &a, &b, &c, &d) != 0) found.extended_c = c;
  return found;
}

bool has_all(unsigned bits, std::initializer_list<unsigned> wanted) {
  for (const unsigned bit : wanted) {
    if ((bits >> bit & 1U) == 0) return false;
  }
  return true;
}

std::int64_t detect() {
  // Numbers of bits. In basic_c:
  constexpr unsigned kPclmul = 1, kSsse3 = 9, kFma = 12, kSse42 = 20, kAes = 25, kAvx = 28, kF16c = 29;
  // In leaf7_b:
  constexpr unsigned kBmi1 = 3, kAvx2 = 5, kBmi2 = 8, kAvx512f = 16, kAvx512dq = 17, kAvx512cd = 28, kAvx512bw = 30,
                     kAvx512vl = 31;
  constexpr unsigned kLzcnt = 5;  // in extended_c
  const Features has = features();
  std::int64_t targets = 0;
  if (!has_all(has.basic_c, {kSsse3})) return targets;
  targets |= HWY_SSSE3;
  if (!has_all(has.basic_c, {kSse42, kAes, kPclmul})) return targets;
  targets |= HWY_SSE4;
  if (!has.saves_avx || !has_all(has.basic_c, {kAvx, kFma, kF16c}) || !has_all(has.leaf7_b, {kBmi1, kAvx2, kBmi2}) ||
      !has_all(has.extended_c, {kLzcnt}))
    return targets;
  targets |= HWY_AVX2;
  if (!has.saves_avx512 || !has_all(has.leaf7_b, {kAvx512f, kAvx512dq, kAvx512cd, kAvx512bw, kAvx512vl}))
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
