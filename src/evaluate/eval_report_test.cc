#include "evaluate/eval_report.h"

#include <string>

#include <gtest/gtest.h>

#include "base/json.h"

namespace octavo {
namespace {

RunResult Example() {
  RunResult result;
  result.model = "nano";
  result.compute = "bf16";
  result.attention = "int16";
  result.kv_cache_dtype = "int8";
  result.layout = "auto";
  result.num_without_truth = 1;
  result.digest = 0xABC;
  DocumentResult page;
  page.name = "a \"page\"";
  page.num_pages = page.num_pages_timed = 2;
  page.seconds = 3;
  page.score = ScoreMarkdown("abcd $x$", "abcx $x$");
  result.documents.push_back(page);
  DocumentResult failed;
  failed.name = "b";
  failed.num_pages = failed.num_pages_failed = 1;
  failed.score = ScoreMarkdown("", "0123456789");
  result.documents.push_back(failed);
  return result;
}

TEST(EvalReport, WritesOneJsonLine) {
  const std::string line = EvalJsonLine(Example(), true);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const nlohmann::json json = ParseJson(line, "line");
  EXPECT_EQ(json["model"], "nano");
  EXPECT_EQ(json["pages"], 3);
  EXPECT_EQ(json["failed"], 1);
  EXPECT_EQ(json["character_error"], 0.6875);
  EXPECT_TRUE(json["teds"].is_null());
  EXPECT_EQ(json["formula_match"], 1.0);
  EXPECT_TRUE(json["layout_f1"].is_null());
  EXPECT_EQ(json["seconds_per_page"], 1.5);
  EXPECT_EQ(json["without_truth"], 1);
  EXPECT_EQ(json["digest"], "0000000000000abc");
  ASSERT_EQ(json["documents"].size(), 2U);
  EXPECT_EQ(json["documents"][0]["name"], "a \"page\"");
  EXPECT_EQ(json["documents"][1]["character_error"], 1.0);
  EXPECT_TRUE(json["documents"][1]["seconds_per_page"].is_null());
}

TEST(EvalReport, LeavesOutTimeWhereItIsNotWanted) {
  RunResult slow = Example();
  slow.documents[0].seconds = 99;
  EXPECT_EQ(EvalJsonLine(slow, false), EvalJsonLine(Example(), false));
  EXPECT_NE(EvalJsonLine(slow, true), EvalJsonLine(Example(), true));
  EXPECT_TRUE(ParseJson(EvalJsonLine(slow, false), "line")["seconds_per_page"].is_null());
  EXPECT_EQ(EvalTable(slow, false), EvalTable(Example(), false));
}

TEST(EvalReport, AlignsTheTable) {
  EXPECT_EQ(EvalTable(Example(), true),
            "document                character error  TEDS  TEDS-S  formulas  layout F1  s/page\n"
            "a \"page\"                        16.67 %     -       -     1.000          -   1.500\n"
            "b (failed)                     100.00 %     -       -         -          -       -\n"
            "all, 3 pages, 1 failed          68.75 %     -       -     1.000          -   1.500\n");
}

TEST(EvalReport, PutsSettingsSideBySide) {
  RunResult other = Example();
  other.compute = "f32";
  const std::string table = EvalComparison({Example(), other}, false);
  EXPECT_NE(table.find("all documents"), std::string::npos) << table;
  EXPECT_NE(table.find("    bf16       f32\n"), std::string::npos) << table;
  EXPECT_NE(table.find("68.75 %   68.75 %\n"), std::string::npos) << table;
  EXPECT_NE(table.find("1 of 3    1 of 3\n"), std::string::npos) << table;
  other.compute = "bf16";
  other.attention = "f32";
  EXPECT_NE(EvalComparison({Example(), other}, false).find("   int16       f32\n"),
            std::string::npos);
}

}  // namespace
}  // namespace octavo
