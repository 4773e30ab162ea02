#include "formats/gguf_checkpoint.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <system_error>
#include <utility>

#include "base/aligned_buffer.h"
#include "base/file.h"
#include "base/log.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "formats/gguf.h"
#include "formats/gguf_blocks.h"
#include "formats/gguf_names.h"
#include "formats/gguf_texts.h"
#include "octavo/error.h"
#include "tensor/float16.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

std::string Name(const fs::path& path) { return PrintableName(path.native(), 400); }

// What a tensor of the model is made of: rows one after another, or, for the patch embedding, its
// two halves in time. Never empty.
using Parts = std::vector<const GgufTensor*>;

constexpr char kPatchEmbedding[] = "visual.patch_embed.proj.weight";

struct Files {
  Gguf language;
  Gguf vision;
};

class GgufCheckpoint final : public Checkpoint {
 public:
  GgufCheckpoint(const fs::path& language, const fs::path& vision)
      : source_(language.string()),
        files_(std::make_shared<const Files>(Files{Gguf::Open(language), Gguf::Open(vision)})) {
    Collect(files_->language, language);
    Collect(files_->vision, vision);
    UndoSwappedMlp();
    for (const auto& [name, parts] : parts_) AddInfo(name, parts);
    texts_ = GgufTextFiles(files_->language, files_->vision, Facts(), source_);
    AddCard();
    WarnOfWidened();
  }

  std::string Source() const override { return source_; }
  std::string Container() const override {
    return StrCat("gguf version ", files_->language.version(), ", language and vision file");
  }
  const std::vector<TensorInfo>& Tensors() const override { return tensors_; }

  std::optional<std::string> TextFile(std::string_view name) const override {
    const auto found = texts_.find(std::string(name));
    if (found == texts_.end()) return std::nullopt;
    return found->second;
  }

  std::optional<LoadedTensor> Find(std::string_view name) const override {
    const TensorInfo* info = FindInfo(name);
    if (info == nullptr) return std::nullopt;
    const Parts& parts = parts_.find(name)->second;
    if (parts.size() == 1 && GgufFloatType(*parts[0]->type)) {
      return LoadedTensor{{parts[0]->bytes.data(), info->dtype, info->shape}, files_};
    }
    auto values =
        std::make_shared<AlignedBuffer<float>>(static_cast<size_t>(info->shape.num_elements()));
    if (name == kPatchEmbedding) {
      JoinHalves(parts, info->shape, values->data());
    } else {
      float* out = values->data();
      for (const GgufTensor* part : parts) {
        const int64_t count = part->shape.num_elements();
        DequantizeGguf(*part->type, part->bytes.data(), count, out);
        out += count;
      }
    }
    return LoadedTensor{
        {reinterpret_cast<const std::byte*>(values->data()), DType::kF32, info->shape}, values};
  }

  std::optional<PackedTensor> FindPacked(std::string_view name) const override {
    const TensorInfo* info = FindInfo(name);
    if (info == nullptr || !info->packed) return std::nullopt;
    auto bytes = std::make_shared<AlignedBuffer<std::byte>>(PackedBytes(*info->packed));
    Pack(*info, parts_.find(name)->second, bytes->data());
    return PackedTensor{*info->packed, bytes->data(), bytes};
  }

 private:
  [[noreturn]] void Throw(ErrorCode code, std::string_view name, const std::string& what) const {
    throw Error(code,
                StrCat(PrintableName(source_, 400), ": tensor '", PrintableName(name), "' ", what));
  }

  const TensorInfo* FindInfo(std::string_view name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? nullptr : &tensors_[found->second];
  }

  void Collect(const Gguf& file, const fs::path& path) {
    for (const GgufTensor& tensor : file.tensors()) {
      const std::optional<GgufPlace> place = FindGgufPlace(tensor.name);
      // A table of rotary frequencies, which follow from the config.
      if (!place && tensor.name == "rope_freqs.weight") continue;
      if (!place || !IsReadGgufType(*tensor.type)) {
        throw Error(ErrorCode::kUnsupported,
                    StrCat(Name(path), ": tensor '", PrintableName(tensor.name), "' ",
                           place ? StrCat("is ", tensor.type->name, ", which octavo does not read")
                                 : "has no place in the model"));
      }
      Parts& parts = parts_[place->name];
      parts.resize(static_cast<size_t>(place->num_parts));
      parts[static_cast<size_t>(place->part)] = &tensor;
    }
  }

