"""Terms of the glossary in the text: each has an entry, which opens where it stands."""

import json
import re

import pytest

from attention_lab import text as prose
from attention_lab.figure import terms
from tests.visit import PAGES, Visit

FILES = sorted((prose.HERE / prose.ENGLISH).glob("*.md"))
MET = [  # what a newcomer meets on the pages and cannot be expected to know
    "attention pattern",
    "average",
    "bias",
    "decoder",
    "embedding",
    "feature",
    "gradient",
    "head",
    "identity matrix",
    "key",
    "key/value cache",
    "grouped-query attention",
    "layer",
    "layer norm",
    "mask",
    "matrix",
    "model",
    "query",
    "rank",
    "recurrent network",
    "rotary positions",
    "scores",
    "sinusoidal positions",
    "softmax",
    "token",
    "training",
    "transformer",
    "value",
    "vector",
    "vocabulary",
    "weights",
    "window",
    "Δx",
]


def entries():
    return terms.names()


@pytest.mark.parametrize("term", MET)
def test_what_a_newcomer_meets_is_explained(term):
    assert len(prose.read("glossary")[terms.names()[term]]) > 20


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_term_that_is_marked_has_an_entry(path):
    for shown, term in prose.TERM.findall(path.read_text(encoding="utf-8").split("## author_notes")[0]):
        assert (term or shown) in entries(), f"{path.name}: [[{shown}|{term}]]"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_page_opens_terms_and_none_in_what_the_stage_writes(path):
    visit = Visit(path)
    found = prose.LINK.findall(visit.text)
    assert len(found) >= 4
    addresses = re.findall(r"\(#(term-[\w-]+)\)", visit.text)
    assert set(addresses) <= set(terms.entries())
    assert "#term-" not in json.dumps([told["columns"] for told in visit.stages.values()])


def test_no_two_terms_share_an_address():
    assert len(terms.entries()) == len(entries())


def test_an_entry_opens_by_what_it_is_also_called():
    found = terms.entries()
    assert found["term-gqa"] == found["term-grouped-query-attention"]
    assert found["term-gqa"]["term"] == "grouped-query attention"


def test_no_sentence_of_the_glossary_is_longer_than_25_words():
    for term, text in prose.read("glossary").items():
        for sentence in re.split(r"(?<=[.:;])\s", text):
            assert len(sentence.split()) <= 25, f"{term}: {sentence}"


def test_a_term_is_a_link_and_plain_text_has_none():
    assert prose._linked(prose.TERM.search("[[asks|query]]")) == "[asks](#term-query)"
    assert prose.term_address("W_Q, W_K, W_V") == "term-w-q-w-k-w-v"
    assert prose.term_address("Δx") == "term-delta-x"
    assert not prose.TERM.search("W = [[22, 50], [10, 2]] / 57")
    said = prose.Text({"a": "two *[keys](#term-key)*"})
    assert said.plain("a") == "two keys"


def test_formulas_in_entries_are_written_as_text():
    for term, entry in terms.entries().items():
        for kind, text in (piece for paragraph in entry["paragraphs"] for piece in paragraph):
            assert kind in ("", "em", "strong", "sub")
            assert not re.search(r"[$\\*{}]", text), f"{term}: {text}"
    assert terms._pieces("divided by $\\sqrt{d}$, at *most*") == [
        ("", "divided by "), ("", "√d"), ("", ", at "), ("em", "most"),
    ]  # fmt: skip
    assert terms._pieces("$xW_Q$") == [("", "xW"), ("sub", "Q")]
