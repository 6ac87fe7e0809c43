"""The scale page: published sizes and their counts, the reader's own sizes, goals, folds, programs."""

import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import attention_core
from attention_core import SHAPES, TransformerShape, count_parameters, pattern_bytes, vocabulary_for
from attention_lab import export
from attention_lab.lessons.scale.sizes import GOALS, MODELS, shape_of
from attention_lab.state import permalink
from tests.pages.test_every_page import execute
from tests.visit import PATHS, LessonView, Visit

PATH = PATHS["scale"]
SHOWN = {model: SHAPES[model] for model in MODELS if model in SHAPES}
TOTALS = {model: count_parameters(shape).total for model, shape in SHOWN.items()}
SIZES = ("d_model", "d_k", "num_heads", "num_kv_heads", "num_layers", "decoder_layers", "d_ff", "vocabulary")


def start(model, **address):
    return LessonView(PATH, model=permalink.escape(model), **{name: str(n) for name, n in address.items()})


def test_published_models_are_counted_as_the_core_counts_them():
    text = Visit(PATH).text
    for model in SHOWN:
        view = start(model)
        assert not view.notices
        assert view.badges == {"published"}
        assert view.scope["count"] == count_parameters(SHAPES[model])
        context = view.values["context"]
        assert view.scope["shape"] == TransformerShape(**{**vars(SHAPES[model]), "context": context})
        assert f"{TOTALS[model]:,}" in text
        assert view.reached == []


def test_table_shows_each_published_total_with_the_count_and_the_gap():
    text = Visit(PATH).text.replace("\u00a0", " ")
    rows = re.findall(r"^(.*): ([\d,]+ [mb]illion) \| ([\d,]+) \| ([+−]\d+\.\d\d%)$", text, re.MULTILINE)
    assert [(published, gap) for _, published, _, gap in rows] == [
        ("65 million", "−3.01%"),
        ("213 million", "+0.55%"),
        ("124 million", "+0.35%"),
        ("355 million", "−0.05%"),
        ("774 million", "+0.00%"),
        ("1,558 million", "−0.02%"),
        ("175 billion", "−0.23%"),
        ("7 billion", "−3.74%"),
        ("8 billion", "+0.38%"),
        ("135 million", "−0.36%"),
    ]
    assert [int(n.replace(",", "")) for _, _, n, _ in rows] == list(TOTALS.values())


def test_vocabularies_that_would_give_the_totals_of_2017_differ():
    notes = [published["note"] for published in LessonView(PATH).first("account")["published"][:2]]
    for model, total, note in zip(list(SHAPES)[:2], (65e6, 213e6), notes, strict=True):
        assert f"about {round(vocabulary_for(SHAPES[model], int(total))):,}" in note


# The reader's own sizes --------------------------------------------------------------------------------


def test_derived_sizes_follow_until_they_are_set():
    view = start("gpt2", d_model=1000)
    assert (view.scope["shape"].d_ff, view.scope["shape"].num_kv_heads) == (4000, 12)
    assert view.drag(num_heads=20).scope["shape"].num_kv_heads == 20
    shape = view.drag(d_ff=3072, num_kv_heads=5).drag(d_model=500).scope["shape"]
    assert (shape.d_ff, shape.num_kv_heads) == (3072, 5)
    assert view.badges == {"yours"}
    assert LessonView(PATH, **view.link).scope["count"] == view.scope["count"]


def test_another_model_brings_its_own_sizes():
    view = start("gpt2", d_k=7)
    published = view.stage["constants"]["models"][4]["sizes"][0]
    view.drag(model=4, **dict(zip((*SIZES, "context"), published, strict=True)))
    assert view.link == {"model": permalink.escape("gpt2-large")}
    assert view.badges == {"published"}


def test_sizes_that_do_not_divide_are_allowed_and_noted():
    for d_k, groups, notes in ((128, 0, 0), (100, 0, 1), (128, 7, 1), (100, 7, 2), (128, 8, 0)):
        view = LessonView(PATH, d_k=str(d_k), num_kv_heads=str(groups))
        shown = [note for note in view.first("account")["notes"] if view.scope[note["when"]]]
        assert len(shown) == notes, (d_k, groups)
        assert view.scope["shape"].num_kv_heads == (8 if groups == 8 else 96)


