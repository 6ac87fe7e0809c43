"""Numbers as the pages write them: at most four significant digits, a true minus sign."""

from __future__ import annotations

import math
from collections.abc import Sequence

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def figure(number: float) -> str:
    """A number with at most four significant digits; NaN is *undefined*."""
    if math.isnan(number):
        return "undefined"
    if math.isinf(number):
        return "∞" if number > 0 else "−∞"
    size = abs(number)
    if size == 0 or 1e-4 <= size < 1e6:
        text = f"{number:.4g}"
        if "e" in text:
            text = f"{float(text):.0f}"
        return text.replace("-", "−").replace("−0", "0") if float(text) == 0 else text.replace("-", "−")
    digits, power = f"{number:.1e}".split("e")
    return f"{digits.replace('-', '−')} × 10{str(int(power)).translate(_RAISED)}"


def share(number: float) -> str:
    """A weight as a percentage."""
    return "undefined" if math.isnan(number) else f"{100 * number:.1f} %"


def bracketed(number: float) -> str:
    """A number inside a product: negative ones in brackets."""
    return f"({figure(number)})" if number < 0 else figure(number)


def products(a: Sequence[float], b: Sequence[float]) -> str:
    """How a dot product is made: ``2 × 4 + 2 × 0``."""
    return " + ".join(f"{bracketed(x)} × {bracketed(y)}" for x, y in zip(a, b, strict=True))


def norm(vector: Sequence[float]) -> float:
    """A vector's length."""
    return math.hypot(*vector)
