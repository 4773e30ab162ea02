#include "formats/gguf_checkpoint.h"

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/str_cat.h"
#include "tensor/float16.h"
#include "testing/error_code.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using octavo::testing::ErrorCodeOf;

constexpr char kStored[] = OCTAVO_TEST_DATA_DIR "/quant/gguf-Q4_K";

class GgufCheckpointTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / StrCat("octavo_gguf_", ::getpid());
    fs::create_directories(folder_);
    for (const char* name : {"tiny-main-Q4_K.gguf", "mmproj-tiny-main-Q4_K.gguf"}) {
      fs::copy_file(fs::path(kStored) / name, folder_ / name);
    }
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

const TensorInfo& Info(const Checkpoint& checkpoint, const std::string& name) {
  for (const TensorInfo& info : checkpoint.Tensors()) {
    if (info.name == name) return info;
  }
  ADD_FAILURE() << name;
  return checkpoint.Tensors().front();
}

TEST_F(GgufCheckpointTest, AFolderOrItsLanguageFileIsTheModel) {
  for (const fs::path& path : {folder_, folder_ / "tiny-main-Q4_K.gguf"}) {
    const auto checkpoint = Checkpoint::Open(path);
    EXPECT_EQ(checkpoint->Container(), "gguf version 3, language and vision file");
    EXPECT_EQ(checkpoint->Tensors().size(), 81u);
    EXPECT_TRUE(checkpoint->TextFile("tokenizer.json"));
    EXPECT_FALSE(checkpoint->TextFile("vocab.json"));
    EXPECT_EQ(Info(*checkpoint, "visual.blocks.2.attn.qkv.weight").shape, (Shape{192, 64}));
    EXPECT_EQ(Info(*checkpoint, "visual.patch_embed.proj.weight").shape, (Shape{64, 3, 2, 14, 14}));
    // Q5_0 lies in groups, Q4_K does not.
    EXPECT_EQ(Info(*checkpoint, "model.embed_tokens.weight").packed->Describe(), "W8 g32 +-63");
    EXPECT_FALSE(Info(*checkpoint, "model.layers.0.mlp.down_proj.weight").packed);
    EXPECT_FALSE(checkpoint->FindPacked("model.layers.0.mlp.down_proj.weight"));
  }
}

TEST_F(GgufCheckpointTest, TheVisionFileBesideIsTold) {
  EXPECT_EQ(GgufVisionFileBeside(folder_ / "tiny-main-Q4_K.gguf"),
            folder_ / "mmproj-tiny-main-Q4_K.gguf");
  fs::remove(folder_ / "mmproj-tiny-main-Q4_K.gguf");
  EXPECT_EQ(ErrorCodeOf([&] { GgufVisionFileBeside(folder_ / "tiny-main-Q4_K.gguf"); }),
            ErrorCode::kNotFound);
}

TEST_F(GgufCheckpointTest, TheCardBesideTheFilesIsTheModels) {
  EXPECT_FALSE(Checkpoint::Open(folder_)->TextFile("octavo.json"));
  std::ofstream(folder_ / "octavo.json") << "{}";
  for (const fs::path& path : {folder_, folder_ / "tiny-main-Q4_K.gguf"}) {
    EXPECT_EQ(Checkpoint::Open(path)->TextFile("octavo.json"), "{}");
  }
}

TEST_F(GgufCheckpointTest, PackedMatricesHoldTheSameNumbers) {
  const auto checkpoint = OpenGgufCheckpoint(folder_);
  int num_packed = 0;
  for (const TensorInfo& info : checkpoint->Tensors()) {
    if (!info.packed) continue;
    ++num_packed;
    const LoadedTensor rows = checkpoint->Get(info.name);
    const LoadedTensor unpacked =
        Unpack(*checkpoint->FindPacked(info.name), info.shape, DType::kF32);
    ASSERT_EQ(std::memcmp(rows.view.data, unpacked.view.data, rows.view.size_bytes()), 0)
        << info.name;
  }
  EXPECT_EQ(num_packed, 1 + 3 * 6 + 3 * 3);
}

