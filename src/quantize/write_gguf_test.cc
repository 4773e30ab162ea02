#include "quantize/write_gguf.h"

#include <unistd.h>

#include <limits>

#include <gtest/gtest.h>

#include "base/file.h"
#include "quantize/test_support.h"
#include "tensor/float16.h"
#include "tests/testing/error_code.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

constexpr ExportOptions k8Bits = {.language = MatrixForm::kW8,
                                  .head = MatrixForm::kW8,
                                  .vision = MatrixForm::kW8,
                                  .group_size = 64};
constexpr ExportOptions k4Bits = {.language = MatrixForm::kW4, .head = MatrixForm::kW8};

class WriteGgufTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / StrCat("octavo_write_gguf_", ::getpid());
    fs::create_directories(folder_ / "gguf");
  }
  void TearDown() override { fs::remove_all(folder_); }

  WrittenModel Write(const Checkpoint& checkpoint, const ExportOptions& options,
                     int num_threads = 2) {
    ThreadPool pool(num_threads);
    return WriteGgufFolder(checkpoint, options, {}, folder_ / "gguf", &pool, {});
  }
  std::unique_ptr<Checkpoint> WriteOwn(const Checkpoint& checkpoint, const ExportOptions& options) {
    ThreadPool pool(2);
    WriteModel(checkpoint, options, {}, folder_ / "own.octavo", &pool, {});
    return Checkpoint::Open(folder_ / "own.octavo");
  }

  fs::path folder_;
};

std::vector<float> Values(const Checkpoint& checkpoint, const std::string& name) {
  const LoadedTensor tensor = checkpoint.Get(name);
  std::vector<float> values(static_cast<size_t>(tensor.view.shape.num_elements()));
  ToFloats(tensor.view, 0, static_cast<int64_t>(values.size()), values.data());
  return values;
}

TEST_F(WriteGgufTest, EightBitsAndFloatsAreTheSameNumbers) {
  testing::GroupedModelSpec spec;
  spec.dtype = DType::kBF16;
  const auto checkpoint = testing::MakeTinyModel(spec);
  for (const ExportOptions& options : {k8Bits, ExportOptions{}}) {
    const WrittenModel written = Write(*checkpoint, options);
    EXPECT_EQ(written.file_bytes, fs::file_size(folder_ / "gguf/model.gguf") +
                                      fs::file_size(folder_ / "gguf/mmproj-model.gguf"));
    const auto own = WriteOwn(*checkpoint, options);
    const auto gguf = Checkpoint::Open(folder_ / "gguf");
    EXPECT_EQ(gguf->Tensors().size(), own->Tensors().size());
    for (const TensorInfo& tensor : own->Tensors()) {
      EXPECT_EQ(gguf->Get(tensor.name).view.shape, own->Get(tensor.name).view.shape);
      EXPECT_EQ(Values(*gguf, tensor.name), Values(*own, tensor.name)) << tensor.name;
    }
    EXPECT_EQ(testing::LogitsOf(*gguf, Compute::kF32), testing::LogitsOf(*own, Compute::kF32));
  }
}

TEST_F(WriteGgufTest, FourBitsKeepStepsAndScales) {
  const auto checkpoint = testing::MakeTinyModel(testing::GroupedModelSpec());
  const WrittenModel written = Write(*checkpoint, k4Bits);
  const auto own = WriteOwn(*checkpoint, k4Bits);
  const auto gguf = Checkpoint::Open(folder_ / "gguf");
  int num_q4 = 0;
  for (const WrittenTensor& tensor : written.tensors) {
    if (tensor.to != "Q4_1") continue;
    ++num_q4;
    EXPECT_GT(tensor.rounding->Relative(), 0.0);
    const PackedTensor packed = *own->FindPacked(tensor.name);
    const PackedLayout& layout = packed.layout;
    const std::vector<float> found = Values(*gguf, tensor.name);
    for (int64_t r = 0; r < layout.n; r += 5) {
      for (int64_t i = 0; i < layout.k; i += 3) {
        const std::byte* const block =
            packed.data + GroupBlockOffset(layout.group, layout.k, r / kPanelColumns,
                                           i / layout.group.group_size);
        const auto column = static_cast<int>(r % kPanelColumns);
        const auto q = static_cast<float>(
            GroupQ(layout.group, block, column, static_cast<int>(i % layout.group.group_size)));
        const auto zero = static_cast<float>(GroupZero(layout.group, block, column));
        const float scale = GroupScale(layout.group, block, column);
        EXPECT_EQ(found[static_cast<size_t>(r * layout.k + i)],
                  scale * q + ToFloat(ToFloat16(-zero * scale)))
            << tensor.name;
      }
    }
  }
  EXPECT_EQ(num_q4, 2 * 7);
  EXPECT_LT(testing::RelativeError(testing::LogitsOf(*gguf, Compute::kF32),
                                   testing::LogitsOf(*own, Compute::kF32)),
            0.01);
}