  // Files of an old script have the two names of the vision MLP exchanged: the matrix that takes
  // the width of the tower is fc1. Source: llama.cpp pull request 13290.
  void UndoSwappedMlp() {
    const auto first = parts_.find("visual.blocks.0.mlp.fc1.weight");
    const auto norm = parts_.find("visual.blocks.0.norm1.weight");
    if (first == parts_.end() || norm == parts_.end()) return;
    const Shape& shape = first->second[0]->shape;
    const int64_t width = norm->second[0]->shape.num_elements();
    if (shape.rank() != 2 || shape[1] == width || shape[0] != width) return;
    for (auto& [name, parts] : parts_) {
      const size_t at = name.find(".mlp.fc1.");
      if (at == std::string::npos || name.rfind("visual.blocks.", 0) != 0) continue;
      std::string other = name;
      other.replace(at, 9, ".mlp.fc2.");
      const auto found = parts_.find(other);
      if (found != parts_.end()) std::swap(parts, found->second);
    }
  }

  void AddInfo(const std::string& name, const Parts& parts) {
    if (std::find(parts.begin(), parts.end(), nullptr) != parts.end()) {
      Throw(ErrorCode::kNotFound, name, "is not there whole");
    }
    TensorInfo info;
    info.name = name;
    info.shape = JoinedShape(name, parts);
    info.dtype = DType::kF32;
    if (parts.size() == 1) info.dtype = GgufFloatType(*parts[0]->type).value_or(DType::kF32);
    const bool is_blocks = !GgufFloatType(*parts[0]->type);
    if (info.shape.rank() == 2 && is_blocks) {
      const bool is_one_type = std::all_of(parts.begin(), parts.end(), [&](const auto* part) {
        return part->type == parts[0]->type;
      });
      const std::optional<GroupLayout> group = GgufGroupLayout(*parts[0]->type);
      if (group && is_one_type) {
        info.packed = PackedLayout::Quantized(*group, info.shape[0], info.shape[1]);
      } else {
        ++num_widened_;
        widened_bytes_ += StoredBytes(info);
        if (first_widened_.empty()) first_widened_ = StrCat(name, " of ", parts[0]->type->name);
      }
    }
    places_[name] = tensors_.size();
    tensors_.push_back(std::move(info));
  }

  Shape JoinedShape(const std::string& name, const Parts& parts) const {
    const Shape& first = parts[0]->shape;
    for (const GgufTensor* part : parts) {
      if (part->shape.rank() != first.rank() || part->shape.num_elements() == 0) {
        Throw(ErrorCode::kDataLoss, name,
              StrCat("has parts of shape ", first.ToString(), " and ", part->shape.ToString()));
      }
    }
    if (name == kPatchEmbedding) {
      if (first.rank() != 4 || !(parts[1]->shape == first)) {
        Throw(ErrorCode::kDataLoss, name, StrCat("has halves of shape ", first.ToString()));
      }
      return {first[0], first[1], 2, first[2], first[3]};
    }
    if (parts.size() == 1) return first;
    std::vector<int64_t> dims(static_cast<size_t>(first.rank()));
    for (int i = 0; i < first.rank(); ++i) dims[static_cast<size_t>(i)] = first[i];
    dims[0] = 0;
    for (const GgufTensor* part : parts) {
      dims[0] += part->shape[0];
      for (int i = 1; i < first.rank(); ++i) {
        if (part->shape[i] != first[i]) {
          Throw(ErrorCode::kDataLoss, name, "has parts of different widths");
        }
      }
    }
    return Shape(dims);
  }

  // [embed, channels, h, w] of both times to [embed, channels, time, h, w].
  static void JoinHalves(const Parts& halves, const Shape& shape, float* out) {
    const int64_t area = shape[3] * shape[4];
    const int64_t num_planes = shape[0] * shape[1];
    std::vector<float> half(static_cast<size_t>(num_planes * area));
    for (int64_t time = 0; time < 2; ++time) {
      const GgufTensor& part = *halves[static_cast<size_t>(time)];
      DequantizeGguf(*part.type, part.bytes.data(), num_planes * area, half.data());
      for (int64_t plane = 0; plane < num_planes; ++plane) {
        std::memcpy(out + (plane * 2 + time) * area, half.data() + plane * area,
                    static_cast<size_t>(area) * sizeof(float));
      }
    }
  }

  // Blocks of the row of the joined matrix.
  static const std::byte* RowOf(const Parts& parts, int64_t row, int64_t row_bytes) {
    for (const GgufTensor* part : parts) {
      if (row < part->shape[0]) return part->bytes.data() + row * row_bytes;
      row -= part->shape[0];
    }
    return nullptr;
  }

