#include "evaluate/gate.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

// Five documents of a page, 1000 characters, a table of ten, formulas and boxes, all read well.
RunResult Good() {
  RunResult result;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    DocumentResult document;
    document.name = name;
    document.num_pages = 1;
    document.score.num_characters = 1000;
    document.score.num_character_errors = 10;
    document.score.num_tables = 10;
    document.score.teds_sum = 9.5;
    document.score.num_formulas = 100;
    document.score.num_formulas_matched = 90;
    document.score.has_layout = true;
    document.score.layout = {.num_matched = 90, .num_found = 100, .num_true = 100};
    result.documents.push_back(document);
  }
  return result;
}

// Of one change to the third document: the gate's first reason, "" if there is none.
template <typename Change>
std::string ReasonOf(Change change) {
  RunResult saving = Good();
  change(&saving.documents[2]);
  const std::vector<std::string> reasons = JudgeGate(Good(), saving);
  return reasons.empty() ? "" : reasons.front();
}

TEST(Gate, EqualResultsPass) { EXPECT_TRUE(JudgeGate(Good(), Good()).empty()); }

TEST(Gate, BetterOnesPass) {
  EXPECT_EQ(ReasonOf([](DocumentResult* d) {
              d->score.num_character_errors = 0;
              d->score.teds_sum = 10;
              d->score.layout.num_matched = 100;
            }),
            "");
}

TEST(Gate, EachFigureHasItsBound) {
  EXPECT_EQ(ReasonOf([](DocumentResult* d) { d->score.num_character_errors = 34; }), "");
  EXPECT_EQ(ReasonOf([](DocumentResult* d) { d->score.num_character_errors = 36; }),
            "character error rises from 0.0100 to 0.0152, by more than 0.0050");
  EXPECT_EQ(ReasonOf([](DocumentResult* d) { d->score.teds_sum = 9.1; }), "");
  EXPECT_EQ(ReasonOf([](DocumentResult* d) { d->score.teds_sum = 8.9; }),
            "TEDS falls from 0.9500 to 0.9380, by more than 0.0100");
  EXPECT_EQ(ReasonOf([](DocumentResult* d) { d->score.num_formulas_matched = 81; }), "");
  EXPECT_EQ(ReasonOf([](DocumentResult* d) { d->score.num_formulas_matched = 79; }),
            "formulas falls from 0.9000 to 0.8780, by more than 0.0200");
  EXPECT_EQ(ReasonOf([](DocumentResult* d) { d->score.layout.num_matched = 81; }), "");
  EXPECT_EQ(ReasonOf([](DocumentResult* d) { d->score.layout.num_matched = 79; }),
            "layout F1 falls from 0.9000 to 0.8780, by more than 0.0200");
  EXPECT_EQ(ReasonOf([](DocumentResult* d) { d->num_pages_failed = 1; }),
            "1 pages failed instead of 0");
}

TEST(Gate, OneDocumentThatFallsApartIsEnough) {
  // A short one among long ones: the sum would not show it.
  RunResult best = Good();
  best.documents[1].score.num_characters = 100;
  best.documents[1].score.num_character_errors = 0;
  RunResult saving = best;
  saving.documents[1].score.num_character_errors = 6;
  EXPECT_EQ(JudgeGate(best, saving),
            (std::vector<std::string>{
                "character error of b rises from 0.0000 to 0.0600, by more than 0.0500"}));
}

TEST(Gate, FewPagesTellNothing) {
  RunResult few = Good();
  few.documents.pop_back();
  EXPECT_EQ(JudgeGate(few, few), (std::vector<std::string>{"4 pages, expected at least 5"}));
}

TEST(Gate, WhatHasNoTruthIsNotAsked) {
  RunResult best = Good();
  for (DocumentResult& document : best.documents) {
    document.score.num_tables = 0;
    document.score.num_formulas = 0;
    document.score.has_layout = false;
  }
  EXPECT_TRUE(JudgeGate(best, best).empty());
}

}  // namespace
}  // namespace octavo
