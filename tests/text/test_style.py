"""The style of the words on screen: plain English, one term for one thing, short sentences, no words in the code.

Each pattern below names a wording that is not used, and the better one. A match that is right as it stands goes
into `ALLOWED`, with the reason. Sections named ``author_notes`` are for authors and are not checked.
"""

import ast
import re

import pytest

from attention_lab import text as prose
from lab import ROOT
from tests.test_words import INTERNAL, NOT_FOR_READERS, documentation, name_of, plain

FILES = sorted((prose.HERE / prose.ENGLISH).glob("*.md"))
every_file = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
MOST_WORDS = 25  # in a sentence
NOT_FOR_LEARNERS = ("author_notes", "little_words", "texts", "openings")  # for authors, or what a model reads

BETTER = {  # what is not said, as a pattern: what is said instead
    r"\bshares? (?:of|to|for|on|in|goes?|is|are|adds?|sums?|falls?|rises?|left)\b": "weight or probability",
    r"\b(?:its|their|the|a|each|whose|no|largest|greatest|equal|same|of) shares?\b": "weight, probability",
    r"\bwhom\b": "which word",
    r"\b(?:for|in) whoever\b": "for everyone who",
    r"\bexchang(?:e|es|ed|ing)\b": "swap, replace",
    r"\bright answers\b": "accuracy (a measure), correct answers",
    r"\b(?:model|head|heads|network|layer|encoder|decoder|it|they) (?:says?|said|answers|answered)\b": "predicts",
    r"\bscore for an answer\b": "logit",
    r"\bplaces? to rest\b|\brests? (?:on|at|there|somewhere)\b": "attention sink",
    r"\banew\b": "again",
    r"\bin earnest\b": "real",
    r"\bupon\b": "on",
    r"\bof (?:its|their|one[’']s|his|her) own\b": "its own, their own",
    r"\bhanded? over\b|\bhands over\b|\bhanding over\b": "supply, contribute",
    r"\b(?:switched|taken|takes?|taking) out\b": "ablate",
    r"\btrying it out\b|\btrials?\b": "intervention",
    r"\bfiller\b": "padding",
    r"(?<!convex )\bhull\b": "convex hull",
    r"\bturned by\b|\bturned (?:queries|keys)\b": "rotated",
    r"\bkey/value groups\b": "grouped-query attention (GQA)",
    r"\bjoined (?:contexts|heads)\b": "concatenated head outputs",
    r"\bline of chance\b": "chance level",
    r"\bslopes?\b": "gradient",
    r"\b(?:force on|pushes? (?:on|against)|pushed (?:by|from))\b": "negative gradient",
    r"\bevenly spread\b|\b(?:flat|even) (?:pattern|row|weights)\b|\bflat\b": "uniform",
    r"\b(?:first|second|1st|2nd|3rd|4th) number\b|\bnumbers of a vector\b": "component, dimension",
    r"\b(?:its|this|each|every|which|same) places? (?:in|of) (?:the|a) (?:sentence|text)\b": "position",
    r"\btake(?:n|s)? away\b|\btake-away\b": "export; share",
    r"\ba class in one room\b": "live classroom",
    r"\bon the wall\b": "show join code; presentation mode",
    r"\blearned at step\b": "reaches 99% accuracy at step",
    r"\breveal what is right\b": "reveal answer",
    r"\b(?:is|are|was|were) (?:told|tried|given back|asked for)\b": "active: it appears after you predict",
    r"\bby lot\b|\bnobody looks\b|\bgives? way\b": "a common word",
    r"\b(?:thereby|therein|thereof|whereby|whereof|wherein|hence|lest|whilst|hereby)\b": "a common word",
    r"\b(?:drawn|shown|told|asked|given) (?:are|is)\b": "no inversion: Show",
    r"\b(?:if|when|as|that|what|where|which|than|until|while|once) one (?:can|may|might|must|should|could|cannot|"
    r"would|takes|sees|asks|wants|needs|gains|looks|thinks|reads|changes|has|is|knows|finds|does|moves)\b": "you",
    r"\bone (?:may|might|must|should|could|sees|wants|would)\b|\bone[’']s own\b|\boneself\b": "you",
    r"!(?!=)": "no exclamation marks",
    r"(?:[\d}])[\s\u00a0]%": "80% without a space",
    r"(?<=[A-Za-z*}])'(?=[A-Za-z])|(?<=s)'(?=\s)": "’, a typographic apostrophe",
    r'"': "“ ” , typographic quotation marks",
}
ALLOWED = {  # (file, what is matched): why it is right
    ("self_attention", "that one cannot"): "“what two layers can do that one cannot”: one is one layer",
    ("test", "if one"): "“if one fails”: one is one head",
}
CODE_OR_FORMULA = re.compile(
    r"`[^`]*`|\$\$.*?\$\$|\$[^$\n]*\$|\]\([^)]*\)|\[|:material/\w+:|:\w+\[|<[^>]+>", re.DOTALL
)


