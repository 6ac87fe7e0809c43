"""The page's goals, with their live progress."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from attention_lab.calculation import Condition, Results
from attention_lab.calculation.result_cache import run_kept
from attention_lab.faults import unknown
from attention_lab.state import permalink
from attention_lab.state.goals import Goal, Told
from attention_lab.state.state import State
from attention_lab.text import say

from .layout import Column
from .parts import OTHER, WORD, WORDS, Part, part


def goals(
    state: State,
    among: Sequence[Goal],
    now: Results,
    *,
    begin: Mapping[str, Any] | None = None,
    names: Mapping[str, str] | None = None,
    none: str = "",
) -> Column:
    """The page's goals with their live progress, in sight wherever the page is scrolled to.

    Only the one that is shown can be ticked. Its progress starts from the page as it was before anything was
    moved; `begin` says what else was otherwise then. A goal that held already then, or whose aim is no number, is
    not offered. A goal's sentences may say ``{word}``, ``{other}``, and whatever `names` holds. `none` is said
    where there is nothing to reach, instead of what is said on most pages.
    """
    places = state.options("goal")
    for goal in among:
        if goal.name not in places:
            raise unknown(
                goal.name, places, f"a goal that the address of the page {state.name!r} knows", place=goal.place
            )
    pair = {name: now[name] for name in ("word", "other") if name in now}
    start = run_kept(now.calculation, state.scope(state.defaults()), now.added, begin or {}, pair)
    named = {name: now["words"][place] for name, place in pair.items()} | dict(names or {})
    offered = [goal for goal in among if goal.to_reach(start)]
    in_sight = next((goal for goal in offered if goal.name == state.goal), offered[0] if offered else None)
    shown = part(
        "goals",
        about=now.get("word"),
        title=say("goals"),
        met=say("goals/met"),
        near=say("goals/near"),
        was_met=say("goals/was_met"),
        already=say("goals/already"),
        true_at_first=say("goals/true_at_first"),
        next=say("goals/next"),
        all_met=say("goals/all_met"),
        none=none or say("goals/none"),
        veiled=say("guess/first"),
        goals=[
            {
                "name": goal.name,
                "place": places.index(goal.name),
                "text": state.text.plain(f"goals/{goal.name}", **named),
                "pieces": state.text.marked(f"goals/{goal.name}", **named),
                "conditions": [condition_told(c, float(start[c.value])) for c in goal.conditions],
                "why": _why(state, goal, named),
            }
            for goal in offered
        ],
    )
    return Column([shown], pinned=True, goal=in_sight and (in_sight.name, in_sight.met(now, start)))


def _why(state: State, goal: Goal, names: Mapping[str, str]) -> list[Part]:
    """The sentences that say why a goal came about, each with the condition under which it is true."""
    pair = {"word": WORDS[WORD], "other": WORDS[OTHER]}
    told = {name: number_told(value) for name, value in (names | pair | goal.tells).items()}
    cases = [*goal.cases.items(), ("", None)]
    sections = [(f"why/{goal.name}/{case}" if case else f"why/{goal.name}", when) for case, when in cases]
    return [
        {"when": when and condition_told(when, 0.0), "text": state.text.around(section, plain=True, **told)}
        for section, when in sections
        if section in state.text
    ]


def number_told(value: str | Told) -> str | Part:
    """A name as it is, and of a value where it is found and how its number is written."""
    if isinstance(value, str):
        return value
    of, form = value if isinstance(value, tuple) else (value, "figure")
    return {"of": of, "form": form}


def condition_told(condition: Condition, start: float = 0.0) -> dict[str, Any]:
    """A condition as the browser checks it, given what its number was at the start."""
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
    return permalink.choice("goal", "the goal set", list(names), interactive=True)
