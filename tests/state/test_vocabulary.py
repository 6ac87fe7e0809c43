"""The reader's own words: taken as the text they are, or refused in a sentence that names the limit."""

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_lab.state import state, vocabulary
from attention_lab.state.permalink import RefusedError

KNOWN = {"apple": np.array([2.0, 2.0]), "phone": np.array([4.0, 0.0])}


def read(text, width=2):
    return vocabulary.read_lines(text, KNOWN, width)


def test_a_line_is_a_word_and_its_numbers():
    words, vectors = read("pear 1 -2.5\n\n  apple\t3,4  \nfig −1 1E-3\nplum .5, +1/4\n")
    assert words == ("pear", "apple", "fig", "plum")
    np.testing.assert_array_equal(vectors, [[1, -2.5], [3, 4], [-1, 0.001], [0.5, 0.25]])
    words, vectors = ("a", "🍎"), np.array([[1 / 3, -0.0], [1e-9, 1000]])
    again = read(vocabulary.write_lines(words, vectors))
    assert again[0] == words
    np.testing.assert_array_equal(again[1], vectors)


def test_a_vector_may_stand_in_brackets_with_the_signs_of_any_keyboard():
    for line in (
        *("pear (1, -0.5)", "pear [1; −.5]", "pear 1, -0.5", "pear, 1 -1/2"),
        *("pear（１，－１／２）", "pear　１　－０．５", "pear，１，－０．５", "pear ١٠٠٪ −٠٫٥"),
    ):
        words, vectors = read(line)
        assert words == ("pear",), line
        np.testing.assert_array_equal(vectors, [[1, -0.5]], line)
    assert read("f(x)\ng(2)\nphone，")[0] == ("f(x)", "g(2)", "phone")


def test_commas_part_the_words_of_a_sentence_and_one_alone_is_a_word():
    for typed, words in (
        ("banco, parque", ["banco", "parque"]),
        ("苹果、手机，花。", ["苹果", "手机", "花"]),
        ("عين، ماء", ["عين", "ماء"]),
        ("one , two 。", ["one", ",", "two", "。"]),
        ("3,5 &amp; U.S.", ["3,5", "&amp;", "U.S."]),
    ):
        assert vocabulary.read_sentence(typed) == tuple(words)


def test_a_word_without_numbers_keeps_its_vector_or_is_placed():
    words, vectors = read("phone\npear\nfig")
    np.testing.assert_array_equal(vectors[0], KNOWN["phone"])
    assert len({tuple(vector) for vector in vectors}) == len(words) == 3
    assert vocabulary.read_lines("pear", {}, 3)[1].shape == (1, 3)
    np.testing.assert_array_equal(read("pear\nfig 1 2 3 4 5 6", 6)[1], [6 * [0], [1, 2, 3, 4, 5, 6]])


def test_no_new_word_falls_on_a_point_where_one_stands():
    names = [f"word{k}" for k in range(6)]
    first = dict(zip(*read("\n".join(names)), strict=True))
    for order in (["new", *names[3:]], [*names[3:], "new"], [names[5], "the", "new", names[0]]):
        standing = {word: first[word] for word in order if word in first}
        vectors = vocabulary.read_lines("\n".join(order), standing, 2)[1]
        assert len({tuple(vector) for vector in vectors}) == len(order), order


def test_new_words_stand_near_zero_and_apart():
    words = [*(f"word{k}" for k in range(15)), "the"]
    placed = vocabulary._placed(words, 2)
    sizes = [np.linalg.norm(placed[word]) for word in words]
    assert max(sizes) < 1, "their dot products say next to nothing"
    assert sizes[-1] < 0.3 * min(sizes[:-1]), "a little word, nearer still"
    among = np.array([placed[word] for word in words[:-1]])
    apart = np.linalg.norm(among[:, None] - among, axis=-1)[~np.eye(len(among), dtype=bool)]
    assert apart.min() > 0.1
    for width, pairs in ((3, [(0, 1)]), (4, [(0, 1), (1, 3), (0, 2), (2, 3)])):
        wide = np.array(list(vocabulary._placed(words[:5], width).values()))
        for pair in pairs:
            assert len({tuple(row) for row in wide[:, pair]}) == 5, "every pair of axes shows them apart"


def test_any_printable_word_is_taken_as_it_is():
    words = ["<script>alert(1)</script", "**bold**", "$x^2$", "🍎🍏", "تفاح", "'\"\\", "1", "&amp;", ",", "−"]
    assert [word for word in words if read(f"{word} 1 2")[0] != (word,)] == []


def test_a_refusal_is_one_sentence_with_the_limit():
    for text, why in (
        ("", "1 to 16 words"),
        (" \n\t\n", "1 to 16 words"),
        ("a" * 25, "has 25 characters. Shorten it to at most 24"),
        ("apple 1 2\napple 3 4", "“apple” appears twice"),
        ("\n".join(f"w{i}" for i in range(17)), "17 words are too many. Enter at most 16"),
        ("apple 1", "2 numbers"),
        ("apple 1 2 3", "2 numbers"),
        ("apple one two", "“one” can’t be used. Enter a number"),
        ("apple nan 1", "“nan” can’t be used. Enter a number from −1000 to 1000"),
        ("apple 1 1001", "“1001” can’t be used. Enter a number from −1000 to 1000"),
        ("apple ² 2", "“²” can’t be used. Enter a number"),
        ("ap\u200bple 1 2", "invisible characters"),
        ("ap\u202eple 1 2", "invisible characters"),
    ):
        with pytest.raises(RefusedError) as refused:
            read(text)
        sentence = str(refused.value)
        assert why in sentence
        assert len(sentence) < 160
        assert sentence.endswith((".", "”."))


@given(st.text(max_size=200) | st.text(alphabet="a1 .-e\n,−", max_size=60), st.sampled_from([2, 3]))
def test_any_text_is_read_or_refused(text, width):
    with suppress(RefusedError):
        words, vectors = vocabulary.read_lines(text, KNOWN if width == 2 else {}, width)
        assert 1 <= len(words) <= 16
        assert vectors.shape == (len(words), width)
        assert np.isfinite(vectors).all()


def test_a_sentence_looks_its_words_up_in_a_table():
    sentence = ("an", "apple", "and", "an", "orange")
    assert state.table(sentence) == ("an", "apple", "and", "orange")
    assert vocabulary.ids(sentence) == [0, 1, 2, 0, 3]
