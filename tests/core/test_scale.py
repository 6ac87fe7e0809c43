"""Size and cost: parameters as published and as torch builds them, floating-point operations and memory."""

import dataclasses
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import attention_core as core
from attention_core import SHAPES, TransformerShape, count_parameters
from tests.core.refusals import not_refused

sizes = st.integers(1, 40)


def test_the_published_sizes_of_models():
    for name, total in {
        "transformer-base": 63_045_632,
        "transformer-big": 214_171_648,
        "gpt2": 124_439_808,
        "gpt2-medium": 354_823_168,
        "gpt2-large": 774_030_080,
        "gpt2-xl": 1_557_611_200,
        "gpt3": 174_604_259_328,
        "llama2-7b": 6_738_415_616,
        "llama3-8b": 8_030_261_248,
        "llama3-70b": 70_553_706_496,
        "smollm2-135m": 134_515_008,
    }.items():
        assert count_parameters(SHAPES[name]).total == total
        assert SHAPES[name].learned_positions == name.startswith("gpt")
    for shape in (SHAPES["gpt3"], TransformerShape(d_model=12_288, d_k=128, num_heads=96, num_layers=96)):
        count = count_parameters(shape)
        assert (count.per_matrix, count.per_head) == (1_572_864, 6_291_456)
        assert (count.per_layer, count.attention_total) == (603_979_776, 57_982_058_496)


@pytest.mark.parametrize("biases", [True, False])
def test_counts_what_torch_builds(biases):
    options = {"dim_feedforward": 20, "bias": biases, "batch_first": True}
    encoder = torch.nn.TransformerEncoderLayer(12, 3, **options)
    decoder = torch.nn.TransformerDecoderLayer(12, 3, **options)
    for final_norm in (True, False):
        norms = [torch.nn.LayerNorm(12, bias=biases) if final_norm else None for _ in range(2)]
        stacks = [
            torch.nn.TransformerEncoder(encoder, 2, norms[0], enable_nested_tensor=False),
            torch.nn.TransformerDecoder(decoder, 4, norms[1]),
        ]
        sizes = [sum(array.numel() for array in stack.parameters()) for stack in stacks]
        shape = TransformerShape(12, 4, 3, 2, d_ff=20, biases=biases, final_norm=final_norm)
        assert count_parameters(shape).total == sizes[0]
        assert count_parameters(dataclasses.replace(shape, decoder_layers=4)).total == sum(sizes)


@given(sizes, sizes, sizes, sizes)
def test_counts_what_our_own_heads_hold(d_model, d_k, d_v, h):
    count = count_parameters(TransformerShape(d_model, d_k, h, 1, d_v=d_v))
    query, value, output = (h, d_model, d_k), (h, d_model, d_v), (h, d_v, d_model)
    heads = core.MultiHeadAttention(np.ones(query), np.ones(query), np.ones(value), np.ones(output))
    assert count.per_matrix == heads.W_query[0].size
    assert count.per_head == sum(W[0].size for W in vars(heads).values())
    assert count.per_layer == sum(W.size for W in vars(heads).values())


@given(sizes, sizes, sizes, sizes, st.integers(0, 3), st.booleans(), st.booleans(), st.booleans())
def test_the_parts_add_up_to_the_total(d_model, d_k, h, layers, decoder_layers, biases, tied, learned):
    shape = TransformerShape(
        d_model, d_k, h, layers, vocabulary=50, context=7, decoder_layers=decoder_layers, biases=biases,
        tied_embeddings=tied, learned_positions=learned,
    )  # fmt: skip
    count = count_parameters(shape)
    parts = count.attention_total, count.feed_forward_total, count.embeddings, count.norms, count.biases
    assert count.total == sum(parts)
    assert count.attention_total == count.per_layer * (layers + 2 * decoder_layers)
    stacks = 2 if decoder_layers else 1
    assert count.embeddings == d_model * (50 * (1 if tied else stacks + 1) + 7 * stacks * learned)
    bare = dataclasses.replace(shape, vocabulary=None, context=None)
    assert count_parameters(bare).embeddings == 0


@given(sizes, sizes, st.integers(1, 6), st.integers(1, 6))
def test_grouped_query_attention_saves_the_shared_keys_and_values(d_model, d_k, groups, heads_in_a_group):
    h = groups * heads_in_a_group
    own = count_parameters(TransformerShape(d_model, d_k, h, 3, biases=False))
    shared = count_parameters(TransformerShape(d_model, d_k, h, 3, num_kv_heads=groups, biases=False))
    assert own.total - shared.total == 3 * (h - groups) * 2 * d_model * d_k
    assert own.per_head == shared.per_head


def test_whole_numbers_of_any_size_are_counted_exactly():
    count = count_parameters(TransformerShape(*[10**30] * 4, biases=False))
    assert (count.per_matrix, count.attention_total) == (10**60, 4 * 10**120)
    assert all(type(number) is int for number in vars(count).values())
    in_32_bits = TransformerShape(*np.array([12_288, 128, 96, 96], np.int32))
    assert count_parameters(in_32_bits).attention_total == 57_982_058_496


