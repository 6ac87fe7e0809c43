"""A real model: its figures are those of the gallery, computed here another way; a given model; bad folders."""

import gc
import weakref
from functools import partial

import numpy as np
import pandas as pd
import pytest

from attention_core import load_gallery, read_model
from attention_lab import own_model
from attention_lab.calculation.caches import SingleFlightCache
from attention_lab.lessons import real_model
from attention_lab.lessons.real_model import galleries
from attention_lab.state import permalink
from attention_lab.text.number_format import format_share
from tests.core.test_pretrained import bert_folder, gpt2_folder
from tests.visit import PATHS, LessonView, Visit, payloads, words_of
from tools.training.gallery import shipped_folder

PATH = PATHS["real_model"]
view_of = partial(LessonView, PATH)
RUNS = load_gallery().runs


def remarks(view):
    return [str(part["text"]) for part in view.parts if part["kind"] == "remark"]


def spearman(a, b):
    return pd.Series(a).rank().corr(pd.Series(b).rank())


# The gallery -------------------------------------------------------------------------------------------


def test_weights_shown_are_the_gallerys():
    for name, layer, head in (("bank_money", 1, 3), ("it_wide", 4, 2), ("dog_bites", 6, 12)):
        view = view_of(text=name, head=f"{layer}.{head}")
        np.testing.assert_allclose(view.scope["pattern"], RUNS[name].weights[layer - 1, head - 1], atol=1e-6)
        assert tuple(view.stage["constants"]["sentence"]) == RUNS[name].tokens


def test_raised_score_takes_from_all_others_of_its_row_only():
    view = view_of()
    before, pose = np.array(view.scope["pattern"]), view.stage["pose"]
    word, other = pose["word"], pose["other"]
    after = np.array(view.drag(raised=2.0).scope["pattern"])
    expected = before[word].copy()
    expected[other] *= np.exp(2)
    np.testing.assert_allclose(after[word], expected / expected.sum())
    np.testing.assert_allclose(np.delete(after, word, axis=0), np.delete(before, word, axis=0))
    assert "yours" in view.stage["provenance"].values()


def test_weights_of_each_kind_are_means_over_all_sentences():
    """Counted token by token, in plain loops."""
    gallery = galleries.measured_gallery(galleries.SHIPPED)
    for head in (2, 20, 53):
        found = {kind: [] for kind in galleries.KINDS}
        for run in RUNS.values():
            pattern = run.weights.reshape(-1, len(run.tokens), len(run.tokens))[head]
            for i in range(len(run.tokens)):
                found["first"].append(pattern[i, 0])
                found["last"].append(pattern[i, -1])
                found["itself"].append(pattern[i, i])
                if i > 0:
                    found["previous"].append(pattern[i, i - 1])
                if i + 1 < len(run.tokens):
                    found["next"].append(pattern[i, i + 1])
        means = [np.mean(found[kind]) for kind in galleries.KINDS]
        np.testing.assert_allclose(gallery.does[head], means, rtol=1e-6)


def test_figures_on_what_it_attends_to_are_counted():
    text = view_of().first("where_it_looks")["texts"]["says"]
    moves, leads = np.zeros((2, 72)), np.zeros((2, 72), dtype=int)
    for name, right, other in (
        ("it_tired", "animal", "street"),
        ("it_wide", "street", "animal"),
        ("it_big", "trophy", "box"),
        ("it_small", "box", "trophy"),
    ):
        run = RUNS[name]
        exponentials = np.exp(run.scaled_scores[:, :, run.tokens.index("it")].astype(float)).reshape(72, -1)
        rows = exponentials / exponentials.sum(axis=1, keepdims=True)
        ahead = rows[:, run.tokens.index(right)] - rows[:, run.tokens.index(other)]
        moves[int(name in ("it_big", "it_small"))] += ahead
        leads[int(name in ("it_big", "it_small"))] += ahead > 0
    first, second = (moves > 0).sum(axis=1)
    both = int((moves > 0).all(axis=0).sum())
    assert first == 41
    assert both == 24  # of chance 18, with a standard deviation of 3.7: "little better than chance"
    assert f"that happens in {first} of 72 heads; in the second pair, in {second}." in text
    assert f"In {both} heads, it happens in both pairs." in text
    right, same = (leads == 2).all(axis=0).sum(), (leads == 1).all(axis=0).sum()
    assert f"In {right} of 72 heads, it does in all 4 sentences. In {same} heads, the same noun" in text
    assert text.endswith("does not tell you what “it” refers to.")


