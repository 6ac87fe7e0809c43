"""The stage's few lines of mathematics, held to the core's in Chromium on random cases."""

import numpy as np
import pytest

import attention_core
from controls import figures, permalink
from controls.calculation import ARRAYS, calculate
from controls.stage.bundle import BROWSER, bundle

IMPORT = """async text => {
    const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
    Object.assign(globalThis, await import(url));
}"""
KNOWN = """
export const { operations, calculate, find } = calculation_module;
export const { figure, filled, share, weight, forms } = figures_module;
"""
CASES = 120  # of each function


@pytest.fixture(scope="module")
def javascript(browser):
    """An empty page that knows the stage's modules."""
    page = browser.new_page()
    page.evaluate(IMPORT, bundle(*(BROWSER / f"{name}.js" for name in ("calculation", "figures"))) + KNOWN)
    yield page
    page.close()


def vectors(random, n, d):
    """Rows of many sizes; now and then one of length zero, or two alike."""
    rows = random.normal(size=(n, d)) * 10.0 ** random.uniform(-3, 2.5)
    if random.random() < 0.2:
        rows[random.integers(n)] = 0
    if random.random() < 0.2:
        rows[random.integers(n)] = rows[0]
    return np.round(rows, 2) if random.random() < 0.3 else rows


def scores(random, n, m):
    """Scores of many sizes, some of them −∞, some rows with nothing else."""
    made = random.normal(size=(n, m)) * 10.0 ** random.uniform(-2, 3)
    made[random.random((n, m)) < 0.15] = -np.inf
    if random.random() < 0.2:
        made[random.integers(n)] = -np.inf
    return made


def weights(random, n, m):
    return attention_core.softmax(scores(random, n, m))


def mask(random, n, m):
    allowed = random.random((n, m)) < 0.7
    if random.random() < 0.3:
        allowed[random.integers(n)] = False
    return allowed


def temperature(random):
    return float(np.exp(random.uniform(np.log(0.05), np.log(20))))


def gaps(random, n, m):
    """Scores of which some are zero and some undefined."""
    made = scores(random, n, m)
    made[random.random((n, m)) < 0.2] = 0
    made[random.random((n, m)) < 0.2] = np.nan
    return made


def size(random, most=12):
    """A whole number of any size up to 10^12."""
    return int(10 ** random.uniform(0, most))


def sizes(random):
    """The arguments of a shape, in their order: none of the values' lengths, sizes, switches."""
    heads = size(random, 6)
    either = [None, size(random)][random.integers(2)], [None, 1, heads][random.integers(3)]
    named = [size(random), size(random), heads, size(random), None, *either, size(random), size(random)]
    return [*named, int(random.integers(9)), *(bool(flag) for flag in random.integers(2, size=5))]


def shape(random):
    return attention_core.TransformerShape(*sizes(random))


