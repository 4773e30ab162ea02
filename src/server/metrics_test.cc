#include "server/metrics.h"

#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(Metrics, WritesEveryCounterOnce) {
  ServerMetrics metrics;
  metrics.requests_answered = 3;
  metrics.requests_gone = 4;
  metrics.completion_tokens = 123456789012;
  metrics.decode_steps = 71;
  metrics.drafted_tokens = 72;
  metrics.accepted_tokens = 73;
  metrics.decode_microseconds = 12000045;
  const std::string text = MetricsText(metrics);
  EXPECT_NE(text.find("\noctavo_requests_total{outcome=\"answered\"} 3\n"), std::string::npos);
  EXPECT_NE(text.find("\noctavo_requests_total{outcome=\"gone\"} 4\n"), std::string::npos);
  EXPECT_NE(text.find("\noctavo_tokens_total{kind=\"completion\"} 123456789012\n"),
            std::string::npos);
  EXPECT_NE(text.find("\noctavo_stage_seconds_total{stage=\"decode\"} 12.000045\n"),
            std::string::npos);
  EXPECT_NE(text.find("\noctavo_decode_steps_total 71\n"), std::string::npos);
  EXPECT_NE(text.find("\noctavo_draft_tokens_total{kind=\"drafted\"} 72\n"), std::string::npos);
  EXPECT_NE(text.find("\noctavo_draft_tokens_total{kind=\"accepted\"} 73\n"), std::string::npos);
  EXPECT_NE(text.find("\nprocess_resident_memory_bytes "), std::string::npos);
}

TEST(Metrics, IsInTheExpositionFormat) {
  const std::regex sample(R"(([a-z_]+)(\{[a-z]+="[a-z]+"\})? [0-9]+(\.[0-9]+)?)");
  std::istringstream lines(MetricsText(ServerMetrics{}));
  std::set<std::string> typed, samples;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("# TYPE ", 0) == 0) {
      typed.insert(line.substr(7, line.find(' ', 7) - 7));
      continue;
    }
    if (line.rfind("# HELP ", 0) == 0) continue;
    std::smatch match;
    ASSERT_TRUE(std::regex_match(line, match, sample)) << line;
    EXPECT_TRUE(typed.count(match[1])) << line;
    EXPECT_TRUE(samples.insert(line.substr(0, line.rfind(' '))).second) << line;
  }
  EXPECT_GE(samples.size(), 12u);
}

}  // namespace
}  // namespace octavo
