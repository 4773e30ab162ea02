// That nothing is allocated while a loaded model runs, with packed weights either, for which it
// stands on this floor. A program of its own, because it replaces operator new and aligned_alloc.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <span>

#include "model/test_support.h"
#include "quantize/rounded_checkpoint.h"

namespace {

// Of all threads, while it is on.
std::atomic<bool> is_counting{false};
std::atomic<int64_t> num_allocations{0};

void Count() {
  if (is_counting.load(std::memory_order_relaxed)) ++num_allocations;
}

}  // namespace

// Not inlined, or g++ pairs one of them with the library's other and warns.
__attribute__((noinline)) void* operator new(size_t size) {
  Count();
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void* memory) noexcept { std::free(memory); }
__attribute__((noinline)) void operator delete(void* memory, size_t /*size*/) noexcept {
  std::free(memory);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// What AlignedBuffer calls. A sanitizer has its own, which must stay.
extern "C" __attribute__((noinline)) void* aligned_alloc(size_t alignment, size_t size) {
  Count();
  void* memory = nullptr;
  return posix_memalign(&memory, alignment, size) == 0 ? memory : nullptr;
}
#endif

namespace octavo {
namespace {

using namespace testing;  // NOLINT: the floor's own test support

// Allocations of all threads during a call.
template <typename Call>
int64_t AllocationsOf(const Call& call) {
  num_allocations = 0;
  is_counting = true;
  call();
  is_counting = false;
  return num_allocations;
}

// One token of each text, which outlives the batch.
ForwardBatch DecodeBatch(std::span<const Text> texts) {
  ForwardBatch batch;
  for (const Text& text : texts) {
    batch.token_ids.push_back(text.ids.back());
    batch.image_rows.push_back(nullptr);
    for (auto& stream : batch.positions) stream.push_back(static_cast<int32_t>(text.num_cached));
    batch.sequences.push_back({.block_table = text.blocks,
                               .num_cached = text.num_cached,
                               .num_new = 1,
                               .wants_logits = true});
  }
  return batch;
}

struct Mode {
  MatrixForm language, others;
  Compute compute;
  VisionAttention attention;
};

class ModelMemory : public ::testing::TestWithParam<Mode> {
 protected:
  ModelMemory()
      : checkpoint_(MakeTinyModel(),
                    {.language = GetParam().language,
                     .head = GetParam().others,
                     .vision = GetParam().others},
                    &loading_),
        rig_(checkpoint_, GetParam().compute, 2, GetParam().attention) {}

  ThreadPool loading_{1};
  const RoundedCheckpoint checkpoint_;
  Rig rig_;
};

TEST(ModelMemoryTest, TheCounterCounts) {
  EXPECT_EQ(AllocationsOf([] { ::operator delete(::operator new(1)); }), 1);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_EQ(AllocationsOf([] { AlignedBuffer<float>(100); }), 1);
#endif
}

TEST_P(ModelMemory, ADecodeStepAllocatesNothing) {
  const int64_t vocab_size = rig_.model.config().text.vocab_size;
  std::vector<Text> texts;
  for (const int64_t length : {40, 7, 65}) {
    texts.push_back(MakeText(&rig_, length, static_cast<uint64_t>(length)));
    texts.back().num_cached = length - 1;
  }
  std::vector<float> logits(texts.size() * static_cast<size_t>(vocab_size));
  for (size_t count = 1; count <= texts.size(); ++count) {
    const ForwardBatch batch = DecodeBatch(std::span(texts).first(count));
    EXPECT_EQ(AllocationsOf([&] {
                for (int step = 0; step < 3; ++step) {
                  rig_.model.Forward(batch, rig_.cache,
                                     {logits.data(), static_cast<int64_t>(count), vocab_size});
                }
              }),
              0)
        << count << " sequences";
  }
}

TEST_P(ModelMemory, ALayerOfTheVisionTowerAllocatesNothing) {
  const VisionConfig& vision = rig_.model.config().vision;
  Patches patches;
  patches.grid_t = 1;
  patches.grid_h = patches.grid_w = 16;
  patches.patch_dim = vision.patch_dim();
  patches.values = AlignedBuffer<float>(static_cast<size_t>(256 * patches.patch_dim));
  Random random(1);
  for (float& value : patches.values.span()) value = random.Uniform(-1, 1);
  const auto encoding = rig_.model.StartVisionEncoding(std::move(patches));
  // From the first piece of work to the last: every stage of every layer, in pieces and at once.
  EXPECT_EQ(AllocationsOf([&] {
              while (!encoding->Advance(encoding->progress() < 0.5 ? 1 : 1e12)) {
              }
            }),
            0);
  EXPECT_GT(encoding->TakeEmbeddings().num_tokens, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Modes, ModelMemory,
    ::testing::Values(
        Mode{MatrixForm::kKeep, MatrixForm::kKeep, Compute::kF32, VisionAttention::kF32},
        Mode{MatrixForm::kBF16, MatrixForm::kBF16, Compute::kBF16, VisionAttention::kInt16},
        Mode{MatrixForm::kW4, MatrixForm::kW8, Compute::kInt8, VisionAttention::kInt16},
        Mode{MatrixForm::kW4, MatrixForm::kW4, Compute::kInt8, VisionAttention::kF32},
        Mode{MatrixForm::kW4, MatrixForm::kW8, Compute::kInt16, VisionAttention::kInt16}));

}  // namespace
}  // namespace octavo
