// BenchReport: what a bench found, as a table for people, one JSON object, or CSV.
#ifndef OCTAVO_CLI_BENCH_REPORT_H_
#define OCTAVO_CLI_BENCH_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cli/bench_run.h"
#include "formats/checkpoint.h"

namespace octavo {

// Form of the largest matrix of each part: "BF16", "W4 g128".
struct WeightForms {
  std::string language, vision, head;
};
WeightForms FormsOf(const std::vector<TensorInfo>& tensors);

struct BenchReport {
  std::string model;
  WeightForms forms;
  Compute compute = Compute::kBF16;
  VisionAttention attention = VisionAttention::kF32;
  std::string isa;
  std::string cpu;
  MachineLimits limits;      // all threads
  MachineLimits one_thread;  // 0 everywhere: not measured
  BenchWork work;
  BenchTimes times;
  double load_seconds = 0;
  int64_t weight_bytes = 0;
  int64_t peak_bytes = 0;  // resident, from loading to the end
  // Pieces of int8 products, and those of them that took the way that always fits.
  int64_t pieces = 0;
  int64_t safe_pieces = 0;
};

// One line. `decode` is the first batch, `decode_batches` all of them.
std::string BenchJson(const BenchReport& report);
std::string BenchTable(const BenchReport& report);
// A head line, then a line for each phase; times of one phase stand beside what limits it.
std::string BenchCsv(const BenchReport& report);

}  // namespace octavo

#endif  // OCTAVO_CLI_BENCH_REPORT_H_
