"""Generating text: one row with each token, the draw, what the cache saves, and what it needs the mask for."""

from functools import partial

import numpy as np
import pytest

from attention_core import load_recorded_runs
from attention_core.models import count_multiplications, decode, load_language_model
from attention_core.models.writing import Sampling, choose
from attention_lab.lessons import generating
from attention_lab.lessons.generating import recorded
from attention_lab.lessons.generating.calculation import WRONG
from attention_lab.state.permalink import RefusedError
from attention_lab.text import labels
from attention_lab.text.number_format import format_bytes
from tests.pages.test_every_page import execute, printed_numbers
from tests.pages.test_goals import writing
from tests.visit import PATHS, LessonView, Visit

PATH = PATHS["generating"]
view_of = partial(LessonView, PATH)
MODEL = load_language_model()
SIXTEEN_BITS = 3e-5  # by which a weight may differ that is kept so
STORY = "1_21_26_31_39_1_24_30_36_0_1_36"  # the fluffy blue creature loved the shiny white tower . the tower


def words_of(view):
    return [MODEL.words[int(token)] for token in view.scope["text"][0]]


def test_page_opens_with_the_models_own_numbers_and_rings_the_button():
    view = view_of()
    assert words_of(view) == ["the", "fluffy", "blue", "creature"]
    run = MODEL.run(words_of(view))
    np.testing.assert_allclose(view.scope["now"].next_word, run.next_word[-1], atol=1e-5)
    np.testing.assert_allclose(view.scope["now"].weights[7], run.layers[1].heads.weights[2], atol=1e-5)
    assert set(view.stage["provenance"].values()) == {"learned"}
    assert view.stage["first"] == "add"
    assert MODEL.longest - len(run.words) >= 8, "there is room to write"


@pytest.mark.parametrize("opening", view_of().state.options("opening"))
def test_a_new_token_adds_a_row_and_changes_no_other(opening):
    view = view_of(opening=opening)
    before = view.scope["now"].weights
    after = view.drag(**writing(view.stage, 1)).scope
    n = before.shape[1]
    assert after["now"].weights.shape[1] == n + 1
    np.testing.assert_allclose(after["now"].weights[:, :n, :n], before, atol=1e-12)
    assert after["change"] < 1e-12
    assert after["gap"] < 1e-12


@pytest.mark.parametrize("settings", [{}, {"temperature": "0.5"}, {"top_k": "3"}, {"top_p": "0.6"}])
def test_the_draw_chooses_as_the_core_does(settings):
    view = view_of(**settings, draw="0.7")
    state, scope = view.state, view.scope
    sampling = Sampling(state.temperature, generating.TOP_K[state.top_k], state.top_p)
    adjusted = sampling.adjust(np.array(scope["now"].logits), len(MODEL.words))
    np.testing.assert_allclose(scope["adjusted"][0], adjusted, atol=1e-12)
    order = np.argsort(-adjusted, kind="stable")
    assert scope["next_token"] == order[choose(adjusted[order], 0.7)]


@pytest.mark.parametrize("settings", [{"temperature": "0"}, {"top_k": "1"}, {"top_p": "0.1"}])
def test_with_one_token_left_every_draw_writes_the_same(settings):
    written = {view_of(**settings, draw=str(draw)).scope["next_token"] for draw in (0, 0.5, 0.999)}
    assert len(written) == 1
    assert view_of(**settings).scope["possible"] == 1


def newest_row_gap(count, start):
    """Without the mask: the newest row with `start` tokens read at once, against all read at once."""
    tokens = [int(token) for token in STORY.split("_")][:count]
    cached, fresh = (decode(MODEL, tokens, first, causal=False).weights[:, -1] for first in (start, count))
    return np.abs(cached - fresh).max()


def test_with_nothing_added_no_weight_differs_and_the_quiz_tells_the_gap():
    assert view_of(causal="0").scope["gap"] < 1e-12
    assert newest_row_gap(6, 4) == pytest.approx(0.248, abs=5e-4), "what Check yourself says of its example"