def sections(file):
    """The sections of a file that learners or teachers read, without code and formulas."""
    found = prose.read(file.stem)
    return {
        name: re.sub(r"\{\w+\}", "{}", CODE_OR_FORMULA.sub(" ", text))
        for name, text in found.items()
        if name.split("/")[0] not in NOT_FOR_LEARNERS and not re.fullmatch(r"[\w./=&-]*", text)
    }


def sentences(text):
    """The sentences of a section; a line, such as one of a list, ends one."""
    for line in text.splitlines():
        yield from re.split(r"(?<=[.?!…])[*_“”’)]*\s+", line.strip(" -*#|"))


def words_in(sentence):
    """How many words a sentence has; a placeholder is one."""
    return len([word for word in sentence.split() if re.search(r"[^\W_]|\{\}", word)])


def is_allowed(file, matched):
    return any(name in ("*", file.stem) and matched.casefold() in what.casefold() for name, what in ALLOWED)


@every_file
def test_no_word_is_used_that_has_a_better_one(file):
    found = [
        f"{name}: {match[0]!r} → {better}   …{text[max(0, match.start() - 25) : match.end() + 15]!r}…"
        for name, text in sections(file).items()
        for pattern, better in BETTER.items()
        for match in re.finditer(pattern, text, re.IGNORECASE)
        if not is_allowed(file, match[0])
    ]
    assert not found, "\n" + "\n".join(found)


@every_file
def test_a_sentence_has_at_most_25_words(file):
    found = [
        f"{name}: {words_in(sentence)} words: {sentence}"
        for name, text in sections(file).items()
        for sentence in sentences(text)
        if name != "source" and words_in(sentence) > MOST_WORDS  # a list of titles is no sentence
    ]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Its share of attention is 0.2.", True),
        ("Share the link.", False),
        ("They share one matrix.", False),
        ("Whom does it mean?", True),
        ("The model says tech.", True),
        ("A word of its own.", True),
        ("Once one sees it, drag.", True),
        ("If one head attends, drag.", False),
        ("80 % of it", True),
        ("80% of it", False),
        ("apple's key", True),
        ("apple’s key", False),
        ("the head {}'s key", True),
        ("Look!", True),
        ("x != y", False),
    ],
)
def test_the_patterns_find_what_they_are_for(text, wrong):
    assert any(re.search(pattern, text, re.IGNORECASE) for pattern in BETTER) == wrong


def test_a_sentence_is_counted_as_a_reader_would():
    one, two = sentences("Drag *phone* towards {word}. The weight of **apple** grows, and so on.")
    assert (words_in(one), words_in(two)) == (4, 8)


# Words in the code ----------------------------------------------------------------------------------------------

READERS = ("lessons", "widgets", "charts", "figure", "classroom", "export")  # what makes the pages
PYTHON = [
    path
    for folder in READERS
    for path in sorted((ROOT / "attention_lab" / folder).rglob("*.py"))
    if "programs" not in path.parts and path.name not in INTERNAL
] + sorted((ROOT / "pages").rglob("*.py"))
JAVASCRIPT = [path for path in sorted((ROOT / "attention_lab").rglob("*.js")) if "vendor" not in path.parts]
TWO_WORDS = re.compile(r"[^\W\d_]{2,}[,;:]? [^\W\d_]{2,}")
SHOWN = {"title", "label", "description", "help", "placeholder", "text", "caption", "head"}
FOR_NAMES = ("what", "name", "names", "value", "key", "meaning")
WORD = re.compile(r"[^\W\d_]{3,}")
OF_A_FIELD = re.compile(r":[NQO]'$")  # Altair: a field of the data, not a word
FOR_PROGRAMS = {"get", "joined", "re.compile", "expr", "datum", "add_params", "transform_calculate"}
CODE = re.compile(r"^const |datum|=>|[;{}<>]|\bstroke\b|clamp\(|color-mix|var\(--|px\b|srgb")
LIVE_NUMBERS = {  # names of numbers on the page, `data-value`, by which programs and tests find them
    "line score",
    "line scaled",
    "line weight",
    "line separation",
    "over root",
    "over root d",
    "ends apart",
    "apples apart",
    "cut weight",
    "masked score",
    " without zeros",
    "one pattern",
    "one step",
    "two steps",
    "weight, all heads",
}
REVIEWED = dict.fromkeys(
    LIVE_NUMBERS, "a name for programs"
) | {  # a text in the code that is no word of the course: why
    "Attention Lab": "the name of the app",
    "NumPy": "the name of a library",
    "PyTorch": "the name of a library",
    "CSV": "the name of a format",
    "one way to speak": "the name of the glossary's introduction, which no reader sees",
    "placed for you": "the name of a provenance; its badge has words in controls.md",
    "by hand and placed": "the name of a provenance; its badge has words in controls.md",
    "by hand": "the name of a provenance; its badge has words in controls.md",
    "by formula": "the name of a provenance; its badge has words in controls.md",
}


