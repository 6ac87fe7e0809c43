"""The course's fonts as style sheets: Source Sans 3, Source Serif 4, and what is as wide until they are there.

`tools/fonts.py` cuts them. A font that comes late is not shown before the next page: no text is laid out anew.
"""

from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256

from attention_lab.root import PACKAGE

FOLDER = PACKAGE / "assets" / "fonts"
ENGLISH = "".join(map(chr, range(0x20, 0x7F))) + "\u00a0×÷·²–—‘’“”‹›«»…−√∞→↑≈ΔΣ₁₂"
LATIN = "".join(map(chr, range(0xC0, 0x100))).replace("×", "").replace("÷", "") + "¡ªº¿ŒœŸ€‚„"
OF_LATIN = ("de", "es")  # they have all letters in one file; elsewhere the second is loaded where it is needed
SANS, SERIF = "lab-sans, lab-sans-width, sans-serif", "lab-serif, lab-serif-width, serif"
# What most machines have: at these sizes, in %, as wide as the course's own. Heights are theirs at that size.
SYSTEM = ("Arial", "Liberation Sans", "Helvetica", "Roboto")
SYSTEM_SERIF = ("Times New Roman Bold", "Liberation Serif Bold", "Times Bold", "Noto Serif Bold")
STAND_INS = (
    ("lab-sans-width", 400, 93.8, SYSTEM, 100, 32.6),
    ("lab-sans-width", 600, 90, [f"{name} Bold" for name in SYSTEM], 100, 32.6),
    ("lab-serif-width", 600, 102.5, SYSTEM_SERIF, 103.6, 33.5),
)


def _range(letters: str) -> str:
    """The letters as a `unicode-range`."""
    codes, runs = sorted(map(ord, letters)), []
    for code in codes:
        if runs and code == runs[-1][1] + 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return ",".join(f"U+{low:X}" if low == high else f"U+{low:X}-{high:X}" for low, high in runs)


@cache
def files() -> dict[str, bytes]:
    """Return the fonts by their names, which follow from their content: a browser may keep them for good."""
    cut = {path.stem: path.read_bytes() for path in sorted(FOLDER.glob("*.woff2"))}
    return {f"{name}.{sha256(body).hexdigest()[:16]}.woff2": body for name, body in cut.items()}


def first(code: str) -> list[str]:
    """Return the names of the files that every page in a language is written with."""
    ends = "-latin" if code in OF_LATIN else ""
    return [next(file for file in files() if file.startswith(f"{cut}{ends}.")) for cut in ("sans", "serif")]


def faces(code: str, address: Callable[[str], str], *, alone: bool = False, display: str = "optional") -> str:
    """Return the rules for a page in a language; `address` says where a file lies. `alone`: the `first` only."""
    named = [(file, ENGLISH + LATIN if code in OF_LATIN else ENGLISH) for file in first(code)]
    if code not in OF_LATIN and not alone:
        named += [(file, LATIN) for file in first(OF_LATIN[0])]
    rules = [_stand_in(*each) for each in STAND_INS]
    for file, letters in named:
        family, weights = ("lab-sans", "400 700") if file.startswith("sans") else ("lab-serif", "600")
        rules.append(
            f"@font-face{{font-family:{family};font-weight:{weights};font-display:{display};"
            f'src:url({address(file)})format("woff2");unicode-range:{_range(letters)}}}'
        )
    return "".join(rules)


def _stand_in(family: str, weight: int, size: float, names: Sequence[str], ascent: float, descent: float) -> str:
    sources = ",".join(f'local("{name}")' for name in names)
    heights = f"ascent-override:{100 * ascent / size:.1f}%;descent-override:{100 * descent / size:.1f}%"
    rule = f"font-weight:{weight};size-adjust:{size}%;{heights};line-gap-override:0%;src:{sources}"
    return f"@font-face{{font-family:{family};{rule}}}"
