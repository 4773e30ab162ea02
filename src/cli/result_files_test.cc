#include "cli/result_files.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "octavo/error.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

class ResultFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("result_files_") +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    input_ = folder_ / "in.pdf";
    std::ofstream(input_) << "input";
    options_.output_dir = folder_ / "out";
    options_.formats = {"md", "model"};
    options_.settings = "some";
  }
  void TearDown() override { fs::remove_all(folder_); }

  static Page PageWith(int index, const std::string& text) {
    Page page;
    page.index = index;
    page.blocks = {{"text", {0, 0, 1, 1}, 0, text}};
    return page;
  }
  ResultFiles Open(const std::string& name = "in") { return {StampOfFile(input_), name, options_}; }
  // The code and message of opening that is refused.
  std::string RefusalOf(const std::string& name = "in") {
    try {
      Open(name);
    } catch (const Error& error) {
      return std::string(ErrorCodeName(error.code())) + ": " + error.what();
    }
    return "none";
  }
  std::string Read(const std::string& name) const {
    std::ifstream stream(options_.output_dir / name);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
  }
  bool Exists(const std::string& name) const { return fs::exists(options_.output_dir / name); }

  fs::path folder_;
  fs::path input_;
  ResultOptions options_;
};

TEST_F(ResultFilesTest, WritesOutputsOnlyWhenFinished) {
  ResultFiles results = Open();
  results.Append(PageWith(1, "two"));
  results.Append(PageWith(0, "one"));
  EXPECT_FALSE(Exists("in.md"));
  results.Finish(true);
  EXPECT_EQ(Read("in.md"), "one\n\ntwo\n");
  EXPECT_TRUE(Exists("in_model.json"));
  EXPECT_FALSE(Exists("in_content_list.json"));
}

TEST_F(ResultFilesTest, WritesEveryFormat) {
  options_.formats = {"md", "content_list", "content_list_v2", "middle", "model"};
  ResultFiles results = Open();
  results.Append(PageWith(0, "one"));
  results.Finish(true);
  for (const char* name : {"in.md", "in_content_list.json", "in_content_list_v2.json",
                           "in_middle.json", "in_model.json"}) {
    EXPECT_NE(Read(name).find("one"), std::string::npos) << name;
  }
}

// A blank page makes an empty Markdown file, which is as done as any.
TEST_F(ResultFilesTest, KnowsAnEmptyResultAgain) {
  {
    ResultFiles results = Open();
    results.Append(PageWith(0, ""));
    results.Finish(true);
  }
  ASSERT_TRUE(Exists("in.md"));
  ASSERT_EQ(Read("in.md"), "");
  EXPECT_TRUE(Open().is_done());
  fs::remove(options_.output_dir / "in.md");
  EXPECT_FALSE(Open().is_done());
}

TEST_F(ResultFilesTest, TellsInputsApartWhoseNamesAreNoUtf8) {
  std::vector<std::string> sources;
  for (const char* name : {"\xFF.pdf", "\xFE.pdf", "%FF.pdf", "\xC3.pdf"}) {
    input_ = folder_ / name;
    std::ofstream(input_) << "input";
    fs::last_write_time(input_, fs::file_time_type(std::chrono::seconds(1'000'000)));
    if (sources.empty()) {
      ResultFiles results = Open();
      results.Append(PageWith(0, "one"));
      results.Finish(true);
    } else {
      EXPECT_NE(RefusalOf().find("in.md exists and is no result of"), std::string::npos) << name;
    }
    sources.emplace_back(name);
  }
  input_ = folder_ / "\xFF.pdf";
  EXPECT_TRUE(Open().is_done());
}

TEST_F(ResultFilesTest, LetsOneRunAtATimeWriteAResult) {
  {
    ResultFiles first = Open();
    first.Append(PageWith(0, "one"));
    EXPECT_NE(RefusalOf().find("is being written by another run"), std::string::npos);
    options_.force = true;
    EXPECT_NE(RefusalOf().find("is being written by another run"), std::string::npos);
    options_.force = false;
    EXPECT_EQ(RefusalOf("other"), "none");
    first.Finish(true);
    EXPECT_TRUE(Open().is_done());
  }
  EXPECT_EQ(Read("in.md"), "one\n");
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    EXPECT_NE(entry.path().extension(), ".lock") << entry.path();
  }
}

