"""The scale page: published sizes and their counts, one's own sizes of any length, goals, folds, programs."""

import json
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import attention_core
from attention_core import SHAPES, TransformerShape, count_parameters, key_value_cache_bytes
from attention_lab import export
from attention_lab.lessons.scale.sizes import shape_of
from attention_lab.state import permalink
from tests.pages.test_every_page import execute
from tests.visit import LESSONS, NAMES, Visit, as_shown, fields_of

PATH = LESSONS[NAMES.index("scale")]
TOTALS = {
    "transformer-base": 63_045_632,
    "transformer-big": 214_171_648,
    "gpt2": 124_439_808,
    "gpt2-medium": 354_823_168,
    "gpt2-large": 774_030_080,
    "gpt2-xl": 1_557_611_200,
    "gpt3": 174_604_259_328,
}
ENTRIES = ("per_matrix", "per_head", "per_layer", "attention_total", "feed_forward_total")
SIZES = ("d_model", "d_k", "num_heads", "num_kv_heads", "num_layers", "decoder_layers", "d_ff", "vocabulary")
ANY = st.integers(1, 10**12)


def start(model, **address):
    return Visit(PATH, model=permalink.escape(model), **{name: str(n) for name, n in address.items()})


def entries(visit):
    return {e["name"]: e for e in next(p for p in visit.parts if p["kind"] == "account")["entries"]}


def growth(visit):
    return next(part for part in visit.parts if part["kind"] == "growth")


def folded(visit):
    return next(part for part in visit.parts if part["kind"] == "beside")


def test_gpt3_as_it_is_told():
    visit = Visit(PATH)
    counted = visit.scope["count"]
    assert [getattr(counted, name) for name in ENTRIES[:4]] == [1_572_864, 6_291_456, 603_979_776, 57_982_058_496]
    assert "57,982,058,496" in visit.text
    account = next(part for part in visit.parts if part["kind"] == "account")
    told = account["published"][visit.stage["pose"]["model"]]
    assert told["text"] == "175 billion"
    assert "33.1% of the nominal 175 billion, and 33.2% of the parameters counted here" in told["note"]


@pytest.mark.parametrize("model", SHAPES)
def test_a_published_model_is_counted_as_the_core_counts_it(model):
    visit = start(model)
    assert not visit.at.warning
    assert visit.badges[0] == "published"
    assert visit.scope["count"] == count_parameters(SHAPES[model])
    assert visit.scope["count"].total == TOTALS[model]
    assert visit.scope["shape"] == TransformerShape(**{**vars(SHAPES[model]), "context": visit.values["context"]})
    assert f"{TOTALS[model]:,}" in visit.text


def test_beside_each_published_total_stand_the_count_and_the_gap():
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
    ]
    assert [int(n.replace(",", "")) for _, _, n, _ in rows] == list(TOTALS.values())


def test_no_single_vocabulary_gives_both_totals_of_2017():
    account = next(part for part in Visit(PATH).parts if part["kind"] == "account")
    wanted = [
        int(re.search(r"about ([\d,]+)", account["published"][k]["note"])[1].replace(",", "")) for k in (0, 1)
    ]
    for model, millions, tokens in zip(list(SHAPES), (65, 213), wanted, strict=False):
        shape = TransformerShape(**{**vars(SHAPES[model]), "vocabulary": tokens})
        assert round(count_parameters(shape).total / 1e6, 1) == millions
    assert wanted[0] - wanted[1] > 4_000


def test_sizes_that_follow_go_along_and_others_stay():
    visit = start("gpt2", d_model=1000)
    assert (visit.scope["shape"].d_ff, visit.scope["shape"].num_kv_heads) == (4000, 12)
    visit.drag(num_heads=20)
    assert visit.scope["shape"].num_kv_heads == 20
    visit.drag(d_ff=3072, num_kv_heads=5)
    visit.drag(d_model=500)
    assert (visit.scope["shape"].d_ff, visit.scope["shape"].num_kv_heads) == (3072, 5)
    assert visit.badges == ["yours"]
    assert Visit(PATH, **visit.link).scope["count"] == visit.scope["count"]


def test_changing_the_model_brings_its_own_sizes():
    visit = start("gpt2", d_k=7)
    published = visit.stage["constants"]["models"][4]["sizes"][0]
    visit.drag(model=4, **dict(zip((*SIZES, "context"), published, strict=True)))
    assert dict(visit.link) == {"model": permalink.escape("gpt2-large")}
    assert visit.badges == ["published"]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ({"d_model": "0"}, "d_model: “0” can’t be used. Use a whole number from 1 to"),
        ({"d_k": "1000000000001"}, "from 1 to 1,000,000,000,000"),
        ({"num_layers": "2.5"}, "num_layers"),
        ({"vocabulary": "-3"}, "vocabulary"),
        ({"context": "1e6"}, "context"),
        ({"num_heads": "٣"}, "num_heads"),
    ],
)
def test_a_size_that_cannot_be_is_said_in_one_line(address, said):
    visit = Visit(PATH, **address)
    assert said in as_shown(visit.at.warning[0].value)
    assert visit.scope["count"] == count_parameters(SHAPES["gpt3"])


