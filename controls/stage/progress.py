"""The page's goals, with their live progress."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from prose import say

from .. import permalink
from ..calculation import Results
from ..goals import Condition, Goal
from ..page_state import PageState
from .parts import Part, part


def goals(
    page: PageState,
    among: Sequence[Goal],
    now: Results,
    *,
    begin: Mapping[str, Any] | None = None,
    names: Mapping[str, str] | None = None,
) -> Part:
    """The page's goals with their live progress. Those met `now` keep their tick.

    How far one has come is told from the page as it was before anything was moved; `begin` says what else was
    otherwise then. A goal's sentence may say ``{word}``, ``{other}``, and whatever `names` holds.
    """
    memory = page.memory
    pair = {name: now[name] for name in ("word", "other") if name in now}
    start = now.calculation.run(page.scope(page.defaults()), now.added, begin or {}, pair)
    named = {name: now["words"][place] for name, place in pair.items()} | dict(names or {})
    memory.tick(goal.name for goal in among if goal.met(now, start))
    return part(
        "goals",
        about=now.get("word"),
        title=say("goals"),
        met=say("goals/met"),
        near=say("goals/near"),
        was_met=say("goals/was_met"),
        veiled=say("guess/first"),
        goals=[
            {
                "name": goal.name,
                "text": page.text.plain(f"goals/{goal.name}", **named),
                "conditions": [_condition(c, float(start[c.value])) for c in goal.conditions],
            }
            for goal in among
        ],
    )


def _condition(condition: Condition, start: float) -> dict[str, Any]:
    aim = condition.aim(start)
    return {
        "path": condition.value,
        "relation": condition.facing(start),
        "target": aim if math.isfinite(aim) else None,
        "tolerance": condition.tolerance,
        "start": start if math.isfinite(start) else None,
    }


def goal_field(names: Sequence[str]) -> permalink.Field:
    """The address's ``goal``: which of the goals of these names is set."""
    return permalink.choice("goal", "the goal set", list(names), hand=True)
