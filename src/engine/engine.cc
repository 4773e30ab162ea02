#include "engine/engine.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>
#include <utility>

#include "base/memory_info.h"
#include "base/str_cat.h"
#include "base/thread_pool.h"
#include "engine/drafter.h"
#include "engine/engine_loop.h"
#include "engine/model_files.h"
#include "engine/sampling_params.h"
#include "kernels/select.h"
#include "model/memory_budget.h"
#include "model/model.h"
#include "text/chat_template.h"
#include "vision/blank_cells.h"
#include "vision/resize.h"

namespace octavo {
namespace {

// Share of the memory that is left after loading which the KV cache may grow into.
constexpr double kKvMemoryShare = 0.5;
constexpr int kMaxThreads = 256;

void RequireAtLeast(const char* name, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return;
  throw Error(ErrorCode::kInvalidArgument,
              StrCat(name, " is ", value, ", expected ", least, " to ", most));
}

void CheckOptions(const EngineOptions& options) {
  RequireAtLeast("num_threads", options.num_threads, 0, kMaxThreads);
  RequireAtLeast("max_running", options.max_running, 1, 1024);
  RequireAtLeast("max_batch_tokens", options.max_batch_tokens, options.max_running, 1 << 16);
  RequireAtLeast("kv_cache_tokens", options.kv_cache_tokens, 0, int64_t{1} << 32);
  RequireAtLeast("memory_limit_bytes", options.memory_limit_bytes, 0, int64_t{1} << 56);
  RequireAtLeast("prefix_cache_tokens", options.prefix_cache_tokens, 0, int64_t{1} << 32);
  RequireAtLeast("encoder_cache_tokens", options.encoder_cache_tokens, 0, int64_t{1} << 32);
  RequireAtLeast("min_pixels", options.min_pixels, 0, int64_t{1} << 32);
  RequireAtLeast("max_pixels", options.max_pixels, 0, int64_t{1} << 32);
}

Compute ChooseCompute(const std::string& wish, const Checkpoint& checkpoint) {
  if (wish.empty()) return DefaultCompute(checkpoint.Tensors());
  if (const std::optional<Compute> compute = ParseCompute(wish)) return *compute;
  throw Error(ErrorCode::kInvalidArgument,
              StrCat("compute is \"", wish.substr(0, 20), "\", expected f32, bf16, int8 or int16"));
}

VisionAttention ChooseAttention(const std::string& wish, Compute compute,
                                const KernelTable& kernels) {
  if (wish.empty()) return DefaultVisionAttention(compute == Compute::kF32, kernels);
  if (const auto attention = ParseVisionAttention(wish)) return *attention;
  throw Error(ErrorCode::kInvalidArgument,
              StrCat("attention is \"", wish.substr(0, 20), "\", expected f32 or int16"));
}

PreprocessorConfig WithPixelLimits(PreprocessorConfig preprocessor, const EngineOptions& options) {
  if (options.min_pixels > 0) preprocessor.min_pixels = options.min_pixels;
  if (options.max_pixels > 0) preprocessor.max_pixels = options.max_pixels;
  if (preprocessor.min_pixels > preprocessor.max_pixels) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat("min_pixels ", preprocessor.min_pixels, " is more than max_pixels ",
                       preprocessor.max_pixels));
  }
  return preprocessor;
}

DType ChooseKvCacheDType(const std::string& wish, Compute compute) {
  if (wish.empty()) return DefaultKvCacheDType(compute);
  if (const std::optional<DType> dtype = ParseKvCacheDType(wish)) return *dtype;
  throw Error(ErrorCode::kInvalidArgument, StrCat("kv_cache_dtype is \"", wish.substr(0, 20),
                                                  "\", expected f32, bf16, f16 or int8"));
}

// A cache of fewer tokens than this, or than the context, is not worth running: a page of layout.
constexpr int64_t kLeastKvTokens = 4096;

// The plan before anything is loaded; throws if it exceeds the budget.
MemoryPlan PlanWithin(const MemoryBudget& budget, const ModelFiles& files,
                      const Checkpoint& checkpoint, const ModelOptions& options, DType kv_dtype,
                      int num_threads) {
  const int64_t patch_area = int64_t{files.preprocessor.patch_size} * files.preprocessor.patch_size;
  const MemoryPlan plan = PlanMemory(files.config, checkpoint.Tensors(), options, kv_dtype,
                                     files.preprocessor.max_pixels / patch_area, num_threads);
  RequireMemory(plan, std::min<int64_t>(kLeastKvTokens, files.config.text.max_position_embeddings),
                budget);
  return plan;
}

