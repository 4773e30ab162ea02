// Runs a folder of damaged and legal files through octavo's readers.
//
//   octavo_broken [--list] DIR
//
// DIR/index.json maps each file or folder of DIR to {"kind": ..., "what": ..., "expect":
// "error" | "accept"}. A damaged one must be refused with an octavo::Error whose message is one
// line; a legal one must be read. One line per failure (with --list: per case), closing line
// "N passed, M failed". Exit status 0 if nothing failed, 1 if something did, 2 for wrong usage.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/json.h"
#include "base/str_cat.h"
#include "base/thread_pool.h"
#include "base/utf8.h"
#include "formats/checkpoint.h"
#include "formats/gguf.h"
#include "formats/safetensors.h"
#include "kernels/select.h"
#include "model/config.h"
#include "model/model.h"
#include "octavo/error.h"
#include "text/tokenizer_loader.h"
#include "vision/image_codec.h"
#include "vision/preprocess.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxFileBytes = size_t{256} << 20;

std::string Read(const fs::path& path) { return ReadFile(path, kMaxFileBytes); }

void LoadModel(const fs::path& folder) {
  const auto checkpoint = Checkpoint::Open(folder);
  ThreadPool pool(1);
  const ops::Context context{.kernels = &SelectedKernels(), .pool = &pool, .workspace = nullptr};
  const ModelOptions options{.compute = Compute::kF32, .max_batch_tokens = 16};
  const Model model(*checkpoint, options, context);
}

void DecodePicture(const fs::path& path) {
  const MappedFile file = MappedFile::Open(path);
  DecodeImage(file.bytes(), path.native());
}

// The reader of each kind; it throws if it refuses. Kinds are compared up to the first space, since
// some explain themselves.
using Reader = void (*)(const fs::path&);
const std::map<std::string_view, Reader> kReaders = {
    {"safetensors", [](const fs::path& path) { SafetensorsFile::Open(path); }},
    {"gguf", [](const fs::path& path) { Gguf::Open(path); }},
    {"config.json", [](const fs::path& path) { ParseModelConfig(Read(path), "", path.native()); }},
    {"preprocessor_config.json",
     [](const fs::path& path) { ParsePreprocessorConfig(Read(path), path.native()); }},
    {"tokenizer.json", [](const fs::path& path) { LoadTokenizerJson(Read(path), path.native()); }},
    {"folder", LoadModel},
    {"image", DecodePicture},
};

struct Outcome {
  std::optional<std::string> refusal;  // message of the Error
  std::string misbehaviour;            // another exception, or a message that is no single line
};

Outcome Run(Reader reader, const fs::path& path) {
  Outcome outcome;
  try {
    reader(path);
  } catch (const Error& error) {
    outcome.refusal = error.what();
    if (outcome.refusal->empty()) outcome.misbehaviour = "refused without a message";
    if (outcome.refusal->find_first_of("\r\n") != std::string::npos) {
      outcome.misbehaviour = "refused with a message of several lines";
    }
    if (!IsValidUtf8(*outcome.refusal)) {
      outcome.misbehaviour = "refused with a message that is not UTF-8";
    }
  } catch (const std::exception& error) {
    outcome.misbehaviour =
        StrCat("threw something else than octavo::Error: ", PrintableName(error.what(), 200));
  }
  return outcome;
}

// What is wrong with the outcome; empty if nothing is.
std::string Judge(const Outcome& outcome, bool must_be_refused) {
  if (!outcome.misbehaviour.empty()) return outcome.misbehaviour;
  if (outcome.refusal && !must_be_refused) {
    return StrCat("refused, expected to be accepted: ", *outcome.refusal);
  }
  if (!outcome.refusal && must_be_refused) return "accepted, expected to be refused";
  return "";
}

const std::string& StringField(const nlohmann::json& entry, const char* key,
                               const std::string& name) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_string()) {
    throw Error(ErrorCode::kDataLoss,
                StrCat("index.json: '", PrintableName(name), "' has no string ", key));
  }
  return found->get_ref<const std::string&>();
}

int RunFolder(const fs::path& folder, bool list_all) {
  const auto index = ParseJson(Read(folder / "index.json"), (folder / "index.json").native());
  if (!index.is_object()) throw Error(ErrorCode::kDataLoss, "index.json: not an object");
  int num_passed = 0;
  int num_failed = 0;
  int num_refused = 0;
  int num_accepted = 0;
  for (const auto& item : index.items()) {
    const std::string& kind = StringField(item.value(), "kind", item.key());
    const auto reader = kReaders.find(std::string_view(kind).substr(0, kind.find(' ')));
    if (reader == kReaders.end()) {
      throw Error(ErrorCode::kUnsupported,
                  StrCat("index.json: '", PrintableName(item.key()), "' is of kind '",
                         PrintableName(kind), "', which no reader is known for"));
    }
    const bool must_be_refused = StringField(item.value(), "expect", item.key()) == "error";
    const Outcome outcome = Run(reader->second, folder / item.key());
    const std::string complaint = Judge(outcome, must_be_refused);
    ++(complaint.empty() ? num_passed : num_failed);
    if (outcome.refusal) ++num_refused;
    if (!outcome.refusal && outcome.misbehaviour.empty()) ++num_accepted;
    if (!complaint.empty()) {
      std::printf("FAILED %s (%s): %s\n", item.key().c_str(),
                  StringField(item.value(), "what", item.key()).c_str(), complaint.c_str());
    } else if (list_all) {
      std::printf("%s: %s\n", item.key().c_str(),
                  outcome.refusal ? outcome.refusal->c_str() : "accepted");
    }
  }
  std::printf("%d refused, %d accepted\n", num_refused, num_accepted);
  std::printf("%d passed, %d failed\n", num_passed, num_failed);
  return num_failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace octavo

int main(int argc, char** argv) {
  const bool list_all = argc == 3 && std::string_view(argv[1]) == "--list";
  if (argc != 2 && !list_all) {
    std::fprintf(stderr, "usage: octavo_broken [--list] DIR\n");
    return 2;
  }
  try {
    return octavo::RunFolder(argv[argc - 1], list_all);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "octavo_broken: %s\n", error.what());
    return 2;
  }
}
