"""The browser's mathematics, compared with Python's in Chromium on random cases."""

import importlib
import json
from dataclasses import is_dataclass
from pathlib import Path

import numpy as np
import pytest

import attention_core
import attention_lab.lessons
from attention_core.training import ForwardPass
from attention_lab.calculation import path_of, record, steps_of
from attention_lab.calculation.operations import (
    dot_product,
    read_text,
    rows,
    scaled_dot_product_attention,
    softmax,
)
from attention_lab.calculation.table import OPERATIONS
from attention_lab.figure import browser_code
from attention_lab.figure.bundle import BROWSER, bundle, in_order
from attention_lab.state import permalink
from attention_lab.text import number_format, typed_text
from attention_lab.text.languages import LANGUAGES, speaking

IMPORT = """async text => {
    const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
    Object.assign(globalThis, await import(url));
}"""
KNOWN = """
export const { calculate, find } = calculation_module;
export const { operations } = calculation_module;
export const { readNumber, usualSigns, cleanWord, shortened } = typed_text_module;
export const { formatNumber, filled, counted, formatShare, formatWeight, forms } = number_format_module;
"""
REGISTER = "Object.assign(calculation_module.operations, operations_module);"
OWN = sorted((Path(attention_lab.lessons.__file__).parent).glob("*/operations.js"))
for path in OWN:  # each adds its operations to the table
    importlib.import_module(f"attention_lab.lessons.{path.parent.name}.operations")
CASES = 60  # of each operation
TYPED = {  # what keyboards send, and the number that it is
    **{"3": 3, "-0.5": -0.5, "+.5": 0.5, "1.": 1, "1E-3": 0.001, " 24/57 ": 24 / 57, "67%": 0.67, "67 ％": 0.67},
    **{
        "－０．５": -0.5,
        "（１／２）": 0.5,
        "０。５": 0.5,
        "６７％": 0.67,
        "−2": -2,
        "–2": -2,
        "—2": -2,
        "\u200e−2\u200f": -2,
    },
    **{"٠٫٥": 0.5, "٦٥٬٥٣٦": 65536, "۱۲": 12, "５０٪": 0.5, "１ｅ３": 1000, "1⁄4": 0.25, "-0": 0, "\ufeff1": 1},
    **dict.fromkeys(
        ("", ".", "%", "1/0", "1,5", "1 2", "1_0", "0x1", "²", "½", "１２٬３", "nan", "Infinity", "1e1e1", "٠x")
    ),
}
SPELLED = {
    "pre\u0301stamo": "préstamo",
    "\u200fعين\u200e": "عين",
    "\ufeffa\u200b": "a",
    "👩‍🏫": "👩‍🏫",
    "a\u200bb": "a\u200bb",
}
SENT = "Ｔｈｅ　（ｃａｔ）【３、４】：ｙｅｓ！ didn’t。 ماء، عين؛ هل؟ ١٬٢٣٤ ١٬٢ a–b…"


@pytest.fixture(scope="module")
def javascript(browser):
    """An empty page with the figure's modules of mathematics and numbers."""
    page = browser.new_page()
    shared = in_order(BROWSER / f"{name}.js" for name in ("calculation", "number_format", "typed_text"))
    own = (f"{{ {bundle(path, without=shared)} {REGISTER} }}" for path in OWN)
    words = {}
    for code in LANGUAGES:
        with speaking(code):
            words[code] = {"numbers": browser_code.numbers()}
    page.evaluate(
        "words => { globalThis.attention_lab = { words }; document.documentElement.lang = 'en'; }", words
    )
    page.evaluate(IMPORT, "\n".join([bundle(*shared), *own, KNOWN]))
    yield page
    page.close()


def every_language(javascript):
    """Speak one language of the course after another, here and in the browser."""
    for code, language in [*LANGUAGES.items(), ("en", LANGUAGES["en"])]:
        javascript.evaluate("code => { document.documentElement.lang = code; }", code)
        with speaking(code):
            yield language


