// The gate of doing less work: whether a model reads as well with savings as without.
#ifndef OCTAVO_EVALUATE_GATE_H_
#define OCTAVO_EVALUATE_GATE_H_

#include <string>
#include <vector>

#include "evaluate/eval_report.h"

namespace octavo {

// What savings may cost, as differences of figures that lie between 0 and 1. The gate is passed
// where all are kept, no further page failed, and there were pages enough to tell.
inline constexpr double kMaxCharacterErrorRise = 0.005;  // of all documents together
inline constexpr double kMaxDocumentErrorRise = 0.05;    // of any one
inline constexpr double kMaxTedsFall = 0.01;
inline constexpr double kMaxFormulaFall = 0.02;
inline constexpr double kMaxLayoutFall = 0.02;
inline constexpr int kMinGatePages = 5;

// Why the gate is not passed, a short line each; empty: it is passed.
// REQUIRES: both of the same documents in the same order.
std::vector<std::string> JudgeGate(const RunResult& best, const RunResult& saving);

}  // namespace octavo

#endif  // OCTAVO_EVALUATE_GATE_H_
