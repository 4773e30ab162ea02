#include "quantize/write_gguf.h"

#include <cstring>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/file.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "formats/checkpoint.h"
#include "formats/gguf_encode.h"
#include "formats/gguf_names.h"
#include "formats/gguf_tokens.h"
#include "formats/gguf_writer.h"
#include "octavo/error.h"
#include "quantize/tensor_maker.h"
#include "vision/preprocess.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

constexpr char kPatchEmbedding[] = "visual.patch_embed.proj.weight";

[[noreturn]] void Refuse(const Checkpoint& checkpoint, const std::string& name,
                         const std::string& why) {
  throw Error(ErrorCode::kUnsupported, StrCat(PrintableName(checkpoint.Source(), 400), ": ",
                                              PrintableName(name), ": ", why));
}

// One tensor of the model and what it becomes.
struct Piece {
  const PlannedTensor* planned = nullptr;
  const TensorInfo* source = nullptr;
  const GgufTensorType* type = nullptr;
  std::vector<std::string> names;  // of its parts

  const OctavoTensor& tensor() const { return planned->tensor; }
  bool is_vision() const { return PartOfTensor(tensor().name) == ModelPart::kVision; }
  bool is_groups() const { return tensor().is_matrix() && tensor().layout.is_quantized(); }
  bool is_patches() const { return tensor().name == kPatchEmbedding; }

  Shape PartShape() const {
    const Shape& shape = tensor().shape;
    if (is_patches()) return {shape[0], shape[1], shape[3], shape[4]};
    const auto parts = static_cast<int64_t>(names.size());
    if (shape.rank() == 1) return {shape[0] / parts};
    return {shape[0] / parts, shape.num_elements() / shape[0]};
  }
};

const GgufTensorType& TypeOf(const Checkpoint& checkpoint, const Piece& piece) {
  const OctavoTensor& tensor = piece.tensor();
  if (!tensor.is_matrix() || piece.is_patches()) return GgufTypeOf(DType::kF32);
  if (!piece.is_groups()) return GgufTypeOf(tensor.layout.unpacked_dtype());
  if (const char* reason = NotForGguf(tensor.layout)) Refuse(checkpoint, tensor.name, reason);
  if (!piece.source->packed || !piece.source->packed->is_quantized()) {
    return GgufTypeForRounded(tensor.layout);
  }
  const PackedTensor packed = *checkpoint.FindPacked(tensor.name);
  const GgufTensorType* const type = GgufTypeFor(packed.layout, packed.data);
  if (type == nullptr)
    Refuse(checkpoint, tensor.name, "GGUF has no 8 bits with other zeros than 128");
  return *type;
}

std::vector<Piece> PiecesOf(const Checkpoint& checkpoint, const std::vector<PlannedTensor>& plan) {
  std::map<std::string_view, const TensorInfo*> sources;
  for (const TensorInfo& tensor : checkpoint.Tensors()) sources[tensor.name] = &tensor;
  std::vector<Piece> pieces;
  for (const PlannedTensor& planned : plan) {
    Piece& piece = pieces.emplace_back();
    piece.planned = &planned;
    piece.source = sources.at(planned.tensor.name);
    piece.names = GgufNamesOf(planned.tensor.name);
    OCTAVO_CHECK(!piece.names.empty(), planned.tensor.name);
    piece.type = &TypeOf(checkpoint, piece);
  }
  return pieces;
}

std::vector<GgufTarget> TargetsOf(const std::vector<Piece>& pieces, bool vision) {
  std::vector<GgufTarget> targets;
  for (const Piece& piece : pieces) {
    if (piece.is_vision() != vision) continue;
    for (const std::string& name : piece.names) {
      targets.push_back({name, piece.type, piece.PartShape()});
    }
  }
  return targets;
}

// The template of the chat, where the model's files have one.
std::optional<std::string> ChatTemplate(const Checkpoint& checkpoint) {
  if (auto text = checkpoint.TextFile("chat_template.jinja")) return text;
  for (const char* file : {"chat_template.json", "tokenizer_config.json"}) {
    const auto text = checkpoint.TextFile(file);
    if (!text) continue;
    if (auto chat = FindChatTemplate(*text)) return chat;
  }
  return std::nullopt;
}

uint32_t U32(int64_t value) { return static_cast<uint32_t>(value); }

