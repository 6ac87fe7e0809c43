"""A wrong answer's way to the pose that refutes it: the page opens at its top, whichever page it is."""

import pytest

from tests.browser.harness import axe, rerun_by_click, settled
from tests.browser.test_layout import findings

TOP = """() => document.querySelector('[data-testid="stMain"]').scrollTop"""


def answered(page, option):
    rerun_by_click(page.get_by_text("Check yourself", exact=True))
    rerun_by_click(page.get_by_text(option, exact=True))


@pytest.mark.parametrize(
    ("option", "there"),
    [
        ("Two vectors, one for each meaning", "embeddings?example=one_5f_mole"),
        ("The largest weight grows", "softmax?example=an_5f_apple_5f_phone&scores=11_12_13"),
    ],
    ids=["another page", "the same page"],
)
def test_a_wrong_answer_opens_its_pose_at_the_top_of_the_page(open_page, option, there):
    page = open_page("softmax")
    answered(page, option)
    way = page.get_by_text("See it: ").first
    way.scroll_into_view_if_needed()
    assert page.evaluate(TOP) > 300
    way.click()
    page.wait_for_function("there => location.href.includes(there)", arg=there)
    settled(page)
    assert page.evaluate(TOP) < 60
    assert page.get_by_test_id("stAlert").count() == 0


def test_the_questions_are_accessible_on_a_phone(open_page):
    page = open_page("softmax", width=390, height=844, reduced_motion=True)
    answered(page, "The largest weight grows")
    assert axe(page) == []
    assert findings(page) == []
