// Flags that several commands have.
#ifndef OCTAVO_CLI_ARGS_SHARED_H_
#define OCTAVO_CLI_ARGS_SHARED_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cli/model_flags.h"
#include "cli/question.h"
#include "cli/savings_flags.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace octavo {

// A flag that takes one of these words, which the help shows in the place of a type.
CLI::Option* AddChoice(CLI::App* app, const std::string& flag, std::string* value,
                       const std::vector<std::string>& words, const std::string& help);
// The same, several of them with commas between.
CLI::Option* AddChoices(CLI::App* app, const std::string& flag, std::vector<std::string>* values,
                        const std::vector<std::string>& words, const std::string& help);

// A real number from low to high. CLI::Range lets NaN through.
CLI::Option* CheckReal(CLI::Option* option, double low, double high);

// --model, --compute, --attention, --kv-cache-dtype, --threads, --memory-limit.
void AddModelFlags(CLI::App* app, ModelFlags* flags);
// Single ones of them.
void AddAttentionFlag(CLI::App* app, std::string* attention);
void AddKvCacheDTypeFlag(CLI::App* app, std::string* dtype);
void AddThreads(CLI::App* app, int* num_threads);
void AddMaxPixels(CLI::App* app, int64_t* max_pixels);
// --quality and the switches that it sets.
void AddSavingsFlags(CLI::App* app, SavingsFlags* flags);
void AddDraftsFlag(CLI::App* app, bool* no_drafts);
// Of an answer: --max-tokens, --temperature, --seed, and --max-pixels.
void AddAnswerFlags(CLI::App* app, AnswerOptions* options, int64_t* max_pixels);

}  // namespace octavo

#endif  // OCTAVO_CLI_ARGS_SHARED_H_
