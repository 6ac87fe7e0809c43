import dataclasses

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention_core import (
    SHAPES,
    AttentionHead,
    MultiHeadAttention,
    TransformerShape,
    count_parameters,
    forward_flops,
    key_value_cache_bytes,
    path_length,
    pattern_bytes,
    pattern_entries,
    sequential_steps,
    vocabulary_for,
)

sizes = st.integers(1, 40)
PARTS = ("attention_total", "feed_forward_total", "embeddings", "norms", "biases")


def sum_of_parts(count):
    return sum(getattr(count, part) for part in PARTS)


def test_gpt3_as_it_is_told():
    count = count_parameters(SHAPES["gpt3"])
    assert count.per_matrix == 1_572_864
    assert count.per_head == 6_291_456
    assert count.per_layer == 603_979_776
    assert count.attention_total == 57_982_058_496
    assert round(100 * count.attention_total / 175e9, 1) == 33.1
    assert count.total == 174_604_259_328


def test_the_bare_sizes_of_gpt3_are_enough():
    count = count_parameters(TransformerShape(d_model=12_288, d_k=128, num_heads=96, num_layers=96))
    assert (count.per_matrix, count.per_head, count.per_layer, count.attention_total) == (
        1_572_864,
        6_291_456,
        603_979_776,
        57_982_058_496,
    )


@pytest.mark.parametrize(
    ("name", "total"),
    [
        ("gpt2", 124_439_808),
        ("gpt2-medium", 354_823_168),
        ("gpt2-large", 774_030_080),
        ("gpt2-xl", 1_557_611_200),
    ],
)
def test_gpt2_as_it_was_published(name, total):
    assert count_parameters(SHAPES[name]).total == total


@pytest.mark.parametrize(("name", "millions"), [("transformer-base", 63.0), ("transformer-big", 214.2)])
def test_the_models_of_2017_by_their_equations(name, millions):
    shape = SHAPES[name]
    assert round(count_parameters(shape).total / 1e6, 1) == millions
    assert not shape.learned_positions


@pytest.mark.parametrize("biases", [True, False])
def test_counts_what_torch_builds_for_an_encoder_and_a_decoder(biases):
    options = {"dim_feedforward": 20, "bias": biases, "batch_first": True}
    encoder, decoder = (
        layer(12, 3, **options) for layer in (torch.nn.TransformerEncoderLayer, torch.nn.TransformerDecoderLayer)
    )
    norms = [torch.nn.LayerNorm(12, bias=biases) for _ in range(2)]
    parts = [
        torch.nn.TransformerEncoder(encoder, 2, norms[0], enable_nested_tensor=False),
        torch.nn.TransformerDecoder(decoder, 4, norms[1]),
    ]
    shape = TransformerShape(12, 4, 3, 2, d_ff=20, decoder_layers=4, biases=biases)
    assert count_parameters(shape).total == sum(array.numel() for part in parts for array in part.parameters())


@pytest.mark.parametrize("biases", [True, False])
@pytest.mark.parametrize("final_norm", [True, False])
def test_counts_what_torch_builds_for_one_stack(biases, final_norm):
    layer = torch.nn.TransformerEncoderLayer(12, 3, dim_feedforward=48, bias=biases)
    norm = torch.nn.LayerNorm(12, bias=biases) if final_norm else None
    peer = torch.nn.TransformerEncoder(layer, 5, norm=norm, enable_nested_tensor=False)
    shape = TransformerShape(12, 4, 3, 5, biases=biases, final_norm=final_norm)
    assert count_parameters(shape).total == sum(array.numel() for array in peer.parameters())


@given(sizes, sizes, sizes, sizes)
def test_counts_what_our_own_heads_hold(d_model, d_k, d_v, h):
    shape = TransformerShape(d_model, d_k, h, 1, d_v=d_v)
    query, value, output = (h, d_model, d_k), (h, d_model, d_v), (h, d_v, d_model)
    heads = MultiHeadAttention(np.ones(query), np.ones(query), np.ones(value), np.ones(output))
    head = AttentionHead(*(W[0] for W in vars(heads).values()))
    assert count_parameters(shape).per_matrix == head.W_query.size
    assert count_parameters(shape).per_head == sum(W.size for W in vars(head).values())
    assert count_parameters(shape).per_layer == sum(W.size for W in vars(heads).values())