@pytest.mark.parametrize(
    ("d_k", "groups", "notes"), [(128, 0, 0), (100, 0, 1), (128, 7, 1), (100, 7, 2), (128, 8, 0)]
)
def test_what_does_not_divide_is_allowed_and_said(d_k, groups, notes):
    visit = Visit(PATH, d_k=str(d_k), num_kv_heads=str(groups))
    account = next(part for part in visit.parts if part["kind"] == "account")
    assert sum(bool(visit.scope[note["when"]]) for note in account["notes"]) == notes
    assert visit.scope["shape"].num_kv_heads == (8 if groups == 8 else 96)
    assert not visit.at.warning


def test_sizes_of_a_million_millions_are_counted_exactly():
    huge = dict.fromkeys(SIZES, 10**12) | {"context": 10**12}
    visit = start("gpt3", **huge)
    shape = visit.scope["shape"]
    assert visit.scope["count"] == count_parameters(shape)
    assert visit.scope["count"].attention_total == 3 * 4 * 10**48
    assert visit.scope["cells"] == 10**24
    for fold in ("work_and_memory", "steps_between"):
        visit.at.session_state[f"scale.{fold}"] = True
    visit.run().open_drawer("table")
    assert "nan" not in visit.text.lower()
    assert len(visit.charts) == 3
    assert visit.tables["parameters"].loc["total", "parameters"] == count_parameters(shape).total


def test_whatever_the_browser_sends_is_counted_or_left_aside():
    visit = Visit(PATH)
    sent = st.one_of(ANY, st.sampled_from([0, -1, 1.5, 1e300, True, None, "7", [[1.0]], float("nan")]))

    @settings(max_examples=60, suppress_health_check=list(HealthCheck))
    @given(st.dictionaries(st.sampled_from((*SIZES, "context", "model", "goal")), sent, max_size=5))
    def anything(moved):
        visit.drag(**moved)
        shape = visit.scope["shape"]
        assert visit.scope["count"] == count_parameters(shape)
        assert all(isinstance(visit.values[name], int) for name in (*SIZES, "context"))

    anything()


@pytest.mark.parametrize(
    ("goal", "moved"),
    [
        ("longer_text", {"context": 20_480}),
        ("same_parameters", {"num_heads": 48, "d_k": 256}),
        ("small_cache", {"num_kv_heads": 12}),
        ("attention_majority", {"d_k": 512}),
    ],
)
def test_the_goals_can_be_reached(goal, moved):
    visit = Visit(PATH)
    visit.drag(**moved)
    assert visit.reached == [goal]


@pytest.mark.parametrize("model", SHAPES)
def test_no_published_model_meets_a_goal(model):
    assert start(model).reached == []


def test_a_longer_text_has_more_cells_and_no_more_parameters_of_attention():
    """Only the table of learned positions grows, and the goal's reason says so where there is one."""
    for model, tokens, table in (("gpt3", 2048, True), ("transformer-base", 512, False)):
        visit, before = start(model), start(model).scope["count"]
        visit.drag(context=10 * tokens)
        now = visit.scope["count"]
        assert visit.scope["cells"] == 100 * tokens**2
        assert now.attention_total == before.attention_total
        assert (now.embeddings > before.embeddings) == table
        assert visit.reached == ["longer_text"]
        goal = next(part for part in visit.parts if part["kind"] == "goals")["goals"][0]
        assert (visit.scope["embeddings_grown"] > 1) == table
        assert goal["why"][0]["when"]["path"] == "embeddings_grown"
        assert "table of learned positions" in "".join(map(str, goal["why"][0]["text"]))
    assert start("gpt2", context=10_240, d_k=65).reached == []


def test_the_first_screen_has_one_size_under_the_hand():
    kinds = [part["kind"] for part in Visit(PATH).parts]
    assert kinds[:3] == ["goals", "growth", "beside"]
    assert growth(Visit(PATH))["context"]["of"] == "context"
    assert {e["name"] for e in entries(Visit(PATH)).values() if not e.get("more")} == {"total"}
    sizes_hidden = {e["name"] for e in entries(Visit(PATH)).values() if e.get("more") == "sizes"}
    assert sizes_hidden == {"attention", "feed_forward", "embeddings", "norms", "biases"}


def test_a_link_with_sizes_opens_their_fold_and_one_with_a_length_does_not():
    assert folded(Visit(PATH, d_k="64"))["opened"]
    assert folded(Visit(PATH, model="gpt2"))["opened"]
    assert "opened" not in folded(Visit(PATH, context="4096"))


def test_other_heads_alone_are_not_the_same_parameters():
    assert "same_parameters" not in Visit(PATH).drag(num_heads=48).reached
    assert "same_parameters" not in Visit(PATH).drag(num_heads=48, d_k=256, num_layers=95).reached
    assert "same_parameters" not in Visit(PATH).drag(num_heads=48, d_model=24_576).reached