# How the arguments of each operation are drawn: from a random generator, numbers of rows n and m, and a width d.
ARGUMENTS = {
    "product": lambda r, n, m, d: [vectors(r, n, d), vectors(r, d, m)],
    "side_by_side": lambda r, n, m, d: [vectors(r, n, d), vectors(r, n, m), *[vectors(r, n, d)] * r.integers(2)],
    "rows": lambda r, n, m, d: [vectors(r, n, d), r.integers(n, size=m)],
    "row": lambda r, n, m, d: [vectors(r, n, d), int(r.integers(n))],
    "pick": lambda r, n, m, d: [int(r.integers(2)), vectors(r, n, d), vectors(r, m, d)],
    "first_given": lambda r, n, m, d: [*[np.zeros((0, d))] * r.integers(2), vectors(r, n, d), vectors(r, m, d)],
    "quotient": lambda r, n, m, d: [scores(r, n, m), temperature(r)],
    "difference": lambda r, n, m, d: [vectors(r, n, d), vectors(r, n, d)],
    "sum": lambda r, n, m, d: [vectors(r, n, d), vectors(r, n, d)],
    "ratio": lambda r, n, m, d: [temperature(r), [temperature(r), 0.0][r.integers(2)]],
    "relative_difference": lambda r, n, m, d: [temperature(r), temperature(r)],
    "lengths": lambda r, n, m, d: [vectors(r, n, d)],
    "largest": lambda r, n, m, d: [vectors(r, 1, d)[0]],
    "largest_but": lambda r, n, m, d: [np.abs(vectors(r, n, d)), int(r.integers(d))],
    "farthest": lambda r, n, m, d: [vectors(r, n, d), vectors(r, n, d)],
    "by_size": lambda r, n, m, d: [vectors(r, 1, d)[0]],
    "multiple": lambda r, n, m, d: [vectors(r, n, d), temperature(r)],
    "rotate_by_position": lambda r, n, m, d: [10 * r.normal(size=(n, 2 * d)), r.integers(20, size=n)],
    "without_undefined": lambda r, n, m, d: [gaps(r, n, m)],
    "without_zeros": lambda r, n, m, d: [gaps(r, n, m)],
    "counted_rows": lambda r, n, m, d: [vectors(r, m, d), scores(r, 1, m)],
    "most_bits": lambda r, n, m, d: [scores(r, n, m)],
    "log_sum_exp": lambda r, n, m, d: [scores(r, n, m)],
    "causal_mask": lambda r, n, m, d: [n],
    "window_mask": lambda r, n, m, d: [n, int(r.integers(n + 2))],
    "padding_mask": lambda r, n, m, d: [r.random(n) < 0.3],
    "is_open": lambda r, n, m, d: [r.integers(2, size=(n, m)).astype(float)],
    "where_open": lambda r, n, m, d: [weights(r, n, m), mask(r, n, m)],
    "row_sums": lambda r, n, m, d: [(weights, mask)[r.integers(2)](r, n, m)],
    "exchange": lambda r, n, m, d: [vectors(r, n, d), int(r.integers(n)), vectors(r, 1, d)],
    "but_last": lambda r, n, m, d: [vectors(r, n, d)],
    "row_changes": lambda r, n, m, d: [vectors(r, n, d), vectors(r, n, d)],
    "smallest": lambda r, n, m, d: [vectors(r, 1, d)[0]],
    "count_unlike": lambda r, n, m, d: [mask(r, n, m), mask(r, n, m)],
    "unless_zero": lambda r, n, m, d: [int(r.integers(3))],
    "dividing": lambda r, n, m, d: [size(r), int(r.integers(9))],
    "left_over": lambda r, n, m, d: [size(r), int(r.integers(9))],
    "gathered": lambda r, n, m, d: vectors(r, 1, d)[0].tolist(),
    "TransformerShape": lambda r, n, m, d: sizes(r),
    "count_parameters": lambda r, n, m, d: [shape(r)],
    "pattern_entries": lambda r, n, m, d: [size(r)],
    "key_value_cache_bytes": lambda r, n, m, d: [shape(r), size(r)],
    "left_to_close": lambda r, n, m, d: [mask(r, n, n)],
    "transposed": lambda r, n, m, d: [vectors(r, n, d)],
    "largest_places": lambda r, n, m, d: [weights(r, n, m)],
    "crossings": lambda r, n, m, d: [r.integers(m, size=n)],
    "closed_at": lambda r, n, m, d: [mask(r, n, m), r.integers(m, size=n)],
    "dot_product": lambda r, n, m, d: [vectors(r, n, d), vectors(r, m, d)],
    "scaled_dot_product": lambda r, n, m, d: [vectors(r, n, d), vectors(r, m, d)],
    "cosine_similarity": lambda r, n, m, d: [vectors(r, n, d), vectors(r, m, d)],
    "softmax": lambda r, n, m, d: [scores(r, n, m), temperature(r)],
    "entropy": lambda r, n, m, d: [weights(r, n, m)],
    "separation_ratio": lambda r, n, m, d: [*vectors(r, 2, d), *vectors(r, 2, d)],
    "scaled_dot_product_attention": lambda r, n, m, d: [
        vectors(r, n, d),
        vectors(r, m, d),
        vectors(r, m, int(r.integers(1, 9))),
        *([], [mask(r, n, m)], [None, 0.3], [mask(r, n, m), float(r.normal())])[r.integers(4)],
    ],
}


def plain(value):
    """Arrays as lists, records as dictionaries: what the browser knows."""
    if isinstance(value, attention_core.AttentionTrace):
        return {name: plain(getattr(value, name)) for name in vars(value) if name != "delta"}
    if isinstance(value, attention_core.TransformerShape):
        return {name: getattr(value, name) for name in (*vars(value), "attention_blocks", "feed_forward_blocks")}
    if isinstance(value, attention_core.ParameterCount):
        return dict(vars(value))
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def close(ours, theirs, what):
    """Equal up to rounding; undefined, −∞ and nothing in the same places."""
    if isinstance(theirs, dict):
        assert set(ours) == set(theirs), what
        for name, value in theirs.items():
            close(ours[name], value, (*what, name))
    elif theirs is None:
        assert ours is None, what
    else:
        np.testing.assert_allclose(
            np.array(ours, float), np.array(theirs, float), rtol=1e-9, atol=1e-11, err_msg=str(what)
        )


def test_every_operation_of_the_browser_is_tested_and_has_its_twin(javascript):
    names = javascript.evaluate("Object.keys(operations)")
    assert sorted(names) == sorted(ARGUMENTS), "draw arguments for the new one above"
    for name in names:
        assert callable(ARRAYS.get(name) or getattr(attention_core, name))


@pytest.mark.parametrize("operation", ARGUMENTS)
def test_the_browser_computes_what_the_core_computes(javascript, operation):
    random = np.random.default_rng(sum(map(ord, operation)))
    steps, given = [], {}
    for case in range(CASES):
        n, m = random.integers(1, 7, size=2)
        arguments = ARGUMENTS[operation](random, n, m, case % 8 + 1)
        names = [f"{case}.{place}" for place in range(len(arguments))]
        given |= dict(zip(names, arguments, strict=True))
        steps.append((f"{case}", operation, names))
    ours = javascript.evaluate(
        "([steps, given]) => { const all = calculate(steps, given); return steps.map(([name]) => all[name]); }",
        [steps, {name: plain(value) for name, value in given.items()}],
    )
    theirs = calculate(steps, given)
    for case in range(CASES):
        close(ours[case], plain(theirs[f"{case}"]), (operation, case))


