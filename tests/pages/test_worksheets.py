"""Worksheets: every number has its sentence, answers are checked as they are typed, a class gets its sheets."""

import re
from urllib.parse import parse_qsl, urlsplit

from streamlit import delta_generator

import attention_lab.teaching.worksheets as lesson
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


def test_the_head_is_the_menus_title_and_the_pages_sentence():
    title, sentence = (each.value for each in opened().at.markdown[:2])
    assert (title, sentence) == (f"# {title_of(PAGE)}", TEXT["promise"])


def test_a_sheet_is_drawn_from_top_to_bottom(monkeypatch):
    """What comes above something that is seen already pushes it down."""
    send, paths = delta_generator._enqueue_message, []

    def sent(message):
        if message.delta.WhichOneof("type") == "new_element":
            paths.append(list(message.metadata.delta_path))
        send(message)

    monkeypatch.setattr(delta_generator, "_enqueue_message", sent)
    for sheets in ("1", "2"):
        paths.clear()
        opened(sheets=sheets)
        on_paper = [path for path in paths if path[0] == 0 and len(path) > 4]
        assert len(on_paper) > 5
        assert on_paper == sorted(on_paper)


def check_codes(visit, topic):
    """Check that the codes on six sheets lead to the page, each with a goal that it offers."""
    parts = [part for stage in visit.stages.values() for c in stage["columns"] for part in c["parts"]]
    codes = [urlsplit(part["path"]) for part in parts if part["kind"] == "qr_code"]
    assert {code.path for code in codes} == {"./" if topic == "home" else topic}
    goals = [dict(parse_qsl(code.query)) for code in codes]
    offered = [settings | {"predict": "1"} for _, settings in LINKS[topic].settings]
    assert all(goal | {"predict": "1"} in offered for goal in goals)
    assert len(goals) == 6
    assert len({goal["goal"] for goal in goals}) == min(6, len(offered))


def test_every_task_of_a_class_is_a_sentence_without_a_hole_and_its_code_leads_to_a_goal():
    for topic in WORKSHEET_TOPICS:
        visit = opened(topic, sheets="6", key="1")
        assert not visit.at.warning, topic
        assert "{" not in re.sub(r"\$[^$]*\$", "", visit.text), topic
        assert not re.search(r"\bnan\b|\binf\b|Fraction|\bdict(_|\b)", visit.text), topic
        for name in ("head", "key_head"):
            assert TEXT.filled(name, topic=LINKS[topic].title, seed="3") in visit.text, topic
        check_codes(visit, topic)


def test_every_sentence_is_about_a_task_or_a_slip_that_there_is():
    sheets = {topic: [make_worksheet(topic, seed) for seed in range(1, 30)] for topic in WORKSHEET_TOPICS}
    names = {f"{topic}/{task.name}" for topic, made in sheets.items() for task in made[0].tasks}
    assert set(TEXT.parts("tasks")) == names
    slips = {slip for made in sheets.values() for sheet in made for task in sheet.tasks for slip in task.slips}
    assert set(TEXT.parts("slips")) == slips
    assert set(TEXT.parts("given")) == set(WORKSHEET_TOPICS)


def test_the_answers_of_the_key_are_right_when_they_are_typed():
    for topic in WORKSHEET_TOPICS:
        visit = opened(topic, seed="11")
        answers = [question.answer for question in lesson.sheet(visit.state, 11).questions]
        for place, answer in enumerate(answers):
            visit.at.text_input[place].set_value(answer)
        visit.run()
        assert TEXT.filled("done", count=str(len(answers))) in visit.text, topic
        assert visit.text.count(TEXT["verdict/right"]) == len(answers), topic


def test_nonsense_is_said_in_a_sentence_and_stays():
    visit = fill(opened(), 0, "seven")
    assert "“seven” isn’t a number" in visit.text
    assert visit.at.text_input[0].value == "seven"
    fill(visit, 1, "1 2 3")
    assert "You entered 3 numbers. Enter 1." in visit.text
    assert "“seven” isn’t a number" in visit.text


def test_a_slip_is_called_by_its_name():
    tasks = make_worksheet("similarity", 1).tasks
    place = [task.name for task in tasks].index("length")
    visit = fill(opened(), place, f"{tasks[place].slips['not_the_root'][0]:g}")
    assert TEXT["slips/not_the_root"] in visit.text


def test_what_is_typed_is_shown_as_the_text_it_is():
    visit = opened("embeddings")
    for text in HOSTILE:
        fill(visit, 5, text)
        assert text[:24].replace("\\", "") in as_shown(visit.text)


def test_a_class_gets_sheets_of_its_own_and_a_key_for_all():
    visit = opened("softmax", seed="9998", sheets="4", key="1")
    assert [sheet.seed for sheet in lesson.sheets(visit.state)] == [9998, 9999, 1, 2]
    assert not visit.at.text_input
    rows = re.findall(r"^\| (\d+) \| ", visit.text, re.MULTILINE)
    assert rows == ["9998", "9999", "1", "2"]
    assert TEXT.filled("key_head", topic="Softmax") in visit.text
    assert TEXT.filled("key_head", topic="Softmax") not in opened("softmax", sheets="2").text


def test_a_student_without_the_key_sees_no_answer():
    visit = opened("scale")
    answers = [question.answer for question in lesson.sheet(visit.state, 1).questions]
    assert not [answer for answer in answers if len(answer) > 3 and answer in visit.text]


def test_an_address_that_cannot_be_read_is_said():
    visit = opened("cooking", seed="0", sheets="41", key="maybe")
    assert all(name in visit.at.warning[0].value for name in ("topic", "seed", "sheets", "key"))
    assert visit.values["topic"] == "similarity"
