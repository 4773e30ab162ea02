"""Compact Qwen2-VL: vision transformer, merger, and a Qwen2 decoder with M-RoPE, numerically the Hugging Face model.

Two differences, both undone by the export: pictures are luminance (196 inputs a patch instead of 1176), and four
linear heads exist for training only (character slots, image-token positions, reading positions, page blocks).
Shapes: B crops, P = 4*N patches, N = rows*columns merged image tokens, T sequence length.
"""

import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

from nano import pages, vocabulary
from nano.canvas import SLOTS

IMAGE_MEAN = (0.48145466, 0.4578275, 0.40821073)
IMAGE_STD = (0.26862954, 0.26130258, 0.27577711)
LUMINANCE = (0.299, 0.587, 0.114)
GRAY_MEAN = sum(weight * mean for weight, mean in zip(LUMINANCE, IMAGE_MEAN, strict=True))
SLOT_CLASSES = 256  # canvas.slot_class and formulas.slot_class
LAYOUT_CLASSES = len(pages.TYPES) + 1
MAX_ROWS, MAX_COLUMNS = 32, 64  # range of the training-only position heads
CosSin = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class Config:
    """Sizes; the exported config.json is made from them."""

    vision_width: int = 192
    vision_depth: int = 6
    vision_heads: int = 6
    vision_mlp: int = 768
    width: int = 256
    depth: int = 4
    heads: int = 4
    kv_heads: int = 2
    head_dim: int = 64
    ffn: int = 512
    rope_theta: float = 20.0  # 1e6 would turn the width axis by < 0.01 over a crop: columns could not be seen
    mrope_section: tuple[int, int, int] = (8, 12, 12)
    guided_layers: tuple[int, ...] = (1, 2)


