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
  static std::string Names(const std::vector<InputFile>& files) {
    std::string names;
    for (const InputFile& file : files) names += file.result_name + " ";
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

TEST_F(InputFilesTest, RefusesWhatIsNotThere) {
  EXPECT_THROW(FindInputFiles({(folder_ / "absent.pdf").string()}), Error);
  EXPECT_THROW(FindInputFiles({folder_.string()}), Error);  // nothing in it
}

}  // namespace
}  // namespace octavo
