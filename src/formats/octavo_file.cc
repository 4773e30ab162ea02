#include "formats/octavo_file.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "base/xxh.h"
#include "formats/octavo_layout.h"
#include "octavo/error.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

// The file and where everything is. Const and safe from any thread.
struct Opened {
  explicit Opened(const fs::path& path)
      : file(MappedFile::Open(path)), index(ReadOctavoIndex(file.bytes(), path.native())) {
    // With pages of 4 KB decoding, which reads all weights for every token, waits for addresses.
    file.AdviseHugePages();
  }

  std::span<const std::byte> Bytes(const OctavoBytes& bytes) const {
    return file.bytes().subspan(static_cast<size_t>(bytes.offset), static_cast<size_t>(bytes.size));
  }

  const MappedFile file;
  const OctavoIndex index;
};

class OctavoFile final : public Checkpoint {
 public:
  explicit OctavoFile(const fs::path& path) : opened_(std::make_shared<const Opened>(path)) {
    for (const OctavoTensor& tensor : opened_->index.tensors) {
      TensorInfo info{tensor.name, DType::kF32, tensor.shape};
      if (tensor.is_matrix()) {
        info.dtype = tensor.layout.unpacked_dtype();
        info.packed = tensor.layout;
      }
      places_[info.name] = &tensor;
      tensors_.push_back(std::move(info));
    }
  }

  std::string Source() const override { return opened_->file.path().string(); }
  std::string Container() const override { return StrCat("octavo version ", kOctavoVersion); }
  const std::vector<TensorInfo>& Tensors() const override { return tensors_; }

  std::optional<LoadedTensor> Find(std::string_view name) const override {
    const auto found = places_.find(name);
    if (found == places_.end()) return std::nullopt;
    const OctavoTensor& tensor = *found->second;
    if (tensor.is_matrix()) {
      return Unpack(Packed(tensor), tensor.shape, tensor.layout.unpacked_dtype());
    }
    return LoadedTensor{{opened_->Bytes(tensor.bytes).data(), DType::kF32, tensor.shape}, opened_};
  }

  std::optional<PackedTensor> FindPacked(std::string_view name) const override {
    const auto found = places_.find(name);
    if (found == places_.end() || !found->second->is_matrix()) return std::nullopt;
    return Packed(*found->second);
  }

  std::optional<std::string> TextFile(std::string_view name) const override {
    for (const OctavoText& text : opened_->index.texts) {
      if (text.name != name) continue;
      const auto bytes = opened_->Bytes(text.bytes);
      return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    return std::nullopt;
  }

 private:
  PackedTensor Packed(const OctavoTensor& tensor) const {
    return {tensor.layout, opened_->Bytes(tensor.bytes).data(), opened_};
  }

  std::shared_ptr<const Opened> opened_;
  std::vector<TensorInfo> tensors_;
  std::map<std::string, const OctavoTensor*, std::less<>> places_;
};

class Verifier {
 public:
  explicit Verifier(const Opened& opened)
      : opened_(opened), where_(PrintableName(opened.file.path().native(), 400)) {}

  void Verify() {
    end_ = static_cast<size_t>(opened_.index.index_end);
    for (const OctavoText& text : opened_.index.texts) Entry(text.name, text.bytes);
    for (const OctavoTensor& tensor : opened_.index.tensors) {
      Entry(tensor.name, tensor.bytes);
      const PackedLayout& layout = tensor.layout;
      if (tensor.is_matrix() && layout.is_quantized() &&
          !GroupValuesInRange(layout.group, layout.n, layout.k,
                              opened_.Bytes(tensor.bytes).data())) {
        Damaged(tensor.name, "holds values beyond the range that its index names");
      }
      opened_.file.Release(opened_.Bytes(tensor.bytes));
    }
  }

 private:
  [[noreturn]] void Damaged(std::string_view name, const char* what) const {
    throw Error(ErrorCode::kDataLoss, StrCat(where_, ": '", PrintableName(name), "' ", what));
  }

  // The filling before the entry, then its bytes.
  void Entry(std::string_view name, const OctavoBytes& bytes) {
    const auto filling = opened_.file.bytes().subspan(end_, bytes.offset - end_);
    const bool is_zero =
        std::all_of(filling.begin(), filling.end(), [](std::byte b) { return b == std::byte{0}; });
    if (!is_zero) Damaged(name, "has bytes before it that are not 0");
    if (Xxh64(opened_.Bytes(bytes)) != bytes.hash) Damaged(name, "does not have its checksum");
    end_ = static_cast<size_t>(bytes.offset + bytes.size);
  }

  const Opened& opened_;
  const std::string where_;
  size_t end_ = 0;
};

}  // namespace

std::unique_ptr<Checkpoint> OpenOctavoFile(const fs::path& path) {
  return std::make_unique<OctavoFile>(path);
}

std::optional<std::string> ReadOctavoText(const fs::path& path, std::string_view name) {
  std::error_code ignored;
  fs::path file = path;
  if (fs::is_directory(path, ignored)) {
    file = path / "model.octavo";
    if (fs::exists(path / "config.json", ignored)) return std::nullopt;
  }
  if (!fs::is_regular_file(file, ignored)) return std::nullopt;
  {
    const MappedFile head = MappedFile::Open(file);
    const auto bytes = head.bytes();
    if (bytes.size() < kOctavoMagic.size() ||
        std::memcmp(bytes.data(), kOctavoMagic.data(), kOctavoMagic.size()) != 0) {
      return std::nullopt;
    }
  }
  return OctavoFile(file).TextFile(name);
}

void VerifyOctavoFile(const fs::path& path) {
  const Opened opened(path);
  Verifier(opened).Verify();
}

}  // namespace octavo
