#include "base/file.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory_info.h"
#include "base/utf8.h"
#include "octavo/error.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("octavo file test " +
               std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path Write(const char* name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  static std::string Text(const MappedFile& file) {
    return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
  }
  template <typename Call>
  static ErrorCode CodeOf(const Call& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.code();
    }
    ADD_FAILURE() << "nothing was thrown";
    return ErrorCode::kCancelled;
  }
  size_t NumFiles() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

TEST(FolderOf, IsTheCurrentOneOfABareName) {
  EXPECT_EQ(FolderOf("a/b/c.txt"), "a/b");
  EXPECT_EQ(FolderOf("/c.txt"), "/");
  EXPECT_EQ(FolderOf("c.txt"), ".");
}

TEST_F(FileTest, MapShowsTheBytes) {
  const MappedFile file = MappedFile::Open(Write("a", std::string("x\0y\n", 4)));
  EXPECT_EQ(Text(file), std::string("x\0y\n", 4));
  EXPECT_EQ(file.path(), folder_ / "a");
}

TEST_F(FileTest, EmptyFileMapsToNoBytes) {
  EXPECT_TRUE(MappedFile::Open(Write("a", "")).bytes().empty());
}

TEST_F(FileTest, MapMovesWithItsBytes) {
  MappedFile a = MappedFile::Open(Write("a", "aaaa"));
  const std::byte* data = a.bytes().data();
  MappedFile b = std::move(a);
  EXPECT_EQ(b.bytes().data(), data);
  MappedFile c = MappedFile::Open(Write("c", "cc"));
  c = std::move(b);
  EXPECT_EQ(Text(c), "aaaa");
}

TEST_F(FileTest, AbsentFoldersAndPipesAreToldApart) {
  EXPECT_EQ(CodeOf([&] { MappedFile::Open(folder_ / "none"); }), ErrorCode::kNotFound);
  EXPECT_EQ(CodeOf([&] { MappedFile::Open(Write("a", "a") / "below"); }), ErrorCode::kNotFound);
  EXPECT_EQ(CodeOf([&] { MappedFile::Open(folder_); }), ErrorCode::kInvalidArgument);
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(CodeOf([&] { ReadFile(folder_ / "pipe", 10); }), ErrorCode::kInvalidArgument);
}

TEST_F(FileTest, ReleasedPagesLeaveMemoryAndStayReadable) {
  constexpr size_t kBytes = size_t{32} << 20;
  const MappedFile file = MappedFile::Open(Write("big", std::string(kBytes, 'q')));
  int64_t sum = 0;
  for (const std::byte b : file.bytes()) sum += static_cast<int>(b);
  const int64_t before = ResidentBytes();
  file.Release(file.bytes());
  const int64_t after = ResidentBytes();
  EXPECT_GT(before - after, static_cast<int64_t>(kBytes) * 3 / 4);
  EXPECT_EQ(file.bytes()[kBytes - 1], std::byte{'q'});
  EXPECT_EQ(sum, static_cast<int64_t>(kBytes) * 'q');
}

TEST_F(FileTest, AdviceLeavesTheBytesAsTheyAre) {
  const std::string text(5 << 20, 'x');
  const MappedFile file = MappedFile::Open(Write("a", text));
  file.AdviseHugePages();
  EXPECT_EQ(std::memcmp(file.bytes().data(), text.data(), text.size()), 0);
  MappedFile::Open(Write("empty", "")).AdviseHugePages();
}

TEST_F(FileTest, ReleaseOfForeignBytesDoesNothing) {
  const MappedFile file = MappedFile::Open(Write("a", "aaaa"));
  const std::string other(100000, 'o');
  file.Release({reinterpret_cast<const std::byte*>(other.data()), other.size()});
  EXPECT_EQ(other.find_first_not_of('o'), std::string::npos);
}

TEST_F(FileTest, HeadAndPiecesAreTheBytes) {
  const std::string text(150000, 'x');
  const fs::path path = Write("a", text + "end");
  EXPECT_EQ(ReadFileHead(path, 3), "xxx");
  EXPECT_EQ(ReadFileHead(path, 1000000), text + "end");
  std::string joined;
  ReadFileInPieces(path, [&](std::string_view piece) { joined += piece; });
  EXPECT_EQ(joined, text + "end");
  EXPECT_EQ(CodeOf([&] { ReadFileHead(folder_, 3); }), ErrorCode::kInvalidArgument);
}

