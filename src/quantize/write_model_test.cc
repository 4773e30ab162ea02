#include "quantize/write_model.h"

#include <unistd.h>

#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/str_cat.h"
#include "formats/octavo_file.h"
#include "model/test_support.h"
#include "tests/testing/edited_checkpoint.h"
#include "tests/testing/error_code.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using testing::ErrorCodeOf;
using testing::MakeTinyModel;
using testing::TinyModelSpec;

constexpr ExportOptions kQuantize = {
    .language = MatrixForm::kW4, .head = MatrixForm::kW8, .vision = MatrixForm::kW8};

class WriteModelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / StrCat("octavo_write_model_", ::getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  WrittenModel Write(const Checkpoint& checkpoint, const ExportOptions& options, const char* name,
                     int num_threads = 2) {
    ThreadPool pool(num_threads);
    return WriteModel(checkpoint, options, {}, folder_ / name, &pool, {});
  }
  std::unique_ptr<Checkpoint> Open(const char* name) { return Checkpoint::Open(folder_ / name); }
  std::string Bytes(const char* name) { return ReadFile(folder_ / name, 64 << 20); }

  fs::path folder_;
};

// Logits of a short text and the embeddings of a picture.
std::vector<float> RunModel(const Checkpoint& checkpoint, Compute compute, int num_threads = 2) {
  testing::Rig rig(checkpoint, compute, num_threads);
  std::vector<float> numbers = RunAtOnce(&rig, testing::MakeText(&rig, 20, 1));
  const auto image = testing::Encode(&rig.model, testing::MakePatches(24, 40), 1e12);
  numbers.insert(numbers.end(), image.begin(), image.end());
  return numbers;
}

TEST_F(WriteModelTest, AKeptModelComputesTheSameBits) {
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
    TinyModelSpec spec;
    spec.dtype = dtype;
    const auto checkpoint = MakeTinyModel(spec);
    const WrittenModel written = Write(*checkpoint, {}, "kept.octavo");
    EXPECT_NO_THROW(VerifyOctavoFile(folder_ / "kept.octavo"));
    const auto kept = Open("kept.octavo");
    EXPECT_EQ(written.file_bytes, fs::file_size(folder_ / "kept.octavo"));
    EXPECT_EQ(kept->Tensors().size(), checkpoint->Tensors().size());
    for (const std::string& name : ModelTextFiles()) {
      EXPECT_EQ(kept->TextFile(name), checkpoint->TextFile(name)) << name;
    }
    for (const Compute compute : {Compute::kF32, Compute::kBF16}) {
      EXPECT_EQ(RunModel(*kept, compute), RunModel(*checkpoint, compute)) << DTypeName(dtype);
    }
  }
}

TEST_F(WriteModelTest, NarrowedWeightsAreThoseOfBf16Compute) {
  const auto checkpoint = MakeTinyModel();
  Write(*checkpoint, {MatrixForm::kBF16, MatrixForm::kBF16, MatrixForm::kBF16}, "narrow.octavo");
  EXPECT_EQ(RunModel(*Open("narrow.octavo"), Compute::kBF16),
            RunModel(*checkpoint, Compute::kBF16));
}

TEST_F(WriteModelTest, QuantisedModelsRunFromTheFileAsFromTheirOwnNumbers) {
  const auto checkpoint = MakeTinyModel();
  const WrittenModel written = Write(*checkpoint, kQuantize, "quantised.octavo");
  EXPECT_NO_THROW(VerifyOctavoFile(folder_ / "quantised.octavo"));
  const auto quantised = Open("quantised.octavo");
  // The same numbers as a plain f32 model.
  Write(*quantised, {MatrixForm::kF32, MatrixForm::kF32, MatrixForm::kF32}, "plain.octavo");
  const std::vector<float> expected = RunModel(*Open("plain.octavo"), Compute::kF32);
  const std::vector<float> exact = RunModel(*quantised, Compute::kF32);
  const std::vector<float> fast = RunModel(*quantised, Compute::kInt8);
  ASSERT_EQ(exact.size(), expected.size());
  double squares = 0;
  const std::vector<float> wide = RunModel(*quantised, Compute::kInt16);
  double fast_squares = 0;
  double wide_squares = 0;
  double all = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    squares += std::pow(static_cast<double>(exact[i] - expected[i]), 2);
    fast_squares += std::pow(static_cast<double>(fast[i] - expected[i]), 2);
    wide_squares += std::pow(static_cast<double>(wide[i] - expected[i]), 2);
    all += std::pow(static_cast<double>(expected[i]), 2);
  }
  EXPECT_LT(std::sqrt(squares / all), 1e-5);
  EXPECT_LT(std::sqrt(fast_squares / all), 0.03);
  EXPECT_LT(std::sqrt(wide_squares / all), 2.5e-3);  // keys and values are bf16
  EXPECT_GT(wide_squares, 0.0) << "int16 is not the same arithmetic";
  EXPECT_EQ(RunModel(*quantised, Compute::kInt16, 4), wide);
  EXPECT_GT(fast_squares, 0.0) << "int8 is not the same arithmetic";
  EXPECT_EQ(RunModel(*quantised, Compute::kInt8, 4), fast);
  EXPECT_EQ(DefaultCompute(quantised->Tensors()), Compute::kInt8);

  int rounded = 0;
  for (const WrittenTensor& tensor : written.tensors) {
    if (!tensor.rounding) continue;
    ++rounded;
    EXPECT_LT(tensor.rounding->Relative(), tensor.to.rfind("W4", 0) == 0 ? 0.1 : 0.015)
        << tensor.name;
    EXPECT_GT(tensor.rounding->Relative(), 0.001) << tensor.name;
  }
  EXPECT_EQ(rounded, 2 * 6 + 1 + 2 * 1 + 2 + 1);  // 48 and 152 inputs stay as they are
}

