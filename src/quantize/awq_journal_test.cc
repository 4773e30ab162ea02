#include "quantize/awq_journal.h"

#include <unistd.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "base/str_cat.h"
#include "tests/testing/error_code.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

AwqFinding SomeFinding(float seed) {
  AwqFinding finding;
  finding.adjustments["a.weight"] = {
      .columns = {seed, 2, 3, 4}, .clip = {5, 6, seed, 8}, .clip_group = 2, .rows = {}};
  finding.adjustments["norm.weight"] = {.rows = {1, seed}};
  TensorAdjustment& rounded = finding.adjustments["rounded.weight"];
  rounded.packed_layout = PackedLayout::Quantized({.bits = 4, .group_size = 64}, 20, 128);
  rounded.packed.resize(PackedBytes(rounded.packed_layout), std::byte{static_cast<uint8_t>(seed)});
  finding.errors["a.weight"] = {0.1, static_cast<double>(seed)};
  return finding;
}

class AwqJournalTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / StrCat("octavo_journal_", ::getpid());
    fs::create_directories(folder_);
    path_ = folder_ / "journal";
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string Bytes() { return ReadFile(path_, 1 << 20); }

  fs::path folder_;
  fs::path path_;
};

TEST_F(AwqJournalTest, GoesOnWhereItWasEnded) {
  {
    AwqJournal journal(path_, 7, false);
    journal.Append("one", SomeFinding(1));
    journal.Append("two", SomeFinding(2));
  }
  AwqJournal journal(path_, 7, true);
  ASSERT_EQ(journal.findings().size(), 2u);
  EXPECT_EQ(journal.findings().at("two").adjustments, SomeFinding(2).adjustments);
  EXPECT_EQ(journal.findings().at("two").errors.at("a.weight").adjusted, 2.0);
  journal.Append("three", SomeFinding(3));
  EXPECT_EQ(AwqJournal(path_, 7, true).findings().size(), 3u);
  journal.Remove();
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(AwqJournalTest, ARecordThatWasCutAnywhereIsDroppedAlone) {
  {
    AwqJournal journal(path_, 7, false);
    journal.Append("one", SomeFinding(1));
  }
  const std::string first = Bytes();
  {
    AwqJournal journal(path_, 7, true);
    journal.Append("two", SomeFinding(2));
  }
  const std::string both = Bytes();
  ASSERT_EQ(both.substr(0, first.size()), first);
  for (size_t size = first.size(); size < both.size(); ++size) {
    WriteFileAtomically(path_, both.substr(0, size));
    ASSERT_EQ(AwqJournal(path_, 7, true).findings().size(), 1u) << size;
    ASSERT_EQ(Bytes(), first) << "the rest is gone";
  }
}

TEST_F(AwqJournalTest, DamagedRecordsAreNotBelieved) {
  {
    AwqJournal journal(path_, 7, false);
    journal.Append("one", SomeFinding(1));
  }
  const std::string bytes = Bytes();
  for (size_t place = 64; place < bytes.size(); ++place) {
    std::string damaged = bytes;
    damaged[place] = static_cast<char>(damaged[place] ^ 0x40);
    WriteFileAtomically(path_, damaged);
    ASSERT_TRUE(AwqJournal(path_, 7, true).findings().empty()) << place;
  }
}

TEST_F(AwqJournalTest, AnotherRunsJournalIsRefused) {
  { AwqJournal(path_, 7, false).Append("one", SomeFinding(1)); }
  EXPECT_EQ(testing::ErrorCodeOf([&] { AwqJournal(path_, 8, true); },
                                 path_.native() + ": of another model"),
            ErrorCode::kInvalidArgument);
  EXPECT_TRUE(AwqJournal(path_, 8, false).findings().empty()) << "begins anew";
}

TEST_F(AwqJournalTest, BytesThatAreNoFindingAreRefused) {
  const std::string bytes = WriteFinding(SomeFinding(4));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(testing::ErrorCodeOf([&] { ReadFinding(bytes.substr(0, size), "here"); },
                                   "here: ends inside a record"),
              ErrorCode::kDataLoss);
  }
  EXPECT_EQ(
      testing::ErrorCodeOf([&] { ReadFinding(bytes + "x", "here"); }, "here: bytes behind the end"),
      ErrorCode::kDataLoss);
}

}  // namespace
}  // namespace octavo
