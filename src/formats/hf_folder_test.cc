#include "formats/hf_folder.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "octavo/error.h"
#include "testing/container_bytes.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using octavo::testing::SafetensorsBytes;

class HfFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ("octavo hf " +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    Write("config.json", "{}");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  // A shard with one F32 tensor of one element.
  void WriteShard(const std::string& file, const std::string& tensor, float value) const {
    std::string data(4, '\0');
    std::memcpy(data.data(), &value, 4);
    Write(file, SafetensorsBytes(
                    "{\"" + tensor + "\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
                    data));
  }
  float ValueOf(const Checkpoint& checkpoint, const char* name) const {
    float value = 0;
    ToFloats(checkpoint.Get(name).view, 0, 1, &value);
    return value;
  }
  void ExpectRefusal(ErrorCode code, const std::string& reason) const {
    try {
      OpenHfFolder(folder_);
      ADD_FAILURE() << "accepted, expected: " << reason;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
    }
  }

  fs::path folder_;
};

TEST_F(HfFolderTest, OpensOneFileUnderCanonicalNames) {
  WriteShard("model.safetensors", "model.language_model.norm.weight", 2.5f);
  const auto checkpoint = OpenHfFolder(folder_);
  EXPECT_EQ(checkpoint->Container(), "safetensors");
  EXPECT_EQ(checkpoint->Source(), folder_.string());
  ASSERT_EQ(checkpoint->Tensors().size(), 1u);
  EXPECT_EQ(checkpoint->Tensors()[0].name, "model.norm.weight");
  EXPECT_EQ(ValueOf(*checkpoint, "model.norm.weight"), 2.5f);
  EXPECT_FALSE(checkpoint->Find("model.language_model.norm.weight"));
}

TEST_F(HfFolderTest, PrefersTheIndexAndReadsItsShards) {
  WriteShard("model.safetensors", "stale", 0.0f);
  WriteShard("s1.safetensors", "a", 1.0f);
  WriteShard("s2.safetensors", "b", 2.0f);
  Write("model.safetensors.index.json",
        R"({"metadata":{},"weight_map":{"a":"s1.safetensors","b":"s2.safetensors"}})");
  const auto checkpoint = OpenHfFolder(folder_);
  EXPECT_EQ(checkpoint->Container(), "safetensors, 2 shards");
  EXPECT_EQ(ValueOf(*checkpoint, "a"), 1.0f);
  EXPECT_EQ(ValueOf(*checkpoint, "b"), 2.0f);
  EXPECT_FALSE(checkpoint->Find("stale"));
}

TEST_F(HfFolderTest, ShardNamesThatLeaveTheFolderAreRefused) {
  WriteShard("s1.safetensors", "a", 1.0f);
  fs::create_directory(folder_ / "sub");
  for (const char* name : {"../s1.safetensors", "/etc/hostname", "sub/../s1.safetensors",
                           "..\\\\s1.safetensors", "..", ".", "", "s1.safetensors\\u0000"}) {
    Write("model.safetensors.index.json", std::string(R"({"weight_map":{"a":")") + name + R"("}})");
    ExpectRefusal(ErrorCode::kDataLoss, "outside the folder");
  }
}

TEST_F(HfFolderTest, IndexMustAgreeWithTheShards) {
  WriteShard("s1.safetensors", "a", 1.0f);
  WriteShard("s2.safetensors", "a", 2.0f);
  const auto index = [this](const std::string& text) {
    Write("model.safetensors.index.json", text);
  };
  index("[]");
  ExpectRefusal(ErrorCode::kDataLoss, "not an object");
  index("{}");
  ExpectRefusal(ErrorCode::kDataLoss, "weight_map");
  index(R"({"weight_map":{}})");
  ExpectRefusal(ErrorCode::kDataLoss, "empty");
  index(R"({"weight_map":{"a":1}})");
  ExpectRefusal(ErrorCode::kDataLoss, "not a string");
  index(R"({"weight_map":{"b":"s1.safetensors"}})");
  ExpectRefusal(ErrorCode::kDataLoss, "no tensor 'b'");
  index(R"({"weight_map":{"a":"s3.safetensors"}})");
  ExpectRefusal(ErrorCode::kNotFound, "s3.safetensors");
  // Both shards hold "a"; with the index's help one of them could be chosen silently.
  Write("s2.safetensors",
        SafetensorsBytes(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                         R"("b":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
                         "xx"));
  index(R"({"weight_map":{"a":"s1.safetensors","b":"s2.safetensors"}})");
  ExpectRefusal(ErrorCode::kDataLoss, "there twice");
}

TEST_F(HfFolderTest, OldAndNewNameOfOneTensorAreADuplicate) {
  Write(
      "model.safetensors",
      SafetensorsBytes(
          R"({"model.norm.weight":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
          R"("model.language_model.norm.weight":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
          "xx"));
  ExpectRefusal(ErrorCode::kDataLoss, "there twice");
}

TEST_F(HfFolderTest, ConfigAndWeightsAreRequired) {
  ExpectRefusal(ErrorCode::kNotFound, "neither model.safetensors");
  WriteShard("model.safetensors", "a", 1.0f);
  fs::remove(folder_ / "config.json");
  ExpectRefusal(ErrorCode::kNotFound, "no config.json");
}

TEST_F(HfFolderTest, TextFilesAreReadOrAbsent) {
  WriteShard("model.safetensors", "a", 1.0f);
  Write("tokenizer.json", "text");
  const auto checkpoint = OpenHfFolder(folder_);
  EXPECT_EQ(checkpoint->TextFile("tokenizer.json"), "text");
  EXPECT_EQ(checkpoint->TextFile("vocab.json"), std::nullopt);
}

TEST_F(HfFolderTest, QuantisedFoldersHaveWholeMatrices) {
  Write("config.json", R"({"quantization_config":{"quant_method":"awq","bits":4,"group_size":8}})");
  const std::string header = R"({"m.qweight":{"dtype":"I32","shape":[8,1],"data_offsets":[0,32]},)"
                             R"("m.qzeros":{"dtype":"I32","shape":[1,1],"data_offsets":[32,36]},)"
                             R"("m.scales":{"dtype":"F16","shape":[1,8],"data_offsets":[36,52]}})";
  Write("model.safetensors", SafetensorsBytes(header, std::string(52, '\0')));
  const auto checkpoint = OpenHfFolder(folder_);
  EXPECT_EQ(checkpoint->Container(), "safetensors, AWQ int4 g8");
  ASSERT_EQ(checkpoint->Tensors().size(), 1u);
  EXPECT_EQ(checkpoint->Tensors()[0].name, "m.weight");
  EXPECT_EQ(checkpoint->Tensors()[0].shape, (Shape{8, 8}));
}

}  // namespace
}  // namespace octavo
