"""Every word that a reader sees stands in ``attention_lab/text/``: none is left in Python or in JavaScript.

What is looked for: texts handed to Streamlit, texts handed to a builder under a name that is shown, and sentences
anywhere. What is not: documentation, faults in the code, and names that only programs read.
"""

import ast
import re

import pytest

from lab import ROOT

CODE = [path for package in ("attention_lab", "pages") for path in sorted((ROOT / package).rglob("*.py"))]
INTERNAL = ("faults.py", "streamlit_internals.py", "operations.py")  # they speak to whoever writes a lesson
INTERNAL += ("export_command.py",)  # and the terminal to whoever runs the app
APART = {"calculation", "server", "programs", "numpy", "torch"}
PYTHON = [path for path in CODE if not APART & {*path.relative_to(ROOT).parts} and path.name not in INTERNAL]
JAVASCRIPT = [path for path in sorted((ROOT / "attention_lab").rglob("*.js")) if "vendor" not in path.parts]
WORD = re.compile(r"[^\W\d_]{3,}")
SENTENCE = re.compile(r"[^\W\d_]{2,} [a-z]+ [a-z]+")
SHOWN = {"label", "title", "help", "placeholder", "caption", "head", "idle", "text", "closed", "ask"}
SHOWN |= {"row_title", "column_title"}
OF_STREAMLIT = {"markdown", "caption", "button", "toggle", "selectbox", "select_slider", "segmented_control"}
OF_STREAMLIT |= {"text_input", "text_area", "popover", "expander", "info", "warning", "error", "success", "tabs"}
OF_STREAMLIT |= {"dialog", "page_link", "badge", "download_button", "write", "title", "header", "subheader"}
# A field's meaning stands in ADDRESSES.md, a live number is called by name for programs, faults speak to authors.
NOT_FOR_READERS = {
    "_tell_translators",
    "choice",
    "flag",
    "two_words",
    "several",
    "typed_line",
    "number",
    "whole_number",
    "words",
    "matrix",
    "own_matrix",
    "order",
    "field",
}
NOT_FOR_READERS |= {
    "any_rows",
    "Field",
    "size",
    "Fault",
    "unknown",
    "UnknownNameError",
    "ValueError",
    "TypeError",
    "FileExistsError",
    "FileNotFoundError",
    "RuntimeError",
    "ArgumentParser",  # the terminal is for whoever runs the app
    "add_argument",
    "operation",  # the names of shapes, such as "n m"
}
AS_THEY_ARE = {
    "NumPy",
    "PyTorch",
    "CSV",
    "Attention Lab",
    "one way to speak",
    "placed for you",
    "by hand and placed",
}


def name_of(call):
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def literals(node):
    """The texts written out in an expression, those inside further calls left aside."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node
    elif not isinstance(node, (ast.Call, ast.Subscript, ast.Dict)):
        for inner in ast.iter_child_nodes(node):
            yield from literals(inner)


def documentation(tree):
    return {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_word_of_a_readers_is_left_in_python(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    aside, found = documentation(tree), []
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    for call in calls:
        shown = [keyword.value for keyword in call.keywords if keyword.arg in SHOWN]
        if name_of(call) in OF_STREAMLIT and "st." in ast.unparse(call.func):
            shown += call.args[:1]
        if name_of(call) == "RefusedError":
            shown += call.args
        found += [text for each in shown for text in literals(each) if WORD.search(plain(text.value))]
        if name_of(call) in NOT_FOR_READERS:
            aside |= {id(inner) for inner in ast.walk(call)}
        for keyword in call.keywords:
            if keyword.arg == "what":
                aside |= {id(inner) for inner in ast.walk(keyword.value)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            is_code = re.search(r"=>|;|^#", node.value)
            found += [node] if SENTENCE.search(node.value) and not is_code else []
    left = {f"line {node.lineno}: {node.value!r}" for node in found if id(node) not in aside}
    left = {line for line in left if not any(known in line for known in AS_THEY_ARE)}
    assert not left, "\n".join(sorted(left))


def plain(text):
    """A text without what is no word in it: icons, the holes of a template, the columns of a chart's data."""
    return re.sub(r":material/\w+:|\{\w*\}|\$[^$]*\$|^\w+:[NOQ]$", "", text)


MAKES_TEXT = re.compile(r"""(?:text:|textContent =|'aria-label':|title:)\s*(?:'([^']*)'|`([^`]*)`)""")


@pytest.mark.parametrize("path", JAVASCRIPT, ids=lambda path: path.stem)
def test_no_word_of_a_readers_is_left_in_javascript(path):
    code = re.sub(r"^\s*//.*$|\s//\s.*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    texts = [a or b for a, b in MAKES_TEXT.findall(code)]
    left = [text for text in texts if WORD.search(re.sub(r"\$\{[^}]*\}", "", text))]
    assert not left
