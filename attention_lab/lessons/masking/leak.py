"""The leak: a model that was trained without the mask, when it can peek and when it has only the words before."""

from functools import cache, lru_cache

import pandas as pd

from attention_core import LanguageModel, load_language_model
from attention_core.models import UNMASKED
from attention_lab.state.state import State
from attention_lab.text.escape_markdown import escape_markdown
from attention_lab.text.number_format import format_number, format_share, format_whole

PEEKING, PREFIXES, MASKED = "peeking", "prefixes", "masked"  # how the next word is said


@cache
def models() -> tuple[LanguageModel, LanguageModel] | None:
    """The model trained without the mask, and one trained with it; None where their weights cannot be read."""
    try:
        return load_language_model(UNMASKED), load_language_model()
    except ValueError:
        return None


@lru_cache(4)
def shares_of_next(words: tuple[str, ...]) -> pd.DataFrame:
    """For each word of a text but the last: the share that the right next word is given, in three ways."""
    unmasked, masked = models()

    def share_of_next(model: LanguageModel, end: int, at: int) -> float:
        return float(model.run(words[:end]).next_word[at, model.words.index(words[at + 1])])

    places = range(len(words) - 1)
    ways = {
        PEEKING: [share_of_next(unmasked, len(words), at) for at in places],
        PREFIXES: [share_of_next(unmasked, at + 1, at) for at in places],
        MASKED: [share_of_next(masked, at + 1, at) for at in places],
    }
    return pd.DataFrame(ways, [f"{words[at]} → {words[at + 1]}" for at in places])


def leak(state: State) -> str:
    """The losses on held-out texts, and word by word what each way gives to the right next word."""
    text, (unmasked, masked) = state.text, models()
    losses = {name: format_number(loss) for name, loss in unmasked.record["loss"].items()}
    told = text.filled(
        "leak/told",
        **losses,
        masked=format_number(masked.record["loss"]["whole"]),
        words=str(len(unmasked.words)),
        seed=str(unmasked.record["seed"]),
        steps=format_whole(unmasked.record["steps"]),
    )
    head = [text[f"leak/{name}"] for name in ("next", PEEKING, PREFIXES, MASKED)]
    rows = [" | ".join(head), ":---|---:|---:|---:"]
    for name, row in shares_of_next(tuple(text.plain("leak/text").split())).iterrows():
        rows.append(" | ".join([escape_markdown(str(name)), *map(format_share, row)]))
    return f"{told}\n\n" + "\n".join(rows)
