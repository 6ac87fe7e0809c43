"""The parts of the stage that only this lesson has: the choice among masks, all outputs with their changes."""

from collections.abc import Sequence

import numpy as np

from attention_lab import figure
from attention_lab.calculation import name_of
from attention_lab.state.state import State

from .calculation import CALCULATION as s
from .calculation import CAUSAL, COMBINED, COUNTS, MASKS, PADDING, WINDOW


def choose_mask(state: State) -> figure.Part:
    """A live choice among masks, and the number that some of them still need.

    `causal` is that of the causal mask, which can be on together with those that are `combined`: `both` says so.
    The last of them is one's own: the page's grid, which a button opens whole. `notes` say what each does,
    `changed` what one's own mask is once a hand has made it. Of a word that may look at none, `nothing` is said.
    """
    text, n = state.text, len(state.words)
    notes = text.parts("notes_on")

    def of_each(first: str, between: str, last: str, most: int) -> list[str]:
        return [notes[first], *[notes[between]] * (most - 1), *[notes[last]] * (most > 0)]

    windows = {
        "notes": of_each("window_0", "window", "window_all", n - 1),
        "causal": of_each("window_0", "causal_window", "causal", n - 1),
    }
    fillers = {
        "notes": of_each("padding_0", "padding", "padding_all", n),
        "causal": of_each("causal", "causal_padding", "padding_all", n),
    }
    # of the counts, those that make sense and the one that holds now
    widths, paddings = COUNTS[: max(n - 1, int(state.width)) + 1], COUNTS[: max(n, int(state.padding)) + 1]
    numbers = {
        WINDOW: {"of": name_of(s.width), "label": text["width"], "texts": widths, **windows},
        PADDING: {"of": name_of(s.padding), "label": text["filler"], "texts": paddings, **fillers},
    }
    return figure.part(
        "masks",
        of=name_of(s.mask),
        label=text["mask"],
        texts=[text[f"mask/{name}"] for name in MASKS],
        notes=[notes[name] for name in MASKS],
        further=[numbers.get(name) for name in MASKS],
        causal=MASKS.index(CAUSAL),
        both=name_of(s.causal),
        combined=[MASKS.index(name) for name in COMBINED],
        own=len(MASKS) - 1,
        grid=name_of(s.own),
        open=text["open_all"],
        changed=text["own_changed"],
        names=figure.WORDS,
        counts=s.looks_at,
        nothing=text["nothing_to_look_at"],
    )


def all_outputs(state: State) -> figure.Part:
    """What every word gets, and how far that moves once the last word is replaced by another.

    `counts` says how many words each looks at, `changed` is 0 as long as the last word's vector is its own;
    `limit` is the change at which its bar is full; `heads` stand over the words, their counts and their changes.
    `texts` are ``of`` (so many), ``nothing`` (to look at) and ``replaced``, and what the verdict says: ``still``,
    ``moves``, ``same`` while nothing is replaced, ``dark`` where no earlier word may look at any, or of a single
    word ``alone``.
    """
    text = state.text
    return figure.part(
        "outputs",
        names=figure.WORDS,
        counts=s.looks_at,
        context=s.trace.context,
        moved=s.moved,
        changed=s.replaced,
        axes=output_axes(state),
        limit=5.0 if len(state.worked_example.axes) == 2 else 1.0,
        replace={
            "label": text.plain("replace_last", last=state.words[-1]),
            "words": state.options("instead"),
            "of": name_of(s.instead),
            "later": name_of(s.later),
            "vectors": name_of(s.vectors),
        },
        texts=text.parts("outputs"),
        title=text["outputs"],
        heads=[text["outputs_heads/asks"], text["outputs_heads/looks"], text["outputs_heads/moves"]],
        what={"context": "context", "moved": "moved"},
    )


def output_axes(state: State) -> Sequence[str]:
    """What the numbers of an output stand for: the axes, or those that the output matrix writes them to."""
    axes, written = state.worked_example.axes, state.worked_example.W_output
    return axes if written is None else [axes[int(np.argmax(row))] for row in written]
