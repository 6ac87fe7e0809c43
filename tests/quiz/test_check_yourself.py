"""Check yourself: every question has its words, and its link shows the numbers that its sentences state."""

import re

import numpy as np
import pytest

from attention_core.models.gallery import load_gallery
from attention_lab import course
from attention_lab import text as prose
from attention_lab.quiz import PARTS
from attention_lab.text.number_format import format_number, format_whole
from tests.visit import PAGES, Visit

TEXT = prose.read("check_yourself")
ITEMS = [item for items in PARTS.values() for item in items]
LAST_PAGES = {path.parent.name: path for path in PAGES if path.stem != "home"}
OF_ALL = {"title", "intro", "about", "right", "wrong", "see"}


def view_of(page, **query):
    """Return what a page shows by a link of default values, for comparison."""
    lesson = next(item.pose.lesson for item in ITEMS if item.pose.page == page)
    state, notices = lesson.parse(query)
    assert not notices
    return lesson.view(state)


def at(view, word):
    return list(view.now.sentence).index(word)


def number(value):
    return format_number(float(value))


def percent(value):
    return f"{100 * float(value):.1f}%"


def pair(vector):
    return f"({', '.join(map(number, vector))})"


# What each question's sentences state, by its name: numbers as they are written there.


def of_one_entry(view):
    other = view_of("embeddings", example="american_5f_true_5f_mole", word="mole")
    here, there = at(view, "mole"), at(other, "mole")
    assert (view.now.x[here] == other.now.x[there]).all()
    return [pair(view.now.x[here]), pair(view.now.trace.context[here]), pair(other.now.trace.context[there])]


def of_twice_as_long(view):
    before = view_of("similarity").now
    apple, phone = (view.state.words.index(word) for word in ("apple", "phone"))
    assert (view.now.vectors[apple] == 2 * before.vectors[apple]).all()
    assert np.isclose(view.now.cosine[apple, phone], before.cosine[apple, phone])
    dots = (view.now.dot[apple, phone], before.dot[apple, phone])
    return [*map(number, dots), number(view.now.cosine[apple, phone])]


def of_plus_ten(view):
    before = view_of("softmax", example="an_5f_apple_5f_phone", scores="1_2_3").now
    np.testing.assert_allclose(view.now.weights, before.weights, rtol=1e-12)
    return [*map(number, view.now.score[0]), *map(percent, view.now.weights[0])]


def of_there_and_back(view):
    apple, orange = at(view, "apple"), at(view, "orange")
    weights = view.now.trace.weights
    return [percent(weights[apple, orange]), percent(1 - weights[apple, orange]), percent(weights[orange, apple])]


def of_hidden_words(view):
    apple, buy = at(view, "apple"), at(view, "buy")
    row = view.now.trace.weights[apple]
    unmasked = view_of("masking", mask="none").now.trace.weights[apple]
    assert (row[: apple + 1] > unmasked[: apple + 1]).all()
    return [percent(unmasked[apple]), percent(row[apple]), percent(row[buy])]


def of_other_order(view):
    assert list(view.now.words_said) == ["man", "bites", "dog"]
    assert view.state.positions == "none"
    assert np.abs(view.now.changes).max() < 1e-12
    return [number(np.round(np.abs(view.now.changes).max(), 12))]


def of_four_heads(view):
    row, adjective = at(view, "creature"), view.now.axes.index("adjective")
    added = [delta[row, adjective] for delta in view.now.deltas]
    assert (view.now.heads == 1).all()
    assert np.isclose(view.now["added"][row, adjective], sum(added))
    assert np.abs([added[1], added[3]]).max() == 0
    assert added[0] > 0.9995  # 1 with four digits
    return ["head 1 adds 1 ", f"head 3 adds {number(added[2])}", number(view.now["added"][row, adjective])]


def of_who_answers(view):
    row = view.now.trace.weights[at(view, "duveteuse")]
    assert list(view.now.answering) == ["the", "fluffy", "blue", "creature"]
    return [percent(row[1])]


