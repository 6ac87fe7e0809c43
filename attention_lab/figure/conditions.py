"""Conditions as the browser checks them."""

import math
from typing import Any

from attention_lab.calculation import Condition


def condition_payload(condition: Condition, start: float = 0.0) -> dict[str, Any]:
    """A condition as the browser checks it, given what its number was at the start."""
    aim = condition.aim(start)
    return {
        "path": condition.value,
        "relation": condition.facing(start),
        "target": aim if math.isfinite(aim) else None,
        "tolerance": condition.tolerance,
        "start": start if math.isfinite(start) else None,
    }
