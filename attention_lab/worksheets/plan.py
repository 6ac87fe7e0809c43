"""The plan of a lesson: its stops, each with its link, its question and the answer to it."""

from collections.abc import Mapping
from dataclasses import dataclass

from attention_lab.course import PageLink


@dataclass(frozen=True)
class Stop:
    """A page of the lesson: when, what is done there, what is asked, and where its link leads."""

    to: PageLink
    when: str
    what: str
    goal: str
    ask: str
    misconception: str
    answer: str
    settings: Mapping[str, str]
    path: str
    label: str