@given(sizes, sizes, sizes, sizes, st.integers(0, 3), st.booleans(), st.booleans(), st.booleans())
def test_the_parts_add_up_to_the_total(d_model, d_k, h, layers, decoder_layers, biases, tied, learned):
    shape = TransformerShape(
        d_model,
        d_k,
        h,
        layers,
        vocabulary=50,
        context=7,
        decoder_layers=decoder_layers,
        biases=biases,
        tied_embeddings=tied,
        learned_positions=learned,
    )
    count = count_parameters(shape)
    assert count.total == sum_of_parts(count)
    assert count.per_layer == h * count.per_head
    assert count.attention_total == count.per_layer * (layers + 2 * decoder_layers)
    stacks = 2 if decoder_layers else 1
    assert count.embeddings == d_model * (50 * (1 if tied else stacks + 1) + 7 * stacks * learned)


@given(sizes, sizes, st.integers(1, 6), st.integers(1, 6))
def test_sharing_keys_and_values_saves_exactly_these(d_model, d_k, groups, heads_in_a_group):
    h = groups * heads_in_a_group
    own = count_parameters(TransformerShape(d_model, d_k, h, 3, biases=False))
    shared = count_parameters(TransformerShape(d_model, d_k, h, 3, num_kv_heads=groups, biases=False))
    assert own.total - shared.total == 3 * (h - groups) * 2 * d_model * d_k
    assert own.per_head == shared.per_head


def test_what_is_left_out_is_not_counted():
    bare = TransformerShape(8, 4, 2, 1)
    assert count_parameters(bare).embeddings == 0
    assert count_parameters(dataclasses.replace(bare, vocabulary=10)).embeddings == 80
    assert count_parameters(dataclasses.replace(bare, context=5)).embeddings == 40
    assert count_parameters(dataclasses.replace(bare, context=5, learned_positions=False)).embeddings == 0


def test_defaults_are_filled_in():
    shape = TransformerShape(d_model=8, d_k=4, num_heads=2, num_layers=1, biases=False)
    assert (shape.d_v, shape.d_ff, shape.num_kv_heads, shape.attention_biases) == (4, 32, 2, False)
    assert (shape.vocabulary, shape.context, shape.decoder_layers) == (None, None, 0)


def test_whole_numbers_of_any_size_are_counted_exactly():
    big = 10**30
    count = count_parameters(TransformerShape(big, big, big, big, biases=False))
    assert count.per_matrix == 10**60
    assert count.attention_total == 4 * 10**120
    assert all(type(number) is int for number in vars(count).values())
    numpys = count_parameters(TransformerShape(*np.array([12_288, 128, 96, 96], np.int32)))
    assert numpys.attention_total == 57_982_058_496, "no overflow in 32 bits"


@pytest.mark.parametrize("bad", [0, -3, 2.5, 3.0, "4", True, np.float64(2)])
@pytest.mark.parametrize(
    "name", ["d_model", "d_k", "num_heads", "num_layers", "d_v", "d_ff", "num_kv_heads", "vocabulary", "context"]
)
def test_a_size_below_one_or_not_whole_is_refused(name, bad):
    with pytest.raises(ValueError, match=f"{name} must be a whole number of at least 1, got"):
        TransformerShape(**{"d_model": 8, "d_k": 4, "num_heads": 2, "num_layers": 1} | {name: bad})


@pytest.mark.parametrize("name", ["d_model", "d_k", "num_heads", "num_layers"])
def test_the_first_four_sizes_must_be_there(name):
    with pytest.raises(ValueError, match=f"{name} must be a whole number"):
        TransformerShape(**{"d_model": 8, "d_k": 4, "num_heads": 2, "num_layers": 1} | {name: None})


def test_other_refusals():
    with pytest.raises(ValueError, match="decoder_layers must be a whole number of at least 0"):
        TransformerShape(8, 4, 2, 1, decoder_layers=-1)
    with pytest.raises(ValueError, match="num_kv_heads must divide num_heads, got 4 and 6"):
        TransformerShape(8, 4, 6, 1, num_kv_heads=4)
    for name in ("biases", "tied_embeddings", "learned_positions", "final_norm", "attention_biases"):
        with pytest.raises(ValueError, match=f"{name} must be True or False, got 1"):
            TransformerShape(8, 4, 2, 1, **{name: 1})


def test_shapes_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        SHAPES["gpt2"].d_model = 1
    with pytest.raises(TypeError):
        SHAPES["mine"] = SHAPES["gpt2"]
    assert list(SHAPES) == [
        "transformer-base",
        "transformer-big",
        "gpt2",
        "gpt2-medium",
        "gpt2-large",
        "gpt2-xl",
        "gpt3",
    ]


