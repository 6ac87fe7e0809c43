"""The page's goals, with their live progress."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from .. import permalink
from ..calculation import Step, calculate, find
from ..goals import Condition, Goal
from ..lesson import Lesson


def goals(
    lesson: Lesson,
    among: Sequence[Goal],
    steps: Sequence[Step],
    scope: Mapping[str, Any],
    *,
    given: Mapping[str, Any] | None = None,
    names: Mapping[str, str] | None = None,
) -> dict:
    """The page's goals with their live progress. Those met in `scope` keep their tick.

    `given` is what the steps read besides the lesson's values. A goal's sentence may say ``{word}``,
    ``{other}``, and whatever `names` holds.
    """
    memory = lesson.memory
    pair = {name: scope[name] for name in ("word", "other") if name in scope}
    start = calculate(steps, lesson.scope(lesson.defaults()) | dict(given or {}) | pair)
    named = {name: scope["words"][place] for name, place in pair.items()} | dict(names or {})
    memory.tick(goal.name for goal in among if goal.met(scope, start))
    return {
        "kind": "goals",
        "about": scope.get("word"),
        "title": "Try this",
        "met": "Met.",
        "near": "{part} % of the way",
        "was_met": "Met before.",
        "veiled": "Guess first.",
        "goals": [
            {
                "name": goal.name,
                "text": lesson.text.plain(f"goals/{goal.name}", **named),
                "conditions": [_condition(c, float(find(start, c.path))) for c in goal.conditions],
            }
            for goal in among
        ],
    }


def _condition(condition: Condition, start: float) -> dict[str, Any]:
    aim = condition.aim(start)
    return {
        "path": condition.path,
        "relation": condition.facing(start),
        "target": aim if math.isfinite(aim) else None,
        "tolerance": condition.tolerance,
        "start": start if math.isfinite(start) else None,
    }


def goal_field(among: Sequence[Goal]) -> permalink.Field:
    """The address's ``goal``: which goal is set."""
    return permalink.choice("goal", "the goal set", [goal.name for goal in among], hand=True)