def of_longer_text(view):
    before = view_of("scale", model="transformer_2d_base").now
    assert view.now.context == 2 * before.context
    assert view.now.count.total == before.count.total
    assert view.now.cells == 4 * before.cells
    counts = (view.now.context, before.context, view.now.cells, before.cells, before.count.total)
    return [*map(format_whole, counts)]


def of_no_target(view):
    laptop = list(view.now.words).index("laptop")
    assert view.now.words[view.now.asks] == "apple"
    assert view.now.at == 59
    before = view_of("train_a_head", step="0", asks="5").now
    assert before.words == view.now.words
    return [percent(before.row[laptop]), percent(view.now.row[laptop])]


def of_needed(view):
    before = view_of("trained_model", head="2_2e_3").now
    words = list(view.now.words)
    assert " ".join(view.now.sentence) == "ana ben eva tim : ana ben"
    weight = before.pattern[-1, words.index("eva")]
    assert np.isclose(view.now.pattern[-1, words.index("eva")], weight)
    assert (view.now.strengths == [[1, 1, 1, 1, 1], [1, 1, 0, 1, 1]]).all()
    assert view.now.vocabulary[view.now.now.next_word[-1].argmax()] == "eva"
    return [percent(weight), percent(view.now.answer_share), percent(before.answer_share), f"{weight:.0%}"]


def of_first_token(view):
    head = load_gallery().head_names.index("5.6")
    patterns = [run.weights.reshape(-1, *run.weights.shape[-2:])[head] for run in load_gallery().runs.values()]
    assert len(patterns) == 12
    assert min(pattern[:, 0].min() for pattern in patterns) > 0.5
    return [percent(view.now.pattern[list(view.now.words).index("bank"), 0]), percent(view.now.value_ratio)]


def of_pieces(view):
    words = list(view.now.words)
    assert "cheque" not in words
    assert (words[0], words[-1]) == ("[CLS]", "[SEP]")
    return ["*che*", "*##que*", f"{len(words) - 2} tokens", f"{len(words) - 3} words"]


def of_new_token(view):
    assert " ".join(view.now.words) == "the fluffy blue creature loved the₂"
    assert view.now.change < 1e-12
    return [format_whole(view.now.work[1][-1]), format_whole(view.now.work[0][-1])]


def of_same_prompt(view):
    words, shares = view.now.vocabulary, view.now.adjusted[0]
    assert words[view.now.next_token] == "chased"
    assert view_of("generating", draw="0.2").now.next_token == words.index("loved")
    return [percent(shares[words.index(word)]) for word in ("loved", "chased")]


def of_no_mask(view):
    assert view.state.causal == "0"
    return [number(view.now.gap)]


def of_one_head(view):
    now = view.now
    assert (now.words[now.most[0]], now.words[now.last]) == ("France", "is")
    other = view_of("modern_model", head="1.5", cut="head").now
    return [*map(percent, (now.before, now.probability, now.most_weight, other.probability))]


def of_none_missed(view):
    assert view.now.gap == 0, "the strongest"
    assert view.now.recorded["with_head_off"][0].min() > 0.5
    closed = view_of("modern_model", text="mary", cut="first").now
    return [*map(percent, (view.now.before, view.now.probability, closed.probability))]


def of_first_closed(view):
    berlin = view_of("modern_model", text="germany", cut="first").now
    return [percent(of) for now in (view.now, berlin) for of in (now.before, now.probability)]


def of_shared_keys(view):
    france = list(view.now.words).index("France")
    heads = view.now, view_of("modern_model", head="24.5").now
    return [percent(now.pattern[now.last, france]) for now in heads]


def of_flash(view):
    assert view.now.difference < 1e-12
    return [number(view.now.context[0, 0]), number(view.now.plain[0, 0])]


CLAIMS = {name.removeprefix("of_"): claim for name, claim in list(globals().items()) if name.startswith("of_")}


