#include "cli/bench_report.h"

#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>

#include "base/json.h"

namespace octavo {
namespace {

BenchReport Report() {
  BenchReport report;
  report.model = "folder, with a comma";
  report.forms = {"W4 g128", "W8 g128 +-63", "W8 g128 +-63"};
  report.compute = Compute::kInt8;
  report.attention = VisionAttention::kInt16;
  report.isa = "avx2";
  report.cpu = "a processor";
  report.limits.num_threads = 2;
  report.limits.fp32_fma = 100;
  report.limits.int8_maddubs16 = 600;
  report.limits.int16_madd = 200;
  report.limits.read_gb_per_s = 20;
  report.work = {.encode_gemm_ops = 6e12,
                 .encode_packed_ops = 6e12,
                 .encode_attention_ops = 4e12,
                 .prefill_ops = 6e11,
                 .prefill_packed_ops = 6e11};
  report.times = {.encode_seconds = 60,
                  .prefill_tokens = 1394,
                  .prefill_seconds = 2,
                  .decode_steps = 10,
                  .decodes = {{1, 1, 10e9}, {4, 2, 20e9}},
                  .page_peak_bytes = 900'000'000,
                  .replay = {.answers = 3,
                             .tokens = 400,
                             .without_drafts = {.steps = 400, .seconds = 20},
                             .with_drafts = {.steps = 200,
                                             .drafted_tokens = 250,
                                             .accepted_tokens = 200,
                                             .seconds = 12.5}},
                  .crop_tokens = 64,
                  .crop = {1, 281, 1, 0.5, 2},
                  .crops = {8, 281, 8, 4, 7}};
  report.load_seconds = 0.25;
  report.weight_bytes = 800'000'000;
  report.peak_bytes = 1'000'000'000;
  report.pieces = 1000;
  report.safe_pieces = 5;
  return report;
}

TEST(BenchReport, SaysTheSameInJson) {
  const auto json = ParseJson(BenchJson(Report()), "bench");
  EXPECT_EQ(json["weights"]["vision"], "W8 g128 +-63");
  EXPECT_DOUBLE_EQ(json["encode"]["roofline_share"], 0.5);  // 10 + 20 of 60 seconds
  EXPECT_DOUBLE_EQ(json["encode"]["mode_peak_share"], 0.5);
  EXPECT_DOUBLE_EQ(json["prefill"]["mode_peak_share"], 0.5);
  EXPECT_DOUBLE_EQ(json["decode"]["tokens_per_s"], 10);
  EXPECT_DOUBLE_EQ(json["decode"]["bandwidth_share"], 0.5);
  ASSERT_EQ(json["decode_batches"].size(), 2u);
  EXPECT_EQ(json["decode_batches"][1]["batch"], 4);
  EXPECT_DOUBLE_EQ(json["decode_batches"][1]["tokens_per_s"], 20);
  const auto& replay = json["replay"];
  EXPECT_EQ(replay["answers"], 3);
  EXPECT_EQ(replay["tokens"], 400);
  EXPECT_EQ(replay["without_drafts"]["steps"], 400);
  EXPECT_DOUBLE_EQ(replay["without_drafts"]["tokens_per_s"], 20);
  EXPECT_EQ(replay["with_drafts"]["steps"], 200);
  EXPECT_DOUBLE_EQ(replay["with_drafts"]["tokens_per_step"], 2);
  EXPECT_DOUBLE_EQ(replay["with_drafts"]["tokens_per_s"], 32);
  EXPECT_EQ(replay["with_drafts"]["drafted_tokens"], 250);
  EXPECT_EQ(replay["with_drafts"]["accepted_tokens"], 200);
  EXPECT_DOUBLE_EQ(replay["seconds_saved_percent"], 37.5);
  EXPECT_EQ(replay["differing_choices"], 0);
  EXPECT_DOUBLE_EQ(json["crop"]["seconds"], 3.5);
  EXPECT_DOUBLE_EQ(json["crops"]["seconds"], 19);
  EXPECT_DOUBLE_EQ(json["crops"]["decode_tokens_per_s"], 72);  // the first of 64 is prefill's
  EXPECT_DOUBLE_EQ(json["int8_products"]["safe_share"], 0.005);
  EXPECT_DOUBLE_EQ(json["page_peak_rss_mb"], 900);
  EXPECT_DOUBLE_EQ(json["peak_rss_mb"], 1000);
}

TEST(BenchReport, LeavesOutWhatWasNotRun) {
  BenchReport report = Report();
  report.times.crop = report.times.crops = {};
  report.times.replay = {};
  report.pieces = report.safe_pieces = 0;
  const auto json = ParseJson(BenchJson(report), "bench");
  EXPECT_FALSE(json.contains("crop"));
  EXPECT_FALSE(json.contains("crops"));
  EXPECT_FALSE(json.contains("int8_products"));
  EXPECT_FALSE(json.contains("replay"));
  EXPECT_EQ(BenchTable(report).find("replay"), std::string::npos);
  EXPECT_EQ(BenchCsv(report).find("replay"), std::string::npos);
  EXPECT_EQ(BenchTable(report).find("crop"), std::string::npos);
  EXPECT_EQ(BenchCsv(report).find("crop"), std::string::npos);
}

TEST(BenchReport, TellsPeopleWhatDraftsSave) {
  BenchReport report = Report();
  const std::string table = BenchTable(report);
  EXPECT_NE(
      table.find("replay      20.00 s    3 answers, 400 tokens, without drafts in 400 steps\n"
                 "drafts      12.50 s    200 steps of 2.00 tokens, 80 % of 250 guesses right; "
                 "saved 37.5 %\n"),
      std::string::npos)
      << table;
  EXPECT_EQ(table.find("a bug"), std::string::npos);
  report.times.replay.differing_choices = 2;
  EXPECT_NE(BenchTable(report).find("2 tokens would differ with drafts: a bug"), std::string::npos);
}

TEST(BenchReport, WritesALineOfTheSameColumnsForEachPhase) {
  std::istringstream lines(BenchCsv(Report()));
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(line.rfind("version,model,", 0), 0u);
  const auto columns = std::count(line.begin(), line.end(), ',');
  std::vector<std::string> all;
  while (std::getline(lines, line)) {
    // The model's name stands in quotes and has a comma of its own.
    EXPECT_NE(line.find(",\"folder, with a comma\",W4 g128,"), std::string::npos) << line;
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), columns + 1) << line;
    all.push_back(line.substr(line.find(",900.0,") + 7));
  }
  const std::vector<std::string> expected = {
      "load,1,0,0.2500,,,,,",
      "encode,1,0,60.0000,,roofline,0.5000,,",
      "prefill,1,1394,2.0000,697.00,mode peak,0.5000,,",
      "decode,1,10,1.0000,10.00,read bandwidth,0.5000,,10",
      "decode,4,40,2.0000,20.00,read bandwidth,0.5000,,10",
      "replay,1,400,20.0000,20.00,,,3,400",
      "replay with drafts,1,400,12.5000,32.00,replay,0.6250,3,200",
      "crop,1,64,3.5000,18.29,,,,",
      "crop encode,1,0,1.0000,,,,,",
      "crop prefill,1,281,0.5000,562.00,,,,",
      "crop decode,1,63,2.0000,31.50,,,,",
      "crops,8,512,19.0000,26.95,,,,",
      "crops encode,8,0,8.0000,,,,,",
      "crops prefill,8,2248,4.0000,562.00,,,,",
      "crops decode,8,504,7.0000,72.00,,,,"};
  EXPECT_EQ(all, expected);
}

TEST(BenchReport, NamesTheFormOfThePartsLargestMatrix) {
  std::vector<TensorInfo> tensors(4);
  tensors[0] = {"visual.patch_embed.proj.weight", DType::kBF16, Shape{8, 3}};
  tensors[1] = {"visual.blocks.0.attn.qkv.weight", DType::kF32, Shape{32, 128}};
  tensors[1].packed = PackedLayout::Quantized({}, 32, 128);
  tensors[2] = {"model.embed_tokens.weight", DType::kF16, Shape{300, 128}};
  tensors[3] = {"model.layers.0.mlp.up_proj.weight", DType::kBF16, Shape{64, 128}};
  const WeightForms forms = FormsOf(tensors);
  EXPECT_EQ(forms.vision, "W4 g128");
  EXPECT_EQ(forms.head, "F16");
  EXPECT_EQ(forms.language, "BF16");
}

}  // namespace
}  // namespace octavo