def is_name(key):
    """Whether a key in a dictionary is one whose value only programs read."""
    return isinstance(key, ast.Constant) and key.value in FOR_NAMES


def in_python(code):
    """The texts in a file that may reach the screen: with two words, or under a name that is shown."""
    tree = ast.parse(code)
    aside = documentation(tree)
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if name_of(call) in NOT_FOR_READERS | FOR_PROGRAMS:
            aside |= {id(inner) for inner in ast.walk(call)}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Raise, ast.Assert)):
            aside |= {id(inner) for inner in ast.walk(node)}
        # a live number is called by name for programs and tests: `data-value="weight apple orange"`
        if isinstance(node, ast.keyword) and node.arg in FOR_NAMES:
            aside |= {id(inner) for inner in ast.walk(node.value)}
        if isinstance(node, ast.Dict):
            named = [value for key, value in zip(node.keys, node.values, strict=True) if is_name(key)]
            aside |= {id(inner) for value in named for inner in ast.walk(value)}
    shown = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg in SHOWN and not OF_A_FIELD.search(ast.unparse(node.value))
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in aside:
            pattern = WORD if id(node) in shown else TWO_WORDS
            if pattern.search(plain(node.value)) and not CODE.search(node.value) and node.value not in REVIEWED:
                yield f"line {node.lineno}: {node.value!r}"


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_word_on_screen_is_written_in_python(path):
    left = sorted(in_python(path.read_text(encoding="utf-8")))
    assert not left, "\n" + "\n".join(left)


STRINGS = re.compile(r"""'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`""")
SENTENCE = re.compile(
    r"[A-Z][a-z]+ [a-z]+ [a-z]+|[a-z]{2,}, [a-z]{2,} [a-z]{2,}|[a-z] [a-z]+ [a-z]+[.?]$|^[A-Z][a-z]+ [a-z]{2,}$"
)
SET_AS_TEXT = re.compile(
    r"""(?:textContent|innerText|ariaLabel|title|placeholder|'aria-label'|\btext)\s*[=:]\s*(['"`][^'"`]*['"`])"""
)


PATH = re.compile(r"^M[xMLHVCQAZmlhvcqaz\d .,-]*$")  # of SVG, without its numbers


def in_javascript(code):
    """The texts in a script that are set as content, and those that look like a sentence."""
    code = re.sub(r"/\*.*?\*/", "", code, flags=re.DOTALL)
    code = re.sub(r"^\s*//.*$|\s//\s.*$", "", code, flags=re.MULTILINE)
    code = re.sub(r"new \w*Error\((?:[^()]|\([^()]*\))*\)|console\.\w+\([^)]*\)", "", code)
    texts = [text[1:-1] for text in SET_AS_TEXT.findall(code)]
    found = [text for text in texts if WORD.search(re.sub(r"\$\{[^}]*\}?", "", text))]
    for match in STRINGS.finditer(code):
        text = re.sub(r"\$\{[^}]*\}", "x", next(filter(None, match.groups()), ""))
        if SENTENCE.search(text) and not PATH.search(text) and not re.search(r"[{}<>;=\[\]()#]|--", text):
            found.append(text)
    return [text for text in found if text not in REVIEWED]


@pytest.mark.parametrize("path", JAVASCRIPT, ids=lambda path: path.stem)
def test_no_word_on_screen_is_written_in_javascript(path):
    assert not in_javascript(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        ("label.textContent = 'Reset';", True),
        ("draw('Drag any word');", True),
        ("draw(`Drag ${name} to a place`);", True),
        ("draw('Another sentence');", True),
        ("// Drag any word to a place\n", False),
        ("throw new Error('No part has this name');", False),
        ("element.textContent = text.reset;", False),
        ("part.className = 'goal done';", False),
    ],
)
def test_words_are_found_in_javascript(code, wrong):
    assert bool(in_javascript(code)) == wrong


@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        ('alt.X("place:Q", title="place")', True),
        ('st.button("Start over")', True),
        ("st.markdown(f'{word} looks at {other}')", True),
        ('"""What a page says."""', False),
        ('alt.Text(title="row:N")', False),
        ('st.button(page.text["reset"])', False),
        ('raise ValueError("no worksheet is about this")', False),
    ],
)
def test_words_are_found_in_python(code, wrong):
    assert bool(list(in_python(code))) == wrong