TEST_F(WriteModelTest, IntegersNeedQuantisedWeights) {
  const auto checkpoint = MakeTinyModel();
  for (const Compute compute : {Compute::kInt8, Compute::kInt16}) {
    EXPECT_EQ(ErrorCodeOf([&] { testing::Rig(*checkpoint, compute); }),
              ErrorCode::kInvalidArgument);
  }
}

TEST_F(WriteModelTest, TheSameBytesForAnyNumberOfThreads) {
  const auto checkpoint = MakeTinyModel();
  Write(*checkpoint, kQuantize, "a.octavo", 1);
  Write(*checkpoint, kQuantize, "b.octavo", 4);
  EXPECT_EQ(Bytes("a.octavo"), Bytes("b.octavo"));
  // A quantised model written again is the same file.
  Write(*Open("a.octavo"), kQuantize, "c.octavo");
  EXPECT_EQ(Bytes("c.octavo"), Bytes("a.octavo"));
}

TEST_F(WriteModelTest, NumbersThatAreNotFiniteStopItAndLeaveNothing) {
  for (const char* name : {"visual.blocks.1.mlp.fc2.weight", "visual.patch_embed.proj.weight",
                           "model.layers.0.self_attn.k_proj.bias"}) {
    testing::EditedCheckpoint checkpoint(MakeTinyModel());
    checkpoint.EditTensor(name, [](std::vector<float>* values) {
      values->back() = std::numeric_limits<float>::quiet_NaN();
    });
    for (const ExportOptions& options : {ExportOptions{}, kQuantize}) {
      EXPECT_EQ(ErrorCodeOf([&] { Write(checkpoint, options, "nan.octavo"); },
                            StrCat("synthetic: ", name, " contains a NaN")),
                ErrorCode::kDataLoss);
    }
  }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(WriteModelTest, WeightsBeyondTheScalesAreRefused) {
  testing::EditedCheckpoint checkpoint(MakeTinyModel());
  checkpoint.EditTensor("model.embed_tokens.weight",
                        [](std::vector<float>* values) { values->back() = 1e20f; });
  EXPECT_EQ(ErrorCodeOf([&] { Write(checkpoint, kQuantize, "big.octavo"); },
                        "synthetic: model.embed_tokens.weight has weights too large"),
            ErrorCode::kUnsupported);
}

TEST_F(WriteModelTest, AModelIsNotWrittenOverItself) {
  Write(*MakeTinyModel(), {}, "a.octavo");
  const std::string bytes = Bytes("a.octavo");
  EXPECT_EQ(ErrorCodeOf([&] { Write(*Open("a.octavo"), kQuantize, "a.octavo"); }),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(Bytes("a.octavo"), bytes);
}

TEST_F(WriteModelTest, SaysHowFarItIs) {
  ThreadPool pool(1);
  double last = -1;
  int calls = 0;
  WriteModel(*MakeTinyModel(), kQuantize, {}, folder_ / "a.octavo", &pool,
             [&](const std::string& name, double share) {
               EXPECT_FALSE(name.empty());
               EXPECT_GT(share, last);
               EXPECT_LT(share, 1.0);
               last = share;
               ++calls;
             });
  EXPECT_EQ(calls, static_cast<int>(MakeTinyModel()->Tensors().size()));
}

}  // namespace
}  // namespace octavo
