"""Terms of the glossary in the text: each has an entry, which opens where it stands."""

import json
import re

from attention_lab import text as prose
from attention_lab.figure import terms
from tests.visit import PAGES, Visit

MET = """
attention pattern, average, bias, decoder, embedding, feature, gradient, grouped-query attention, head,
identity matrix, key, KV cache, layer, layer norm, mask, matrix, model, query, rank, recurrent network,
rotary positions, scores, sinusoidal positions, softmax, token, training, transformer, value, vector, vocabulary,
weights, window, Δx
""".replace("\n", " ")  # what a newcomer meets on the pages and cannot be expected to know


def test_what_a_newcomer_meets_is_explained():
    glossary, names = prose.read("glossary"), terms.names()
    met = [term.strip() for term in MET.split(",")]
    assert [term for term in met if len(glossary.get(names.get(term), "")) < 20] == []


def test_a_term_that_is_marked_has_an_entry():
    texts = {path.name: path.read_text("utf-8") for path in (prose.HERE / prose.ENGLISH).glob("*.md")}
    marked = {
        (name, term or shown)
        for name, text in texts.items()
        for shown, term in prose.TERM.findall(text.split("## author_notes")[0])
    }
    assert len(marked) > 100
    assert [(name, term) for name, term in marked if term not in terms.names()] == []


def test_every_page_opens_terms_and_none_in_what_the_stage_writes():
    for path in PAGES:
        visit = Visit(path)
        opened = re.findall(r"\(#(term-[\w-]+)\)", visit.text)
        assert len(opened) >= 4, path.stem
        assert set(opened) <= set(terms.entries()), path.stem
        assert "#term-" not in json.dumps([stage["columns"] for stage in visit.stages.values()]), path.stem


def test_an_entry_opens_by_each_of_its_names_and_no_two_share_an_address():
    entries = terms.entries()
    assert len(entries) == len(terms.names())
    assert entries["term-gqa"] == entries["term-grouped-query-attention"]
    assert entries["term-gqa"]["term"] == "grouped-query attention"


def test_a_term_is_a_link_and_plain_text_has_none():
    assert prose._linked(prose.TERM.search("[[asks|query]]")) == "[asks](#term-query)"
    assert prose.term_address("W_Q, W_K, W_V") == "term-w-q-w-k-w-v"
    assert prose.term_address("Δx") == "term-delta-x"
    assert not prose.TERM.search("W = [[22, 50], [10, 2]] / 57")
    assert prose.Text({"a": "two *[keys](#term-key)*"}).plain("a") == "two keys"


def test_formulas_in_entries_are_written_as_text():
    pieces = [piece for entry in terms.entries().values() for each in entry["paragraphs"] for piece in each]
    assert {kind for kind, _ in pieces} <= {"", "em", "strong", "sub"}
    assert [text for _, text in pieces if re.search(r"[$\\*{}]", text)] == []
    divided = [("", "divided by "), ("", "√d"), ("", ", at "), ("em", "most")]
    assert terms._pieces("divided by $\\sqrt{d}$, at *most*") == divided
    assert terms._pieces("$xW_Q$") == [("", "xW"), ("sub", "Q")]