// Keys: ggml-org/llama.cpp gguf-py/gguf/constants.py.
GgufMetadata LanguageMetadata(const Checkpoint& checkpoint, const ModelConfig& config) {
  const TextConfig& text = config.text;
  GgufMetadata metadata;
  metadata.AddText("general.architecture", "qwen2vl");
  metadata.AddText("general.type", "model");
  metadata.AddU32("general.quantization_version", 2);
  metadata.AddU32("qwen2vl.block_count", U32(text.num_hidden_layers));
  metadata.AddU32("qwen2vl.context_length", U32(text.max_position_embeddings));
  metadata.AddU32("qwen2vl.embedding_length", U32(text.hidden_size));
  metadata.AddU32("qwen2vl.feed_forward_length", U32(text.intermediate_size));
  metadata.AddU32("qwen2vl.attention.head_count", U32(text.num_attention_heads));
  metadata.AddU32("qwen2vl.attention.head_count_kv", U32(text.num_key_value_heads));
  metadata.AddF32("qwen2vl.attention.layer_norm_rms_epsilon", text.rms_norm_eps);
  metadata.AddF32("qwen2vl.rope.freq_base", static_cast<float>(text.rope_theta));
  const std::array<int, 3>& sections = text.mrope_section;
  metadata.AddI32s("qwen2vl.rope.dimension_sections",
                   std::vector<int32_t>{sections[0], sections[1], sections[2], 0});
  AddTokens(ParseGgufTokens(checkpoint.GetTextFile("tokenizer.json"), text.vocab_size,
                            StrCat(checkpoint.Source(), "/tokenizer.json")),
            &metadata);
  if (!config.eos_token_ids.empty()) {
    metadata.AddU32("tokenizer.ggml.eos_token_id", U32(config.eos_token_ids[0]));
  }
  if (const auto chat = ChatTemplate(checkpoint)) {
    metadata.AddText("tokenizer.chat_template", *chat);
  }
  return metadata;
}

// Keys: ggml-org/llama.cpp tools/mtmd/clip-impl.h.
GgufMetadata VisionMetadata(const Checkpoint& checkpoint, const ModelConfig& config) {
  const VisionConfig& vision = config.vision;
  const PreprocessorConfig preprocessor = ParsePreprocessorConfig(
      checkpoint.GetTextFile("preprocessor_config.json"), checkpoint.Source());
  const auto floats = [](const std::array<double, 3>& values) {
    return std::vector<float>{static_cast<float>(values[0]), static_cast<float>(values[1]),
                              static_cast<float>(values[2])};
  };
  GgufMetadata metadata;
  metadata.AddText("general.architecture", "clip");
  metadata.AddText("general.type", "mmproj");
  metadata.AddU32("general.quantization_version", 2);
  metadata.AddBool("clip.has_vision_encoder", true);
  metadata.AddText("clip.projector_type", "qwen2vl_merger");
  // Read by loaders, used by none of this family: pictures have their own sizes.
  metadata.AddU32("clip.vision.image_size", 560);
  metadata.AddU32("clip.vision.patch_size", U32(vision.patch_size));
  metadata.AddU32("clip.vision.embedding_length", U32(vision.embed_dim));
  metadata.AddU32("clip.vision.feed_forward_length", U32(vision.mlp_dim));
  metadata.AddU32("clip.vision.block_count", U32(vision.depth));
  metadata.AddU32("clip.vision.attention.head_count", U32(vision.num_heads));
  metadata.AddF32("clip.vision.attention.layer_norm_epsilon", 1e-6f);
  metadata.AddU32("clip.vision.projection_dim", U32(config.text.hidden_size));
  metadata.AddU32("clip.vision.spatial_merge_size", U32(vision.spatial_merge_size));
  metadata.AddU32("clip.vision.image_min_pixels", U32(preprocessor.min_pixels));
  metadata.AddU32("clip.vision.image_max_pixels", U32(preprocessor.max_pixels));
  metadata.AddF32s("clip.vision.image_mean", floats(preprocessor.image_mean));
  metadata.AddF32s("clip.vision.image_std", floats(preprocessor.image_std));
  return metadata;
}

// [embed, channels, time, h, w] to one half in time, [embed, channels, h, w].
std::vector<float> HalfOfPatches(const Shape& shape, std::span<const float> values, int64_t time) {
  const int64_t area = shape[3] * shape[4];
  std::vector<float> half(static_cast<size_t>(shape[0] * shape[1] * area));
  for (int64_t plane = 0; plane < shape[0] * shape[1]; ++plane) {
    std::memcpy(half.data() + plane * area, values.data() + (plane * shape[2] + time) * area,
                static_cast<size_t>(area) * sizeof(float));
  }
  return half;
}

