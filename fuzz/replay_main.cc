// Runs a fuzz target without libFuzzer: every stored input, then mutated ones until the time is up.
// Mutations depend on the iteration's number only, so a run can be repeated. An input that crashes
// or hangs is written to <program>.crash.
//
//   json_fuzz [--seconds N] FILE or FOLDER...     N: default 0; $OCTAVO_FUZZ_SECONDS overrides it
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
// A sanitizer's finding shall reach the handler below.
extern "C" const char* __asan_default_options() { return "abort_on_error=1"; }
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }

namespace {

using Bytes = std::vector<uint8_t>;

constexpr unsigned kSecondsPerInput = 20;
constexpr size_t kMaxBytes = size_t{1} << 18;

Bytes current_input;
char crash_path[4096];

void SaveInputAndDie(int signal_number) {
  const int file = open(crash_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0) {
    const ssize_t written = write(file, current_input.data(), current_input.size());
    (void)written;
    close(file);
  }
  constexpr char kText[] = "replay: input saved beside the program as *.crash\n";
  const ssize_t written = write(STDERR_FILENO, kText, sizeof(kText) - 1);
  (void)written;
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void RunOne(Bytes input) {
  current_input = std::move(input);
  alarm(kSecondsPerInput);
  LLVMFuzzerTestOneInput(current_input.data(), current_input.size());
}

// splitmix64: the stream of one iteration.
struct Stream {
  uint64_t state;
  uint64_t Next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  size_t Below(size_t limit) { return limit == 0 ? 0 : static_cast<size_t>(Next() % limit); }
};

void MutateOnce(Bytes& bytes, const std::vector<Bytes>& seeds, Stream& stream) {
  static constexpr uint8_t kEdges[] = {0x00, 0x01, 0x7f, 0x80, 0xff, '"', '<', '{', '\\', '9'};
  const size_t at = stream.Below(bytes.size() + 1);
  const size_t length = std::min(bytes.size() - at, 1 + stream.Below(64));
  const auto from = bytes.begin() + static_cast<ptrdiff_t>(at);
  const auto to = from + static_cast<ptrdiff_t>(length);
  switch (stream.Below(7)) {
    case 0:  // one bit
      if (at < bytes.size()) bytes[at] ^= static_cast<uint8_t>(1u << stream.Below(8));
      break;
    case 1:  // a run of one edge value
      std::fill(from, to, kEdges[stream.Below(std::size(kEdges))]);
      break;
    case 2:
      bytes.erase(from, to);
      break;
    case 3:  // cut
      bytes.erase(from, bytes.end());
      break;
    case 4: {  // a piece again and again
      const Bytes piece(from, to);
      for (size_t i = stream.Below(200); i > 0 && bytes.size() < kMaxBytes; --i) {
        bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(at), piece.begin(), piece.end());
      }
      break;
    }
    case 5: {  // a piece of another seed
      const Bytes& other = seeds[stream.Below(seeds.size())];
      const size_t begin = stream.Below(other.size() + 1);
      const size_t end = begin + std::min(other.size() - begin, stream.Below(256));
      bytes.insert(from, other.begin() + static_cast<ptrdiff_t>(begin),
                   other.begin() + static_cast<ptrdiff_t>(end));
      break;
    }
    default:
      bytes.insert(from, kEdges[stream.Below(std::size(kEdges))]);
  }
}

Bytes ReadFile(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(stream), {});
}

std::vector<Bytes> ReadSeeds(const std::vector<std::string>& names) {
  std::vector<Bytes> seeds;
  for (const std::string& name : names) {
    if (!std::filesystem::is_directory(name)) {
      seeds.push_back(ReadFile(name));
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(name)) {
      if (entry.is_regular_file()) seeds.push_back(ReadFile(entry.path()));
    }
  }
  return seeds;
}

}  // namespace

int main(int argc, char** argv) {
  double seconds = 0;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) {
      seconds = std::atof(argv[++i]);
    } else {
      names.emplace_back(argv[i]);
    }
  }
  if (const char* wish = std::getenv("OCTAVO_FUZZ_SECONDS")) seconds = std::atof(wish);
  std::snprintf(crash_path, sizeof(crash_path), "%s.crash", argv[0]);
  for (const int number : {SIGABRT, SIGSEGV, SIGALRM}) signal(number, SaveInputAndDie);

  const std::vector<Bytes> seeds = ReadSeeds(names);
  for (const Bytes& seed : seeds) RunOne(seed);
  RunOne({});

  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  uint64_t iteration = 0;
  for (; !seeds.empty() && Clock::now() < end; ++iteration) {
    Stream stream{iteration};
    Bytes bytes = seeds[stream.Below(seeds.size())];
    for (size_t i = 1 + stream.Below(6); i > 0; --i) MutateOnce(bytes, seeds, stream);
    bytes.resize(std::min(bytes.size(), kMaxBytes));
    RunOne(std::move(bytes));
  }
  std::printf("%zu stored inputs, %llu mutated\n", seeds.size(),
              static_cast<unsigned long long>(iteration));
  return seeds.empty() ? 1 : 0;
}
