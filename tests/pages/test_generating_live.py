"""The server's own model writes: token by token, the same for all who ask the same, and nobody else's text."""

from dataclasses import replace
from functools import partial
from threading import Thread

import numpy as np
import pytest

from attention_core import read_model
from attention_core.models import chat_text
from attention_lab import own_model
from attention_lab.lessons import generating
from attention_lab.lessons.generating import live, recorded
from attention_lab.state import permalink
from tests.core.test_decoders import random_model, save
from tests.core.test_pretrained import bert_folder
from tests.visit import PATHS, LessonView, Visit

PATH = PATHS["generating"]
live_view = partial(LessonView, PATH, model="live")
PROMPT = "The street was tired"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save(random_model("llama"), tmp_path_factory.mktemp("model"), {"max_position_embeddings": 128})


@pytest.fixture(autouse=True)
def model(folder, monkeypatch):
    monkeypatch.setenv(own_model.VARIABLE, str(folder))
    live.TEXTS.clear()
    return own_model.read().model


def tokens_of(model, prompt):
    """The prompt's tokens, and those that the model writes."""
    numbers, _ = model.tokeniser.encode(prompt)
    return numbers, [step.number for step in model.generate(prompt, live.MOST, temperature=0)]


def write_all(view):
    for _ in range(live.MOST + 1):
        generating.write_on(view.state)
    return view


def test_tokens_come_one_by_one_and_are_the_models_own(model):
    view = live_view(written="The-street-was-tired")
    given, written = tokens_of(model, PROMPT)
    assert view.scope["count"] == len(given)
    assert not view.reached, "a goal waits until something is computed"
    probabilities = [step.probabilities for step in model.generate(PROMPT, live.MOST, temperature=0)]
    for count in range(live.MOST):
        generating.write_on(view.state)
        scope = view.scope
        assert (scope["count_written"], scope["left"]) == (count, 1), "the next token is known, and comes next"
        expected = np.sort(probabilities[count])[::-1][: live.TOP]
        np.testing.assert_allclose(scope["probabilities"][0], expected, atol=1e-6)
        assert generating.is_being_written(view.values)
    generating.write_on(view.state)
    assert not generating.is_being_written(view.values)
    assert live.begun(view.values).now.numbers == (*given, *written)
    assert (view.scope["count_written"], view.scope["left"]) == (live.MOST, 1), "what would come next is known"


@pytest.mark.parametrize("head", ["1.1", "2.3", "3.4"])
def test_weights_and_cache_are_those_of_a_full_pass(model, head):
    view = write_all(live_view(head=head))
    given, written = tokens_of(model, live.FIRST)
    _, layers = model.run_tokens([*given, *written])
    layer, number = (int(part) - 1 for part in head.split("."))
    np.testing.assert_allclose(view.scope["pattern"], layers[layer].weights[number], atol=1e-4)
    assert view.scope["cached_bytes"] == (len(given) + live.MOST) * 2 * 3 * 2 * 16 * 4
    assert len(view.view.arrays["recorded"].data) < 20_000, "one head's weights travel, not all"


def test_a_text_ends_at_its_end_token(model, monkeypatch):
    given, written = tokens_of(model, PROMPT)
    end = next(k for k, number in enumerate(written) if number not in written[:k] and k > 1)
    other = replace(model, ends=frozenset({written[end]}))
    vars(other)["sha256"] = "0" * 64  # what is kept is kept by it
    monkeypatch.setattr(own_model, "read", lambda: own_model.OwnModel(other))
    view = write_all(live_view(written="The-street-was-tired"))
    assert live.begun(view.values).now.numbers == (*given, *written[: end + 1])
    assert view.scope["left"] == 0
    _, layers = model.run_tokens([*given, *written[: end + 1]])
    np.testing.assert_allclose(view.scope["pattern"], layers[0].weights[0], atol=1e-4)


def test_newest_token_is_shown_unless_the_reader_has_stepped_back():
    view = live_view()
    start = view.state.start
    for _ in range(4):
        generating.write_on(view.state)
    assert view.scope["count"] == start + 3
    view.drag(shown=start)
    assert view.scope["count"] == start + 1
    generating.write_on(view.state)
    assert view.scope["count"] == start + 1
    assert view.link["shown"] == str(start + 1)
    view.drag(shown=start + live.MOST - 1)
    assert view.scope["count"] == start + 4


