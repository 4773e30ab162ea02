#include "formats/octavo_file.h"

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/str_cat.h"
#include "formats/octavo_writer.h"
#include "tensor/float16.h"
#include "testing/error_code.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using octavo::testing::ErrorCodeOf;

constexpr GroupLayout kW8 = {.bits = 8, .group_size = 32, .is_7bit = true};

// bf16 numbers that tell row and column: 256 values each.
std::vector<BFloat16> Halves(int64_t count) {
  std::vector<BFloat16> halves(static_cast<size_t>(count));
  for (size_t i = 0; i < halves.size(); ++i)
    halves[i] = ToBFloat16(static_cast<float>(i % 251) - 99);
  return halves;
}

class OctavoFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = fs::temp_directory_path() / StrCat("octavo_file_", ::getpid(), ".octavo");
    Write();
  }
  void TearDown() override { fs::remove(path_); }

  // A vector, a bf16 matrix [18, 5] and an 8-bit one [16, 64].
  void Write() {
    const auto matrix = PackedLayout::Float(DType::kBF16, 18, 5);
    OctavoWriter writer(path_, {{"config.json", "{\"a\":1}"}, {"octavo.json", "{}"}},
                        {{"v", Shape{3}, {}, {}},
                         {"m", Shape{18, 5}, matrix, {}},
                         {"q", Shape{16, 64}, PackedLayout::Quantized(kW8, 16, 64), {}}});
    const float vector[] = {1.5f, -2.0f, 1e-3f};
    writer.Append(std::as_bytes(std::span(vector)));
    std::vector<std::byte> panels(PackedBytes(matrix));
    const std::vector<BFloat16> halves = Halves(18 * 5);
    const TensorView view = {reinterpret_cast<const std::byte*>(halves.data()), DType::kBF16,
                             Shape{18, 5}};
    for (int64_t p = 0; p < 2; ++p) {
      PackFloatPanel(matrix, view, p,
                     panels.data() + static_cast<size_t>(p) * PackedPanelBytes(matrix));
    }
    writer.Append(panels);
    std::vector<uint8_t> q(16 * 32);
    for (size_t i = 0; i < q.size(); ++i) q[i] = static_cast<uint8_t>(128 - 63 + i % 127);
    const std::vector<uint16_t> scale(16, ToFloat16(0.5f).bits);
    const std::vector<uint8_t> zero(16, 128);
    std::vector<std::byte> blocks(2 * static_cast<size_t>(GroupBlockBytes(kW8)));
    for (size_t g = 0; g < 2; ++g) {
      WriteGroupBlock(kW8, {q.data(), 32, scale.data(), zero.data(), 16},
                      blocks.data() + g * blocks.size() / 2);
    }
    writer.Append(blocks);
    writer.Commit();
  }

  // Flips one bit of the file.
  void Damage(uint64_t at) {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(byte ^ 4));
  }

  fs::path path_;
};

TEST_F(OctavoFileTest, OpensAsACheckpoint) {
  const auto checkpoint = Checkpoint::Open(path_);
  EXPECT_EQ(checkpoint->Container(), "octavo version 0");
  EXPECT_EQ(checkpoint->Source(), path_.string());
  EXPECT_EQ(checkpoint->TextFile("config.json"), "{\"a\":1}");
  EXPECT_EQ(checkpoint->TextFile("octavo.json"), "{}");
  EXPECT_EQ(checkpoint->TextFile("tokenizer.json"), std::nullopt);
  ASSERT_EQ(checkpoint->Tensors().size(), 3u);
  EXPECT_EQ(checkpoint->Tensors()[1].dtype, DType::kBF16);
  EXPECT_EQ(checkpoint->Tensors()[2].dtype, DType::kF32);
  EXPECT_EQ(checkpoint->Tensors()[2].packed->Describe(), "W8 g32 +-63");
  EXPECT_EQ(StoredBytes(checkpoint->Tensors()[0]), 12u);
  EXPECT_EQ(StoredBytes(checkpoint->Tensors()[2]), 2u * (512 + 64));
  EXPECT_FALSE(checkpoint->Find("x"));
  EXPECT_FALSE(checkpoint->FindPacked("v"));
}

