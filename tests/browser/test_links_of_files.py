"""A page that stands alone opens a link as the app does: the same pose, figure, labels and questions."""

import random
import re
from urllib.parse import parse_qs, urlencode

import numpy as np
import pytest

from attention_lab.export import questions, standalone
from attention_lab.export.web_page import HERE, _arrays
from attention_lab.figure import browser_code
from attention_lab.figure.bundle import bundle
from attention_lab.html_file.html_text import inline
from attention_lab.state.predictions import verdict
from attention_lab.state.update import Move, Predict, SetFields, update
from tests.visit import PAGES, lesson_of

STATES = 20
QUESTIONS = 8
LESSONS = {lesson.name: lesson for lesson in (lesson_of(path).LESSON for path in PAGES)}
# Further places to begin at, by what tells them apart.
EXPERIMENTS = ("swap", "seeds", "deletion", "second_hand", "tells")
OTHERS = {experiment: ("misleading", {"experiment": experiment}) for experiment in EXPERIMENTS} | {
    "two layers": ("self_attention", {"example": "money_bank"}),
    "one matrix": ("queries_keys", {"way": "one", "example": "buy_an_apple"}),
    "own words": ("masking", {"example": "own", "words": "one.two.one.phone"}),
    "learned": ("cross_attention", {"model": "two_heads"}),
    "plain": ("trained_model", {"model": "plain", "opening": "bank"}),
}
# Moved by a hand, these change in Python what else can be chosen, or what a further setting is at first.
READ_TOKENS = (*EXPERIMENTS, "misleading")
NEED_PYTHON = {begin: {"tokens"} for begin in READ_TOKENS} | {"own words": {"vectors"}}
# Moved by a hand, these make the app ask once more, or for something else.
ASK_ANEW = {"queries_keys": {"W_query", "W_key"}, "learned": {"bent", "phrase"}, "train_a_head": {"sentence"}}
# Opens a link as a file does that holds these.
OPENER = """
const { parametersOf, readLink, variantOf, chooseVariant } = read_link_module,
  { payloadFor } = page_payload_module;
window.read = (queries, link) => queries.map(query => readLink(parametersOf(query, link), link));
window.openerOf = ({ standalone, payload }) => (query, open = 0) => {
  const { pose, ...read } = readLink(parametersOf(query, standalone.link), standalone.link);
  return { ...payloadFor(pose, { payload, ...standalone }, open), ...read };
};
window.verdicts = (data, number, answers, arrays, texts) => {
  const question = data.questions.find(each => each.number === number),
    bytes = letters => Uint8Array.from(atob(letters), letter => letter.charCodeAt(0)).buffer;
  attention_lab.arrays = new Map(Object.entries(arrays).map(([id, letters]) => [id, bytes(letters)]));
  return answers.map(said => questions_module.verdictOn(question, said, data, texts));
};
window.variantOf = (parameters, table) => variantOf(parameters, table)?.settings;
window.chosen = (name, value, current, { variants }) => chooseVariant(name, value, current, variants)?.settings;
"""


@pytest.fixture
def reader(offline_tab):
    """Return a tab that reads links as files do."""
    code = bundle(HERE / "web_page.js")
    tab = offline_tab()
    tab.goto("about:blank")
    own = [lesson.own_parts.script for lesson in LESSONS.values() if lesson.own_parts]
    for script in (browser_code.words(), browser_code.library(), *own):
        tab.add_script_tag(content=script.text, type="module")
    tab.add_script_tag(content=f"{code}\n{OPENER}", type="module")
    tab.wait_for_function("Boolean(window.openerOf)")
    return tab


@pytest.fixture
def opens(reader):
    """Open links as the file of a view does; each gives the payload, and what was refused."""

    def file_of(view):
        file = {"standalone": standalone.tables(view), "payload": view.data}
        opener = reader.evaluate_handle("file => openerOf(file)", file)
        return lambda link, number=0: opener.evaluate(
            "(opener, [query, open]) => opener(query, open)", [urlencode(link), number]
        )

    return file_of


