#include "text/detokenizer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/random.h"
#include "base/utf8.h"
#include "tests/testing/reference_tokenizer.h"

namespace octavo {
namespace {

const Tokenizer& Reference() { return testing::ReferenceTokenizer(); }

TEST(Detokenizer, StepsAsTheReferenceStream) {
  const std::string path = OCTAVO_TEST_DATA_DIR "/tokenizer/decode.json";
  const nlohmann::json cases = ParseJson(ReadFile(path, size_t{1} << 20), path)["cases"];
  ASSERT_EQ(cases.size(), 67u);
  for (const auto& row : cases) {
    Detokenizer detokenizer(Reference(), false);
    std::string joined;
    const std::vector<int32_t> ids = row["ids"];
    ASSERT_EQ(row["decode_stream_steps"].size(), ids.size());
    for (size_t i = 0; i < ids.size(); ++i) {
      const std::string piece = detokenizer.Append(ids[i]);
      const auto& step = row["decode_stream_steps"][i];
      EXPECT_EQ(piece, step.is_null() ? std::string() : step.get<std::string>())
          << row["name"] << ", step " << i;
      joined += piece;
    }
    EXPECT_EQ(joined + detokenizer.Finish(), row["text"]) << row["name"];
  }
}

TEST(Detokenizer, PiecesOfRandomIdsAreWholeCharactersAndJoinToTheText) {
  Random random(5);
  for (const bool skip_special_tokens : {false, true}) {
    for (int i = 0; i < 3000; ++i) {
      Detokenizer detokenizer(Reference(), skip_special_tokens);
      std::vector<int32_t> ids;
      std::string joined;
      for (uint64_t length = random.Below(30); length > 0; --length) {
        // Many single bytes, so that characters are split and broken.
        const uint64_t bound = random.Below(3) == 0 ? 151700 : 256;
        ids.push_back(static_cast<int32_t>(random.Below(bound)));
        const std::string piece = detokenizer.Append(ids.back());
        ASSERT_TRUE(IsValidUtf8(piece));
        joined += piece;
      }
      joined += detokenizer.Finish();
      ASSERT_EQ(joined, Reference().Decode(ids, skip_special_tokens));
    }
  }
}

TEST(Detokenizer, HoldsWholeCharactersBeforeAnUnfinishedOne) {
  Detokenizer detokenizer(Reference(), false);
  EXPECT_EQ(Reference().TokenBytes(636), " \xE2\x80");
  EXPECT_EQ(detokenizer.Append(636), "");  // the reference's window ends in U+FFFD
  EXPECT_EQ(detokenizer.Append(242), " \u2014");
}

TEST(Detokenizer, SkipsSpecialTokensInsideACharacter) {
  Detokenizer detokenizer(Reference(), true);
  EXPECT_EQ(detokenizer.Append(160), "");
  EXPECT_EQ(detokenizer.Append(151645), "");
  EXPECT_EQ(detokenizer.Append(116), "");
  EXPECT_EQ(detokenizer.Append(255), "\u4E2D");
  EXPECT_EQ(detokenizer.Finish(), "");
}

TEST(Detokenizer, IgnoresIdsWithoutAToken) {
  Detokenizer detokenizer(Reference(), false);
  EXPECT_EQ(detokenizer.Append(-1), "");
  EXPECT_EQ(detokenizer.Append(151935), "");
  EXPECT_EQ(detokenizer.Append(9707), "Hello");
}

}  // namespace
}  // namespace octavo