def test_correlations_of_weight_and_deletion_are_those_of_pandas():
    part, runs = view_of().first("against_deletion"), RUNS.values()
    ranks = [spearman(run.weights.mean(axis=(0, 1, 2))[1:-1], run.deletion) for run in runs]
    says = part["texts"]["says"]
    mean, least, most = np.mean(ranks), min(ranks), max(ranks)
    assert f"Over 12 sentences, it is {mean:.2f} on average, from {least:.2f} to {most:.2f}" in says
    assert f"In this sentence (n = {len(part['deletion'])} tokens), " in says
    assert f"the rank correlation of weight and effect is {ranks[0]:.2f}." in says
    assert "moves every later token" in says
    assert "12 sentences of 5 to 14 tokens" in part["texts"]["head"]
    of_head = [spearman(run.weights[3, 1].mean(axis=0)[1:-1], run.deletion) for run in runs]
    assert part["of_heads"][3 * 12 + 1] == pytest.approx(np.nanmean(of_head), abs=1e-5)


def test_attention_sinks_are_counted_and_their_values_are_short():
    runs = RUNS.values()
    to_first = np.mean([run.weights[..., 0].mean(axis=-1) for run in runs], axis=0)
    ratios = np.mean([run.value_lengths[..., 0] / run.value_lengths[..., 1:-1].mean(-1) for run in runs], axis=0)
    of_sinks = ratios[to_first > 0.5]
    text = next(text for text in remarks(view_of()) if "an attention sink" in text)
    assert f"In {len(of_sinks)} of 72 heads" in text
    assert f"{100 * of_sinks.min():.0f} to {100 * of_sinks.max():.0f}%" in text
    assert of_sinks.max() < 0.2


def test_cosine_of_unrelated_words_stands_beside_those_of_senses():
    words = [
        (word, k, run.states[-1, i])
        for k, run in enumerate(RUNS.values())
        for i, word in enumerate(run.tokens)
        if word[0] != "["
    ]
    cosines = [
        u @ v / np.linalg.norm(u) / np.linalg.norm(v)
        for a, k, u in words
        for b, other, v in words
        if a != b and k != other
    ]
    assert f"and {np.mean(cosines):.2f} after layer 6" in str(remarks(view_of()))


def test_plane_shows_the_stated_variance_and_names_the_word_whose_senses_hardly_separate():
    view = view_of()
    plane = view.first("plane")
    for place, (word, senses) in enumerate(load_gallery().senses.items()):
        last = senses.vectors[:, -1].astype(float)
        last -= last.mean(axis=0)
        variances = np.sort(np.linalg.eigvalsh(last @ last.T))[::-1]
        assert f"{word} {100 * variances[:2].sum() / variances.sum():.0f}%" in plane["caption"]
        drawn = np.array(view.stage["constants"]["sense_places"])[place, -1]
        assert (drawn**2).sum() == pytest.approx(variances[:2].sum(), rel=1e-4)
    says = view.first("options")["descriptions"]
    assert [sentence.startswith("These senses hardly separate") for sentence in says] == [False, False, True]


# The page ----------------------------------------------------------------------------------------------


def test_first_ring_is_on_an_attention_sink():
    view = view_of()
    grid = {each["name"]: each for each in view.first("head_grid")["heads"]}
    first = grid[view.stage["first"].removeprefix("head ")]
    assert first["kind"] == "sink"
    assert first["share"] >= 0.8
    for each in grid.values():
        assert (each["kind"] == "sink") == (each["kind"] in ("sink", "first") and each["share"] > 0.5)


def test_the_token_is_not_named_before_it_is_predicted():
    texts = [remarks(view_of(**predict)) for predict in ({"predict": "1"}, {})]
    assert [any("an attention sink" in text for text in each) for each in texts] == [False, True]
    assert not any("[CLS]" in words_of("en", "real_model")[section] for section in ("promise", "first"))


def test_prediction_is_about_the_special_token():
    visit = Visit(PATH, predict="1")
    next(button for button in visit.at.button if button.label.endswith("bank")).click()
    verdict = visit.run().text.split("You predicted")[1]
    assert r"CLS" in verdict[:80]
    (run,) = (run for run in RUNS.values() if "cheque" in run.text)
    received = run.weights[..., 0].mean()  # of each query's weights, in all heads
    assert f"It gets {format_share(float(received))} of all attention." in verdict


def test_page_names_its_model_licence_source_and_weights():
    text, record = Visit(PATH).text, load_gallery().record
    for name in ("model", "licence", "source", "sha256"):
        assert record[name] in text
    assert "lab.py model smollm2" in text
    assert "version" in view_of(version="0123456789abcdef").notices[0]
    assert "no model that can read your own text" in view_of(written="hello").notices[0]


# A model that the server was given ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def given_folder():
    return shipped_folder()


