#include "cli/gate_file.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "base/file.h"
#include "cli/savings_flags.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

class GateFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "model");
    WriteFileAtomically(folder_ / "model" / "config.json", "{}");
    WriteFileAtomically(folder_ / "model" / "weights", std::string(1'000'000, 'w'));
    setenv("XDG_STATE_HOME", (folder_ / "state").c_str(), 1);
    model_ = (folder_ / "model").string();
  }
  void TearDown() override {
    unsetenv("XDG_STATE_HOME");
    fs::remove_all(folder_);
  }

  static GateEntry Entry(Quality quality, bool passed) {
    return {.quality = QualityName(quality),
            .savings = DescribeSavings(SavingsOf(quality)),
            .passed = passed,
            .num_pages = 5};
  }
  // "fast", or what the note says.
  std::string Found() {
    std::string note;
    const Quality quality = QualityOfGate(model_, StampOfModel(model_), &note);
    return note.empty() ? QualityName(quality) : std::string(QualityName(quality)) + ": " + note;
  }
  void Write(Quality quality, bool passed) {
    WriteGate(model_, StampOfModel(model_), Entry(quality, passed));
  }
  // The model is GGUF's two files from now on.
  void TakeGguf() {
    const fs::path stored = OCTAVO_TEST_DATA_DIR "/quant/gguf-Q4_K";
    for (const char* name : {"tiny-main-Q4_K.gguf", "mmproj-tiny-main-Q4_K.gguf"}) {
      fs::copy_file(stored / name, folder_ / name);
    }
    model_ = (folder_ / "tiny-main-Q4_K.gguf").string();
  }

  fs::path folder_;
  std::string model_;
};

TEST_F(GateFileTest, WithoutARecordNothingIsSaved) { EXPECT_EQ(Found(), "best"); }

TEST_F(GateFileTest, TheFastestThatPassedIsUsed) {
  Write(Quality::kBalanced, true);
  EXPECT_EQ(Found(), "balanced");
  Write(Quality::kFast, false);
  EXPECT_EQ(Found(), "balanced");
  Write(Quality::kFast, true);
  EXPECT_EQ(Found(), "fast");
  Write(Quality::kFast, false);
  Write(Quality::kBalanced, false);
  EXPECT_EQ(Found(), "best");
  EXPECT_TRUE(fs::exists(folder_ / "model" / "octavo-gate.json"));
}

TEST_F(GateFileTest, OtherSavingsThanTodaysDoNotCount) {
  GateEntry entry = Entry(Quality::kFast, true);
  entry.savings = "prune-blank, layout-side 504";
  WriteGate(model_, StampOfModel(model_), entry);
  EXPECT_EQ(Found(), "best");
}

TEST_F(GateFileTest, ACopyHasTheSameStampAndOtherContentAnother) {
  const std::string stamp = StampOfModel(model_);
  fs::copy(model_, folder_ / "copy");
  EXPECT_EQ(StampOfModel((folder_ / "copy").string()), stamp);
  for (const size_t at : {size_t{0}, size_t{999'999}}) {
    std::string weights(1'000'000, 'w');
    weights[at] = 'x';
    WriteFileAtomically(folder_ / "model" / "weights", weights);
    EXPECT_NE(StampOfModel(model_), stamp) << at;
  }
}

// As large as a model, a twentieth of it trained further; the rest are holes, which take no disk.
TEST_F(GateFileTest, AFewLayersTrainedFurtherAreOtherContent) {
  const fs::path weights = folder_ / "model" / "weights";
  constexpr size_t kBytes = size_t{512} << 20;
  fs::resize_file(weights, kBytes);
  const std::string stamp = StampOfModel(model_);
  std::fstream file(weights, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(kBytes / 15 * 7 + (size_t{4} << 20)));
  const std::string layers(kBytes / 20, 'x');
  file.write(layers.data(), static_cast<std::streamsize>(layers.size()));
  file.close();
  EXPECT_NE(StampOfModel(model_), stamp);
}

TEST_F(GateFileTest, TheVisionFileOfGgufCounts) {
  TakeGguf();
  Write(Quality::kFast, true);
  EXPECT_EQ(Found(), "fast");
  const fs::path vision = folder_ / "mmproj-tiny-main-Q4_K.gguf";
  std::string bytes = ReadFile(vision, size_t{1} << 28);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  WriteFileAtomically(vision, bytes);
  EXPECT_NE(Found().find("other model files"), std::string::npos) << Found();
}

// It says what the model was trained for, and so how pages are read.
TEST_F(GateFileTest, TheCardBesideGgufCounts) {
  TakeGguf();
  const std::string without = StampOfModel(model_);
  WriteFileAtomically(folder_ / "octavo.json", R"({"tasks": ["text"]})");
  EXPECT_NE(StampOfModel(model_), without);
}

TEST_F(GateFileTest, ARecordOfOtherWeightsIsNotUsedAndToldOf) {
  Write(Quality::kFast, true);
  WriteFileAtomically(folder_ / "model" / "weights", "retrained");
  EXPECT_NE(Found().find("best: "), std::string::npos);
  EXPECT_NE(Found().find("other model files"), std::string::npos) << Found();
}

TEST_F(GateFileTest, ADamagedRecordIsNotUsedAndIsReplaced) {
  const fs::path place = folder_ / "model" / "octavo-gate.json";
  for (const std::string& text : {std::string(), std::string("{\"format\": "), std::string("[]"),
                                  std::string(100'000, 'x')}) {
    WriteFileAtomically(place, text);
    EXPECT_NE(Found().find("best: record of the gate not used: "), std::string::npos) << Found();
  }
  Write(Quality::kFast, true);
  EXPECT_EQ(Found(), "fast");
}

TEST_F(GateFileTest, WhereTheModelCannotBeWrittenTheUsersFolderIsTaken) {
  // A folder stands where the record would: it cannot be replaced, whoever the user is.
  fs::create_directories(folder_ / "model" / "octavo-gate.json" / "x");
  const std::string stamp = StampOfModel(model_);
  const fs::path place = WriteGate(model_, stamp, Entry(Quality::kFast, true));
  EXPECT_EQ(place, folder_ / "state" / "octavo" / "gates" / (stamp + ".json"));
  EXPECT_EQ(Found(), "fast");
}

TEST_F(GateFileTest, TheUsersRecordCountsFirstAndGoesWhenTheOtherIsWritten) {
  Write(Quality::kFast, true);
  const std::string stamp = StampOfModel(model_);
  GateRecord mine;
  mine.model = stamp;
  mine.Set(Entry(Quality::kFast, false));
  const fs::path place = GatePlaces(model_, stamp).front();
  fs::create_directories(place.parent_path());
  WriteFileAtomically(place, GateRecordJson(mine));
  EXPECT_EQ(Found(), "best");
  Write(Quality::kFast, true);
  EXPECT_EQ(Found(), "fast");
  EXPECT_FALSE(fs::exists(place));
}

TEST_F(GateFileTest, AFileHasItsRecordBesideIt) {
  model_ = (folder_ / "m.octavo").string();
  WriteFileAtomically(model_, "weights");
  Write(Quality::kBalanced, true);
  EXPECT_TRUE(fs::exists(folder_ / "m.octavo.octavo-gate.json"));
  EXPECT_EQ(Found(), "balanced");
}

}  // namespace
}  // namespace octavo
