"""Every word on the screen stands in ``attention_lab/text/``: none is written in Python or in JavaScript."""

import ast
import re

import pytest

from lab import ROOT

# These speak to whoever writes a lesson, runs the app or calls `show`; these folders hold no words, or programs
# to take home.
FOR_AUTHORS = {
    "faults.py", "export_command.py", "model_command.py", "model_packages.py", "attention.py", "forms.py",
    "from_vectors.py", "array_file.py", "weight_file.py", "show_command.py",
}  # fmt: skip
APART = {"calculation", "server", "programs", "vendor"}

SHOWN = {  # names of arguments whose value is on the screen
    "label", "title", "description", "help", "placeholder", "text", "caption", "head", "idle", "closed", "ask",
    "row_title", "column_title",
}  # fmt: skip
STREAMLIT = {  # what shows its first argument
    "markdown", "caption", "button", "toggle", "selectbox", "select_slider", "segmented_control", "text_input",
    "text_area", "popover", "expander", "info", "warning", "error", "success", "tabs", "dialog", "page_link",
    "badge", "download_button", "write", "title", "header", "subheader",
}  # fmt: skip
NOT_FOR_READERS = {  # calls that make fields, whose meaning stands in docs/ADDRESSES.md, and names
    "_tell_translators", "choice", "flag", "two_words", "several", "typed_line", "number", "whole_number",
    "words", "text_field", "matrix", "own_matrix", "order", "field", "language_field", "ruled", "Field",
    "size",
}  # fmt: skip
REVIEWED = {
    "one way to speak",  # the glossary's introduction, which no page shows
    "placed for you", "by hand and placed", "by hand", "by formula",  # provenances, with badges in controls.md
    "The capital of France is",  # a prompt, English in every language, as the course's example sentences are
    # Names of fonts
    "lab-sans, lab-sans-width, sans-serif", "lab-serif, lab-serif-width, serif", "Liberation Sans",
    "Times New Roman Bold", "Liberation Serif Bold", "Times Bold", "Noto Serif Bold",
    # Live numbers, which programs and tests find by these names
    "line score", "line scaled", "line weight", "line separation", "over root", "ends apart", "apples apart",
    "cut weight", "masked score", " without zeros", "one step", "two steps", "weight, all heads",
}  # fmt: skip

WORD = re.compile(r"[^\W\d_]{3,}")
TWO_WORDS = re.compile(r"[^\W\d_]{2,}[,;:]? [^\W\d_]{2,}")
NO_WORDS = re.compile(r":material/\w+:|\{\w*\}|\$[^$]*\$|^\w+:[NOQ]$")  # icons, placeholders, formulas, columns
CODE = re.compile(r"^const |datum|=>|[;{}<>]|\bstroke\b|clamp\(|color-mix|var\(--|px\b|srgb")


def files(ending):
    """The files whose texts a reader may see."""
    for path in [*(ROOT / "attention_lab").rglob(f"*.{ending}"), *(ROOT / "pages").rglob(f"*.{ending}")]:
        if path.name not in FOR_AUTHORS and not APART.intersection(path.relative_to(ROOT).parts):
            yield path


def name_of(call):
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def literals(node):
    """The texts written out in an expression, but not those of calls inside it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node
    elif not isinstance(node, (ast.Call, ast.Subscript, ast.Dict)):
        for inner in ast.iter_child_nodes(node):
            yield from literals(inner)


def shown(node):
    """The expressions in a call whose texts are on the screen."""
    if isinstance(node, ast.Call):
        yield from (keyword.value for keyword in node.keywords if keyword.arg in SHOWN)
        if name_of(node) in STREAMLIT and "st." in ast.unparse(node.func):
            yield from node.args[:1]
        if name_of(node) == "RefusedError":
            yield from node.args


def not_shown(node):
    """The expressions in a statement or a call whose texts only authors or programs read."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):  # documentation
        yield node.value
    if isinstance(node, ast.Assert) or (isinstance(node, ast.Raise) and "RefusedError" not in ast.unparse(node)):
        yield node
    if isinstance(node, ast.Call) and name_of(node) in NOT_FOR_READERS:
        yield node
    if isinstance(node, ast.keyword) and node.arg == "what":
        yield node.value
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        yield from (value for key, value in pairs if isinstance(key, ast.Constant) and key.value == "what")


def in_python(code):
    """The texts in a module that may be on the screen: of two words, or handed to something that shows them."""
    nodes = [*ast.walk(ast.parse(code))]
    aside = {id(inner) for node in nodes for outer in not_shown(node) for inner in ast.walk(outer)}
    on_screen = {id(text) for node in nodes for value in shown(node) for text in literals(value)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in aside:
            pattern = WORD if id(node) in on_screen else TWO_WORDS
            words = pattern.search(NO_WORDS.sub("", node.value))
            if words and not CODE.search(node.value):
                yield node.value


STRINGS = re.compile(r"""'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`""")
SENTENCE = re.compile(
    r"[A-Z][a-z]+ [a-z]+ [a-z]+|[a-z]{2,}, [a-z]{2,} [a-z]{2,}|[a-z] [a-z]+ [a-z]+[.?]$|^[A-Z][a-z]+ [a-z]{2,}$"
)
SET_AS_TEXT = re.compile(
    r"""(?:textContent|innerText|ariaLabel|title|placeholder|'aria-label'|\btext)\s*[=:]\s*(['"`][^'"`]*['"`])"""
)
NO_SENTENCE = re.compile(r"[{}<>;=\[\]()#]|--|^M[xMLHVCQAZmlhvcqaz\d .,-]*$")  # code, or a path of SVG


def in_javascript(code):
    """The texts in a script that are set as content, and those that look like a sentence."""
    code = re.sub(r"/\*.*?\*/", "", code, flags=re.DOTALL)
    code = re.sub(r"^\s*//.*$|\s//\s.*$", "", code, flags=re.MULTILINE)
    code = re.sub(r"new \w*Error\((?:[^()]|\([^()]*\))*\)|console\.\w+\([^)]*\)", "", code)
    texts = [text[1:-1] for text in SET_AS_TEXT.findall(code)]
    yield from (text for text in texts if WORD.search(re.sub(r"\$\{[^}]*\}?", "", text)))
    for match in STRINGS.finditer(code):
        text = re.sub(r"\$\{[^}]*\}", "x", next(filter(None, match.groups()), ""))
        if SENTENCE.search(text) and not NO_SENTENCE.search(text):
            yield text


@pytest.mark.parametrize(("ending", "texts"), [("py", in_python), ("js", in_javascript)])
def test_no_word_on_screen_is_written_in_the_code(ending, texts):
    read = {path.relative_to(ROOT): path.read_text("utf-8") for path in files(ending)}
    assert len(read) > 50
    assert [f"{path}: {text}" for path in read for text in texts(read[path]) if text not in REVIEWED] == []


def test_words_are_found_in_python():
    for code in (
        'alt.X(title="place")',
        'st.button("Reset")',
        "show(f'{a} looks at')",
        'raise RefusedError("broken")',
    ):
        assert [*in_python(code)], code
    for code in (
        '"""What it says."""',
        'alt.Text(title="row:N")',
        'st.button(text["reset"])',
        'raise Fault("no page")',
    ):
        assert not [*in_python(code)], code


def test_words_are_found_in_javascript():
    for code in ("a.textContent = 'Reset';", "draw('Drag any word');", "draw(`Drag ${name} to a place`);"):
        assert [*in_javascript(code)], code
    for code in ("// Drag any word\n", "throw new Error('No part has it');", "part.className = 'goal done';"):
        assert not [*in_javascript(code)], code
