#include "tensor/group_layout.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "base/random.h"
#include "tensor/float16.h"

namespace octavo {
namespace {

// Random content of one block.
struct Content {
  std::vector<uint8_t> q, zero;
  std::vector<uint16_t> scale;

  Content(const GroupLayout& layout, int columns, uint64_t seed) {
    Random random(seed);
    const uint64_t values = layout.bits == 4 ? 16 : 256;
    for (int i = 0; i < columns * layout.group_size; ++i) {
      q.push_back(static_cast<uint8_t>(random.Below(values)));
    }
    for (int c = 0; c < columns; ++c) {
      zero.push_back(static_cast<uint8_t>(random.Below(layout.bits == 4 ? 17 : 256)));
      const float s = random.Uniform(1e-3f, 1.0f);
      scale.push_back(layout.scale_dtype == DType::kF16 ? ToFloat16(s).bits : ToBFloat16(s).bits);
    }
  }
  GroupBlock Block(const GroupLayout& layout, int columns) const {
    return {q.data(), layout.group_size, scale.data(), zero.data(), columns};
  }
};

std::vector<GroupLayout> Layouts() {
  std::vector<GroupLayout> layouts;
  for (const int bits : {4, 8}) {
    for (const int size : {32, 64, 128}) {
      for (const DType dtype : {DType::kF16, DType::kBF16}) {
        layouts.push_back({bits, size, dtype, false});
      }
    }
  }
  return layouts;
}

TEST(GroupLayout, GivesBackWhatWasWritten) {
  for (const GroupLayout& layout : Layouts()) {
    for (const int columns : {1, 15, 16}) {
      const Content content(layout, columns, 3);
      std::vector<std::byte> bytes(static_cast<size_t>(GroupBlockBytes(layout)), std::byte{0xEE});
      WriteGroupBlock(layout, content.Block(layout, columns), bytes.data());
      for (int c = 0; c < columns; ++c) {
        const auto column = static_cast<size_t>(c);
        const uint16_t bits = content.scale[column];
        const float scale =
            layout.scale_dtype == DType::kF16 ? ToFloat(Float16{bits}) : ToFloat(BFloat16{bits});
        EXPECT_EQ(GroupScale(layout, bytes.data(), c), scale);
        EXPECT_EQ(GroupZero(layout, bytes.data(), c), content.zero[column]);
        for (int i = 0; i < layout.group_size; ++i) {
          const int q =
              content.q[column * static_cast<size_t>(layout.group_size) + static_cast<size_t>(i)];
          ASSERT_EQ(GroupQ(layout, bytes.data(), c, i), q) << c << ", " << i;
          ASSERT_EQ(GroupWeight(layout, bytes.data(), c, i),
                    static_cast<float>(q - content.zero[column]) * scale);
        }
      }
      for (int c = columns; c < kPanelColumns; ++c) {
        EXPECT_EQ(GroupScale(layout, bytes.data(), c), 0);
        EXPECT_EQ(GroupWeight(layout, bytes.data(), c, 0), 0);
      }
    }
  }
}

// The bytes themselves: what docs/formats.md promises to files.
TEST(GroupLayout, PutsEachNumberWhereTheFormatSays) {
  for (const int bits : {4, 8}) {
    const GroupLayout layout{bits, 32, DType::kF16, false};
    const Content content(layout, 16, 9);
    std::vector<uint8_t> bytes(static_cast<size_t>(GroupBlockBytes(layout)), 0xEE);
    WriteGroupBlock(layout, content.Block(layout, 16), reinterpret_cast<std::byte*>(bytes.data()));
    const auto q = [&](size_t c, size_t k) { return content.q[c * 32 + k]; };
    const size_t side = bits == 4 ? 256 : 512;
    ASSERT_EQ(bytes.size(), side + 64);
    for (size_t c = 0; c < 16; ++c) {
      for (size_t b = 0; b < 4; ++b) {
        if (bits == 4) {
          EXPECT_EQ(bytes[64 * 3 + 4 * c + b], q(c, 24 + b) | (q(c, 28 + b) << 4));
        } else {
          EXPECT_EQ(bytes[64 * 7 + 4 * c + b], static_cast<uint8_t>(q(c, 28 + b) - 128));
        }
      }
      EXPECT_EQ(bytes[side + 2 * c] | bytes[side + 2 * c + 1] << 8, content.scale[c]);
      const int shift = bits == 4 ? 0 : 128;
      EXPECT_EQ(bytes[side + 32 + c], static_cast<uint8_t>(content.zero[c] - shift));
      EXPECT_EQ(bytes[side + 48 + c], 0);
    }
  }
}

TEST(GroupLayout, SizesAndPlaces) {
  const GroupLayout w4{4, 128, DType::kF16, false}, w8{8, 128, DType::kF16, true};
  EXPECT_EQ(GroupBlockBytes(w4), 1088);
  EXPECT_EQ(GroupBlockBytes(w8), 2112);
  EXPECT_EQ(GroupMatrixBytes(w4, 17, 256), 4 * 1088);
  EXPECT_EQ(GroupBlockOffset(w4, 256, 1, 1), 3 * 1088);
}

TEST(GroupLayout, NamesWhatIsWrong) {
  const GroupLayout good;
  EXPECT_EQ(InvalidGroupLayout(good, 5, 256), nullptr);
  const auto reason = [&](auto change, int64_t n = 16, int64_t k = 128) {
    GroupLayout layout = good;
    change(&layout);
    const char* text = InvalidGroupLayout(layout, n, k);
    return std::string(text == nullptr ? "" : text);
  };
  EXPECT_NE(reason([](GroupLayout* l) { l->bits = 3; }).find("bits"), std::string::npos);
  EXPECT_NE(reason([](GroupLayout* l) { l->group_size = 16; }).find("group size"),
            std::string::npos);
  EXPECT_NE(reason([](GroupLayout* l) { l->group_size = 0; }).find("group size"),
            std::string::npos);
  EXPECT_NE(reason([](GroupLayout* l) { l->scale_dtype = DType::kF32; }).find("scales"),
            std::string::npos);
  EXPECT_NE(reason([](GroupLayout* l) { l->is_7bit = true; }).find("7 bits"), std::string::npos);
  const auto same = [](GroupLayout*) {};
  EXPECT_NE(reason(same, 0).find("positive"), std::string::npos);
  EXPECT_NE(reason(same, 16, -128).find("positive"), std::string::npos);
  EXPECT_NE(reason(same, 16, 192).find("divide"), std::string::npos);
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max() / 128 * 128;
  EXPECT_NE(reason(same, kHuge, kHuge).find("fit"), std::string::npos);
  EXPECT_NE(reason(same, std::numeric_limits<int64_t>::max(), 128).find("fit"), std::string::npos);
}

TEST(GroupLayout, FindsValuesOutOfRange) {
  for (const int bits : {4, 8}) {
    const GroupLayout layout{bits, 32, DType::kF16, bits == 8};
    std::vector<uint8_t> q(16 * 32, bits == 8 ? 128 + 63 : 15), zero(16, bits == 8 ? 128 : 16);
    const std::vector<uint16_t> scale(16, 0x3C00);
    std::vector<std::byte> data(static_cast<size_t>(GroupMatrixBytes(layout, 20, 64)));
    const auto in_range = [&](uint8_t odd_q, uint8_t odd_zero) {
      for (int64_t block = 0; block < 4; ++block) {
        std::vector<uint8_t> values = q, zeros = zero;
        if (block == 2) values[3 * 32 + 7] = odd_q;
        if (block == 3) zeros[1] = odd_zero;
        WriteGroupBlock(layout, {values.data(), 32, scale.data(), zeros.data(), 16},
                        data.data() + block * GroupBlockBytes(layout));
      }
      return GroupValuesInRange(layout, 20, 64, data.data());
    };
    if (bits == 8) {
      EXPECT_TRUE(in_range(128 - 63, 128));
      EXPECT_FALSE(in_range(128 - 64, 128));
      EXPECT_FALSE(in_range(128 + 64, 128));
      EXPECT_FALSE(in_range(128, 127));
    } else {
      EXPECT_TRUE(in_range(0, 0));
      EXPECT_FALSE(in_range(0, 17));
    }
  }
}

}  // namespace
}  // namespace octavo
