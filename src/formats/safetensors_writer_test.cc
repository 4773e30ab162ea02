#include "formats/safetensors_writer.h"

#include <unistd.h>

#include <cstring>

#include <gtest/gtest.h>

#include "base/str_cat.h"
#include "formats/safetensors.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

TEST(SafetensorsWriter, TheReaderFindsWhatWasWritten) {
  const fs::path path = fs::temp_directory_path() / StrCat("octavo_writer_", ::getpid());
  const std::vector<TensorInfo> tensors = {{"a.qweight", DType::kI32, Shape{2, 3}},
                                           {"b", DType::kF16, Shape{5}},
                                           {"c", DType::kBF16, Shape{1, 2}}};
  std::vector<std::string> contents;
  {
    SafetensorsWriter writer(path, tensors);
    for (const TensorInfo& tensor : tensors) {
      std::string bytes(StoredBytes(tensor), static_cast<char>('A' + contents.size()));
      writer.Append(std::as_bytes(std::span(bytes)));
      contents.push_back(std::move(bytes));
    }
    EXPECT_FALSE(fs::exists(path));
    writer.Commit();
    EXPECT_EQ(writer.file_bytes(), fs::file_size(path));
  }
  const auto file = SafetensorsFile::Open(path);
  ASSERT_EQ(file->entries().size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    const SafetensorsEntry& entry = file->entries()[i];
    EXPECT_EQ(entry.info.name, tensors[i].name);
    EXPECT_EQ(entry.info.dtype, tensors[i].dtype);
    EXPECT_EQ(entry.info.shape, tensors[i].shape);
    const LoadedTensor loaded = SafetensorsFile::Load(file, entry);
    EXPECT_EQ(std::memcmp(loaded.view.data, contents[i].data(), contents[i].size()), 0);
  }
  fs::remove(path);
}

TEST(SafetensorsWriter, WithoutCommitNothingIsLeft) {
  const fs::path folder = fs::temp_directory_path() / StrCat("octavo_unwritten_", ::getpid());
  fs::create_directories(folder);
  { SafetensorsWriter(folder / "x", {{"a", DType::kF32, Shape{2}}}); }
  EXPECT_TRUE(fs::is_empty(folder));
  fs::remove(folder);
}

}  // namespace
}  // namespace octavo
