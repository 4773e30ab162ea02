#include "model/config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "octavo/error.h"
#include "tests/testing/edited_checkpoint.h"
#include "tests/testing/tiny_model.h"

namespace octavo {
namespace {

using Json = nlohmann::json;

std::string Read(const std::string& name) {
  return ReadFile(std::string(OCTAVO_TEST_DATA_DIR "/tiny-qwen2vl/") + name, 1 << 20);
}

// The flat tiny config with an edit.
template <typename Edit>
std::string Edited(Edit edit) {
  Json json = Json::parse(Read("main-flat-bf16/config.json"));
  edit(&json);
  return json.dump();
}

void ExpectRefused(const std::string& text, ErrorCode code, const std::string& words) {
  try {
    ParseModelConfig(text, "", "config.json");
    FAIL() << "accepted; expected: " << words;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(ModelConfig, FlatAndNestedFilesGiveTheSameFields) {
  const ModelConfig flat = ParseModelConfig(Read("main-flat-bf16/config.json"), "", "flat");
  const ModelConfig nested = ParseModelConfig(Read("main-nested-bf16/config.json"), "", "nested");
  for (const ModelConfig& config : {flat, nested}) {
    EXPECT_EQ(config.model_type, "qwen2_vl");
    EXPECT_EQ(config.torch_dtype, "bfloat16");
    EXPECT_EQ(config.text.hidden_size, 128);
    EXPECT_EQ(config.text.num_hidden_layers, 3);
    EXPECT_EQ(config.text.num_attention_heads, 4);
    EXPECT_EQ(config.text.num_key_value_heads, 2);
    EXPECT_EQ(config.text.head_dim(), 32);
    EXPECT_EQ(config.text.intermediate_size, 256);
    EXPECT_EQ(config.text.vocab_size, 768);
    EXPECT_EQ(config.text.max_position_embeddings, 2048);
    EXPECT_FLOAT_EQ(config.text.rms_norm_eps, 1e-6f);
    EXPECT_EQ(config.text.rope_theta, 1e6);
    EXPECT_EQ(config.text.mrope_section, (std::array<int, 3>{4, 6, 6}));
    EXPECT_TRUE(config.text.tie_word_embeddings);
    EXPECT_EQ(config.vision.depth, 3);
    EXPECT_EQ(config.vision.embed_dim, 64);
    EXPECT_EQ(config.vision.head_dim(), 16);
    EXPECT_EQ(config.vision.hidden_size, 128);
    EXPECT_EQ(config.vision.mlp_dim, 256);
    EXPECT_EQ(config.vision.patch_dim(), 1176);
    EXPECT_EQ(config.image_token_id, 712);
    EXPECT_EQ(config.video_token_id, 713);
    EXPECT_EQ(config.vision_start_token_id, 709);
    EXPECT_EQ(config.vision_end_token_id, 710);
    EXPECT_EQ(config.eos_token_ids, (std::vector<int32_t>{702}));
  }
}

TEST(ModelConfig, EndIdsComeFromTheGenerationConfigFirst) {
  const std::string config = Read("main-flat-bf16/config.json");
  EXPECT_EQ(
      ParseModelConfig(config, Read("main-flat-bf16/generation_config.json"), "x").eos_token_ids,
      (std::vector<int32_t>{702, 700}));
  EXPECT_EQ(ParseModelConfig(config, "{}", "x").eos_token_ids, (std::vector<int32_t>{702}));
  EXPECT_THROW(ParseModelConfig(config, R"({"eos_token_id": 768})", "x"), Error);
  EXPECT_THROW(ParseModelConfig(config, "[]", "x"), Error);
}

TEST(ModelConfig, OptionalFieldsHaveTheReferencesDefaults) {
  const ModelConfig config = ParseModelConfig(
      Edited([](Json* json) {
        for (const char* key :
             {"rope_theta", "rms_norm_eps", "hidden_act", "max_position_embeddings", "eos_token_id",
              "tie_word_embeddings", "video_token_id"}) {
          json->erase(key);
        }
        for (const char* key : {"mlp_ratio", "patch_size", "in_channels", "temporal_patch_size",
                                "hidden_act", "spatial_merge_size"}) {
          (*json)["vision_config"].erase(key);
        }
      }),
      "", "x");
  EXPECT_EQ(config.text.rope_theta, 1e6);
  EXPECT_FLOAT_EQ(config.text.rms_norm_eps, 1e-6f);
  EXPECT_EQ(config.text.max_position_embeddings, 32768);
  EXPECT_FALSE(config.text.tie_word_embeddings);
  EXPECT_EQ(config.video_token_id, kNoToken);
  EXPECT_TRUE(config.eos_token_ids.empty());
  EXPECT_EQ(config.vision.mlp_dim, 256);
  EXPECT_EQ(config.vision.patch_size, 14);
}

TEST(ModelConfig, RefusesEveryBrokenFileAndAcceptsTheControls) {
  const std::filesystem::path folder = OCTAVO_TEST_DATA_DIR "/broken";
  const Json index = Json::parse(ReadFile(folder / "index.json", 1 << 20));
  int num_refused = 0;
  int num_accepted = 0;
  for (const auto& [name, entry] : index.items()) {
    if (name.rfind("config/", 0) != 0) continue;
    const std::string text = ReadFile(folder / name, 1 << 20);
    if (entry.at("expect") == "accept") {
      EXPECT_NO_THROW(ParseModelConfig(text, "", name)) << name;
      ++num_accepted;
      continue;
    }
    EXPECT_THROW(ParseModelConfig(text, "", name), Error) << name << ": " << entry.at("what");
    ++num_refused;
  }
  EXPECT_EQ(num_refused, 40);
  EXPECT_EQ(num_accepted, 2);
}

TEST(ModelConfig, SaysWhatItRefusesAndWhy) {
  const auto set = [](const char* key, Json value) {
    return Edited([&](Json* json) { (*json)[key] = value; });
  };
  const auto set_vision = [](const char* key, Json value) {
    return Edited([&](Json* json) { (*json)["vision_config"][key] = value; });
  };
  const ErrorCode damaged = ErrorCode::kDataLoss;
  const ErrorCode unsupported = ErrorCode::kUnsupported;
  ExpectRefused(set("model_type", "qwen2_5_vl"), unsupported, "qwen2_5_vl");
  ExpectRefused(set("model_type", nullptr), damaged, "model_type is absent");
  ExpectRefused(set("hidden_size", 128.5), damaged, "hidden_size");
  ExpectRefused(set("num_hidden_layers", 0), damaged, "num_hidden_layers is 0");
  ExpectRefused(set("num_key_value_heads", 3), damaged, "not a multiple");
  ExpectRefused(set("head_dim", 64), unsupported, "head_dim");
  ExpectRefused(set("hidden_act", "gelu"), unsupported, "silu");
  ExpectRefused(set("rope_scaling", {{"type", "yarn"}, {"mrope_section", {4, 6, 6}}}), unsupported,
                "yarn");
  ExpectRefused(set("rope_scaling", {{"type", "mrope"}}), damaged, "mrope_section");
  ExpectRefused(set("rope_scaling", {{"type", "mrope"}, {"mrope_section", {6, 6, 6}}}), damaged,
                "sums to 18");
  ExpectRefused(set("quantization_config", {{"quant_method", "hqq"}}), unsupported, "hqq");
  ExpectRefused(set("quantization_config", {{"quant_method", "awq"}}), damaged, "no bits");
  ExpectRefused(set("tie_word_embeddings", "yes"), damaged, "tie_word_embeddings");
  ExpectRefused(set("image_token_id", 768), damaged, "image_token_id is 768");
  ExpectRefused(set_vision("spatial_merge_size", 4), unsupported, "spatial_merge_size 4");
  ExpectRefused(set_vision("in_channels", 1), unsupported, "in_channels 1");
  ExpectRefused(set_vision("hidden_size", 64), damaged, "language model's 128");
  ExpectRefused(set_vision("mlp_ratio", 0), damaged, "mlp_ratio is 0");
  ExpectRefused(set_vision("mlp_ratio", "4"), damaged, "mlp_ratio");
  ExpectRefused(set_vision("hidden_act", "relu"), unsupported, "quick_gelu");
}

TEST(ModelConfig, TiesTheHeadWhereThereIsNone) {
  testing::EditedCheckpoint checkpoint(testing::MakeTinyModel());
  checkpoint.EditTextFile("config.json", "\"tie_word_embeddings\": true",
                          "\"tie_word_embeddings\": false");
  EXPECT_TRUE(LoadModelConfig(checkpoint).text.tie_word_embeddings);
  checkpoint.SetTensor("lm_head.weight", DType::kF32, {300, 96});
  EXPECT_FALSE(LoadModelConfig(checkpoint).text.tie_word_embeddings);
}

TEST(ModelConfig, ExpectsTheTensorsOfThePublishedCheckpoint) {
  // Sizes of MinerU2.5-2509-1.2B.
  Json json = Json::parse(Read("main-flat-bf16/config.json"));
  json["hidden_size"] = 896;
  json["num_hidden_layers"] = 24;
  json["num_attention_heads"] = 14;
  json["num_key_value_heads"] = 2;
  json["intermediate_size"] = 4864;
  json["vocab_size"] = 151936;
  json["rope_scaling"]["mrope_section"] = {8, 12, 12};
  json["vision_config"]["depth"] = 32;
  json["vision_config"]["embed_dim"] = 1280;
  json["vision_config"]["num_heads"] = 16;
  json["vision_config"]["hidden_size"] = 896;
  const std::vector<TensorInfo> tensors = ExpectedTensors(ParseModelConfig(json.dump(), "", "x"));
  EXPECT_EQ(tensors.size(), 681u);
  int64_t num_parameters = 0;
  for (const TensorInfo& tensor : tensors) num_parameters += tensor.shape.num_elements();
  EXPECT_EQ(num_parameters, 1156026624);
}

}  // namespace
}  // namespace octavo
