"""Numbers as the pages write them: at most four significant digits, a true minus sign."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal

# Halves are rounded up, as the browser does: 1/16 is 6.3 % on the stage and in a chart.
_FOUR, _TWO = Context(prec=4, rounding=ROUND_HALF_UP), Context(prec=2, rounding=ROUND_HALF_UP)
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def figure(number: float) -> str:
    """A number with at most four significant digits; NaN is *undefined*."""
    if math.isnan(number):
        return "undefined"
    if math.isinf(number):
        return "∞" if number > 0 else "−∞"
    size = abs(float(number))
    if size == 0 or 1e-4 <= size < 1e6:
        text = f"{_FOUR.create_decimal_from_float(size).normalize():f}"
    else:
        digits, power = f"{_TWO.create_decimal_from_float(size):.1e}".split("e")
        text = f"{digits} × 10{str(int(power)).translate(_RAISED)}"
    return f"−{text}" if number < 0 else text


def share(number: float) -> str:
    """A weight as a percentage."""
    if not math.isfinite(number):
        return "undefined"
    return f"{Decimal(100 * float(number) + 0.0).quantize(Decimal('0.1'), ROUND_HALF_UP)} %"


def bracketed(number: float) -> str:
    """A number inside a product: negative ones in brackets."""
    return f"({figure(number)})" if number < 0 else figure(number)


def products(a: Sequence[float], b: Sequence[float]) -> str:
    """How a dot product is made: ``2 × 4 + 2 × 0``."""
    return " + ".join(f"{bracketed(x)} × {bracketed(y)}" for x, y in zip(a, b, strict=True))


def norm(vector: Sequence[float]) -> float:
    """A vector's length."""
    return math.hypot(*vector)