def test_links_to_poses_show_the_numbers_that_the_sentences_state():
    offenders = []
    for item in ITEMS:
        state, notices = item.pose.lesson.parse(item.pose.link)
        assert item.pose.link
        assert not notices
        for name, value in item.pose.values.items():
            assert np.array_equal(state.values[name], value) or str(state.values[name]) == str(value)
        claimed = CLAIMS[item.name](item.pose.lesson.view(state))
        assert claimed
        texts = {name: text for name, text in TEXT.items() if name.startswith(f"{item.name}/")}
        refuted = "\n".join(text for name, text in texts.items() if "/wrong/" in name)
        stated = re.findall(
            r"\d+\.\d+|\d+,\d{3}(?:,\d{3})*", re.sub(r"[Hh]eads? \d+\.\d( and \d+\.\d)?", "", refuted)
        )
        offenders += [(item.name, one) for one in claimed if one not in "\n".join(texts.values())]
        offenders += [(item.name, one) for one in stated if not any(one in each for each in claimed)]
    assert offenders == [], "numbers that no sentence states, or that no claim is about"


def test_every_option_has_its_words():
    offenders = []
    for item in ITEMS:
        own, options = TEXT.parts(item.name), {f"option/{option}" for option in item.options}
        refuted = {f"wrong/{option}" for option in item.options if option != item.right}
        if own.keys() != options | refuted | {"question", "reason"} or not all(own.values()):
            offenders.append((item.name, [*own]))
        elif not 3 <= len(item.options) == len({own[option] for option in options}):
            offenders.append((item.name, "two options with the same words"))
    assert offenders == []
    assert {name for name in TEXT if "/" not in name} - {item.name for item in ITEMS} == OF_ALL


def test_questions_about_three_of_its_pages_end_each_part():
    assert list(PARTS) == list(LAST_PAGES)
    for part, items in PARTS.items():
        pages = {course.address(path) for path in PAGES if path.parent.name == part}
        assert 3 <= len(items) <= 8, part
        assert len({item.pose.page for item in items} & pages) == min(3, len(pages)), part


def test_right_answers_do_not_stand_in_one_place():
    places = [item.options.index(item.right) for item in ITEMS]
    assert min(places.count(place) for place in range(3)) >= 3


# On the page -------------------------------------------------------------------------------------------

PART = "1_geometry"
ITEM = PARTS[PART][1]
RADIO = f"check_yourself.{ITEM.name}"


@pytest.fixture
def visit():
    """A session on the last page of a part, with the questions open."""
    visit = Visit(LAST_PAGES[PART], inside=True)
    assert not visit.at.radio, "nothing is drawn before"
    visit.at.session_state[f"check_yourself.{PART}"] = True
    visit.run()
    assert len(visit.at.radio) == 3
    return visit


def answer(visit, option):
    visit.at.radio(key=RADIO).set_value(option)
    return visit.run()


def links(visit):
    found = [(link.proto.page, link.proto.query_string) for link in visit.at.get("page_link")]
    return [query for page, query in found if page.strip("/").endswith(ITEM.pose.page) and query]


def test_only_the_last_page_of_a_part_has_questions_and_a_projector_shows_none():
    def titles(path, **address):
        return [fold.label for fold in Visit(path, inside=True, **address).at.expander].count(TEXT["title"])

    assert [titles(path) for path in PAGES] == [path in LAST_PAGES.values() for path in PAGES]
    assert titles(LAST_PAGES[PART], present="1") == 0


def test_a_right_answer_gets_its_reason_and_a_wrong_one_a_link_to_the_pose(visit):
    assert not links(answer(visit, ITEM.right))
    assert TEXT[f"{ITEM.name}/reason"] in visit.text
    answer(visit, "both")
    assert TEXT[f"{ITEM.name}/wrong/both"] in visit.text
    assert TEXT[f"{ITEM.name}/reason"] not in visit.text
    (query,) = links(visit)
    assert "vectors=0_3__4_4__4_0" in query


def test_answers_stay_for_the_session_and_in_no_link(visit):
    answer(visit, "both")
    assert visit.link == {}
    visit.go(PAGES[0]).go(LAST_PAGES[PART])
    assert visit.at.radio(key=RADIO).value == "both"
    assert visit.link == {}
