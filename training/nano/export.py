"""Writes a training state as a Hugging Face Qwen2-VL folder: python -m nano.export STATE OUT [--check PICTURE].

The model card (README.md) in the folder is left alone. --check reads a picture with transformers and with our model and
fails when prompt ids, answers or logits differ.
"""

import argparse
import json
import os
import sys

import numpy as np
import torch
from PIL import Image
from safetensors.torch import save_file

from nano import tokenizer_files, vocabulary, weights
from nano.canvas import smart_resize
from nano.model import IMAGE_MEAN, IMAGE_STD, Config, Nano

MIN_PIXELS, MAX_PIXELS = 28 * 28, 672 * 672
_LOGIT_TOLERANCE = 0.05  # float32 arithmetic on both sides; the picture's luminance is rounded to 8 bits on ours only


def config_json(config: Config) -> dict[str, object]:
    vision = {
        "depth": config.vision_depth, "embed_dim": config.vision_width, "num_heads": config.vision_heads,
        "mlp_ratio": config.vision_mlp // config.vision_width, "hidden_size": config.width, "patch_size": 14,
        "temporal_patch_size": 2, "spatial_merge_size": 2, "in_channels": 3, "in_chans": 3,
        "hidden_act": "quick_gelu", "model_type": "qwen2_vl",
    }  # fmt: skip
    return {
        "architectures": ["Qwen2VLForConditionalGeneration"], "model_type": "qwen2_vl", "hidden_size": config.width,
        "num_hidden_layers": config.depth, "num_attention_heads": config.heads, "num_key_value_heads": config.kv_heads,
        "intermediate_size": config.ffn, "hidden_act": "silu", "vocab_size": vocabulary.SIZE, "rms_norm_eps": 1e-6,
        "rope_theta": config.rope_theta, "rope_scaling": {"type": "mrope", "mrope_section": list(config.mrope_section)},
        "max_position_embeddings": 8192, "tie_word_embeddings": True, "bos_token_id": vocabulary.END_OF_TEXT,
        "eos_token_id": vocabulary.IM_END, "pad_token_id": vocabulary.END_OF_TEXT,
        "vision_start_token_id": vocabulary.VISION_START, "vision_end_token_id": vocabulary.VISION_END,
        "vision_token_id": vocabulary.ID["<|vision_pad|>"], "image_token_id": vocabulary.IMAGE_PAD,
        "video_token_id": vocabulary.ID["<|video_pad|>"], "torch_dtype": "bfloat16", "use_sliding_window": False,
        "sliding_window": 8192, "max_window_layers": config.depth, "attention_dropout": 0.0,
        "initializer_range": 0.02, "use_cache": True, "vision_config": vision,
    }  # fmt: skip


def write_folder(model: Nano, out: str) -> None:
    """bfloat16 weights, config, preprocessor and tokenizer files."""
    os.makedirs(out, exist_ok=True)
    tensors = {name: value.to(torch.bfloat16) for name, value in weights.to_hf(model).items()}
    save_file(tensors, os.path.join(out, "model.safetensors"), metadata={"format": "pt"})
    ends = [vocabulary.IM_END, vocabulary.END_OF_TEXT]
    contents: dict[str, object] = {
        "config.json": config_json(model.config),
        "generation_config.json": {
            "bos_token_id": vocabulary.END_OF_TEXT, "pad_token_id": vocabulary.END_OF_TEXT, "eos_token_id": ends,
            "do_sample": True, "temperature": 0.01, "top_p": 0.001, "top_k": 1, "repetition_penalty": 1.0,
        },
        "preprocessor_config.json": {
            "min_pixels": MIN_PIXELS, "max_pixels": MAX_PIXELS,
            "size": {"shortest_edge": MIN_PIXELS, "longest_edge": MAX_PIXELS}, "patch_size": 14,
            "temporal_patch_size": 2, "merge_size": 2, "image_mean": IMAGE_MEAN, "image_std": IMAGE_STD,
            "rescale_factor": 1 / 255, "do_rescale": True, "do_normalize": True, "do_resize": True,
            "do_convert_rgb": True, "resample": 3, "image_processor_type": "Qwen2VLImageProcessor",
            "processor_class": "Qwen2VLProcessor",
        },
        **tokenizer_files.files(),
    }  # fmt: skip
    for name, content in contents.items():
        with open(os.path.join(out, name), "w", encoding="utf-8") as handle:
            json.dump(content, handle, indent=1, ensure_ascii=False)
    with open(os.path.join(out, "merges.txt"), "w", encoding="ascii") as handle:
        handle.write("#version: 0.2\n")


