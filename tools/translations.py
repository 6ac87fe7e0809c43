"""List what a translation lacks, what has changed in English since, and what is malformed.

    python -m tools.translations es            # every file of one language; without a language, of all
    python -m tools.translations es softmax    # some files
    python -m tools.translations es softmax --accept       # shows each stale section beside its English
    python -m tools.translations es --to-po es.po          # as a gettext catalogue, for a translation program
    python -m tools.translations es --from-po es.po        # and back into the files

A section is *stale* until somebody has accepted it beside today's English. ``sources.json`` beside the files has
a line a page: for each section, the fingerprint of the English text that was read.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from attention_lab import text as prose
from attention_lab.text.languages import ENGLISH, LANGUAGES
from attention_lab.text.sections import DISPLAYED, GLOSSARY, is_translated, parse, plural_base

SOURCES = "sources.json"


def path_of(language: str, file: str) -> Path:
    """Return the path of a file of texts."""
    return prose.HERE / language / f"{file}.md"


def sections(path: Path) -> dict[str, str]:
    """Return the sections of a file by name, as written."""
    written, twice = parse(path.read_text(encoding="utf-8"))
    if twice:
        raise SystemExit(f"{path}: “{twice[0]}” stands there twice.")
    return written


def files() -> list[str]:
    """Return the names of all files of texts."""
    return sorted(path.stem for path in (prose.HERE / ENGLISH).glob("*.md"))


def to_translate(file: str) -> dict[str, str]:
    """Return the sections of an English file that a translation has, too."""
    return {name: text for name, text in sections(path_of(ENGLISH, file)).items() if is_translated(file, name)}


def to_read(file: str) -> dict[str, str]:
    """Return what a translator reads, by section; the forms of a plural are one text, named by the last."""
    return _readable(to_translate(file))


def _readable(english: dict[str, str]) -> dict[str, str]:
    result = {}
    for name, text in english.items():
        base = plural_base(name, english)
        if base is None:
            result[name] = text
        elif name == f"{base}/other":
            result[name] = f"{english[f'{base}/one']}\n{text}"
    return {name: text for name, text in result.items() if text}


def translated(language: str, file: str) -> dict[str, str]:
    """Return the sections of a translated file; none where there is no such file."""
    path = path_of(language, file)
    return sections(path) if path.exists() else {}


def wanted(language: str, file: str) -> dict[str, str]:
    """Return the sections that a language should have, with their English: its own plural forms, terms' names."""
    english = to_translate(file)
    result = {}
    for name, text in english.items():
        base = plural_base(name, english)
        if base is None:
            result[name] = text
        elif f"{base}/other" not in result:
            for form in LANGUAGES[language].forms:
                result[f"{base}/{form}"] = english.get(f"{base}/{form}", english[f"{base}/other"])
        if file == GLOSSARY:
            result[f"{name}/{DISPLAYED}"] = name
    return result


def fingerprint(text: str) -> str:
    """Return a few characters that change with the text."""
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def marks(text: str) -> Counter[str]:
    """Count what a translation keeps as it is: placeholders, terms, formulas, links, code."""
    kept = re.findall(r"\{\w+\}", text)
    kept += [f"[[{term}]]" for term in re.findall(r"\[\[(?:[^\]|]+\|)?([^\]|]+)\]\]", text)]
    kept += [f"${formula}$" for formula in re.findall(r"\$([^$\n]+)\$", text)]
    kept += [f"({link})" for link in re.findall(r"\]\((\S+?)\)", text)]
    kept += [f"`{code}`" for code in re.findall(r"`([^`\n]+)`", text)]
    return Counter(kept)


def _malformed(name: str, source: str, text: str, *, plural: bool) -> Iterator[str]:
    here, there = marks(source), marks(text)
    lacks, has = here - there, there - here
    if plural:
        lacks.pop("{count}", None)  # a form may say the number in words: both, none
    if lacks:
        yield f"malformed: {name} lacks {' '.join(lacks)}"
    if has:
        yield f"malformed: {name} has {' '.join(has)}, English has not"
    if bool(source) != bool(text):
        yield f"malformed: {name} is empty in one of the two"


def faults(language: str, file: str, accepted: dict[str, str]) -> Iterator[str]:
    """Yield a line for each section that is missing, stale, malformed, or that English does not have."""
    english, sources, own = to_translate(file), wanted(language, file), translated(language, file)
    for name, source in sources.items():
        is_name = file == GLOSSARY and name.endswith(f"/{DISPLAYED}") and name not in english
        if name not in own:
            if not is_name:  # the term may be the English one
                yield f"missing: {name}"
            continue
        if is_name:
            continue
        base = name.rpartition("/")[0]
        plural = f"{base}/one" in english and f"{base}/other" in english
        yield from _malformed(name, source, own[name], plural=plural)
    for name, source in to_read(file).items():
        if name in own and accepted.get(name) != fingerprint(source):
            yield f"stale: {name}"
    for name in own:
        if name not in sources and is_translated(file, name):
            yield f"unknown: {name}"


def read_sources(language: str) -> dict[str, dict[str, str]]:
    """Return the fingerprints of the English sections that were accepted, by file."""
    path = prose.HERE / language / SOURCES
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def record(language: str, file: str, read: Iterable[str]) -> None:
    """Write down that these sections have been read beside today's English."""
    sources, english = read_sources(language), to_read(file)
    known = sources.get(file, {}) | {name: fingerprint(english[name]) for name in read if name in english}
    sources[file] = {name: known[name] for name in english if name in known}
    lines = (f"{json.dumps(name)}: {json.dumps(sections)}" for name, sections in sorted(sources.items()))
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    (prose.HERE / language / SOURCES).write_text(text, encoding="utf-8")


