#include "formats/gguf_writer.h"

#include <unistd.h>

#include <cstring>

#include <gtest/gtest.h>

#include "base/str_cat.h"
#include "formats/gguf.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

class GgufWriterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = fs::temp_directory_path() / StrCat("octavo_gguf_writer_", ::getpid(), ".gguf");
  }
  void TearDown() override { fs::remove(path_); }

  fs::path path_;
};

TEST_F(GgufWriterTest, TheReaderFindsWhatWasWritten) {
  GgufMetadata metadata;
  metadata.AddText("general.architecture", "qwen2vl");
  metadata.AddU32("a.number", 7);
  metadata.AddF32("a.fraction", 0.25f);
  metadata.AddBool("a.flag", true);
  metadata.AddTexts("some.words", std::vector<std::string>{"one", "", "three"});
  metadata.AddI32s("some.numbers", std::vector<int32_t>{-1, 2});
  metadata.AddF32s("some.fractions", std::vector<float>{0.5f});
  const std::vector<float> norm = {1, 2, 3};
  std::vector<std::byte> blocks(2 * 34);
  for (size_t i = 0; i < blocks.size(); ++i) blocks[i] = static_cast<std::byte>(i);
  GgufWriter writer(path_, metadata,
                    {{"output_norm.weight", FindGgufTensorType(0), Shape{3}},
                     {"token_embd.weight", FindGgufTensorType(8), Shape{2, 32}}});
  writer.Append(std::as_bytes(std::span(norm)));
  EXPECT_FALSE(fs::exists(path_));
  writer.Append(blocks);
  writer.Commit();
  EXPECT_EQ(writer.file_bytes(), fs::file_size(path_));

  const Gguf gguf = Gguf::Open(path_);
  EXPECT_EQ(gguf.version(), 3u);
  EXPECT_EQ(gguf.architecture(), "qwen2vl");
  EXPECT_EQ(std::get<uint64_t>(gguf.FindValue("a.number")->value), 7u);
  EXPECT_EQ(std::get<double>(gguf.FindValue("a.fraction")->value), 0.25);
  EXPECT_TRUE(std::get<bool>(gguf.FindValue("a.flag")->value));
  EXPECT_EQ(std::get<GgufArray>(gguf.FindValue("some.words")->value).count, 3u);
  const GgufArray numbers = std::get<GgufArray>(gguf.FindValue("some.numbers")->value);
  int32_t first = 0;
  std::memcpy(&first, numbers.bytes.data(), sizeof first);
  EXPECT_EQ(first, -1);
  EXPECT_EQ(std::get<GgufArray>(gguf.FindValue("some.fractions")->value).count, 1u);
  ASSERT_EQ(gguf.tensors().size(), 2u);
  EXPECT_EQ(gguf.tensors()[0].shape, (Shape{3}));
  EXPECT_EQ(std::memcmp(gguf.tensors()[0].bytes.data(), norm.data(), 12), 0);
  EXPECT_EQ(gguf.tensors()[1].shape, (Shape{2, 32}));
  EXPECT_STREQ(gguf.tensors()[1].type->name, "Q8_0");
  EXPECT_EQ(std::memcmp(gguf.tensors()[1].bytes.data(), blocks.data(), blocks.size()), 0);
}

TEST_F(GgufWriterTest, AnUnfinishedFileLeavesNothing) {
  { GgufWriter writer(path_, {}, {{"a", FindGgufTensorType(0), Shape{8}}}); }
  EXPECT_FALSE(fs::exists(path_));
}

}  // namespace
}  // namespace octavo
