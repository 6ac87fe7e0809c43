"""The page for a reader's own file: what it shows, what it refuses, and that nothing outlives the session."""

import gc
import gzip
import io
import pickle
import tempfile
import weakref
from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit import config
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

import attention_lab
from attention_core import load_gallery
from attention_lab import text as prose
from attention_lab.lessons import own_attention as lesson
from attention_lab.lessons.own_attention import opened_file
from attention_lab.own_attention.packing import BITS, largest_error
from attention_lab.state.permalink import RefusedError
from attention_lab.state.update import SetFields
from attention_lab.text.languages import LANGUAGES, speaking
from tests.own_attention.test_docs import saved_model
from tests.visit import EVERY, LessonView, Visit, as_shown

PAGE = next(path for path in EVERY if path.stem == "4_own_attention")
TOKENS = ["The", "Ġcat", "Ġ<b>sat</b>", "Ċ", "جلس"]
WEIGHTS = np.random.default_rng(0).dirichlet(np.ones(5), size=(3, 4, 5)).astype(np.float32)


def npz(**arrays):
    """The bytes of a file that NumPy has written."""
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


SIXTEEN = 2**16 - 1
LIMIT = 10_000  # bytes of a file


def npz_of(view):
    """The bytes of a view's own file."""
    with tempfile.TemporaryDirectory() as folder:
        return view.save(Path(folder) / "a.npz").read_bytes()


FILE = npz(attention=WEIGHTS, tokens=np.array(TOKENS))


def give(visit, data, name="attention.npz"):
    """Drop a file on the page."""
    visit.at.file_uploader[0].set_value((name, data, "application/octet-stream"))
    return visit.run()


def file_of(visit):
    return visit.at.session_state["pages"]["own_attention"].state.file


def state_of(file):
    """The page's state once this file is open."""
    state, _ = lesson.LESSON.parse({})
    return lesson.LESSON.update(state, SetFields(lesson.opened(state, file)))


def numbers(file, view, name, bits=8):
    """Numbers as the browser unpacks them from the one array that it is sent."""
    told = file.results(prose.read("own_attention"), "en")["views"][view]
    begin, size = told["places"][name]
    return np.frombuffer(gzip.decompress(file.packed.data[begin : begin + size]), BITS[bits])


def test_until_a_file_is_open_the_page_shows_a_models_heads():
    visit = Visit(PAGE)
    file, run = file_of(visit), load_gallery().runs[opened_file.EXAMPLE]
    for layer, weights in enumerate(run.weights):
        shown = numbers(file, 0, str(layer)) / 255
        assert np.abs(shown - weights.ravel()).max() <= largest_error(8)
    pose = file.first_pose
    by_head = run.weights.reshape(-1, *run.weights.shape[2:])
    query, key = run.tokens.index("it"), run.tokens.index("animal")
    assert pose["query"] == query
    assert pose["head"] == by_head[:, query, key].argmax()
    assert load_gallery().record["model"] in visit.text


def test_a_file_is_shown_and_every_weight_is_the_arrays():
    visit = give(Visit(PAGE), FILE)
    file = file_of(visit)
    assert (file.name, file.view.patterns[0].known["layers"]) == ("attention.npz", ["0", "1", "2"])
    assert file.view.patterns[0].known["queries"] == ["The", "␣cat", "␣<b>sat</b>", "↵", "جلس"]
    for layer, weights in enumerate(WEIGHTS):
        assert np.abs(numbers(file, 0, str(layer), 16) / SIXTEEN - weights.ravel()).max() <= largest_error(16)
    assert [each.of for each in file.view.patterns] == ["head", "mean", "rollout"]
    mean = WEIGHTS[2].mean(axis=0).ravel()
    assert np.abs(numbers(file, 1, "2", 16) / SIXTEEN - mean).max() <= largest_error(16)
    assert (numbers(file, 0, "strongest", 16) == WEIGHTS.argmax(axis=-1).ravel()).all()
    assert "attention.npz · layers × heads: 3 × 4 · tokens: 5" in as_shown(visit.text)


def test_its_bytes_are_forgotten_once_they_are_read(monkeypatch):
    forgotten = []
    monkeypatch.setattr(MemoryUploadedFileManager, "remove_file", lambda _, session, file: forgotten.append(file))
    for data in (FILE, b"hello"):
        forgotten.clear()
        visit = Visit(PAGE)
        give(visit, data)
        assert len(forgotten) == 1
        assert visit.at.file_uploader[0].value is None


