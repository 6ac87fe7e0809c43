"""The public names of `attention_core`: all are documented, and every example in a docstring holds."""

import doctest
import importlib
import pkgutil

import numpy as np
import pytest

import attention_core
from tools import core_reference

MODULES = [module.name for module in pkgutil.walk_packages(attention_core.__path__, "attention_core.")]
PUBLIC = {  # other programs import these: a name that goes would break them
    *("dot_product", "cosine_similarity", "scaled_dot_product", "softmax", "entropy"),
    *("causal_mask", "window_mask", "padding_mask", "scaled_dot_product_attention", "AttentionTrace"),
    *("AttentionHead", "MultiHeadAttention", "MultiHeadTrace", "sinusoidal_positions", "rotate_by_position"),
    *("TransformerShape", "count_parameters", "SHAPES", "example_names", "load_example", "task_names"),
    *("load_task", "train", "TrainingRun", "loss_and_gradients", "load_language_model", "load_translator"),
    *("read_model", "PretrainedModel"),
}


def test_the_public_names_are_there():
    assert set(attention_core.__all__) >= PUBLIC
    assert [name for name in attention_core.__all__ if not hasattr(attention_core, name)] == []


def test_the_reference_is_the_one_that_the_docstrings_make():
    assert core_reference.PAGE.read_text("utf-8") == core_reference.page(), "run `python -m tools.core_reference`"


@pytest.mark.parametrize("name", MODULES)
def test_every_example_of_a_docstring_holds(name):
    module = importlib.import_module(name)
    names = {**vars(attention_core), **vars(module), "np": np}
    assert doctest.testmod(module, globs=names).failed == 0


def test_the_functions_of_the_first_pages_have_examples():
    shown = core_reference.page().partition("## Geometry")[0]
    assert shown.count(">>>") >= 20
