#include "formats/checkpoint.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "formats/synthetic_checkpoint.h"
#include "octavo/error.h"
#include "testing/container_bytes.h"

namespace octavo {
namespace {

TEST(CanonicalTensorName, MapsEveryKnownPrefix) {
  EXPECT_EQ(CanonicalTensorName("model.language_model.layers.0.mlp.up_proj.weight"),
            "model.layers.0.mlp.up_proj.weight");
  EXPECT_EQ(CanonicalTensorName("model.visual.blocks.3.norm1.bias"), "visual.blocks.3.norm1.bias");
  EXPECT_EQ(CanonicalTensorName("language_model.model.norm.weight"), "model.norm.weight");
  EXPECT_EQ(CanonicalTensorName("language_model.lm_head.weight"), "lm_head.weight");
}

TEST(CanonicalTensorName, LeavesCanonicalAndForeignNames) {
  for (const char* name : {"model.embed_tokens.weight", "visual.merger.ln_q.weight",
                           "lm_head.weight", "model.language_modelx", "other", ""}) {
    EXPECT_EQ(CanonicalTensorName(name), name);
  }
}

ErrorCode OpenCode(const std::filesystem::path& path, std::string* message) {
  try {
    Checkpoint::Open(path);
  } catch (const Error& error) {
    *message = error.what();
    return error.code();
  }
  ADD_FAILURE() << path << " was opened";
  return ErrorCode::kCancelled;
}

TEST(Checkpoint, OtherThingsThanAFolderAreToldApart) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(::testing::TempDir()) / "octavo checkpoint test";
  fs::create_directories(folder);
  std::string message;
  EXPECT_EQ(OpenCode(folder / "absent", &message), ErrorCode::kNotFound);

  std::ofstream(folder / "plain.bin") << "something";
  EXPECT_EQ(OpenCode(folder / "plain.bin", &message), ErrorCode::kUnsupported);
  EXPECT_NE(message.find("expected a folder"), std::string::npos) << message;

  octavo::testing::GgufBytes gguf;
  gguf.AddString("general.architecture", "qwen2vl");
  gguf.AddTensor("x", {2}, 0, 0);
  gguf.data = "12345678";
  std::ofstream(folder / "a.gguf", std::ios::binary) << gguf.ToString();
  EXPECT_EQ(OpenCode(folder / "a.gguf", &message), ErrorCode::kNotFound);
  EXPECT_NE(message.find("no GGUF vision file"), std::string::npos) << message;

  gguf.data = "1";
  std::ofstream(folder / "b.gguf", std::ios::binary) << gguf.ToString();
  EXPECT_EQ(OpenCode(folder / "b.gguf", &message), ErrorCode::kDataLoss);
  fs::remove_all(folder);
}

TEST(Checkpoint, GetNamesWhatIsAbsent) {
  const auto checkpoint = MakeSyntheticCheckpoint({}, {}, 1);
  try {
    checkpoint->Get("model.norm.weight");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
    EXPECT_NE(std::string(error.what()).find("model.norm.weight"), std::string::npos);
  }
  EXPECT_THROW(checkpoint->GetTextFile("config.json"), Error);
}

}  // namespace
}  // namespace octavo