def test_sizes_of_a_million_millions_are_counted_exactly():
    huge = {name: str(10**12) for name in (*SIZES, "context")}
    visit = Visit(PATH, **huge).unfold("work_and_memory", "steps_between")
    shape, counted = visit.scope["shape"], visit.scope["count"]
    assert counted == count_parameters(shape)
    assert counted.attention_total == 3 * 4 * 10**48
    assert visit.scope["cells"] == 10**24
    assert visit.tables["parameters"].loc["total", "parameters"] == counted.total
    visit.open_drawer("table")
    assert "nan" not in visit.text.lower()
    assert len(visit.charts) == 3
    assert visit.stage["pose"]["d_model"] == 10**12
    assert all(isinstance(n, int) for n in visit.stage["pose"].values())


def test_whatever_the_browser_sends_is_counted_or_ignored():
    view = LessonView(PATH)
    sizes = st.integers(1, 10**12)
    sent = sizes | st.sampled_from([0, -1, 1.5, 1e300, True, None, "7", [[1.0]], float("nan")])

    @settings(max_examples=60, suppress_health_check=list(HealthCheck))
    @given(st.dictionaries(st.sampled_from((*SIZES, "context", "model", "goal")), sent, max_size=5))
    def anything(moved):
        scope = view.drag(**moved).scope
        assert scope["count"] == count_parameters(scope["shape"])
        assert all(isinstance(view.values[name], int) for name in (*SIZES, "context"))

    anything()


# Goals and folds ---------------------------------------------------------------------------------------


def test_goals_count_what_they_ask_for_only():
    for moved, reached in (
        ({"context": 20_480}, ["longer_text"]),
        ({"num_heads": 48, "d_k": 256}, ["same_parameters"]),
        ({"d_k": 512}, ["attention_majority"]),
    ):
        assert LessonView(PATH).drag(**moved).reached == reached
    for more in ({}, {"d_k": 256, "num_layers": 95}, {"d_model": 24_576}):
        assert "same_parameters" not in LessonView(PATH).drag(num_heads=48, **more).reached
    assert start("gpt2", context=10_240, d_k=65).reached == []


@pytest.mark.parametrize(
    ("model", "sizes", "case"),
    [
        ("gpt3", {"num_heads": 48, "d_k": 256}, ""),
        ("llama3-8b", {"num_heads": 24, "d_k": 160}, "/shared"),
        ("llama3-8b", {"num_heads": 8, "d_k": 320}, "/shared"),
        ("smollm2-135m", {"num_heads": 3, "d_k": 128}, "/shared"),
        ("llama3-8b", {"num_heads": 20, "d_k": 128}, "/separate"),
        ("smollm2-135m", {"num_heads": 8, "d_k": 48}, "/separate"),
    ],
)
def test_attention_of_the_same_size_is_explained_by_a_true_product(model, sizes, case):
    view = start(model).drag(**sizes)
    assert view.reached == ["same_parameters"]
    goal, now = GOALS[1], view.lesson.calculate(view.state)
    assert goal.why(now) == f"why/same_parameters{case}"
    names = {name: str(now[value[0]]) for name, value in goal.names.items() if isinstance(value, tuple)}
    said, published = view.state.text.plain(goal.why(now), **names), SHAPES[model]
    heads, kv_heads, d_k = re.search(r"before: \(?(\d+)(?: \+ (\d+)\))? × (\d+)", said).groups()
    all_heads = int(heads) + int(kv_heads or heads)
    assert all_heads * int(d_k) == (published.num_heads + published.num_kv_heads) * published.d_k, said
    if case == "/separate":
        groups, among = map(int, re.match(r"(\d+) KV heads do not divide (\d+) heads", said).groups())
        assert groups == published.num_kv_heads
        assert among % groups


@pytest.mark.parametrize("model", MODELS)
def test_the_hint_on_attention_of_the_same_size_leads_there(model):
    view = start(model)
    hint = "".join(map(str, view.goals["same_parameters"]["hint"]))
    heads, d_k = re.search(r"(\d+) heads with d_k = (\d+)", hint).groups()
    assert view.drag(num_heads=int(heads), d_k=int(d_k)).reached == ["same_parameters"]


