"""What holds for the whole core: names, manners, silence."""

import ast
import inspect
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import attention_core as core

FOLDER = Path(core.__file__).parent
FILES = sorted(
    path for path in FOLDER.rglob("*.py") if not {"models", "training.py"} & set(path.relative_to(FOLDER).parts)
)


def test_the_public_names():
    assert set(core.__all__) >= {
        "AttentionHead", "AttentionTrace", "Example", "MultiHeadAttention", "MultiHeadTrace", "SHAPES",
        "TransformerShape", "causal_mask", "cosine_similarity", "count_parameters", "dot_product", "entropy",
        "example_names", "load_example", "padding_mask", "rotate_by_position", "scaled_dot_product",
        "scaled_dot_product_attention", "sinusoidal_positions", "softmax", "window_mask",
    }  # fmt: skip
    assert len(set(core.__all__)) == len(core.__all__)


def parameters(of):
    return {name: p.default for name, p in inspect.signature(of).parameters.items() if name != "self"}


def test_the_fixed_signatures():
    none = inspect.Parameter.empty
    assert parameters(core.softmax) == {"scores": none, "temperature": 1.0, "axis": -1}
    assert parameters(core.entropy) == {"weights": none, "axis": -1}
    attend = {"x": none, "memory": None, "mask": None}
    assert parameters(core.AttentionHead.attend) == parameters(core.MultiHeadAttention.attend) == attend
    assert parameters(core.scaled_dot_product_attention) == {
        "query": none,
        "key": none,
        "value": none,
        "mask": None,
        "scale": None,
    }
    assert list(parameters(core.AttentionHead)) == ["W_query", "W_key", "W_value", "W_output"]
    assert parameters(core.AttentionHead)["W_output"] is None
    assert list(parameters(core.TransformerShape))[:4] == ["d_model", "d_k", "num_heads", "num_layers"]
    assert parameters(core.rotate_by_position) == {"x": none, "positions": none, "base": 10000.0}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_numpy_and_the_standard_library_are_enough(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module]
            for name in names:
                assert name.split(".")[0] in {"numpy", "attention_core", *sys.stdlib_module_names}, name


@pytest.mark.parametrize("name", core.__all__)
def test_everything_public_explains_itself(name):
    thing = getattr(core, name)
    if inspect.isfunction(thing) or inspect.isclass(thing):
        first, *_ = inspect.getdoc(thing).splitlines()
        assert re.search(r"[.?:]$", first), first
        assert not first.startswith(f"{name}("), "dataclass wrote this one itself"


def calls():
    """Every function on inputs at the edges of what numbers can be."""
    tiny, huge = np.full((3, 2), 5e-324), np.full((3, 2), 1e150)
    mixed = np.array([[1e-300, -1e-320], [1e150, -3.0], [0, -1e-5]])
    for x in (
        tiny,
        -tiny,
        huge,
        mixed,
        np.float32(mixed / 1e132),
        np.float16(tiny),
        np.zeros((3, 2)),
        np.ones((0, 2)),
    ):
        n = len(x)
        for mask in (None, core.causal_mask(n), np.zeros((n, n), bool)):
            yield "scaled_dot_product_attention", (x, x, x, mask)
            yield "scaled_dot_product_attention", (x, x, x, mask, 1e-200)
            yield "AttentionHead", (x, mask)
            yield "MultiHeadAttention", (x, mask)
        for measure in ("dot_product", "cosine_similarity", "scaled_dot_product"):
            yield measure, (x, x)
        for temperature in (5e-324, 1e-300, 1.0, 1e300):
            yield "softmax", (x, temperature)
        shares = core.softmax(x)
        yield "entropy", (shares,)
        yield "softmax_gradient", (shares * 1e-300,)
        yield "entropy", (np.abs(shares) * 5e-324,)
        yield "rotate_by_position", (x, np.arange(n) * 1e-310)
        for name in ("projection", "angle"):
            yield name, (x, x[::-1])
        yield "separation_ratio", (x, x[::-1], x, x)
        yield "convex_hull", (x,)
        yield "inside_hull", (x, core.convex_hull(x))
        if n:
            yield "temperature_path", (x[0],)
    yield "triangle_coordinates", ([[1, 5e-324, 0], [5e-324, 5e-324, 1]],)
    yield "sinusoidal_positions", (50, 7)
    yield "separation_ratio", ([1e300, 1e300], [-1e300, 1], [5e-324, 0], [0, 0])


def run(name, arguments):
    if name in ("AttentionHead", "MultiHeadAttention"):
        x, mask = arguments
        W = np.array([[1e-9, 0], [0, -1e-9]]).astype(x.dtype if x.dtype != np.float16 else np.float32)
        W = W if name == "AttentionHead" else np.stack([W, W.T])
        return getattr(core, name)(W, W, W, W).attend(x, mask=mask)
    return getattr(core, name)(*arguments)


def test_no_call_touches_numpys_alarms():
    """Not even where every floating-point flag raises."""
    for name, arguments in calls():
        with np.errstate(all="ignore"):
            quiet = run(name, arguments)
        with np.errstate(all="raise"):
            loud = run(name, arguments)
        if isinstance(quiet, np.ndarray):
            np.testing.assert_array_equal(quiet, loud, err_msg=name)


def test_a_refusal_touches_no_alarm_either():
    huge = np.full((2, 2), 1e200)
    with np.errstate(all="raise"):
        for refused in (
            lambda: core.dot_product(huge, huge),
            lambda: core.scaled_dot_product_attention(huge, huge, huge),
            lambda: core.scaled_dot_product_attention(huge, huge / 1e200, huge, scale=1e300),
            lambda: core.AttentionHead(huge, huge, huge).attend(huge),
            lambda: core.cosine_similarity(huge * np.inf, huge),
        ):
            with pytest.raises(ValueError, match=r"overflow|finite"):
                refused()
