// The element types of GGUF tensors: names and block sizes.
#ifndef OCTAVO_FORMATS_GGUF_TENSOR_TYPE_H_
#define OCTAVO_FORMATS_GGUF_TENSOR_TYPE_H_

#include <cstdint>

namespace octavo {

// How a tensor's elements are stored: name, elements of a block and its bytes.
struct GgufTensorType {
  uint32_t id;
  const char* name;  // "Q4_K"
  int64_t block_elements;
  int64_t block_bytes;
};

// nullptr for removed and unknown ids.
const GgufTensorType* FindGgufTensorType(uint32_t id) noexcept;

}  // namespace octavo

#endif  // OCTAVO_FORMATS_GGUF_TENSOR_TYPE_H_
