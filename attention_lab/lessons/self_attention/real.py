"""Where *it* looks in a real model under both endings, head by head."""

from functools import cache

import numpy as np

from attention_core.models.gallery import place_of
from attention_lab import figure
from attention_lab.figure import real_heads
from attention_lab.state import permalink
from attention_lab.state.state import State
from attention_lab.text.labels import labels
from attention_lab.text.number_format import format_share

ASKS, NOUNS = "it", ("animal", "street")
ENDINGS = {"tired": "it_tired", "wide": "it_wide"}  # each makes the noun of the same place the right one
REAL_HEAD = permalink.choice(
    "real_head", "the head of the real model", real_heads.offered(real_heads.head_names), lambda _: "5.1"
)


@cache
def of_it() -> np.ndarray:
    """What *it* gives to every token, (endings, heads, n), heads counted through all layers."""
    runs = [real_heads.run(name) for name in ENDINGS.values()]
    return np.stack([run.weights_by_head[:, place_of(run.tokens, ASKS)] for run in runs])


@cache
def to_nouns() -> np.ndarray:
    """Of that what goes to either noun, (endings, heads, 2)."""
    places = [place_of(real_heads.run(ENDINGS["tired"]).tokens, noun) for noun in NOUNS]
    return of_it()[..., places]


@cache
def moves_right() -> np.ndarray:
    """In which heads each noun has more weight with the ending that makes it right than with the other."""
    (animal_tired, street_tired), (animal_wide, street_wide) = np.moveaxis(to_nouns(), 1, -1)
    return (animal_tired > animal_wide) & (street_wide > street_tired)


def both_endings(state: State) -> real_heads.FoldContent:
    """One head's weights of *it*, a row for each ending, and what they show."""
    names, run = real_heads.head_names(), real_heads.run(ENDINGS["tired"])
    head, text = names.index(state.real_head), state.text
    tokens = list(labels(run.tokens))
    tokens[run.tokens.index("tired")] = " / ".join(ENDINGS)
    constants = {"words": tokens, "endings": list(ENDINGS), "of_it": of_it()[:, head]}
    drawn = figure.heatmap(
        figure.constant("of_it"),
        title=text["real/title"],
        what="weight",
        limit=0.5,
        scale="share",
        form="share",
        rows=figure.constant("endings"),
        row_title=text.plain("real/ending"),
        row=None,
        column=None,
        small=True,
    )
    shares = {
        f"{noun}_{ending}": format_share(share)
        for ending, of_ending in zip(ENDINGS, to_nouns()[:, head], strict=True)
        for noun, share in zip(NOUNS, of_ending, strict=True)
    }
    told = {
        "head": state.real_head,
        **shares,
        "says": text[f"real/{'right' if moves_right()[head] else 'wrong'}"],
        "heads": str(len(names)),
        "right": str(int(moves_right().sum())),
        "chance": str(len(names) // 4),
    }
    return real_heads.FoldContent([figure.Column([drawn], least=figure.WHOLE_WIDTH)], constants, told)
