#include "base/json.h"

#include <string>

#include <gtest/gtest.h>

#include "octavo/error.h"

namespace octavo {
namespace {

ErrorCode CodeOf(std::string_view text, JsonLimits limits = {}) {
  try {
    ParseJson(text, "x.json", limits);
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_EQ(message.rfind("x.json: ", 0), 0u) << message;
    return error.code();
  }
  ADD_FAILURE() << "accepted: " << text;
  return ErrorCode::kCancelled;
}

std::string MessageOf(std::string_view text) {
  try {
    ParseJson(text, "x.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Json, ReadsEveryKindOfValue) {
  const auto json = ParseJson(
      R"( {"a": [1, -2, 2.5, true, null, "\u00e9\ud83d\ude00"], "b": {"c": 18446744073709551615}} )",
      "x.json");
  EXPECT_EQ(json["a"][0], 1);
  EXPECT_EQ(json["a"][1], -2);
  EXPECT_EQ(json["a"][2], 2.5);
  EXPECT_EQ(json["a"][3], true);
  EXPECT_TRUE(json["a"][4].is_null());
  EXPECT_EQ(json["a"][5], "\u00e9\U0001F600");
  EXPECT_EQ(json["b"]["c"].get<uint64_t>(), 18446744073709551615u);
}

TEST(Json, AgreesWithTheLibraryOnOrdinaryText) {
  const std::string text = R"([{"x":{"y":[[],[[]],{}]},"z":[{"w":1},{"w":2}]},"s",-0.0,1e5])";
  EXPECT_EQ(ParseJson(text, "x.json"), nlohmann::json::parse(text));
}

TEST(Json, RefusesWhatIsNotJson) {
  for (const char* bad : {"", " ", "{", "[1,]", "{\"a\":1,}", "{'a':1}", "nul", "1 2", "[1]x",
                          "// c\n1", "NaN", "Infinity", "01", "\"\t\"", "\"\\x\"", "\"abc"}) {
    EXPECT_EQ(CodeOf(bad), ErrorCode::kDataLoss) << bad;
  }
}

TEST(Json, RefusesInvalidUtf8AndLoneSurrogates) {
  for (const char* bad : {"\"\xFF\"", "\"\xC0\x80\"", "\"\xED\xA0\x80\"", "\"\\ud800\"",
                          "\"\\udc00\"", "\"\\ud800\\u0041\""}) {
    EXPECT_EQ(CodeOf(bad), ErrorCode::kDataLoss);
  }
}

TEST(Json, RefusesNulBytesButReadsTheEscape) {
  EXPECT_EQ(CodeOf(std::string_view("{}\0{}", 5)), ErrorCode::kDataLoss);
  EXPECT_EQ(CodeOf(std::string_view("\"a\0b\"", 5)), ErrorCode::kDataLoss);
  EXPECT_EQ(ParseJson("\"a\\u0000b\"", "x.json"), std::string("a\0b", 3));
}

TEST(Json, RefusesDuplicateKeysAtAnyDepth) {
  EXPECT_EQ(CodeOf(R"({"a":1,"a":2})"), ErrorCode::kDataLoss);
  EXPECT_EQ(CodeOf(R"([{"b":{"a":1,"c":{},"a":2}}])"), ErrorCode::kDataLoss);
  EXPECT_EQ(CodeOf(R"({"a":1,"\u0061":2})"), ErrorCode::kDataLoss);
  EXPECT_NE(MessageOf(R"({"k":1,"k":2})").find("duplicate key 'k'"), std::string::npos);
  EXPECT_EQ(ParseJson(R"([{"a":1},{"a":2}])", "x.json").size(), 2u);
}

TEST(Json, RefusesNumbersOutsideDouble) {
  EXPECT_EQ(CodeOf("1e400"), ErrorCode::kDataLoss);
  EXPECT_EQ(CodeOf("[-1e400]"), ErrorCode::kDataLoss);
  EXPECT_NE(MessageOf("1e400").find("number out of range"), std::string::npos);
  EXPECT_EQ(ParseJson("1e308", "x.json"), 1e308);
  EXPECT_EQ(ParseJson("1e-400", "x.json"), 0.0);
}

TEST(Json, NestingIsLimitedExactly) {
  const auto nested = [](int depth) {
    return std::string(static_cast<size_t>(depth), '[') +
           std::string(static_cast<size_t>(depth), ']');
  };
  EXPECT_NO_THROW(ParseJson(nested(64), "x.json"));
  EXPECT_EQ(CodeOf(nested(65)), ErrorCode::kDataLoss);
  EXPECT_EQ(CodeOf(std::string(1000000, '[')), ErrorCode::kDataLoss);
  EXPECT_NO_THROW(ParseJson("[{}]", "x.json", {.max_bytes = 100, .max_depth = 2}));
  EXPECT_EQ(CodeOf("[{\"a\":[]}]", {.max_bytes = 100, .max_depth = 2}), ErrorCode::kDataLoss);
}

TEST(Json, SizeIsLimitedExactly) {
  EXPECT_NO_THROW(ParseJson("[1,2]", "x.json", {.max_bytes = 5, .max_depth = 4}));
  EXPECT_EQ(CodeOf("[1,2] ", {.max_bytes = 5, .max_depth = 4}), ErrorCode::kResourceExhausted);
}

TEST(Json, MessagesDoNotQuoteTheText) {
  EXPECT_EQ(MessageOf("{\"secret\": hidden}").find("hidden"), std::string::npos);
  EXPECT_NE(MessageOf("{\"secret\": hidden}").find("byte"), std::string::npos);
}

}  // namespace
}  // namespace octavo
