"""What a head does, in numbers that one can compute by hand."""

import numpy as np
import pytest

from attention_lab.own_attention.forms import read_attention
from attention_lab.own_attention.head_measures import measure_heads

TOKENS = ["the", "cat", "saw", "the", "cat"]


def pattern(*keys):
    """The pattern of a head that gives all weight of query i to the key keys[i]."""
    return np.eye(len(TOKENS), dtype=np.float32)[[*keys]]


HEADS = {
    "previous": pattern(0, 0, 1, 2, 3),
    "first": pattern(0, 0, 0, 0, 0),
    "itself": pattern(0, 1, 2, 3, 4),
    "same": pattern(0, 1, 2, 0, 1),
    "induction": pattern(0, 1, 1, 1, 2),
}


@pytest.mark.parametrize("kind", HEADS)
def test_a_head_is_called_by_what_it_does(kind):
    table = measure_heads(read_attention(HEADS[kind], TOKENS)["attention"])
    assert table.loc[0, "kind"] == kind
    assert table.loc[0, "spread"] == 0
    if kind != "same":  # the first token is no earlier occurrence: most heads attend to it, whatever it is
        assert table.loc[0, kind] == 1


def test_a_mean_counts_the_queries_that_have_such_a_key():
    weights = np.stack([HEADS["previous"], np.full((5, 5), 0.2, np.float32)])
    table = measure_heads(read_attention(weights, TOKENS)["attention"])
    uniform = table.iloc[1]
    assert uniform[["previous", "first", "itself", "same"]].to_list() == pytest.approx([0.2] * 4)
    assert uniform["induction"] == pytest.approx(0.2)  # a key for each of the two that repeat
    assert uniform["spread"] == pytest.approx(np.log2(5))
    assert uniform["kind"] == ""
    assert table[["layer", "head"]].to_numpy().tolist() == [[0, 0], [0, 1]]


def test_a_text_without_repeats_and_another_text_have_no_such_numbers():
    alone = measure_heads(read_attention(HEADS["first"], list("abcde"))["attention"])
    assert alone[["same", "induction"]].isna().all(axis=None)
    cross = measure_heads(read_attention(HEADS["first"], TOKENS, list("uvwxy"))["attention"])
    assert cross[["previous", "first", "itself", "same", "induction"]].isna().all(axis=None)
    assert cross.loc[0, "spread"] == 0
    assert cross.loc[0, "kind"] == ""


def test_the_last_queries_of_a_text_are_measured_at_their_own_places():
    table = measure_heads(read_attention(HEADS["previous"][None, -2:], TOKENS)["attention"])
    assert table.loc[0, ["previous", "itself"]].to_list() == [1, 0]
