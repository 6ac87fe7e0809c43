"""A real model: its figures are those of the gallery, recomputed here another way; without one a sentence."""

import gc
import json
import weakref

import numpy as np
import pandas as pd
import pytest

from attention_core import load_gallery, read_model
from attention_lab import own_model
from attention_lab.calculation.caches import SingleFlightCache
from attention_lab.lessons import real_model
from attention_lab.lessons.real_model import galleries
from attention_lab.lessons.real_model.fields import GOAL_NAMES
from attention_lab.state import permalink
from tests.core.test_pretrained import bert_folder, gpt2_folder
from tests.visit import LESSONS, NAMES, Visit, payloads
from tools.training.gallery import shipped_folder

PATH = LESSONS[NAMES.index("real_model")]


def part(visit, kind):
    return next(part for part in visit.parts if part["kind"] == kind)


def spearman(a, b):
    return pd.Series(a).rank().corr(pd.Series(b).rank())


def test_every_weight_shown_is_the_gallerys():
    for name, head in (("bank_money", "1.3"), ("it_wide", "4.2"), ("dog_bites", "6.12")):
        visit = Visit(PATH, text=name, head=head)
        layer, number = (int(each) - 1 for each in head.split("."))
        run = load_gallery().runs[name]
        np.testing.assert_allclose(visit.scope["pattern"], run.weights[layer, number], atol=1e-6)
        assert tuple(visit.stage["constants"]["sentence"]) == run.tokens


def test_a_raised_score_takes_from_all_others_of_its_row_alone():
    visit = Visit(PATH)
    before = np.array(visit.scope["pattern"])
    word, other = visit.stage["pose"]["word"], visit.stage["pose"]["other"]
    visit.drag(raised=2.0)
    after = np.array(visit.scope["pattern"])
    expected = before[word].copy()
    expected[other] *= np.exp(2)
    np.testing.assert_allclose(after[word], expected / expected.sum())
    np.testing.assert_allclose(np.delete(after, word, axis=0), np.delete(before, word, axis=0))
    assert "yours" in visit.badges


def test_what_heads_do_is_measured_over_all_sentences():
    """Counted token by token, in plain loops."""
    gallery = galleries.measured_gallery(galleries.SHIPPED)
    for head in (2, 20, 53):
        found = {kind: [] for kind in galleries.KINDS}
        for run in load_gallery().runs.values():
            weights = run.weights.reshape(-1, len(run.tokens), len(run.tokens))[head]
            for i in range(len(run.tokens)):
                found["first"].append(weights[i, 0])
                found["last"].append(weights[i, -1])
                found["itself"].append(weights[i, i])
                if i > 0:
                    found["previous"].append(weights[i, i - 1])
                if i + 1 < len(run.tokens):
                    found["next"].append(weights[i, i + 1])
        np.testing.assert_allclose(
            gallery.does[head], [np.mean(found[kind]) for kind in galleries.KINDS], rtol=1e-6
        )


def test_what_is_said_of_it_is_counted():
    said = part(Visit(PATH), "where_it_looks")["texts"]["says"]
    moves, leads = np.zeros((2, 72)), np.zeros(72, dtype=int)
    for name, run in load_gallery().runs.items():
        if not name.startswith("it_"):
            continue
        right, other = {
            "it_tired": ("animal", "street"),
            "it_wide": ("street", "animal"),
            "it_big": ("trophy", "box"),
            "it_small": ("box", "trophy"),
        }[name]
        exponentials = np.exp(run.scaled_scores[:, :, run.tokens.index("it")].astype(float)).reshape(72, -1)
        weights = exponentials / exponentials.sum(axis=1, keepdims=True)
        ahead = weights[:, run.tokens.index(right)] - weights[:, run.tokens.index(other)]
        moves[int(name in ("it_big", "it_small"))] += ahead
        leads += ahead > 0
    both = int((moves > 0).all(axis=0).sum())
    assert (moves[0] > 0).sum() == 41
    assert f"it does in {(moves[0] > 0).sum()} of 72 heads" in said
    assert f"in the other two in {(moves[1] > 0).sum()}, and in both pairs in {both}." in said
    assert f"leads in all 4 sentences: {(leads == 4).sum()}." in said
    assert said.endswith("does not tell you what “it” refers to.")


def test_weight_against_deletion_as_pandas_ranks_them():
    visit = Visit(PATH)
    told = part(visit, "against_deletion")
    runs = load_gallery().runs.values()
    ranks = [spearman(run.weights.mean(axis=(0, 1, 2))[1:-1], run.deletion) for run in runs]
    says = told["texts"]["says"]
    assert f"{np.mean(ranks):.2f} on average over 12 sentences, from {min(ranks):.2f} to {max(ranks):.2f}" in says
    assert f"{ranks[0]:.2f} here (n = {len(told['deletion'])} tokens)" in says
    assert "moves every later token" in says
    assert "12 sentences of 5 to 14 tokens" in told["texts"]["head"]
    of_head = [spearman(run.weights[3, 1].mean(axis=0)[1:-1], run.deletion) for run in runs]
    assert told["of_heads"][3 * 12 + 1] == pytest.approx(np.nanmean(of_head), abs=1e-5)


