"""The pre-test and post-test: every question has its words, and what a student hands in holds nothing else."""

import csv
import io
import re

import numpy as np

from attention_lab import course
from attention_lab import text as prose
from attention_lab.quiz import TEST_ITEMS, answers, as_csv, key_as_csv, new_code, read_code
from tests.visit import EVERY, LESSONS, Visit

PAGE = next(path for path in EVERY if path.stem == "3_test")
TEXT = prose.read("test")
MISCONCEPTIONS = [text for name, text in TEXT.items() if "/misconception/" in name]


def rows(data):
    """The head and the line of a file."""
    assert data.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def answer(visit, name, option):
    return visit.fill("radio", f"{visit.values['when']}.{name}", option)


def handed_in(visit):
    """What the button would save now."""
    kept, when = visit.at.session_state, visit.values["when"]
    return rows(as_csv(TEST_ITEMS, kept["test_answers"][when], kept["test_code"], when))[1]


def test_twelve_items_cover_the_five_parts_and_their_right_answers_are_spread_over_the_letters():
    pages = {course.address(path): path.parent.name for path in LESSONS}
    parts = [pages[item.page] for item in TEST_ITEMS]
    assert parts == sorted(parts)
    assert (len(parts), len(set(parts))) == (12, 5)
    letters = [answers.letter(item, item.right) for item in TEST_ITEMS]
    assert {letters.count(letter) for letter in "ABCD"} <= {2, 3, 4}


def test_every_option_has_its_words_and_every_wrong_one_a_misconception():
    for item in TEST_ITEMS:
        wrong = [option for option in item.options if option != item.right]
        named = {"question", *(f"option/{o}" for o in item.options), *(f"misconception/{o}" for o in wrong)}
        assert set(TEXT.parts(item.name)) == named
        assert all(TEXT.parts(item.name).values())
        assert len(wrong) == 3


def test_the_numbers_of_the_items_are_right():
    a, b, c = np.array([[1.0, 0.0]]), np.array([[6.0, 6.0]]), np.array([[3.0, 0.0]])
    for vector in ("(1, 0)", "(6, 6)", "(3, 0)"):
        assert vector in TEXT["length_or_angle/question"]
    assert a @ b.T > a @ c.T
    assert a @ b.T / np.linalg.norm(b) < a @ c.T / np.linalg.norm(c)
    assert "4, 2 and 0" in TEXT["score_zero/question"]
    assert 0 < np.exp(0) / np.exp([4, 2, 0]).sum() < 0.05


def test_no_answer_is_marked_while_a_student_answers():
    visit = Visit(PAGE)
    shown = visit.text
    answer(visit, "causal", "all")
    answer(visit, "mixture", "weighted_mean")
    assert visit.text.replace("2 of 12", "0 of 12") == shown
    assert not [text for text in (*MISCONCEPTIONS, TEXT["key_head"]) if text in visit.text]


def test_the_key_is_shown_with_the_switch_alone_which_the_link_for_students_hides():
    visit = Visit(PAGE, key="1")
    assert not [text for text in (*MISCONCEPTIONS, TEXT["key_head"]) if text not in visit.text]
    assert TEXT["key_head"] not in visit.fill("toggle", "key", False).text
    students = Visit(PAGE, when="after", hide="settings")
    assert not students.at.warning
    assert "test.key" not in [toggle.key for toggle in students.at.toggle]
    assert students.values["when"] == "after"
    assert "key" not in students.link


def test_a_students_file_holds_the_code_and_the_letters_and_nothing_else():
    visit = Visit(PAGE)
    answer(visit, "causal", "before_and_itself")
    answer(visit, "context", "unchanged")
    code, when, *letters = handed_in(visit)
    assert read_code(code) == code
    assert when == "before"
    assert letters == ["D", "", "", "", "", "B", *[""] * 6]
    assert visit.link == {}


def test_answers_before_and_after_the_course_are_kept_apart_under_one_code():
    visit = Visit(PAGE)
    answer(visit, "causal", "all")
    before = handed_in(visit)
    visit.at.selectbox(key="test.when").set_value("after").run()
    answer(visit, "causal", "before_and_itself")
    after = handed_in(visit)
    assert before[0] == after[0]
    assert (before[1], after[1]) == ("before", "after")
    assert (before[7], after[7]) == ("A", "B")
    visit.at.selectbox(key="test.when").set_value("before").run()
    assert handed_in(visit) == before
    assert visit.at.radio(key="test.before.causal").value == "all"


def test_what_is_no_code_is_refused_and_one_of_the_first_test_is_taken_over_in_any_case():
    visit = Visit(PAGE, when="after")
    for typed in ("", "abc", "=1+1", "KQ4RT", "KQ4RT77", "**K**", "KI4RT7"):
        visit.fill("text_input", "code", typed)
        assert len(visit.at.error) == 1, typed
        assert visit.at.get("download_button")[0].proto.disabled
    assert not visit.fill("text_input", "code", " kq4rt7 ").at.error
    assert handed_in(visit)[0] == "KQ4RT7"


def test_codes_are_random_and_read_back():
    codes = {new_code() for _ in range(200)}
    assert len(codes) > 190
    assert all(re.fullmatch(r"[A-Z]{2}\d[A-Z]{2}\d", code) and read_code(code.lower()) == code for code in codes)


def test_the_key_has_the_columns_of_the_answers_and_a_forged_answer_is_nothing():
    head, key = rows(key_as_csv(TEST_ITEMS))
    right = {item.name: item.right for item in TEST_ITEMS}
    assert rows(as_csv(TEST_ITEMS, right, "KQ4RT7", "after")) == [head, ["KQ4RT7", "after", *key[2:]]]
    assert key[0] == "key"
    assert rows(as_csv(TEST_ITEMS, {"causal": "=1+1"}, "KQ4RT7", "after"))[1][2:] == [""] * 12
