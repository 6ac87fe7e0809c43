"""Numbers as the pages write them: at most four significant digits, a true minus sign."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache

from attention_lab.text import say

# Halves are rounded up, as the browser does: 1/16 is 6.3 % on the stage and in a chart.
_FOUR, _TWO = Context(prec=4, rounding=ROUND_HALF_UP), Context(prec=2, rounding=ROUND_HALF_UP)
_THREE = Context(prec=3, rounding=ROUND_HALF_UP)
LARGE = ("numbers/thousand", "numbers/million", "numbers/billion", "numbers/trillion")
RESIDUE = 1e-12  # of a sum of numbers about as large as one, less than this is what rounding has left
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@lru_cache(maxsize=4096)  # a picture's workings name the same few numbers over and over
def format_number(number: float) -> str:
    """A number with at most four significant digits; NaN is *undefined*."""
    if math.isnan(number):
        return say("numbers/undefined")
    if math.isinf(number):
        return "∞" if number > 0 else "−∞"
    size = abs(float(number))
    if size == 0 or 1e-4 <= size < 1e6:
        text = f"{_FOUR.create_decimal_from_float(size).normalize():f}"
    else:
        digits, power = f"{_TWO.create_decimal_from_float(size):.1e}".split("e")
        text = f"{digits} × 10{str(int(power)).translate(_RAISED)}"
    return f"−{text}" if number < 0 else text


def format_settled(number: float) -> str:
    """A number in which rounding left next to nothing of what cancels is written as nothing."""
    return "0" if abs(number) < RESIDUE else format_number(number)


def format_share(number: float) -> str:
    """A weight as a percentage."""
    if not math.isfinite(number):
        return say("numbers/undefined")
    return f"{Decimal(100 * float(number) + 0.0).quantize(Decimal('0.1'), ROUND_HALF_UP)} %"


def format_weight(number: float) -> str:
    """A weight or its distance to one with at least two digits, so that next to nothing is not nothing."""
    if not math.isfinite(number):
        return say("numbers/undefined")
    least, places, bound = min(number, 1 - number), 2, 0.1
    while least < bound and places <= 10:
        places, bound = places + 1, bound / 10
    if least <= 0 or places > 10:
        return format_number(number)
    return f"{Decimal(float(number)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP):f}"


def format_power(exponent: float) -> str:
    """e to the power of a number, also where that is beyond all numbers: then its power of ten says its size."""
    if abs(exponent) < 300 or math.isinf(exponent):
        return format_number(math.exp(exponent))
    if math.isnan(exponent):
        return format_number(exponent)
    return f"10{str(round(exponent / math.log(10))).translate(_RAISED)}"


def format_whole(number: int) -> str:
    """A whole number with every digit, up to where nobody could read them: ``57,982,058,496``."""
    return f"{number:,}" if number < 10**15 else format_number(number)


def format_gap(times: float) -> str:
    """How far a multiple is from one: ``−0.23 %``."""
    if not math.isfinite(times):
        return say("numbers/undefined")
    sign = "+" if times > 1 else "−" if times < 1 else ""
    return f"{sign}{Decimal(100 * abs(times - 1)).quantize(Decimal('0.01'), ROUND_HALF_UP)}\u00a0%"


def format_bytes(size: int) -> str:
    """Bytes with the unit that suits them, in powers of a thousand: ``4 TB``."""
    return _in_thousands(size, (say("numbers/bytes"), "kB", "MB", "GB", "TB", "PB", "EB"))


def format_count(number: int) -> str:
    """A large number in words that can be told apart: ``100 million``."""
    return _in_thousands(number, ("", *map(say, LARGE))).rstrip()


def _in_thousands(number: int, units: Sequence[str]) -> str:
    step = next((k for k in range(len(units) - 1) if number < 1000 ** (k + 1)), len(units) - 1)
    size = number / 1000**step
    return (
        f"{format_number(size) if size >= 1e6 else f'{_THREE.create_decimal(size).normalize():f}'} {units[step]}"
    )


def bracketed(number: float) -> str:
    """A number inside a product: negative ones in brackets."""
    return f"({format_number(number)})" if number < 0 else format_number(number)


def products(a: Sequence[float], b: Sequence[float]) -> str:
    """How a dot product is made: ``2 × 4 + 2 × 0``."""
    return " + ".join(f"{bracketed(x)} × {bracketed(y)}" for x, y in zip(a, b, strict=True))


def norm(vector: Sequence[float]) -> float:
    """A vector's length."""
    return math.hypot(*vector)