def test_calculations_of_one_pass_by_hand():
    shape = TransformerShape(d_model=6, d_k=2, num_heads=3, num_layers=5, d_v=4, d_ff=7, vocabulary=11)
    flops = forward_flops(shape, 10)
    assert flops.projections == 2 * 10 * 5 * 3 * (2 * 6 * 2 + 2 * 6 * 4)
    assert flops.pattern == 5 * 3 * (2 * 10 * 10 * 2 + 2 * 10 * 10 * 4)
    assert flops.feed_forward == 2 * 10 * 5 * 2 * 6 * 7
    assert flops.vocabulary == 2 * 10 * 6 * 11
    assert flops.total == flops.projections + flops.pattern + flops.feed_forward + flops.vocabulary


@pytest.mark.parametrize("decoder_layers", [0, 2])
def test_calculations_grow_with_the_text_and_its_square(decoder_layers):
    shape = TransformerShape(16, 4, 4, 2, vocabulary=9, decoder_layers=decoder_layers)
    once, twice = forward_flops(shape, 100), forward_flops(shape, 200)
    assert twice.pattern == 4 * once.pattern
    assert twice.total - twice.pattern == 2 * (once.total - once.pattern)
    assert forward_flops(shape, 0).total == 0


def test_memory_by_hand():
    assert pattern_entries(1000) == 10**6
    assert pattern_entries(10**6) == 10**12
    assert pattern_entries(10, num_heads=3, num_layers=2) == 600
    assert pattern_bytes(1024) == 4 * 2**20
    assert pattern_bytes(10, 3, 2, bytes_per_number=2) == 1200
    assert key_value_cache_bytes(SHAPES["gpt3"], 2048) == 2048 * 96 * 96 * 256 * 2
    grouped = TransformerShape(16, 4, 8, 2, num_kv_heads=2)
    assert key_value_cache_bytes(grouped, 100, bytes_per_number=4) == 100 * (4 + 4) * 2 * 2 * 4
    both = TransformerShape(16, 4, 8, 5, decoder_layers=3)
    assert key_value_cache_bytes(both, 1, bytes_per_number=1) == (4 + 4) * 8 * 2 * 3


@given(st.integers(1, 10**6), st.sampled_from(sorted(SHAPES)))
def test_the_vocabulary_for_a_total_gives_that_total(tokens, name):
    shape = TransformerShape(**{**vars(SHAPES[name]), "vocabulary": tokens})
    assert vocabulary_for(SHAPES[name], count_parameters(shape).total) == tokens


def test_no_vocabulary_gives_both_totals_of_2017():
    base, big = (
        vocabulary_for(SHAPES["transformer-base"], 65 * 10**6),
        vocabulary_for(SHAPES["transformer-big"], 213 * 10**6),
    )
    assert (round(base), round(big)) == (40_817, 35_856)
    rounding = 500_000 / 512 + 500_000 / 1024  # the totals are told to the million
    assert base - big > rounding


def test_a_vocabulary_for_less_than_the_rest_is_negative():
    assert vocabulary_for(SHAPES["gpt2"], 0) < 0
    with pytest.raises(ValueError, match="total must be a whole number"):
        vocabulary_for(SHAPES["gpt2"], 1.5)


def test_paths_and_steps():
    assert [path_length(distance) for distance in (0, 1, 500)] == [0, 1, 1]
    assert [path_length(distance, "recurrent") for distance in (0, 1, 500)] == [0, 1, 500]
    assert [sequential_steps(tokens) for tokens in (0, 1, 500)] == [0, 1, 1]
    assert [sequential_steps(tokens, "recurrent") for tokens in (0, 1, 500)] == [0, 1, 500]
    for count in (path_length, sequential_steps):
        with pytest.raises(ValueError, match="network must be one of attention, recurrent, got 'telegraph'"):
            count(3, "telegraph")


@pytest.mark.parametrize(
    "call",
    [
        lambda bad: forward_flops(SHAPES["gpt2"], bad),
        lambda bad: key_value_cache_bytes(SHAPES["gpt2"], bad),
        pattern_entries,
        lambda bad: pattern_entries(3, bad),
        lambda bad: pattern_bytes(3, 1, bad),
        lambda bad: pattern_bytes(3, bytes_per_number=bad),
        path_length,
        sequential_steps,
    ],
)
@pytest.mark.parametrize("bad", [-1, 1.5, "2"])
def test_amounts_must_be_whole(call, bad):
    with pytest.raises(ValueError, match="must be a whole number of at least"):
        call(bad)
