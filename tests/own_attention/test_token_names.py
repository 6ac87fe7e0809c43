"""Tokens as people can read them, whatever their tokeniser calls them."""

import pytest

from attention_lab.own_attention.token_names import LONGEST, readable


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (["Ġthe", "ĠcafÃ©", "Ċ", "ĊĊ", "ĉ"], ["␣the", "␣café", "↵", "↵↵", "⇥"]),
        (["Ġ", "ðŁ", "ĺĢ"], ["␣", "<F0><9F>", "<98><80>"]),  # the halves of a face
        (["▁the", "s", "▁", "<0x0A>", "<s>"], ["␣the", "s", "␣", "<0A>", "<s>"]),
        (
            ["[CLS]", "ł", "##ing", "fü", "naïve"],
            ["[CLS]", "ł", "##ing", "fü", "naïve"],
        ),  # no bytes: Polish, German
        ([" a", "\n", "a\r\nb", "\x00", "\u200b"], ["␣a", "↵", "a↵b", "<U+0000>", "<U+200B>"]),
        ([b"caf\xc3\xa9", b"\xc3", 17], ["café", "<C3>", "17"]),
        (["<b>&", "سلام", "∅"], ["<b>&", "سلام", "∅"]),
    ],
)
def test_names_are_readable_and_what_cannot_be_seen_has_a_sign(given, shown):
    assert readable(given) == shown


def test_a_very_long_token_is_cut():
    (shown,) = readable(["x" * 10_000])
    assert len(shown) == LONGEST
    assert shown.endswith("…")