TEST_F(OctavoFileTest, MatricesAreUsedWhereTheyLieAndOutliveTheCheckpoint) {
  auto checkpoint = OpenOctavoFile(path_);
  const PackedTensor first = *checkpoint->FindPacked("q");
  const PackedTensor again = *checkpoint->FindPacked("q");
  EXPECT_EQ(first.data, again.data);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first.data) % 64, 0u);
  EXPECT_EQ(first.layout, PackedLayout::Quantized(kW8, 16, 64));
  checkpoint.reset();
  float row[64];
  UnpackPackedRow(first.layout, first.data, 15, row);
  EXPECT_EQ(row[0], (static_cast<float>(15 * 32 % 127) - 63) * 0.5f);
}

TEST_F(OctavoFileTest, TensorsComeBackAsRows) {
  const auto checkpoint = OpenOctavoFile(path_);
  const LoadedTensor vector = checkpoint->Get("v");
  EXPECT_EQ(vector.view.dtype, DType::kF32);
  float value = 0;
  ToFloats(vector.view, 2, 1, &value);
  EXPECT_EQ(value, 1e-3f);
  const LoadedTensor matrix = checkpoint->Get("m");
  const std::vector<BFloat16> halves = Halves(18 * 5);
  EXPECT_EQ(matrix.view.shape, (Shape{18, 5}));
  EXPECT_EQ(std::memcmp(matrix.view.data, halves.data(), halves.size() * 2), 0);
  const LoadedTensor quantised = checkpoint->Get("q");
  EXPECT_EQ(quantised.view.dtype, DType::kF32);
  ToFloats(quantised.view, 64 + 1, 1, &value);  // row 1, column 1: q = 33
  EXPECT_EQ(value, (33.0f - 63.0f) * 0.5f);
}

TEST_F(OctavoFileTest, ATextIsReadByItself) {
  EXPECT_EQ(ReadOctavoText(path_, "config.json"), "{\"a\":1}");
  EXPECT_EQ(ReadOctavoText(path_, "README.md"), std::nullopt);
  EXPECT_EQ(ReadOctavoText(path_.string() + ".absent", "config.json"), std::nullopt);
  const fs::path folder = path_.string() + ".folder";
  fs::create_directories(folder);
  EXPECT_EQ(ReadOctavoText(folder, "config.json"), std::nullopt);
  fs::copy_file(path_, folder / "model.octavo");
  EXPECT_EQ(ReadOctavoText(folder, "octavo.json"), "{}");
  std::ofstream(folder / "config.json") << "another model";
  EXPECT_EQ(ReadOctavoText(folder, "octavo.json"), std::nullopt);
  EXPECT_EQ(ReadOctavoText(folder / "config.json", "octavo.json"), std::nullopt);
  fs::remove_all(folder);
}

TEST_F(OctavoFileTest, VerifyReadsEveryByte) {
  EXPECT_NO_THROW(VerifyOctavoFile(path_));
  const auto size = fs::file_size(path_);
  for (uint64_t at = 0; at < size; at += at < 700 ? 1 : 97) {
    Damage(at);
    const ErrorCode code = ErrorCodeOf([&] { VerifyOctavoFile(path_); }, path_.string());
    EXPECT_TRUE(code == ErrorCode::kDataLoss || code == ErrorCode::kUnsupported) << at;
    Damage(at);
  }
  EXPECT_NO_THROW(VerifyOctavoFile(path_));
}

TEST_F(OctavoFileTest, VerifyKnowsWhatKernelsRelyOn) {
  // Bytes beyond +-63 under a good checksum.
  OctavoWriter writer(path_, {}, {{"q", Shape{16, 32}, PackedLayout::Quantized(kW8, 16, 32), {}}});
  std::vector<std::byte> block(static_cast<size_t>(GroupBlockBytes(kW8)));
  block[7] = std::byte{64};
  writer.Append(block);
  writer.Commit();
  EXPECT_EQ(ErrorCodeOf([&] { VerifyOctavoFile(path_); }, path_.string() + ": 'q' holds values"),
            ErrorCode::kDataLoss);
}

}  // namespace
}  // namespace octavo