class Draw:
    """Random arguments for one case: of a kind, as `attention_lab.calculation.operations` names them.

    Letters are sizes, the same throughout a case: ``n`` and ``m`` from 1 to 6, ``d`` from 1 to 8, ``o`` none.
    """

    def __init__(self, random, case):
        self.random = random
        self.sizes = {name: int(random.integers(1, 7)) for name in "nmv"}
        self.sizes |= {"d": case % 8 + 1, "2d": 2 * (case % 8 + 1), "o": 0 if random.random() < 0.5 else 1}
        self.head_count = self.size(6)

    def arguments(self, kinds):
        drawn = []
        for kind in kinds:
            if kind.endswith("?") and self.random.random() < 0.4:
                break
            if kind.startswith("none|") and self.random.random() < 0.5:
                drawn.append(None)
                continue
            again = int(self.random.integers(1, 4)) if kind.endswith("…") else 1
            drawn += [self.one(kind.removeprefix("none|").rstrip("?…")) for _ in range(again)]
        return drawn

    def one(self, kind):
        name, *letters = kind.split()
        sizes = [self.sizes.get(letter) or int(letter) for letter in letters if letter != "o"]
        return getattr(self, name)(*sizes)

    def vectors(self, n, d=None):
        """Rows of many sizes, some with a row of zeros or two equal rows. Without a height, none at all."""
        if d is None:
            n, d = self.sizes["o"], n
        random = self.random
        rows = random.normal(size=(n, d)) * 10.0 ** random.uniform(-3, 2.5)
        if n and random.random() < 0.2:
            rows[random.integers(n)] = 0
        if n and random.random() < 0.2:
            rows[random.integers(n)] = rows[0]
        return np.round(rows, 2) if random.random() < 0.3 else rows

    def row(self, d):
        return self.vectors(1, d)[0]

    def rising(self, d):
        return np.sort(self.row(d))

    def scores(self, n, m):
        """Scores of many sizes, some of them −∞, some rows with nothing else."""
        random = self.random
        scores = random.normal(size=(n, m)) * 10.0 ** random.uniform(-2, 3)
        scores[random.random((n, m)) < 0.15] = -np.inf
        if random.random() < 0.2:
            scores[random.integers(n)] = -np.inf
        return scores

    def gaps(self, n, m):
        """Scores of which some are zero and some undefined."""
        scores = self.scores(n, m)
        scores[self.random.random((n, m)) < 0.2] = 0
        scores[self.random.random((n, m)) < 0.2] = np.nan
        return scores

    def weights(self, n, m):
        return attention_core.softmax(self.scores(n, m))

    def mask(self, *shape):
        allowed = self.random.random(shape) < 0.7
        if self.random.random() < 0.3:
            allowed[self.random.integers(shape[0])] = False
        return allowed

    def grid(self, n, m):
        return self.random.integers(2, size=(n, m)).astype(float)

    def place(self, n):
        return int(self.random.integers(n))

    def rank(self, n):
        """A whole number from 1 to n."""
        return int(self.random.integers(1, n + 1))

    def places(self, m, n):
        return self.random.integers(n, size=m)

    def gold(self, n, m):
        """For each of n words a position below m, or −1."""
        return [int(place) for place in self.random.integers(-1, m, size=n)]

    def orders(self, n, m):
        return np.array([self.random.permutation(m) for _ in range(n)])

    def number(self):
        return [0.0, float(self.random.normal()), self.positive()][self.random.integers(3)]

    def positive(self):
        return float(np.exp(self.random.uniform(np.log(0.05), np.log(20))))

    def share(self, most):
        return float(self.random.uniform(0, most))

    def count(self):
        return self.place(9)

    def flag(self):
        return bool(self.random.integers(2))

    def size(self, most=12):
        """A whole number of any size."""
        return int(10 ** self.random.uniform(0, most))

    def tile(self):
        return self.place(4) + 1

    def length(self, n):
        return n

    def heads(self):
        return self.head_count

    def groups(self):
        return [1, self.head_count][self.random.integers(2)]

    def shape(self):
        return attention_core.TransformerShape(*self.arguments(OPERATIONS["TransformerShape"].takes))

    def names(self, n):
        """Words, some of them there twice."""
        return [str(self.random.choice(["the", "apple", "an", "the₂", "pie"])) for _ in range(n)]

    def tokens(self, features, n, words):
        return self.random.integers(words, size=(features, n))

    def moves(self, m, n):
        """What a hand did to some of n rows, at steps of which 0 and 1 are drawn often."""
        random = self.random
        steps, rows = random.integers(3, size=m), random.integers(n, size=m)
        return np.column_stack([steps, rows, random.normal(size=(m, 2))])

    def step(self):
        return float(self.random.integers(3))

    def small(self, *shape):
        """Vectors of the usual size: three layers of larger ones leave nothing but rounding."""
        return self.random.normal(size=shape)

    boxes = small

    def parameters(self, shapes):
        return {name: self.small(*shape) for name, shape in shapes.items()}

    def network(self, n, m, d):
        """The parameters of a small attention network with m words, for sentences of n tokens."""
        random = self.random
        layers, heads, groups, outputs, width = random.integers(1, 4, size=5)
        own = heads == groups or heads == 1
        shapes = {"embeddings": (m, d), "positions": (n, d), "W_output": (layers - 1, heads, width, d)}
        shapes |= {f"W_{name}": (layers, heads, d, width) for name in ("query", "key", "value")}
        shapes |= {"W_vocabulary": (groups, width if own else heads * width, outputs), "bias": (groups, outputs)}
        left_out = [name for name in ("positions", "W_key") if random.random() < 0.4]
        left_out += ["W_output"] if layers == 1 else []
        return self.parameters({name: shape for name, shape in shapes.items() if name not in left_out})

    def language(self, n, m, d):
        """The weights of a small language model with two layers of three heads."""
        width = int(self.random.integers(1, 4))
        shapes = {"embeddings": (m, d), "positions": (n, d), "W_output": (2, 3, width, d)}
        shapes |= {f"W_{name}": (2, 3, d, width) for name in ("query", "key", "value")}
        return self.parameters(shapes | {"W_vocabulary": (d, m), "bias": (m,)})

    def readings(self, n, d):
        """What a model with two layers of three heads did with a text."""
        return read_text.function(self.language(n, 4, d), self.tokens(1, n, 4), self.random.random((2, 3)))

    def reader(self):
        """One of six heads, or all of them."""
        return int(self.random.integers(-1, 6))

    def later(self):
        """One of the heads in the second layer."""
        return int(self.random.integers(3, 6))

    def kept(self, n):
        """How much is left of each of n words; now and then nothing of any."""
        kept = self.random.random((1, n)) * (self.random.random((1, n)) < 0.7)
        return kept * (self.random.random() < 0.9)

    def translator(self, n, m, d):
        """The parameters of a small translator with m words on each side, two of them special tokens."""
        random, m = self.random, max(m, 2)
        parts = {"decoder": random.integers(1, 3), "across": random.integers(1, 3)}
        parts |= {"encoder": 2} if random.random() < 0.5 else {}
        shapes = {"source": (m, d), "target": (m, d), "W_vocabulary": (d, m), "bias": (m,)}
        shapes |= {"source_positions": (n + 1, d), "target_positions": (n + 1, d)}
        shapes |= {f"{norm}_{what}": (d,) for norm in (*parts, "memory") for what in ("scale", "shift")}
        for part, heads in parts.items():
            shapes |= {f"{part}_W_{name}": (heads, d, 2) for name in ("query", "key", "value")}
            shapes[f"{part}_W_output"] = (heads, 2, d)
        return self.parameters(shapes)

    def bent(self, n):
        """Rows that a hand has set: which word, which head, the weight of each word; some all zero."""
        count = self.random.integers(0, 4)
        places = self.random.integers(0, (n + 1, 2), size=(count, 2))
        shares = self.random.integers(0, 5, size=(count, n)) * self.random.integers(0, 2, size=(count, 1))
        return np.concatenate([places, shares], axis=1).astype(float)

    def moments(self):
        """Some numbers at each of two moments."""
        return self.parameters({"a": (2, 3, 1), "b": (2, 2), "c": (2,)})

    def any(self):
        return self.vectors(self.sizes["n"], self.sizes["d"])


