// Work in a separate process: how it ends, and what it leaves behind.
#include "onnxpress/base/platform/apart.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace onnxpress::platform {
namespace {

TEST(RunApart, ReturnsTheCodeAndTheLastNote) {
  int changed = 0;
  const ApartEnd done = run_apart(
      [&changed](const LeaveNote& leave_note) {
        changed = 1;
        leave_note("first");
        leave_note("second");
        return 7;
      },
      std::nullopt);
  EXPECT_EQ(done.end.exit_code, 7);
  EXPECT_EQ(done.note, "second");
  EXPECT_EQ(changed, 0);  // it was changed in the other process
}

TEST(RunApart, SurvivesWhatCrashes) {
  const ApartEnd done = run_apart(
      [](const LeaveNote& leave_note) {
        leave_note(std::string(10'000, 'x'));
        return ::raise(SIGKILL);
      },
      5.0);
  EXPECT_EQ(done.end.signal, SIGKILL);
  EXPECT_FALSE(done.end.timed_out);
  EXPECT_GT(done.note.size(), 1000U);
}

TEST(RunApart, EndsWhatHangs) {
  const ApartEnd done = run_apart(
      [](const LeaveNote&) {
        for (;;) ::pause();
        return 0;
      },
      0.1);
  EXPECT_TRUE(done.end.timed_out);
  EXPECT_LT(done.end.seconds, 5);
}

}  // namespace
}  // namespace onnxpress::platform
