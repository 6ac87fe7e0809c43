"""A heatmap's rows: one a cell, each with how its number was made."""

import numpy as np
import pytest

from attention_lab.charts import heatmap

MATRIX = np.array([[1.0, -2.0, np.nan], [0.5, 0.0, 40.0]])


def rows(matrix=MATRIX, **more):
    n, m = matrix.shape
    return heatmap.rows(
        matrix,
        ["a", "b"][:n],
        ["x", "<i>", "$z$"][:m],
        limit=4.0,
        texts=[[f"t{i}{j}" for j in range(m)] for i in range(n)],
        workings=[[f"m{i}{j}" for j in range(m)] for i in range(n)],
        **more,
    )


def test_a_row_for_each_cell():
    data = rows(chosen=(1, 2))
    assert list(zip(data["row"], data["column"], strict=True)) == [
        ("a", "x"), ("a", "<i>"), ("a", "$z$"), ("b", "x"), ("b", "<i>"), ("b", "$z$"),
    ]  # fmt: skip
    assert list(data["text"]) == ["t00", "t01", "t02", "t10", "t11", "t12"]
    assert list(data["workings"]) == ["m00", "m01", "m02", "m10", "m11", "m12"]
    assert list(data["chosen"]) == [False] * 5 + [True]


def test_colour_is_the_sign_and_its_strength_the_size():
    """What is undefined has no colour; what is beyond the limit has no more than the full one."""
    data = rows()
    np.testing.assert_array_equal(data["shade"], [0.25, -0.5, 0, 0.125, 0, 1])


def test_turned_exchanges_rows_and_columns_and_nothing_else():
    plain, turned = rows(), rows(turned=True)
    assert list(turned["row"]) == list(plain["column"])
    assert list(turned["column"]) == list(plain["row"])
    places = ["row", "column", "place"]
    assert turned.drop(columns=places).equals(plain.drop(columns=places))


@pytest.mark.parametrize("turned", [False, True])
def test_rows_and_columns_keep_the_order_of_the_data(turned):
    """The whole part of a cell's place orders the rows, what remains the columns."""
    data = rows(turned=turned)
    whole, rest = np.floor(data["place"]), data["place"] % 1
    first = (["a", "b"], ["x", "<i>", "$z$"])
    down, across = first[::-1] if turned else first
    assert list(data["row"].iloc[whole.argsort(kind="stable")].unique()) == down
    assert list(data["column"].iloc[rest.argsort(kind="stable")].unique()) == across
    assert rest.max() < 1
    assert (whole.groupby(data["row"]).nunique() == 1).all(), "all cells of a row lie beside one another"
    assert (rest.round(9).groupby(data["column"]).nunique() == 1).all()


def test_a_cells_name_says_who_asks_whom():
    for turned, asks in ((False, "row"), (True, "column")):
        names = [each["calculate"] for each in heatmap.spec(turned=turned)["transform"] if each["as"] == "name"]
        assert [name.startswith(f"datum.{asks} ") for name in names] == [True]


def test_the_axis_titles_say_who_asks():
    def titles(spec):
        encoding = spec["layer"][0]["encoding"]
        return encoding["y"]["title"], encoding["x"]["title"]

    assert titles(heatmap.spec(turned=False)) == ("query", "key")
    assert titles(heatmap.spec(turned=True)) == ("key", "query")


@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (2, 0)])
def test_any_size_will_do(shape):
    assert len(rows(np.zeros(shape))) == shape[0] * shape[1]