TEST_F(ResultFilesTest, ReplacesNothingThatCameWhileItRead) {
  ResultFiles results = Open();
  results.Append(PageWith(0, "one"));
  std::ofstream(options_.output_dir / "in.md") << "mine";
  EXPECT_THROW(results.Finish(true), Error);
  EXPECT_EQ(Read("in.md"), "mine");
  EXPECT_FALSE(Exists("in_model.json"));
}

TEST_F(ResultFilesTest, RefusesNamesThatCannotBeAsTheInputsOwnFault) {
  const std::string longest(255 - std::string("_model.json").size(), 'n');
  EXPECT_EQ(RefusalOf(longest), "none");
  {
    ResultFiles results = Open(longest);
    results.Append(PageWith(0, "one"));
    results.Finish(true);
  }
  EXPECT_TRUE(Exists(longest + "_model.json"));
  EXPECT_NE(RefusalOf(longest + "n").find("invalid argument"), std::string::npos);
  EXPECT_NE(RefusalOf(longest + "n").find("too long"), std::string::npos);
  fs::create_directories(options_.output_dir / "taken.md");
  options_.force = true;
  EXPECT_NE(RefusalOf("taken").find("a folder stands"), std::string::npos);
  std::ofstream(options_.output_dir / "sub") << "1";
  EXPECT_NE(RefusalOf("sub/name").find("a file stands where a folder"), std::string::npos);
}

TEST_F(ResultFilesTest, GoesOnAfterTheLastCompletePage) {
  {
    ResultFiles results = Open();
    results.Append(PageWith(0, "one"));
    results.Append(PageWith(1, "two"));
  }
  const fs::path journal = options_.output_dir / ".octavo" / "in.jsonl";
  fs::resize_file(journal, fs::file_size(journal) - 5);  // the end of a killed run
  ResultFiles results = Open();
  EXPECT_FALSE(results.is_done());
  ASSERT_EQ(results.page_indices().size(), 1u);
  EXPECT_EQ(results.ReadPages().at(0).blocks[0].content, "one");
  results.Append(PageWith(1, "two again"));
  results.Finish(true);
  EXPECT_EQ(Read("in.md"), "one\n\ntwo again\n");
}

// The next line must not land behind the part of a line that a killed run left.
TEST_F(ResultFilesTest, LosesNoPageWhenStoppedAgainAfterACutLine) {
  {
    ResultFiles results = Open();
    results.Append(PageWith(0, "one"));
    results.Append(PageWith(1, "two"));
  }
  const fs::path journal = options_.output_dir / ".octavo" / "in.jsonl";
  fs::resize_file(journal, fs::file_size(journal) - 5);
  Open().Append(PageWith(2, "three"));
  ResultFiles results = Open();
  ASSERT_EQ(results.page_indices().size(), 2u);
  EXPECT_EQ(results.ReadPages().at(1).blocks[0].content, "three");
}

TEST_F(ResultFilesTest, DropsALineOfOtherBytesAndKeepsTheOthers) {
  {
    ResultFiles results = Open();
    results.Append(PageWith(0, "one"));
  }
  const fs::path journal = options_.output_dir / ".octavo" / "in.jsonl";
  std::ofstream(journal, std::ios::app) << "junk\n";
  Open().Append(PageWith(2, "three"));
  EXPECT_EQ(Open().page_indices().size(), 2u);
  EXPECT_EQ(Read(".octavo/in.jsonl").find("junk"), std::string::npos);
}

TEST_F(ResultFilesTest, KeepsWhatAnotherInputBegan) {
  {
    ResultFiles results = Open();
    results.Append(PageWith(0, "one"));
  }
  const fs::path first = input_;
  input_ = folder_ / "sub" / "in.pdf";
  fs::create_directories(input_.parent_path());
  std::ofstream(input_) << "input";
  EXPECT_EQ(RefusalOf().substr(0, 17), "invalid argument:");
  input_ = first;
  EXPECT_EQ(Open().page_indices().size(), 1u);
  input_ = folder_ / "sub" / "in.pdf";
  options_.force = true;
  EXPECT_EQ(RefusalOf(), "none");
}

TEST_F(ResultFilesTest, KeepsAnotherInputsResultsInOtherFormats) {
  options_.formats = {"md"};
  {
    ResultFiles results = Open();
    results.Append(PageWith(0, "one"));
    results.Finish(true);
  }
  const fs::path first = input_;
  input_ = folder_ / "sub" / "in.pdf";
  fs::create_directories(input_.parent_path());
  std::ofstream(input_) << "input";
  options_.formats = {"model"};
  EXPECT_NE(RefusalOf().find("in.md exists"), std::string::npos) << RefusalOf();
  input_ = first;
  options_.formats = {"md"};
  EXPECT_TRUE(Open().is_done());
}

