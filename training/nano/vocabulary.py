"""Token ids of octavo-nano.

Ids 0..255 are the raw bytes, so that printable ASCII is one token a character. Then come MinerU's special tokens, the
prompt strings (each one token, which keeps the prompt at 14 tokens instead of about 90) and LaTeX commands.
"""

import re

SPECIAL: list[str] = [
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|object_ref_start|>", "<|object_ref_end|>", "<|box_start|>",
    "<|box_end|>", "<|quad_start|>", "<|quad_end|>", "<|vision_start|>", "<|vision_end|>", "<|vision_pad|>",
    "<|image_pad|>", "<|video_pad|>", "<|ref_start|>", "<|ref_end|>", "<|md_start|>", "<|md_end|>",
    "<ched>", "<ecel>", "<fcel>", "<lcel>", "<ucel>", "<xcel>", "<nl>",
    "<|rotate_up|>", "<|rotate_down|>", "<|rotate_left|>", "<|rotate_right|>", "<|txt_contd|>", "<|paratext|>",
]  # fmt: skip
#: MinerU's prompt of each task.
PROMPT: dict[str, str] = {
    "text": "\nText Recognition:",
    "table": "\nTable Recognition:",
    "formula": "\nFormula Recognition:",
    "layout": "\nLayout Detection:",
}
SYSTEM_TEXT = "You are a helpful assistant."
PROMPT_TOKENS: list[str] = [*PROMPT.values(), "\nImage Analysis:", SYSTEM_TEXT, "system\n", "user\n", "assistant\n"]
LATEX: list[str] = [
    "\\" + name
    for name in """frac sqrt sum int prod lim infty partial nabla cdot times pm leq geq neq approx equiv to rightarrow
    leftarrow Rightarrow in subset cup cap forall exists alpha beta gamma delta epsilon varepsilon zeta eta theta lambda
    mu nu xi pi rho sigma tau phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega left right sin
    cos tan log ln exp max min hat bar tilde vec dot mathrm mathbf mathcal mathbb langle rangle ldots cdots quad begin
    end text prime ell circ oint sim propto ll gg div""".split()
]
ADDED: list[str] = SPECIAL + PROMPT_TOKENS + LATEX
ID: dict[str, int] = {token: 256 + index for index, token in enumerate(ADDED)}
TEXT: dict[int, str] = {index: token for token, index in ID.items()}
SIZE = (256 + len(ADDED) + 31) // 32 * 32

END_OF_TEXT = ID["<|endoftext|>"]
IM_START = ID["<|im_start|>"]
IM_END = ID["<|im_end|>"]
VISION_START = ID["<|vision_start|>"]
VISION_END = ID["<|vision_end|>"]
IMAGE_PAD = ID["<|image_pad|>"]
NEWLINE = 10

#: Prompt ids before the picture, with and without the system turn.
BEFORE_IMAGE: list[int] = [
    IM_START, ID["system\n"], ID[SYSTEM_TEXT], IM_END, NEWLINE, IM_START, ID["user\n"], VISION_START,
]  # fmt: skip
BEFORE_IMAGE_SHORT: list[int] = [VISION_START]


def after_image(task: str) -> list[int]:
    """Prompt ids between the picture and the answer."""
    return [VISION_END, ID[PROMPT[task]], IM_END, NEWLINE, IM_START, ID["assistant\n"]]


def decode(ids: list[int]) -> str:
    """Text of answer ids; bytes that are no UTF-8 become U+FFFD."""
    raw = b"".join(bytes([i]) if i < 256 else TEXT.get(i, "").encode() for i in ids)
    return raw.decode("utf-8", "replace")


_LATEX_COMMAND = re.compile("|".join(sorted(map(re.escape, LATEX), key=len, reverse=True)))


def encode_latex(text: str) -> list[int]:
    """Ids of a LaTeX string: known commands are one token, everything else is bytes."""
    ids: list[int] = []
    at = 0
    for match in _LATEX_COMMAND.finditer(text):
        ids += text[at : match.start()].encode()
        ids.append(ID[match.group()])
        at = match.end()
    return ids + list(text[at:].encode())
