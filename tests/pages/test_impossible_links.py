"""A setting that a link cannot mean is left out with one notice, and the page is as it is without it."""

from urllib.parse import parse_qsl

import pytest

from attention_core.models import grammar, phrases
from tests.visit import PATHS, LessonView, as_shown

MATRICES = "a_b__c_d nan_0__0_1 1e300_0__0_1 101_0__0_0 1_0 1_0__0_1__1_1 1__2 _"
OF_FEATURES = "apple nan_0__0_1 1e300_0__0_1 1_0 __ 101_0_0__0_1_0"
SINGLE = """scale?num_layers=2.5 scale?vocabulary=-3 scale?context=1e13 scale?num_heads=٣٫٥ train_a_head?seed=-1
train_a_head?steps=12.5 train_a_head?rate=1e309 train_a_head?second=heads trained_model?tokens=__
trained_model?head=3.1 misleading?experiment=none misleading?seed=10000 misleading?goal=needed
misleading?experiment=second_hand&head=1.1 long_texts?passed=3.5 long_texts?window=48 long_texts?first=2
long_texts?experiment=flash long_texts?model=llama9 modern_model?text=spain modern_model?head=31.1
modern_model?head=24.10 modern_model?head=x modern_model?word=Paris modern_model?cut=both
modern_model?measure=last modern_model?off=1_0"""
PLACES = "_0" * (phrases.LONGEST - 1)


def each(setting, *texts):
    """Links that set the same to each of these texts."""
    return {f"{setting}={text}": "" for text in texts}