// Rows [begin, begin + count) of a packed float matrix in `dtype`, the one that it is packed in.
std::vector<std::byte> FloatRows(const PackedTensor& packed, DType dtype, int64_t begin,
                                 int64_t count) {
  const LoadedTensor rows = Unpack(packed, {packed.layout.n, packed.layout.k}, dtype);
  const auto row_bytes = static_cast<size_t>(packed.layout.k) * DTypeSize(dtype);
  const std::byte* const first = rows.view.data + static_cast<size_t>(begin) * row_bytes;
  return {first, first + static_cast<size_t>(count) * row_bytes};
}

// The bytes of one part of a tensor.
std::vector<std::byte> PartBytes(const Piece& piece, const MadeTensor& made, size_t part) {
  const OctavoTensor& tensor = piece.tensor();
  const auto index = static_cast<int64_t>(part);
  if (tensor.is_matrix() && !piece.is_patches()) {
    const PackedTensor packed = {tensor.layout, made.bytes.data(), made.owner};
    const int64_t count = tensor.layout.n / static_cast<int64_t>(piece.names.size());
    if (piece.is_groups()) {
      return ToGgufBlocks(tensor.layout, packed.data, *piece.type, index * count, count);
    }
    return FloatRows(packed, tensor.layout.unpacked_dtype(), index * count, count);
  }
  std::vector<float> values(static_cast<size_t>(tensor.shape.num_elements()));
  if (tensor.is_matrix()) {
    const PackedTensor packed = {tensor.layout, made.bytes.data(), made.owner};
    const DType dtype = tensor.layout.unpacked_dtype();
    const LoadedTensor rows = Unpack(packed, tensor.shape, dtype);
    ToFloats(rows.view, 0, std::ssize(values), values.data());
  } else {
    std::memcpy(values.data(), made.bytes.data(), made.bytes.size());
  }
  if (piece.is_patches()) {
    values = HalfOfPatches(tensor.shape, values, index);
  } else {
    const auto count = std::ssize(values) / std::ssize(piece.names);
    values = {values.begin() + index * count, values.begin() + (index + 1) * count};
  }
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

WrittenModel WriteGgufFolder(const Checkpoint& checkpoint, const ExportOptions& options,
                             const Adjustments& adjustments, const fs::path& folder,
                             ThreadPool* pool, const WriteProgress& progress) {
  const ModelConfig config = LoadModelConfig(checkpoint);
  const std::vector<PlannedTensor> plan = PlanExport(config, checkpoint.Tensors(), options);
  const std::vector<Piece> pieces = PiecesOf(checkpoint, plan);
  GgufWriter language(folder / kGgufLanguageFile, LanguageMetadata(checkpoint, config),
                      TargetsOf(pieces, false));
  GgufWriter vision(folder / kGgufVisionFile, VisionMetadata(checkpoint, config),
                    TargetsOf(pieces, true));
  const AdjustedCheckpoint adjusted(checkpoint, adjustments);
  const TensorMaker maker(adjusted, pool);
  WrittenModel model;
  double all = 0;
  double done = 0;
  for (const Piece& piece : pieces) all += static_cast<double>(piece.tensor().shape.num_elements());
  for (const Piece& piece : pieces) {
    const OctavoTensor& tensor = piece.tensor();
    if (progress) progress(tensor.name, done / all);
    WrittenTensor& written = model.tensors.emplace_back();
    written.name = tensor.name;
    written.shape = tensor.shape;
    written.from = FormOfTensor(*piece.source);
    written.to = piece.type->name;
    written.note = piece.planned->note;
    const MadeTensor made = maker.Make(*piece.planned, *piece.source);
    written.rounding = made.rounding;
    for (size_t part = 0; part < piece.names.size(); ++part) {
      const std::vector<std::byte> bytes = PartBytes(piece, made, part);
      written.bytes += bytes.size();
      (piece.is_vision() ? vision : language).Append(bytes);
    }
    model.source_bytes += StoredBytes(*piece.source);
    done += static_cast<double>(tensor.shape.num_elements());
  }
  if (const auto card = checkpoint.TextFile(kModelCardFile)) {
    WriteFileAtomically(folder / kModelCardFile, *card);
  }
  vision.Commit();
  language.Commit();
  model.file_bytes = language.file_bytes() + vision.file_bytes();
  return model;
}

}  // namespace octavo
