"""The style that a browser has before anything else of a page: nothing that is shown then moves.

`heights.json` has the heights of what is drawn late, as they were measured: `python -m tests.heights` renews it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

HERE = Path(__file__).parent
# What is held open on a page, and, for every page, until when.
SELECTORS = {
    "stage": ".st-key-{page}-stage,.st-key-{page}-above",
    "tools": ".st-key-tools:has([class*=-{page}-])",
}
UNTIL = """:is([class*="-stage"],[class*="-above"])[class*="st-key-"]:not(:has([data-drawn])),
.st-key-tools:has([data-testid="stSkeleton"],[data-testid="stBidiComponentIsolated"]:not([data-drawn]))
{ min-height: var(--held); }"""


def style() -> str:
    """Return the style of the frame around every page, and the heights that are held open."""
    heights = json.loads((HERE / "heights.json").read_text(encoding="utf-8"))
    rules = [
        _held_open(SELECTORS[what].format(page=page), measured)
        for page, of in heights.items()
        for what, measured in of.items()
    ]
    return "\n".join([(HERE / "frame.css").read_text(encoding="utf-8"), *rules, UNTIL])


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