# Links whose last setting is impossible, and what its notice says besides the name of the setting.
IMPOSSIBLE = {
    "scale?d_model=0": "“0” can’t be used. Use a whole number from 1 to",
    "scale?d_k=1000000000001": "from 1 to 1,000,000,000,000",
    "train_a_head?heads=2": "heads: “2” isn’t one of the options. Use one of these: 1.",
    "train_a_head?seed=10000": "0 to 9,999",
    "train_a_head?sentence=0_1_2_3_4_15": "from 0 to 14",
    "train_a_head?sentence=0.5_1_2_3_4_5": "whole numbers",
    "train_a_head?moves=0_99_1_1": "a word from 0 to 14",
    f"train_a_head?moves={'__'.join(['0_0_1_1'] * 49)}": "at most 48",
    "trained_model?tokens=1_2_999": f"from 0 to {len(grammar.WORDS) - 1}",
    "trained_model?tokens=1_2.5": "whole numbers",
    f"trained_model?tokens={'_'.join('1' * 33)}": "33 words are too many. Enter at most 32",
    "trained_model?dimmed=1_0_0_0_0__0_0_0_0_2": "out of range",
    "trained_model?dimmed=-1_0_0_0_0__0_0_0_0_0": "Use a number from −0.5 to 1",
    "trained_model?dimmed=1_0": "2 × 5 numbers",
    "trained_model?depth=2.5": "Use a number from 0 to 2",
    "trained_model?version=0123abcd": "another version of the model, so its numbers may differ",
    "generating?model=smollm2&opening=creature": "Use one of these: france, mary",
    "generating?model=smollm2&head=31.1": "Use one of these: 1.1",
    "generating?model=smollm2&shown=30": "Use one of these: 1, 2",
    "generating?model=smollm2&tokens=1_2": "It needs 1 × 29 numbers",
    "generating?model=smollm2&temperature=2": "Only the small model has this setting",
    "generating?tokens=1_2_999": f"from 0 to {len(grammar.WORDS) - 1}",
    f"generating?tokens={'_'.join('1' * 33)}": "33 words are too many. Enter at most 32",
    "generating?head=3.1": "Use one of these: 1.1",
    "generating?start=5": "Use a whole number from 1 to 4",
    "generating?tokens=1_21_26_31_39&shown=6": "Use one of these: 1, 2, 3, 4, 5",
    "generating?written=zebra": "doesn’t know “zebra”",
    f"generating?written={'-'.join(['the'] * 25)}": "That’s 25 tokens. Use at most 24",
    **each("generating?temperature", "-1", "4.1", "nan", "warm"),
    **each("generating?top_k", "0", "4"),
    **each("generating?top_p", "0", "1.1"),
    **each("generating?draw", "1", "-0.1"),
    "misleading?tokens=1_2_3": "1 × 6 numbers",
    "misleading?tokens=99_2_3_4_5_6": "from 0 to 14",
    "misleading?tokens=9_9_9_9_9_9": "The last word must be “apple”",
    "misleading?shifted=2_0_0_0_0_0": "out of range",
    "misleading?kept=-1_1_1_1_1_1": "Use a number from 0 to 1",
    "misleading?experiment=swap&version=0123abcd": "another version of the model",
    **dict.fromkeys(SINGLE.split(), ""),
    **each("values?example=money_bank&temperature", "0", "-1", "0.049", "100.1", "nan", "1e300", "warm"),
    **each("masking?mask=own&own", "1_0", "1_1__1_1", "nan", "1e300", "x" * 50),
    **each("masking?mask=own&own", *("__".join(["_".join([number] * 7)] * 7) for number in ("0.5", "2"))),
    **each("masking?mask=window&width", "-1", "17", "1.5"),
    **each("masking?window", "-1", "17", "1.5"),
    **each("masking?causal", "-1", "17", "1.5"),
    **each("queries_keys?W_query", *MATRICES.split()),
    **each("queries_keys?W_key", *MATRICES.split()),
    **each("self_attention?W_query", *OF_FEATURES.split()),
    **each("self_attention?W_key", *OF_FEATURES.split()),
    **each("self_attention?W_value", *OF_FEATURES.split()),
    **each("self_attention?W_output", *OF_FEATURES.split()),
    **each("self_attention?example=money_bank&W_output", "1_0__0_1"),  # the example has no output matrix
    **each("multi_head?heads", "1_0_0", "1_1_1_1_1", "0.5_1_1_1", "2_1_1_1", "1__1", "nan_1_1_1", "x" * 80),
    **each("multi_head?dial", "0_1", "1e300_0", "inf", "_".join("0" * 22)),
    **each("multi_head?plane", "soft-wide"),
    **each("multi_head?map", "said"),
    **each("multi_head?inner", "11", "0"),
    **each("multi_head?norm", "during"),
    **each("position?order", "1_1_2", "0_1_2", "1_2", "1_2_3_4", "a_b_c", "NaN_1_2", "1e300_1_2", "1.5_1_2"),
    **each("cross_attention?model=aligned&phrase", "_".join("3" * 13), "1_999", "1.5", "1__2"),
    **each("cross_attention?model=aligned&bent", f"0_1_1{PLACES}", f"0_0_-1{PLACES}"),
    **each("cross_attention?model=aligned&version", "newest"),
    **each("cross_attention?model=aligned&off", "2"),
    **each("long_texts?scores", "1_2_3", "1_3_2_7_0_4_5_6_13", "1_3_2_7_0_4_5_6_nan"),
    **each("long_texts?goal", "one_5f_first"),  # of the other part
    **each("long_texts?tokens", "131073", "1023"),
    **each("long_texts?kv_heads", "5", "33"),
}


@pytest.mark.parametrize("link", IMPOSSIBLE)
def test_an_impossible_setting_is_left_out_with_one_notice(link):
    page, _, settings = link.partition("?")
    *others, (name, text) = parse_qsl(settings)
    view, plain = (LessonView(PATHS[page], **dict(chosen)) for chosen in ([*others, (name, text)], others))
    [notice] = map(as_shown, view.notices)
    assert name in notice
    assert IMPOSSIBLE[link] in notice
    assert view.stage["pose"] == plain.stage["pose"]
    assert not plain.notices