def test_attention_sinks_are_counted_and_their_values_are_short():
    runs = load_gallery().runs.values()
    to_first = np.mean([run.weights[..., 0].mean(axis=-1) for run in runs], axis=0)
    ratios = np.mean([run.value_lengths[..., 0] / run.value_lengths[..., 1:-1].mean(-1) for run in runs], axis=0)
    of_sinks = ratios[to_first > 0.5]
    said = [part["text"] for part in Visit(PATH).parts if part["kind"] == "remark"]
    sinks = next(text for text in map(str, said) if "attention sinks" in text)
    assert f"In {len(of_sinks)} of 72 heads" in sinks
    assert f"{100 * of_sinks.min():.0f} to {100 * of_sinks.max():.0f}%" in sinks
    assert of_sinks.max() < 0.2


def test_the_first_screen_has_one_sentence_and_all_heads_and_goals_open_the_rest():
    visit = Visit(PATH)
    columns = visit.stage["columns"][1:]
    kinds = [[part["kind"] for part in column["parts"]] for column in columns]
    assert kinds == [["rebuild_on", "remark"], ["head_grid", "remark"], ["beside"] * 4]
    folds = columns[-1]["parts"]
    names = GOAL_NAMES
    assert [[names[place] for place in fold["goals"]] for fold in folds] == [["half"], ["together"], ["noun"], []]
    assert not any(fold.get("opened") for fold in folds)


def test_the_first_ring_is_on_a_head_that_parks_its_attention_on_the_special_token():
    head = Visit(PATH).stage["first"].removeprefix("head ")
    told = part(Visit(PATH), "head_grid")
    found = next(each for each in told["heads"] if each["name"] == head)
    assert found["kind"] == "sink"
    assert found["share"] >= 0.8
    for each in told["heads"]:
        assert (each["kind"] == "sink") == (each["kind"] in ("sink", "first") and each["share"] > 0.5)


def test_the_lengths_of_values_are_the_models_own(given_folder):
    run = read_model(given_folder).run("the dog bites the man")
    lengths = np.linalg.norm([trace.value for trace in run.layers], axis=-1)
    np.testing.assert_allclose(load_gallery().runs["dog_bites"].value_lengths, lengths, rtol=2e-3, atol=1e-3)


def test_the_cosine_of_unrelated_words_stands_beside_those_of_senses():
    runs = list(load_gallery().runs.values())
    words = [(w, k, r.states[-1, i]) for k, r in enumerate(runs) for i, w in enumerate(r.tokens) if w[0] != "["]
    cosines = [
        u @ v / np.linalg.norm(u) / np.linalg.norm(v)
        for a, k, u in words
        for b, other, v in words
        if a != b and k != other
    ]
    said = str([part["text"] for part in Visit(PATH).parts if part["kind"] == "remark"])
    assert f"and {np.mean(cosines):.2f} after layer 6" in said


def test_the_plane_shows_the_spread_that_it_says_and_the_word_that_hardly_parts_is_named():
    visit = Visit(PATH)
    plane = part(visit, "plane")
    for place, (word, senses) in enumerate(load_gallery().senses.items()):
        last = senses.vectors[:, -1].astype(float)
        last -= last.mean(axis=0)
        variances = np.sort(np.linalg.eigvalsh(last @ last.T))[::-1]
        assert f"{word} {100 * variances[:2].sum() / variances.sum():.0f}%" in plane["caption"]
        drawn = np.array(visit.stage["constants"]["sense_places"])[place, -1]
        assert (drawn**2).sum() == pytest.approx(variances[:2].sum(), rel=1e-4)
    says = next(p for p in visit.parts if p["kind"] == "options")["descriptions"]
    assert [sentence.startswith("These senses hardly separate") for sentence in says] == [False, False, True]


def test_the_page_names_its_model_licence_source_and_weights():
    text, record = Visit(PATH).text, load_gallery().record
    for name in ("model", "licence", "source", "sha256"):
        assert record[name] in text


def test_most_attention_goes_to_the_mark_and_so_the_guess_is_told():
    visit = Visit(PATH, predict="1")
    next(button for button in visit.at.button if button.label.endswith("bank")).click()
    assert r"CLS" in visit.run().text.split("You predicted")[1][:80]


def test_an_address_for_another_model_says_so():
    assert "version" in Visit(PATH, version="0123456789abcdef").at.warning[0].value