# What of a record the browser does not know, and what it knows beside a record's fields.
UNKNOWN = {attention_core.AttentionTrace: {"delta", "key_heads"}}
COMPUTED = {attention_core.TransformerShape: ("attention_blocks", "feed_forward_blocks", "feed_forward_matrices")}


def plain(value):
    """Arrays as lists, records as dictionaries: as the browser has them."""
    if is_dataclass(value):
        names = [name for name in vars(value) if name not in UNKNOWN.get(type(value), ())]
        if isinstance(value, ForwardPass):
            names = ["x", "layers", "logits", "probabilities"]
        return {name: plain(getattr(value, name)) for name in (*names, *COMPUTED.get(type(value), ()))}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def same(ours, theirs):
    """Return whether both are equal up to rounding, with undefined numbers and −∞ at the same positions."""
    if isinstance(theirs, dict):
        return set(ours) == set(theirs) and all(same(ours[name], value) for name, value in theirs.items())
    if theirs is None or isinstance(theirs, str) or isinstance(ours, str):
        return ours == theirs
    if isinstance(theirs, list) and theirs and isinstance(theirs[0], (dict, str)):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    ours, theirs = np.array(ours, float), np.array(theirs, float)
    return ours.shape == theirs.shape and np.allclose(ours, theirs, rtol=1e-9, atol=1e-11, equal_nan=True)


