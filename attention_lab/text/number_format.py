"""Numbers as the pages write them: at most three significant digits, weights as percentages, a true minus sign.

Whole numbers have every digit, in groups.
Decimal mark and grouping follow the language; number_format.js writes numbers by the same rules.
What machines read (links, programs, ``data-exact``) is written elsewhere, with a point.
"""

import math
import re
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal

from attention_lab.text import ui_text
from attention_lab.text.languages import by_language, language

# Halves are rounded up, as the browser does: 1/16 is 6.3% on the stage and in a chart.
_THREE, _TWO = Context(prec=3, rounding=ROUND_HALF_UP), Context(prec=2, rounding=ROUND_HALF_UP)
LARGE = ("numbers/thousand", "numbers/million", "numbers/billion", "numbers/trillion")
BYTES = {3: " kB", 6: " MB", 9: " GB", 12: " TB", 15: " PB", 18: " EB"}
RESIDUE = 1e-12  # of a sum of numbers about as large as one, less than this is what rounding has left
LEFT_TO_RIGHT = "\u200e"  # a mark that is not seen
_PLAIN = re.compile(r"[\w.,]*")  # runs from left to right by itself
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def localized(digits: str) -> str:
    """Digits with a point, perhaps with a sign, as the language writes them: ``−0,5``."""
    return _in_line(digits.replace("-", "−").replace(".", language().decimal))


def _in_line(number: str) -> str:
    """A number that keeps its sign at its left in a sentence from right to left, too."""
    return number if language().direction == "ltr" or _PLAIN.fullmatch(number) else f"{LEFT_TO_RIGHT}{number}"


@by_language(4096)  # a picture's workings name the same few numbers over and over
def format_number(number: float) -> str:
    """A number with at most three significant digits, a whole one with all of its own; NaN is *undefined*."""
    if math.isnan(number):
        return ui_text("numbers/undefined")
    if math.isinf(number):
        return "∞" if number > 0 else _in_line("−∞")
    size = abs(float(number))
    if size == 0 or 1e-4 <= size < 1e6:
        rounded = Decimal(size) if size.is_integer() else _THREE.create_decimal_from_float(size)
        if rounded >= 1000:
            return format_whole(int(math.copysign(rounded, number)))
        text = f"{rounded.normalize():f}"
    else:
        digits, power = f"{_TWO.create_decimal_from_float(size):.1e}".split("e")
        text = f"{digits} × 10{str(int(power)).translate(_RAISED)}"
    return localized(f"-{text}" if number < 0 else text)


def format_fixed(number: float, places: int = 2) -> str:
    """A number with so many digits behind its decimal mark."""
    return localized(f"{number:.{places}f}")


def format_digits(number: float, digits: int = 6) -> str:
    """A number with at most so many significant digits, written out."""
    return localized(f"{number:.{digits}g}")


def format_exact(number: float) -> str:
    """A number with all its digits, in groups where the language has them."""
    whole, point, rest = f"{number:,.15g}".partition(".")
    if sum(map(str.isdigit, whole)) < language().least_grouped:
        whole = whole.replace(",", "")
    return _in_line(whole.replace("-", "−").replace(",", language().group) + localized(point + rest))


def in_formula(text: str) -> str:
    """A number that is written already, as TeX reads it: a decimal comma without a space behind it."""
    text = text.replace("−", "-").replace(LEFT_TO_RIGHT, "")
    return text.replace(",", "{,}") if language().decimal == "," else text


def between_numbers() -> str:
    """What parts the numbers of a list: a semicolon where a comma stands inside of numbers."""
    return "; " if language().decimal == "," else ", "


def format_near_zero(number: float) -> str:
    """Return a number as text; what rounding has left of terms that cancel is 0."""
    return "0" if abs(number) < RESIDUE else format_number(number)


def format_share(number: float) -> str:
    """A weight as a percentage."""
    if not math.isfinite(number):
        return ui_text("numbers/undefined")
    return format_percent(f"{Decimal(100 * float(number) + 0.0).quantize(Decimal('0.1'), ROUND_HALF_UP)}")


def format_percent(digits: object) -> str:
    """Digits with a point as a percentage in the way of the language: ``80%``."""
    return ui_text("numbers/percent", number=localized(str(digits)))


def format_percentage(part: float, places: int = 0) -> str:
    """A part of one as a percentage with so many digits behind its decimal mark."""
    return format_percent(f"{100 * part:.{places}f}")


def format_weight(number: float) -> str:
    """A weight as a percentage, of which next to nothing is not nothing and nearly all is not all."""
    if not math.isfinite(number):
        return ui_text("numbers/undefined")
    least, places, bound = min(number, 1 - number), 1, 0.01
    while least < bound and places <= 8:
        places, bound = places + 1, bound / 10
    if least <= 0 or places > 8:
        return format_percent(round(100 * number)) if number in (0, 1) else format_number(number)
    return format_percent(f"{Decimal(100 * float(number)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP):f}")


def format_whole(number: int) -> str:
    """A whole number with every digit, up to where nobody could read them: ``57,982,058,496``."""
    if number >= 10**15:
        return format_number(number)
    grouped = len(str(abs(number))) >= language().least_grouped
    return _in_line(f"{number:{',' if grouped else ''}}".replace("-", "−").replace(",", language().group))


def format_gap(times: float) -> str:
    """How far a multiple is from one: ``−0.23%``."""
    if not math.isfinite(times):
        return ui_text("numbers/undefined")
    sign = "+" if times > 1 else "-" if times < 1 else ""
    return format_percent(f"{sign}{Decimal(100 * abs(times - 1)).quantize(Decimal('0.01'), ROUND_HALF_UP)}")


def format_bytes(size: int) -> str:
    """Bytes with the unit that suits them, in powers of a thousand: ``4 TB``."""
    if size < 1000:
        return ui_text("numbers/bytes", count=size)
    return "".join(_in_units(size, BYTES, 3))


def format_count(number: int) -> str:
    """A large number in words that can be told apart: ``100 million``, ``1750亿``."""
    spoken = language()
    units = dict(zip(spoken.large, LARGE, strict=True))
    size, unit = _in_units(number, {0: ""} | units, spoken.large[0])
    return ui_text(unit, count=size) if unit else size


def _in_units(number: int, units: Mapping[int, str], digits: int) -> tuple[str, str]:
    """A number in the largest of some units, by their powers of ten, that is no larger than it; and that unit."""
    power = max((power for power in units if number >= 10**power), default=0)
    size = number / 10**power
    short = Context(prec=digits, rounding=ROUND_HALF_UP).create_decimal(size).normalize()
    return format_number(size) if size >= 1e6 else localized(f"{short:f}"), units[power]


def bracketed(number: float) -> str:
    """A number inside a product: negative ones in brackets."""
    return f"({format_number(number)})" if number < 0 else format_number(number)


def products(a: Sequence[float], b: Sequence[float]) -> str:
    """How a dot product is made: ``2 × 4 + 2 × 0``."""
    return _in_line(" + ".join(f"{bracketed(x)} × {bracketed(y)}" for x, y in zip(a, b, strict=True)))