def test_a_link_shows_the_same_text_again_also_after_it_was_dropped():
    view = write_all(live_view(written="a-tired-animal", head="2.1"))
    assert set(view.link) == {"model", "written", "head", "version"}
    pattern, words = view.scope["pattern"], view.scope["words"]
    live.TEXTS.clear()
    again = LessonView(PATH, **view.link)
    assert again.scope["count_written"] == 0
    assert (write_all(again).scope["words"], again.notices) == (words, [])
    np.testing.assert_array_equal(again.scope["pattern"], pattern)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "at least one word"),
        ("\u200b", "at least one word"),
        ("q" * 2000, "400"),
        ("q" * 50, "50 tokens. Use at most 44, so that there is room"),
        ("\ud800", "can’t be"),
    ],
)
def test_a_prompt_is_refused_with_a_remedy(text, said):
    with pytest.raises(permalink.RefusedError, match=said):
        generating.write_own(live_view().state, text)


@pytest.mark.parametrize("text", ["يأكل التفاح", "🍎 苹果", "<b>$x^2$</b> **a** `c`", "it's {}%s#"])
def test_a_prompt_of_any_signs_is_written_on_and_stands_in_the_link(text):
    view = live_view()
    view.choose(**generating.write_own(view.state, text))
    assert write_all(view).scope["count_written"] == live.MOST
    assert LessonView(PATH, **view.link).values["written"] == text


def test_a_class_gets_each_its_own_text_and_those_who_ask_the_same_share_it(model):
    prompts = [f"The animal {chr(97 + k % 25)}" for k in range(30)]
    views = [live_view() for _ in prompts]
    for view, prompt in zip(views, prompts, strict=True):
        view.choose(**generating.write_own(view.state, prompt))

    def ask(view):
        while generating.is_being_written(view.values):
            generating.write_on(view.state)

    threads = [Thread(target=ask, args=[view], daemon=True) for view in views]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for view, prompt in zip(views, prompts, strict=True):
        given, written = tokens_of(model, prompt)
        assert live.begun(view.values).now.numbers == (*given, *written)
    assert len(live.TEXTS) == 1 + 25


def test_texts_are_kept_within_bounds():
    view = live_view()
    for k in range(70):
        view.choose(**generating.write_own(view.state, f"the {k}"))
        generating.write_on(view.state)
    assert len(live.TEXTS) == 64
    assert 0 < live.TEXTS.nbytes < live.TEXTS.most_bytes


def test_page_names_the_model_and_keeps_what_it_refuses(model):
    visit = Visit(PATH, model="live")
    assert model.name in visit.text
    assert model.sha256 in visit.text
    refused = "q" * 60
    assert "60 tokens" in visit.fill("text_input", "written_line", refused).at.error[0].value
    assert visit.at.text_input(key="generating.written_line").value == refused
    visit.fill("text_input", "written_line", "tired")
    assert not visit.at.error
    assert visit.state.written == "tired"
    assert visit.link["written"] == "tired"
    tabs = {tab.label for tab in visit.open_drawer("table").at.tabs}
    assert "NumPy" not in tabs
    assert visit.tables


def test_a_link_without_a_model_shows_a_recorded_text_and_how_to_get_one(monkeypatch, tmp_path):
    link = write_all(live_view(written="a-tired-animal")).link
    for folder in ("", str(bert_folder(tmp_path / "bert"))):
        monkeypatch.setenv(own_model.VARIABLE, folder or "none")
        visit = Visit(PATH, **link)
        assert "python3 lab.py model smollm2" in visit.at.info[0].value
        assert not visit.at.warning
        assert not visit.at.error
        assert tuple(visit.scope["words"]) == recorded.load("france").tokens[:5]
        assert visit.link["written"] == "a-tired-animal", "what was written is not lost"
        assert "live" not in LessonView(PATH).state.options("model")


def test_a_model_that_is_taken_away_leaves_the_page_standing(monkeypatch):
    visit = Visit(PATH, model="live", written="a-tired-animal")
    monkeypatch.setenv(own_model.VARIABLE, "none")
    visit.run()
    assert "python3 lab.py model smollm2" in visit.at.info[0].value
    assert tuple(visit.scope["words"])[:2] == ("The", "capital")
    visit.drag(shown=5)
    assert visit.state.written == "a tired animal"


def test_a_chat_is_offered_where_the_model_knows_its_marks(model, monkeypatch):
    assert live_view().state.options("chat") == ("0",)
    monkeypatch.setattr(live, "takes_chat", lambda _: True)
    view = live_view()
    view.choose(**generating.ask(view.state, "1"))
    given, _ = model.tokeniser.encode(chat_text(live.FIRST))
    assert view.state.start == len(given)
    assert LessonView(PATH, **view.link).values["chat"] == "1"


def test_the_model_of_the_folder_is_the_one_that_writes(folder, model):
    assert read_model(folder).sha256 == model.sha256
    assert generating.model_names(live_view().state)["live"] == model.name
