"""The address: whatever is written is read again, and nothing that is read breaks a page."""

import re
from urllib.parse import parse_qs

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_lab.classroom import names
from attention_lab.quiz import read_code
from attention_lab.state import permalink, scores
from attention_lab.state.matrix import read_rows
from attention_lab.state.permalink import LONGEST, RefusedError
from attention_lab.text.labels import labels
from attention_lab.text.languages import speaking
from attention_lab.text.typed_text import clean_word, is_shown

WORDS = st.sampled_from(["an_e9_", "مرحبا", "a.b-c_d__e"]) | st.text(min_size=1, max_size=24).filter(
    lambda word: is_shown(word) and word.split() == [word] == [clean_word(word)]
)
NUMBERS = st.sampled_from([1e-5, -0.0, 5e-324]) | st.floats(-permalink.FARTHEST, permalink.FARTHEST)
FIELDS = (
    permalink.choice("measure", "", ["dot", "cosine"]),
    permalink.flag("on", ""),
    permalink.number("heat", "", 0.05, 20, 1),
    permalink.words("words", "", lambda values: ("an", "apple"), distinct=False),
    permalink.choice("word", "", lambda values: labels(values["words"]), "apple", interactive=True),
    permalink.matrix(
        "vectors", "", lambda values: np.zeros((len(values["words"]), 2)), shape=lambda v: (len(v["words"]), 2)
    ),
)
DEFAULTS, _ = permalink.read_address(FIELDS, {})


def refusal(call, *arguments, **more):
    """Return the sentence that refuses an input; the empty text if it is accepted."""
    try:
        call(*arguments, **more)
    except RefusedError as why:
        return str(why)
    return ""


@given(st.data())
def test_an_address_leads_back_to_the_same_values(data):
    words = tuple(data.draw(st.lists(WORDS, min_size=1, max_size=4)))
    values = {
        "measure": data.draw(st.sampled_from(["dot", "cosine"])),
        "on": data.draw(st.booleans()),
        "heat": data.draw(st.floats(0.05, 20)),
        "words": words,
        "word": data.draw(st.sampled_from(labels(words))),
        "vectors": data.draw(arrays(float, (len(words), 2), elements=NUMBERS)),
    }
    address = permalink.write_address(FIELDS, values)
    assert all(re.fullmatch(r"[A-Za-z0-9._-]*", text) for text in address.values())
    read, left_out = permalink.read_address(FIELDS, {name: [text] for name, text in address.items()})
    assert not left_out
    assert all(permalink.same(read[name], values[name]) for name in values)
    assert permalink.write_address(FIELDS, DEFAULTS) == {}


@given(
    st.dictionaries(
        st.sampled_from([f.name for f in FIELDS]) | st.text(max_size=30),
        st.lists(st.text() | st.from_regex(r"[-0-9._e]{1,20}"), max_size=3),
    )
)
def test_no_address_raises_and_every_value_is_possible(texts):
    values, left_out = permalink.read_address(FIELDS, texts)
    assert list(values) == [f.name for f in FIELDS]
    assert values["measure"] in {"dot", "cosine"}
    assert 0.05 <= values["heat"] <= 20
    assert values["word"] in labels(values["words"])
    assert values["vectors"].shape == (len(values["words"]), 2)
    assert np.isfinite(values["vectors"]).all()
    assert len(left_out) >= sum(bool(several) and name not in values for name, several in texts.items())


def test_unusable_settings_are_left_out_with_their_reasons():
    spaces = "A word is empty, or contains spaces or invisible characters. Remove them."
    for name, texts, reason in (
        ("heat", ["1", "2"], "The link contains this setting more than once. Keep only one."),
        ("heat", ["99"], "99 is out of range. Use a number from 0.05 to 20."),
        ("heat", ["-0.5"], "−0.5 is out of range. Use a number from 0.05 to 20."),
        ("heat", ["NaN"], "“NaN” isn’t a number. Use a number such as 0.5."),
        ("heat", ["1e309"], "1e309 is out of range. Use a number from 0.05 to 20."),
        ("heat", [""], "“” isn’t a number. Use a number such as 0.5."),
        ("vectors", ["0_0__1"], "The matrix has the wrong size. It needs 2 × 2 numbers."),
        ("vectors", ["0_0__1_1001"], "1001 is out of range. Use a number from −1000 to 1000."),
        ("words", ["a__b"], "A word contains characters that a link can’t hold. Remove them."),
        ("words", [""], "The text is empty. Enter some text."),
        ("words", ["_110000_"], "A word contains an invalid character. Remove it."),
        ("words", ["_d800_"], spaces),
        ("words", ["_20_"], spaces),
        ("words", [".".join("a" * 17)], "17 words are too many. Enter at most 16."),
        ("words", ["a" * 25], "The word beginning “aaaaaaaaaaaa…” has 25 characters. Shorten it to at most 24."),
        ("word", ["pear"], "“pear” isn’t one of the options. Use one of these: an, apple."),
        ("on", ["yes"], "“yes” isn’t valid. Use 0 or 1."),
        ("pear", ["1"], "This setting doesn’t exist."),
    ):
        values, left_out = permalink.read_address(FIELDS, {name: texts, "measure": ["cosine"]})
        assert left_out == [f"{name}: {reason}"]
        assert values["measure"] == "cosine", "the others stay"
        assert all(permalink.same(values[f.name], DEFAULTS[f.name]) for f in FIELDS if f.name != "measure")
    too_long = f"All settings: the link is longer than {LONGEST} characters."
    assert permalink.read_address(FIELDS, {"heat": ["2" * 10_000]})[1] == [too_long]


