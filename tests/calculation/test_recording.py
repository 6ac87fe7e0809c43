"""A calculation is recorded once, gives what the core gives, and says by name what is wrong with it."""

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

import attention_core
from attention_core import AttentionTrace
from attention_lab.calculation import Condition, name_of, path_of, record, steps_of
from attention_lab.calculation.operations import dot_product, rows, scaled_dot_product_attention, softmax
from attention_lab.calculation.read_cache import Watched
from attention_lab.calculation.table import OPERATIONS
from attention_lab.faults import AuthoringError, UnknownNameError

A = np.array([[0.0, 3.0], [2.0, 2.0], [4.0, 0.0]])


def mixing(s):
    s.x = rows(s.table, s.ids)
    s.scores = dot_product(s.x, s.x)
    s.weights = softmax(s.scores, s.temperature)
    s.mixed = s.weights @ s.x


def attending(s):
    s.trace = scaled_dot_product_attention(s.x, s.x, s.x)


MIXING = record(mixing, constants=["table", "ids", "temperature"])
ATTENDING = record(attending, constants=["x", "word", "other"])


def calculate(function, **constants):
    """Record a calculation and run it; return both."""
    calculation = record(function, constants=constants)
    return calculation, calculation.run(constants)


def test_steps_build_on_one_another():
    now = MIXING.run({"table": A, "ids": [2, 0, 2], "temperature": 4.0})
    chosen = A[[2, 0, 2]]
    weights = attention_core.softmax(chosen @ chosen.T, 4.0)
    np.testing.assert_array_equal(now.mixed, weights @ chosen)
    assert now["mixed"] is now.mixed
    assert now.table is A
    assert now.settings == {"table": A, "ids": [2, 0, 2], "temperature": 4.0}, "what was given stays"


def test_arrays_that_do_not_fit_are_named_with_their_step_and_shapes():
    with pytest.raises(
        AuthoringError, match=r"The step 'mixed', matmul of weights \(3, 3\) and x \(2, 3\), cannot be"
    ):
        calculate(lambda s: setattr(s, "mixed", s.weights @ s.x), weights=np.eye(3), x=np.ones((2, 3)))


def test_a_value_leads_through_names_places_and_fields():
    now = ATTENDING.run({"x": A, "word": 1, "other": 2})
    s = ATTENDING
    assert now[s.word] == 1
    assert now[s.trace.weights[s.word, s.other]] == now.trace.weights[1, 2]
    assert now[s.trace.weights[s.word][0]] == now.trace.weights[1, 0]
    assert isinstance(now[s.trace], AttentionTrace)


def test_a_step_named_after_it_was_used_is_found_by_its_name():
    def late(s):
        product = s.x @ s.x
        first = product[0]
        s.twice = product + product
        s.product = product
        s.first_twice = first * 2

    calculation, now = calculate(late, x=np.eye(2))
    np.testing.assert_array_equal(now.twice, 2 * np.eye(2))
    np.testing.assert_array_equal(now.first_twice, [2, 0])
    assert [name for name, *_ in steps_of(calculation)] == ["product", "twice", "first_twice"]


def test_one_result_may_have_two_names_and_a_list_has_parts():
    def lists(s):
        s.query = s.x @ s.x
        s.key = s.query
        s.traces = [scaled_dot_product_attention(s.query, s.key, s.x) for _ in range(2)]

    calculation, now = calculate(lists, x=A[:2])
    assert now.key is now.query
    assert now[calculation.traces[1].weights] is now.traces[1].weights


def test_a_further_calculation_goes_on_from_one():
    def more(s):
        s.changed = s.mixed - s.x

    longer = MIXING.then(more)
    constants = {"table": A, "ids": [0, 1], "temperature": 1.0}
    before = MIXING.run(constants)
    after = longer.run_extension(before)
    assert after.mixed is before.mixed
    np.testing.assert_array_equal(after.changed, longer.run(constants).changed)
    assert "changed" not in before


def test_forms_of_one_calculation_differ_by_what_the_function_is_told():
    def either(s, *, shared):
        s.query = s.x @ s.W_query
        s.key = s.x @ (s.W_query if shared else s.W_key)

    constants = {"x": A, "W_query": np.eye(2), "W_key": 2 * np.eye(2)}
    for shared, key in ((True, A), (False, 2 * A)):
        calculation = record(either, constants=constants, shared=shared)
        np.testing.assert_array_equal(calculation.run(constants).key, key)


def test_two_visitors_who_open_different_pages_at_once_record_two_calculations():
    """Lessons are imported by the first who opens them, each in a thread of its own."""
    both_record = Barrier(2)

    def record_at_the_same_time(function, calculation):
        def steps(s):
            both_record.wait(60)
            function(s)
            both_record.wait(60)

        return record(steps, constants=calculation.constants)

    with ThreadPoolExecutor(2) as threads:
        one = threads.submit(record_at_the_same_time, mixing, MIXING)
        other = threads.submit(record_at_the_same_time, attending, ATTENDING)
    assert json.dumps(steps_of(one.result())) == json.dumps(steps_of(MIXING))
    assert json.dumps(steps_of(other.result())) == json.dumps(steps_of(ATTENDING))


def test_the_browser_gets_names_paths_and_plain_steps():
    s = MIXING
    assert name_of(s.weights) == "weights"
    assert path_of(s.weights[s.ids[0], 2]) == ["weights", ["ids", 0], 2]
    steps = json.loads(json.dumps(steps_of(s)))
    assert steps[0] == ["x", "rows", [{"of": ["table"]}, {"of": ["ids"]}]]


