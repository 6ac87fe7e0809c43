"""A link for a class, made of choices: a goal, a guess first, a question, what is shown.

It holds the page as it stands, and what is chosen on top. The page itself stays as it is.
"""

from collections.abc import Mapping

from attention_lab.state.shared_fields import QUESTION
from attention_lab.state.state import State

NOT_TAKEN = ("room", "goal", "predict", "present", "hide", QUESTION.name)  # what is chosen here, or is a room's


def settings(
    state: State,
    *,
    goal: Mapping[str, str] | None = None,
    guess: bool = False,
    question: str = "",
    present: bool = False,
    hidden: tuple[str, ...] = (),
) -> dict[str, str]:
    """What the link holds. Where a goal belongs to another example, the page as it stands does not go along.

    It says the teacher's language, where the teacher's own link says one.
    """
    stands = {name: text for name, text in state.link.items() if name not in NOT_TAKEN}
    there = state.lesson.parse(goal or {})[0].values
    begins_anew = any(there[name] != state.values[name] for name in (goal or {}).keys() - {"goal"})
    return (
        (state.of_language if begins_anew else stands)
        | dict(goal or {})
        | ({"predict": "1"} if guess else {})
        | ({QUESTION.name: QUESTION.write(" ".join(question.split()))} if guess and question.strip() else {})
        | ({"present": "1"} if present else {})
        | ({"hide": ".".join(hidden)} if hidden else {})
    )
