// octavo_parity DIR: checks octavo against reference data, one line per failure.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "base/str_cat.h"
#include "base/thread_pool.h"
#include "kernels/select.h"
#include "octavo/error.h"
#include "tests/parity/parity.h"

namespace octavo::parity {
namespace {

constexpr const char* kUsage =
    "usage: octavo_parity DIR [--compute f32|bf16] [--attention f32|int16] [--threads N]\n"
    "                     [--only stages|sampling|images|tokenizer|quant]... [--mistake NAME]\n"
    "       octavo_parity --list-mistakes\n"
    "DIR has the layout of the reference data: stages/, tiny-qwen2vl/, images/, tokenizer/,\n"
    "quant/.\n"
    "OCTAVO_ISA forces a kernel table. --mistake plants a known mistake: the run must fail.\n"
    "Exit status: 0 if nothing failed, 1 if something did, else the error's.\n";

struct Arguments {
  std::string folder;
  Compute compute = Compute::kF32;
  VisionAttention attention = VisionAttention::kF32;
  int num_threads = 0;
  ParityParts parts;
  std::string mistake;
  bool list_mistakes = false;
};

[[noreturn]] void RefuseArgument(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

void Select(const std::string& part, ParityParts* parts) {
  if (part == "stages") {
    parts->stages = true;
  } else if (part == "sampling") {
    parts->sampling = true;
  } else if (part == "images") {
    parts->images = true;
  } else if (part == "tokenizer") {
    parts->tokenizer = true;
  } else if (part == "quant") {
    parts->quant = true;
  } else {
    RefuseArgument("--only takes stages, sampling, images, tokenizer or quant");
  }
}

Arguments ParseArguments(const std::vector<std::string>& words) {
  Arguments arguments;
  bool is_narrowed = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 == words.size()) RefuseArgument(word + " needs a value");
      return words[++i];
    };
    if (word == "--list-mistakes") {
      arguments.list_mistakes = true;
    } else if (word == "--compute") {
      const std::string& compute = value();
      if (compute != "f32" && compute != "bf16") RefuseArgument("--compute takes f32 or bf16");
      arguments.compute = compute == "f32" ? Compute::kF32 : Compute::kBF16;
    } else if (word == "--attention") {
      const auto attention = ParseVisionAttention(value());
      if (!attention) RefuseArgument("--attention takes f32 or int16");
      arguments.attention = *attention;
    } else if (word == "--threads") {
      arguments.num_threads = std::atoi(value().c_str());
      if (arguments.num_threads < 1 || arguments.num_threads > 256) {
        RefuseArgument("--threads takes 1 to 256");
      }
    } else if (word == "--only") {
      if (!is_narrowed) arguments.parts = {false, false, false, false, false};
      is_narrowed = true;
      Select(value(), &arguments.parts);
    } else if (word == "--mistake") {
      arguments.mistake = value();
    } else if (word.rfind("--", 0) == 0 || !arguments.folder.empty()) {
      RefuseArgument("unexpected argument " + word);
    } else {
      arguments.folder = word;
    }
  }
  if (arguments.folder.empty() && !arguments.list_mistakes) RefuseArgument("DIR is absent");
  return arguments;
}

int Run(const Arguments& arguments) {
  if (arguments.list_mistakes) {
    for (const Mistake& mistake : Mistakes()) std::printf("%s: %s\n", mistake.name, mistake.what);
    return 0;
  }
  Subject subject;
  subject.kernels = SelectedKernels();
  subject.kernels_name = DescribeKernels(subject.kernels);
  subject.compute = arguments.compute;
  subject.attention = arguments.attention;
  subject.num_threads = arguments.num_threads > 0 ? arguments.num_threads : DefaultThreadCount();
  if (!arguments.mistake.empty()) PlantMistake(arguments.mistake, &subject);
  std::printf("kernels %s, compute %s, attention %s, threads %d\n", subject.kernels_name.c_str(),
              subject.compute == Compute::kF32 ? "f32" : "bf16",
              VisionAttentionName(subject.attention), subject.num_threads);

  Report report([](const std::string& line) { std::printf("%s\n", line.c_str()); });
  RunParity(arguments.folder, subject, arguments.parts, &report);
  if (arguments.parts.stages) {
    std::printf("hash of all logits %016llx\n", static_cast<unsigned long long>(report.hash()));
  }
  std::printf("%lld passed, %lld failed\n", static_cast<long long>(report.num_passed()),
              static_cast<long long>(report.num_failed()));
  return report.num_failed() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace octavo::parity

int main(int argc, char** argv) {
  try {
    return octavo::parity::Run(
        octavo::parity::ParseArguments(std::vector<std::string>(argv + 1, argv + argc)));
  } catch (const octavo::Error& error) {
    std::fprintf(stderr, "octavo_parity: %s\n%s", error.what(),
                 error.code() == octavo::ErrorCode::kInvalidArgument ? octavo::parity::kUsage : "");
    return octavo::ExitCode(error.code());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "octavo_parity: %s\n", error.what());
    return 70;
  }
}