def test_floating_point_operations_by_hand():
    shape = TransformerShape(d_model=6, d_k=2, num_heads=3, num_layers=5, d_v=4, d_ff=7, vocabulary=11)
    flops = core.forward_flops(shape, 10)
    assert flops.projections == 2 * 10 * 5 * 3 * (2 * 6 * 2 + 2 * 6 * 4)
    assert flops.pattern == 5 * 3 * (2 * 10 * 10 * 2 + 2 * 10 * 10 * 4)
    assert flops.feed_forward == 2 * 10 * 5 * 2 * 6 * 7
    assert flops.vocabulary == 2 * 10 * 6 * 11
    assert flops.total == flops.projections + flops.pattern + flops.feed_forward + flops.vocabulary


def test_a_gate_takes_part_in_the_work_and_has_its_bias():
    sizes = {"d_model": 6, "d_k": 2, "num_heads": 3, "num_layers": 5, "d_ff": 7}
    plain, gated = (TransformerShape(**sizes, gated_feed_forward=gate) for gate in (False, True))
    assert core.forward_flops(gated, 10).feed_forward == 2 * 10 * 5 * 3 * 6 * 7
    more = count_parameters(gated).total - count_parameters(plain).total
    assert more == 5 * (6 * 7 + 7), "a matrix and its bias in each layer"


def test_only_the_pattern_grows_with_the_square_of_the_text():
    for decoder_layers in (0, 2):
        shape = TransformerShape(16, 4, 4, 2, vocabulary=9, decoder_layers=decoder_layers)
        once, twice = core.forward_flops(shape, 100), core.forward_flops(shape, 200)
        assert twice.pattern == 4 * once.pattern
        assert twice.total - twice.pattern == 2 * (once.total - once.pattern)
        assert core.forward_flops(shape, 0).total == 0


def test_memory_by_hand():
    assert core.pattern_entries(10**6) == 10**12
    assert core.pattern_entries(10, num_heads=3, num_layers=2) == 600
    assert core.pattern_bytes(1024) == 4 * 2**20
    assert core.pattern_bytes(10, 3, 2, bytes_per_number=2) == 1200
    assert core.key_value_cache_bytes(SHAPES["gpt3"], 2048) == 2048 * 96 * 96 * 256 * 2
    grouped = TransformerShape(16, 4, 8, 2, num_kv_heads=2)
    assert core.key_value_cache_bytes(grouped, 100, bytes_per_number=4) == 100 * (4 + 4) * 2 * 2 * 4
    both = TransformerShape(16, 4, 8, 5, decoder_layers=3)
    assert core.key_value_cache_bytes(both, 1, bytes_per_number=1) == (4 + 4) * 8 * 2 * 3


@given(st.integers(1, 10**6), st.sampled_from(sorted(SHAPES)))
def test_the_vocabulary_for_a_total_gives_that_total(tokens, name):
    shape = dataclasses.replace(SHAPES[name], vocabulary=tokens)
    assert core.vocabulary_for(SHAPES[name], count_parameters(shape).total) == tokens


def test_no_vocabulary_gives_both_totals_of_2017():
    base = core.vocabulary_for(SHAPES["transformer-base"], 65 * 10**6)
    big = core.vocabulary_for(SHAPES["transformer-big"], 213 * 10**6)
    assert (round(base), round(big)) == (40_817, 35_856)
    rounding = 500_000 / 512 + 500_000 / 1024  # the totals are published to the million
    assert base - big > rounding
    assert core.vocabulary_for(SHAPES["gpt2"], 0) < 0, "less than the rest"


def test_path_lengths_and_sequential_steps():
    for count in (core.path_length, core.sequential_steps):
        assert [count(tokens) for tokens in (0, 1, 500)] == [0, 1, 1]
        assert [count(tokens, "recurrent") for tokens in (0, 1, 500)] == [0, 1, 500]


def test_refusals():
    bare = {"d_model": 8, "d_k": 4, "num_heads": 2, "num_layers": 1}
    optional = "d_v", "d_ff", "num_kv_heads", "vocabulary", "context"
    cases = []
    for name in (*bare, *optional):
        for bad in (0, -3, 2.5, 3.0, "4", True, np.float64(2), *([None] if name in bare else [])):
            call = partial(TransformerShape, **bare | {name: bad})
            cases.append((call, f"{name} must be a whole number of at least 1, got"))
    for name in (
        "biases",
        "tied_embeddings",
        "learned_positions",
        "final_norm",
        "attention_biases",
        "gated_feed_forward",
    ):
        cases.append((partial(TransformerShape, **bare, **{name: 1}), f"{name} must be True or False, got 1"))
    negative = partial(TransformerShape, **bare, decoder_layers=-1)
    cases += [
        (negative, "decoder_layers must be a whole number of at least 0"),
        (lambda: TransformerShape(8, 4, 6, 1, num_kv_heads=4), "num_kv_heads must divide num_heads, got 4 and 6"),
        (lambda: core.vocabulary_for(SHAPES["gpt2"], 1.5), "total must be a whole number"),
    ]
    for count in (core.path_length, core.sequential_steps):
        unknown = "network must be one of attention, recurrent, got 'telegraph'"
        cases.append((partial(count, 3, "telegraph"), unknown))
    for bad in (-1, 1.5, "2"):
        calls = [partial(of, SHAPES["gpt2"], bad) for of in (core.forward_flops, core.key_value_cache_bytes)]
        calls += [partial(of, bad) for of in (core.pattern_entries, core.path_length, core.sequential_steps)]
        calls += [partial(core.pattern_entries, 3, bad), partial(core.pattern_bytes, 3, 1, bad)]
        calls.append(partial(core.pattern_bytes, 3, bytes_per_number=bad))
        cases += [(call, "must be a whole number of at least") for call in calls]
    assert not_refused(cases) == []
