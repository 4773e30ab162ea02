// The engine: load a model; submit requests; stream tokens; cancel.
//
//   auto engine = octavo::Engine::Load({.model_dir = "models/octavo-nano"});
//   octavo::Request request;
//   request.messages = {octavo::Message::User({octavo::Content::Image(),
//                                              octavo::Content::Text("\nText Recognition:")})};
//   request.pictures = {octavo::ReadPicture("page.png")};
//   std::cout << engine->Generate(std::move(request)).text;
#ifndef OCTAVO_ENGINE_H_
#define OCTAVO_ENGINE_H_

#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "octavo/error.h"

namespace octavo {

// A picture as pixels: [height, width, 3] u8 RGB, rows without padding.
struct Picture {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> rgb;
};

// Decodes the file. Throws kNotFound, kDataLoss, kUnsupported, kResourceExhausted.
Picture ReadPicture(const std::string& path);

// What a caller may ask of decoding. Defaults: greedy, no penalties.
struct SamplingParams {
  double temperature = 0.0;         // below 1e-5: greedy
  double top_p = 1.0;               // (0, 1]
  int top_k = 0;                    // 0: all
  double min_p = 0.0;               // [0, 1]
  double presence_penalty = 0.0;    // [-2, 2]; once for each id generated so far
  double frequency_penalty = 0.0;   // [-2, 2]; times its count among generated ids
  double repetition_penalty = 1.0;  // > 0; ids of prompt and output
  int no_repeat_ngram_size = 0;  // 0: off; bans ids that would complete an n-gram already generated
  std::map<int32_t, double> logit_bias = {};  // added before penalties
  std::vector<std::string> stop = {};  // generation ends before the first of these; not in the text
  std::vector<int32_t> stop_token_ids = {};
  bool ignore_eos = false;
  int max_new_tokens = 0;  // 0, or more than fits: up to the context's end
  uint64_t seed = 0;       // of sampling; same seed, same text
  bool skip_special_tokens = true;
};

enum class FinishReason { kStop, kLength, kCancelled };
// "stop", "length", "cancelled"
const char* FinishReasonName(FinishReason reason) noexcept;

struct Content {
  bool is_image = false;
  std::string text;  // is_image: unused
  static Content Text(std::string text) { return {false, std::move(text)}; }
  static Content Image() { return {true, {}}; }
};
struct Message {
  enum class Role { kSystem, kUser, kAssistant };
  Role role = Role::kUser;
  std::vector<Content> contents;
  static Message User(std::vector<Content> contents) { return {Role::kUser, std::move(contents)}; }
};

// The texts of all events, joined, are Completion::text (unless the request is cancelled: then
// text that waited for a character's or a stop string's end is in the completion only).
struct TokenEvent {
  int32_t id = 0;
  std::string text;  // what this token completes; may be empty
};

// Guesses at the answer that one step of the model verifies together. They change speed only: a
// token that the model would not have chosen is dropped, whatever the sampling.
struct Drafting {
  bool is_on = true;
  // Guesses that the last so many tokens go on as they did before, in prompt or answer. [2, 16]; 0:
  // does not guess so.
  int ngram_size = 3;
  // What the answer may be or be near to, such as a text layer. Both: token_ids, then the text's.
  std::vector<int32_t> token_ids = {};
  std::string text = {};
  // What must follow the answer so far, where a grammar leaves no choice; "" elsewhere. Called on
  // the engine's thread with the text of all events before a step, less often after wrong guesses;
  // must not block. May be empty. What it throws ends the request.
  std::function<std::string(std::string_view answer)> forced = {};
};

struct Request {
  std::vector<Message> messages;
  std::vector<Picture> pictures;  // one for each image content, in order
  SamplingParams sampling;
  // Texts may write control tokens ("<fcel>", "<|im_end|>"), as in the reference; otherwise such
  // words are plain characters. Changes results.
  bool trust_markup = false;
  // Cells of a picture (2 x 2 patches) that are, with those around them, of one colour are left
  // out; the others keep their places. Less work, for models that take it. Changes results.
  bool prune_blank = false;
  Drafting drafting;
  // Called on the engine's thread for every token; must not block. May be empty. What it throws
  // ends the request, and Wait throws it.
  std::function<void(const TokenEvent&)> on_token;
};

struct Usage {
  int64_t prompt_tokens = 0;
  int64_t cached_tokens = 0;  // of the prompt, found in the prefix cache
  int64_t completion_tokens = 0;
  int64_t decode_steps = 0;     // of the model, that chose the completion's tokens
  int64_t drafted_tokens = 0;   // guesses that these steps verified
  int64_t accepted_tokens = 0;  // of these: were right, and saved a step each
  double queue_seconds = 0;     // until work began
  double encode_seconds = 0;    // spent on its images
  double prefill_seconds = 0;   // from then to the first token, waiting for others included
  double decode_seconds = 0;    // from the first token to the last
};
struct Completion {
  std::string text;                // without the end token or stop string
  std::vector<int32_t> token_ids;  // all generated ids, the end token included
  FinishReason finish_reason = FinishReason::kStop;
  Usage usage;
};

struct EngineOptions {
  std::string model_dir = {};  // a folder of Hugging Face files, or an .octavo file
  std::string compute = {};    // "f32", "bf16", "int8", "int16" or "" for the checkpoint's default
                               // (int8 if it is quantised); changes results
  // The vision tower's attention: "f32", "int16" (16-bit integers, error about 0.1 %) or "" for the
  // default: f32 with compute f32, else what is faster on this processor. Changes results.
  std::string attention = {};
  // What keys and values are kept as: "f32", "bf16", "f16", "int8" (half the memory of 16 bits; a
  // scale for each token and head) or "" for the default: f32 with compute f32, else bf16. Changes
  // results.
  std::string kv_cache_dtype = {};
  int num_threads = 0;          // 0: physical cores within the affinity mask and the cgroup's quota
  int max_running = 8;          // sequences decoded together
  int max_batch_tokens = 512;   // tokens of one step (prefill chunk)
  int64_t kv_cache_tokens = 0;  // 0: chosen from the memory at hand; grows on demand up to this
  // Bytes that this process may take; 0: 80 % of what the machine or the cgroup has. The cache
  // becomes smaller to fit, and Load refuses what does not fit with the model's whole plan.
  int64_t memory_limit_bytes = 0;
  // Tokens whose keys and values stay in the KV cache for requests that begin alike (the system
  // prompt, a picture, earlier turns). 0: none. Does not change results.
  int64_t prefix_cache_tokens = 0;
  // Image tokens of pictures whose embeddings stay for other questions. 0: none. Does not change
  // results.
  int64_t encoder_cache_tokens = 0;
  bool drafting = true;    // false: no request drafts. Does not change results
  int64_t min_pixels = 0;  // 0: preprocessor_config.json's; changes results
  int64_t max_pixels = 0;
};

// What is loaded, for headers and for callers that show it.
struct EngineInfo {
  std::string model_dir;
  std::string compute;         // "bf16"
  std::string attention;       // "int16"
  std::string kv_cache_dtype;  // "bf16"
  std::string isa;             // "avx512 (bf16 dot)"
  int num_threads = 0;
  int64_t context_length = 0;   // tokens of prompt and answer: the model's, or less if the KV
                                // cache holds less
  int64_t kv_cache_tokens = 0;  // of all sequences together
  int64_t weight_bytes = 0;
  double load_seconds = 0;
};

// Safe from any thread. Results do not depend on what else runs.
class Engine {
 public:
  // Throws kNotFound, kDataLoss, kUnsupported, kResourceExhausted, kInvalidArgument.
  static std::unique_ptr<Engine> Load(const EngineOptions& options);
  virtual ~Engine() = default;  // cancels what is still running

  virtual const EngineInfo& info() const = 0;

  // A submitted request. Destroying it before the end cancels the request. May outlive the engine.
  class Ticket {
   public:
    virtual ~Ticket() = default;
    // Blocks; once. Throws the request's Error (kResourceExhausted, kDataLoss when logits are not
    // finite). A cancelled request is a completion, not an error.
    virtual Completion Wait() = 0;
    // Ends it soon, with what there is (kCancelled). No effect when finished.
    virtual void Cancel() = 0;
  };
  // Preprocesses on the caller's thread, queues, returns at once.
  // Throws kInvalidArgument (a parameter out of range, prompt longer than the context, pictures and
  // image contents that do not match).
  virtual std::unique_ptr<Ticket> Submit(Request request) = 0;

  Completion Generate(Request request) { return Submit(std::move(request))->Wait(); }
};

}  // namespace octavo

#endif  // OCTAVO_ENGINE_H_