TEST_F(FileTest, AFirstLineMayComeThroughAPipe) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe) << "secret\r\nmore"; });
  EXPECT_EQ(ReadFirstLine(pipe, 100), "secret");
  writer.join();
  EXPECT_EQ(ReadFirstLine(Write("a", "word"), 4), "word");
  EXPECT_EQ(ReadFirstLine(Write("a", ""), 4), "");
  EXPECT_EQ(CodeOf([&] { ReadFirstLine(Write("a", "words"), 4); }), ErrorCode::kResourceExhausted);
  EXPECT_EQ(CodeOf([&] { ReadFirstLine(folder_, 4); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { ReadFirstLine(folder_ / "none", 4); }), ErrorCode::kNotFound);
}

TEST_F(FileTest, ACutMappingEndsTheProgramWithALineAndACode) {
  const auto run = [&] {
    ReportCutMappingAsError();
    const MappedFile file = MappedFile::Open(Write("a", std::string(100000, 'x')));
    fs::resize_file(folder_ / "a", 10);
    const volatile auto lost = file.bytes()[90000];
    static_cast<void>(lost);
    std::_Exit(0);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(ExitCode(ErrorCode::kIo)),
              "^octavo: input/output error: a model file became shorter[^\n]*\n$");
}

// Failed in continuous integration, where both threads of a pool met the cut model.
TEST_F(FileTest, ACutMappingIsToldOnceByManyThreads) {
  const auto run = [&] {
    ReportCutMappingAsError();
    const MappedFile file = MappedFile::Open(Write("a", std::string(100000, 'x')));
    fs::resize_file(folder_ / "a", 10);
    std::latch start(8);
    std::vector<std::jthread> readers;
    for (int i = 0; i < 8; ++i) {
      readers.emplace_back([&] {
        start.arrive_and_wait();
        const volatile auto lost = file.bytes()[90000];
        static_cast<void>(lost);
      });
    }
    readers.clear();
    std::_Exit(0);
  };
  for (int i = 0; i < 20; ++i) {
    EXPECT_EXIT(run(), testing::ExitedWithCode(ExitCode(ErrorCode::kIo)),
                "^octavo: input/output error: a model file became shorter[^\n]*\n$");
  }
}

TEST_F(FileTest, ReadFileKeepsItsLimit) {
  const fs::path path = Write("a", "12345");
  EXPECT_EQ(ReadFile(path, 5), "12345");
  EXPECT_EQ(CodeOf([&] { ReadFile(path, 4); }), ErrorCode::kResourceExhausted);
  EXPECT_EQ(CodeOf([&] { ReadFile(folder_ / "none", 4); }), ErrorCode::kNotFound);
}

TEST_F(FileTest, ReaderSeesOldOrNewBytesNeverAPart) {
  const fs::path path = folder_ / "state";
  const std::string a(200000, 'a');
  const std::string b(300000, 'b');
  WriteFileAtomically(path, a);
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (int i = 0; i < 50; ++i) WriteFileAtomically(path, i % 2 == 0 ? b : a);
    stop = true;
  });
  int reads = 0;
  while (!stop) {
    const std::string seen = ReadFile(path, 1 << 20);
    EXPECT_TRUE(seen == a || seen == b) << seen.size();
    ++reads;
  }
  writer.join();
  EXPECT_GT(reads, 0);
  EXPECT_EQ(NumFiles(), 1u);
}

TEST_F(FileTest, FailedReplacementLeavesNothingBehind) {
  fs::create_directory(folder_ / "taken");
  Write("taken/file", "x");
  EXPECT_EQ(CodeOf([&] { WriteFileAtomically(folder_ / "taken", "new"); }), ErrorCode::kIo);
  EXPECT_EQ(CodeOf([&] { WriteFileAtomically(folder_ / "no" / "folder", "new"); }), ErrorCode::kIo);
  EXPECT_EQ(NumFiles(), 1u);
}

TEST_F(FileTest, AbandonedAtomicFileKeepsTheOldOne) {
  Write("a", "old");
  {
    AtomicFile file(folder_ / "a");
    file.Append("half of the n");
  }
  EXPECT_EQ(ReadFile(folder_ / "a", 100), "old");
  EXPECT_EQ(NumFiles(), 1u);
}

TEST_F(FileTest, AtomicFileJoinsItsPieces) {
  AtomicFile file(folder_ / "a");
  file.Append("one ");
  file.Append("");
  file.Append("two");
  EXPECT_FALSE(fs::exists(folder_ / "a"));
  file.Commit();
  EXPECT_EQ(ReadFile(folder_ / "a", 100), "one two");
}

