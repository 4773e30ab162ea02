#include "quantize/write_awq.h"

#include <unistd.h>

#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "base/file.h"
#include "quantize/test_support.h"
#include "tests/testing/error_code.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

constexpr ExportOptions kForAwq = {.language = MatrixForm::kW4, .group_size = 64, .for_awq = true};

class WriteAwqTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / StrCat("octavo_write_awq_", ::getpid());
    fs::create_directories(folder_ / "awq");
  }
  void TearDown() override { fs::remove_all(folder_); }

  WrittenModel Write(const Checkpoint& checkpoint, const Adjustments& adjustments,
                     const ExportOptions& options = kForAwq, int num_threads = 2) {
    ThreadPool pool(num_threads);
    return WriteAwqFolder(checkpoint, options, adjustments, folder_ / "awq", &pool, {});
  }

  fs::path folder_;
};

// Some columns scaled and taken out, as the search does it.
Adjustments SomeAdjustments() {
  Adjustments adjustments;
  TensorAdjustment& columns = adjustments["model.layers.0.self_attn.q_proj.weight"];
  columns.columns.assign(128, 1.0f);
  columns.columns[7] = 3;
  for (const char* name : {"k_proj", "v_proj"}) {
    adjustments[StrCat("model.layers.0.self_attn.", name, ".weight")] = columns;
  }
  TensorAdjustment& norm = adjustments["model.layers.0.input_layernorm.weight"];
  norm.rows.assign(128, 1.0f);
  norm.rows[7] = 1 / 3.0f;
  return adjustments;
}

TEST_F(WriteAwqTest, OctavoReadsTheNumbersOfItsOwnFile) {
  testing::GroupedModelSpec spec;
  spec.dtype = DType::kBF16;
  const auto checkpoint = testing::MakeTinyModel(spec);
  const Adjustments adjustments = SomeAdjustments();
  const WrittenModel written = Write(*checkpoint, adjustments);
  EXPECT_EQ(written.file_bytes, fs::file_size(folder_ / "awq/model.safetensors"));
  ThreadPool pool(2);
  WriteModel(*checkpoint, kForAwq, adjustments, folder_ / "own.octavo", &pool, {});
  const auto own = Checkpoint::Open(folder_ / "own.octavo");
  const auto awq = Checkpoint::Open(folder_ / "awq");
  EXPECT_NE(awq->Container().find("AWQ int4 g64"), std::string::npos) << awq->Container();
  int num_packed = 0;
  ASSERT_EQ(awq->Tensors().size(), own->Tensors().size());
  for (const TensorInfo& tensor : own->Tensors()) {
    const LoadedTensor a = own->Get(tensor.name);
    const LoadedTensor b = awq->Get(tensor.name);
    ASSERT_EQ(a.view.shape, b.view.shape);
    std::vector<float> x(static_cast<size_t>(a.view.shape.num_elements()));
    std::vector<float> y(x.size());
    ToFloats(a.view, 0, static_cast<int64_t>(x.size()), x.data());
    ToFloats(b.view, 0, static_cast<int64_t>(y.size()), y.data());
    EXPECT_EQ(x, y) << tensor.name;
    if (!tensor.packed || !tensor.packed->is_quantized()) continue;
    ++num_packed;
    const PackedTensor c = *own->FindPacked(tensor.name);
    const PackedTensor d = *awq->FindPacked(tensor.name);
    ASSERT_EQ(c.layout, d.layout) << tensor.name;
    EXPECT_EQ(std::memcmp(c.data, d.data, PackedBytes(c.layout)), 0) << tensor.name;
  }
  EXPECT_EQ(num_packed, 2 * 7);
  EXPECT_EQ(testing::LogitsOf(*awq, Compute::kInt8), testing::LogitsOf(*own, Compute::kInt8));
  EXPECT_EQ(awq->TextFile("tokenizer.json"), checkpoint->TextFile("tokenizer.json"));
  EXPECT_EQ(awq->TextFile("preprocessor_config.json"),
            checkpoint->TextFile("preprocessor_config.json"));
}

TEST_F(WriteAwqTest, TheSameBytesForAnyNumberOfThreadsAndWrittenAgain) {
  const auto checkpoint = testing::MakeTinyModel(testing::GroupedModelSpec());
  Write(*checkpoint, {}, kForAwq, 1);
  const std::string first = ReadFile(folder_ / "awq/model.safetensors", 64 << 20);
  const std::string config = ReadFile(folder_ / "awq/config.json", 1 << 20);
  fs::rename(folder_ / "awq", folder_ / "source");
  fs::create_directories(folder_ / "awq");
  Write(*Checkpoint::Open(folder_ / "source"), {}, kForAwq, 3);
  EXPECT_EQ(ReadFile(folder_ / "awq/model.safetensors", 64 << 20), first);
  EXPECT_EQ(ReadFile(folder_ / "awq/config.json", 1 << 20), config);
}

TEST_F(WriteAwqTest, WhatAGroupDoesNotDivideIsKeptAndNamed) {
  // 152 inputs: down_proj of the odd tiny model.
  ExportOptions options = kForAwq;
  options.group_size = 32;
  const WrittenModel written = Write(*testing::MakeTinyModel(), {}, options);
  int num_kept = 0;
  for (const WrittenTensor& tensor : written.tensors) num_kept += tensor.note.empty() ? 0 : 1;
  EXPECT_EQ(num_kept, 2);
  const std::string config = ReadFile(folder_ / "awq/config.json", 1 << 20);
  EXPECT_NE(config.find("model.layers.1.mlp.down_proj"), std::string::npos);
  EXPECT_NO_THROW(testing::LogitsOf(*Checkpoint::Open(folder_ / "awq"), Compute::kInt8));
}

TEST_F(WriteAwqTest, NumbersThatAreNotFiniteStopIt) {
  for (const char* name : {"visual.blocks.0.mlp.fc1.weight", "model.norm.weight",
                           "model.layers.1.mlp.down_proj.weight"}) {
    testing::EditedCheckpoint damaged(testing::MakeTinyModel(testing::GroupedModelSpec()));
    damaged.EditTensor(name, [](std::vector<float>* values) {
      values->back() = std::numeric_limits<float>::quiet_NaN();
    });
    EXPECT_EQ(testing::ErrorCodeOf([&] { Write(damaged, {}); },
                                   StrCat("synthetic: ", name, " contains a NaN")),
              ErrorCode::kDataLoss);
    EXPECT_FALSE(fs::exists(folder_ / "awq/model.safetensors"));
  }
}

TEST_F(WriteAwqTest, OtherQuantisedFormsAreRefusedByName) {
  ThreadPool pool(2);
  const auto checkpoint = testing::MakeTinyModel(testing::GroupedModelSpec());
  WriteModel(*checkpoint, {.language = MatrixForm::kW8}, {}, folder_ / "w8.octavo", &pool, {});
  EXPECT_EQ(testing::ErrorCodeOf([&] { Write(*Checkpoint::Open(folder_ / "w8.octavo"), {}); },
                                 (folder_ / "w8.octavo").native() +
                                     ": model.layers.0.self_attn.q_proj.weight is W8"),
            ErrorCode::kUnsupported);
  EXPECT_FALSE(fs::exists(folder_ / "awq/model.safetensors"));
}

}  // namespace
}  // namespace octavo
