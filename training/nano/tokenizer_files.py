"""The tokenizer of octavo-nano as Hugging Face files: byte-level BPE without merges, plus added tokens."""

from nano import vocabulary

#: Qwen2's chat template, with pictures.
CHAT_TEMPLATE = (
    "{% for message in messages %}{% if loop.first and message['role'] != 'system' %}<|im_start|>system\n"
    "You are a helpful assistant.<|im_end|>\n{% endif %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['content'] is string %}{{ message['content'] }}<|im_end|>\n{% else %}"
    "{% for content in message['content'] %}"
    "{% if content['type'] == 'image' or 'image' in content or 'image_url' in content %}"
    "<|vision_start|><|image_pad|><|vision_end|>{% elif 'text' in content %}{{ content['text'] }}{% endif %}"
    "{% endfor %}<|im_end|>\n{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
_CONTROL = [token for token in vocabulary.SPECIAL[:20] if token.startswith("<|")]


def byte_characters() -> dict[str, int]:
    """GPT-2's printable stand-in of each byte, with the byte as id."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    stand_in = {byte: chr(byte) for byte in plain}
    for byte in range(256):
        if byte not in stand_in:
            stand_in[byte] = chr(256 + len(stand_in) - len(plain))
    return {stand_in[byte]: byte for byte in range(256)}


def added_tokens() -> list[dict[str, object]]:
    """Entries of `added_tokens` in tokenizer.json."""
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    return [
        {"id": index, "content": token, **flags, "special": token in _CONTROL} for token, index in vocabulary.ID.items()
    ]


def tokenizer_json() -> dict[str, object]:
    model: dict[str, object] = {
        "type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "", "end_of_word_suffix": "",
        "fuse_unk": False, "byte_fallback": False, "ignore_merges": False, "vocab": byte_characters(), "merges": [],
    }  # fmt: skip
    split = {"type": "Split", "pattern": {"Regex": _SPLIT}, "behavior": "Isolated", "invert": False}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added_tokens(),
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, _BYTE_LEVEL]},
        "post_processor": _BYTE_LEVEL,
        "decoder": _BYTE_LEVEL,
        "model": model,
    }


def tokenizer_config() -> dict[str, object]:
    decoder = {str(entry["id"]): {k: v for k, v in entry.items() if k != "id"} for entry in added_tokens()}
    return {
        "add_prefix_space": False, "added_tokens_decoder": decoder, "additional_special_tokens": _CONTROL[1:],
        "bos_token": None, "eos_token": "<|im_end|>", "pad_token": "<|endoftext|>", "unk_token": None,
        "clean_up_tokenization_spaces": False, "errors": "replace", "model_max_length": 8192,
        "split_special_tokens": False, "tokenizer_class": "Qwen2Tokenizer", "chat_template": CHAT_TEMPLATE,
    }  # fmt: skip


def files() -> dict[str, object]:
    """JSON content by file name."""
    return {
        "tokenizer.json": tokenizer_json(),
        "tokenizer_config.json": tokenizer_config(),
        "vocab.json": byte_characters(),
        "added_tokens.json": vocabulary.ID,
        "special_tokens_map.json": {
            "additional_special_tokens": _CONTROL[1:], "eos_token": "<|im_end|>", "pad_token": "<|endoftext|>",
        },
        "chat_template.json": {"chat_template": CHAT_TEMPLATE},
    }  # fmt: skip