// Blocks of the KV cache: as asked, else what all running sequences could need, at most a share of
// the memory that is there and what the budget leaves. Only what is used becomes memory.
int ChooseKvBlocks(const EngineOptions& options, const TextConfig& config, const MemoryPlan& plan,
                   const MemoryBudget& budget) {
  const int64_t context = config.max_position_embeddings;
  int64_t num_tokens = options.kv_cache_tokens;
  if (num_tokens == 0) {
    const double affordable = kKvMemoryShare * static_cast<double>(MemoryAvailableBytes()) /
                              static_cast<double>(plan.kv_bytes_per_token);
    num_tokens =
        std::min(static_cast<int64_t>(std::min(affordable, 1e9)), context * options.max_running);
  }
  num_tokens = std::min(num_tokens, AffordableKvTokens(plan, budget));
  const int64_t least = int64_t{2} * kKvBlockSize;
  return static_cast<int>((std::max(num_tokens, least) + kKvBlockSize - 1) / kKvBlockSize);
}

std::vector<ChatMessage> ToChat(const std::vector<Message>& messages) {
  std::vector<ChatMessage> chat;
  for (const Message& message : messages) {
    ChatMessage& turn = chat.emplace_back();
    switch (message.role) {
      case Message::Role::kSystem:
        turn.role = ChatMessage::Role::kSystem;
        break;
      case Message::Role::kUser:
        turn.role = ChatMessage::Role::kUser;
        break;
      case Message::Role::kAssistant:
        turn.role = ChatMessage::Role::kAssistant;
        break;
    }
    for (const Content& content : message.contents) {
      const auto kind = content.is_image ? ChatPart::Kind::kImage : ChatPart::Kind::kText;
      turn.parts.push_back({kind, content.is_image ? "" : content.text});
    }
  }
  return chat;
}

class TicketImpl final : public Engine::Ticket {
 public:
  TicketImpl(std::shared_ptr<Outcome> outcome, std::shared_ptr<Doorbell> doorbell)
      : outcome_(std::move(outcome)),
        doorbell_(std::move(doorbell)),
        future_(outcome_->promise.get_future()) {}
  ~TicketImpl() override { Cancel(); }

  Completion Wait() override {
    if (!future_.valid()) {
      throw Error(ErrorCode::kInvalidArgument, "this request was already waited for");
    }
    return future_.get();
  }

  void Cancel() override {
    outcome_->is_cancelled = true;
    doorbell_->Ring();
  }

 private:
  const std::shared_ptr<Outcome> outcome_;
  const std::shared_ptr<Doorbell> doorbell_;
  std::future<Completion> future_;
};

class EngineImpl final : public Engine {
 public:
  EngineImpl(const Checkpoint& checkpoint, const EngineOptions& options, const KernelTable& kernels,
             double turn_seconds);

  const EngineInfo& info() const override { return info_; }
  std::unique_ptr<Ticket> Submit(Request request) override;

 private:
  DraftingPlan PrepareDrafting(Drafting drafting) const;
  std::vector<PromptImage> PrepareImages(std::vector<Picture> pictures, bool prunes_blank) const;
  void PlaceImages(SequenceRequest* request) const;
  Xxh128Digest DigestOf(const Image& pixels, bool prunes_blank) const;

  const std::chrono::steady_clock::time_point load_begin_ = std::chrono::steady_clock::now();
  // A stranger who knew it could make pictures that pass for others.
  const uint64_t hash_seed_ = uint64_t{std::random_device()()} << 32 | std::random_device()();
  EngineInfo info_;
  ModelFiles files_;
  ThreadPool pool_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<KvCache> cache_;
  std::unique_ptr<EngineLoop> loop_;  // last: its thread uses what stands above
};

