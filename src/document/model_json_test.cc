#include <string>

#include <gtest/gtest.h>

#include "octavo/document.h"

namespace octavo {
namespace {

TEST(ModelJson, ListsBlocksPerPageAndMarksWhitespaceLayout) {
  Page first;
  first.blocks = {{"text", {0.1, 0.1, 0.9, 0.2}, 0, "\u00e4"}, {"image", {0, 0, 1, 1}}};
  first.blocks[1].sub_type = "logo";
  Page second;
  second.layout = LayoutSource::kWhitespace;
  second.blocks = {{"title", {0.1, 0.1, 0.9, 0.2}, 0, "T"}};
  const std::string json = ToModelJson({first, second});
  EXPECT_NE(json.find("\"content\": \"\u00e4\",\n            \"merge_prev\": false"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find("\"angle\": null,\n            \"content\": null,\n            "
                      "\"sub_type\": \"logo\""),
            std::string::npos);
  EXPECT_NE(json.find("\"layout\": \"whitespace\""), std::string::npos);
  EXPECT_EQ(ToModelJson({}), "[]\n");
}

}  // namespace
}  // namespace octavo