def shape_is_right(result, operation, sizes):
    """Return whether a result has the shape, or is the record, that the operation declares."""
    if operation.record:
        return isinstance(result, operation.record)
    declared = tuple(sizes.get(letter) or int(letter) for letter in operation.gives.split() if letter != "any")
    return operation.gives == "any" or np.shape(result) == declared


# As text, there and back: as a tree, number by number, it takes Playwright most of the whole test's time.
CALCULATED = """text => {
    const cases = eval(`(${text})`); // and not JSON.parse: Infinity and NaN are among the numbers
    const unknown = value => typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value));
    const named = (_, value) => (unknown(value) ? { number: `${value}` } : value); // JSON knows no such number
    const result = ([operation, given]) => {
        const step = ['result', operation, Object.keys(given).map(name => ({ of: [name] }))];
        try { return calculate([step], given).result; }
        catch (error) { return String(error); }
    };
    return JSON.stringify(cases.map(result), named);
}"""


def test_both_sides_know_the_same_operations(javascript):
    assert sorted(javascript.evaluate("Object.keys(operations)")) == sorted(OPERATIONS)


def test_the_browser_computes_what_the_core_computes(javascript):
    cases, theirs, offenders = [], [], {}
    for name, operation in OPERATIONS.items():
        random = np.random.default_rng(sum(map(ord, name)))
        for case in range(CASES):
            draw = Draw(random, case)
            arguments = draw.arguments(operation.takes)
            cases.append((name, {f"argument {i}": plain(argument) for i, argument in enumerate(arguments)}))
            theirs.append(operation.function(*arguments))
            if not shape_is_right(theirs[-1], operation, draw.sizes):
                offenders[name] = f"{np.shape(theirs[-1])} is not {operation.gives}"
    ours = json.loads(
        javascript.evaluate(CALCULATED, json.dumps(cases)),
        object_hook=lambda it: float(it["number"]) if set(it) == {"number"} else it,
    )
    for (name, arguments), mine, core in zip(cases, ours, map(plain, theirs), strict=True):
        if name not in offenders and not same(mine, core):
            offenders[name] = f"{arguments}: {mine} instead of {core}"[:2000]
    assert offenders == {}