def patches(image: Tensor) -> Tensor:
    """uint8 [B, H, W] -> float32 [B, P, 196] in the merger's 2 x 2 order, luminance/255 less its mean."""
    count, height, width = image.shape
    gray = image.float() / 255 - GRAY_MEAN
    gray = gray.view(count, height // 28, 2, 14, width // 28, 2, 14).permute(0, 1, 4, 2, 5, 3, 6)
    return gray.reshape(count, -1, 196)


def vision_rope(rows: int, columns: int, head_dim: int) -> CosSin:
    """cos, sin [P, head_dim] of the 2-d rotation of the patches, in the merger's order."""
    row, column, inner = torch.arange(rows), torch.arange(columns), torch.arange(2)
    height = (2 * row[:, None, None, None] + inner[None, None, :, None]).expand(rows, columns, 2, 2).reshape(-1)
    width = (2 * column[None, :, None, None] + inner[None, None, None, :]).expand(rows, columns, 2, 2).reshape(-1)
    frequency = 10000.0 ** (-torch.arange(0, head_dim // 2, 2).float() / (head_dim // 2))
    angle = torch.cat([height[:, None] * frequency, width[:, None] * frequency], 1)
    angle = torch.cat([angle, angle], 1)
    return angle.cos(), angle.sin()


def rotate(x: Tensor, rope: CosSin) -> Tensor:
    """Rotary embedding in the half-split form."""
    half = x.shape[-1] // 2
    return x * rope[0] + torch.cat([-x[..., half:], x[..., :half]], -1) * rope[1]


def attend(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    """Softmax attention, computed in float32: the bfloat16 backward of the CPU kernel is three times slower."""
    mixed = F.scaled_dot_product_attention(query.float(), key.float(), value.float(), is_causal=causal)
    return mixed.to(query.dtype)


class VisionBlock(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        width = config.vision_width
        self.heads = config.vision_heads
        self.norm1 = nn.LayerNorm(width, 1e-6)
        self.norm2 = nn.LayerNorm(width, 1e-6)
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.fc1 = nn.Linear(width, config.vision_mlp)
        self.fc2 = nn.Linear(config.vision_mlp, width)

    def forward(self, x: Tensor, rope: CosSin) -> Tensor:
        count, length, width = x.shape
        query, key, value = self.qkv(self.norm1(x)).view(count, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = attend(rotate(query, rope), rotate(key, rope), value)
        x = x + self.proj(mixed.transpose(1, 2).reshape(count, length, width))
        hidden = self.fc1(self.norm2(x))
        return x + self.fc2(hidden * torch.sigmoid(1.702 * hidden))


class RmsNorm(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, (x.shape[-1],), self.weight, 1e-6)


@dataclass
class Cache:
    """Keys and values of one decoder layer while an answer is generated."""

    key: Tensor | None = None
    value: Tensor | None = None

    def extend(self, key: Tensor, value: Tensor) -> CosSin:
        self.key = key if self.key is None else torch.cat([self.key, key], 2)
        self.value = value if self.value is None else torch.cat([self.value, value], 2)
        return self.key, self.value


class DecoderBlock(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        width, queries, pairs = config.width, config.heads * config.head_dim, config.kv_heads * config.head_dim
        self.norm1 = RmsNorm(width)
        self.norm2 = RmsNorm(width)
        self.q = nn.Linear(width, queries)
        self.k = nn.Linear(width, pairs)
        self.v = nn.Linear(width, pairs)
        self.o = nn.Linear(queries, width, bias=False)
        self.gate = nn.Linear(width, config.ffn, bias=False)
        self.up = nn.Linear(width, config.ffn, bias=False)
        self.down = nn.Linear(config.ffn, width, bias=False)

    def forward(
        self, x: Tensor, rope: CosSin, cache: Cache | None = None, guided: tuple[int, int, int] | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """guided = (first answer row, first and last+1 image column): also returns head 0's log-attention of these."""
        config = self.config
        count, length, _ = x.shape
        normed = self.norm1(x)
        query = rotate(self.q(normed).view(count, length, config.heads, -1).transpose(1, 2), rope)
        key = rotate(self.k(normed).view(count, length, config.kv_heads, -1).transpose(1, 2), rope)
        value = self.v(normed).view(count, length, config.kv_heads, -1).transpose(1, 2)
        if cache is not None:
            key, value = cache.extend(key, value)
        group = config.heads // config.kv_heads
        mixed = attend(query, key.repeat_interleave(group, 1), value.repeat_interleave(group, 1), causal=length > 1)
        look: Tensor | None = None
        if guided is not None:
            first, image_start, image_end = guided
            score = (query[:, 0, first:] @ key[:, 0].transpose(1, 2)).float() / math.sqrt(config.head_dim)
            rows = score.shape[1]
            visible = torch.ones(rows, length, dtype=torch.bool, device=x.device).tril(length - rows)
            look = score.masked_fill(~visible, -1e9).log_softmax(-1)[:, :, image_start:image_end]
        x = x + self.o(mixed.transpose(1, 2).reshape(count, length, -1))
        normed = self.norm2(x)
        return x + self.down(F.silu(self.gate(normed)) * self.up(normed)), look


class Nano(nn.Module):
    """The whole model. `slot_head`, `place_head`, `reading_head` and `layout_head` are for training only."""

    def __init__(self, config: Config = Config()) -> None:
        super().__init__()
        self.config = config
        merged = 4 * config.vision_width
        self.patch = nn.Linear(196, config.vision_width, bias=False)
        self.vision_blocks = nn.ModuleList(VisionBlock(config) for _ in range(config.vision_depth))
        self.merge_norm = nn.LayerNorm(config.vision_width, 1e-6)
        self.merge1 = nn.Linear(merged, merged)
        self.merge2 = nn.Linear(merged, config.width)
        self.embed = nn.Embedding(vocabulary.SIZE, config.width)
        self.decoder_blocks = nn.ModuleList(DecoderBlock(config) for _ in range(config.depth))
        self.norm = RmsNorm(config.width)
        self.slot_head = nn.Linear(config.width, SLOTS * SLOT_CLASSES)
        self.place_head = nn.Linear(config.width, MAX_ROWS + MAX_COLUMNS)
        self.reading_head = nn.Linear(config.width, MAX_ROWS + MAX_COLUMNS)
        self.layout_head = nn.Linear(config.width, LAYOUT_CLASSES + 4)  # block type, distances to the four sides
        self._rope_cache: dict[tuple[int, int, torch.dtype], CosSin] = {}
        self._initialise()

    def _initialise(self) -> None:
        for name, parameter in self.named_parameters():
            if parameter.dim() == 2:
                nn.init.normal_(parameter, std=0.02 if name == "embed.weight" else 0.5 / math.sqrt(parameter.shape[1]))
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)
        nn.init.normal_(self.patch.weight, std=0.15)
        for name, parameter in self.named_parameters():
            if name.endswith((".proj.weight", ".fc2.weight", ".o.weight", ".down.weight")):  # ends of residual branches
                parameter.data.mul_(0.3)

    @property
    def dtype(self) -> torch.dtype:
        return self.patch.weight.dtype

    def see(self, image: Tensor, kept: Tensor | None = None) -> Tensor:
        """uint8 [B, H, W] -> image embeddings [B, N, width].

        kept: int64 [B, K], the merged tokens that are computed, each crop's in rising order: [B, K, width].
        """
        _, height, width = image.shape
        key = (height, width, self.dtype)
        if key not in self._rope_cache:
            rope = vision_rope(height // 28, width // 28, self.config.vision_width // self.config.vision_heads)
            self._rope_cache[key] = (rope[0].to(self.dtype).to(image.device), rope[1].to(self.dtype).to(image.device))
        rope, inputs = self._rope_cache[key], patches(image)
        if kept is not None:
            parts = (4 * kept[..., None] + torch.arange(4, device=kept.device)).flatten(1)  # a token's four patches
            inputs = inputs.gather(1, parts[..., None].expand(-1, -1, inputs.shape[-1]))
            rope = rope[0][parts][:, None], rope[1][parts][:, None]
        x = self.patch(inputs.to(self.dtype))
        for block in self.vision_blocks:
            x = block(x, rope)
        x = self.merge_norm(x).view(len(image), -1, 4 * self.config.vision_width)
        return self.merge2(F.gelu(self.merge1(x)))

    def decoder_rope(self, position: Tensor) -> CosSin:
        """position [..., 3, T] (time, height, width) -> cos, sin [..., T, head_dim]."""
        config = self.config
        frequency = config.rope_theta ** (-torch.arange(0, config.head_dim, 2).float() / config.head_dim)
        axis = torch.repeat_interleave(torch.arange(3), torch.tensor(config.mrope_section))
        angle = position.float()[..., axis, :].mT * frequency
        angle = torch.cat([angle, angle], -1)
        device = self.embed.weight.device
        return angle.cos().to(self.dtype).to(device), angle.sin().to(self.dtype).to(device)

    @staticmethod
    def positions(before: int, rows: int, columns: int, after: int) -> Tensor:
        """M-RoPE positions [3, before + rows*columns + after]."""
        start = before + max(1, rows, columns)
        row = torch.arange(rows)[:, None].expand(rows, columns).reshape(-1)
        column = torch.arange(columns)[None].expand(rows, columns).reshape(-1)
        image = torch.stack([torch.zeros_like(row), row, column]) + before
        return torch.cat([torch.arange(before).expand(3, -1), image, start + torch.arange(after).expand(3, -1)], 1)

    def sequence(
        self,
        seen: Tensor,
        grid: tuple[int, int],
        task: str,
        answer: Tensor,
        system: bool = True,
        kept: Tensor | None = None,
    ) -> tuple[Tensor, CosSin, int, int]:
        """Embeddings and rotations of the whole sequence; the row that predicts answer[:, 0]; the first image row.

        `kept` as in `see`: the positions of what is left, and of the text behind the picture, stay what they were.
        """
        before = vocabulary.BEFORE_IMAGE if system else vocabulary.BEFORE_IMAGE_SHORT
        after = vocabulary.after_image(task)

        def embed(ids: list[int]) -> Tensor:
            return self.embed(torch.tensor(ids, device=seen.device)).expand(len(seen), -1, -1)

        x = torch.cat([embed(before), seen, embed(after), self.embed(answer.clamp(min=0))], 1)
        position = self.positions(len(before), *grid, len(after) + answer.shape[1])
        if kept is not None:
            tokens = grid[0] * grid[1]
            head, tail = torch.arange(len(before)), torch.arange(len(before) + tokens, position.shape[1])
            count = len(seen)
            rows = torch.cat([head.expand(count, -1), len(before) + kept.cpu(), tail.expand(count, -1)], 1)
            position = position[:, rows].transpose(0, 1)  # [B, 3, T]
        rope = self.decoder_rope(position)
        if kept is not None:
            rope = rope[0][:, None], rope[1][:, None]
        return x, rope, len(before) + seen.shape[1] + len(after) - 1, len(before)

    def logits(self, x: Tensor) -> Tensor:
        """float32 logits of hidden states, tied to the embedding."""
        return (self.norm(x) @ self.embed.weight.T).float()

    @torch.no_grad()
    def generate(
        self, image: Tensor, grid: tuple[int, int], task: str, limit: int, penalty: float = 0.0, system: bool = True
    ) -> list[list[int]]:
        """Greedy answers. penalty 1 = MinerU's client: presence 1.0 and frequency 0.05 on what was generated."""
        seen = self.see(image)
        count, rows = len(image), seen.shape[1]
        x, rope, _, before = self.sequence(seen, grid, task, torch.zeros(count, 0, dtype=torch.long), system)
        next_position = before + max(1, *grid) + x.shape[1] - before - rows
        caches = [Cache() for _ in self.decoder_blocks]
        answer = torch.zeros(count, 0, dtype=torch.long)
        done = torch.zeros(count, dtype=torch.bool)
        uses = torch.zeros(count, vocabulary.SIZE)
        for step in range(limit):
            for block, cache in zip(self.decoder_blocks, caches, strict=True):
                x, _ = block(x, rope, cache)
            logits = self.logits(x[:, -1])
            if penalty:
                logits = logits - penalty * ((uses > 0) * 1.0 + uses * 0.05)
            token = logits.argmax(-1)
            token[done] = vocabulary.IM_END
            done |= (token == vocabulary.IM_END) | (token == vocabulary.END_OF_TEXT)
            answer = torch.cat([answer, token[:, None]], 1)
            uses[torch.arange(count), token] += 1
            if done.all():
                break
            x = self.embed(token)[:, None]
            rope = self.decoder_rope(torch.full((3, 1), next_position + step))
        ends = (vocabulary.IM_END, vocabulary.END_OF_TEXT)
        return [[token for token in row if token not in ends] for row in answer.tolist()]
