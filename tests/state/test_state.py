"""A page's state: its values stay possible whatever happens, and Undo leads back."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attention_lab import faults
from attention_lab.lesson import Lesson
from attention_lab.state import permalink, vocabulary
from attention_lab.state.state import OWN, base_example
from attention_lab.state.update import (
    MOST_KEPT,
    MOST_STEPS,
    AskAgain,
    Move,
    Predict,
    ReachGoals,
    Redo,
    Reset,
    SetFields,
    ShowGoal,
    SwitchExample,
    Undo,
    update,
)

EXAMPLES = ("orange_apple_phone", "orange_apple_phone_and_an")
GOALS = ("first", "second")
LESSON = Lesson(
    "similarity",
    (
        *vocabulary.fields(EXAMPLES, word="apple", other="phone"),
        permalink.number("heat", "", 0.05, 20, 1, interactive=True),
        permalink.choice("measure", "", ["dot", "cosine"]),
        permalink.order("order", ""),
        permalink.choice("goal", "", GOALS, interactive=True),
    ),
)
FIELDS = LESSON.fields
anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from([10**400, -(10**400), 1e308, "NaN", 3, 2]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


def state(**known):
    return LESSON.parse({}, known)[0]


def updated(now, *events):
    for event in events:
        now = update(now, event)
    return now


def same(one, other):
    return all(permalink.same(one.values[name], value) for name, value in other.values.items())


def check(now):
    """Assert that a link could have brought every value, and that the page's link brings it."""
    values = now.values
    assert len(values["vectors"]) == len(values["words"])
    assert (np.abs(values["vectors"]) <= permalink.FARTHEST).all()
    assert {values["word"], values["other"]} <= {*values["words"]}
    assert 0.05 <= values["heat"] <= 20
    assert set(values) == {f.name for f in FIELDS}
    there, notices = LESSON.parse(now.link)
    assert not notices
    assert same(there, now)


def test_a_move_changes_what_it_names():
    sent = {"vectors": [[1, 2], [3, 4], [5, -0.5]], "word": 2, "other": 0, "heat": 2.5}
    moved = update(state(), Move(sent))
    check(moved)
    np.testing.assert_array_equal(moved.vectors, [[1, 2], [3, 4], [5, -0.5]])
    assert (moved.word, moved.other, moved.heat) == ("phone", "orange", 2.5)
    assert moved.provenance_of("vectors") == "yours"
    assert (moved.pose()["word"], moved.scope()["word"], moved.scope()["measure"]) == (2, 2, "dot")


def test_an_impossible_number_or_order_is_not_taken():
    moved = update(state(), Move({"heat": 2, "order": [[3, 1, 2]]}))
    orders = [[[1, 1, 2]], [[0, 1, 2]], [[1, 2, 4]], [[1.5, 2, 3]], [[1, 2]]]
    moves = [{"heat": x} for x in (10**4, -0.1, math.nan, math.inf, None, "x", [1], {})]
    moves += [{"order": order} for order in orders]
    assert [sent for sent in moves if not same(update(moved, Move(sent)), moved)] == []


def test_the_badge_is_bound_to_the_numbers():
    page = state()
    assert page.provenance_of("vectors") == page.worked_example.provenance == "by hand"
    page = update(page, SetFields({"vectors": page.vectors + np.array([[0, 0], [0, 1e-9], [0, 0]])}))
    assert page.provenance_of("vectors") == "yours"
    assert page.provenance_of() == "by hand", "a picture made of other numbers"
    page = update(page, SetFields({"vectors": page.worked_example.embeddings.copy()}))
    assert page.provenance_of("vectors") == "by hand"


def test_own_words_are_placed_until_they_are_moved():
    assert state(example=OWN).provenance_of("vectors") == "by hand", "all its words are the example's"
    page = state(words=("orange", "b", "c"))
    assert page.provenance_of("vectors") == "by hand and placed", "orange has the example's vector"
    assert page.placed_words == ["b", "c"]
    assert state(words=("a", "b", "c")).provenance_of("vectors") == "placed for you"
    page = update(page, SetFields({"vectors": page.vectors + 0.5}))
    assert page.provenance_of("vectors") == "yours"
    assert not page.placed_words


def test_own_words_stand_on_an_example_with_as_many_axes():
    for axes in (2, 3):
        assert base_example(FIELDS, {"example": OWN, "vectors": np.zeros((2, axes))}).embeddings.shape[1] == axes


def test_a_field_that_is_not_there_is_named():
    with pytest.raises(faults.UnknownNameError, match=r"'mesure' is not a field .*did you mean 'measure'\?"):
        _ = state().mesure


# Undo ----------------------------------------------------------------------------------------------------


def test_only_changes_of_the_pages_own_fields_are_steps():
    now = updated(state(heat=1), Move({"heat": 1}), SetFields({"heat": 1.0}))
    assert (now.undo_stack, now.redo_stack) == ((), ())
    now = update(now, SetFields({"predict": True, "orientation": "columns"}))
    assert now.predict
    assert not now.undo_stack
    now = updated(now, SetFields({"heat": 2.0}), Undo())
    assert (now.heat, now.predict) == (1, True)


def test_undo_goes_a_hundred_steps_back_and_no_further():
    now = updated(state(), *(Move({"heat": 1 + number / 100}) for number in range(2 * MOST_STEPS)))
    assert len(now.undo_stack) == MOST_STEPS
    assert updated(now, *[Undo()] * (MOST_STEPS + 3)).heat == 1 + (MOST_STEPS - 1) / 100