EngineImpl::EngineImpl(const Checkpoint& checkpoint, const EngineOptions& options,
                       const KernelTable& kernels, double turn_seconds)
    : files_(LoadModelFiles(checkpoint)),
      pool_(options.num_threads > 0 ? options.num_threads : DefaultThreadCount()) {
  const Compute compute = ChooseCompute(options.compute, checkpoint);
  const VisionAttention attention = ChooseAttention(options.attention, compute, kernels);
  const DType kv_dtype = ChooseKvCacheDType(options.kv_cache_dtype, compute);
  files_.preprocessor = WithPixelLimits(files_.preprocessor, options);
  const ModelOptions model_options = {.compute = compute,
                                      .attention = attention,
                                      .max_batch_tokens = options.max_batch_tokens,
                                      .max_sequences = options.max_running,
                                      .max_drafted = options.drafting ? kMaxDrafted : 0};
  const MemoryBudget budget = ChooseMemoryBudget(options.memory_limit_bytes);
  const MemoryPlan plan =
      PlanWithin(budget, files_, checkpoint, model_options, kv_dtype, pool_.num_threads());
  model_ =
      std::make_unique<Model>(checkpoint, model_options, ops::Context{&kernels, &pool_, nullptr});
  const TextConfig& text = files_.config.text;
  cache_ = std::make_unique<KvCache>(text, kv_dtype, ChooseKvBlocks(options, text, plan, budget));

  info_.model_dir = options.model_dir;
  info_.compute = ComputeName(compute);
  info_.attention = VisionAttentionName(attention);
  info_.kv_cache_dtype = KvCacheDTypeName(kv_dtype);
  info_.isa = DescribeKernels(kernels);
  info_.num_threads = pool_.num_threads();
  info_.kv_cache_tokens = int64_t{cache_->capacity_blocks()} * kKvBlockSize;
  info_.context_length = std::min<int64_t>(text.max_position_embeddings, info_.kv_cache_tokens);
  info_.weight_bytes = static_cast<int64_t>(model_->weight_bytes());
  info_.load_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - load_begin_).count();

  loop_ = std::make_unique<EngineLoop>(
      model_.get(), cache_.get(), files_.preprocessor,
      SequenceContext{.tokenizer = &files_.tokenizer,
                      .end_ids = &files_.config.eos_token_ids,
                      .num_tokens = files_.tokenizer.vocab_size(),
                      .hidden_size = text.hidden_size,
                      .hash_seed = hash_seed_},
      EngineLoop::Options{.turn_seconds = turn_seconds,
                          .max_running = options.max_running,
                          .max_batch_tokens = options.max_batch_tokens,
                          .max_drafted = model_options.max_drafted,
                          .prefix_cache_tokens = options.prefix_cache_tokens,
                          .encoder_cache_tokens = options.encoder_cache_tokens});
}

DraftingPlan EngineImpl::PrepareDrafting(Drafting drafting) const {
  RequireAtLeast("ngram_size", drafting.ngram_size, 0, kMaxDraftNgram);
  if (drafting.ngram_size == 1) {
    throw Error(ErrorCode::kInvalidArgument, "ngram_size is 1, expected 0 or 2 to 16");
  }
  for (const int32_t id : drafting.token_ids) {
    RequireAtLeast("a drafted token", id, 0, files_.tokenizer.vocab_size() - 1);
  }
  DraftingPlan plan;
  if (!drafting.is_on) return plan;
  plan.ngram_size = drafting.ngram_size;
  plan.expected = std::move(drafting.token_ids);
  const std::vector<int32_t> of_text = files_.tokenizer.Encode(drafting.text);
  plan.expected.insert(plan.expected.end(), of_text.begin(), of_text.end());
  // No answer is longer.
  const auto most = static_cast<size_t>(info_.context_length);
  if (plan.expected.size() > most) plan.expected.resize(most);
  plan.forced = std::move(drafting.forced);
  return plan;
}

std::vector<PromptImage> EngineImpl::PrepareImages(std::vector<Picture> pictures,
                                                   bool prunes_blank) const {
  const PreprocessorConfig& preprocessor = files_.preprocessor;
  std::vector<PromptImage> images;
  for (Picture& picture : pictures) {
    const bool is_filled = picture.width > 0 && picture.height > 0 &&
                           picture.rgb.size() == static_cast<size_t>(picture.width) *
                                                     static_cast<size_t>(picture.height) * 3;
    if (!is_filled) {
      throw Error(ErrorCode::kInvalidArgument,
                  StrCat("picture ", images.size() + 1, " of ", picture.width, " x ",
                         picture.height, " pixels has ", picture.rgb.size(), " bytes"));
    }
    Image image;
    image.width = picture.width;
    image.height = picture.height;
    image.pixels = std::move(picture.rgb);
    const ImageSize size = SmartResize(image.width, image.height, preprocessor);
    PromptImage& prompt_image = images.emplace_back();
    prompt_image.pixels = Resize(image, size.width, size.height, ResampleRule::kTorchvision);
    prompt_image.grid = {1, size.height / preprocessor.patch_size,
                         size.width / preprocessor.patch_size};
    prompt_image.num_tokens = int64_t{prompt_image.grid.h / preprocessor.merge_size} *
                              (prompt_image.grid.w / preprocessor.merge_size);
    if (prunes_blank) {
      const int cell = preprocessor.patch_size * preprocessor.merge_size;
      prompt_image.cells = CellsWithInk(prompt_image.pixels, cell);
      prompt_image.num_tokens = std::ssize(prompt_image.cells);
    }
    prompt_image.digest = DigestOf(prompt_image.pixels, prunes_blank);
  }
  return images;
}

