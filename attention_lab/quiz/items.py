"""The questions at the end of each part, with the state of a page that refutes a wrong answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from attention_lab.lesson import Lesson
from attention_lab.lessons import lesson_named
from attention_lab.state import permalink
from attention_lab.state.state import State


@dataclass(frozen=True)
class Pose:
    """A page and the values of its fields in which a wrong answer can be seen to be wrong."""

    page: str
    values: Mapping[str, Any]

    @property
    def lesson(self) -> Lesson:
        """The page's lesson, imported when it is needed: not every visitor answers every question."""
        return lesson_named(self.page)

    @property
    def link(self) -> dict[str, str]:
        """The parameters of the link, written by the lesson's own fields.

        It names every value of the pose, even a default: without any parameter, a page opens as it was left.
        """
        lesson = self.lesson
        state = State(lesson, permalink.complete(lesson.fields, self.values))
        named = {f.name: f.write(state.values[f.name]) for f in lesson.fields if f.name in self.values}
        return state.link | named


@dataclass(frozen=True)
class Item:
    """A question with its options, by name. The page that answers it is the page of its pose."""

    name: str
    options: tuple[str, ...]
    right: str
    pose: Pose


def _item(name: str, options: tuple[str, ...], right: str, page: str, **values: Any) -> Item:
    return Item(name, options, right, Pose(page, values))


# On *Generating text*: the fluffy blue creature loved the
WRITTEN = np.array([[1.0, 21.0, 26.0, 31.0, 39.0, 1.0]])

PARTS: Mapping[str, tuple[Item, ...]] = MappingProxyType(
    {
        "1_geometry": (
            _item(
                "one_entry",
                ("two", "none", "one"),
                "one",
                "embeddings",
                example="one_mole_of_carbon_dioxide",
                word="mole",
            ),
            _item(
                "twice_as_long",
                ("both", "dot", "neither"),
                "dot",
                "similarity",
                vectors=np.array([[0.0, 3.0], [4.0, 4.0], [4.0, 0.0]]),
                word="apple",
                other="phone",
            ),
            _item(
                "plus_ten",
                ("same", "sharper", "closer"),
                "same",
                "softmax",
                example="an_apple_phone",
                scores=np.array([[11.0, 12.0, 13.0]]),
            ),
        ),
        "2_one_head": (
            _item(
                "there_and_back",
                ("same", "anything", "rest"),
                "anything",
                "queries_keys",
                word="orange",
                other="apple",
                shown="all",
            ),
            _item("hidden_words", ("stay", "equal", "grow"), "grow", "masking", mask="causal", word="apple"),
            _item(
                "other_order",
                ("same", "subject", "swapped"),
                "same",
                "position",
                positions="none",
                order=np.array([[3.0, 2.0, 1.0]]),
                word="bites",
            ),
        ),
        "3_whole_layer": (
            _item(
                "four_heads",
                ("largest", "sum", "mean"),
                "sum",
                "multi_head",
                heads=np.ones((1, 4)),
                word="creature",
                plane="noun-adjective",
            ),
            _item(
                "who_answers",
                ("french", "both", "english"),
                "english",
                "cross_attention",
                looks="across",
                word="duveteuse",
            ),
            _item(
                "longer_text",
                ("squared", "double", "everything"),
                "squared",
                "scale",
                model="transformer-base",
                context=1024,
            ),
        ),
        "4_learned": (
            _item("no_target", ("weights", "where", "nothing"), "nothing", "train_a_head", step=59, asks="5"),
            _item(
                "needed",
                ("unknown", "yes", "part"),
                "unknown",
                "trained_model",
                dimmed=np.array([[0.0] * 5, [0.0, 0.0, 1.0, 0.0, 0.0]]),
                head="2.3",
            ),
            _item(
                "first_token",
                ("summary", "sink", "important"),
                "sink",
                "real_model",
                head="5.6",
                word="bank",
                other="[CLS]",
            ),
            _item("pieces", ("skips", "pieces", "unknown"), "pieces", "real_model", word="che"),
        ),
        "5_modern": (
            _item(
                "new_token", ("all", "one_row", "looks_up"), "one_row", "generating", tokens=WRITTEN, head="2.3"
            ),
            _item("same_prompt", ("chance", "same", "learns"), "chance", "generating", temperature=1.0, draw=0.4),
            _item("no_mask", ("any_model", "faster", "mask"), "mask", "generating", tokens=WRITTEN, causal="0"),
            _item(
                "one_head",
                ("store", "this_answer", "others"),
                "this_answer",
                "modern_model",
                head="24.5",
                cut="head",
            ),
            _item(
                "none_missed",
                ("nothing", "without", "together"),
                "together",
                "modern_model",
                **{"text": "mary"},
                head="2.6",
                cut="head",
            ),
            _item(
                "first_closed",
                ("nothing", "depends", "all"),
                "depends",
                "modern_model",
                cut="first",
            ),
            _item(
                "shared_keys",
                ("cache", "patterns", "queries"),
                "cache",
                "modern_model",
                head="24.4",
            ),
            _item("flash", ("approximate", "shorter", "exact"), "exact", "long_texts", passed=3.0),
        ),
    }
)