def moved(state, chance):
    """What a hand may make of a state: a choice, or a number moved."""
    f = chance.choice([f for f in state.fields if f.interactive])
    value = state.values[f.name]
    if f.options:
        return update(state, SetFields({f.name: chance.choice(list(f.options(state.values)))}))
    if isinstance(value, np.ndarray) and value.size:
        value = value.copy()
        value[chance.randrange(len(value)), chance.randrange(value.shape[1])] += chance.choice([-1, 1])
        return update(state, Move({f.name: value.tolist()}))
    if isinstance(value, float):
        return update(state, Move({f.name: value + chance.random()}))
    return state


def walk(state, chance):
    """A state that a hand has reached in up to four moves, as its link says it."""
    for _ in range(chance.randrange(1, 5)):
        state = moved(state, chance)
    return state.lesson.parse(state.link)[0]


@pytest.mark.parametrize("begin", [*LESSONS, *OTHERS])
def test_a_link_opens_as_in_the_app(opens, begin):
    name, query = OTHERS.get(begin, (begin, {}))
    lesson, chance, opened = LESSONS[name], random.Random(begin), 0
    first, notices = lesson.parse(query)
    assert notices == []
    files = [opens(lesson.view(state)) for state in (first, walk(first, chance))]
    while opened < STATES:
        state = walk(first, chance)
        view = lesson.view(state)
        wanted = shown_of(view.data)
        for file in files:
            found = file(state.link, open_question(view))
            if found["refused"]:
                assert NEED_PYTHON.get(begin, set()) & state.link.keys(), (found["refused"], state.link)
            else:
                opened += file is files[0]
                assert shown_of(found) == wanted, state.link


def spoilt(text, chance):
    """A setting as a bad link may have it: with another number, of another size, or with what stood around it."""
    number = chance.choice(["-1", "0.5", "1.0", "1e1", "-0", "999", "1000.5", "1e999", "", "NaN", "+1", "１"])
    old, other = chance.choices(re.split("_+", text), k=2)
    return chance.choice(
        [
            *(text.replace(old, new, 1) for new in (number, number, number, other)),
            *(f"{text}_0", f"{text}__{text}", text.rpartition("_")[0], text.replace("__", "_")),
            *(f"{text}。", f"{text}).", f"{text}.x", text.upper(), ""),
        ]
    )


def bad_links(first, chance):
    """Links that are bad in a setting that a hand can change, each beside others as a hand may leave them."""
    names = [f.name for f in first.fields if f.interactive]
    for name in [*names, *names, "predict", "nothing"]:
        good = walk(first, chance).link
        text = good.pop(name, None) or (first.write(name, first.values[name]) if name in first.values else "1")
        beside = chance.choice([[], [], [("gclid", "1")], [(name, text)]])
        pairs = [*good.items(), (name, spoilt(text, chance)), *beside]
        yield urlencode(chance.sample(pairs, len(pairs)))


def test_a_bad_link_is_read_as_in_the_app(reader):
    compared = 0
    for begin in (*LESSONS, *OTHERS):
        name, query = OTHERS.get(begin, (begin, {}))
        first = LESSONS[name].parse(query)[0]
        links = [*bad_links(first, random.Random(begin))]
        table = standalone.link_table(questions.asked(standalone.initial_state(first)).with_open(0))
        for link, found in zip(links, reader.evaluate("given => read(...given)", [links, table]), strict=True):
            state, notices = first.lesson.parse(parse_qs(link, keep_blank_values=True))
            refused = {notice.partition(":")[0] for notice in notices}
            if found["refused"]:
                assert refused <= {*found["refused"], *found["damaged"]}, (begin, link)
            else:
                compared += bool(refused)
                seen = {*found["damaged"]}, found["pose"], found["predicts"]
                assert seen == (refused, state.pose(), state.predict), (begin, link)
    assert compared >= 200


