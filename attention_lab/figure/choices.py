"""Parts by which a hand chooses: sliders, options, ready-made settings."""

from collections.abc import Mapping, Sequence
from typing import Any

from attention_lab.calculation import Expression, name_of

from .parts import Part, Text, part, pieces


def preset(*settings: tuple[Expression, Any]) -> dict[str, Any]:
    """What a button of `presets` sets: each setting and the value it gets; choices go by their number."""
    return {name_of(of): value for of, value in settings}


def presets(
    buttons: Mapping[str, Mapping[str, Any]],
    *,
    title: str,
    shown: bool = False,
    whole: bool = False,
    about: Expression | None = None,
) -> Part:
    """Buttons by their texts, and what each sets (see `preset`); the `title` may be `shown` before them.

    Numbers travel to their place, and stay `whole` on their way; `about` is the choice that says which is set.
    """
    return part(
        "presets",
        title=title,
        shown=shown,
        buttons=[{"text": text, "set": dict(to)} for text, to in buttons.items()],
        whole=whole or None,
        about=about,
    )


def options(
    of: Expression, label: str, texts: Sequence[str], *, descriptions: Sequence[str] | None = None
) -> Part:
    """A choice of the page, live: `texts` stand for its values, with one of the `descriptions` for each."""
    return part("options", of=of, label=label, options=texts, descriptions=descriptions)


def slider(
    of: Expression,
    label: Text,
    *,
    axis: str = "value",
    low: float,
    high: float,
    ticks: Sequence[float] = (),
    ends: tuple[str, str] | None = None,
    logarithmic: bool = False,
) -> Part:
    """A number of the page, live; `axis` is its name for a screen reader. Near a tick it snaps.

    A `label` in pieces names what the page shows now.
    """
    return part(
        "slider",
        of=of,
        label=label if isinstance(label, str) else pieces(label),
        axis=axis,
        low=low,
        high=high,
        ticks=ticks,
        ends=ends,
        logarithmic=logarithmic,
    )