def test_without_the_mask_earlier_rows_change_and_the_cache_goes_wrong():
    masked, open_ = view_of(tokens=STORY).scope, view_of(tokens=STORY, causal="0").scope
    assert masked["gap"] < 1e-12
    assert open_["gap"] == pytest.approx(newest_row_gap(12, 4), abs=1e-9)
    assert open_["gap"] > WRONG
    assert open_["change"] > 0.25
    stale = [np.abs(open_["cached"].keys[h] - open_["now"].keys[h]).max() > 1e-6 for h in range(10)]
    assert stale == [False] * 5 + [True] * 5, "a key of layer 1 follows from its token alone"


def test_work_is_counted_for_each_written_token():
    scope = view_of(tokens=STORY).scope
    assert scope["count_written"] == 8
    without, cached = count_multiplications(MODEL, 4, 8)
    assert [list(row) for row in scope["work"]] == [without, cached]
    assert list(scope["work_in_all"]) == [sum(without), sum(cached)]
    size = 2 * MODEL.W_query.shape[0] * MODEL.W_query.shape[1] * MODEL.W_query.shape[3] * 4
    text = view_of().view.frame.text
    assert format_bytes(size) in text


def test_what_is_written_is_in_the_link_and_can_be_stepped_through():
    view = view_of(tokens=STORY, shown="6")
    assert words_of(view) == ["the", "fluffy", "blue", "creature", "loved", "the"]
    assert view.state.tokens.shape[1] == 12, "what comes later is kept"
    again = view_of(**view.state.link)
    assert again.stage["pose"] == view.stage["pose"]
    for added in range(1, 4):
        link = view_of().drag(**writing(view_of().stage, added)).state.link
        assert len(words_of(view_of(**link))) == 4 + added


def test_own_beginning_is_read_sign_by_sign_and_refused_with_a_remedy():
    assert generating.check_beginning("The dog, the cat.") == "the dog , the cat ."
    assert generating.check_beginning("it didn’t fit") == "it didn't fit"
    for text, why in (("a zebra", "doesn’t know “zebra”"), ("the " * 25, "Use at most 24")):
        with pytest.raises(RefusedError, match=why):
            generating.check_beginning(text)
    visit = Visit(PATH)
    values = generating.write_own(visit.state, "the cat saw")
    assert values["tokens"].shape == (1, 3)
    assert values["start"] == int(values["shown"]) == 3
    assert generating.write_own(visit.state, "")["tokens"].shape == (1, 4), (
        "an empty text is the beginning chosen"
    )


def test_another_beginning_drops_what_was_written_and_keeps_the_settings():
    state = view_of(tokens=STORY, temperature="2").state
    values = generating.choose_opening(state, "street")
    assert values["tokens"].shape[1] == values["start"] == int(values["shown"]) == 5
    assert values["temperature"] == 2


def test_prediction_is_answered_from_two_patterns():
    (question,) = view_of(predict="1").view.questions
    assert question.judge(0)[:2] == (0, 0)
    assert "changes" in question.judge(None)[2]


def test_prediction_is_asked_once_for_a_beginning():
    about = {view_of(predict="1", **link).view.questions[0].about for link in ({}, {"tokens": STORY})}
    assert len(about) == 1
    assert about != {view_of(predict="1", opening="street").view.questions[0].about}


# The recorded model ----------------------------------------------------------------------------------------

RUNS = load_recorded_runs()
recorded_view = partial(view_of, model="smollm2")


def shown_text(view):
    return str(view.stage["columns"])


def test_nothing_of_the_recorded_model_travels_until_it_is_chosen(monkeypatch):
    monkeypatch.setattr(recorded, "load", None)  # read, it would fail
    view = view_of()
    assert set(view.view.arrays) == {"learned"}
    assert "Sydney" not in str(view.view.data)
    monkeypatch.undo()
    assert set(recorded_view().view.arrays) == {"recorded"}


