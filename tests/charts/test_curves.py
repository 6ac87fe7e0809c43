"""The charts on random scores hold the samples' numbers."""

from attention_core import random_scores
from attention_lab.charts import curves, shares

SAMPLES = [random_scores(2**power) for power in range(11)]


def test_each_measure_of_each_sample_has_a_row_scaled_and_unscaled():
    for name in curves.over_d():
        data = curves.rows(SAMPLES, name, 64)
        expected = [
            (sample.d_k, scores, getattr(spread, name), sample.d_k == 64)
            for sample in SAMPLES
            for scores, spread in ((shares.PLAIN, sample.plain), (shares.DIVIDED, sample.divided))
        ]
        found = zip(data["d"], data["scores"], data["value"], data["now"], strict=True)
        assert sorted(found) == sorted(expected), name


def test_curves_stay_inside_their_axes():
    for name, spec in curves.over_d().items():
        data = curves.rows(SAMPLES, name, 64)
        for axis, column in (("x", "d"), ("y", "value")):
            encoding = next(layer["encoding"] for layer in spec["layer"] if {axis, "y"} <= {*layer["encoding"]})
            assert data[column].between(*encoding[axis]["scale"]["domain"]).all(), (name, axis)


def test_weights_of_one_query_are_there_scaled_and_unscaled():
    sample = random_scores(64, 3)
    data = shares.rows(sample, query=2)
    for scores, spread in ((shares.PLAIN, sample.plain), (shares.DIVIDED, sample.divided)):
        assert list(data[data.scores == scores].share) == spread.weights[2].tolist()
