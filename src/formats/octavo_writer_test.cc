#include "formats/octavo_writer.h"

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/str_cat.h"
#include "base/xxh.h"
#include "testing/container_bytes.h"
#include "testing/error_code.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using octavo::testing::AsBytes;
using octavo::testing::ErrorCodeOf;

class OctavoWriterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / StrCat("octavo_writer_", ::getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  size_t NumFiles() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }

  static std::vector<OctavoTensor> Tensors() {
    return {{"v", Shape{3}, {}, {}},
            {"m", Shape{2, 100}, PackedLayout::Float(DType::kF16, 2, 100), {}}};
  }

  fs::path folder_;
};

TEST_F(OctavoWriterTest, FileHoldsWhatWasAppendedWithItsHashes) {
  const std::string vector(12, 'v');
  const std::string matrix(100 * 16 * 2, 'm');
  OctavoWriter writer(folder_ / "a.octavo", {{"config.json", "{}"}}, Tensors());
  writer.Append(AsBytes(vector));
  writer.Append(AsBytes(matrix));
  EXPECT_FALSE(fs::exists(folder_ / "a.octavo"));
  writer.Commit();
  const std::string bytes = ReadFile(folder_ / "a.octavo", 1 << 20);
  EXPECT_EQ(bytes.size(), writer.file_bytes());
  const OctavoIndex index = ReadOctavoIndex(AsBytes(bytes), "a");
  const auto content = [&](const OctavoBytes& place) {
    return bytes.substr(static_cast<size_t>(place.offset), static_cast<size_t>(place.size));
  };
  EXPECT_EQ(content(index.texts[0].bytes), "{}");
  EXPECT_EQ(content(index.tensors[0].bytes), vector);
  EXPECT_EQ(content(index.tensors[1].bytes), matrix);
  EXPECT_EQ(index.tensors[0].bytes.offset, 4096u);
  EXPECT_EQ(index.tensors[1].bytes.offset, 8192u);
  EXPECT_EQ(index.texts[0].bytes.hash, Xxh64(AsBytes("{}")));
  EXPECT_EQ(index.tensors[1].bytes.hash, Xxh64(AsBytes(matrix)));
}

TEST_F(OctavoWriterTest, AnUnfinishedFileLeavesNothing) {
  {
    OctavoWriter writer(folder_ / "a.octavo", {}, Tensors());
    writer.Append(AsBytes(std::string(12, 'v')));
  }
  EXPECT_EQ(NumFiles(), 0u);
}

TEST_F(OctavoWriterTest, AFullDiskIsOneErrorAndLeavesNothing) {
  // A file-size limit makes write fail as a full disk does.
  struct rlimit old {};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const struct rlimit tight = {.rlim_cur = 6000, .rlim_max = old.rlim_max};
  ReportFileSizeLimitAsError();
  {
    OctavoWriter writer(folder_ / "a.octavo", {}, Tensors());
    writer.Append(AsBytes(std::string(12, 'v')));
    ::setrlimit(RLIMIT_FSIZE, &tight);
    EXPECT_EQ(ErrorCodeOf([&] { writer.Append(AsBytes(std::string(3200, 'm'))); },
                          (folder_ / "a.octavo").string() + ": cannot write: "),
              ErrorCode::kIo);
    ::setrlimit(RLIMIT_FSIZE, &old);
  }
  EXPECT_EQ(NumFiles(), 0u);
  EXPECT_EQ(ErrorCodeOf([&] { OctavoWriter(folder_ / "no" / "a.octavo", {}, {}); }),
            ErrorCode::kIo);
}

}  // namespace
}  // namespace octavo
