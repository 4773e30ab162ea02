// Checkpoint: the named tensors and text files of a model, whatever container holds them.
//
// Readers of one container each (safetensors, octavo, gguf) validate every header field before a
// byte of data is touched; this file decides which reader a path needs and gives tensors their
// canonical names. It knows nothing of the model that the tensors make.
#ifndef OCTAVO_FORMATS_CHECKPOINT_H_
#define OCTAVO_FORMATS_CHECKPOINT_H_

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/packed_layout.h"
#include "tensor/tensor.h"

namespace octavo {

// The text file that says what a model was trained for (document/model_card.h).
inline constexpr char kModelCardFile[] = "octavo.json";

// Name, dtype and shape of a tensor, without its data.
struct TensorInfo {
  std::string name;
  DType dtype = DType::kF32;  // of what Find gives
  Shape shape;
  // Matrices that lie in the file, or are made at load, in the order in which matmul reads them.
  std::optional<PackedLayout> packed = std::nullopt;
};

// Bytes of the tensor as it is kept.
size_t StoredBytes(const TensorInfo& tensor);

// A tensor's data while it is needed. Dropping it lets the bytes go: a mapped file's pages no
// longer count as this process's memory, a generated tensor is freed.
struct LoadedTensor {
  TensorView view;
  std::shared_ptr<const void> owner;
};

// A matrix in packed order: PackedBytes(layout) bytes from a 64-byte boundary on. Unlike
// LoadedTensor it is meant to be kept: the model computes with these bytes.
struct PackedTensor {
  PackedLayout layout;
  const std::byte* data = nullptr;
  std::shared_ptr<const void> owner;
};

// The matrix as rows of `dtype`: F32, F16 or BF16, whichever holds the packed numbers exactly.
LoadedTensor Unpack(const PackedTensor& packed, const Shape& shape, DType dtype);

// Canonical names are those of the published checkpoints: `visual.…` for the vision tower,
// `model.…` for the language model, `lm_head.weight`. `model.visual.`, `model.language_model.` and
// `language_model.model.` are mapped to them.
std::string CanonicalTensorName(std::string_view name);

// Const and safe from any thread.
class Checkpoint {
 public:
  // `path` is a folder of Hugging Face files (config.json with model.safetensors, or with
  // model.safetensors.index.json and its shards; shard names that leave the folder are refused), or
  // an .octavo file, or a folder with one called model.octavo. Throws kNotFound (path, config.json,
  // weights or a shard absent), kDataLoss (damaged), kUnsupported (another kind of file, a
  // quantisation that is not read).
  static std::unique_ptr<Checkpoint> Open(const std::filesystem::path& path);

  virtual ~Checkpoint() = default;

  // Where it came from, for messages: a path or "synthetic".
  virtual std::string Source() const = 0;
  // Container in words: "safetensors", "safetensors, 3 shards", "octavo version 0", "synthetic".
  virtual std::string Container() const = 0;
  // Every tensor, canonical names, in a fixed order.
  virtual const std::vector<TensorInfo>& Tensors() const = 0;
  // The tensor of that canonical name as plain rows; nullopt if there is none. Packed ones are
  // unpacked for the occasion, quantised ones to f32, (q - zero) * scale rounded once.
  virtual std::optional<LoadedTensor> Find(std::string_view name) const = 0;
  // The matrix of that name if its TensorInfo says that it is packed, else nullopt. Quantised
  // matrices that the container holds in another order are repacked by the call, exactly.
  // Throws kDataLoss (a scale that is not finite, values out of range).
  virtual std::optional<PackedTensor> FindPacked(std::string_view name) const;
  // A text file of the set ("config.json", "tokenizer.json", …); nullopt if absent.
  // Throws kIo, kResourceExhausted (larger than 256 MiB).
  virtual std::optional<std::string> TextFile(std::string_view name) const = 0;

  // As Find, but throws kNotFound naming tensor and source.
  LoadedTensor Get(std::string_view name) const;
  // As TextFile, but throws kNotFound naming file and source.
  std::string GetTextFile(std::string_view name) const;
};

}  // namespace octavo

#endif  // OCTAVO_FORMATS_CHECKPOINT_H_
