// Peaks of anonymous memory: large arrays count even if they are freed soon, pages of mapped files do not.
#include "onnxpress/base/memory_watch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>
#include <vector>

#include "onnxpress/base/mapped_file.h"
#include "onnxpress/base/platform/process.h"
#include "onnxpress/base/temporary_folder.h"

namespace onnxpress {
namespace {

constexpr std::size_t kSize = 64 << 20;

TEST(MemoryWatch, SeesMemoryThatIsFreedSoon) {
  MemoryWatch watch;
  const std::uint64_t before = watch.peak_anonymous();
  ASSERT_GT(before, 0U);
  {
    const std::vector<char> large(kSize, 'x');
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_GE(watch.peak_anonymous(), before + kSize / 2);  // the array may reuse memory that was freed before
}

TEST(MemoryWatch, DoesNotCountMappedFiles) {
  const TemporaryFolder folder(std::filesystem::temp_directory_path());
  const auto path = folder.path() / "large";
  std::ofstream(path, std::ios::binary) << std::string(kSize, 'x');
  MemoryWatch watch;
  const std::uint64_t before = watch.peak_anonymous();
  const Bytes content = MappedFile::open(path)->bytes();
  const auto sum = std::accumulate(content.view().begin(), content.view().end(), std::uint64_t{0});
  EXPECT_EQ(sum, kSize * 'x');
  EXPECT_LT(watch.peak_anonymous(), before + kSize / 4);
  EXPECT_GE(platform::peak_memory(), before + kSize);
}

}  // namespace
}  // namespace onnxpress