def _hf_pixels(image: Image.Image) -> tuple[torch.Tensor, int, int]:
    """Patches in the order of the Hugging Face image processor (written out: its own needs torchvision)."""
    rows, columns = image.height // 14, image.width // 14
    pixels = (torch.from_numpy(np.asarray(image)).float() / 255 - torch.tensor(IMAGE_MEAN)) / torch.tensor(IMAGE_STD)
    frames = pixels.permute(2, 0, 1)[None].repeat(2, 1, 1, 1).reshape(1, 2, 3, rows // 2, 2, 14, columns // 2, 2, 14)
    return frames.permute(0, 3, 6, 4, 7, 2, 1, 5, 8).reshape(rows * columns, 1176), rows, columns


def check(folder: str, picture: str) -> bool:
    """Compares transformers and our model on one text crop, both with the folder's weights in float32."""
    from transformers import AutoTokenizer, Qwen2VLForConditionalGeneration

    theirs = Qwen2VLForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    image = Image.open(picture).convert("RGB")
    height, width = smart_resize(image.height, image.width, MIN_PIXELS, MAX_PIXELS)
    image = image.resize((width, height), Image.Resampling.BICUBIC)
    pixels, rows, columns = _hf_pixels(image)
    count = rows * columns // 4
    content = [{"type": "image"}, {"type": "text", "text": vocabulary.PROMPT["text"]}]
    turn = {"role": "user", "content": content}
    prompt = str(tokenizer.apply_chat_template([turn], tokenize=False, add_generation_prompt=True))  # type: ignore
    inputs = tokenizer(prompt.replace("<|image_pad|>", "<|image_pad|>" * count), return_tensors="pt")
    ids = inputs["input_ids"]
    trained = [*vocabulary.BEFORE_IMAGE, *[vocabulary.IMAGE_PAD] * count, *vocabulary.after_image("text")]
    inputs = {
        **inputs, "pixel_values": pixels, "image_grid_thw": torch.tensor([[1, rows, columns]]),
        "mm_token_type_ids": (ids == vocabulary.IMAGE_PAD).int(),
    }  # fmt: skip
    ours, grid = weights.from_hf(folder).eval(), (rows // 2, columns // 2)
    gray = torch.from_numpy(np.asarray(image.convert("L")).copy())[None]
    with torch.no_grad():
        their_logits = theirs(**inputs).logits[0]
        x, rope, _, _ = ours.sequence(ours.see(gray), grid, "text", torch.zeros(1, 0, dtype=torch.long))
        for block in ours.decoder_blocks:
            x, _ = block(x, rope)
        our_logits = ours.logits(x)[0]
        their_answer = theirs.generate(**inputs, max_new_tokens=200, do_sample=False)[:, ids.shape[1] :]
    their_text = tokenizer.batch_decode(their_answer)[0].removesuffix("<|im_end|>")
    our_text = vocabulary.decode(ours.generate(gray, grid, "text", 200)[0])
    difference = (their_logits - our_logits).abs().max().item()
    same_ids = ids[0].tolist() == trained
    scale = their_logits.abs().max().item()
    print(f"prompt ids equal: {same_ids}; largest logit difference {difference:.4f} at scale {scale:.1f}")
    print(f"transformers: {their_text!r}\nours:         {our_text!r}")
    return same_ids and difference < _LOGIT_TOLERANCE and their_text == our_text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("state", help="training state file or checkpoint folder")
    parser.add_argument("out", help="folder to write")
    parser.add_argument("--check", help="gray picture of one text line")
    arguments = parser.parse_args()
    model = weights.load(arguments.state)
    write_folder(model, arguments.out)
    size = os.path.getsize(os.path.join(arguments.out, "model.safetensors"))
    count = sum(tensor.numel() for tensor in weights.to_hf(model).values())
    print(f"{count / 1e6:.2f} M parameters, {size / 1e6:.1f} MB")
    if arguments.check and not check(arguments.out, arguments.check):
        sys.exit("transformers and the trained model differ")


if __name__ == "__main__":
    main()
