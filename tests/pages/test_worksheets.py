"""Worksheets: every number has its sentence, answers are checked as they are typed, a class gets its sheets."""

import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit import delta_generator

import attention_lab.lessons.worksheets as lesson
from attention_lab import course
from attention_lab import text as prose
from attention_lab.state import permalink
from attention_lab.worksheets import WORKSHEET_TOPICS, make_worksheet
from lab import ROOT
from tests.visit import EVERY, HOSTILE, Visit, as_shown, title_of

PAGE = next(path for path in EVERY if path.stem == "1_worksheets")
TEXT = prose.read("worksheets")
LINKS = {link.page: link for link in course.page_links(ROOT / "pages", with_home=True)}


def opened(topic="similarity", **address):
    return Visit(PAGE, topic=permalink.escape(topic), **address)


def fill(visit, place, said):
    """Write an answer into the field of a task, counted from 0."""
    visit.at.text_input[place].set_value(said)
    return visit.run()


def without_formulas(text):
    return re.sub(r"\$[^$]*\$", "", text)


def test_the_head_is_the_menus_title_and_the_pages_sentence():
    title, sentence = (each.value for each in opened().at.markdown[:2])
    assert (title, sentence) == (f"## {title_of(PAGE)}", TEXT["promise"])


@pytest.mark.parametrize("sheets", ["1", "2"])
def test_a_sheet_is_drawn_from_top_to_bottom(monkeypatch, sheets):
    """What comes above something that is seen already pushes it down."""
    send, paths = delta_generator._enqueue_message, []

    def sent(message):
        if message.delta.WhichOneof("type") == "new_element":
            paths.append(list(message.metadata.delta_path))
        send(message)

    monkeypatch.setattr(delta_generator, "_enqueue_message", sent)
    opened(sheets=sheets)
    on_paper = [path for path in paths if path[0] == 0 and len(path) > 4]
    assert len(on_paper) > 5
    assert on_paper == sorted(on_paper)


@pytest.mark.parametrize("topic", WORKSHEET_TOPICS)
def test_every_task_is_a_sentence_without_a_hole(topic):
    visit = opened(topic, sheets="6", key="1")
    assert not visit.at.warning
    assert "{" not in without_formulas(visit.text)
    assert not re.search(r"\bnan\b|\binf\b|Fraction|\bdict(_|\b)", visit.text)
    for name in ("head", "key_head"):
        assert TEXT.filled(name, topic=LINKS[topic].title, seed="3") in visit.text


def test_every_sentence_is_about_a_task_or_a_slip_that_there_is():
    tasks = [
        task for topic in WORKSHEET_TOPICS for seed in range(1, 30) for task in make_worksheet(topic, seed).tasks
    ]
    names = {f"{topic}/{task.name}" for topic in WORKSHEET_TOPICS for task in make_worksheet(topic, 1).tasks}
    assert set(TEXT.parts("tasks")) == names
    assert set(TEXT.parts("slips")) == {slip for task in tasks for slip in task.slips}
    assert set(TEXT.parts("given")) == set(WORKSHEET_TOPICS)


@pytest.mark.parametrize("topic", WORKSHEET_TOPICS)
def test_the_answers_of_the_key_are_right_when_they_are_typed(topic):
    visit = opened(topic, seed="11")
    answers = [question.answer for question in lesson.sheet(visit_page(visit), 11).questions]
    for place, answer in enumerate(answers):
        visit.at.text_input[place].set_value(answer)
    visit.run()
    assert TEXT.filled("done", count=str(len(answers))) in visit.text
    assert visit.text.count(TEXT["verdict/right"]) == len(answers)


def visit_page(visit):
    """The page's state, as its script has it."""
    return visit.state


def test_nonsense_is_said_in_a_sentence_and_stays():
    visit = fill(opened(), 0, "seven")
    assert "“seven” isn’t a number" in visit.text
    assert visit.at.text_input[0].value == "seven"
    fill(visit, 1, "1 2 3")
    assert "You entered 3 numbers. Enter 1." in visit.text
    assert "“seven” isn’t a number" in visit.text


def test_a_slip_is_called_by_its_name():
    task = next(task for task in make_worksheet("similarity", 1).tasks if task.name == "length")
    place = [task.name for task in make_worksheet("similarity", 1).tasks].index("length")
    visit = fill(opened(), place, f"{task.slips['not_the_root'][0]:g}")
    assert TEXT["slips/not_the_root"] in visit.text


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_typed_is_shown_as_the_text_it_is(text):
    visit = fill(opened("embeddings"), 5, text)
    assert text[:24].replace("\\", "") in as_shown(visit.text)


def test_a_class_gets_sheets_of_its_own_and_a_key_for_all():
    visit = opened("softmax", seed="9998", sheets="4", key="1")
    assert [sheet.seed for sheet in lesson.sheets(visit_page(visit))] == [9998, 9999, 1, 2]
    assert not visit.at.text_input
    rows = re.findall(r"^\| (\d+) \| ", visit.text, re.MULTILINE)
    assert rows == ["9998", "9999", "1", "2"]
    without = opened("softmax", sheets="2")
    assert TEXT.filled("key_head", topic="Softmax") not in without.text


def test_a_student_without_the_key_sees_no_answer():
    visit = opened("scale")
    for question in lesson.sheet(visit_page(visit), 1).questions:
        if len(question.answer) > 3:
            assert question.answer not in visit.text


@pytest.mark.parametrize("topic", WORKSHEET_TOPICS)
def test_the_code_leads_to_the_page_with_a_goal_set(topic):
    parts = [
        part
        for stage in opened(topic, sheets="4").stages.values()
        for c in stage["columns"]
        for part in c["parts"]
    ]
    codes = [urlsplit(part["path"]) for part in parts if part["kind"] == "qr_code"]
    goals = [dict(parse_qsl(code.query)) for code in codes]
    assert len(codes) == 4
    assert {code.path for code in codes} == {"./" if topic == "home" else topic}
    offered = [{**settings, "predict": "1"} for _, settings in LINKS[topic].settings]
    assert all({**goal, "predict": "1"} in offered for goal in goals)
    assert len({goal["goal"] for goal in goals}) == min(4, len(offered))


def test_an_address_that_cannot_be_read_is_said():
    visit = opened("cooking", seed="0", sheets="41", key="maybe")
    assert all(name in visit.at.warning[0].value for name in ("topic", "seed", "sheets", "key"))
    assert visit.values["topic"] == "similarity"


def test_another_sheet_is_the_next_and_the_address_says_so():
    visit = opened()
    visit.at.button(key="worksheets.another").click()
    visit.run()
    assert visit.link["seed"] in ("2", ["2"])