// Pictures of other sides have other bytes, too: their width is among them.
Xxh128Digest EngineImpl::DigestOf(const Image& pixels, bool prunes_blank) const {
  const auto width = static_cast<uint64_t>(pixels.width) << 1 | (prunes_blank ? 1 : 0);
  return Xxh128(std::as_bytes(std::span(pixels.pixels)), hash_seed_ ^ width);
}

// Finds where the image tokens stand in the prompt, and the positions of all tokens.
void EngineImpl::PlaceImages(SequenceRequest* request) const {
  std::vector<GridThw> grids;
  std::vector<std::vector<int32_t>> cells;
  size_t token = 0;
  const std::vector<int32_t>& ids = request->prompt_ids;
  for (PromptImage& image : request->images) {
    while (token < ids.size() && ids[token] != files_.config.image_token_id) ++token;
    image.first_token = static_cast<int64_t>(token);
    token += static_cast<size_t>(image.num_tokens);
    grids.push_back(image.grid);
    cells.push_back(image.cells);
  }
  request->positions = ComputeMropePositions(ids, grids, files_.config, cells);
}

std::unique_ptr<Engine::Ticket> EngineImpl::Submit(Request request) {
  CheckSamplingParams(request.sampling, files_.config.text.vocab_size);
  if (request.messages.empty()) {
    throw Error(ErrorCode::kInvalidArgument, "the request has no message");
  }
  SequenceRequest sequence;
  sequence.drafting = PrepareDrafting(std::move(request.drafting));
  sequence.images = PrepareImages(std::move(request.pictures), request.prune_blank);
  std::vector<int64_t> image_tokens;
  for (const PromptImage& image : sequence.images) image_tokens.push_back(image.num_tokens);
  sequence.prompt_ids =
      EncodeChat(files_.tokenizer, ToChat(request.messages), image_tokens, request.trust_markup);
  const auto num_prompt = static_cast<int64_t>(sequence.prompt_ids.size());
  const int64_t room = info_.context_length - num_prompt;
  if (room < 1) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat("the prompt has ", num_prompt, " tokens and the context ",
                       info_.context_length, ", which leaves no room for an answer"));
  }
  PlaceImages(&sequence);
  const int64_t wish = request.sampling.max_new_tokens;
  sequence.max_new_tokens = wish > 0 ? std::min(wish, room) : room;
  sequence.sampling = std::move(request.sampling);
  sequence.on_token = std::move(request.on_token);
  sequence.outcome = std::make_shared<Outcome>();
  auto ticket = std::make_unique<TicketImpl>(sequence.outcome, loop_->doorbell());
  loop_->Submit(std::move(sequence));
  return ticket;
}

}  // namespace

std::unique_ptr<Engine> MakeEngine(const Checkpoint& checkpoint, const EngineOptions& options,
                                   const KernelTable& kernels, double turn_seconds) {
  CheckOptions(options);
  return std::make_unique<EngineImpl>(checkpoint, options, kernels, turn_seconds);
}

std::unique_ptr<Engine> Engine::Load(const EngineOptions& options) {
  const std::unique_ptr<Checkpoint> checkpoint = Checkpoint::Open(options.model_dir);
  return MakeEngine(*checkpoint, options, SelectedKernels());
}

const char* FinishReasonName(FinishReason reason) noexcept {
  switch (reason) {
    case FinishReason::kStop:
      return "stop";
    case FinishReason::kLength:
      return "length";
    case FinishReason::kCancelled:
      return "cancelled";
  }
  return "unknown";
}

}  // namespace octavo
