"""A view as tables and as a file; and what it takes to import it."""

import re
import subprocess
import sys

import numpy as np
import pytest

import attention_lab
from attention_lab.text.languages import speaking

WEIGHTS = np.random.default_rng(0).dirichlet(np.ones(3), size=(2, 4, 3)).astype(np.float32)
TOKENS = ["the", "Ġcat", "sat"]


def test_a_table_has_a_row_for_each_weight():
    view = attention_lab.show({5: WEIGHTS[0], "last": WEIGHTS[1]}, TOKENS)
    table = view.table()
    assert len(table) == 2 * 4 * 3 * 3
    for row in (0, 17, 50, 71):
        layer, head, query, key, query_token, key_token, weight = table.iloc[row]
        assert weight == WEIGHTS[[5, "last"].index(layer), head, query, key]
        assert (query_token, key_token) == (["the", "␣cat", "sat"][query], ["the", "␣cat", "sat"][key])
    chosen = view.table(layer="last", head=2)
    np.testing.assert_array_equal(chosen["weight"], WEIGHTS[1, 2].ravel())
    assert set(chosen["head"]) == {2}


def test_measures_have_a_row_for_each_head():
    measures = attention_lab.show(WEIGHTS, TOKENS).measures()
    assert measures[["layer", "head"]].to_numpy().tolist() == [[i, j] for i in range(2) for j in range(4)]
    assert measures.loc[5, "itself"] == pytest.approx(np.trace(WEIGHTS[1, 1]) / 3)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda view: view.table(layer=7), r"layer 7 is not among \[0, 1\]"),
        (lambda view: view.table(head=4), "head 4 is not among the 4 of layer 0"),
        (lambda view: view.measures(kind="cross"), r"kind 'cross' is not among \['attention'\]"),
        (lambda _: attention_lab.show(), "pass attention weights, or query= and key="),
        (lambda _: attention_lab.show(WEIGHTS, query=WEIGHTS[0], key=WEIGHTS[0]), "not both"),
        (lambda _: attention_lab.show(WEIGHTS, causal=True), "not both"),
        (lambda _: attention_lab.show(WEIGHTS, bits=4), "bits must be 8 or 16, got 4"),
        (
            lambda _: attention_lab.show(np.broadcast_to(np.float32(1 / 1500), (3, 1500, 1500))).table(),
            "6,750,000 rows",
        ),
    ],
)
def test_what_there_is_not_is_refused_with_what_there_is(ask, sentence):
    with pytest.raises(ValueError, match=sentence):
        ask(attention_lab.show(WEIGHTS, TOKENS))


def test_of_two_runs_the_numbers_are_what_they_differ_by():
    other = np.roll(WEIGHTS, 1, axis=1)
    view = attention_lab.show(WEIGHTS, TOKENS).compare(attention_lab.show(other, TOKENS), ("before", "after"))
    measures = view.measures()
    for layer, head in np.ndindex(2, 4):
        moved = np.abs(other[layer, head] - WEIGHTS[layer, head]).sum(axis=-1).mean() / 2
        assert measures.loc[4 * layer + head, "change"] == pytest.approx(moved, rel=1e-5)
    np.testing.assert_array_equal(view.table()["weight"], (other - WEIGHTS).ravel())
    np.testing.assert_array_equal(view.table(kind="after")["weight"], other.ravel())
    assert attention_lab.show(view) is view


def test_a_view_is_written_in_the_language_that_is_spoken():
    view = attention_lab.show(WEIGHTS, TOKENS)
    for language in ("de", "zh", "de"):
        with speaking(language):
            assert f'<html lang="{language}"' in view.html


def test_a_file_is_written_where_there_is_a_folder(tmp_path):
    view = attention_lab.show(WEIGHTS, TOKENS, title="A <b>model</b>")
    file = view.save(tmp_path / "view.html")
    text = file.read_text(encoding="utf-8")
    assert "<title>A &lt;b&gt;model&lt;/b&gt;</title>" in text
    assert "http://" not in text.replace("http://www.w3.org/", "")
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        view.save(tmp_path / "nowhere" / "view.html")


def test_a_notebook_that_takes_the_frame_out_keeps_a_sentence():
    inside = re.sub("<[^>]*>", "", attention_lab.show(WEIGHTS, TOKENS, title="a > b")._repr_html_())
    assert inside.strip().startswith("The view isn’t shown because this notebook isn’t trusted.")
    assert inside.count("\n") == 1


def test_queries_and_keys_are_shown_as_the_weights_that_they_give():
    query = np.random.default_rng(1).normal(size=(2, 3, 4))
    view = attention_lab.show(query=query, key=query[:1], causal=True, tokens=TOKENS)
    assert view.table(head=1)["weight"].to_numpy().reshape(3, 3)[0].tolist() == [1, 0, 0]


def test_rows_that_do_not_sum_to_one_are_named_and_shown_as_they_are():
    weights = WEIGHTS.copy()
    weights[0, 0, 1] *= 0.5
    weights[1, :, 2] = 0
    view = attention_lab.show(weights, TOKENS)
    np.testing.assert_array_equal(view.table()["weight"], weights.ravel())
    assert "Rows that don’t sum to 1: 1 of 24, with sums from 0.5 to 0.5." in view.html
    assert "Rows without any weight: 4 of 24." in view.html
    for whole in (np.eye(3, dtype=int), [[1.0]], WEIGHTS.astype(np.float16)):
        page = attention_lab.show(whole).html
        assert "Rows that" not in page
        assert "Rows without" not in page


def test_to_import_the_package_brings_neither_streamlit_nor_a_models_library():
    code = (
        "import sys, attention_lab; attention_lab.load; "
        "print(*{'streamlit', 'altair', 'torch', 'safetensors'} & {*sys.modules})"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"
