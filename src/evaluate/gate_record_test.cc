#include "evaluate/gate_record.h"

#include <gtest/gtest.h>

#include "octavo/error.h"
#include "testing/error_code.h"

namespace octavo {
namespace {

using testing::ErrorCodeOf;

GateRecord Example() {
  GateRecord record;
  record.model = "0123abcd";
  record.Set({.quality = "fast",
              .savings = "prune-blank, layout-side 728",
              .passed = false,
              .reasons = {"TEDS falls"},
              .num_pages = 10,
              .character_error = {0.0229, 0.0312},
              .seconds_per_page = {1.5, 0.5}});
  record.Set({.quality = "balanced", .savings = "prune-blank", .passed = true, .num_pages = 10});
  return record;
}

TEST(GateRecord, ComesBackAsItWasWritten) {
  const GateRecord record = ParseGateRecord(GateRecordJson(Example()), "here");
  EXPECT_EQ(record.model, "0123abcd");
  ASSERT_EQ(record.gates.size(), 2u);
  const GateEntry* fast = record.Find("fast", "prune-blank, layout-side 728");
  ASSERT_NE(fast, nullptr);
  EXPECT_FALSE(fast->passed);
  EXPECT_EQ(fast->reasons, (std::vector<std::string>{"TEDS falls"}));
  EXPECT_EQ(fast->num_pages, 10);
  EXPECT_EQ(fast->character_error, (std::array<double, 2>{0.0229, 0.0312}));
  EXPECT_EQ(fast->seconds_per_page, (std::array<double, 2>{1.5, 0.5}));
  ASSERT_NE(record.Find("balanced", "prune-blank"), nullptr);
  EXPECT_TRUE(record.Find("balanced", "prune-blank")->passed);
}

TEST(GateRecord, OtherSavingsUnderTheSameWordAreNotFound) {
  EXPECT_EQ(Example().Find("fast", "prune-blank"), nullptr);
  EXPECT_EQ(Example().Find("best", "nothing"), nullptr);
}

TEST(GateRecord, ANewEntryTakesThePlaceOfTheOld) {
  GateRecord record = Example();
  record.Set({.quality = "fast", .savings = "other", .passed = true});
  EXPECT_EQ(record.gates.size(), 2u);
  EXPECT_EQ(record.Find("fast", "prune-blank, layout-side 728"), nullptr);
  EXPECT_TRUE(record.Find("fast", "other")->passed);
}

TEST(GateRecord, StaysSmallWhateverTheReasons) {
  GateRecord record = Example();
  record.gates[0].reasons.assign(1000, std::string(5000, 'x'));
  const std::string text = GateRecordJson(record);
  EXPECT_LT(text.size(), kMaxGateRecordBytes);
  EXPECT_NO_THROW(ParseGateRecord(text, "here"));
}

TEST(GateRecord, RefusesWhatIsDamaged) {
  const std::string good = GateRecordJson(Example());
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  const std::vector<std::string> damaged = {
      "",
      "[]",
      "{}",
      "null",
      good.substr(0, good.size() / 2),
      replaced("octavo-gate", "octavo-gatE"),
      replaced("\"0123abcd\"", "7"),
      replaced("\"gates\"", "\"gate\""),
      replaced("\"passed\": false", "\"passed\": 0"),
      replaced("\"pages\": 10", "\"pages\": -1"),
      replaced("\"pages\": 10", "\"pages\": 18446744073709551615"),
      replaced("\"pages\": 10", "\"pages\": 1.5"),
      replaced("\"quality\": \"fast\"", "\"quality\": null"),
      replaced("\"TEDS falls\"", "[]"),
      replaced("0.0229", "\"x\""),
      replaced("0.0229,", ""),
      replaced("0.0229", "1e300"),
      replaced("0.0229", "-1"),
  };
  for (const std::string& text : damaged) {
    EXPECT_EQ(ErrorCodeOf([&] { ParseGateRecord(text, "here"); }, "here: "), ErrorCode::kDataLoss)
        << text;
  }
  EXPECT_EQ(
      ErrorCodeOf([&] { ParseGateRecord(replaced("\"version\": 1", "\"version\": 2"), "w"); }),
      ErrorCode::kUnsupported);
  std::string many = good;
  const std::string entry = good.substr(good.find("{\n      \"quality\": \"balanced\""));
  const std::string one = entry.substr(0, entry.find("}") + 1);
  std::string list;
  for (int i = 0; i < 17; ++i) list += (i > 0 ? "," : "") + one;
  EXPECT_EQ(
      ErrorCodeOf([&] {
        ParseGateRecord(
            "{\"format\":\"octavo-gate\",\"version\":1,\"model\":\"\",\"gates\":[" + list + "]}",
            "here");
      }),
      ErrorCode::kDataLoss);
}

// Any one byte changed gives a record or an Error, never anything else.
TEST(GateRecord, SurvivesEveryChangedByte) {
  const std::string good = GateRecordJson(Example());
  for (size_t i = 0; i < good.size(); ++i) {
    for (const char byte : {'\0', '"', '9', '{', '\xFF'}) {
      std::string text = good;
      text[i] = byte;
      try {
        ParseGateRecord(text, "here");
      } catch (const Error&) {
      }
    }
  }
}

}  // namespace
}  // namespace octavo
