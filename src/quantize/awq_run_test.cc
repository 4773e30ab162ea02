#include "quantize/awq_run.h"

#include <unistd.h>

#include <gtest/gtest.h>

#include "base/thread_pool.h"
#include "kernels/select.h"
#include "octavo/error.h"
#include "quantize/test_support.h"
#include "tests/testing/error_code.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

constexpr ExportOptions k4Bits = {.language = MatrixForm::kW4};

class AwqRunTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / StrCat("octavo_awq_run_", ::getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Ends with kCancelled before piece of work number `stop`; -1: runs to its end.
  AwqFinding Run(const Checkpoint& checkpoint, const AwqRunOptions& run, int stop = -1) {
    ThreadPool pool(2);
    const ops::Context context = {&SelectedKernels(), &pool, nullptr};
    num_pieces_ = 0;
    double last = -1;
    return RunAwq(checkpoint, k4Bits, testing::MakeSamples(2, 1), run, context,
                  [&](const std::string& what, double share) {
                    EXPECT_FALSE(what.empty());
                    EXPECT_GE(share, last);
                    EXPECT_LT(share, 1.0);
                    last = share;
                    if (num_pieces_++ == stop) throw Error(ErrorCode::kCancelled, "stop");
                  });
  }

  fs::path folder_;
  int num_pieces_ = 0;
};

TEST_F(AwqRunTest, ARunThatIsEndedAnywhereIsResumedToTheSameFinding) {
  const auto checkpoint = testing::WithOutliers(10);
  const AwqFinding expected = Run(*checkpoint, {});
  EXPECT_EQ(expected.errors.size(), 2u * 7u);
  const int all = num_pieces_ + 1;  // with a journal the model is read first
  for (int stop = 0; stop < all; stop += 3) {
    const AwqRunOptions first = {.journal = folder_ / "journal"};
    EXPECT_THROW(Run(*checkpoint, first, stop), Error);
    const AwqFinding resumed = Run(*checkpoint, {.journal = first.journal, .resume = true});
    EXPECT_EQ(resumed.adjustments, expected.adjustments) << stop;
    EXPECT_EQ(resumed.errors.size(), expected.errors.size());
  }
  // All is there: only the model is read.
  Run(*checkpoint, {.journal = folder_ / "journal", .resume = true});
  EXPECT_EQ(num_pieces_, 1);
}

TEST_F(AwqRunTest, AnotherModelIsNotResumed) {
  const AwqRunOptions run = {.journal = folder_ / "journal"};
  EXPECT_THROW(Run(*testing::WithOutliers(10), run, 5), Error);
  EXPECT_EQ(testing::ErrorCodeOf(
                [&] { Run(*testing::WithOutliers(11), {.journal = run.journal, .resume = true}); },
                run.journal.native() + ": of another model"),
            ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace octavo