def test_a_guess_about_gpt3_then_one_about_the_context():
    visit = Visit(PATH, predict="1")
    assert visit.stage["veil"]
    visit.at.button(key="scale.guess.1").click()
    visit.run()
    assert "You predicted “**less**”. That is correct" in visit.text
    assert growth(visit)["veiled"]
    visit.at.button(key="scale.guess.0").click()
    visit.run()
    assert "The answer is “**four times as many**”" in visit.text
    assert not growth(visit)["veiled"]


def fold(visit, name):
    visit.at.session_state[f"scale.{name}"] = True
    return visit.run()


def test_nothing_in_a_closed_fold_is_computed(monkeypatch):
    visit = Visit(PATH)
    monkeypatch.setattr(attention_core, "forward_flops", None)
    visit.drag(d_k=64)
    assert not visit.charts


def test_work_and_memory_grow_as_they_should():
    visit = fold(Visit(PATH), "work_and_memory")
    for (_, rows), slopes in zip(visit.charts, ([1, 2], [2, 1, 1, 1]), strict=True):
        for (_, line), slope in zip(rows.groupby("line", sort=False), slopes, strict=True):
            at = line.set_index("x")["y"]
            assert np.log2(at[2**20] / at[2**19]) == pytest.approx(slope, abs=1e-9)
            assert list(line["x"][line["now"]]) == [2048]
    assert "9.66 GB" in visit.text
    visit.drag(num_kv_heads=8)
    caches = visit.charts[1][1].query("now").set_index("line")["y"]
    assert caches["cache, groups as set"] == key_value_cache_bytes(visit.scope["shape"], 2048)
    assert caches["cache, no sharing"] == 12 * caches["cache, groups as set"] == 96 * caches["cache, one group"]


def test_paths_and_steps_against_a_recurrent_network():
    visit = fold(Visit(PATH, distance="500", context="4096"), "steps_between")
    rows = visit.charts[0][1].query("now").set_index("line")["y"]
    assert dict(rows) == {"attention": 1, "recurrent network": 500}
    assert "500 positions later | 1 | 500 |" in visit.text
    assert "for 4,096 tokens | 1 | 4,096 |" in visit.text


def test_the_stage_is_told_whole_numbers():
    pose = json.loads(json.dumps(Visit(PATH, d_model="1000000000000").stage["pose"]))
    assert pose["d_model"] == 10**12
    assert all(isinstance(n, int) for n in pose.values())


@pytest.mark.parametrize("model", SHAPES)
@pytest.mark.parametrize("moved", [{}, {"num_kv_heads": 4, "d_ff": 1000}], ids=["published", "own"])
def test_numpy_and_torch_count_what_the_page_counts(model, moved):
    visit = start(model)
    visit.drag(**moved)
    printed = [dict(line.split(": ") for line in execute(program).splitlines()) for program in visit.programs]
    assert printed[0] == printed[1]
    counted = visit.scope["count"]
    assert printed[0]["one layer"] == str(counted.per_layer)
    assert printed[0]["total"] == str(counted.total)
    assert printed[0]["bytes in the cache"] == str(visit.scope["cache"])


def test_torch_says_when_a_matrix_is_too_large():
    shape = start("gpt2", d_model=10**12, d_ff=10**12).scope["shape"]
    with pytest.raises(SystemExit, match="PyTorch has no matrix as large as this one"):
        execute(export.program("torch", "scale", vars(shape)))


def test_the_address_has_a_key_for_every_size():
    assert {*SIZES, "context", "model", "distance"} <= {f.name for f in fields_of(PATH)}


@pytest.mark.parametrize("name", ["readable", "plain"])
def test_the_ledger_counts_the_shipped_language_models_as_their_arrays_do(name):
    model = attention_core.load_language_model(name)
    counted = count_parameters(shape_of(model))
    held = {name: array.size for name, array in vars(model).items() if isinstance(array, np.ndarray)}
    assert counted.attention_total == sum(held[W] for W in ("W_query", "W_key", "W_value", "W_output"))
    assert counted.per_matrix == model.W_query[0, 0].size
    assert counted.embeddings == held["embeddings"] + held["positions"] + held["W_vocabulary"]
    assert counted.biases == held["bias"]
    assert (counted.feed_forward_total, counted.norms) == (0, 0)
    assert counted.total == sum(held.values()) == model.size


def test_the_shipped_model_is_one_to_start_from():
    visit = start("readable")
    model = attention_core.load_language_model()
    assert not visit.at.warning
    assert visit.scope["count"] == count_parameters(shape_of(model))
    account = next(part for part in visit.parts if part["kind"] == "account")
    assert account["published"][visit.stage["pose"]["model"]]["text"] == f"{model.size:,}"
    assert f"{model.size:,} | {model.size:,}" in visit.text
    assert visit.stage["elsewhere"] == ["by hand", "model", visit.stage["pose"]["model"]]