def test_there_are_at_least_a_thousand_cases():
    assert len(ARGUMENTS) * CASES >= 1000


def test_steps_and_paths_mean_the_same(javascript):
    given = {"x": [[0, 3], [2, 2], [4, 0]], "places": [1, 2], "word": 1, "heat": 2.0}
    steps = [
        ("some", "rows", ("x", "places")),
        ("scores", "dot_product", ("some", "x")),
        ("shares", "softmax", ("scores", "heat")),
        ("trace", "scaled_dot_product_attention", ("x", "x", "x")),
    ]
    scope = calculate(steps, {**given, "x": np.array(given["x"], float)})
    for path in ("scores", ["shares", "$word"], ["shares", "$word", 2], ["trace", "weights", "$word", 0]):
        ours = javascript.evaluate(
            "([steps, given, path]) => find(calculate(steps, given), path)", [steps, given, path]
        )
        theirs = scope
        for step in [path] if isinstance(path, str) else path:
            place = scope[step[1:]] if str(step).startswith("$") else step
            theirs = getattr(theirs, place) if hasattr(theirs, "weights") else theirs[place]
        close(ours, plain(theirs), path)


def test_counts_are_exact_to_the_last_digit(javascript):
    random = np.random.default_rng(12)
    shapes = [shape(random) for _ in range(300)]
    ours = javascript.evaluate(
        """shapes => shapes.map(shape =>
            Object.entries(operations.count_parameters(shape)).map(([name, n]) => [name, String(n)]))""",
        [plain(each) for each in shapes],
    )
    for each, counted in zip(shapes, ours, strict=True):
        assert dict(counted) == {name: str(n) for name, n in vars(attention_core.count_parameters(each)).items()}


def test_amounts_are_written_alike(javascript):
    random = np.random.default_rng(9)
    given = [int(10 ** random.uniform(0, 30)) for _ in range(400)] + [0, 999, 1000, 10**15 - 1, 10**15]
    texts = [str(n) for n in given]
    ours = javascript.evaluate(
        "texts => texts.map(n => [forms.whole(BigInt(n)), forms.memory(BigInt(n))])", texts
    )
    theirs = [[figures.whole(n), figures.memory(n)] for n in given]
    assert [pair for pair in zip(ours, theirs, given, strict=True) if pair[0] != pair[1]] == []
    times = [float(10 ** random.uniform(-2, 2)) for _ in range(200)] + [1.0, float("nan")]
    assert javascript.evaluate("times => times.map(forms.gap)", times) == [figures.gap(x) for x in times]


def numbers():
    """Numbers of all sizes, and those where rounding is a matter of taste."""
    random = np.random.default_rng(7)
    of_all_sizes = random.normal(size=600) * 10.0 ** random.uniform(-9, 9, size=600)
    halves = random.integers(-(2**20), 2**20, size=400) / 2.0 ** random.integers(0, 20, size=400)
    typed = np.round(random.normal(size=300) * 20, 2)
    special = [0, -0.0, np.nan, np.inf, -np.inf, 1e-4, 9.9995e-5, 999999.5, 999950, 1e6, 1 / 16, 5e-324, 0.99995]
    return [float(x) for x in (*of_all_sizes, *halves, *typed, *special)]


def test_figures_are_written_alike(javascript):
    given = numbers()
    ours = javascript.evaluate("numbers => numbers.map(x => [figure(x), share(x)])", given)
    theirs = [[figures.figure(x), figures.share(x)] for x in given]
    assert [pair for pair in zip(ours, theirs, given, strict=True) if pair[0] != pair[1]] == []


def test_weights_are_written_alike(javascript):
    random = np.random.default_rng(8)
    small = 10.0 ** random.uniform(-18, 0, size=500)
    given = [float(x) for x in (*small, *1 - small, *random.uniform(size=500), 0, 1, 0.1, 0.01, np.nan)]
    ours = javascript.evaluate("weights => weights.map(weight)", given)
    assert ours == [figures.weight(x) for x in given]


def test_numerals_are_written_alike(javascript):
    """The browser and Python write the same address, so that neither sees the other's as a change."""
    given = [x for x in numbers() if abs(x) < 1e21]
    ours = javascript.evaluate("numbers => numbers.map(String)", given)
    assert ours == [permalink.numeral(x) for x in given]


@pytest.mark.parametrize("word", ["$&", "$1", "$$", "$`", "$'", "{other}", "{word}", "\\1"])
def test_a_text_is_filled_with_the_very_word(javascript, word):
    text = "{word} may not look at {other}, says {nobody}."
    filled = javascript.evaluate("([text, names]) => filled(text, names)", [text, {"word": word, "other": "x"}])
    assert filled == f"{word} may not look at x, says {{nobody}}."