@pytest.mark.parametrize("name", RUNS.runs)
def test_every_number_is_the_recorded_runs(name):
    run = RUNS.runs[name]
    for count in (run.start, run.start + 1, len(run.tokens)):
        view = recorded_view(opening=name, shown=str(count), head="13.4")
        scope = view.scope
        assert len(scope["words"]) == count
        np.testing.assert_allclose(scope["pattern"], run.weights[12, 3], atol=SIXTEEN_BITS)
        step = min(count - run.start, len(run.top_tokens) - 1)
        np.testing.assert_allclose(scope["probabilities"][0], run.top_probabilities[step], atol=1e-7)
        assert scope["cached_bytes"] == count * 2 * 30 * 3 * 64 * 2
        if count < len(run.tokens):
            shown = labels.shown(run.tokens[count])
            assert scope["vocabulary"][count] == scope["top_tokens"][step][0] == shown


def test_a_recorded_text_opens_at_its_prompt_on_a_head_that_shows_something():
    view = recorded_view()
    assert view.scope["words"] == ("The", "capital", "of", "France", "is")
    assert (view.state.head, view.stage["first"]) == ("24.5", "add")
    text = shown_text(view)
    assert "head 24.5 gives “France” a weight of 90.3%" in text
    assert "23,040" in text
    assert "69,120" in text
    assert set(view.stage["provenance"].values()) == {"learned"}
    for name, run in RUNS.runs.items():
        written, head = recorded.load(name), recorded.HEADS.get(name, recorded.HEAD)
        weights = recorded.first_row(written, head)
        row = run.weights_by_head[RUNS.head_names.index(head), run.start - 1, : run.start]
        np.testing.assert_allclose(weights, row, atol=SIXTEEN_BITS)
        assert weights[1:].max() > 0.4, "not only the first token"


def test_the_wrong_text_says_so_and_a_chat_names_its_marks():
    assert "gives “Sydney” a probability of 80.4%, and “Canberra”, Australia’s capital, only 5.6%" in (
        shown_text(recorded_view(opening="australia"))
    )
    assert "Canberra”, Aus" not in shown_text(recorded_view())
    chat = recorded_view(opening="germany")
    assert chat.scope["words"][:3] == ("<|im_start|>", "user", "↵")
    assert "This text is a chat." in shown_text(chat)


def test_a_recorded_link_holds_model_text_length_and_head():
    view = recorded_view(opening="mary", shown="16", head="30.9")
    assert set(view.link) == {"model", "opening", "shown", "head", "version"}
    assert view_of(**view.link).stage["pose"] == view.stage["pose"]
    chosen = generating.choose_opening(view.state, "japan")
    assert (chosen["head"], chosen["shown"], chosen["start"]) == ("24.5", "5", 5), "each text has its own"
    assert generating.choose_model(view.state, "readable")["opening"] == "creature"


def test_programs_print_the_recorded_row_the_next_tokens_and_the_cache():
    view = recorded_view(opening="italy", shown="40", head="10.1")
    numpy_prints, torch_prints = (execute(program) for program in view.programs)
    assert torch_prints == numpy_prints
    scope, printed = view.scope, printed_numbers(numpy_prints)
    expected = [*scope["pattern"][39][:40], *scope["probabilities"][0][:5], scope["cached_bytes"]]
    np.testing.assert_allclose(printed, expected, atol=SIXTEEN_BITS)


def test_without_the_recording_the_page_says_so_and_the_small_model_works(monkeypatch):
    for module in (generating, recorded):
        monkeypatch.setattr(module, "unreadable", lambda names: names)
    recorded.load.cache_clear()
    visit = Visit(PATH, model="smollm2", opening="mary")
    assert "a model file is missing or damaged: smollm2.npz" in visit.at.error[0].value
    assert "Model" in [box.label for box in visit.at.selectbox], "the way back"
    assert not Visit(PATH).at.error
    recorded.load.cache_clear()