TEST_F(ResultFilesTest, NeverReplacesTheInputItself) {
  fs::create_directories(options_.output_dir);
  input_ = options_.output_dir / "in.md";
  std::ofstream(input_) << "input";
  options_.force = true;
  EXPECT_NE(RefusalOf().find("is the input itself"), std::string::npos);
  EXPECT_EQ(Read("in.md"), "input");
}

TEST_F(ResultFilesTest, TellsBytesWithoutAFileApart) {
  const InputStamp one = StampOfBytes("one", "standard input");
  {
    ResultFiles results(one, "stdin", options_);
    results.Append(PageWith(0, "one"));
    results.Finish(true);
  }
  EXPECT_TRUE(ResultFiles(one, "stdin", options_).is_done());
  EXPECT_THROW(ResultFiles(StampOfBytes("two", "standard input"), "stdin", options_), Error);
}

TEST_F(ResultFilesTest, TheStampOfAnAbsentFileIsNotFound) {
  try {
    StampOfFile(folder_ / "absent");
    ADD_FAILURE() << "no Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  }
}

TEST_F(ResultFilesTest, KnowsFinishedWorkUntilSomethingChanges) {
  {
    ResultFiles results = Open();
    results.Append(PageWith(0, "one"));
    results.Finish(true);
  }
  EXPECT_TRUE(Open().is_done());
  fs::remove(options_.output_dir / "in.md");
  EXPECT_FALSE(Open().is_done());
  options_.settings = "others";
  ResultFiles changed = Open();
  EXPECT_FALSE(changed.is_done());
  EXPECT_TRUE(changed.page_indices().empty());
}

// A finished journal vouches for what it wrote, not for whatever has the name.
TEST_F(ResultFilesTest, ResultsOfOtherSettingsAreNotCurrent) {
  {
    ResultFiles results = Open();
    results.Append(PageWith(0, "one"));
    results.Finish(true);
  }
  options_.settings = "others";
  options_.formats = {"md"};
  {
    ResultFiles results = Open();
    results.Append(PageWith(0, "other"));
    results.Finish(true);
  }
  options_.formats = {"md", "model"};
  EXPECT_NE(Read("in_model.json").find("one"), std::string::npos);
  ResultFiles results = Open();
  EXPECT_FALSE(results.is_done());
  EXPECT_EQ(results.page_indices().size(), 1u);
  results.Finish(true);
  EXPECT_NE(Read("in_model.json").find("other"), std::string::npos);
  EXPECT_TRUE(Open().is_done());
}

TEST_F(ResultFilesTest, KnowsItsFilesWhileOtherSettingsAreBegun) {
  {
    ResultFiles results = Open();
    results.Append(PageWith(0, "one"));
    results.Finish(true);
  }
  options_.settings = "others";
  Open().Append(PageWith(0, "other"));
  options_.settings = "some";
  EXPECT_EQ(RefusalOf(), "none");
}

TEST_F(ResultFilesTest, WritesAnotherFormatFromTheJournal) {
  options_.formats = {"md"};
  {
    ResultFiles results = Open();
    results.Append(PageWith(0, "one"));
    results.Finish(true);
  }
  options_.formats = {"middle"};
  {
    ResultFiles results = Open();
    EXPECT_FALSE(results.is_done());
    EXPECT_EQ(results.page_indices().size(), 1u);
    results.Finish(true);
  }
  EXPECT_NE(Read("in_middle.json").find("one"), std::string::npos);
  options_.formats = {"md", "middle"};
  EXPECT_TRUE(Open().is_done());
}

TEST_F(ResultFilesTest, KeepsAFileThatItNeverWrote) {
  options_.formats = {"md"};
  {
    ResultFiles results = Open();
    results.Append(PageWith(0, "one"));
    results.Finish(true);
  }
  std::ofstream(options_.output_dir / "in_middle.json") << "my notes";
  options_.formats = {"middle"};
  EXPECT_NE(RefusalOf().find("in_middle.json exists and is no result"), std::string::npos)
      << RefusalOf();
  EXPECT_EQ(Read("in_middle.json"), "my notes");
  options_.force = true;
  EXPECT_EQ(RefusalOf(), "none");
}

TEST_F(ResultFilesTest, KeepsAResultThatWasEdited) {
  {
    ResultFiles results = Open();
    results.Append(PageWith(0, "one"));
    results.Finish(true);
  }
  std::ofstream(options_.output_dir / "in.md") << "won\n";
  EXPECT_NE(RefusalOf().find("in.md was changed since octavo wrote it"), std::string::npos)
      << RefusalOf();
  options_.settings = "others";
  EXPECT_NE(RefusalOf().find("in.md was changed"), std::string::npos) << RefusalOf();
  EXPECT_EQ(Read("in.md"), "won\n");
}

TEST_F(ResultFilesTest, WritesAgainWhatWasEmptied) {
  {
    ResultFiles results = Open();
    results.Append(PageWith(0, "one"));
    results.Finish(true);
  }
  fs::resize_file(options_.output_dir / "in.md", 0);
  ResultFiles results = Open();
  EXPECT_FALSE(results.is_done());
  results.Finish(true);
  EXPECT_EQ(Read("in.md"), "one\n");
}

TEST_F(ResultFilesTest, ReadsAPageAgainWhosePicturesAreGone) {
  {
    Page page = PageWith(0, "text");
    page.blocks.push_back({"image", {0, 0, 1, 1}, 0});
    page.blocks.back().img_path = "p.jpg";
    page.pictures.push_back({"p.jpg", "bytes"});
    ResultFiles results = Open();
    results.Append(std::move(page));
    results.Append(PageWith(1, "two"));
    results.Finish(true);
  }
  EXPECT_TRUE(Open().is_done());
  fs::remove_all(options_.output_dir / "images");
  ResultFiles results = Open();
  EXPECT_FALSE(results.is_done());
  EXPECT_EQ(results.page_indices().size(), 1u);
  EXPECT_EQ(results.page_indices().count(1), 1u);
}

TEST_F(ResultFilesTest, ReadsAChangedInputAnew) {
  {
    ResultFiles results = Open();
    results.Append(PageWith(0, "one"));
  }
  std::ofstream(input_) << "another input";
  EXPECT_TRUE(Open().page_indices().empty());
}

TEST_F(ResultFilesTest, ReplacesItsOwnResultButNoOtherFile) {
  {
    ResultFiles results = Open();
    results.Append(PageWith(0, "one"));
    results.Finish(true);
  }
  options_.settings = "others";
  ResultFiles again = Open();
  again.Append(PageWith(0, "new"));
  again.Finish(true);
  EXPECT_EQ(Read("in.md"), "new\n");

  input_ = folder_ / "another.pdf";
  std::ofstream(input_) << "input";
  EXPECT_EQ(RefusalOf().substr(0, 17), "invalid argument:");
  EXPECT_EQ(Read("in.md"), "new\n");
  options_.force = true;
  ResultFiles forced = Open();
  forced.Append(PageWith(0, "forced"));
  forced.Finish(true);
  EXPECT_EQ(Read("in.md"), "forced\n");
}

TEST_F(ResultFilesTest, KeepsTheJournalOpenWhenPagesAreMissing) {
  {
    ResultFiles results = Open();
    results.Append(PageWith(0, "one"));
    results.Finish(false);
  }
  EXPECT_EQ(Read("in.md"), "one\n");
  ResultFiles results = Open();
  EXPECT_FALSE(results.is_done());
  EXPECT_EQ(results.page_indices().size(), 1u);
}

TEST_F(ResultFilesTest, PutsPicturesBesideAndPointsToThemFromSubFolders) {
  Page page = PageWith(0, "text");
  page.blocks.push_back({"image", {0, 0, 1, 1}, 0});
  page.blocks.back().img_path = "p.jpg";
  page.pictures.push_back({"p.jpg", "bytes"});
  ResultFiles results = Open("sub/in");
  results.Append(std::move(page));
  results.Finish(true);
  EXPECT_EQ(Read("images/p.jpg"), "bytes");
  EXPECT_EQ(Read("sub/in.md"), "text\n\n![](../images/p.jpg)\n");
}

TEST_F(ResultFilesTest, IgnoresADamagedJournal) {
  fs::create_directories(options_.output_dir / ".octavo");
  std::ofstream(options_.output_dir / ".octavo" / "in.jsonl") << "{damaged\n";
  EXPECT_TRUE(Open().page_indices().empty());
}

TEST_F(ResultFilesTest, AJournalWithAHeaderOfOtherTypesIsAsGoodAsNone) {
  fs::create_directories(options_.output_dir / ".octavo");
  std::ofstream(options_.output_dir / ".octavo" / "in.jsonl") << "{\"input\": 5}\n";
  ResultFiles results = Open();
  EXPECT_TRUE(results.page_indices().empty());
  EXPECT_FALSE(results.is_done());
}

}  // namespace
}  // namespace octavo
