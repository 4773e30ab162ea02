#include "cli/model_output.h"

#include <unistd.h>

#include <fstream>

#include <gtest/gtest.h>

#include "base/str_cat.h"
#include "testing/error_code.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using testing::ErrorCodeOf;

TEST(ModelOutput, AFileOrAFolderIsMeant) {
  const fs::path folder = fs::temp_directory_path() / StrCat("octavo_model_output_", ::getpid());
  const fs::path source = folder / "source";
  fs::create_directories(source);
  const auto file = [&](const fs::path& output, bool force = false) {
    return ModelOutputFile(output.string(), source, force);
  };
  EXPECT_EQ(file(folder / "a.octavo"), folder / "a.octavo");
  EXPECT_EQ(file(folder / "new" / "out"), folder / "new" / "out" / "model.octavo");
  EXPECT_TRUE(fs::is_directory(folder / "new" / "out"));
  std::ofstream(folder / "a.octavo") << "old";
  EXPECT_EQ(ErrorCodeOf([&] { file(folder / "a.octavo"); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(file(folder / "a.octavo", true), folder / "a.octavo");
  EXPECT_EQ(ErrorCodeOf([&] { file(source); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(ErrorCodeOf([&] { file(source / "x.octavo", true); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(ErrorCodeOf([&] { file(folder / "a.octavo" / "b"); }), ErrorCode::kIo);
  const std::vector<std::string> files = {"config.json", "model.safetensors"};
  const fs::path weights = folder / "hf" / "model.safetensors";
  EXPECT_EQ(FolderOutputFile((folder / "hf").string(), source, files, false), weights);
  std::ofstream(folder / "hf" / "config.json") << "{}";
  EXPECT_EQ(ErrorCodeOf([&] { FolderOutputFile((folder / "hf").string(), source, files, false); }),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(FolderOutputFile((folder / "hf").string(), source, files, true), weights);
  EXPECT_EQ(ErrorCodeOf([&] { FolderOutputFile(source.string(), source, files, true); }),
            ErrorCode::kInvalidArgument);
  // The language file of a GGUF model, whose vision file would be replaced.
  std::ofstream(source / "language.gguf") << "GGUF";
  EXPECT_EQ(
      ErrorCodeOf([&] { FolderOutputFile(source.string(), source / "language.gguf", files, true); },
                  source.string() + ": is the model's own folder"),
      ErrorCode::kInvalidArgument);
  EXPECT_EQ(FolderOutputFile((folder / "hf").string(), source / "language.gguf", files, true),
            weights);
  fs::remove_all(folder);
}

TEST(ModelOutput, AFolderHoldsOneModel) {
  const fs::path folder = fs::temp_directory_path() / StrCat("octavo_one_model_", ::getpid());
  fs::create_directories(folder);
  for (const char* name : {"model.gguf", "mmproj-model.gguf", "octavo.json"}) {
    std::ofstream(folder / name) << "bytes";
  }
  const auto code = [&](const std::vector<std::string>& files) {
    return ErrorCodeOf([&] { FolderOutputFile(folder.string(), "source", files, true); },
                       folder.string() + "/m");
  };
  EXPECT_EQ(code({"config.json", "model.safetensors"}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(FolderOutputFile(folder.string(), "source", {"mmproj-model.gguf", "model.gguf"}, true),
            folder / "model.gguf");
  fs::remove_all(folder);
}

TEST(ModelOutput, OnlyLeftoversOfThisFileAreRemoved) {
  const fs::path folder = fs::temp_directory_path() / StrCat("octavo_leftovers_", ::getpid());
  fs::create_directories(folder);
  for (const char* name : {"a.octavo", "a.octavo.12.0.tmp", "b.octavo.12.0.tmp", "a.octavo.resume",
                           "xa.octavo.1.2.tmp"}) {
    std::ofstream(folder / name) << "bytes";
  }
  RemoveLeftovers(folder / "a.octavo");
  EXPECT_FALSE(fs::exists(folder / "a.octavo.12.0.tmp"));
  for (const char* name :
       {"a.octavo", "b.octavo.12.0.tmp", "a.octavo.resume", "xa.octavo.1.2.tmp"}) {
    EXPECT_TRUE(fs::exists(folder / name)) << name;
  }
  fs::remove_all(folder);
}

TEST(ModelOutput, TimeLeftIsToldWhenItIsKnown) {
  EXPECT_EQ(TimeLeft(0, 5), "");
  EXPECT_EQ(TimeLeft(0.5, 0.5), "");
  EXPECT_EQ(TimeLeft(1, 5), "");
  EXPECT_EQ(TimeLeft(0.5, 10), "about 10 s left");
  EXPECT_EQ(TimeLeft(0.1, 60), "about 9 min left");
}

}  // namespace
}  // namespace octavo
