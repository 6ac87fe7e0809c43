"""A file's sections as they are written, and a translation with English where it lacks one.

What a translation lacks, or what cannot be used of it, is logged once for whoever translates. Readers get
English.
"""

import logging
import os
import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path

from .languages import ENGLISH, FORMS, LANGUAGES

# Sections that are the English ones in every language: notes for authors, texts that a model of English words
# reads, what links hold, the names of rooms.
NOT_TRANSLATED = {
    "misleading": ("texts", "chains", "author_notes"),
    "trained_model": ("openings", "author_notes"),
    "generating": ("openings", "author_notes"),
    "controls": ("little_words", "author_notes"),
    "home": ("goal_settings", "author_notes"),
    "lesson_plan": ("goals", "author_notes"),
    "classroom": ("names", "author_notes"),
}
FOR_AUTHORS = ("author_notes",)
GLOSSARY, DISPLAYED = "glossary", "name"  # a part of an entry: its term in another language
PLACEHOLDER = re.compile(r"\{(\w+)\}")
_log = logging.getLogger("attention_lab.text")


def is_translated(file: str, name: str) -> bool:
    """Whether a section of a file is put into other languages."""
    return name.split("/")[0] not in NOT_TRANSLATED.get(file, FOR_AUTHORS)


def plural_base(name: str, names: Collection[str]) -> str | None:
    """Return the section of which `name` is a plural form, or None."""
    base, _, form = name.rpartition("/")
    return base if base and form in FORMS and f"{base}/other" in names and f"{base}/one" in names else None


def placeholders(text: str) -> set[str]:
    """Return the names that a section leaves open."""
    return set(PLACEHOLDER.findall(text))


def parse(written: str) -> tuple[dict[str, str], list[str]]:
    """Return a file's sections by name, and the names that stand there twice, of which the last counts."""
    lines: dict[str, list[str]] = {}
    twice: list[str] = []
    section = name = ""
    for line in written.splitlines():
        if heading := re.match(r"(##|###) (.+)", line):
            section = heading[2].strip() if heading[1] == "##" else section
            name = section if heading[1] == "##" else f"{section}/{heading[2].strip()}"
            twice += [name] if name in lines else []
            lines[name] = []
        elif name:
            lines[name].append(line)
    return {name: "\n".join(held).strip() for name, held in lines.items()}, twice


@lru_cache
def written_at(path: str, period: int) -> int | None:
    """When a file was written last, looked up once in each `period`; None where there is none."""
    try:
        return os.stat(path).st_mtime_ns
    except FileNotFoundError:
        return None


@lru_cache(256)
def read(path: str, written: int | None) -> dict[str, str]:
    """Return the sections of a file, read again once it was `written` again."""
    return {} if written is None else parse(Path(path).read_text(encoding="utf-8"))[0]


def merge(file: str, language: str, english: Mapping[str, str], translated: Mapping[str, str]) -> dict[str, str]:
    """Return the sections of a file in a language, in English order, with the plural forms that it has.

    English stands where a section is missing, or leaves other names open than the English one.
    """
    result: dict[str, str] = {}
    missing: list[str] = []
    broken: list[str] = []

    def put(name: str, source: str, *, plural: bool = False) -> None:
        text = translated.get(name)
        if text is None or not is_translated(file, name):
            missing.extend([name] * is_translated(file, name))
            result[name] = source
            return
        open_here, open_there = placeholders(source), placeholders(text)
        fits = open_there <= open_here and open_here - open_there <= ({"count"} if plural else set())
        if not fits:
            broken.append(name)
        result[name] = text if fits else source

    for name, text in english.items():
        base = plural_base(name, english)
        if base is None:
            put(name, text)
        elif f"{base}/other" not in result:
            for form in LANGUAGES[language].forms:
                put(f"{base}/{form}", english.get(f"{base}/{form}", english[f"{base}/other"]), plural=True)
        if file == GLOSSARY:
            result |= {key: translated[key] for key in (f"{name}/{DISPLAYED}",) if key in translated}
    where = f"attention_lab/text/{language}/{file}.md"
    if not translated:
        _tell_translators(f"{where} is missing: English is shown.")
    elif missing:
        _tell_translators(f"{where} lacks {_first(missing)}: English is shown.")
    if broken:
        _tell_translators(f"{where} leaves other names open than English in {_first(broken)}: English is shown.")
    return result


def _tell_translators(what: str) -> None:
    _log.warning(what)


def _first(names: list[str]) -> str:
    return ", ".join(names[:8]) + (" …" if len(names) > 8 else "")


@lru_cache(256)
def in_language(folder: str, language: str, file: str, stamps: tuple) -> dict[str, str]:
    """Return the sections of a file in a language; `stamps` say when its files were written."""
    english, translation = (f"{folder}/{code}/{file}.md" for code in (ENGLISH, language))
    source = read(english, stamps[0])
    if language == ENGLISH or not source:
        return source
    return merge(file, language, source, read(translation, stamps[1]))