def test_fewer_decoder_layers_do_not_count_as_the_same_attention():
    view = start("transformer-base")
    assert view.drag(num_heads=24, decoder_layers=0).scope["attention_kept"] == 1
    assert view.reached == []


def test_an_old_link_to_the_cache_opens_with_one_notice_and_its_sizes():
    view = LessonView(PATH, goal="small_5f_cache", num_kv_heads="12")
    assert len(view.notices) == 1
    assert view.scope["shape"].num_kv_heads == 12
    assert view.state.goal == "longer_text"


def test_a_gate_is_a_third_matrix_of_the_layer():
    for model, matrices in (("gpt2", 2), ("llama2-7b", 3)):
        view = start(model)
        size = SHAPES[model].d_model * SHAPES[model].d_ff * SHAPES[model].num_layers
        assert view.scope["shape"].feed_forward_matrices == matrices
        assert view.scope["count"].feed_forward_total == matrices * size


def test_link_with_sizes_opens_their_fold():
    for address, opened_too in (({"d_k": "64"}, True), ({"model": "gpt2"}, True), ({"context": "4096"}, False)):
        assert bool(LessonView(PATH, **address).first("beside").get("opened")) == opened_too


# Folds and programs ------------------------------------------------------------------------------------


def test_work_and_memory_grow_as_they_should():
    visit = Visit(PATH)
    assert not visit.charts, "nothing is computed in a closed fold"
    visit.unfold("work_and_memory")
    for (_, rows), slopes in zip(visit.charts, ([1, 2], [2, 2]), strict=True):
        for (_, line), slope in zip(rows.groupby("line", sort=False), slopes, strict=True):
            at = line.set_index("x")["y"]
            assert np.log2(at[2**20] / at[2**19]) == pytest.approx(slope, abs=1e-9)
            assert list(line["x"][line["now"]]) == [2048]
    stored = visit.charts[1][1].query("now").set_index("line")["y"]
    assert stored["all attention patterns"] == pattern_bytes(2048, 96, 96)
    assert stored["one attention pattern"] == pattern_bytes(2048)


def test_paths_and_steps_are_compared_with_a_recurrent_network():
    visit = Visit(PATH, distance="500", context="4096").unfold("steps_between")
    rows = visit.charts[0][1].query("now").set_index("line")["y"]
    assert dict(rows) == {"attention": 1, "recurrent network": 500}
    assert "500 positions later | 1 | 500 |" in visit.text
    assert "for 4,096 tokens | 1 | 4,096 |" in visit.text


def test_a_program_says_that_pytorch_has_no_matrix_as_large(monkeypatch, tmp_path):
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))  # PyTorch would set it for good
    shape = start("gpt2", d_model=10**12, d_ff=10**12).scope["shape"]
    with pytest.raises(SystemExit, match="PyTorch has no matrix as large as this one"):
        execute(export.program("torch", "scale", {"sizes": vars(shape)}))


def test_shipped_models_are_counted_as_their_arrays():
    for name in ("readable", "plain"):
        model = attention_core.load_language_model(name)
        counted = count_parameters(shape_of(model))
        held = {name: array.size for name, array in vars(model).items() if isinstance(array, np.ndarray)}
        assert counted.attention_total == sum(held[W] for W in ("W_query", "W_key", "W_value", "W_output"))
        assert counted.per_matrix == model.W_query[0, 0].size
        assert counted.embeddings == held["embeddings"] + held["positions"] + held["W_vocabulary"]
        assert counted.biases == held["bias"]
        assert (counted.feed_forward_total, counted.norms) == (0, 0)
        assert counted.total == sum(held.values()) == model.size


def test_shipped_model_is_one_to_start_from():
    visit = Visit(PATH, model="readable")
    model = attention_core.load_language_model()
    assert not visit.at.warning
    assert visit.scope["count"] == count_parameters(shape_of(model))
    place = visit.stage["pose"]["model"]
    assert visit.first("account")["published"][place]["text"] == f"{model.size:,}"
    assert f"{model.size:,} | {model.size:,}" in visit.text
    assert visit.stage["elsewhere"] == ["by hand", "model", place]
