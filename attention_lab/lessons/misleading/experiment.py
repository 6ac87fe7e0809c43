"""What one experiment of the page is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from attention_lab.calculation import Calculation, Results
from attention_lab.figure import Column
from attention_lab.state.goals import ChoiceQuestion, Goal
from attention_lab.state.state import State


@dataclass(frozen=True, eq=False, kw_only=True)
class Experiment:
    """A calculation, the constants that it is given, the question that comes first, goals, figure and tables."""

    calculation: Calculation
    constants: Callable[[State], Mapping[str, Any]]
    question: ChoiceQuestion
    goals: Callable[[State], Sequence[Goal]]  # those that can be reached here
    names: Callable[[State], Mapping[str, str]]  # what goals and the question may say
    question_names: Callable[[State], Mapping[str, str]] | None = None  # where the question says others
    columns: Callable[[State, bool], Sequence[Column]]  # what was counted over many texts waits for the answer
    tables: Callable[[State, Results], Mapping[str, pd.DataFrame]]
    first_move: Callable[[State, Results], str]
    first_text: Callable[[Results], str] = lambda _: "first"  # the section that says what to move first
    seeds: tuple[str, ...] = ()  # the fields of the seeds that it has
