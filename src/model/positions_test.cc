#include "model/positions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "octavo/error.h"

namespace octavo {
namespace {

constexpr int32_t kPad = 9;

ModelConfig Config() {
  ModelConfig config;
  config.image_token_id = kPad;
  config.vision.spatial_merge_size = 2;
  return config;
}

void AppendRun(std::vector<int32_t>* ids, int32_t id, size_t count) {
  ids->insert(ids->end(), count, id);
}

TEST(MropePositions, TextCountsUpInAllStreams) {
  const MropePositions positions =
      ComputeMropePositions(std::vector<int32_t>{1, 2, 3}, {}, Config());
  for (const auto& stream : positions.streams) EXPECT_EQ(stream, (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(positions.delta, 0);
}

TEST(MropePositions, TheLayoutPromptIsThatOfTheSpecification) {
  std::vector<int32_t> ids;
  AppendRun(&ids, 1, 15);
  AppendRun(&ids, kPad, 1369);
  AppendRun(&ids, 1, 10);
  const std::vector<GridThw> grids = {{1, 74, 74}};
  const MropePositions positions = ComputeMropePositions(ids, grids, Config());
  EXPECT_EQ(positions.delta, -1332);
  EXPECT_EQ(positions.streams[0][15], 15);
  EXPECT_EQ(positions.streams[1][15 + 37], 16);
  EXPECT_EQ(positions.streams[2][15 + 37], 15);
  EXPECT_EQ(positions.streams[2][15 + 36], 51);
  EXPECT_EQ(positions.streams[0][15 + 1368], 15);
  for (const auto& stream : positions.streams) {
    EXPECT_EQ(stream[15 + 1369], 52);
    EXPECT_EQ(stream.back(), 61);
  }
}

TEST(MropePositions, ImagesThatAreNotSquareAndSeveralOfThem) {
  // t, then 1 x 2 tokens, t, then 3 x 1 tokens, t
  const std::vector<int32_t> ids = {1, kPad, kPad, 1, kPad, kPad, kPad, 1};
  const std::vector<GridThw> grids = {{1, 2, 4}, {1, 6, 2}};
  const MropePositions positions = ComputeMropePositions(ids, grids, Config());
  EXPECT_EQ(positions.streams[0], (std::vector<int32_t>{0, 1, 1, 3, 4, 4, 4, 7}));
  EXPECT_EQ(positions.streams[1], (std::vector<int32_t>{0, 1, 1, 3, 4, 5, 6, 7}));
  EXPECT_EQ(positions.streams[2], (std::vector<int32_t>{0, 1, 2, 3, 4, 4, 4, 7}));
  EXPECT_EQ(positions.delta, 0);
}

// What is left stands where it stands among all, and so does what follows.
TEST(MropePositions, CellsThatAreLeftOutChangeNoOthersPosition) {
  // t, then 3 x 4 tokens, t, t; the same with cells 1, 6 and 7 alone.
  std::vector<int32_t> all = {1};
  AppendRun(&all, kPad, 12);
  AppendRun(&all, 1, 2);
  const std::vector<int32_t> some = {1, kPad, kPad, kPad, 1, 1};
  const std::vector<GridThw> grids = {{1, 6, 8}};
  const std::vector<std::vector<int32_t>> cells = {{1, 6, 7}};
  const MropePositions want = ComputeMropePositions(all, grids, Config());
  const MropePositions got = ComputeMropePositions(some, grids, Config(), cells);
  for (size_t axis = 0; axis < 3; ++axis) {
    const std::vector<int32_t>& from = want.streams[axis];
    EXPECT_EQ(got.streams[axis],
              (std::vector<int32_t>{from[0], from[2], from[7], from[8], from[13], from[14]}))
        << axis;
  }
  EXPECT_EQ(got.delta + 6, want.delta + 15);  // of the first decoded token
}

TEST(MropePositions, WithoutAPicturesLastCellsDecodingGoesOnBehindThem) {
  std::vector<int32_t> all = {1};
  AppendRun(&all, kPad, 12);
  const std::vector<int32_t> some = {1, kPad};
  const std::vector<GridThw> grids = {{1, 6, 8}};
  const MropePositions want = ComputeMropePositions(all, grids, Config());
  const MropePositions got =
      ComputeMropePositions(some, grids, Config(), std::vector<std::vector<int32_t>>{{0}});
  EXPECT_EQ(got.delta + 2, want.delta + 13);
}

TEST(MropePositions, ARunMustMatchTheCellsThatAreLeft) {
  const std::vector<GridThw> grids = {{1, 6, 8}};
  EXPECT_THROW(ComputeMropePositions(std::vector<int32_t>{kPad, kPad}, grids, Config(),
                                     std::vector<std::vector<int32_t>>{{0, 1, 2}}),
               Error);
  EXPECT_THROW(ComputeMropePositions(std::vector<int32_t>{kPad, kPad}, grids, Config(),
                                     std::vector<std::vector<int32_t>>{{}}),
               Error);
}

TEST(MropePositions, TimeIsNotCountedAfterAVideo) {
  std::vector<int32_t> ids;
  AppendRun(&ids, kPad, 5);
  AppendRun(&ids, 1, 1);
  const std::vector<GridThw> grids = {{5, 2, 2}};
  const MropePositions positions = ComputeMropePositions(ids, grids, Config());
  EXPECT_EQ(positions.streams[0], (std::vector<int32_t>{0, 1, 2, 3, 4, 1}));
  EXPECT_EQ(positions.delta, 5 - 6);
}

TEST(MropePositions, RefusesRunsThatDoNotMatchTheImages) {
  const std::vector<int32_t> ids = {1, kPad, kPad, 1};
  const auto refused = [&](std::vector<GridThw> grids) {
    try {
      ComputeMropePositions(ids, grids, Config());
      return false;
    } catch (const Error& error) {
      return error.code() == ErrorCode::kInvalidArgument;
    }
  };
  EXPECT_TRUE(refused({}));
  EXPECT_TRUE(refused({{1, 2, 2}}));
  EXPECT_TRUE(refused({{1, 2, 4}, {1, 2, 2}}));
  EXPECT_TRUE(refused({{1, 2, 2}, {1, 2, 2}})) << "two images in one unbroken run";
  EXPECT_FALSE(refused({{1, 2, 4}}));
}

TEST(TextRotary, EachSectionTurnsWithItsStream) {
  TextConfig config;
  config.hidden_size = 16;
  config.num_attention_heads = 1;
  config.rope_theta = 1e4;
  config.mrope_section = {2, 3, 3};
  const std::vector<int32_t> t = {7};
  const std::vector<int32_t> h = {50};
  const std::vector<int32_t> w = {300};
  std::vector<float> cos(8);
  std::vector<float> sin(8);
  FillTextRotary(config, t, h, w, {cos.data(), 1, 8}, {sin.data(), 1, 8});
  const double expected_position[8] = {7, 7, 50, 50, 50, 300, 300, 300};
  for (int j = 0; j < 8; ++j) {
    const double angle = expected_position[j] * std::pow(1e4, -j / 8.0);
    EXPECT_NEAR(cos[static_cast<size_t>(j)], std::cos(angle), 1e-5) << j;
    EXPECT_NEAR(sin[static_cast<size_t>(j)], std::sin(angle), 1e-5) << j;
  }
}

TEST(VisionRotary, OfSomeCellsIsThatOfTheirRowsAmongAll) {
  VisionConfig config;
  config.embed_dim = 8;
  config.num_heads = 1;
  const GridThw grid = {1, 4, 6};
  std::vector<float> cos(24 * 4), sin(24 * 4), some_cos(8 * 4), some_sin(8 * 4);
  FillVisionRotary(config, grid, {}, {cos.data(), 24, 4}, {sin.data(), 24, 4});
  const std::vector<int32_t> cells = {2, 4};
  FillVisionRotary(config, grid, cells, {some_cos.data(), 8, 4}, {some_sin.data(), 8, 4});
  for (size_t i = 0; i < 2; ++i) {
    for (size_t j = 0; j < 16; ++j) {
      const size_t from = static_cast<size_t>(cells[i]) * 16 + j;
      EXPECT_EQ(some_cos[i * 16 + j], cos[from]) << i << ", " << j;
      EXPECT_EQ(some_sin[i * 16 + j], sin[from]) << i << ", " << j;
    }
  }
}

TEST(VisionRotary, FollowsTheMergeBlockOrder) {
  VisionConfig config;
  config.embed_dim = 8;
  config.num_heads = 1;
  const GridThw grid = {2, 4, 6};
  std::vector<float> cos(48 * 4);
  std::vector<float> sin(48 * 4);
  const FloatMatrix cos_rows(cos.data(), 48, 4);
  const FloatMatrix sin_rows(sin.data(), 48, 4);
  FillVisionRotary(config, grid, {}, cos_rows, sin_rows);
  int64_t row = 0;
  for (int frame = 0; frame < 2; ++frame) {
    for (int block_row = 0; block_row < 4; block_row += 2) {
      for (int block_col = 0; block_col < 6; block_col += 2) {
        for (int i = 0; i < 4; ++i, ++row) {
          const double patch_row = block_row + i / 2;
          const double patch_col = block_col + i % 2;
          const double angles[4] = {patch_row, patch_row / 100, patch_col, patch_col / 100};
          for (int j = 0; j < 4; ++j) {
            EXPECT_NEAR(cos_rows.row(row)[j], std::cos(angles[j]), 1e-6) << row << ", " << j;
            EXPECT_NEAR(sin_rows.row(row)[j], std::sin(angles[j]), 1e-6) << row << ", " << j;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace octavo