DAMAGED = {
    "empty": b"",
    "other": b"hello, world",
    "pickled": pickle.dumps({"attention": WEIGHTS}),
    "damaged": FILE[: len(FILE) // 2],
    "newer": npz(attention_lab=np.array('{"version": 99}'), attention=WEIGHTS),
}
REFUSED = {
    "finite": npz(attention=np.full((1, 2, 3, 3), np.nan, np.float32)),
    "negative": npz(attention=-WEIGHTS),
    "4 tokens": npz(attention=WEIGHTS, tokens=np.array(TOKENS[:4])),
    "called attention": npz(a=WEIGHTS, b=WEIGHTS),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_file_that_is_not_read_is_refused_in_a_sentence(language):
    with speaking(language):
        text = prose.read("own_attention")
        for kind, data in DAMAGED.items():
            with pytest.raises(RefusedError) as refusal:
                lesson.open_file("a.npz", data, LIMIT)
            assert str(refusal.value) == text.plain(f"refused/{kind}")
        for why, data in REFUSED.items():
            with pytest.raises(RefusedError, match=why) as refusal:
                lesson.open_file("a.npz", data, LIMIT)
            assert str(refusal.value).startswith(text.plain("refused/weights", why="").rstrip(".。: "))


def test_what_was_open_stays_where_a_file_is_refused():
    visit = give(Visit(PAGE), FILE)
    before = file_of(visit)
    give(visit, DAMAGED["damaged"])
    assert [as_shown(error.value) for error in visit.at.error] == [
        f"{prose.read('own_attention').plain('refused/damaged')} {prose.read('controls').plain('refused/kept')}"
    ]
    assert file_of(visit) is before
    give(visit, FILE)
    assert not visit.at.error


def test_weights_are_sent_in_sixteen_bits_where_they_are_few_or_that_is_wanted(monkeypatch):
    many, wanted = npz(attention=WEIGHTS), npz_of(attention_lab.show(WEIGHTS, bits=16))
    assert lesson.open_file("a.npz", many, LIMIT).view.bits == 16
    monkeypatch.setattr(opened_file, "MOST_SHARP", WEIGHTS.size - 1)
    assert lesson.open_file("a.npz", many, LIMIT).view.bits == 8
    file = lesson.open_file("a.npz", wanted, LIMIT)
    assert file.view.bits == 16
    monkeypatch.setattr(opened_file, "MOST_PACKED", file.view.nbytes - 1)
    assert lesson.open_file("a.npz", wanted, LIMIT).view.bits == 8, "rather than none"


def test_more_than_a_page_can_send_is_refused_before_it_is_sent(monkeypatch):
    monkeypatch.setattr(opened_file, "MOST_PACKED", 100)
    with pytest.raises(RefusedError, match="more weights than this page can show"):
        lesson.open_file("a.npz", FILE, LIMIT)


def test_a_small_file_that_unpacks_to_much_is_refused():
    weights = np.zeros((1, 4, 100, 100), np.float32)
    weights[..., 0] = 1
    stream = io.BytesIO()
    np.savez_compressed(stream, attention=weights)
    assert len(stream.getvalue()) < LIMIT < weights.nbytes
    with pytest.raises(RefusedError, match="contains too many weights"):
        lesson.open_file("a.npz", stream.getvalue(), LIMIT)
    assert lesson.open_file("a.npz", stream.getvalue(), weights.nbytes)


def test_what_all_sessions_show_has_a_bound_and_makes_room_again(monkeypatch):
    file = lesson.open_file("a.npz", FILE, LIMIT)
    gc.collect()
    shown = sum(each.view.nbytes for each in opened_file._held)
    monkeypatch.setattr(opened_file, "MOST_HELD", shown + file.view.nbytes // 2)
    with pytest.raises(RefusedError, match="can’t hold more files"):
        lesson.open_file("a.npz", FILE, LIMIT)
    del file
    gc.collect()
    assert lesson.open_file("a.npz", FILE, LIMIT)


def test_a_link_names_the_file_and_its_choices_hold_once_that_is_open():
    visit = give(Visit(PAGE), FILE)
    visit.drag(head=7, query=2, measure=1, sorted=1)
    link = visit.at.session_state["pages"]["own_attention"].state.link
    assert link == {"file": file_of(visit).id, "head": "7", "query": "2", "measure": "1", "sorted": "1"}

    other = Visit(PAGE, **link)
    assert prose.read("own_attention").plain("not_here") in str(other.stage["columns"])
    assert not other.at.get("download_button")
    state = other.at.session_state["pages"]["own_attention"].state
    assert state.link == link, "nothing of it is lost"
    give(other, FILE)
    assert other.at.session_state["pages"]["own_attention"].state.link == link

    assert not other.at.info
    third = give(Visit(PAGE, **link), npz(attention=WEIGHTS[:2], tokens=np.array(TOKENS)))
    assert third.at.session_state["pages"]["own_attention"].state.link == {"file": file_of(third).id}
    assert [as_shown(each.value) for each in third.at.info] == [prose.read("own_attention").plain("other_file")]
    assert not give(third, FILE).at.info


def test_a_link_back_within_the_session_finds_the_file_again():
    visit = give(Visit(PAGE), FILE)
    file = file_of(visit)
    visit.drag(head=5)
    link = visit.at.session_state["pages"]["own_attention"].state.link
    visit.arrive()
    visit.arrive(**link)
    assert file_of(visit) is file
    assert visit.at.session_state["pages"]["own_attention"].state.head == 5


@pytest.mark.parametrize("link", [{"file": "../../etc/passwd"}, {"file": "0123"}, {"head": "72"}, {"view": "-1"}])
def test_a_link_that_cannot_be_says_so_and_the_example_is_there(link):
    view = LessonView(PAGE, **link)
    assert len(view.notices) == 1
    assert view.state.link == {}


def test_what_a_hand_may_say_lies_within_the_file():
    visit = give(Visit(PAGE), FILE)
    for forged in (
        {"head": 12},
        {"view": 3},
        {"query": 5},
        {"measure": 99},
        {"form": 2},
        {"head": "x"},
        {"file": 1},
    ):
        visit.drag(**forged)
        assert visit.at.session_state["pages"]["own_attention"].state.link == {"file": file_of(visit).id}
    visit.drag(view=1, head=2)
    visit.drag(head=3)
    assert visit.at.session_state["pages"]["own_attention"].state.head == 2, "a mean has one head for each layer"


def test_a_new_file_is_no_step_to_undo_so_that_no_old_one_is_kept():
    visit = give(give(Visit(PAGE), FILE), npz(attention=WEIGHTS[:2]))
    assert visit.stage["turns"] == [0, 0]


def test_nothing_of_a_file_is_kept_beyond_its_session():
    """Caches that all readers share hold the figures of lessons, and none of a file."""
    file = lesson.open_file("a.npz", FILE, LIMIT)
    state = state_of(file)
    assert len(lesson.LESSON.view(state).arrays["packed"].data) > 0
    kept = weakref.ref(file)
    del file, state
    gc.collect()
    assert kept() is None


def test_reset_begins_the_figure_again_and_keeps_the_file():
    visit = give(Visit(PAGE), FILE)
    file = file_of(visit)
    visit.drag(head=5).press("reset")
    assert visit.at.session_state["pages"]["own_attention"].state.link == {"file": file.id}
    assert file_of(visit) is file


def test_a_server_that_takes_no_files_says_what_to_do():
    before = config.get_option("server.maxUploadSize")
    config.set_option("server.maxUploadSize", 0)
    try:
        visit = Visit(PAGE)
    finally:
        config.set_option("server.maxUploadSize", before)
    assert not visit.at.file_uploader
    assert "python3 lab.py show" in visit.text


def test_the_programs_on_the_page_make_files_that_it_opens(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with torch.no_grad():
        exec(lesson.program("code"), saved_model(tmp_path))
    file = lesson.open_file("a.npz", (tmp_path / "attention.npz").read_bytes(), 10 * LIMIT)
    assert file.view.patterns[0].known["queries"][:5] == ["T", "h", "e", "␣", "a"]
    exec(lesson.program("numpy"), {"weights": WEIGHTS, "tokens": TOKENS})
    file = lesson.open_file("a.npz", (tmp_path / "attention.npz").read_bytes(), 10 * LIMIT)
    assert file.view.patterns[0].known["queries"][0] == "The"


def test_the_table_is_what_view_measures_gives():
    file = lesson.open_file("a.npz", FILE, LIMIT)
    tables = lesson.tables(state_of(file))
    measures = attention_lab.show(WEIGHTS, TOKENS).measures()
    assert tables["the text"]["previous token"].tolist() == pytest.approx(measures["previous"].tolist())