TEST_F(FileTest, AtomicFileOverwritesWhatWasAppended) {
  AtomicFile file(folder_ / "a");
  file.Append("head body");
  file.Overwrite(0, "HEAD");
  file.Overwrite(9, "");
  file.Append(" tail");
  file.Commit();
  EXPECT_EQ(ReadFile(folder_ / "a", 100), "HEAD body tail");
}

TEST_F(FileTest, TheFirstLineEndsBeforeItsEnd) {
  EXPECT_EQ(FirstLine("a b\nc"), "a b");
  EXPECT_EQ(FirstLine("a\r\n"), "a");
  EXPECT_EQ(FirstLine("a"), "a");
  EXPECT_EQ(FirstLine(""), "");
}

TEST_F(FileTest, WhatAKilledProgramLeftIsInNobodysWay) {
  std::string name;  // a.ID.COUNTER.tmp
  {
    const AtomicFile file(folder_ / "a");
    name = fs::directory_iterator(folder_)->path().filename().string();
  }
  const std::string begin = "a." + std::to_string(getpid()) + ".";
  ASSERT_EQ(name.substr(0, begin.size()), begin);
  const int counter = std::stoi(name.substr(begin.size()));
  for (int i = 1; i <= 3; ++i) {
    Write((begin + std::to_string(counter + i) + ".tmp").c_str(), "left");
  }
  WriteFileAtomically(folder_ / "a", "bytes");
  EXPECT_EQ(ReadFile(folder_ / "a", 100), "bytes");
}

// Folders take names of 255 bytes; a temporary one is not longer.
TEST_F(FileTest, AFileMayHaveTheLongestName) {
  for (const std::string& name : {std::string(255, 'n'), "x" + std::string(127, '\xC3')}) {
    std::string whole;  // characters of two bytes, which must not be cut in half
    for (const char c : name) whole += c == '\xC3' ? "\xC3\xA4" : std::string(1, c);
    AtomicFile file(folder_ / whole);
    const std::string temporary = fs::directory_iterator(folder_)->path().filename().string();
    EXPECT_LT(temporary.size(), 128u);
    EXPECT_TRUE(IsValidUtf8(temporary));
    file.Append("bytes");
    file.Commit();
    EXPECT_EQ(ReadFile(folder_ / whole, 100), "bytes");
    fs::remove(folder_ / whole);
  }
  EXPECT_EQ(CodeOf([&] { WriteFileAtomically(folder_ / std::string(256, 'n'), "bytes"); }),
            ErrorCode::kIo);
  EXPECT_EQ(NumFiles(), 0u);
}

TEST_F(FileTest, AppendedFileGrowsAtItsEnd) {
  Write("a", "one ");
  {
    AppendedFile file(folder_ / "a");
    file.Append("two ");
    EXPECT_EQ(ReadFile(folder_ / "a", 100), "one two ");
    file.Append("three");
  }
  EXPECT_EQ(ReadFile(folder_ / "a", 100), "one two three");
  AppendedFile created(folder_ / "b");
  EXPECT_EQ(ReadFile(folder_ / "b", 100), "");
  EXPECT_EQ(CodeOf([&] { AppendedFile(folder_ / "no" / "folder"); }), ErrorCode::kIo);
}

TEST_F(FileTest, AFullDiskIsAnErrorOfTheAppend) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  AppendedFile file("/dev/full");
  EXPECT_EQ(CodeOf([&] { file.Append("line\n"); }), ErrorCode::kIo);
}

// In a child: the limit and the signal belong to the whole process.
TEST_F(FileTest, AFileSizeLimitIsAnErrorAndNoEnd) {
  const auto run = [&] {
    const struct rlimit limit = {4, 4};
    setrlimit(RLIMIT_FSIZE, &limit);
    ReportFileSizeLimitAsError();
    ErrorCode code = ErrorCode::kNotFound;
    try {
      WriteFileAtomically(folder_ / "a", "five bytes and more");
    } catch (const Error& error) {
      code = error.code();
    }
    std::_Exit(code == ErrorCode::kIo && NumFiles() == 0 ? 0 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
}

TEST_F(FileTest, StandardInputIsReadToItsEndOrItsLimit) {
  const std::string text(200000, 'x');
  Write("a", text);
  const auto read = [&](size_t max_bytes) {
    if (std::freopen((folder_ / "a").c_str(), "r", stdin) == nullptr) return std::string("no file");
    return ReadStandardInput(max_bytes);
  };
  EXPECT_EQ(read(200000), text);
  EXPECT_EQ(CodeOf([&] { read(199999); }), ErrorCode::kResourceExhausted);
}

}  // namespace
}  // namespace octavo
