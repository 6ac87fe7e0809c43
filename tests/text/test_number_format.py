"""Numbers as they are written. That the browser writes them alike is tested in Chromium."""

import math

import numpy as np

from attention_lab.text.languages import speaking
from attention_lab.text.number_format import (
    format_bytes,
    format_count,
    format_gap,
    format_number,
    format_share,
    format_whole,
    products,
)


def test_a_figure_has_at_most_three_digits_and_a_true_minus():
    for number, text in (
        (0, "0"),
        (-0.0, "0"),
        (2, "2"),
        (-0.5, "−0.5"),
        (1 / 3, "0.333"),
        (12345.6, "12,300"),
        (-2048, "−2,048"),
        (262144.0, "262,144"),
        (999.6, "1,000"),
        (999999.9, "1,000,000"),
        (1e6, "1.0 × 10⁶"),
        (0.0001, "0.0001"),
        (-1.76e-7, "−1.8 × 10⁻⁷"),
        (1.0625, "1.06"),
        (1.125, "1.13"),
        (math.nan, "undefined"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (np.float64(0.7071067811865475), "0.707"),
        (np.float32(0.5), "0.5"),
    ):
        assert format_number(number) == text


def test_a_weight_is_a_percentage_and_a_gap_one_with_its_sign():
    weights = {0: "0.0%", 1: "100.0%", 1 / 16: "6.3%", 1.76e-7: "0.0%", math.nan: "undefined"}
    gaps = {1: "0.00%", 0.9977: "−0.23%", 1.0055: "+0.55%", math.nan: "undefined"}
    for write, texts in ((format_share, weights), (format_gap, gaps)):
        assert [write(number) for number in texts] == [*texts.values()]


def test_how_a_dot_product_is_made():
    assert products([2, -1], [4, -0.5]) == "2 × 4 + (−1) × (−0.5)"


def test_whole_numbers_have_every_digit_as_long_as_one_can_read_them():
    for number, digits, size in (
        (0, "0", "0 bytes"),
        (1, "1", "1 byte"),
        (999, "999", "999 bytes"),
        (57_982_058_496, "57,982,058,496", "58 GB"),
        (10**15 - 1, "999,999,999,999,999", "1000 TB"),
        (10**15, "1.0 × 10¹⁵", "1 PB"),
        (10**48, "1.0 × 10⁴⁸", "1.0 × 10³⁰ EB"),
    ):
        assert (format_whole(number), format_bytes(number)) == (digits, size)


def test_large_numbers_go_up_in_the_steps_of_the_language():
    for number, *texts in (
        (512, "512", "512", "512", "512", "512"),
        (1_000, "1 thousand", "1 Tsd.", "1000", "mil", "ألف"),
        (4_096, "4.1 thousand", "4,1 Tsd.", "4096", "4,1 mil", "4.1 ألف"),
        (10_000, "10 thousand", "10 Tsd.", "1万", "10 mil", "10 آلاف"),
        (1_000_000, "1 million", "1 Mio.", "100万", "1 millón", "مليون"),
        (12_000_000, "12 million", "12 Mio.", "1200万", "12 millones", "12 مليونًا"),
        (16_777_216, "16.8 million", "16,8 Mio.", "1678万", "16,8 millones", "16.8 مليون"),
        (1_557_611_200, "1.56 billion", "1,56 Mrd.", "15.58亿", "1,56 mil millones", "1.56 مليار"),
        (6_000_000_000, "6 billion", "6 Mrd.", "60亿", "6 mil millones", "6 مليارات"),
        (175_000_000_000, "175 billion", "175 Mrd.", "1750亿", "175 mil millones", "175 مليارًا"),
        (3_140_000_000_000, "3.14 trillion", "3,14 Bio.", "3.14万亿", "3,14 billones", "3.14 تريليون"),
    ):
        for code, text in zip(("en", "de", "zh", "es", "ar"), texts, strict=True):
            with speaking(code):
                assert format_count(number) == text
