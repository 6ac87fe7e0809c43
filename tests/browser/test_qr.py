"""QR codes hold what they say: they are read back here, module by module, as the standard has it."""

import re

import pytest

from attention_lab.export.qr import QR
from attention_lab.figure.browser_code import library
from attention_lab.figure.bundle import bundle
from lab import ROOT

# Blocks, codewords of data in each, codewords of correction in each: level M of versions 1 to 6.
BLOCKS = {
    (1, "M"): (1, 16, 10),
    (2, "M"): (1, 28, 16),
    (3, "M"): (1, 44, 26),
    (4, "M"): (2, 32, 18),
    (5, "M"): (2, 43, 24),
    (6, "M"): (4, 27, 16),
}
MASKS = [
    lambda r, c: (r + c) % 2 == 0,
    lambda r, c: r % 2 == 0,
    lambda r, c: c % 3 == 0,
    lambda r, c: (r + c) % 3 == 0,
    lambda r, c: (r // 2 + c // 3) % 2 == 0,
    lambda r, c: r * c % 2 + r * c % 3 == 0,
    lambda r, c: (r * c % 2 + r * c % 3) % 2 == 0,
    lambda r, c: ((r + c) % 2 + r * c % 3) % 2 == 0,
]


def modules(path):
    """The modules that a drawn path makes dark, and how many lie abreast: it keeps four of white all around."""
    dark = set()
    for x, y, wide in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\3z", path):
        dark |= {(int(y) - 4, int(x) + k - 4) for k in range(int(wide))}
    return dark, max(max(at) for at in dark) + 1


def number(bits):
    return int("".join(map(str, bits)), 2)


def read(path):
    """What a code says, with nothing put right: its correction is checked to fit."""
    dark, count = modules(path)
    version = (count - 17) // 4
    along = [(8, c) for c in (0, 1, 2, 3, 4, 5, 7, 8)] + [(r, 8) for r in (7, 5, 4, 3, 2, 1, 0)]
    told = number([int(at in dark) for at in along]) ^ 0b101010000010010
    level, mask = {1: "L", 0: "M"}[told >> 13], MASKS[told >> 10 & 7]

    def fixed(r, c):
        in_corner = (r < 9 and (c < 9 or c > count - 9)) or (r > count - 9 and c < 9)
        aligned = version > 1 and abs(r - count + 7) < 3 and abs(c - count + 7) < 3
        return in_corner or aligned or 6 in (r, c)

    bits, upward = [], True
    for right in [*range(count - 1, 6, -2), 5, 3, 1]:
        for r in range(count - 1, -1, -1) if upward else range(count):
            bits += [int(((r, c) in dark) != mask(r, c)) for c in (right, right - 1) if not fixed(r, c)]
        upward = not upward
    words = [number(bits[at : at + 8]) for at in range(0, len(bits) - 7, 8)]
    blocks, of_data, of_correction = BLOCKS[version, level]
    data = [words[k : blocks * of_data : blocks] for k in range(blocks)]
    correction = [words[blocks * of_data + k :: blocks][:of_correction] for k in range(blocks)]
    for first, rest in zip(data, correction, strict=True):
        assert_corrected(first + rest, of_correction)
    stream = [int(bit) for block in data for word in block for bit in f"{word:08b}"]
    assert number(stream[:4]) == 0b0100, "bytes"
    length = number(stream[4:12])
    return bytes(number(stream[12 + 8 * k : 20 + 8 * k]) for k in range(length)).decode()


def assert_corrected(block, of_correction):
    """The block, as a polynomial, is zero at the first powers of two in the field of 256."""
    power = 1
    for _ in range(of_correction):
        value = 0
        for word in block:
            value = times(value, power) ^ word
        assert value == 0
        power = times(power, 2)


def times(a, b):
    """The product in the field of 256 that codes use."""
    product = 0
    while b:
        product ^= a if b & 1 else 0
        a, b = a << 1 ^ (0x11D if a & 0x80 else 0), b >> 1
    return product


@pytest.fixture(scope="module")
def drawn(browser):
    """Draws a code of a text in an empty page, without any server; gives its path."""
    page = browser.new_page()
    module = next((ROOT / "attention_lab" / "export" / "qr").glob("*.js"))
    page.evaluate(f"() => {{ {bundle(module)}\nglobalThis.qr = qr_module.qr; }}")
    yield lambda text: page.evaluate("text => qr(text)?.querySelector('path').getAttribute('d') ?? null", text)
    page.close()


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "https://lab.example/similarity",
        "http://127.0.0.1:8501/values?goal=middle",
        "https://lab.example/queries_keys?goal=there_not_back&predict=1",
        "https://lab.example/softmax?question=" + 3 * "Which-word-wins_3f_.",
        "größer → 🍎",
    ],
)
def test_a_code_says_what_it_was_made_of(drawn, text):
    assert read(drawn(text)) == text


def test_what_is_too_long_has_no_code(drawn):
    assert drawn("x" * 2900)
    assert drawn("x" * 3000) is None


def test_what_a_code_is_made_with_is_brought_only_where_it_is_shown():
    for name in ("qr_code", "class_link"):
        assert (name in library().text, name in QR.script.text) == (False, True)
