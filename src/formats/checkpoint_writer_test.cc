#include "formats/checkpoint_writer.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "formats/synthetic_checkpoint.h"
#include "octavo/error.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

class CheckpointWriterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / "octavo writer" /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_F(CheckpointWriterTest, WrittenFolderOpensWithTheSameTensors) {
  const auto source = MakeSyntheticCheckpoint({{"model.norm.weight", DType::kF32, Shape{33}},
                                               {"model.a.weight", DType::kBF16, Shape{5, 7}},
                                               {"model.odd", DType::kF16, Shape{1}},
                                               {"model.scalar", DType::kF32, Shape{}},
                                               {"model.empty", DType::kF32, Shape{0, 3}},
                                               {"visual.p", DType::kF16, Shape{2, 3, 2, 2, 2}}},
                                              {{"config.json", "{\"a\":1}"}, {"unused", "x"}}, 3);
  WriteSafetensorsFolder(*source, {"config.json", "tokenizer.json"}, folder_);
  const auto written = Checkpoint::Open(folder_);
  EXPECT_EQ(written->GetTextFile("config.json"), "{\"a\":1}");
  EXPECT_FALSE(written->TextFile("unused"));
  ASSERT_EQ(written->Tensors().size(), source->Tensors().size());
  for (const TensorInfo& info : source->Tensors()) {
    const LoadedTensor a = source->Get(info.name);
    const LoadedTensor b = written->Get(info.name);
    ASSERT_EQ(b.view.dtype, info.dtype) << info.name;
    ASSERT_EQ(b.view.shape, info.shape) << info.name;
    if (a.view.size_bytes() == 0) continue;
    EXPECT_EQ(std::memcmp(a.view.data, b.view.data, a.view.size_bytes()), 0) << info.name;
  }
}

TEST_F(CheckpointWriterTest, DataStartsAtAMultipleOfEight) {
  for (size_t name_length = 1; name_length <= 8; ++name_length) {
    const auto source = MakeSyntheticCheckpoint(
        {{std::string(name_length, 'x'), DType::kF32, Shape{1}}}, {{"config.json", "{}"}}, 3);
    WriteSafetensorsFolder(*source, {"config.json"}, folder_);
    const std::string bytes = ReadFile(folder_ / "model.safetensors", 10000);
    uint64_t header = 0;
    std::memcpy(&header, bytes.data(), 8);
    EXPECT_EQ(header % 8, 0u);
    EXPECT_EQ(bytes.size(), 8 + header + 4);
    fs::remove_all(folder_);
  }
}

TEST_F(CheckpointWriterTest, ExistingWeightsAreNotOverwritten) {
  fs::create_directories(folder_);
  WriteFileAtomically(folder_ / "model.safetensors", "mine");
  const auto source = MakeSyntheticCheckpoint({}, {}, 3);
  try {
    WriteSafetensorsFolder(*source, {}, folder_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(ReadFile(folder_ / "model.safetensors", 100), "mine");
}

// A checkpoint whose second tensor cannot be had.
class FailingCheckpoint : public Checkpoint {
 public:
  FailingCheckpoint()
      : whole_(MakeSyntheticCheckpoint(
            {{"a", DType::kF32, Shape{10}}, {"b", DType::kF32, Shape{10}}}, {}, 1)) {}
  std::string Source() const override { return "failing"; }
  std::string Container() const override { return "failing"; }
  const std::vector<TensorInfo>& Tensors() const override { return whole_->Tensors(); }
  std::optional<LoadedTensor> Find(std::string_view name) const override {
    if (name == "b") throw Error(ErrorCode::kIo, "disk trouble");
    return whole_->Find(name);
  }
  std::optional<std::string> TextFile(std::string_view) const override { return std::nullopt; }

 private:
  std::unique_ptr<Checkpoint> whole_;
};

TEST_F(CheckpointWriterTest, FailureLeavesNoPartialWeights) {
  EXPECT_THROW(WriteSafetensorsFolder(FailingCheckpoint(), {}, folder_), Error);
  EXPECT_TRUE(fs::is_empty(folder_));
}

// Counts the tensors that are held at the same time.
class CountingCheckpoint : public Checkpoint {
 public:
  explicit CountingCheckpoint(std::vector<TensorInfo> tensors)
      : whole_(MakeSyntheticCheckpoint(std::move(tensors), {}, 1)) {}
  std::string Source() const override { return "counting"; }
  std::string Container() const override { return "counting"; }
  const std::vector<TensorInfo>& Tensors() const override { return whole_->Tensors(); }
  std::optional<LoadedTensor> Find(std::string_view name) const override {
    LoadedTensor tensor = *whole_->Find(name);
    most_held_ = std::max(most_held_, ++num_held_);
    const auto kept = tensor.owner;
    tensor.owner =
        std::shared_ptr<const void>(kept.get(), [this, kept](const void*) { --num_held_; });
    return tensor;
  }
  std::optional<std::string> TextFile(std::string_view) const override { return std::nullopt; }
  int most_held() const { return most_held_; }

 private:
  std::unique_ptr<Checkpoint> whole_;
  mutable int num_held_ = 0;
  mutable int most_held_ = 0;
};

TEST_F(CheckpointWriterTest, HoldsOneTensorAtATime) {
  std::vector<TensorInfo> tensors;
  for (int i = 0; i < 8; ++i) {
    tensors.push_back({"t" + std::to_string(i), DType::kBF16, Shape{64, 1024}});
  }
  const CountingCheckpoint source(tensors);
  WriteSafetensorsFolder(source, {}, folder_);
  EXPECT_EQ(fs::file_size(folder_ / "model.safetensors") >> 20, 1u);
  EXPECT_EQ(source.most_held(), 1);
}

}  // namespace
}  // namespace octavo