TEST_F(GgufCheckpointTest, TensorsOutliveTheCheckpoint) {
  auto checkpoint = OpenGgufCheckpoint(folder_);
  const LoadedTensor norm = checkpoint->Get("model.norm.weight");
  checkpoint.reset();
  float value = 0;
  ToFloats(norm.view, 127, 1, &value);
  EXPECT_GT(value, 0.5f);
}

// Old converters exchanged ffn_up and ffn_down in the vision file. Both names have eight letters
// and more; the stored strings keep their lengths if they are exchanged under a third name.
TEST_F(GgufCheckpointTest, SwappedNamesOfTheVisionMlpAreUndone) {
  const auto original = OpenGgufCheckpoint(folder_);
  const LoadedTensor fc1 = original->Get("visual.blocks.1.mlp.fc1.weight");
  const fs::path file = folder_ / "mmproj-tiny-main-Q4_K.gguf";
  std::ifstream in(file, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  for (int block = 0; block < 3; ++block) {
    for (const char* kind : {".weight", ".bias"}) {
      const std::string up = StrCat("v.blk.", block, ".ffn_up", kind);
      const std::string down = StrCat("v.blk.", block, ".ffn_down", kind);
      const auto replace = [&](const std::string& from, const std::string& to) {
        std::string stored(8, '\0');
        const uint64_t old_length = from.size();
        std::memcpy(stored.data(), &old_length, 8);
        const size_t at = bytes.find(stored + from);
        ASSERT_NE(at, std::string::npos) << from;
        const uint64_t length = to.size();
        std::memcpy(stored.data(), &length, 8);
        bytes.replace(at, 8 + from.size(), stored + to);
      };
      // Lengths: up + 2 = down, so the sum of both does not change, nor does the data's place.
      replace(up, "tmp");
      replace(down, up);
      replace("tmp", down);
    }
  }
  std::ofstream(file, std::ios::binary) << bytes;
  const auto swapped = OpenGgufCheckpoint(folder_);
  EXPECT_EQ(Info(*swapped, "visual.blocks.1.mlp.fc1.weight").shape, (Shape{256, 64}));
  EXPECT_EQ(Info(*swapped, "visual.blocks.1.mlp.fc1.bias").shape, (Shape{256}));
  const LoadedTensor again = swapped->Get("visual.blocks.1.mlp.fc1.weight");
  EXPECT_EQ(std::memcmp(fc1.view.data, again.view.data, fc1.view.size_bytes()), 0);
}

TEST_F(GgufCheckpointTest, ThePairMustBeClear) {
  const auto code = [&](const fs::path& path) {
    return ErrorCodeOf([&] { OpenGgufCheckpoint(path); }, "");
  };
  EXPECT_EQ(code(folder_ / "mmproj-tiny-main-Q4_K.gguf"), ErrorCode::kInvalidArgument);
  fs::copy_file(folder_ / "mmproj-tiny-main-Q4_K.gguf", folder_ / "other.gguf");
  EXPECT_EQ(code(folder_), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(folder_ / "tiny-main-Q4_K.gguf"), ErrorCode::kInvalidArgument);
  fs::remove(folder_ / "other.gguf");
  fs::remove(folder_ / "mmproj-tiny-main-Q4_K.gguf");
  EXPECT_EQ(code(folder_), ErrorCode::kNotFound);
  EXPECT_EQ(code(folder_ / "tiny-main-Q4_K.gguf"), ErrorCode::kNotFound);
  EXPECT_TRUE(HasGgufFiles(folder_));
  fs::remove(folder_ / "tiny-main-Q4_K.gguf");
  EXPECT_FALSE(HasGgufFiles(folder_));
}

}  // namespace
}  // namespace octavo
