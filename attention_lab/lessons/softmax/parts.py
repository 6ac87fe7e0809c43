"""The parts of the stage that only softmax has: bars, a ring, a number between its bounds, a mixture."""

from collections.abc import Mapping, Sequence
from typing import Any

from attention_lab.calculation import Expression
from attention_lab.figure import OTHER, WORD, WORDS, Part, Text, part, pieces

Settings = Mapping[str, Any]


def bars(
    panels: Sequence[Settings], *, title: str, asks: str, hint: str, undefined: str, nothing: str, back: str
) -> Part:
    """Bars, one for each word, in panels above one another: see `panel`.

    `asks` is written below the word of interest, `hint` says what can be moved, `undefined` what has become of a
    score that is not a number, `nothing` that no word is left; `back` is the text of the button that gives the
    computed numbers back.
    """
    return part(
        "bars",
        names=WORDS,
        focus=WORD,
        other=OTHER,
        panels=panels,
        title=title,
        badge=True,
        asks=asks,
        hint=hint,
        undefined=undefined,
        nothing=nothing,
        back=back,
    )


def panel(
    of: Expression,
    title: str,
    *,
    span: tuple[float, float],
    ticks: Sequence[float],
    height: int,
    raised: str = "",
    sub: str = "",
    sub_pulled: str = "",
    form: str = "figure",
    what: str = "",
    result: bool = False,
    ghost: Expression | None = None,
    lines: Sequence[Settings] = (),
    leading: Expression | None = None,
    pull: Expression | None = None,
    axis: str = "",
    unknown: str = "",
    counted: Expression | None = None,
    asked: Mapping[str, str] | None = None,
    compared: str = "",
) -> Settings:
    """One row of bars, on a scale from ``span[0]`` to ``span[1]``; `of` is a matrix of one row.

    The scale is fixed, but for powers of e: theirs grows with them.

    Words: `raised` is the title's exponent, `sub` stands below it (once a bar was pulled: `sub_pulled`), `what`
    names the live numbers.
    Numbers: `form` is ``"figure"``, ``"share"`` or ``"power"`` (they are exponents of e); a `result` waits for
    the guess; `ghost` is another row, drawn as outlines; `lines` are rows of numbers below (see `line`), of
    which the choice `leading` says the one in force. While the fold of the title `compared` is closed, only that
    line is shown, and no outlines. A panel that is `asked` for appears once its button is pressed: the texts that
    ``show`` and ``hide`` it.
    The hand: `pull` is the page's own row; then each bar is a handle along `axis`, one without a number is
    `unknown`, and those that are −∞ in `counted` are left out.
    """
    settings = {
        "of": of,
        "title": title,
        "raised": raised or None,
        "sub": sub or None,
        "sub_pulled": sub_pulled or None,
        "range": span,
        "ticks": ticks,
        "height": height,
        "form": form,
        "what": what or None,
        "result": result or None,
        "ghost": ghost,
        "lines": list(lines) or None,
        "leading": leading,
        "pull": pull,
        "axis": axis or None,
        "unknown": unknown or None,
        "counted": counted,
        "asked": asked,
        "compared": compared or None,
    }
    return {name: value for name, value in settings.items() if value is not None}


def line(of: Expression, head: str, *, what: str, suffix: str = "") -> Settings:
    """A row of numbers below a panel: what stands before it, and what its live numbers are called."""
    return {"of": of, "head": head, "what": what, "suffix": suffix}


def ring(of: Expression, *, title: str, inside: Expression, what: Text, unit: str) -> Part:
    """Shares as parts of a ring, and in its middle the number `inside`, called `what`, with its `unit`."""
    return part(
        "ring",
        of=of,
        names=WORDS,
        focus=WORD,
        other=OTHER,
        title=title,
        inside=inside,
        what=pieces(what),
        unit=unit,
    )


def bound(of: Expression, *, what: Text, text: str = "") -> Settings:
    """One end of `bounds`: its number, what that is called, what is written before it."""
    return {"of": of, "what": pieces(what), "text": text}


def bounds(
    of: Expression, label: str, low: Settings, high: Settings, *, counted: Expression, nothing: str
) -> Part:
    """A number between its bounds (see `bound`). Where no number of `counted` is finite, `nothing` says why."""
    return part("bounds", of=of, label=label, low=low, high=high, counted=counted, nothing=nothing)


def mixture(
    of: Expression,
    weights: Expression,
    context: Expression,
    axes: Sequence[str],
    *,
    title: str,
    head: Sequence[str],
    sum: str,
    moves: Mapping[str, str],
    by: Expression,
    suffixes: Sequence[str],
) -> Part:
    """What a mixture is made of, as a table: each word's vector times its weight, and their sum.

    `head` are the heads of the first two columns, `sum` is the name of the last row. `moves` are the sentences on
    how far the word of interest moves: towards ``one`` word or ``many``, or ``none`` or ``nothing``. What is
    appended to the names of the live sums is the one of the `suffixes` that the choice `by` says.
    """
    return part(
        "mixture",
        of=of,
        weights=weights,
        context=context,
        names=WORDS,
        focus=WORD,
        other=OTHER,
        axes=axes,
        title=title,
        head=head,
        sum=sum,
        moves=moves,
        by=by,
        suffixes=suffixes,
    )
