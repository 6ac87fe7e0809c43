"""The charts on random scores hold the samples' numbers."""

import pytest

from attention_core import random_scores
from attention_lab.charts import curves, shares

SAMPLES = [random_scores(2**power) for power in range(11)]


@pytest.mark.parametrize("name", curves.over_d())
def test_each_measure_of_each_sample_is_there_both_ways(name):
    data = curves.rows(SAMPLES, name, 64)
    assert len(data) == 2 * len(SAMPLES)
    for drawn in SAMPLES:
        now = data[data.d == drawn.d_k].set_index("scores")
        assert now.value[shares.PLAIN] == getattr(drawn.plain, name)
        assert now.value[shares.DIVIDED] == getattr(drawn.divided, name)
        assert now["now"].all() == (drawn.d_k == 64)


@pytest.mark.parametrize("name", curves.over_d())
def test_the_curves_stay_inside_their_frame(name):
    data, layers = curves.rows(SAMPLES, name, 64), curves.over_d()[name]["layer"]
    for axis, column in (("x", "d"), ("y", "value")):
        low, high = next(layer for layer in layers if axis in layer["encoding"] and "y" in layer["encoding"])[
            "encoding"
        ][axis]["scale"]["domain"]
        assert data[column].between(low, high).all()


def test_the_shares_of_one_query_are_there_both_ways():
    drawn = random_scores(64, 3)
    data = shares.rows(drawn, query=2)
    for name, spread in ((shares.PLAIN, drawn.plain), (shares.DIVIDED, drawn.divided)):
        assert list(data[data.scores == name].share) == spread.weights[2].tolist()
