// Reading and writing files, and keeping paths inside a folder: what may be opened, and what is left after a failure.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "onnxpress/base/atomic_file.h"
#include "onnxpress/base/contained_file.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/mapped_file.h"
#include "onnxpress/base/platform/child_process.h"
#include "onnxpress/base/standard_input.h"
#include "tests/support/temp_folder.h"

namespace onnxpress {
namespace {

namespace fs = std::filesystem;
using tests::content_of;
using tests::TempFolder;

template <typename Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::size_t file_count(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(MappedFile, ReadsTheSameMappedOrNot) {
  const TempFolder folder;
  const fs::path path = folder.write("a", "hello");
  for (const FileAccess access : {FileAccess::kMap, FileAccess::kRead}) {
    EXPECT_EQ(MappedFile::open(path, access)->bytes().view(), "hello");
  }
  EXPECT_EQ(MappedFile::open(folder.write("empty", ""))->size(), 0U);
}

TEST(ChildProcess, LeavesNoFilesOpenWhenItCannotStart) {
  const auto start = [] { platform::ChildProcess({"/there/is/no/such/program"}); };
  EXPECT_THROW(start(), Error);
  const std::size_t before = file_count("/proc/self/fd");
  EXPECT_THROW(start(), Error);
  EXPECT_EQ(file_count("/proc/self/fd"), before);
}

TEST(MappedFile, KnowsWhereAViewLies) {
  const TempFolder folder;
  const auto file = MappedFile::open(folder.write("a", "hello"));
  const std::string_view view = file->bytes().view();
  EXPECT_EQ(file->offset_of(view.substr(2, 2)), 2U);
  EXPECT_EQ(file->offset_of("elsewhere"), std::nullopt);
}

TEST(MappedFile, RefusesWhatIsNotAFile) {
  const TempFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(message_of([&] { MappedFile::open(folder / "none"); }),
            (folder / "none").string() + ": cannot open: No such file or directory");
  EXPECT_EQ(message_of([&] { MappedFile::open(folder.path()); }), folder.path().string() + ": is a folder, not a file");
  EXPECT_EQ(message_of([&] { MappedFile::open(folder / "fifo"); }),
            (folder / "fifo").string() + ": is not a regular file");
  EXPECT_EQ(message_of([&] { MappedFile::open("/dev/zero"); }), "/dev/zero: is not a regular file");
}

TEST(ContainedFile, RefusesPathsThatLeaveTheFolder) {
  for (const char* location : {"/etc/passwd", "//etc/passwd", "../x", "a/../../x", "a/..", "..", "..\\x", "a\\..\\x",
                               "\\x", "C:\\x", "c:x", "\\\\host\\x", "*/_ORT_MEM_ADDR_/*"}) {
    EXPECT_THROW(require_contained_location(location), Error) << location;
  }
  EXPECT_THROW(require_contained_location(std::string("a\0b", 3)), Error);
  EXPECT_THROW(require_contained_location(""), Error);
  for (const char* location : {"x", "a/b/c.data", "..x", "x..", "a..b/c", ".x", "./x", "...", "_x y"}) {
    EXPECT_NO_THROW(require_contained_location(location)) << location;
  }
}

class Contained : public testing::Test {
 protected:
  void SetUp() override {
    outer_.write("secret", "secret");
    outer_.write("model/data", "inside");
    outer_.write("model/sub/data", "deeper");
    model_ = outer_ / "model";
  }
  std::string open(const char* location, OutsidePaths policy = OutsidePaths::kRefuse) {
    try {
      return std::string(open_contained(model_, location, policy, FileAccess::kMap)->bytes().view());
    } catch (const Error& error) {
      return error.message();
    }
  }
  TempFolder outer_;
  fs::path model_;
};

TEST_F(Contained, OpensFilesInside) {
  EXPECT_EQ(open("data"), "inside");
  EXPECT_EQ(open("sub/data"), "deeper");
  EXPECT_EQ(open("./data"), "inside");
  EXPECT_EQ(open("none"), "cannot open: No such file or directory");
}

TEST_F(Contained, RefusesLinksThatLeadOut) {
  fs::create_symlink(outer_ / "secret", model_ / "absolute_link");
  fs::create_symlink("../secret", model_ / "relative_link");
  fs::create_directory_symlink("..", model_ / "folder_link");
  for (const char* location : {"absolute_link", "relative_link", "folder_link/secret"}) {
    EXPECT_EQ(open(location), "leads outside the model's folder through a link") << location;
    EXPECT_EQ(open(location, OutsidePaths::kAllow), "secret") << location;
  }
}

TEST_F(Contained, FollowsLinksThatStayInside) {
  fs::create_symlink("sub/data", model_ / "link");
  EXPECT_EQ(open("link"), "deeper");
}

TEST_F(Contained, RefusesHardLinksThatMayLeadOut) {
  fs::create_hard_link(outer_ / "secret", model_ / "hard");
  EXPECT_EQ(open("hard"), "is a hard link (2 names), so it may belong to a file outside the model's folder");
  EXPECT_EQ(open("hard", OutsidePaths::kAllow), "secret");
  fs::create_hard_link(model_ / "data", model_ / "sub/hard");
  EXPECT_EQ(open("sub/hard"), "inside");
}

TEST_F(Contained, NeverBlocksOnAFifoOrOpensADevice) {
  ASSERT_EQ(::mkfifo((model_ / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(open("fifo"), "is not a regular file");
  EXPECT_EQ(open("sub"), "is a folder, not a file");
  EXPECT_EQ(open("/dev/zero", OutsidePaths::kAllow), "is not a regular file");
}

TEST(AtomicFile, ShowsNothingUntilCommitted) {
  const TempFolder folder;
  const fs::path path = folder.write("out", "old");
  {
    AtomicFile file(path);
    file.write("new");
    EXPECT_EQ(content_of(path), "old");
  }
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(file_count(folder.path()), 1U);
  AtomicFile file(path);
  file.write("new");
  file.commit();
  EXPECT_EQ(content_of(path), "new");
  EXPECT_EQ(file_count(folder.path()), 1U);
}

TEST(AtomicFile, KeepsPermissionsOfAFileItReplaces) {
  const TempFolder folder;
  const fs::path path = folder.write("out", "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::group_read);
  AtomicFile file(path);
  file.commit();
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::group_read);
}

TEST(AtomicFile, GivesANewFileWhatTheUmaskAllows) {
  const TempFolder folder;
  const mode_t before = ::umask(027);
  AtomicFile file(folder / "out");
  file.commit();
  ::umask(before);
  EXPECT_EQ(static_cast<unsigned>(fs::status(folder / "out").permissions()), 0640U);
}

// Reading the umask used to set it to 0 for a moment, so that files of other threads got all permissions.
TEST(AtomicFile, LeavesTheUmaskToOtherThreads) {
  const TempFolder folder;
  const mode_t before = ::umask(077);
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    while (!stop) AtomicFile(folder / "out").write("x");
  });
  unsigned seen = 0;
  for (int i = 0; i < 2000; ++i) {
    const int descriptor = ::open((folder / "other").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
    struct stat status {};
    ::fstat(descriptor, &status);
    ::close(descriptor);
    ::unlink((folder / "other").c_str());
    seen |= status.st_mode & 0777;
  }
  stop = true;
  writer.join();
  ::umask(before);
  EXPECT_EQ(seen, 0600U);
}

TEST(StandardInput, HoldsWhatItWasGiven) {
  StandardInput input(Bytes::owned("content"));
  EXPECT_EQ(input.content().view(), "content");
  EXPECT_EQ(input.content().view(), "content");
}

TEST(AtomicFile, CopiesRangesAndLeavesHoles) {
  const TempFolder folder;
  const auto source = MappedFile::open(folder.write("in", "0123456789"));
  AtomicFile file(folder / "out");
  file.write("a");
  file.copy_range(*source, 2, 3);
  file.skip_to(8);
  file.write("b");
  file.skip_to(100'000);
  EXPECT_EQ(file.position(), 100'000U);
  file.commit();
  const std::string content = content_of(folder / "out");
  ASSERT_EQ(content.size(), 100'000U);
  EXPECT_EQ(content.substr(0, 10), std::string("a234\0\0\0\0b\0", 10));
  EXPECT_EQ(content.find_first_not_of('\0', 9), std::string::npos);
}

TEST(AtomicFile, CopiesFromAFileThatWasReadIntoMemory) {
  const TempFolder folder;
  const auto source = MappedFile::open(folder.write("in", "0123456789"), FileAccess::kRead);
  AtomicFile file(folder / "out");
  file.copy_range(*source, 1, 4);
  file.commit();
  EXPECT_EQ(content_of(folder / "out"), "1234");
}

TEST(AtomicFile, ReplacesALinkInsteadOfWritingThroughIt) {
  const TempFolder folder;
  folder.write("target", "untouched");
  fs::create_symlink("target", folder / "link");
  AtomicFile file(folder / "link");
  file.write("new");
  file.commit();
  EXPECT_EQ(content_of(folder / "target"), "untouched");
  EXPECT_FALSE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(content_of(folder / "link"), "new");
}

TEST(AtomicFile, SaysWhyItCannotWrite) {
  const TempFolder folder;
  folder.write("file", "");
  EXPECT_EQ(message_of([&] { AtomicFile(folder / "none/x"); }),
            (folder / "none/x").string() + ": cannot create: No such file or directory");
  EXPECT_EQ(message_of([&] { AtomicFile(folder / "file/x"); }),
            (folder / "file/x").string() + ": cannot create: Not a directory");
  EXPECT_EQ(message_of([&] { AtomicFile{folder.path()}; }), folder.path().string() + ": cannot write: is a folder");
}

}  // namespace
}  // namespace onnxpress