TEST_F(WriteGgufTest, TextsSayTheSameModel) {
  const auto checkpoint = testing::MakeTinyModel(testing::GroupedModelSpec());
  Write(*checkpoint, {});
  const auto gguf = Checkpoint::Open(folder_ / "gguf");
  const ModelConfig before = LoadModelConfig(*checkpoint);
  const ModelConfig after = LoadModelConfig(*gguf);
  EXPECT_EQ(after.text.hidden_size, before.text.hidden_size);
  EXPECT_EQ(after.text.num_key_value_heads, before.text.num_key_value_heads);
  EXPECT_EQ(after.text.mrope_section, before.text.mrope_section);
  EXPECT_EQ(after.text.rms_norm_eps, before.text.rms_norm_eps);
  EXPECT_EQ(after.text.rope_theta, before.text.rope_theta);
  EXPECT_EQ(after.text.vocab_size, before.text.vocab_size);
  EXPECT_EQ(after.vision.mlp_dim, before.vision.mlp_dim);
  EXPECT_EQ(after.vision.num_heads, before.vision.num_heads);
  EXPECT_EQ(after.image_token_id, before.image_token_id);
  const auto limits = [](const Checkpoint& model) {
    const PreprocessorConfig config =
        ParsePreprocessorConfig(model.GetTextFile("preprocessor_config.json"), "test");
    return std::pair{config.min_pixels, config.max_pixels};
  };
  EXPECT_EQ(limits(*gguf), limits(*checkpoint));
}

TEST_F(WriteGgufTest, TheSameBytesForAnyNumberOfThreadsAndWrittenAgain) {
  const auto checkpoint = testing::MakeTinyModel(testing::GroupedModelSpec());
  const auto bytes = [&](const char* file) { return ReadFile(folder_ / file, 64 << 20); };
  Write(*checkpoint, k8Bits, 1);
  const std::string language = bytes("gguf/model.gguf");
  const std::string vision = bytes("gguf/mmproj-model.gguf");
  fs::rename(folder_ / "gguf", folder_ / "source");
  fs::create_directories(folder_ / "gguf");
  Write(*checkpoint, k8Bits, 3);
  EXPECT_EQ(bytes("gguf/model.gguf"), language);
  EXPECT_EQ(bytes("gguf/mmproj-model.gguf"), vision);
  // Q8_0 is what it was when it is read and written again.
  Write(*Checkpoint::Open(folder_ / "source"), {}, 2);
  const auto again = Checkpoint::Open(folder_ / "gguf");
  const auto first = Checkpoint::Open(folder_ / "source");
  for (const TensorInfo& tensor : first->Tensors()) {
    EXPECT_EQ(Values(*again, tensor.name), Values(*first, tensor.name)) << tensor.name;
  }
}

TEST_F(WriteGgufTest, WhatCannotBeWrittenLeavesNothing) {
  testing::EditedCheckpoint damaged(testing::MakeTinyModel(testing::GroupedModelSpec()));
  const char* name = "model.layers.1.mlp.down_proj.weight";
  damaged.EditTensor(name, [](std::vector<float>* values) {
    values->back() = std::numeric_limits<float>::quiet_NaN();
  });
  EXPECT_EQ(testing::ErrorCodeOf([&] { Write(damaged, k4Bits); },
                                 StrCat("synthetic: ", name, " contains a NaN")),
            ErrorCode::kDataLoss);
  EXPECT_TRUE(fs::is_empty(folder_ / "gguf"));
}

}  // namespace
}  // namespace octavo
