"""The style that a browser has before anything else of a page: nothing that is shown then moves.

`heights.json` has the heights of what is drawn late, as they were measured: `python -m tools.heights` renews it.
Its `lead` is what stands between a page's sentence and its figure, which only the first picture has to know.
"""

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from attention_lab import theme

HERE = Path(__file__).parent
SHEETS = ("controls.css", "app_shell.css", "right_to_left.css")
# What is held open on a page, and, for every page, until when.
SELECTORS = {
    "stage": ".st-key-{page}-stage",
    "head": ".st-key-head:has([class*=-{page}-])",
}
UNTIL = """[class*="-stage"][class*="st-key-"]:not(:has([data-drawn])),
.st-key-head:has([data-testid="stSkeleton"],[data-testid="stBidiComponentIsolated"]:not([data-drawn]))
{ min-height: var(--held); }
@media (min-width: 641px) {
:root[style*="--first-head"] .st-key-head {
min-height: var(--held, var(--first-head)); align-content: flex-start; }
:root[style*="--first-head"] .st-key-head > [data-testid="stElementContainer"]:has(h1) {
min-height: min(40px, var(--first-head)); align-content: center; } }"""


def style() -> str:
    """Return the style of the frame around every page, and the heights that are held open."""
    rules = [
        _held_open(SELECTORS[what].format(page=page), measured)
        for page, of in _heights().items()
        for what, measured in of.items()
        if what in SELECTORS
    ]
    frame = [(HERE / name).read_text(encoding="utf-8") for name in SHEETS]
    return "\n".join([f":root{{{theme.tokens()}}}", *frame, *rules, UNTIL])


def held_open(selector: str, page: str, what: str) -> str:
    """Return rules that tell other elements, too, a height of a page that is held open, where there is one."""
    measured = _heights().get(page, {}).get(what)
    return _held_open(selector, measured) if measured else ""


def _heights() -> dict[str, dict[str, list[tuple[int, int]]]]:
    return json.loads((HERE / "heights.json").read_text(encoding="utf-8"))


def _held_open(selector: str, measured: Sequence[tuple[int, int]]) -> str:
    """Return rules for a height that follows the window's width, straight from each pair to the next."""
    (_, first), *_ = measured
    rules = [f"--held:{first}px"]
    for (width, height), (further, there) in pairwise(measured):
        slope = round((there - height) / (further - width), 3)
        line = f"calc({height - slope * width:.0f}px + {100 * slope:.3g}vw)" if slope else f"{height}px"
        rules.append(f"@media(min-width:{width}px){{--held:{line}}}")
    width, height = measured[-1]
    return f"{selector}{{{';'.join(rules)};@media(min-width:{width}px){{--held:{height}px}}}}"
