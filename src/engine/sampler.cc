#include "engine/sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "base/check.h"
#include "engine/sampling_params.h"

namespace octavo {
namespace {

struct Candidate {
  int32_t id;
  double logit;   // divided by the temperature
  double weight;  // exp(logit - largest logit)
};

// By descending logit; equal ones by ascending id, so that the draw does not depend on the sort.
bool MoreProbable(const Candidate& a, const Candidate& b) {
  return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
}

std::vector<Candidate> Candidates(std::span<const float> logits, double temperature, double min_p) {
  const double largest = static_cast<double>(logits[static_cast<size_t>(ArgMax(logits))]);
  OCTAVO_DCHECK(std::isfinite(largest));
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < logits.size(); ++i) {
    const double x = (static_cast<double>(logits[i]) - largest) / temperature;
    const double weight = std::exp(x);
    if (weight > 0 && weight >= min_p) candidates.push_back({static_cast<int32_t>(i), x, weight});
  }
  return candidates;
}

// REQUIRES: sorted by MoreProbable.
void KeepTopK(int top_k, std::vector<Candidate>* candidates) {
  if (top_k <= 0 || static_cast<size_t>(top_k) >= candidates->size()) return;
  size_t keep = static_cast<size_t>(top_k);
  const double kth = (*candidates)[keep - 1].logit;
  while (keep < candidates->size() && (*candidates)[keep].logit == kth) ++keep;
  candidates->resize(keep);
}

// REQUIRES: sorted by MoreProbable.
void KeepTopP(double top_p, std::vector<Candidate>* candidates) {
  if (top_p >= 1) return;
  double total = 0;
  for (const Candidate& candidate : *candidates) total += candidate.weight;
  double dropped = 0;
  while (candidates->size() > 1) {
    dropped += candidates->back().weight / total;
    if (dropped > 1 - top_p) return;
    candidates->pop_back();
  }
}

}  // namespace

bool AllFinite(std::span<const float> logits) {
  uint32_t not_finite = 0;
  for (const float x : logits) {
    not_finite |= static_cast<uint32_t>((std::bit_cast<uint32_t>(x) & 0x7F800000u) == 0x7F800000u);
  }
  return not_finite == 0;
}

int32_t ArgMax(std::span<const float> logits) {
  // std::max_element gives the first of the largest.
  return static_cast<int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

int32_t Sample(std::span<const float> logits, const SamplingParams& params, Random* random) {
  if (IsGreedy(params)) return ArgMax(logits);
  std::vector<Candidate> candidates = Candidates(logits, params.temperature, params.min_p);
  if (params.top_k > 0 || params.top_p < 1) {
    std::sort(candidates.begin(), candidates.end(), MoreProbable);
    KeepTopK(params.top_k, &candidates);
    KeepTopP(params.top_p, &candidates);
  }
  double total = 0;
  for (const Candidate& candidate : candidates) total += candidate.weight;
  double rest = random->Uniform() * total;
  for (const Candidate& candidate : candidates) {
    rest -= candidate.weight;
    if (rest < 0) return candidate.id;
  }
  return candidates.back().id;  // rounding may leave a crumb
}

}  // namespace octavo
