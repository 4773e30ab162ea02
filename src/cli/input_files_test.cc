#include "cli/input_files.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "octavo/error.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

class InputFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("input_files_") +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string Touch(const std::string& name) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << "x";
    return (folder_ / name).string();
  }
  static std::string Names(const FoundInputs& found) {
    std::string names;
    for (const InputFile& file : found.files) names += file.result_name + " ";
    for (const InputProblem& problem : found.problems) {
      names += std::string("(") + ErrorCodeName(problem.error.code()) + ") ";
    }
    return names;
  }
  fs::path folder_;
};

TEST_F(InputFilesTest, TakesNamedFilesInTheirOrder) {
  EXPECT_EQ(Names(FindInputFiles({Touch("b.pdf"), Touch("a.weird"), Touch("none")})), "b a none ");
}

TEST_F(InputFilesTest, SearchesFoldersSortedAndKeepsSubFolders) {
  for (const char* name :
       {"z.PNG", "a.jpeg", "sub/deep/c.pdf", "sub/b.jpg", "notes.txt", ".hidden/d.pdf", ".e.pdf"}) {
    Touch(name);
  }
  EXPECT_EQ(Names(FindInputFiles({folder_.string()})), "a sub/b sub/deep/c z ");
}

TEST_F(InputFilesTest, NeverGivesANameTwice) {
  EXPECT_EQ(Names(FindInputFiles({Touch("a/report.pdf"), Touch("b/report.png"),
                                  Touch("c/Report.pdf"), Touch("report-2.pdf")})),
            "report report-2 Report-3 report-2-2 ");
}

TEST_F(InputFilesTest, TakesAFileNamedTwiceOnce) {
  const std::string path = Touch("a.pdf");
  EXPECT_EQ(Names(FindInputFiles({path, (folder_ / "." / "a.pdf").string(), folder_.string()})),
            "a ");
}

TEST_F(InputFilesTest, TellsWhatIsNotThereAndTakesTheRest) {
  fs::create_directory(folder_ / "empty");
  EXPECT_EQ(Names(FindInputFiles({(folder_ / "absent.pdf").string(), Touch("a.pdf"),
                                  (folder_ / "empty").string(), Touch("b.pdf"), ""})),
            "a b (not found) (not found) (not found) ");
}

TEST_F(InputFilesTest, TakesStandardInputOnceAndAFileOfThatNameToo) {
  EXPECT_EQ(Names(FindInputFiles({"-", Touch("stdin.png"), "-"})), "stdin stdin-2 ");
  EXPECT_TRUE(FindInputFiles({"-"}).files.at(0).is_stdin);
}

TEST_F(InputFilesTest, DoesNotFollowLinksToFolders) {
  Touch("a/one.pdf");
  fs::create_directory_symlink("..", folder_ / "a" / "loop");
  EXPECT_EQ(Names(FindInputFiles({folder_.string()})), "a/one ");
}

TEST_F(InputFilesTest, LeavesThePicturesOfItsOwnResultsOut) {
  for (const char* name : {"a.pdf", ".octavo/a.jsonl", "images/p1.jpg", "sub/images/b.jpg"}) {
    Touch(name);
  }
  EXPECT_EQ(Names(FindInputFiles({folder_.string()})), "a sub/images/b ");
}

TEST_F(InputFilesTest, TellsWhichFolderMayNotBeSearched) {
  Touch("open/one.pdf");
  Touch("locked/two.pdf");
  fs::permissions(folder_ / "locked", fs::perms::none);
  std::error_code error;
  const bool sees_all = (fs::directory_iterator(folder_ / "locked", error), !error);
  const std::string names = Names(FindInputFiles({folder_.string()}));
  fs::permissions(folder_ / "locked", fs::perms::owner_all);
  if (sees_all) GTEST_SKIP() << "this user may search every folder";
  EXPECT_EQ(names, "open/one (input/output error) ");
}

}  // namespace
}  // namespace octavo
