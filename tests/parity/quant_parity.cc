// Quantised forms of the tiny model: every dequantised tensor bit for bit, in the form that matmul
// reads too, and the logits that follow from them.
#include <filesystem>
#include <vector>

#include "base/str_cat.h"
#include "formats/gguf.h"
#include "formats/gguf_blocks.h"
#include "tests/parity/parity.h"
#include "tests/testing/crc32.h"

namespace octavo::parity {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string Crc(const TensorView& tensor) {
  const int64_t count = tensor.shape.num_elements();
  std::vector<float> values(static_cast<size_t>(count));
  ToFloats(tensor, 0, count, values.data());
  return testing::Crc32Hex(values.data(), values.size() * sizeof(float));
}

void CheckTensors(const std::string& form, const Checkpoint& checkpoint, const json& tensors,
                  Report* report) {
  for (const auto& item : tensors.items()) {
    const std::string what = StrCat(form, " ", item.key());
    const std::string expected = item.value().at("crc32_f32").get<std::string>();
    const std::optional<LoadedTensor> tensor = checkpoint.Find(item.key());
    if (!tensor) {
      report->Check(false, what, "absent");
      continue;
    }
    const std::string got = Crc(tensor->view);
    report->Check(got == expected, what, StrCat("CRC ", got, ", expected ", expected));
    const std::optional<PackedTensor> packed = checkpoint.FindPacked(item.key());
    if (!packed) continue;
    const std::string repacked = Crc(Unpack(*packed, tensor->view.shape, DType::kF32).view);
    report->Check(repacked == expected, what + " packed",
                  StrCat("CRC ", repacked, ", expected ", expected));
  }
}

// The stored tensors of both files, before they are joined to those of the model.
void CheckGgufTensors(const std::string& form, const fs::path& folder, const json& tensors,
                      Report* report) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const Gguf gguf = Gguf::Open(entry.path());
    for (const GgufTensor& tensor : gguf.tensors()) {
      const std::string key = StrCat(entry.path().filename().string(), ":", tensor.name);
      const std::string expected = tensors.at(key).at("crc32_f32").get<std::string>();
      std::vector<float> values(static_cast<size_t>(tensor.shape.num_elements()));
      DequantizeGguf(*tensor.type, tensor.bytes.data(), tensor.shape.num_elements(), values.data());
      const std::string got = testing::Crc32Hex(values.data(), values.size() * sizeof(float));
      report->Check(got == expected, StrCat(form, " ", key),
                    StrCat("CRC ", got, ", expected ", expected));
    }
  }
}

bool HasQuantized(const Checkpoint& checkpoint) {
  for (const TensorInfo& tensor : checkpoint.Tensors()) {
    if (tensor.packed && tensor.packed->is_quantized()) return true;
  }
  return false;
}

// Activations of 8 bits on weights that are rounded anyway: the bound tells a wrong kernel or a
// wrong scale (errors near 1) from rounding.
constexpr Tolerance kInt8Tolerance = {.rel_rms = 0.06};
constexpr Tolerance kInt16Tolerance = {.rel_rms = 4e-4};

void CheckLogits(const std::string& form, const fs::path& folder, const fs::path& goldens,
                 const std::vector<StageCase>& cases, const Subject& subject, Report* report) {
  const StoredTensors expected(goldens);
  const bool is_quantized = HasQuantized(*Checkpoint::Open(folder));
  for (const StageCase& stage_case : cases) {
    if (stage_case.variant != "main") continue;
    const StoredTensor& golden = expected.Get(stage_case.scene + ".logits_last");
    const ConstFloatMatrix wanted(golden.floats.data(), 1,
                                  static_cast<int64_t>(golden.floats.size()));
    const auto check = [&](const Subject& subject_run, const char* how,
                           const Tolerance& tolerance) {
      const std::vector<float> got = LastLogits(folder, stage_case, subject_run);
      report->CheckClose(StrCat(form, ".", stage_case.scene, how, " logits_last"),
                         ConstFloatMatrix(got.data(), 1, static_cast<int64_t>(got.size())), wanted,
                         tolerance);
      report->Hash(got);
    };
    check(subject, "", LogitsTolerance(subject));
    if (subject.compute != Compute::kF32 || !is_quantized) continue;
    Subject integers = subject;
    integers.compute = Compute::kInt8;
    check(integers, " int8", kInt8Tolerance);
    integers.compute = Compute::kInt16;
    check(integers, " int16", kInt16Tolerance);
  }
}

}  // namespace

void CheckQuant(const fs::path& folder, const Subject& subject, Report* report) {
  const fs::path quant = folder / "quant";
  const json index = ReadJson(quant / "index.json");
  const std::vector<StageCase> cases = ReadStageCases(folder);
  for (const auto& item : index.at("forms").items()) {
    const std::string& form = item.key();
    const auto checkpoint = Checkpoint::Open(quant / form);
    CheckTensors(form, *checkpoint, item.value().at("tensors"), report);
    if (const auto found = item.value().find("gguf_tensors"); found != item.value().end()) {
      CheckGgufTensors(form, quant / form, *found, report);
    }
    CheckLogits(form, quant / form, quant / (form + ".goldens.safetensors"), cases, subject,
                report);
  }
}

}  // namespace octavo::parity