  void Pack(const TensorInfo& info, const Parts& parts, std::byte* out) const {
    const PackedLayout& layout = *info.packed;
    const GgufTensorType& type = *parts[0]->type;
    const int size = layout.group.group_size;
    const int64_t num_groups = layout.k / size;
    const int64_t row_bytes = num_groups * type.block_bytes;
    std::vector<uint8_t> q(static_cast<size_t>(kPanelColumns * size));
    uint16_t scales[kPanelColumns];
    uint8_t zeros[kPanelColumns];
    for (int64_t i = 0; i < layout.num_panels() * num_groups; ++i) {
      const int64_t panel = i / num_groups;
      const int64_t g = i % num_groups;
      const int64_t first = panel * kPanelColumns;
      const int64_t columns = std::min<int64_t>(kPanelColumns, layout.n - first);
      for (int64_t c = 0; c < columns; ++c) {
        const std::byte* block = RowOf(parts, first + c, row_bytes) + g * type.block_bytes;
        GgufGroupColumn(type, block, q.data() + c * size, &scales[c], &zeros[c]);
        if (!std::isfinite(ToFloat(Float16{scales[c]}))) {
          Throw(ErrorCode::kDataLoss, info.name, "has a scale that is not finite");
        }
      }
      WriteGroupBlock(layout.group, {q.data(), size, scales, zeros, static_cast<int>(columns)},
                      out + GroupBlockOffset(layout.group, layout.k, panel, g));
    }
  }

  GgufFacts Facts() const {
    GgufFacts facts;
    facts.has_head = FindInfo("lm_head.weight") != nullptr;
    const TensorInfo* table = FindInfo("model.embed_tokens.weight");
    const TensorInfo* fc1 = FindInfo("visual.blocks.0.mlp.fc1.weight");
    for (const auto& [name, info] :
         {std::pair{"token_embd.weight", table}, {"v.blk.0.ffn_up.weight", fc1}}) {
      if (info == nullptr) Throw(ErrorCode::kNotFound, name, "is absent");
      if (info->shape.rank() != 2) Throw(ErrorCode::kDataLoss, name, "is no matrix");
    }
    facts.vocab_size = table->shape[0];
    facts.vision_mlp = fc1->shape[0];
    facts.vision_width = fc1->shape[1];
    return facts;
  }

  // What the model was trained for; GGUF has no key for it.
  void AddCard() {
    constexpr size_t kMaxBytes = size_t{1} << 20;
    const fs::path path = fs::path(source_).replace_filename(kModelCardFile);
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) texts_[kModelCardFile] = ReadFile(path, kMaxBytes);
  }

  void WarnOfWidened() const {
    if (num_widened_ == 0) return;
    Log(LogLevel::kWarning,
        StrCat(PrintableName(source_, 400), ": ", num_widened_, " quantised matrices, first ",
               first_widened_, ", do not fit octavo's groups and take ", widened_bytes_ / 1'000'000,
               " MB as f32"));
  }

  const std::string source_;
  const std::shared_ptr<const Files> files_;
  std::map<std::string, Parts, std::less<>> parts_;  // by canonical name
  std::vector<TensorInfo> tensors_;
  std::map<std::string, size_t, std::less<>> places_;
  std::map<std::string, std::string> texts_;
  int num_widened_ = 0;
  size_t widened_bytes_ = 0;
  std::string first_widened_;
};

constexpr const char* kLanguage = "language file";
constexpr const char* kVision = "vision file";

// Files of a folder whose names end in .gguf, in order of their names.
std::vector<fs::path> GgufFiles(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".gguf") files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The only file of that architecture. `folder` for messages.
fs::path OnlyOf(const std::vector<fs::path>& files, const char* architecture, const char* what,
                const fs::path& folder) {
  fs::path found;
  for (const fs::path& file : files) {
    if (Gguf::Open(file).architecture() != architecture) continue;
    if (!found.empty()) {
      throw Error(
          ErrorCode::kInvalidArgument,
          StrCat(Name(folder), ": ", Name(found.filename()), " and ", Name(file.filename()),
                 " are both ", what, "s; keep one language file and one vision file in a folder"));
    }
    found = file;
  }
  if (found.empty()) {
    throw Error(ErrorCode::kNotFound,
                StrCat(Name(folder), ": no GGUF ", what, " (", architecture, ") there"));
  }
  return found;
}

}  // namespace

bool HasGgufFiles(const fs::path& folder) { return !GgufFiles(folder).empty(); }

fs::path GgufVisionFileBeside(const fs::path& language_file) {
  const fs::path folder = FolderOf(language_file);
  return OnlyOf(GgufFiles(folder), "clip", kVision, folder);
}

std::unique_ptr<Checkpoint> OpenGgufCheckpoint(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    const std::vector<fs::path> files = GgufFiles(path);
    return std::make_unique<GgufCheckpoint>(OnlyOf(files, "qwen2vl", kLanguage, path),
                                            OnlyOf(files, "clip", kVision, path));
  }
  if (Gguf::Open(path).architecture() != "qwen2vl") {
    throw Error(
        ErrorCode::kInvalidArgument,
        StrCat(Name(path), ": the vision file; give the language file that lies beside it"));
  }
  return std::make_unique<GgufCheckpoint>(path, GgufVisionFileBeside(path));
}

}  // namespace octavo