@pytest.mark.parametrize("damage", ["missing", "cut"])
def test_without_its_gallery_the_page_says_why_in_a_sentence(damage, tmp_path, monkeypatch):
    from attention_core.models import weights

    if damage == "cut":
        whole = (weights.FOLDER / "gallery.npz").read_bytes()
        (tmp_path / "gallery.npz").write_bytes(whole[: len(whole) // 2])
    load = weights.load
    monkeypatch.setattr(weights, "load", lambda name, known: load(name, known, tmp_path))
    for kept in (galleries.fault, galleries.load_gallery):
        kept.cache_clear()
    try:
        visit = Visit(PATH)
        assert "gallery.npz cannot be read" in visit.at.error[0].value
        assert not [text for text in payloads(visit.at) if '"calculation"' in text]
        assert "Traceback" not in json.dumps([error.value for error in visit.at.error])
    finally:
        for kept in (galleries.fault, galleries.load_gallery):
            kept.cache_clear()


# A model that the server was given ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def given_folder():
    return shipped_folder()


@pytest.fixture
def live(monkeypatch, given_folder):
    monkeypatch.setenv(own_model.VARIABLE, str(given_folder))


def write(visit, text):
    visit.at.text_input(key="real_model.written_line").set_value(text)
    return visit.run()


def test_a_sentence_of_ones_own_is_read_by_the_model_that_was_given(live):
    visit = write(Visit(PATH, head="4.2"), "The 🍎 naïve mole dug.")
    run = own_model.read().model.run("The 🍎 naïve mole dug.")
    assert tuple(visit.stage["constants"]["sentence"]) == run.tokens
    np.testing.assert_allclose(visit.scope["unraised"], run.layers[0].weights[0], atol=1e-6)
    assert np.ravel(visit.link["written"]) == [permalink.escape("The 🍎 naïve mole dug.")]
    assert run.tokens == tuple(Visit(PATH, **visit.link).stage["constants"]["sentence"])


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


def test_the_given_models_gallery_agrees_with_the_shipped_one(live):
    shipped, own = galleries.measured_gallery(galleries.SHIPPED), galleries.measured_gallery("live")
    np.testing.assert_allclose(own.does, shipped.does, atol=1e-3)
    np.testing.assert_allclose(own.it, shipped.it, atol=5e-3)
    np.testing.assert_allclose(own.cosines, shipped.cosines, atol=1e-3)
    assert own.agreement[0] == pytest.approx(shipped.agreement[0], abs=0.05)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "at least one word"),
        ("\x00\x07", "at least one word"),
        ("word " * 2000, "too long"),
        ("word " * 70, "72 tokens"),
        ("\ud800", "can’t be encoded"),
        ("🍎 " * 62, None),
        ("يأكل التفاح في الحديقة", None),
        ("苹果 掉下来 了", None),
    ],
    ids=["empty", "control", "very long", "long", "half a sign", "emoji", "arabic", "chinese"],
)
def test_any_text_is_read_or_refused_in_one_sentence(live, text, said):
    visit = Visit(PATH)
    before = visit.stage["constants"]["sentence"]
    if said is None:
        tokens = own_model.read().model.run(text).tokens
        assert tuple(write(visit, text).stage["constants"]["sentence"]) == tokens
        return
    with pytest.raises(permalink.RefusedError, match=said):
        real_model.write_own(None, text)
    if text.isprintable() and text:
        write(visit, text)
        assert said in visit.at.error[0].value
        assert visit.at.text_input(key="real_model.written_line").value == text, "nothing typed is lost"
        assert visit.stage["constants"]["sentence"] == before


@pytest.mark.parametrize("make", [bert_folder, gpt2_folder])
def test_a_model_of_another_kind_and_vocabulary_is_shown_as_far_as_it_goes(monkeypatch, tmp_path, make):
    """Its words are in pieces or unknown, and its sentences as many as it can read."""
    monkeypatch.setenv(own_model.VARIABLE, str(make(tmp_path / "model")))
    visit = write(Visit(PATH), "a b c")
    run = own_model.read().model.run("a b c")
    assert tuple(visit.stage["constants"]["sentence"]) == run.tokens
    np.testing.assert_allclose(visit.scope["unraised"], run.layers[0].weights[0], atol=1e-6)
    assert not visit.at.error
    assert visit.tables


@pytest.mark.parametrize("damage", ["no folder", "cut"])
def test_a_folder_that_is_no_model_leaves_the_gallery_and_says_why(
    monkeypatch, tmp_path, given_folder, damage, capsys
):
    folder = tmp_path / damage
    if damage == "cut":
        folder.mkdir()
        for name in ("config.json", "vocab.txt"):
            (folder / name).write_bytes((given_folder / name).read_bytes())
        (folder / "model.safetensors").write_bytes((given_folder / "model.safetensors").read_bytes()[:5000])
    monkeypatch.setenv(own_model.VARIABLE, str(folder))
    visit = Visit(PATH)
    assert "The model on this server cannot be used" in visit.text
    assert visit.stage["constants"]["layers"] == 6
    own_model.announce()
    assert "The app runs without your model" in capsys.readouterr().err


def test_without_a_folder_the_page_says_how_to_get_one_and_an_address_with_a_text_what_is_missing():
    assert "lab.py open --model FOLDER" in Visit(PATH).text
    assert "no model that can read your own text" in Visit(PATH, written="hello").at.warning[0].value
