#include "vision/tiff_pages.h"

#include <gtest/gtest.h>

#include <string>

#include "octavo/error.h"
#include "testing/damage.h"
#include "testing/tiff_file.h"

namespace octavo {
namespace {

using testing::TiffFile;

std::vector<ImagePage> List(const std::string& bytes) {
  return ListTiffPages(std::as_bytes(std::span(bytes)), "test");
}

TiffFile::Tag Subfile(uint32_t type) { return {254, TiffFile::kLong, {type}}; }
constexpr uint32_t kThumbnail = 1;
constexpr uint32_t kPage = 2;
constexpr uint32_t kMask = 4;

TEST(TiffPages, FollowsTheChainInEveryForm) {
  for (const bool is_big_endian : {false, true}) {
    for (const bool is_big_tiff : {false, true}) {
      TiffFile file(is_big_endian, is_big_tiff);
      for (int i = 0; i < 5; ++i) file.AddPage({Subfile(kPage)}, {"x"});
      const auto pages = List(file.bytes());
      ASSERT_EQ(pages.size(), 5u);
      for (size_t i = 1; i < pages.size(); ++i) EXPECT_GT(pages[i].offset, pages[i - 1].offset);
    }
  }
}

TEST(TiffPages, LeavesOutThumbnailsAndMasks) {
  TiffFile file;
  file.AddPage({Subfile(0)}, {"x"})
      .AddPage({Subfile(kThumbnail)}, {"x"})
      .AddPage({Subfile(kPage)}, {"x"})
      .AddPage({Subfile(kPage | kMask)}, {"x"})
      .AddPage({{255, TiffFile::kShort, {2}}}, {"x"});  // the old tag, reduced
  EXPECT_EQ(List(file.bytes()).size(), 2u);
}

TEST(TiffPages, TakesAThumbnailWhereThereIsNothingElse) {
  TiffFile file;
  file.AddPage({Subfile(kThumbnail)}, {"x"});
  EXPECT_EQ(List(file.bytes()).size(), 1u);
}

TEST(TiffPages, EndsALoop) {
  TiffFile file;
  file.AddPage({Subfile(0)}, {"x"});
  const uint64_t first = List(file.bytes())[0].offset;
  file.AddPage({Subfile(0)}, {"x"});
  std::string bytes = file.bytes();
  bytes.replace(file.next_at(), 4, file.Int(first, 4));
  EXPECT_EQ(List(bytes).size(), 2u);
}

TEST(TiffPages, KeepsAPageThatLiesOutsideTheFile) {
  TiffFile file;
  file.AddPage({Subfile(0)}, {"x"});
  std::string bytes = file.bytes();
  bytes.replace(file.next_at(), 4, file.Int(0x7FFFFFFF, 4));
  const auto pages = List(bytes);
  ASSERT_EQ(pages.size(), 2u);
  EXPECT_EQ(pages[1].offset, 0x7FFFFFFFu);
}

TEST(TiffPages, RefusesAFileWithoutADirectory) {
  EXPECT_THROW(List(TiffFile().bytes()), Error);
  EXPECT_THROW(List("II*"), Error);
  EXPECT_THROW(List(TiffFile(true, true).bytes()), Error);
}

TEST(TiffPages, EndsAChainThatLeadsIntoADirectory) {
  // Directories of `num_entries` entries, all 0xF0F0, four bytes apart.
  const TiffFile numbers;
  const auto overlapping = [&](uint32_t num_entries, size_t num_pages) {
    std::string bytes(8 + 4 * num_pages + 12 * num_entries + 6, '\0');
    bytes.replace(0, 8, "II" + numbers.Int(42, 2) + numbers.Int(8, 4));
    for (size_t i = 0; i < num_pages; ++i) {
      const size_t at = 8 + 4 * i;
      bytes.replace(at, 2, numbers.Int(num_entries, 2));
      bytes.replace(at + 2 + 12 * num_entries, 4, numbers.Int(at + 4, 4));
    }
    return bytes;
  };
  EXPECT_EQ(List(overlapping(1000, 500)).size(), 2u);
  EXPECT_EQ(List(overlapping(4096, 1000)).size(), 2u);
  // More entries than there are tags.
  EXPECT_EQ(List(overlapping(4097, 1000)).size(), 1u);
  // A directory that ends inside one that was read before.
  TiffFile file;
  file.AddPage({Subfile(0)}, {"x"});
  std::string bytes = file.bytes();
  const uint64_t first = List(bytes)[0].offset;
  ASSERT_EQ(bytes.substr(first - 2, 2), std::string("x\0", 2));
  bytes.replace(file.next_at(), 4, numbers.Int(first - 2, 4));
  EXPECT_EQ(List(bytes).size(), 2u);
}

TEST(TiffPages, EndsAtADirectoryWithoutEntries) {
  TiffFile file;
  file.AddPage({Subfile(0)}, {"x"});
  std::string bytes = file.bytes();
  bytes.replace(file.next_at(), 4, file.Int(bytes.size(), 4));
  for (int i = 0; i < 3; ++i) bytes += file.Int(0, 2) + file.Int(bytes.size() + 6, 4);
  EXPECT_EQ(List(bytes).size(), 2u);
}

TEST(TiffPages, RefusesMorePagesThanAnyBook) {
  // Directories of one entry, each pointing at the next.
  const TiffFile numbers;
  std::string bytes = "II" + numbers.Int(42, 2) + numbers.Int(8, 4);
  for (size_t i = 0; i <= kMaxTiffPages; ++i) {
    bytes += numbers.Int(1, 2) + std::string(12, '\0') + numbers.Int(bytes.size() + 18, 4);
  }
  try {
    List(bytes);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kResourceExhausted);
  }
}

TEST(TiffPages, SurvivesCutsAndDamage) {
  TiffFile file(false, true);
  for (int i = 0; i < 3; ++i) file.AddPage({Subfile(0)}, {"x"});
  const auto use = [](const std::string& bytes) {
    try {
      List(bytes);
    } catch (const Error&) {
    }
  };
  for (size_t size = 0; size < file.bytes().size(); ++size) {
    use(testing::CutCopy(file.bytes(), size));
  }
  for (uint64_t seed = 0; seed < 500; ++seed) {
    std::string damaged = testing::FlipBytes(file.bytes(), seed);
    use(damaged.replace(0, 4, file.bytes().substr(0, 4)));
  }
}

}  // namespace
}  // namespace octavo
