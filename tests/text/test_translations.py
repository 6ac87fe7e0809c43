"""Every translation that is in the repository is whole: what it lacks, or what is stale or malformed, fails."""

import re

import pytest

from attention_lab import text as prose
from attention_lab.text.languages import ENGLISH, LANGUAGES
from attention_lab.text.sections import parse
from tools import translations

TRANSLATED = [code for code in LANGUAGES if code != ENGLISH and (prose.HERE / code).exists()]
FILES = translations.files()
# A page that no language has yet stays English everywhere: `python -m tools.translations` lists it.
BEGUN = [file for file in FILES if any((prose.HERE / code / f"{file}.md").exists() for code in TRANSLATED)]


def name_of_section(question):
    """What somebody types who has read each section."""
    return re.search(r"English of (\S.*)\?", question)[1]


@pytest.fixture
def own_texts(tmp_path, monkeypatch):
    """A folder with English and a German translation of two files."""
    monkeypatch.setattr(prose, "HERE", tmp_path)
    english = "# P\n\n## a\none *two* {x}\n### b\n[[softmax]] of $x$\n"
    english += "## n\n### one\n{count} word\n### other\n{count} words\n"
    german = "# P\n\n## a\neins *zwei* {x}\n### b\n[[Softmax|softmax]] von $x$\n"
    german += "## n\n### one\nein Wort\n### other\n{count} Wörter\n"
    glossary = {"en": "# G\n\n## softmax\nS.\n\n## key/value cache\nK.\n"}
    glossary["de"] = "# G\n\n## softmax\nS.\n### name\nSoftmax\n\n## key/value cache\nK.\n### name\nCache\n"
    for code, text in (("en", english), ("de", german)):
        (tmp_path / code).mkdir()
        (tmp_path / code / "p.md").write_text(text, encoding="utf-8")
        (tmp_path / code / "glossary.md").write_text(glossary[code], encoding="utf-8")
    for file in ("p", "glossary"):
        translations.accept("de", file, name_of_section)
    return tmp_path


def change(folder, code, old, new):
    path = folder / code / "p.md"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def faults_of(code="de", file="p"):
    return [*translations.faults(code, file, translations.read_sources(code).get(file, {}))]


def test_a_translation_is_whole_and_up_to_date():
    assert len(TRANSLATED) >= 4
    wrong = {(code, file): faults_of(code, file) for code in TRANSLATED for file in BEGUN}
    lines = [f"{code}/{file}: {fault}" for (code, file), faults in wrong.items() for fault in faults]
    assert not lines, "\n".join([*lines, "`python -m tools.translations de similarity` lists those of one file"])


def test_a_file_has_no_section_twice_and_a_translation_no_file_of_its_own():
    paths = [path for code in LANGUAGES for path in (prose.HERE / code).glob("*.md")]
    assert {path.stem for path in paths} == set(FILES)
    assert [path for path in paths if parse(path.read_text(encoding="utf-8"))[1]] == []


def test_a_whole_translation_has_no_faults(own_texts):
    assert faults_of() == faults_of(file="glossary") == []


FAULTS = [
    ("de", "### b\n[[Softmax|softmax]] von $x$\n", "", "missing: a/b"),
    ("de", "### one\nein Wort\n", "", "missing: n/one"),
    ("de", "ein Wort", "{x} Wort", "malformed: n/one has {x}, English has not"),
    ("de", "{x}", "{y}", "malformed: a lacks {x}"),
    ("de", "|softmax", "|weights", "malformed: a/b lacks [[softmax]]"),
    ("de", "$x$", "x", "malformed: a/b lacks $x$"),
    ("de", "## n", "## more\nmehr\n## n", "unknown: more"),
    ("en", "### b\n[[softmax]] of $x$\n", "", "unknown: a/b"),
]


def test_a_fault_is_named(own_texts):
    for code, old, new, fault in FAULTS:
        path = own_texts / code / "p.md"
        whole = path.read_text(encoding="utf-8")
        change(own_texts, code, old, new)
        assert fault in faults_of()
        path.write_text(whole, encoding="utf-8")


def test_a_section_whose_english_has_changed_is_stale_until_it_is_accepted(own_texts, capsys):
    change(own_texts, "en", "one *two*", "three *two*")
    assert faults_of() == ["stale: a"]
    for typed in ("", "p", "A"):
        translations.accept("de", "p", lambda _, typed=typed: typed)
        assert faults_of() == ["stale: a"]
    capsys.readouterr()
    translations.accept("de", "p", name_of_section)
    shown = capsys.readouterr().out
    assert "three *two* {x}" in shown
    assert "eins *zwei* {x}" in shown
    assert "[[Softmax|softmax]]" not in shown  # only what is stale is asked for
    assert faults_of() == []


def test_a_section_that_nobody_has_read_is_stale(own_texts):
    for code in ("en", "de"):
        change(own_texts, code, "## n", "## new\nabc\n## n")
    assert faults_of() == ["stale: new"]


def test_a_plural_is_stale_when_one_of_its_english_forms_has_changed(own_texts):
    change(own_texts, "en", "{count} word\n", "one word\n")
    assert faults_of() == ["stale: n/other"]


def test_a_catalogue_holds_every_section_and_comes_back(own_texts):
    target = own_texts / "de.po"
    change(own_texts, "de", "eins *zwei* {x}", "eins *zwei* {x}\n\nzweiter Absatz “so”")
    before = {file: translations.translated("de", file) for file in ("p", "glossary")}
    translations.to_po("de", ["p", "glossary"], target)
    text = target.read_text(encoding="utf-8")
    assert 'msgctxt "p/a/b"' in text
    assert 'msgctxt "glossary/softmax/name"' in text
    for file in before:
        (own_texts / "de" / f"{file}.md").unlink()
    (own_texts / "de" / translations.SOURCES).unlink()
    assert sorted(translations.from_po("de", target)) == ["glossary", "p"]
    assert "## key/value cache" in (own_texts / "de" / "glossary.md").read_text(encoding="utf-8")
    assert {file: {k: v for k, v in translations.translated("de", file).items() if v} for file in before} == {
        file: {k: v for k, v in texts.items() if v} for file, texts in before.items()
    }
    assert faults_of() == faults_of(file="glossary") == []


def test_what_is_stale_is_fuzzy_and_does_not_come_back(own_texts):
    change(own_texts, "en", "one *two*", "three *two*")
    target = own_texts / "de.po"
    translations.to_po("de", ["p"], target)
    assert "fuzzy" in target.read_text(encoding="utf-8")
    (own_texts / "de" / "p.md").unlink()
    translations.from_po("de", target)
    assert "a" not in {name for name, text in translations.translated("de", "p").items() if text}


def test_plural_categories_are_those_that_a_language_says_it_has():
    for language in LANGUAGES.values():
        assert {language.plural(count) for count in range(1000)} == set(language.forms), language
