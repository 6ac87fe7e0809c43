"""The address: whatever is written can be read again, and nothing that is read can break a page."""

import math
import re
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_lab.state import permalink
from attention_lab.state.permalink import LONGEST, RefusedError
from attention_lab.text.labels import labels

LETTERS = re.compile(r"[A-Za-z0-9._-]*")
words = st.text(min_size=1, max_size=24).filter(lambda w: w.isprintable() and w.split() == [w])
numbers = st.floats(-permalink.FARTHEST, permalink.FARTHEST)

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


@given(st.text(min_size=1).filter(lambda text: not re.search(r"[\ud800-\udfff]", text)))
@example("an_e9_")
@example("مرحبا")
@example("🍎")
@example("a.b-c_d__e")
def test_any_word_is_escaped_and_comes_back(word):
    text = permalink.escape(word)
    assert permalink.unescape(text) == word
    assert re.fullmatch(r"[A-Za-z0-9_]+", text)


@given(st.text())
def test_unescape_gives_a_word_or_a_refusal(text):
    with suppress(RefusedError):
        assert permalink.unescape(text)


@given(numbers)
@example(1e-5)
@example(-0.0)
@example(5e-324)
@example(1 / 3)
def test_a_number_comes_back_at_full_precision(number):
    assert permalink.read_number(permalink.numeral(number), -1000, 1000) == number


@given(
    st.lists(words, min_size=1, max_size=4),
    st.sampled_from(["dot", "cosine"]),
    st.booleans(),
    st.floats(0.05, 20),
    st.data(),
)
def test_an_address_leads_back_to_the_same_values(sentence, measure, on, heat, data):
    matrix = data.draw(arrays(float, (len(sentence), 2), elements=numbers))
    word = data.draw(st.sampled_from(labels(sentence)))
    values = {
        "measure": measure,
        "on": on,
        "heat": heat,
        "words": tuple(sentence),
        "word": word,
        "vectors": matrix,
    }
    address = permalink.write_address(FIELDS, values)
    assert all(LETTERS.fullmatch(text) for text in address.values())
    read, left_out = permalink.read_address(FIELDS, {name: [text] for name, text in address.items()})
    assert not left_out
    assert all(permalink.same(read[name], values[name]) for name in values)


def test_defaults_need_no_address():
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
    ignored = {name for name, all_of in texts.items() if all_of and name not in values}
    assert len(left_out) >= len(ignored)


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ({"heat": ["1", "2"]}, "heat: The link contains this setting more than once. Keep only one."),
        ({"heat": ["99"]}, "heat: 99 is out of range. Use a number from 0.05 to 20."),
        ({"heat": ["-0.5"]}, "heat: −0.5 is out of range. Use a number from 0.05 to 20."),
        ({"heat": ["NaN"]}, "heat: “NaN” isn’t a number. Use a number such as 0.5."),
        ({"heat": ["1e309"]}, "heat: 1e309 is out of range. Use a number from 0.05 to 20."),
        ({"heat": [""]}, "heat: “” isn’t a number. Use a number such as 0.5."),
        ({"vectors": ["0_0__1"]}, "vectors: The matrix has the wrong size. It needs 2 × 2 numbers."),
        ({"vectors": ["0_0__1_1001"]}, "vectors: 1001 is out of range. Use a number from −1000 to 1000."),
        ({"words": ["a__b"]}, "words: A word contains characters that a link can’t hold. Enter the word again."),
        ({"words": [""]}, "words: The text is empty. Enter some text."),
        ({"words": ["_110000_"]}, "words: A word contains an invalid character. Enter the word again."),
        (
            {"words": ["_d800_"]},
            "words: A word contains spaces or unprintable characters. Enter each word as one piece.",
        ),
        (
            {"words": ["_20_"]},
            "words: A word contains spaces or unprintable characters. Enter each word as one piece.",
        ),
        ({"words": [".".join("a" * 17)]}, "words: 17 words are too many. Enter at most 16."),
        (
            {"words": ["a" * 25]},
            "words: The word beginning “aaaaaaaaaaaa…” has 25 characters. Shorten it to at most 24.",
        ),
        ({"word": ["pear"]}, "word: “pear” isn’t one of the options. Use one of these: an, apple."),
        ({"on": ["yes"]}, "on: “yes” isn’t valid. Use 0 or 1."),
        ({"pear": ["1"]}, "pear: This setting doesn’t exist."),
        ({"heat": ["2" * 10_000]}, f"All settings: the link is longer than {LONGEST} characters."),
    ],
)
def test_what_cannot_be_used_is_left_out_with_its_reason(texts, said):
    values, left_out = permalink.read_address(FIELDS, texts)
    assert left_out == [said]
    assert all(permalink.same(values[name], DEFAULTS[name]) for name in DEFAULTS)


