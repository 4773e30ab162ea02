"""Between our parameters and the tensors of a Hugging Face Qwen2-VL checkpoint."""

import json
import os

import torch
from safetensors.torch import load_file
from torch import Tensor

from nano.model import IMAGE_STD, LUMINANCE, Config, Nano

TRAINING_ONLY = ("slot_head", "place_head", "reading_head", "layout_head")
_PATCH = "visual.patch_embed.proj.weight"
_PREFIXES = (
    ("vision_blocks.", "visual.blocks."), ("decoder_blocks.", "model.layers."), ("merge_norm.", "visual.merger.ln_q."),
    ("merge1.", "visual.merger.mlp.0."), ("merge2.", "visual.merger.mlp.2."), ("embed.", "model.embed_tokens."),
    ("norm.", "model.norm."),
)  # fmt: skip
_VISION_PARTS = ((".qkv.", ".attn.qkv."), (".proj.", ".attn.proj."), (".fc1.", ".mlp.fc1."), (".fc2.", ".mlp.fc2."))
_DECODER_PARTS = (
    (".norm1.", ".input_layernorm."), (".norm2.", ".post_attention_layernorm."), (".q.", ".self_attn.q_proj."),
    (".k.", ".self_attn.k_proj."), (".v.", ".self_attn.v_proj."), (".o.", ".self_attn.o_proj."),
    (".gate.", ".mlp.gate_proj."), (".up.", ".mlp.up_proj."), (".down.", ".mlp.down_proj."),
)  # fmt: skip


def hf_name(name: str) -> str:
    """The checkpoint's name of one of our parameters (not of `patch.weight`, which changes its shape)."""
    for ours, theirs in _PREFIXES:
        if name.startswith(ours):
            parts = _VISION_PARTS if ours == "vision_blocks." else _DECODER_PARTS if ours == "decoder_blocks." else ()
            name = theirs + name[len(ours) :]
            for short, long in parts:
                if short in name:
                    return name.replace(short, long)
            return name
    raise KeyError(name)


def to_hf(model: Nano) -> dict[str, Tensor]:
    """float32 tensors of the checkpoint. The luminance patch embedding is spread over 3 channels and 2 frames, exactly,
    because the luminance weights sum to 1 and a picture's two frames are equal."""
    tensors: dict[str, Tensor] = {}
    for name, value in model.state_dict().items():
        value = value.detach().float()
        if name.startswith(TRAINING_ONLY):
            continue
        if name == "patch.weight":
            kernel = value.view(-1, 14, 14)
            spread = [kernel * std * share / 2 for std, share in zip(IMAGE_STD, LUMINANCE, strict=True)]
            tensors[_PATCH] = torch.stack(spread, 1)[:, :, None].repeat(1, 1, 2, 1, 1)
        else:
            tensors[hf_name(name)] = value
    return {name: value.contiguous() for name, value in tensors.items()}


def from_hf(folder: str) -> Nano:
    """A model with the weights of a checkpoint folder; the training-only heads are fresh."""
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as handle:
        config = json.load(handle)
    vision = config["vision_config"]
    model = Nano(Config(
        vision_width=vision["embed_dim"], vision_depth=vision["depth"], vision_heads=vision["num_heads"],
        vision_mlp=vision["mlp_ratio"] * vision["embed_dim"], width=config["hidden_size"],
        depth=config["num_hidden_layers"], heads=config["num_attention_heads"], kv_heads=config["num_key_value_heads"],
        head_dim=config["hidden_size"] // config["num_attention_heads"], ffn=config["intermediate_size"],
        rope_theta=config["rope_theta"], mrope_section=tuple(config["rope_scaling"]["mrope_section"]),
    ))  # fmt: skip
    tensors = {name: value.float() for name, value in load_file(os.path.join(folder, "model.safetensors")).items()}
    state = model.state_dict()
    for name in state:
        if name.startswith(TRAINING_ONLY):
            continue
        if name == "patch.weight":
            kernel = tensors[_PATCH].sum(2)
            gray = torch.stack([kernel[:, channel] / IMAGE_STD[channel] for channel in range(3)]).sum(0)
            state[name] = gray.reshape(state[name].shape)
        else:
            state[name] = tensors[hf_name(name)]
    model.load_state_dict(state)
    return model


def load(path: str) -> Nano:
    """A float32 model from a checkpoint folder or from a training state file."""
    if os.path.isdir(path):
        return from_hf(path).eval()
    masters = torch.load(path, weights_only=True, map_location="cpu")["optimiser"]["masters"]
    model = Nano()
    own = model.state_dict()
    for name, value in own.items():  # a state may be older than one of the training-only heads
        if name.startswith(TRAINING_ONLY) and (name not in masters or masters[name].shape != value.shape):
            masters[name] = value
    model.load_state_dict(masters)
    return model.eval()
