// Tiny writers of safetensors and GGUF bytes, for tests that damage them field by field.
#ifndef OCTAVO_TESTS_TESTING_CONTAINER_BYTES_H_
#define OCTAVO_TESTS_TESTING_CONTAINER_BYTES_H_

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace octavo::testing {

template <typename T>
void AppendNumber(T value, std::string* out) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out->append(bytes, sizeof(T));
}

inline std::span<const std::byte> AsBytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

// Header length, header, data.
inline std::string SafetensorsBytes(std::string_view header, std::string_view data) {
  std::string out;
  AppendNumber<uint64_t>(header.size(), &out);
  return out.append(header).append(data);
}

inline void AppendGgufString(std::string_view text, std::string* out) {
  AppendNumber<uint64_t>(text.size(), out);
  out->append(text);
}

// A GGUF file whose every field can be set. Values and tensor infos are given as bytes.
struct GgufBytes {
  std::string magic = "GGUF";
  uint32_t version = 3;
  std::vector<std::string> values;
  std::vector<std::string> tensors;
  uint64_t alignment = 32;  // of the data; does not add the key
  std::string data;

  void AddString(std::string_view key, std::string_view value) {
    std::string out;
    AppendGgufString(key, &out);
    AppendNumber<uint32_t>(8, &out);
    AppendGgufString(value, &out);
    values.push_back(out);
  }
  // `type` is GGUF's number for T.
  template <typename T>
  void AddNumber(std::string_view key, uint32_t type, T value) {
    std::string out;
    AppendGgufString(key, &out);
    AppendNumber<uint32_t>(type, &out);
    AppendNumber(value, &out);
    values.push_back(out);
  }
  void AddTensor(std::string_view name, const std::vector<uint64_t>& dims, uint32_t type,
                 uint64_t offset) {
    std::string out;
    AppendGgufString(name, &out);
    AppendNumber<uint32_t>(static_cast<uint32_t>(dims.size()), &out);
    for (const uint64_t dim : dims) AppendNumber<uint64_t>(dim, &out);
    AppendNumber<uint32_t>(type, &out);
    AppendNumber<uint64_t>(offset, &out);
    tensors.push_back(out);
  }
  std::string ToString() const {
    std::string out = magic;
    AppendNumber<uint32_t>(version, &out);
    AppendNumber<uint64_t>(tensors.size(), &out);
    AppendNumber<uint64_t>(values.size(), &out);
    for (const std::string& value : values) out += value;
    for (const std::string& tensor : tensors) out += tensor;
    out.resize((out.size() + alignment - 1) / alignment * alignment, '\0');
    return out + data;
  }
};

}  // namespace octavo::testing

#endif  // OCTAVO_TESTS_TESTING_CONTAINER_BYTES_H_