@pytest.mark.parametrize("begin", [*LESSONS, *OTHERS])
def test_a_question_is_asked_and_answered_as_in_the_app(opens, reader, begin):
    name, query = OTHERS.get(begin, (begin, {}))
    lesson, chance, asked = LESSONS[name], random.Random(begin), 0
    first = lesson.parse(query)[0]
    file = opens(lesson.view(first))
    while asked < QUESTIONS:
        view = lesson.view(lesson.parse(walk(first, chance).link | {"predict": "1"})[0])
        whole = file(view.link)
        if whole["refused"] or view.link.keys() & ASK_ANEW.get(begin, set()):
            continue
        while number := open_question(view):
            question = view.questions[-1]
            found = file(view.link, number)
            assert shown_of(found) == shown_of(view.data)
            assert (found["predicts"], number == 1) == (True, view.results_hidden)
            assert {each["number"]: each["about"] for each in found["questions"]}[number] == question.same_for_all
            answers = [None, *chance.sample(question.options, min(len(question.options), 3))]
            said = [question.judge(answer) for answer in answers]
            expected = [inline(verdict(answer, right, why, question.answers)) for answer, right, why, _ in said]
            given = [whole, number, answers, dict(_arrays(view)), questions.texts()]
            assert reader.evaluate("given => verdicts(...given)", given) == expected, view.link
            asked += 1
            view = lesson.view(update(view.state, Predict(question.about, said[0])))


def open_question(view):
    """The number of the question that is open, 0 where none is."""
    is_open = any(question.verdict is None for question in view.questions)
    return view.hidden.index(True) + 1 if is_open else 0


def shown_of(payload):
    """What of a payload the page shows, but for the handle that is marked until anything is moved."""
    own = standalone.OWN_IN_BROWSER - {"pose"} | {"first", "questions", "predicts", "refused", "damaged"}
    return {name: value for name, value in payload.items() if name not in own}


def settings_of(lesson, query):
    """The settings that a link leads to in the app, as a link writes them; none if the app refuses it."""
    state, notices = lesson.parse(query)
    offered = [name for name, texts in lesson.settings(state).items() if texts]
    return None if notices else {name: state.write(name, state.values[name]) for name in offered}


@pytest.mark.parametrize("name", LESSONS)
def test_a_link_leads_to_the_settings_that_the_app_opens(reader, name):
    lesson, chance = LESSONS[name], random.Random(name)
    variants = standalone.variants(lesson)
    table = standalone.settings_table(variants, [""] * len(variants))
    assert [*variants[0].settings.items()] == [*settings_of(lesson, {}).items()]
    asked, expected = [[]], [variants[0].settings]
    for settings in (variant.settings for variant in variants * 3):
        query = {name: text for name, text in settings.items() if chance.random() < 0.6}
        if (wanted := settings_of(lesson, query)) is not None:
            asked.append([*query.items()])
            expected.append(wanted)
    found = reader.evaluate("([asked, table]) => asked.map(query => variantOf(query, table))", [asked, table])
    assert found == expected


def test_a_choice_keeps_the_other_settings_where_it_can(reader):
    lesson = LESSONS["queries_keys"]
    variants = standalone.variants(lesson)
    table = standalone.settings_table(variants, [""] * len(variants))

    def chosen(name, value, **current):
        return reader.evaluate("given => chosen(...given)", [name, value, current, table])

    apple = {"example": "buy_5f_an_5f_apple", "way": "one"}
    assert chosen("example", apple["example"], example="apple_5f_unveiled", way="one") == apple
    features = chosen("example", "fluffy_5f_blue_5f_creature", **apple)
    assert features == {"example": "fluffy_5f_blue_5f_creature", "way": "features"}
    assert chosen("example", "own", **apple) is None
