// Advises the kernel with madvise, which fails for content that was read into memory because that does not start at a
// page boundary; a failure costs only speed.
#include "onnxpress/base/read_ahead.h"

#include <sys/mman.h>

namespace onnxpress {

namespace {

void advise(const MappedFile& file, int advice) {
  const std::string_view content = file.bytes().view();
  if (!content.empty()) ::madvise(const_cast<char*>(content.data()), content.size(), advice);
}

}  // namespace

void expect_scattered_reads(const MappedFile& file) {
  // A small file may consist mostly of its graph; loading its pages one by one would then dominate the time of reading.
  constexpr std::uint64_t kMostlyWeights = std::uint64_t{64} << 20;
  if (file.size() >= kMostlyWeights) advise(file, MADV_RANDOM);
}

void expect_ordinary_reads(const MappedFile& file) { advise(file, MADV_NORMAL); }

}  // namespace onnxpress
