#include "document/image_analysis.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

ContentBlock Analyse(const std::string& answer, const char* type = "image") {
  ContentBlock block{type, {0, 0, 1, 1}, 0, answer};
  ApplyImageAnalysis(OtslRule::kReference, &block);
  return block;
}

std::string Answer(const std::string& kind, const std::string& content,
                   const std::string& caption = "", const std::string& sub_class = "") {
  return "<|class_start|>" + kind + "<|class_end|><|sub_class_start|>" + sub_class +
         "<|sub_class_end|><|caption_start|>" + caption + "<|caption_end|><|content_start|>" +
         content + "<|content_end|>";
}

TEST(ImageAnalysis, DescribesAPicture) {
  const ContentBlock lake = Analyse(Answer("Natural_Image", "ignored", "A lake."), "chart");
  EXPECT_EQ(lake.type, "image");
  EXPECT_EQ(lake.sub_type, "natural_image");
  EXPECT_EQ(lake.content, "A lake.");
  EXPECT_EQ(Analyse(Answer("logo", " words ", "c")).content, "words");
  EXPECT_EQ(Analyse(Answer("chemical", "C1=O", "a ring")).content, "a ring");
}

TEST(ImageAnalysis, MakesTablesAndFormulasOfTheirPictures) {
  const ContentBlock table = Analyse(Answer("pure_table", "<fcel>a<fcel>b<nl>"));
  EXPECT_EQ(table.type, "table");
  EXPECT_EQ(table.content, "<table><tr><td>a</td><td>b</td></tr></table>");
  EXPECT_EQ(table.sub_type, std::nullopt);
  EXPECT_EQ(Analyse(Answer("pure_table", "<TABLE><tr></tr></TABLE>")).content,
            "<TABLE><tr></tr></TABLE>");
  EXPECT_EQ(Analyse(Answer("pure_table", "words")).content, "");
  EXPECT_EQ(Analyse(Answer("pure_formula", "a=b")).type, "equation");
}

TEST(ImageAnalysis, ReadsCharts) {
  const ContentBlock chart =
      Analyse(Answer("chart", "| a | b |\n| --- | --- |\n| 1 | 2 |", "", "Bar"));
  EXPECT_EQ(chart.type, "chart");
  EXPECT_EQ(chart.sub_type, "bar");
  EXPECT_EQ(chart.content, "| a | b |\n| --- | --- |\n| 1 | 2 |");
  EXPECT_EQ(Analyse(Answer("chart", "| a | b |\n| 1 | 2 |", "c", "line")).content, "");
}

TEST(ImageAnalysis, ReadsFlowCharts) {
  EXPECT_EQ(Analyse(Answer("flowchart", "graph TD\nA[x] --> B")).content,
            "```mermaid\ngraph TD\n  A[\"x\"] --> B\n```");
}

TEST(ImageAnalysis, TakesWhatACutAnswerHas) {
  EXPECT_EQ(Analyse("<|class_start|>logo<|class_end|><|content_start|>open text").content,
            "open text");
  EXPECT_EQ(Analyse("<|class_start|>logo").content, "");
  EXPECT_EQ(Analyse("Just words").content, "");
  EXPECT_EQ(Analyse("Just words").sub_type, "");
}

}  // namespace
}  // namespace octavo
