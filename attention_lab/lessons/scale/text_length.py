"""What the length of a text costs: calculations, memory, and the steps between two words."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from attention_core import (
    TransformerShape,
    forward_flops,
    path_length,
    pattern_bytes,
    sequential_steps,
)
from attention_lab.calculation import Results
from attention_lab.charts import growth
from attention_lab.state.state import State
from attention_lab.text import symbols
from attention_lab.text.number_format import format_bytes, format_whole

from .sizes import DISTANCES

LENGTHS = tuple(2**power for power in range(4, 23))


def operations(shape: TransformerShape, tokens: int) -> dict[str, int]:
    """The calculations of one pass, by where they happen."""
    done = forward_flops(shape, tokens)
    return {
        name: getattr(done, name) for name in ("projections", "pattern", "feed_forward", "vocabulary", "total")
    }


def memories(shape: TransformerShape, tokens: int) -> dict[str, int]:
    """What the patterns of a text need of memory, if they are stored."""
    return {
        "one_pattern": pattern_bytes(tokens),
        "patterns": pattern_bytes(tokens, shape.num_heads, shape.attention_blocks),
    }


def work_chart(state: State, now: Results) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The calculations of the matrices, and of the pattern, over the length of the text."""
    done = [(tokens, forward_flops(now.shape, tokens)) for tokens in (*LENGTHS, state.context)]
    lines = {
        "matrices": [(tokens, flops.total - flops.pattern) for tokens, flops in done],
        "pattern": [(tokens, flops.pattern) for tokens, flops in done],
    }
    return growth.rows("work", lines, state.context), growth.spec("work")


def memory_chart(state: State, now: Results) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The memory of one pattern and of all, over the length of the text."""
    needed = [(tokens, memories(now.shape, tokens)) for tokens in (*LENGTHS, state.context)]
    lines = {name: [(tokens, amounts[name]) for tokens, amounts in needed] for name in growth.MEMORIES}
    return growth.rows("memory", lines, state.context), growth.spec("memory")


def table(state: State, now: Results, name: str) -> str:
    """What a text as long as the context needs: its calculations, ``work``, or its ``memory``."""
    needed, write = {"work": (operations, format_whole), "memory": (memories, format_bytes)}[name]
    head = state.text.filled(f"{name}/head", tokens=format_whole(state.context))
    lines = [
        (symbols(state.text[f"{name}/{row}"]), write(n)) for row, n in needed(now.shape, state.context).items()
    ]
    return _markdown([(head, state.text[f"{name}/column"]), (":---", "---:"), *lines])


def _markdown(lines: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def distances() -> dict[str, str]:
    """The distances between two words, as they are written."""
    return {far: format_whole(int(far)) for far in DISTANCES}


def steps_table(state: State) -> str:
    """How far apart two words are, and how much must happen one after another, in each kind of network."""
    far, tokens = int(state.distance), state.context
    names = {network: state.text[f"networks/{network}"] for network in growth.NETWORKS}
    rows = [
        (state.text.filled("steps/path", n=format_whole(far)), path_length, far),
        (state.text.filled("steps/layer", n=format_whole(tokens)), sequential_steps, tokens),
    ]
    counted = [[what, *(format_whole(steps(n, network)) for network in names)] for what, steps, n in rows]
    return _markdown([[state.text["steps/head"], *names.values()], [":---", *["---:"] * len(names)], *counted])


def steps_chart(state: State) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The steps between two words over how far they are apart, in each kind of network."""
    lines = {
        network: [(int(far), path_length(int(far), network)) for far in DISTANCES] for network in growth.NETWORKS
    }
    return growth.rows("steps", lines, int(state.distance)), growth.spec("steps")


def title_and_text(state: State, name: str) -> tuple[str, str]:
    """The title of a fold, and what stands in it first."""
    title, text = state.text[f"further/{name}"].split("\n\n", 1)
    return title, text
