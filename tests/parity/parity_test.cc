// The suite on the repository's own copy of the reference data, and proof that it can fail.
#include "tests/parity/parity.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "base/child_process.h"
#include "base/str_cat.h"
#include "kernels/select.h"
#include "octavo/error.h"
#include "tests/testing/checkpoint_forms.h"

namespace octavo::parity {
namespace {

namespace fs = std::filesystem;

// The reference data's layout: links to what is stored, and the two forms that are derived.
class ReferenceLayout : public ::testing::Environment {
 public:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / StrCat("octavo_parity_", ::getpid());
    const fs::path data = OCTAVO_TEST_DATA_DIR;
    const fs::path forms = folder_ / "tiny-qwen2vl";
    fs::create_directories(forms);
    for (const char* part : {"stages", "images", "tokenizer", "quant"}) {
      fs::create_symlink(data / part, folder_ / part);
    }
    const fs::path stored = data / "tiny-qwen2vl";
    for (const char* form : {"main-flat-bf16", "main-flat-fp32", "head80-flat-bf16"}) {
      fs::create_symlink(stored / form, forms / form);
    }
    const fs::path flat = stored / "main-flat-bf16";
    fs::copy(stored / "main-nested-bf16", forms / "main-nested-bf16");
    testing::WriteNestedWeights(flat, forms / "main-nested-bf16");
    fs::copy(flat, forms / "main-sharded-bf16");
    fs::remove(forms / "main-sharded-bf16" / "model.safetensors");
    testing::WriteShards(flat, forms / "main-sharded-bf16");
  }
  void TearDown() override { fs::remove_all(folder_); }

  static fs::path folder() { return folder_; }

 private:
  static inline fs::path folder_;
};

const auto* const kLayout = ::testing::AddGlobalTestEnvironment(new ReferenceLayout);

Subject MakeSubject(const KernelTable& kernels, Compute compute = Compute::kF32,
                    int num_threads = 2) {
  Subject subject;
  subject.kernels = kernels;
  subject.kernels_name = DescribeKernels(kernels);
  subject.compute = compute;
  subject.num_threads = num_threads;
  return subject;
}

struct Outcome {
  int64_t num_passed = 0;
  int64_t num_failed = 0;
  uint64_t hash = 0;
  std::string lines;
};

// Pictures and tokenizer have no part in these; the registered run of the program covers them.
constexpr ParityParts kModelParts = {.images = false, .tokenizer = false};
constexpr ParityParts kSamplingOnly = {
    .stages = false, .images = false, .tokenizer = false, .quant = false};
constexpr ParityParts kStagesOnly = {
    .sampling = false, .images = false, .tokenizer = false, .quant = false};

Outcome Examine(const Subject& subject, const ParityParts& parts) {
  Outcome outcome;
  Report report([&](const std::string& line) { outcome.lines += line + "\n"; });
  RunParity(ReferenceLayout::folder(), subject, parts, &report);
  outcome.num_passed = report.num_passed();
  outcome.num_failed = report.num_failed();
  outcome.hash = report.hash();
  return outcome;
}

TEST(Parity, EveryRunnableTableMatchesTheReferenceInF32) {
  for (const KernelTable* kernels : RunnableKernels()) {
    const Subject subject = MakeSubject(*kernels);
    const Outcome outcome = Examine(subject, kModelParts);
    std::printf("%s: %lld passed\n", subject.kernels_name.c_str(),
                static_cast<long long>(outcome.num_passed));
    EXPECT_GE(outcome.num_passed, 900) << subject.kernels_name;
    EXPECT_EQ(outcome.num_failed, 0) << subject.kernels_name << "\n" << outcome.lines;
    EXPECT_EQ(outcome.lines, "") << "everything is checked";
  }
}

TEST(Parity, EveryRunnableTableMatchesTheReferenceInBf16) {
  for (const KernelTable* kernels : RunnableKernels()) {
    const Outcome outcome = Examine(MakeSubject(*kernels, Compute::kBF16), kStagesOnly);
    EXPECT_GE(outcome.num_passed, 230) << kernels->name;
    EXPECT_EQ(outcome.num_failed, 0) << kernels->name << "\n" << outcome.lines;
  }
}

TEST(Parity, EveryRunnableTableIsWithinTwoThousandthsWithInt16Attention) {
  uint64_t hash = 0;
  for (const KernelTable* kernels : RunnableKernels()) {
    Subject subject = MakeSubject(*kernels);
    subject.attention = VisionAttention::kInt16;
    const Outcome outcome = Examine(subject, kStagesOnly);
    EXPECT_GE(outcome.num_passed, 230) << kernels->name;
    EXPECT_EQ(outcome.num_failed, 0) << kernels->name << "\n" << outcome.lines;
    hash ^= outcome.hash;
  }
  EXPECT_NE(hash, Examine(MakeSubject(SelectedKernels()), kStagesOnly).hash) << "not used";
}

TEST(Parity, ThreadsDoNotChangeABit) {
  for (const Compute compute : {Compute::kF32, Compute::kBF16}) {
    const uint64_t expected = Examine(MakeSubject(SelectedKernels(), compute, 1), kStagesOnly).hash;
    for (const int num_threads : {2, 4}) {
      EXPECT_EQ(Examine(MakeSubject(SelectedKernels(), compute, num_threads), kStagesOnly).hash,
                expected)
          << num_threads << " threads";
    }
  }
}

TEST(Parity, EachPlantedMistakeIsFound) {
  ASSERT_GE(Mistakes().size(), 10u);
  for (const Mistake& mistake : Mistakes()) {
    Subject subject = MakeSubject(SelectedKernels(), Compute::kF32, 1);
    PlantMistake(mistake.name, &subject);
    const bool is_found = Examine(subject, kStagesOnly).num_failed > 0 ||
                          Examine(subject, kSamplingOnly).num_failed > 0;
    EXPECT_TRUE(is_found) << mistake.name << ": " << mistake.what;
  }
}

TEST(Parity, AnUnknownMistakeIsRefusedWithTheList) {
  Subject subject;
  try {
    PlantMistake("none", &subject);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("merger-gelu-tanh"), std::string::npos);
  }
}