@pytest.fixture
def live(monkeypatch):
    monkeypatch.setenv(own_model.VARIABLE, "minilm")


def write(visit, text):
    return visit.fill("text_input", "written_line", text)


def test_lengths_of_values_are_the_models_own(given_folder):
    run = read_model(given_folder).run("the dog bites the man")
    lengths = np.linalg.norm([trace.value for trace in run.layers], axis=-1)
    np.testing.assert_allclose(RUNS["dog_bites"].value_lengths, lengths, rtol=2e-3, atol=1e-3)


def test_own_sentence_is_read_by_the_given_model_or_refused_and_kept(live):
    visit, text = Visit(PATH, head="4.2"), "The 🍎 naïve mole dug. يأكل التفاح 苹果 掉"
    write(visit, text)
    run = own_model.read().model.run(text)
    assert tuple(visit.stage["constants"]["sentence"]) == run.tokens
    np.testing.assert_allclose(visit.scope["unraised"], run.layers[0].weights[0], atol=1e-6)
    assert visit.link["written"] == permalink.escape(text)
    assert run.tokens == tuple(view_of(**visit.link).stage["constants"]["sentence"])
    for refused, said in (
        ("", "at least one word"),
        ("\x00\x07", "at least one word"),
        ("word " * 2000, "too long"),
        ("word " * 70, "72 tokens"),
        ("\ud800", "can’t be encoded"),
    ):
        with pytest.raises(permalink.RefusedError, match=said):
            real_model.write_own(None, refused)
        if refused.startswith("word"):
            assert said in write(visit, refused).at.error[0].value
            assert visit.at.text_input(key="real_model.written_line").value == refused, "nothing typed is lost"
            assert tuple(visit.stage["constants"]["sentence"]) == run.tokens


def test_texts_of_readers_are_kept_within_bounds(monkeypatch, tmp_path):
    """Nothing on the page holds a text longer than the cache does."""
    monkeypatch.setenv(own_model.VARIABLE, str(bert_folder(tmp_path / "model")))
    cache = SingleFlightCache(2, 10**6)
    monkeypatch.setattr(real_model.live, "SENTENCES", cache)
    texts, read = ["a", "b", "c a", "a b c", "b b", "c"], []
    for text in texts:
        write(Visit(PATH), text)
        read.append(weakref.ref(real_model.live.sentence(text)))
        assert len(cache) <= 2
        assert cache.nbytes >= read[-1]().run.weights.nbytes + len(read[-1]().packed.data)
    gc.collect()
    assert [each() is not None for each in read] == [False] * 4 + [True] * 2


def test_model_of_another_kind_and_vocabulary_is_shown_as_far_as_it_goes(monkeypatch, tmp_path):
    """Its words are in pieces or unknown, and its sentences as many as it can read."""
    for make, tokens in (
        (bert_folder, ["[CLS]", "[UNK]", "[UNK]", "[UNK]", "[SEP]"]),
        (gpt2_folder, ["a", "␣ space", "b", "⇥ tab", "c", r"\xf0", r"\x9f", r"\x8d", r"\x8e"]),
    ):
        monkeypatch.setenv(own_model.VARIABLE, str(make(tmp_path / make.__name__)))
        visit = write(Visit(PATH), "a b\tc🍎")
        run = own_model.read().model.run("a b\tc🍎")
        assert visit.stage["constants"]["sentence"] == tokens
        np.testing.assert_allclose(visit.scope["unraised"], run.layers[0].weights[0], atol=1e-6)
        told = visit.text + str(payloads(visit.at))
        assert ("[CLS]" in told, "one vector" in told) == (make is bert_folder,) * 2
        assert not visit.at.error
        assert visit.tables


def test_terminal_names_the_model_that_is_used(live, capsys):
    own_model.announce()
    assert "all-MiniLM-L6-v2" in capsys.readouterr().err


def test_folder_that_is_no_model_leaves_the_gallery_and_says_why(monkeypatch, tmp_path, given_folder, capsys):
    cut = tmp_path / "cut"
    cut.mkdir()
    for name in ("config.json", "vocab.txt"):
        (cut / name).write_bytes((given_folder / name).read_bytes())
    (cut / "model.safetensors").write_bytes((given_folder / "model.safetensors").read_bytes()[:5000])
    for folder in (tmp_path / "no folder", cut):
        monkeypatch.setenv(own_model.VARIABLE, str(folder))
        visit = Visit(PATH)
        assert "The model on this server cannot be used" in visit.text
        assert visit.stage["constants"]["layers"] == 6
        own_model.announce()
        assert "The app runs without your model" in capsys.readouterr().err