def read(link, *more):
    """What a link leads to: the values of `FIELDS` and `more`, and what was left out."""
    return permalink.read_address((*FIELDS, *more), parse_qs(link, keep_blank_values=True))


def test_trackers_are_dropped_without_a_word():
    trackers = "utm_source=mail&fbclid=x&gclid=1&gclid=2&mc_eid=&ref=news&UTM_Campaign=may&embed=true"
    for link in (
        f"measure=cosine&{trackers}",
        f"{trackers}&measure=cosine.",
        f"measure=cosine&fbclid={'x' * 5000}",
    ):
        values, left_out = read(link)
        assert (values["measure"], left_out) == ("cosine", [])
    assert read(f"{trackers}&reference=1&on=1")[1] == ["reference: This setting doesn’t exist."]
    own = permalink.choice("ref", "", ["a", "b"])
    assert read("ref=b&fbclid=x", own)[0]["ref"] == "b"
    assert read("ref=c", own)[1] == ["ref: “c” isn’t one of the options. Use one of these: a, b."]


def test_the_end_of_a_sentence_costs_a_link_no_setting():
    settings = {
        "measure=cosine": "cosine",
        "heat=0.5": 0.5,
        "words=pear.apple": ("pear", "apple"),
        "vectors=0_1__2_3": np.array([[0, 1], [2, 3]]),
    }
    for end in (*".,)]”’»。）」，؟،+", ").", "…”", "%2E", "%E3%80%82", "%22", "%20"):
        for setting, value in settings.items():
            for link in (f"{setting}{end}", f"on=1&{setting}{end}&fbclid=x"):
                values, left_out = read(link)
                assert (permalink.same(values[setting.split("=")[0]], value), left_out) == (True, []), link
    whole = permalink.choice("last", "", ["etc", "etc."])
    assert read("last=etc.", whole)[0]["last"] == "etc."
    assert read("heat=5»&on=1")[1] == ["heat: “5»” isn’t a number. Use a number such as 0.5."]


def test_a_list_of_options_that_is_cut_ends_with_an_ellipsis():
    for count, end in ((8, "6, 7"), (9, "6, 7, …")):
        among = permalink.choice("pace", "how fast", [str(k) for k in range(count)])
        sentence = f"“abc” isn’t one of the options. Use one of these: 0, 1, 2, 3, 4, 5, {end}."
        assert refusal(among.read, "abc", {}) == sentence


@given(st.lists(WORDS | st.sampled_from(["a", "a₂", "a₃", "a₂₂"]), max_size=16))
@example(["a", "a", "a₂", "a₂"])
@example(["a₂", "a", "a"])
def test_each_place_has_a_label_of_its_own(sentence):
    names = labels(sentence)
    assert len(set(names)) == len(names) == len(sentence)
    assert all(name.startswith(word) for name, word in zip(names, sentence, strict=True))
    assert names == tuple(sentence) or len(set(sentence)) < len(sentence)
    assert labels(["an", "apple", "an", "an"]) == ("an", "apple", "an₂", "an₃")


def test_every_field_reads_what_any_keyboard_sends():
    whole, words = permalink.whole_number("size", "", 1, 99, lambda _: 7), ("apple", "préstamo")
    for read, typed, value in (
        (
            lambda text: read_rows(text, (2, 2)),
            "［［１，　−.5］，\n［１／４， ٥０％］］",
            [[1, -0.5], [0.25, 0.5]],
        ),
        (lambda text: read_rows(text, (1, 2)), "（－３，１／２）", [[-3, 0.5]]),
        (lambda text: scores.read_lines(text, words), "apple　－０．５\npre\u0301stamo\u200e ٢٫٥", [[-0.5, 2.5]]),
        (lambda text: permalink.read_ruled(text, permalink.Rules(shape=(1, 2))), "１_－0。5", [[1, -0.5]]),
        (lambda text: whole.read(text, {}), "４２", 42),
        (lambda text: FIELDS[0].read(text, {}), "ｄｏｔ", "dot"),
        (lambda text: FIELDS[1].read(text, {}), "１", True),
        (lambda text: FIELDS[4].read(text, {"words": words}), "pre_301_stamo", "préstamo"),
        (lambda text: FIELDS[4].read(text, {"words": words}), "pre\u0301stamo", "préstamo"),
        (names.read, "Ｂｌｕｅ　ｆｏｘ。", "blue-fox"),
        (lambda text: permalink.two_words("room", "").read(text, {}), "ｂｌｕｅ－ｆｏｘ", "blue-fox"),
        (read_code, "ｋｑ４ＲＴ\u200f٧", "KQ4RT7"),
    ):
        np.testing.assert_array_equal(read(typed), value, typed)
    with speaking("de"):
        np.testing.assert_array_equal(read_rows("（０，５； −1,5）", (1, 2)), [[0.5, -1.5]])


def test_a_length_counts_what_a_reader_sees():
    for character in ("👩‍🏫", "👨🏽‍👩🏽‍👧🏽", "🇪🇸", "e\u0301", "नि", "❤️", "5️⃣"):
        assert permalink.check_words([24 * character])[0], character
        assert "25 characters" in refusal(permalink.check_words, [25 * character]), character
    assert "Shorten it" in refusal(permalink.check_words, ["a" + 500 * "\u0301"])
    assert permalink.check_line(5 * "👩‍🏫", 5) == 5 * "👩‍🏫"