def test_comparisons_are_conditions():
    s = MIXING
    share = s.weights[0, 1]
    assert (share >= 0.8).relation == "at_least"
    assert (share <= 0.8).relation == "at_most"
    near = share.within(0.02, of=share.at_start)
    assert isinstance(near, Condition)
    assert (near.relation, near.target, near.tolerance, near.relative) == ("within", 1.0, 0.02, True)
    assert (share >= 2 * share.at_start).target == 2.0


# Faults ------------------------------------------------------------------------------------------------


def record_line(line):
    """Record a calculation that consists of one line, as if it were the second line of this file."""
    names = dict(globals())
    exec(compile(f"def wrong(s):\n    {line}", __file__, "exec"), names)
    return record(names["wrong"], constants=["table", "ids", "temperature"])


def test_a_mistake_is_one_sentence_with_its_place():
    attention = "s.trace = scaled_dot_product_attention(s.table, s.table, s.table)"
    for line, sentence in {
        "s.y = sofmax(s.table)": r"'sofmax' is not a name there, nor .*operations.py; did you mean 'softmax'",
        "s.y = s.table**2": r"table \*\* 2: the browser knows only .*operations.py",
        "s.y = np.exp(s.table)": r"np.exp of table: the browser knows only .*operations.py",
        "s.y = np.sort(s.table)": r"np.sort of table: the browser knows only .*operations.py",
        "s.y = s.tabel @ s.table": r"'tabel' is not among the inputs and calculated .*; did you mean 'table'\?",
        "s.y = softmax(s.scores)": r"'scores' is not among the inputs and calculated values; there are: table",
        f"{attention}; s.y = s.trace.sclaed_scores": (
            r"'sclaed_scores' is not a field of .*AttentionTrace; did you mean 'scaled_scores'\?"
        ),
        "s.y = softmax(s.table, s.temperature, s.ids)": r"softmax takes scores n m, positive\?; .* 3 arguments\.",
        "s.y = rows(s.table, A)": r"rows: ndarray cannot stand in a calculation; give it by a name\.",
        "s.y = softmax(s.table); s.y = softmax(s.table)": r"s\.y is there already",
        "s.values = softmax(s.table)": r"s\.values: a calculation has that name itself; give the value another",
        "s.settings = softmax(s.table)": r"s\.settings: a calculation has that name itself",
        "s.y = 3": r"s\.y = 3: only what is calculated gets a name",
        "s.y = softmax(s.table) if s.temperature else 0": r"temperature is known only when the .* runs: `if`",
        "s.y = softmax(s.table.weights)": r"table is no record and has no 'weights'",
        "s.y = softmax(s.table[-1])": r"table\[-1\]: a place is a number from 0 on",
    }.items():
        with pytest.raises(
            AuthoringError, match=rf"^tests/calculation/test_recording\.py, line 2: .*{sentence}"
        ) as fault:
            record_line(line)
        assert "\n" not in str(fault.value)


def test_no_value_is_called_as_what_asks_for_it():
    """`now.items` would be a method of the results, and not the value."""
    watched = Watched(0, {}, {})
    own = {*dir(MIXING), *dir(MIXING.run({"table": A, "ids": [0], "temperature": 1.0})), *dir(watched)}
    for name in {name for name in own if not name.startswith("_")}:
        with pytest.raises(AuthoringError, match=rf"^tests/.*, line \d+: s\.{name}: a calculation has that name"):
            record(lambda s, name=name: setattr(s, name, s.x @ s.x), constants=["x"])
        with pytest.raises(AuthoringError, match=rf"^tests/.*, line \d+: s\.{name}: a calculation has that name"):
            record(lambda s: None, fields=[name])


def test_an_unknown_or_missing_name_of_a_calculation_is_a_fault():
    for names in (MIXING, MIXING.run({"table": A, "ids": [0], "temperature": 1.0})):
        with pytest.raises(UnknownNameError, match=r"'wieghts' is not among .*did you mean 'weights'"):
            _ = names.wieghts
    with pytest.raises(UnknownNameError, match=r"'sofmax' is not an operation .*did you mean 'softmax'"):
        _ = OPERATIONS["sofmax"]
    with pytest.raises(UnknownNameError, match="'temperature' is not among the inputs"):
        MIXING.run({"table": A, "ids": [0], "temprature": 1.0})


def test_a_goal_is_held_against_its_own_start_only():
    with pytest.raises(AuthoringError, match="its own start"):
        _ = MIXING.weights[0] >= 2 * MIXING.scores[0].at_start
    with pytest.raises(AuthoringError, match="calculate their difference"):
        _ = MIXING.weights[0] >= MIXING.scores[0]


def test_outside_of_a_calculation_an_operation_computes():
    np.testing.assert_array_equal(dot_product(A, A), A @ A.T)
    assert rows(A, []).shape == (0, 2)
    with pytest.raises(AuthoringError, match="outside of a calculation"):
        dot_product(MIXING.table, A)


def test_weights_are_made_of_queries_and_keys_and_not_of_values():
    def steps(s):
        s.trace = scaled_dot_product_attention(s.x @ s.W_query, s.x, s.x @ s.W_value, s.mask)
        s.row = s.trace.weights[s.word]
        s.new = s.trace.context[s.word]

    s = record(steps, constants=("x", "W_query", "W_value", "mask", "word"))
    assert s.origins(s.row) == {"x", "W_query", "mask", "word"}
    assert s.origins(s.trace.scores) == {"x", "W_query"}
    assert s.origins(s.new) == {"x", "W_query", "W_value", "mask", "word"}
