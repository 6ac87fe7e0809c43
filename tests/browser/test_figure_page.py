"""A figure of given arrays in a file, opened from the disk."""

import numpy as np
import pytest

from attention_lab import figure
from attention_lab.calculation import record
from attention_lab.figure import formula
from attention_lab.figure.parts import constant
from attention_lab.html_file.figure_page import figure_page

TOKENS = ["The", "cat", "sat", "there", "."]
SCORES = np.tril(np.random.default_rng(0).normal(size=(5, 5)))
POWERS = np.exp(SCORES) * np.tril(np.ones((5, 5)))
ATTENTION = POWERS / POWERS.sum(axis=1, keepdims=True)
NUMBERS = "all => Object.fromEntries(all.map(({ dataset }) => [dataset.value, Number(dataset.exact)]))"


def write_pattern(file):
    """A pattern as a heatmap, and its arcs."""
    weights = constant("attention")
    shown = {"limit": 1.0, "scale": "share", "form": "share"}
    pattern = figure.heatmap(weights, title="Attention pattern", what="weight", **shown)
    arcs = figure.arcs({"": weights}, title="Attention weights")
    columns = [figure.Column([arcs]), figure.Column([pattern])]
    constants = {"attention": ATTENTION, "words": TOKENS, "sentence": TOKENS}
    page = figure_page(columns, "A pattern", constants, {"word": 1, "other": 0})
    file.write_text(page, encoding="utf-8")
    return file


@pytest.mark.parametrize("dark", [False, True])
def test_a_file_shows_the_numbers_of_its_array(open_file, tmp_path, dark):
    page = open_file("", write_pattern(tmp_path / "pattern.html"), dark=dark)
    assert page.get_by_role("heading", name="A pattern").is_visible()
    numbers = page.locator("[data-stage] [data-value]").evaluate_all(NUMBERS)
    for i, query in enumerate(TOKENS):
        for j, key in enumerate(TOKENS):
            assert numbers[f"weight {query} {key}"] == ATTENTION[i, j]
    assert [numbers[f"arc cat {key}"] for key in TOKENS] == [*ATTENTION[1]]


def test_a_chosen_word_asks_in_every_part_and_the_link_stays(open_file, tmp_path):
    page = open_file("", write_pattern(tmp_path / "pattern.html"), query="?of=mine#there")
    before = page.evaluate("[location.href, history.length]")
    for word in (4, 2, 3):
        page.locator(".arc-word").nth(word).click()
        page.locator(f"[data-value='arc {TOKENS[word]} The']").wait_for()
        assert page.locator(".matrix .label.focus title").text_content() == TOKENS[word]
    page.keyboard.press("Control+z")
    page.evaluate("new Promise(requestAnimationFrame)")
    assert page.locator(".arc-word[aria-pressed=true] .spoken").text_content() == TOKENS[3]
    assert page.evaluate("[location.href, history.length]") == before


def test_a_file_computes_with_what_is_moved_in_it(open_file, tmp_path):
    steps = record(lambda s: setattr(s, "double", s.number * s.factor), constants=["number", "factor"])
    slider = figure.slider(steps.number, "Number", axis="", low=0.0, high=1.0, ticks=(0, 1))
    double = figure.formulas({"double": formula.number(steps.double, "double")})
    columns = [figure.Column([figure.pictured(slider), double])]
    file = tmp_path / "slider.html"
    file.write_text(figure_page(columns, "A number", {"factor": 2}, {"number": 0.25}, steps), encoding="utf-8")
    page = open_file("", file)
    assert page.locator("[data-value=double]").get_attribute("data-exact") == "0.5"
    page.get_by_role("slider").press("End")
    page.locator("[data-value=double][data-exact='2']").wait_for()
