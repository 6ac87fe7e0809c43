"""A heatmap has one row for each cell, in the order of the data."""

import numpy as np

from attention_lab.charts import heatmap

MATRIX = np.array([[1.0, -2.0, np.nan], [0.5, 0.0, 40.0]])
CELLS = [("a", "x"), ("a", "<i>"), ("a", "$z$"), ("b", "x"), ("b", "<i>"), ("b", "$z$")]


def rows(matrix=MATRIX, **more):
    n, m = matrix.shape
    labelled = {name: [[f"{name} {i}{j}" for j in range(m)] for i in range(n)] for name in ("texts", "workings")}
    return heatmap.rows(matrix, ["a", "b"][:n], ["x", "<i>", "$z$"][:m], limit=4.0, **labelled, **more)


def test_each_cell_has_a_row_with_its_names_text_and_workings():
    data = rows()
    assert list(zip(data["row"], data["column"], strict=True)) == CELLS
    places = ["00", "01", "02", "10", "11", "12"]
    assert list(data["text"]) == [f"texts {place}" for place in places]
    assert list(data["workings"]) == [f"workings {place}" for place in places]


def test_colour_has_the_sign_and_size_of_the_number():
    """What is undefined has no colour; what is beyond the limit has the full one."""
    np.testing.assert_array_equal(rows()["shade"], [0.25, -0.5, 0, 0.125, 0, 1])


def test_transposing_exchanges_rows_and_columns_and_nothing_else():
    plain, turned = rows(), rows(turned=True)
    assert list(zip(turned["column"], turned["row"], strict=True)) == CELLS
    places = ["row", "column", "place"]
    assert turned.drop(columns=places).equals(plain.drop(columns=places))


def test_rows_and_columns_keep_the_order_of_the_data():
    """A cell's place orders the rows by its whole part and the columns by what remains."""
    for turned, names in ((False, (["a", "b"], ["x", "<i>", "$z$"])), (True, (["x", "<i>", "$z$"], ["a", "b"]))):
        data = rows(turned=turned)
        whole, rest = np.floor(data["place"]), (data["place"] % 1).round(9)
        for place, column, wanted in ((whole, "row", names[0]), (rest, "column", names[1])):
            assert list(data[column].iloc[place.argsort(kind="stable")].unique()) == wanted
            assert (place.groupby(data[column]).nunique() == 1).all(), "all cells of a row have the same"


def test_axis_titles_and_cell_names_name_the_query_first():
    for turned, asks, titles in ((False, "row", ["query", "key"]), (True, "column", ["key", "query"])):
        spec = heatmap.spec(turned=turned)
        encoding = spec["layer"][0]["encoding"]
        assert [encoding["y"]["title"], encoding["x"]["title"]] == titles
        names = [each["calculate"] for each in spec["transform"] if each["as"] == "name"]
        assert [name.startswith(f"datum.{asks} ") for name in names] == [True]


def test_any_size_will_do():
    assert [len(rows(np.zeros(shape))) for shape in ((0, 0), (1, 1), (2, 0))] == [0, 1, 0]