def test_a_single_number_belongs_to_each_of_the_others(javascript):
    table = [[1.0, 2.0], [3.0, 4.0]]
    for name in ("add", "subtract", "multiply", "divide"):
        for arguments in ([table, 2.0], [2.0, table], [3.0, 2.0]):
            shown = javascript.evaluate(f"arguments => operations.{name}(...arguments)", arguments)
            assert shown == OPERATIONS[name].function(*map(np.array, arguments)).tolist(), (name, arguments)


def attending(s):
    s.some = rows(s.x, s.ids)
    s.scores = dot_product(s.some, s.x)
    s.weights = softmax(s.scores, s.temperature)
    s.trace = scaled_dot_product_attention(s.x, s.x, s.x)


def test_steps_and_values_mean_the_same(javascript):
    s = record(attending, constants=["x", "ids", "word", "at", "temperature"])
    given = {"x": [[0, 3], [2, 2], [4, 0]], "ids": [1, 2], "word": 1, "at": {"phone": 2}, "temperature": 2.0}
    now = s.run({**given, "x": np.array(given["x"], float)})
    for value in (s.scores, s.weights[s.word], s.weights[s.word, 2], s.trace.weights[s.at["phone"], s.ids[0]]):
        ours = javascript.evaluate(
            "([steps, given, path]) => find(calculate(steps, given), path)", [steps_of(s), given, path_of(value)]
        )
        assert same(ours, plain(now[value])), path_of(value)


def test_an_unknown_name_is_thrown_and_not_undefined(javascript):
    for steps, path, named in [
        ([], ["msak"], "msak"),
        ([], ["at", "pohne"], "pohne"),
        ([], ["x", ["wrod"]], "wrod"),
        ([["y", "softmax", [{"of": ["scroes"]}]]], ["y"], "scroes"),
    ]:
        message = javascript.evaluate(
            """([steps, path]) => {
                try { return find(calculate(steps, { x: [[1]], at: { phone: 0 } }), path) ?? 'nothing'; }
                catch (error) { return error.message; }
            }""",
            [steps, path],
        )
        assert message.startswith(f"unknown '{named}'; known are: ")


def test_counts_are_exact_to_the_last_digit(javascript):
    random = np.random.default_rng(12)
    shapes = [Draw(random, 0).shape() for _ in range(300)]
    ours = javascript.evaluate(
        """shapes => shapes.map(shape =>
            Object.entries(operations.count_parameters(shape)).map(([name, n]) => [name, String(n)]))""",
        [plain(each) for each in shapes],
    )
    for each, counted in zip(shapes, ours, strict=True):
        assert dict(counted) == {name: str(n) for name, n in vars(attention_core.count_parameters(each)).items()}


def numbers():
    """Numbers of all sizes, and those that are just between two roundings."""
    random = np.random.default_rng(7)
    of_all_sizes = random.normal(size=600) * 10.0 ** random.uniform(-9, 9, size=600)
    halves = random.integers(-(2**20), 2**20, size=400) / 2.0 ** random.integers(0, 20, size=400)
    typed = np.round(random.normal(size=300) * 20, 2)
    special = [0, -0.0, np.nan, np.inf, -np.inf, 1e-4, 9.9995e-5, 999999.5, 999950, 1e6, 1 / 16, 5e-324, 0.99995]
    return [float(x) for x in (*of_all_sizes, *halves, *typed, *special)]


