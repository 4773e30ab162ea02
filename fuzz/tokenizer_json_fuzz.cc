// Hostile bytes to the loader of tokenizer.json. An Error is the expected answer; a tokenizer that
// loads gives back the text it encodes.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "octavo/error.h"
#include "text/tokenizer_loader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const octavo::Tokenizer tokenizer = octavo::LoadTokenizerJson(text, "fuzz");
    const std::string_view sample = "It's 1 <|im_end|> of\n\n the text.";
    tokenizer.Encode(sample);
    OCTAVO_CHECK(tokenizer.Decode(tokenizer.EncodePlain(sample), false) == sample);
  } catch (const octavo::Error&) {
  }
  return 0;
}