def accept(language: str, file: str, answer: Callable[[str], str] = input) -> None:
    """Show each stale section beside its English; record those whose name is given as the answer."""
    accepted, english = read_sources(language).get(file, {}), to_read(file)
    for name in [*_stale(language, file)]:
        before = _english_of(file, name, accepted[name]) if name in accepted else "(not read before)"
        print(f"\n{language}/{file}: {name}\n\nEnglish, as read before:\n{before}\n")
        print(f"English, now:\n{english[name]}\n\nTranslation:\n{_shown(language, file, name)}\n")
        question = f"Does this translate today's English of {name}? Type the section's name; Enter leaves it: "
        if answer(question).strip() == name:
            record(language, file, [name])


def _shown(language: str, file: str, name: str) -> str:
    own, base = translated(language, file), plural_base(name, to_translate(file))
    names = [name] if base is None else [f"{base}/{form}" for form in LANGUAGES[language].forms]
    return "\n".join(own[form] for form in names if form in own)


def _english_of(file: str, name: str, its_fingerprint: str) -> str:
    """Return the English text of a fingerprint, from git's history."""
    folder = path_of(ENGLISH, file).parent
    git = ["git", "-C", str(folder)]
    commits = subprocess.run([*git, "log", "--format=%h", "--", f"{file}.md"], capture_output=True, text=True)
    for commit in commits.stdout.split():
        shown = subprocess.run([*git, "show", f"{commit}:./{file}.md"], capture_output=True, text=True)
        if fingerprint(text := _readable(parse(shown.stdout)[0]).get(name, "")) == its_fingerprint:
            return text
    return "(not in git's history)"


def write(language: str, file: str, texts: dict[str, str]) -> None:
    """Write the sections of a translated file, in English order, behind the heading that it has."""
    path = path_of(language, file)
    first = path if path.exists() else path_of(ENGLISH, file)
    blocks = [first.read_text(encoding="utf-8").partition("\n## ")[0].strip()]
    section = ""
    for name in wanted(language, file):
        head, _, part = name.partition("/") if file != GLOSSARY else _entry(name)
        if name not in texts and head == section:
            continue
        if head != section:
            blocks.append(f"\n## {head}" + (f"\n{texts[head]}" if texts.get(head) else ""))
            section = head
        if part:
            blocks.append(f"### {part}\n{texts[name]}".rstrip())
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(blocks) + "\n", encoding="utf-8")


def _entry(name: str) -> tuple[str, str, str]:
    """Part a section of the glossary, whose terms may hold a stroke: ``key/value cache``."""
    head = name.removesuffix(f"/{DISPLAYED}")
    return head, "", "" if head == name else DISPLAYED


def to_po(language: str, names: Sequence[str], target: Path) -> None:
    """Write the sections of some files as a catalogue of gettext's: a section's name is its context."""
    import polib

    catalogue = polib.POFile(wrapwidth=0)
    catalogue.metadata = {"Language": language, "Content-Type": "text/plain; charset=utf-8"}
    for file in names:
        own, stale, english = translated(language, file), set(_stale(language, file)), to_translate(file)
        for name, source in wanted(language, file).items():
            if source:
                entry = polib.POEntry(msgctxt=f"{file}/{name}", msgid=source, msgstr=own.get(name, ""))
                base = plural_base(name, english)
                is_stale = (name if base is None else f"{base}/other") in stale
                entry.flags = ["fuzzy"] if is_stale and entry.msgstr else []
                catalogue.append(entry)
    catalogue.save(str(target))


def _stale(language: str, file: str) -> Iterator[str]:
    accepted = read_sources(language).get(file, {})
    return (
        line.removeprefix("stale: ") for line in faults(language, file, accepted) if line.startswith("stale: ")
    )


def from_po(language: str, source: Path) -> list[str]:
    """Write the translations of a catalogue into their files, and return the files' names."""
    import polib

    new: dict[str, dict[str, str]] = {}
    read: dict[str, list[str]] = {}
    for entry in polib.pofile(str(source)):
        file, _, name = (entry.msgctxt or "").partition("/")
        if file in files() and name in wanted(language, file) and entry.msgstr and not entry.fuzzy:
            new.setdefault(file, {})[name] = entry.msgstr
            if entry.msgid == wanted(language, file)[name]:  # the catalogue showed it beside the translation
                read.setdefault(file, []).append(name)
    for file, texts in new.items():
        write(language, file, translated(language, file) | texts)
        record(language, file, read.get(file, []))
    return [*new]


def main() -> int:
    """Print what is at fault; the exit code is 1 if anything is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", nargs="?", choices=[code for code in LANGUAGES if code != ENGLISH])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("--to-po", type=Path, metavar="FILE")
    parser.add_argument("--from-po", type=Path, metavar="FILE")
    options = parser.parse_args()
    names = options.files or files()
    languages = [options.language] if options.language else [code for code in LANGUAGES if code != ENGLISH]
    if options.from_po:
        names = from_po(options.language, options.from_po)
    if options.to_po:
        to_po(options.language, names, options.to_po)
        return 0
    count = 0
    for language in languages:
        if options.accept:
            with suppress(EOFError):  # no more answers
                for file in names:
                    accept(language, file)
        sources = read_sources(language)
        for file in names:
            for fault in faults(language, file, sources.get(file, {})):
                print(f"{language}/{file}: {fault}")
                count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