def test_numbers_are_written_alike_in_every_language(javascript):
    random = np.random.default_rng(9)
    small = 10.0 ** random.uniform(-18, 0, size=500)
    amounts = [int(10 ** random.uniform(0, 30)) for _ in range(400)]
    amounts += [0, 1, 2, 999, 1000, 57_982_058_496, 10**15 - 1, 10**15]
    written = [
        ("formatNumber", number_format.format_number, numbers()),
        ("formatShare", number_format.format_share, numbers()),
        (
            "formatWeight",
            number_format.format_weight,
            [*small, *1 - small, *random.uniform(size=500), 0, 1, np.nan],
        ),
        ("forms.gap", number_format.format_gap, [*10 ** random.uniform(-2, 2, size=200), 1.0, 0.9977, np.nan]),
        ("forms.memory", number_format.format_bytes, [0, 1, 2, 999, 1000, 57_982_058_496]),
        ("forms.whole", number_format.format_whole, amounts),
        ("forms.memory", number_format.format_bytes, amounts),
    ]
    offenders = []
    for language in every_language(javascript):
        for name, write, given in written:
            if given is amounts:
                texts = javascript.evaluate(f"all => all.map(n => {name}(BigInt(n)))", [*map(str, given)])
            else:
                texts = javascript.evaluate(f"all => all.map(n => {name}(n))", [*map(float, given)])
            for number, ours in zip(given, texts, strict=True):
                # without its mark of direction: in the browser, its element has a direction
                theirs = write(number).replace(number_format.LEFT_TO_RIGHT, "")
                if ours != theirs:
                    offenders.append((language.code, name, number, ours, theirs))
    assert offenders == []


def test_plural_forms_are_those_of_the_browser(javascript):
    counts = [*range(250), 999, 1000, 1001, 1002, 1003, 1011, 99_999]
    for language in every_language(javascript):
        theirs = javascript.evaluate(
            "([code, counts]) => counts.map(n => new Intl.PluralRules(code).select(n))", [language.code, counts]
        )
        assert [language.plural(n) for n in counts] == theirs, language.code
        assert set(theirs) == set(language.forms), language.code
    forms = {"here/one": "{count} person in {room}", "here/other": "{count} people in {room}"}
    shown = javascript.evaluate(
        "forms => [0, 1, 2].map(n => counted(forms, 'here', n, { room: 'blue fox' }))", forms
    )
    assert shown == ["0 people in blue fox", "1 person in blue fox", "2 people in blue fox"]


def test_numerals_are_written_alike(javascript):
    """The browser and Python write the same address, so that neither sees the other's as a change."""
    given = [x for x in numbers() if abs(x) < 1e21]
    ours = javascript.evaluate("numbers => numbers.map(String)", given)
    assert ours == [permalink.numeral(x) for x in given]


def test_what_is_typed_is_read_alike(javascript):
    theirs = javascript.evaluate("texts => texts.map(text => readNumber(text))", [*TYPED])
    ours = [*map(typed_text.read_number, TYPED)]
    assert dict(zip(TYPED, ours, strict=True)) == TYPED
    assert [None if np.isnan(number) else number for number in theirs] == ours
    assert javascript.evaluate("words => words.map(cleanWord)", [*SPELLED]) == [*SPELLED.values()]
    assert [*map(typed_text.clean_word, SPELLED)] == [*SPELLED.values()]
    usual = "The  cat  3,4 :yes! didn't. ماء, عين; هل? 1234 1,2 a-b "
    assert javascript.evaluate("text => usualSigns(text)", SENT) == typed_text.usual_signs(SENT) == usual


def test_a_long_name_is_cut_between_characters(javascript):
    for name, shown in (
        ("apple", "apple"),
        (5 * "👩‍🏫", 5 * "👩‍🏫"),
        (6 * "👩‍🏫", 4 * "👩‍🏫" + "…"),
        ("apples", "appl…"),
    ):
        assert javascript.evaluate("name => shortened(name, 5)", name) == shown


def test_a_text_is_filled_with_the_very_word(javascript):
    text = "{word} may not look at {other}, says {nobody}."
    for word in ("$&", "$1", "$$", "$`", "$'", "{other}", "{word}", "\\1"):
        filled = javascript.evaluate(
            "([text, names]) => filled(text, names)", [text, {"word": word, "other": "x"}]
        )
        assert filled == f"{word} may not look at x, says {{nobody}}."
