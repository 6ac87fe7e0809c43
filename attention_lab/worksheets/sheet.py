"""A sheet of paper: the data, tasks with room for answers, a goal to reach on a page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

LONGEST = 120  # signs of an answer


@dataclass(frozen=True)
class Question:
    """A task in words; `check` says of a text whether it is right, and a sentence about it."""

    key: str
    prompt: str
    label: str
    answer: str
    check: Callable[[str], tuple[bool, str]]


@dataclass(frozen=True)
class Sheet:
    """One sheet: the data, the tasks, and a goal to reach on a page."""

    topic: str
    seed: int
    head: str
    data: str
    questions: Sequence[Question]
    goal: str
    goal_path: str
    goal_label: str
