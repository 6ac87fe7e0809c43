"""TITLE: its numbers are the core's, its goals can be met, its guess has an answer."""

import numpy as np
import pytest

from attention_core import scaled_dot_product, softmax
from tests.visit import LESSONS, NAMES, Visit

PATH = LESSONS[NAMES.index("NAME")]


def far_out(visit, word):
    """The vectors with one of the words moved far from the origin."""
    known = visit.stage["constants"]["words"]  # words
    known = visit.stage["constants"]["table"]  # sentence
    vectors = visit.stage["pose"]["vectors"]
    vectors[known.index(word)] = [8, 8]
    return vectors


@pytest.mark.parametrize("temperature", [0.1, 1, 5])
def test_the_weights_are_the_cores(temperature):
    visit = Visit(PATH, temperature=str(temperature))
    x = np.array(visit.scope["x"])
    weights = softmax(scaled_dot_product(x, x), temperature)
    np.testing.assert_allclose(visit.scope["weights"], weights)
    np.testing.assert_allclose(visit.tables["context"], weights @ x)


def test_the_goals_are_met_by_moving_and_by_the_slider():
    visit = Visit(PATH)
    assert visit.reached == []  # what is met now: a goal that is no longer met leaves the list
    visit.drag(vectors=far_out(visit, "phone"))
    assert visit.reached == ["most_of_it"]
    visit.drag(temperature=2)
    assert visit.reached == ["most_of_it", "while_warm"]


def test_a_guess_is_told_whether_it_is_right():
    visit = Visit(PATH, predict="1")
    phone = next(button for button in visit.at.button if button.label == "phone")
    phone.click()
    assert "You predicted “**phone**”. That is correct" in visit.run().text


@pytest.mark.parametrize("number", ["0", "6", "nan", "cold"])
def test_a_temperature_that_the_slider_does_not_have_is_left_out(number):
    visit = Visit(PATH, temperature=number)
    assert visit.values["temperature"] == 1
    assert len(visit.at.warning) == 1
