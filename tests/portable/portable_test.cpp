// Tests the library with the portable platform instead of the operating system's. CMake also links api_test.cpp.
#include <gtest/gtest.h>

#include "onnxpress/base/atomic_file.h"
#include "onnxpress/base/contained_file.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/parallel_for.h"
#include "onnxpress/base/platform/shared_library.h"
#include "onnxpress/base/platform/threads.h"
#include "onnxpress/files.h"
#include "tests/support/temp_folder.h"

namespace onnxpress {
namespace {

namespace fs = std::filesystem;
using tests::content_of;
using tests::TempFolder;

TEST(Portable, IsWhatThisProgramIsLinkedWith) {
  EXPECT_EQ(platform::processor_count(), 1U);
  EXPECT_EQ(parallel_width(), 1U);
  EXPECT_EQ(platform::start_thread([] {}), nullptr);
  EXPECT_EQ(platform::open_library("libc.so.6").handle, nullptr);
  const TempFolder folder;
  EXPECT_EQ(MappedFile::open(folder.write("a", "hello"))->descriptor(), -1);
}

TEST(Portable, ReadsAndWritesFilesWhole) {
  const TempFolder folder;
  const fs::path path = folder.write("a", "old");
  EXPECT_EQ(MappedFile::open(path)->bytes().view(), "old");
  { AtomicFile(path).write("lost"); }
  EXPECT_EQ(content_of(path), "old");
  AtomicFile file(path);
  file.write("new");
  file.skip_to(10'000);
  file.copy_range(*MappedFile::open(path), 1, 2);
  file.commit();
  EXPECT_EQ(content_of(path), "new" + std::string(10'000 - 3, '\0') + "ld");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
  EXPECT_THROW(MappedFile::open(folder / "none"), Error);
  EXPECT_THROW(MappedFile::open(folder.path()), Error);
}

TEST(Portable, KeepsExternalDataInside) {
  const TempFolder outer;
  outer.write("secret", "secret");
  outer.write("model/data", "inside");
  const fs::path model = outer / "model";
  const auto open = [&model](const char* location) {
    return open_contained(model, location, OutsidePaths::kRefuse, FileAccess::kMap)->bytes();
  };
  EXPECT_EQ(open("data").view(), "inside");
  fs::create_symlink("../secret", model / "link");
  fs::create_hard_link(outer / "secret", model / "hard");
  for (const char* location : {"../secret", "link", "hard", "none", "/etc/passwd"})
    EXPECT_THROW(open(location), Error) << location;
  fs::create_directory_symlink("..", model / "folder");
  EXPECT_THROW(AtomicFile(model, "folder/out"), Error);
  AtomicFile(model, "new/out").commit();
  EXPECT_EQ(content_of(model / "new/out"), "");
}

}  // namespace
}  // namespace onnxpress