def test_a_list_of_options_that_is_cut_says_so():
    for count, end in ((8, "6, 7"), (9, "6, 7, …")):
        among = permalink.choice("pace", "how fast", [str(k) for k in range(count)])
        with pytest.raises(permalink.RefusedError) as refusal:
            among.read("abc", {})
        assert str(refusal.value) == f"“abc” isn’t one of the options. Use one of these: 0, 1, 2, 3, 4, 5, {end}."


def test_one_bad_setting_leaves_the_others():
    values, left_out = permalink.read_address(FIELDS, {"heat": ["x"], "measure": ["cosine"]})
    assert (values["measure"], values["heat"]) == ("cosine", 1)
    assert len(left_out) == 1


@pytest.mark.parametrize(
    "sentence", [["a"], ["b"] * 16, ["x" * 24], ["<script>", "$x^2$", "**b**", "🍎", "تفاح"]]
)
def test_words_within_the_limits_stay_as_they_are(sentence):
    assert permalink.check_words(sentence) == tuple(sentence)


@pytest.mark.parametrize(
    ("sentence", "limit"),
    [([], "1 to 16"), (["b"] * 17, "at most 16"), (["x" * 25], "at most 24"), (["x" * 500], "at most 24")],
)
def test_a_refusal_names_the_limit(sentence, limit):
    with pytest.raises(RefusedError, match=limit):
        permalink.check_words(sentence)


@pytest.mark.parametrize("word", ["", " ", "a b", "a\nb", "\x00", "\u202e", "\ud800"])
def test_a_word_is_one_printable_piece(word):
    with pytest.raises(RefusedError, match="unprintable"):
        permalink.check_words([word])


def test_distinct_words_must_differ():
    with pytest.raises(RefusedError, match="“a” appears twice"):
        permalink.check_words(["a", "b", "a"], distinct=True)


@given(st.lists(words | st.sampled_from(["a", "a₂", "a₃", "a₂₂"]), max_size=16))
@example(["a", "a", "a₂", "a₂"])
@example(["a₂", "a", "a"])
def test_each_place_has_a_name_of_its_own(sentence):
    names = labels(sentence)
    assert len(set(names)) == len(names) == len(sentence)
    assert all(name.startswith(word) for name, word in zip(names, sentence, strict=True))
    assert all(n == w for n, w in zip(names, sentence, strict=True)) or len(set(sentence)) < len(sentence)


def test_labels_count_in_order():
    assert labels(["an", "apple", "an", "an"]) == ("an", "apple", "an₂", "an₃")


@pytest.mark.parametrize(
    "text", ["nan", "inf", "-inf", "1e309", "0x10", "1_0", "١", "1.", ".5", "+1", " 1", "1\n", ""]
)
def test_only_plain_numerals_are_numbers(text):
    with pytest.raises(RefusedError):
        permalink.read_number(text, -math.inf, math.inf)


@given(st.integers(-(10**13), 10**13) | st.text(max_size=20))
@example(0)
@example(10**12)
@example("٣")
@example("1_000")
def test_a_size_is_a_whole_number_within_its_bounds_or_refused(given_size):
    field, text = permalink.whole_number("size", "", 1, 10**12, lambda _: 7), str(given_size)
    if re.fullmatch(r"[0-9]{1,20}", text) and 1 <= int(text) <= 10**12:
        read = field.read(text, {})
        assert field.read(field.write(read), {}) == read == int(text)
    else:
        with pytest.raises(RefusedError, match=r"can’t be used\. Use a whole number from 1 to 1,000,000,000,000"):
            field.read(text, {})
