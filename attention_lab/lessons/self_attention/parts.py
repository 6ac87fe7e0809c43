"""The parts of the stage that only this lesson has: the stepper, the ledger, the open cell, the two endings."""

from collections.abc import Sequence

from attention_lab import figure
from attention_lab.calculation import name_of
from attention_lab.state.state import State

from .calculation import ASKS, DRAWN, MATRICES, STEPS, Layer, endings_of
from .calculation import BOTH_ENDINGS as s
from .goals import EQUAL

SIGNS = ("q k v", "q · k", "÷ √d", "−∞", "eˢ ÷ Σ", "Σ w v", "x + Δx")  # of the steps, in their boxes


def stepper(state: State, layers: Sequence[Sequence[Layer]]) -> figure.Part:
    """The graph of operations, a scrubber and play.

    `layers` are those shown for one layer and for two. The browser puts how many steps of a layer the reader has
    seen of this word where the calculation has `steps_seen`.
    """
    text = state.text
    steps = [
        {
            "name": name,
            "sign": sign,
            "label": text[f"steps/{name}/label"],
            "text": text[f"steps/{name}"],
            "reads": text[f"steps/{name}/reads"],
            "makes": text[f"steps/{name}/makes"],
        }
        for name, sign in zip(STEPS, SIGNS, strict=True)
    ]
    return figure.part(
        "stepper",
        title=text.plain("figure"),
        layers=_layers_payload(state, layers),
        steps=steps,
        words=text.parts("stepper") | {"replaced": text.parts("replaced")},
        seen=name_of(s.steps_seen),
    )


def ledger(state: State, layers: Sequence[Sequence[Layer]]) -> figure.Part:
    """All numbers of the word of interest, filling from left to right as the steps are taken.

    The entries of its vector, x, are the hand's where they are the sentence's own.
    """
    text = state.text
    return figure.part(
        "ledger",
        title=text.plain("figure"),
        hint=text.plain("hint"),
        hint_given=text.plain("hint_given"),
        layers=_layers_payload(state, layers),
        axes=state.worked_example.axes,
        drawn=DRAWN if state.worked_example.learned else None,
        badge=True,
        words=text.parts("ledger"),
        cells=text.parts("cell"),
    )


def opened(state: State, layers: Sequence[Sequence[Layer]]) -> figure.Part:
    """The products that made the ledger's open cell."""
    text = state.text
    words = text.parts("opened") | {"nothing": text["ledger/nothing"], "replaced": text["replaced/how"]}
    return figure.part(
        "opened",
        title=words["title"],
        layers=_layers_payload(state, layers),
        axes=state.worked_example.axes,
        words=words,
        cells=text.parts("cell"),
    )


def rivals(state: State, *, veiled: bool) -> figure.Part:
    """What *it* gives to its two rivals under either ending, and how the ratios of the two differ.

    It may be `veiled` while its question waits for an answer.
    """
    text, both = state.text, endings_of(state)
    weights, ratios = (s.weights_tired, s.weights_wide), (s.ratio_tired, s.ratio_wide)
    endings = [
        {
            "name": ending,
            "title": text.plain("compare/ending", word=ending),
            "weights": [row[s.place[rival]] for rival in both.rivals],
            "ratio": ratio,
            "own": ending in state.words,
        }
        for ending, row, ratio in zip(both.endings, weights, ratios, strict=True)
    ]
    first, second = both.rivals
    ratio_title = text.plain("compare/ratio", first=first, second=second)
    return figure.part(
        "rivals",
        title=text.plain("compare/title"),
        asks=ASKS,
        rivals=both.rivals,
        endings=endings,
        change=s.change,
        times=s.times,
        equal=EQUAL,
        head=[text.plain("compare/asks", word=ASKS), first, second, ratio_title],
        words={said: text.plain(f"compare/{said}") for said in ("same", "other", "undefined", "veiled")},
        veiled=veiled,
    )


def layer_name(state: State, layer: Layer) -> str:
    """What a layer is called where there are two."""
    return state.text.filled("layers/name", number=str(layer.number)) if layer.number else ""


def _layers_payload(state: State, layers: Sequence[Sequence[Layer]]) -> list[list[dict]]:
    """The layers as the browser reads them: where their numbers are found, and what they are called."""
    return [
        [
            {
                "name": layer_name(state, layer),
                "x": layer.x,
                "trace": layer.trace,
                "delta": layer.delta,
                "new": layer.new,
                **{name: layer.matrices[name] for name in MATRICES},
            }
            for layer in stack
        ]
        for stack in layers
    ]