VECTORS = st.lists(st.lists(st.floats(-9, 9), min_size=2, max_size=2), min_size=3, max_size=3)
EVENTS = st.one_of(
    st.builds(Move, st.fixed_dictionaries({}, optional={"vectors": VECTORS, "heat": st.floats(0.1, 9)})),
    st.builds(lambda word: Move({"word": word}), st.integers(0, 3)),
    st.builds(lambda name: SetFields({"measure": name}), st.sampled_from(["dot", "cosine", "forged"])),
    st.builds(lambda words: SetFields({"example": OWN, "words": words}), st.sampled_from([("a", "b"), ("c",)])),
    st.builds(SwitchExample, st.sampled_from([*EXAMPLES, OWN, "forged"])),
    st.builds(Reset, st.sampled_from([(), ("heat",), ("vectors", "heat")])),
    st.builds(ShowGoal, st.sampled_from(GOALS), st.booleans()),
    st.builds(ReachGoals, st.lists(st.sampled_from([*GOALS, "forged"]))),
    st.builds(Predict, st.tuples(st.integers(0, 3)), st.just((0, 1, ""))),
    st.builds(AskAgain, st.tuples(st.integers(0, 3))),
)


THREE_AXES = SwitchExample(EXAMPLES[1])


@given(st.lists(EVENTS | st.just(Undo()) | st.just(Redo()), max_size=30))
@example([THREE_AXES, SetFields({"example": OWN, "words": ("a", "b")}), SwitchExample(EXAMPLES[0])])
@example([THREE_AXES, SetFields({"example": EXAMPLES[0]})])
def test_undo_and_redo_go_through_a_list_of_states(events):
    now, states, place = state(), [state()], 0
    for event in events:
        before, now = now, update(now, event)
        if event == Undo():
            place = max(place - 1, 0)
        elif event == Redo():
            place = min(place + 1, len(states) - 1)
        elif not same(before, now):
            states, place = [*states[: place + 1], now], place + 1
        check(now)
        assert same(now, states[place])
        assert (len(now.undo_stack), len(now.redo_stack)) == (place, len(states) - 1 - place)
    assert same(updated(now, *[Undo()] * place), states[0])
    assert same(updated(now, *[Redo()] * len(states)), states[-1])


def test_another_example_keeps_edits_to_fields_that_both_share():
    moved = update(state(), Move({"heat": 5, "vectors": [[0, 0], [1, 1], [2, 2]]}))
    switched = update(moved, SwitchExample(EXAMPLES[1]))
    assert (switched.example, switched.heat) == (EXAMPLES[1], 5)
    np.testing.assert_array_equal(switched.vectors, switched.worked_example.embeddings)


def test_an_example_brings_its_own_words_and_vectors_after_words_of_ones_own():
    own = SetFields({"example": OWN, "words": ("a", "b", "c"), "vectors": np.ones((3, 2)), "heat": 5.0})
    switched = updated(state(), own, SwitchExample(EXAMPLES[0]))
    assert same(switched, state(heat=5))


def test_reset_keeps_the_chosen_goal():
    again = updated(state(), SetFields({"heat": 5.0, "goal": "second", "predict": True}), Reset())
    assert (again.heat, again.goal, again.predict) == (1, "second", True)


def test_choosing_a_goal_is_no_step_of_undo_but_another_example_brings_back_its_goal():
    heated = updated(state(), Move({"heat": 5}), Move({"goal": 1}))
    assert (heated.goal, len(heated.undo_stack)) == ("second", 1)
    back = update(heated, Undo())
    assert (back.heat, back.goal) == (1, "second")
    assert (update(update(back, Move({"goal": 0})), Redo()).heat) == 5, "nor does it end Redo"
    other = updated(heated, SwitchExample(EXAMPLES[1]), SetFields({"goal": "first"}))
    assert (update(other, Undo()).goal, updated(other, Undo(), Redo()).goal) == ("second", "first")


# Goals and predictions -----------------------------------------------------------------------------------


def test_a_page_remembers_only_the_newest_goals_and_predictions():
    now = state()
    for place in range(3 * MOST_KEPT):
        own = SetFields({"example": OWN, "words": (f"word{place}",), "vectors": np.ones((1, 2))})
        now = updated(now, own, ReachGoals(["first"]), ReachGoals(["second"]), Predict((place,), place))
    assert now.completed_goals == {"first", "second"}
    assert len(now.goals_met) == len(now.predictions) == MOST_KEPT
    assert [*now.predictions.values()] == [*range(2 * MOST_KEPT, 3 * MOST_KEPT)]
    now = updated(now, Predict((2 * MOST_KEPT,), "again"), Predict(("one more",), 1))
    assert now.predictions[(2 * MOST_KEPT,)] == "again", "what is used again is new"
    assert (2 * MOST_KEPT + 1,) not in now.predictions
    assert ("one more",) not in update(now, AskAgain(("one more",))).predictions


def test_a_goal_is_ticked_once_it_was_shown_unmet_and_then_met():
    now = updated(state(), ShowGoal("first", met=False), ShowGoal("second", met=True))
    assert now.completed_goals == set(), "it was met before it was shown"
    now = updated(now, ShowGoal("second", met=False), ShowGoal("second", met=True))
    assert now.completed_goals == {"second"}
    now = updated(now, SetFields({"example": EXAMPLES[1]}), ShowGoal("second", met=True))
    assert now.completed_goals == set(), "on other words it is another goal"


def test_unknown_goals_are_not_reached():
    for sent in (None, "first", ["forged"], [["first"]], {"first": 1}, 5):
        assert update(state(), ReachGoals(sent)).completed_goals == set()


def test_a_state_never_changes():
    first = state()
    values = dict(first.values)
    updated(first, Move({"heat": 5}), SetFields({"measure": "cosine"}), Reset(), ReachGoals(["first"]))
    assert first.link == {}
    assert first.values == values
    assert not first.completed_goals
    with pytest.raises(AttributeError):
        first.values = {}
