#include "formats/gguf_names.h"

#include <algorithm>

#include "base/str_cat.h"

namespace octavo {
namespace {

struct Entry {
  std::string_view stored;
  std::string_view canonical;
  int part = 0;
  int num_parts = 1;
};

// Names without a number of a layer, whole.
constexpr Entry kWhole[] = {
    {"token_embd.weight", "model.embed_tokens.weight"},
    {"output_norm.weight", "model.norm.weight"},
    {"output.weight", "lm_head.weight"},
    {"v.patch_embd.weight", "visual.patch_embed.proj.weight", 0, 2},
    {"v.patch_embd.weight.1", "visual.patch_embed.proj.weight", 1, 2},
    {"v.post_ln.weight", "visual.merger.ln_q.weight"},
    {"v.post_ln.bias", "visual.merger.ln_q.bias"},
    {"mm.0.weight", "visual.merger.mlp.0.weight"},
    {"mm.0.bias", "visual.merger.mlp.0.bias"},
    {"mm.2.weight", "visual.merger.mlp.2.weight"},
    {"mm.2.bias", "visual.merger.mlp.2.bias"},
};

// Behind "blk.N.", before ".weight" or ".bias".
constexpr Entry kText[] = {
    {"attn_norm", "input_layernorm"},    {"attn_q", "self_attn.q_proj"},
    {"attn_k", "self_attn.k_proj"},      {"attn_v", "self_attn.v_proj"},
    {"attn_output", "self_attn.o_proj"}, {"ffn_norm", "post_attention_layernorm"},
    {"ffn_gate", "mlp.gate_proj"},       {"ffn_up", "mlp.up_proj"},
    {"ffn_down", "mlp.down_proj"},
};

// Behind "v.blk.N.".
constexpr Entry kVision[] = {
    {"ln1", "norm1"},
    {"attn_q", "attn.qkv", 0, 3},
    {"attn_k", "attn.qkv", 1, 3},
    {"attn_v", "attn.qkv", 2, 3},
    {"attn_out", "attn.proj"},
    {"ln2", "norm2"},
    {"ffn_up", "mlp.fc1"},
    {"ffn_down", "mlp.fc2"},
};

template <size_t kCount>
std::optional<GgufPlace> FindInLayer(const Entry (&entries)[kCount], std::string_view rest,
                                     std::string_view prefix) {
  const size_t dot = rest.find('.');
  if (dot == 0 || dot == std::string_view::npos || dot > 4) return std::nullopt;
  const std::string_view number = rest.substr(0, dot);
  const bool is_number =
      std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number || (number.size() > 1 && number[0] == '0')) return std::nullopt;
  rest.remove_prefix(dot + 1);
  const size_t last = rest.rfind('.');
  if (last == std::string_view::npos) return std::nullopt;
  const std::string_view kind = rest.substr(last);
  if (kind != ".weight" && kind != ".bias") return std::nullopt;
  for (const Entry& entry : entries) {
    if (entry.stored != rest.substr(0, last)) continue;
    return GgufPlace{StrCat(prefix, number, ".", entry.canonical, kind), entry.part,
                     entry.num_parts};
  }
  return std::nullopt;
}

// Names of the entries whose canonical one is that.
template <size_t kCount>
void AppendNames(const Entry (&entries)[kCount], std::string_view canonical, std::string_view begin,
                 std::string_view end, std::vector<std::string>* names) {
  for (const Entry& entry : entries) {
    if (entry.canonical == canonical) names->push_back(StrCat(begin, entry.stored, end));
  }
}

// "blk.N." or "v.blk.N." before what stands in a layer.
template <size_t kCount>
void AppendNamesOfLayer(const Entry (&entries)[kCount], std::string_view rest,
                        std::string_view prefix, std::vector<std::string>* names) {
  const size_t dot = rest.find('.');
  const size_t last = rest.rfind('.');
  if (dot == std::string_view::npos || last <= dot) return;
  AppendNames(entries, rest.substr(dot + 1, last - dot - 1),
              StrCat(prefix, rest.substr(0, dot + 1)), rest.substr(last), names);
}

constexpr std::string_view kTextLayers = "model.layers.";
constexpr std::string_view kVisionLayers = "visual.blocks.";

}  // namespace

std::vector<std::string> GgufNamesOf(std::string_view canonical) {
  std::vector<std::string> names;
  AppendNames(kWhole, canonical, "", "", &names);
  if (canonical.starts_with(kTextLayers)) {
    AppendNamesOfLayer(kText, canonical.substr(kTextLayers.size()), "blk.", &names);
  }
  if (canonical.starts_with(kVisionLayers)) {
    AppendNamesOfLayer(kVision, canonical.substr(kVisionLayers.size()), "v.blk.", &names);
  }
  return names;
}

std::optional<GgufPlace> FindGgufPlace(std::string_view name) {
  constexpr std::string_view kTextPrefix = "blk.";
  constexpr std::string_view kVisionPrefix = "v.blk.";
  for (const Entry& entry : kWhole) {
    if (entry.stored == name) {
      return GgufPlace{std::string(entry.canonical), entry.part, entry.num_parts};
    }
  }
  if (name.substr(0, kTextPrefix.size()) == kTextPrefix) {
    return FindInLayer(kText, name.substr(kTextPrefix.size()), kTextLayers);
  }
  if (name.substr(0, kVisionPrefix.size()) == kVisionPrefix) {
    return FindInLayer(kVision, name.substr(kVisionPrefix.size()), kVisionLayers);
  }
  return std::nullopt;
}

}  // namespace octavo
