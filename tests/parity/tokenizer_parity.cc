// Ids, text and streaming steps of the reference tokenizer with the real Qwen2 vocabulary.
#include "base/str_cat.h"
#include "octavo/error.h"
#include "tests/parity/parity.h"
#include "tests/testing/gzip_file.h"
#include "text/detokenizer.h"
#include "text/tokenizer_loader.h"

namespace octavo::parity {
namespace {

std::string FromHex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

void CheckText(const std::string& what, const std::string& got, const std::string& expected,
               Report* report) {
  report->Check(got == expected, what,
                StrCat(got.size(), " bytes, expected ", expected.size(), " other ones"));
}

void CheckEncode(const Tokenizer& tokenizer, const nlohmann::json& cases, Report* report) {
  int number = 0;
  for (const auto& entry : cases.at("encode")) {
    const std::string what = StrCat("tokenizer string ", number++);
    const auto text = entry.at("text").get<std::string>();
    const auto ids = entry.at("ids").get<std::vector<int32_t>>();
    report->CheckEqual(what + " ids", tokenizer.Encode(text), ids);
    const auto& decoded = entry.at("decoded");
    const auto& skipped = entry.at("decoded_skip_special");
    const std::string whole = decoded.is_null() ? text : decoded.get<std::string>();
    CheckText(what + " decoded", tokenizer.Decode(ids, false), whole, report);
    CheckText(what + " decoded without special tokens", tokenizer.Decode(ids, true),
              skipped.is_null() ? whole : skipped.get<std::string>(), report);
  }
  number = 0;
  for (const auto& entry : cases.at("invalid_utf8")) {
    report->CheckEqual(StrCat("tokenizer invalid UTF-8 ", number++, " ids"),
                       tokenizer.Encode(FromHex(entry.at("bytes_hex").get<std::string>())),
                       entry.at("ids").get<std::vector<int32_t>>());
  }
}

void CheckDecode(const Tokenizer& tokenizer, const nlohmann::json& cases, Report* report) {
  for (const auto& entry : cases.at("cases")) {
    const std::string what =
        StrCat("tokenizer decode \"", entry.at("name").get<std::string>(), "\"");
    const auto ids = entry.at("ids").get<std::vector<int32_t>>();
    CheckText(what, tokenizer.Decode(ids, false), entry.at("text").get<std::string>(), report);
    CheckText(what + " without special tokens", tokenizer.Decode(ids, true),
              entry.at("text_skip_special").get<std::string>(), report);
    Detokenizer detokenizer(tokenizer, false);
    std::string streamed;
    bool same = true;
    for (size_t i = 0; i < ids.size(); ++i) {
      const std::string piece = detokenizer.Append(ids[i]);
      const auto& expected = entry.at("decode_stream_steps").at(i);
      same = same && piece == (expected.is_null() ? "" : expected.get<std::string>());
      streamed += piece;
    }
    report->Check(same, what + " steps", "another division than the reference's");
    CheckText(what + " streamed", streamed + detokenizer.Finish(),
              entry.at("text").get<std::string>(), report);
  }
}

}  // namespace

void CheckTokenizer(const std::filesystem::path& folder, Report* report) {
  const std::filesystem::path tokenizers = folder / "tokenizer";
  const std::string file = "qwen2-mineru-tokenizer.json.gz";
  const Tokenizer tokenizer =
      LoadTokenizerJson(testing::ReadGzipFile((tokenizers / file).string()), file);
  CheckEncode(tokenizer, ReadJson(tokenizers / "cases.json"), report);
  CheckDecode(tokenizer, ReadJson(tokenizers / "decode.json"), report);
}

}  // namespace octavo::parity