// The program says which table ran; its numbers are those of that table, not of another one.
TEST(Parity, TheProgramRunsTheForcedTable) {
  ChildLimits limits;
  limits.address_space_bytes = int64_t{1} << 46;  // sanitizers reserve terabytes
  for (const KernelTable* kernels : RunnableKernels()) {
    const std::vector<std::string> argv = {"/usr/bin/env",
                                           StrCat("OCTAVO_ISA=", kernels->name),
                                           OCTAVO_PARITY_PROGRAM,
                                           ReferenceLayout::folder().string(),
                                           "--only",
                                           "stages",
                                           "--threads",
                                           "1"};
    const ChildResult result = RunChild(argv, "", limits);
    if (result.exit_code == 126 || result.exit_code == 127) {
      GTEST_SKIP() << "programs of this architecture do not run as children here: "
                   << result.stderr_text;
    }
    EXPECT_EQ(result.exit_code, 0) << result.stdout_bytes << result.stderr_text;
    const std::string first_line = StrCat("kernels ", DescribeKernels(*kernels), ", compute f32");
    EXPECT_EQ(result.stdout_bytes.rfind(first_line, 0), 0u) << result.stdout_bytes;
    char hash[17];
    std::snprintf(
        hash, sizeof(hash), "%016llx",
        static_cast<unsigned long long>(Examine(MakeSubject(*kernels), kStagesOnly).hash));
    EXPECT_NE(result.stdout_bytes.find(hash), std::string::npos) << hash << " is not in\n"
                                                                 << result.stdout_bytes;
  }
}

TEST(Parity, TheProgramFailsOnAMistakeAndOnWrongArguments) {
  ChildLimits limits;
  limits.address_space_bytes = int64_t{1} << 46;
  const auto exit_code = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), OCTAVO_PARITY_PROGRAM);
    return RunChild(arguments, "", limits).exit_code;
  };
  if (exit_code({"--list-mistakes"}) == 127) GTEST_SKIP() << "cannot run as a child here";
  const std::string folder = ReferenceLayout::folder().string();
  EXPECT_EQ(exit_code({folder, "--only", "sampling"}), 0);
  EXPECT_EQ(exit_code({folder, "--only", "stages", "--mistake", "mlp-gelu"}), 1);
  EXPECT_EQ(exit_code({folder, "--only", "everything"}), ExitCode(ErrorCode::kInvalidArgument));
  EXPECT_EQ(exit_code({folder + "/absent"}), ExitCode(ErrorCode::kNotFound));
}

}  // namespace
}  // namespace octavo::parity
