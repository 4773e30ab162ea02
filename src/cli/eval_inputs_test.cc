#include "cli/eval_inputs.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

class EvalInputsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "sub" / ".hidden");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void Write(const std::string& name) { WriteFileAtomically(folder_ / name, "x"); }

  fs::path folder_;
};

TEST_F(EvalInputsTest, PairsDocumentsWithTheirTruth) {
  for (const char* name :
       {"b.png", "b.md", "b.layout.json", "a.pdf", "a.md", "sub/c.d.png", "sub/c.d.md"}) {
    Write(name);
  }
  const EvalInputs inputs = FindEvalInputs(folder_.string());
  ASSERT_EQ(inputs.documents.size(), 3U);
  EXPECT_EQ(inputs.documents[0].name, "a");
  EXPECT_EQ(inputs.documents[0].truth, folder_ / "a.md");
  EXPECT_EQ(inputs.documents[0].layout, fs::path());
  EXPECT_EQ(inputs.documents[1].name, "b");
  EXPECT_EQ(inputs.documents[1].layout, folder_ / "b.layout.json");
  EXPECT_EQ(inputs.documents[2].name, "sub/c.d");
  EXPECT_EQ(inputs.documents[2].truth, folder_ / "sub" / "c.d.md");
  EXPECT_TRUE(inputs.without_truth.empty());
  EXPECT_TRUE(inputs.truth_without_page.empty());
}

TEST_F(EvalInputsTest, TellsWhatHasNoPartner) {
  for (const char* name : {"a.png", "a.md", "b.png", "sub/c.md", "d.layout.json", "README.md",
                           "sub/.hidden/e.md", "notes.txt"}) {
    Write(name);
  }
  const EvalInputs inputs = FindEvalInputs(folder_.string());
  EXPECT_EQ(inputs.documents.size(), 1U);
  EXPECT_EQ(inputs.without_truth, std::vector<std::string>{"b.png"});
  EXPECT_EQ(inputs.truth_without_page, (std::vector<std::string>{"d.layout.json", "sub/c.md"}));
}

TEST_F(EvalInputsTest, RefusesAFolderWithoutTruth) {
  Write("a.png");
  for (const fs::path& folder : {folder_, folder_ / "sub", folder_ / "absent"}) {
    try {
      FindEvalInputs(folder.string());
      ADD_FAILURE() << folder;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kNotFound) << error.what();
    }
  }
}

TEST_F(EvalInputsTest, TakesASingleFile) {
  Write("a.png");
  Write("a.md");
  Write("b.md");
  const EvalInputs inputs = FindEvalInputs((folder_ / "a.png").string());
  ASSERT_EQ(inputs.documents.size(), 1U);
  EXPECT_TRUE(inputs.truth_without_page.empty());
}

}  // namespace
}  // namespace octavo
