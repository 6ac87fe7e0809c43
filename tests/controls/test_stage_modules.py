"""The stage's JavaScript: every module stands behind those that it reads from."""

import re

import pytest

from controls.stage.component import BROWSER, MODULES, module

IMPORT = re.compile(r"^import \{(.*?)\} from '\./(\w+)\.js';$", re.MULTILINE)


def exports(name):
    text = (BROWSER / f"{name}.js").read_text(encoding="utf-8")
    return set(re.findall(r"^export (?:const|let|(?:async )?function\*?) (\w+)", text, re.MULTILINE))


def test_every_file_is_a_module_of_the_stage():
    assert sorted(MODULES) == sorted(path.stem for path in BROWSER.glob("*.js"))


@pytest.mark.parametrize("name", MODULES)
def test_a_module_reads_only_what_stands_before_it(name):
    text = (BROWSER / f"{name}.js").read_text(encoding="utf-8")
    found = IMPORT.findall(text)
    assert len(found) == len(re.findall(r"^import\b", text, re.MULTILINE)), "imports are one line each"
    for names, source in found:
        assert source in MODULES[: MODULES.index(name)]
        assert {word.strip() for word in names.split(",")} <= exports(source)
    assert "import " not in re.sub(r"//.*", "", module(name))


@pytest.mark.parametrize("name", MODULES)
def test_text_goes_in_as_text(name):
    """No word of a reader's is ever read as HTML."""
    text = (BROWSER / f"{name}.js").read_text(encoding="utf-8")
    assert not re.search(r"\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval)\b|new Function", text)
