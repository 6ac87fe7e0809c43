"""The page's goals, with their live progress."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from attention_lab.calculation import Results
from attention_lab.calculation.result_cache import run_cached
from attention_lab.faults import unknown
from attention_lab.state.goals import Goal, SentenceValue
from attention_lab.state.state import State
from attention_lab.text import ui_text

from .layout import Column
from .parts import OTHER, WORD, WORDS, Part, part


def goals(
    state: State,
    among: Sequence[Goal],
    now: Results,
    *,
    begin: Mapping[str, Any] | None = None,
    names: Mapping[str, str] | None = None,
    first: str = "first",
    none: str = "",
    waits: bool = False,
    of_word: bool = True,
) -> Column:
    """The page's goals with their live progress, in sight wherever the page is scrolled to.

    Only the one that is shown can be ticked. Its progress starts from the page as it was before anything was
    moved; `begin` says what else was otherwise then. A goal that held already then, or whose aim is no number, is
    not offered. A goal's sentences may say ``{word}``, ``{other}``, and whatever `names` holds. Until something
    was moved, the section `first` stands in the goal's place: what to move, and what happens then. `none` is said
    where there is nothing to reach, instead of what is said on most pages. A card that `waits` is not shown, and
    none of its goals is ticked: the page asks its question first. Those not `of_word` are of every word.
    """
    places = state.options("goal")
    for goal in among:
        if goal.name not in places:
            raise unknown(
                goal.name, places, f"a goal that the address of the page {state.name!r} knows", place=goal.place
            )
    pair = {name: now[name] for name in ("word", "other") if name in now}
    start = run_cached(now.calculation, state.scope(state.defaults()), now.constants, begin or {}, pair)
    named = {name: now["words"][place] for name, place in pair.items()} | dict(names or {})
    offered = [goal for goal in among if goal.to_reach(start)]
    in_sight = next((goal for goal in offered if goal.name == state.goal), offered[0] if offered else None)
    shown = part(
        "goals",
        about=now.get("word") if of_word else None,
        title=ui_text("goals"),
        **_messages("start", "started"),
        first=state.text.marked(first),
        **_messages("met", "near", "unmet", "was_met", "passed", "already", "true_at_first", "next", "all_met"),
        none=none or ui_text("goals/none"),
        veiled=ui_text("guess/first"),
        waits=waits or None,
        goals=[
            {
                "name": goal.name,
                "place": places.index(goal.name),
                "text": state.text.plain(f"goals/{goal.name}", **named),
                "pieces": _sentence(
                    state, f"goals/{goal.name}", {key: {"em": name} for key, name in named.items()}
                ),
                "conditions": [c.to_payload(float(start[c.value])) for c in goal.conditions],
                "why": _why(state, goal, named),
                "live": _sentence(state, f"now/{goal.name}", _pieces(goal, named)),
                "hint": _sentence(state, f"hints/{goal.name}", named),
                "unmet": _sentence(state, f"unmet/{goal.name}", named),
                **({"needs_python": True} if goal.needs_python else {}),
            }
            for goal in offered
        ],
    )
    goal = None if waits or in_sight is None else (in_sight.name, partial(in_sight.met, start=start))
    return Column([shown], pinned=True, goal=goal)


def _messages(*names: str) -> dict[str, str]:
    return {name: ui_text(f"goals/{name}") for name in names}


PAIR = {"word": WORDS[WORD], "other": WORDS[OTHER]}


def _pieces(goal: Goal, names: Mapping[str, str]) -> dict[str, str | Part]:
    """What is put into a goal's sentences for the names that they leave open."""
    return {name: number_piece(value) for name, value in (names | PAIR | goal.names).items()}


def _why(state: State, goal: Goal, names: Mapping[str, str]) -> list[Part]:
    """Return the sentences that say why a goal is met, each with the condition under which it is true."""
    cases, pieces = [*goal.cases.items(), ("", None)], _pieces(goal, names)
    sections = [(f"why/{goal.name}/{case}" if case else f"why/{goal.name}", when) for case, when in cases]
    return [
        {
            "when": when and when.to_payload(),
            "text": state.text.marked(section, **pieces),
        }
        for section, when in sections
        if section in state.text
    ]


def _sentence(state: State, section: str, names: Mapping[str, Any]) -> list[str | Part]:
    """Return the pieces of a goal's sentence; none where there is no such sentence."""
    return state.text.marked(section, **names) if section in state.text else []


def number_piece(value: str | SentenceValue) -> str | Part:
    """Return a name as it is, and of a value its path and number format."""
    if isinstance(value, str):
        return value
    of, form = value if isinstance(value, tuple) else (value, "figure")
    return {"of": of, "form": form}
