#include "quantize/rounded_checkpoint.h"

#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include <gtest/gtest.h>

#include "base/str_cat.h"
#include "model/test_support.h"
#include "quantize/write_model.h"
#include "tests/testing/edited_checkpoint.h"
#include "tests/testing/error_code.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using testing::MakeTinyModel;

constexpr ExportOptions kMixed = {
    .language = MatrixForm::kW4, .head = MatrixForm::kW8, .vision = MatrixForm::kW8};
constexpr ExportOptions kForms[] = {
    kMixed,
    {.language = MatrixForm::kW4, .head = MatrixForm::kW4, .vision = MatrixForm::kW4},
    {.language = MatrixForm::kBF16, .head = MatrixForm::kBF16, .vision = MatrixForm::kKeep},
    {}};

TEST(RoundedCheckpoint, HasTheTensorsOfTheFileThatTheSameOptionsWrite) {
  const std::shared_ptr<const Checkpoint> source = MakeTinyModel();
  const fs::path path = fs::temp_directory_path() / StrCat("octavo_rounded_", ::getpid());
  fs::create_directories(path);
  ThreadPool pool(2);
  for (const ExportOptions& options : kForms) {
    const fs::path file_path = path / "model.octavo";
    WriteModel(*source, options, {}, file_path, &pool, {});
    const auto file = Checkpoint::Open(file_path);
    const RoundedCheckpoint rounded(source, options, &pool);
    ASSERT_EQ(rounded.Tensors().size(), file->Tensors().size());
    EXPECT_EQ(DefaultCompute(rounded.Tensors()), DefaultCompute(file->Tensors()));
    for (const TensorInfo& info : rounded.Tensors()) {
      const LoadedTensor expected = file->Get(info.name);
      const LoadedTensor found = rounded.Get(info.name);
      ASSERT_EQ(found.view.dtype, info.dtype) << info.name;
      std::vector<float> numbers[2];
      for (const auto& [tensor, out] : {std::pair{&expected, &numbers[0]}, {&found, &numbers[1]}}) {
        const int64_t count = tensor->view.shape.num_elements();
        out->resize(static_cast<size_t>(count));
        ToFloats(tensor->view, 0, count, out->data());
      }
      EXPECT_EQ(numbers[0], numbers[1]) << info.name;
      if (!info.packed) continue;
      const PackedTensor packed = *rounded.FindPacked(info.name);
      const PackedTensor stored = *file->FindPacked(info.name);
      ASSERT_EQ(packed.layout, stored.layout) << info.name;
      EXPECT_EQ(std::memcmp(packed.data, stored.data, PackedBytes(packed.layout)), 0) << info.name;
    }
  }
  fs::remove_all(path);
}

TEST(RoundedCheckpoint, LoadsAsAModelOfTheSameWeights) {
  ThreadPool pool(2);
  const RoundedCheckpoint rounded(MakeTinyModel(), kMixed, &pool);
  testing::Rig rig(rounded, Compute::kInt8);
  EXPECT_EQ(rig.model.weight_bytes(),
            PlanWeightBytes(rig.model.config(), rounded.Tensors(), false));
  EXPECT_LT(rig.model.weight_bytes(), testing::Rig(*MakeTinyModel()).model.weight_bytes() / 2);
  for (const float logit : RunAtOnce(&rig, testing::MakeText(&rig, 20, 1))) {
    ASSERT_TRUE(std::isfinite(logit));
  }
  // Tables that sum in 16 bits count what they multiply, and how.
  const Model::Int8Pieces pieces = rig.model.int8_pieces();
  if (SelectedKernels().name == std::string_view("avx2")) {
    EXPECT_GT(pieces.all, 0);
  }
  EXPECT_LE(pieces.safe, pieces.all);
}

TEST(RoundedCheckpoint, LeavesWhatIsQuantisedAsItIs) {
  ThreadPool pool(1);
  const auto once = std::make_shared<RoundedCheckpoint>(MakeTinyModel(), kMixed, &pool);
  const RoundedCheckpoint twice(once, kForms[1], &pool);
  for (size_t i = 0; i < once->Tensors().size(); ++i) {
    if (!once->Tensors()[i].packed) continue;
    EXPECT_EQ(twice.Tensors()[i].packed, once->Tensors()[i].packed) << once->Tensors()[i].name;
  }
}

TEST(RoundedCheckpoint, RefusesNumbersThatAreNotFiniteWhenTheyAreAskedFor) {
  const std::string name = "visual.blocks.1.mlp.fc2.weight";
  auto damaged = std::make_shared<testing::EditedCheckpoint>(MakeTinyModel());
  damaged->EditTensor(name, [](std::vector<float>* values) {
    values->back() = std::numeric_limits<float>::infinity();
  });
  ThreadPool pool(1);
  const RoundedCheckpoint rounded(damaged, kMixed, &pool);
  EXPECT_EQ(testing::ErrorCodeOf([&] { rounded.FindPacked(name); },
                                 StrCat("synthetic: ", name, " contains a NaN")),
            ErrorCode::kDataLoss);
  EXPECT_FALSE(rounded.FindPacked("no such tensor").has_value());
  EXPECT_FALSE(rounded.Find("no such tensor").has_value());
}

}  // namespace
}  // namespace octavo
