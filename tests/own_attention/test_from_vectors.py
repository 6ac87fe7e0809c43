"""Weights of queries and keys, as models compute them whose kernels return none."""

import numpy as np
import pytest
import torch
import transformers

from attention_lab.own_attention.from_vectors import attention_of_vectors

RANDOM = np.random.default_rng(0)
Q, K, V = RANDOM.normal(size=(4, 6, 8)), RANDOM.normal(size=(2, 6, 8)), RANDOM.normal(size=(2, 6, 8))
SETTINGS = {
    "num_hidden_layers": 2, "hidden_size": 32, "intermediate_size": 32, "vocab_size": 50, "head_dim": 8,
    "num_attention_heads": 4, "num_key_value_heads": 2, "attn_implementation": "eager",
}  # fmt: skip


def reference(mask, q=Q):
    """Torch's own attention, of which it returns the result alone: that of one-hot values is the weights."""
    tensors = [torch.tensor(np.repeat(each, 4 // len(each), axis=0)) for each in (q, K)]
    one_hot = torch.eye(6, dtype=torch.float64).expand(4, 6, 6)
    return torch.nn.functional.scaled_dot_product_attention(*tensors, one_hot, torch.tensor(mask)).numpy()


@pytest.mark.parametrize(
    ("named", "mask"),
    [
        ({}, np.ones((6, 6), bool)),
        ({"causal": True}, np.tri(6, dtype=bool)),
        ({"window": 2}, np.tri(6, dtype=bool) & ~np.tri(6, k=-2, dtype=bool)),
        ({"mask": np.eye(6, dtype=bool)}, np.eye(6, dtype=bool)),
    ],
)
def test_weights_are_torchs_with_fewer_key_heads_and_any_mask(named, mask):
    found = attention_of_vectors(Q, K, **named)
    np.testing.assert_allclose(found.weights[0], reference(mask), atol=1e-6)
    assert found.shared == [2]


def test_the_last_queries_of_a_text_see_all_keys_before_them():
    found = attention_of_vectors(Q[:, -2:], K, causal=True, tokens=list("abcdef"))
    np.testing.assert_allclose(found.weights[0], reference(np.tri(6, dtype=bool))[:, -2:], atol=1e-6)
    assert (found.queries, found.is_self) == (["e", "f"], True)


def test_a_models_weights_are_found_again_from_its_queries_and_keys_before_rotation():
    torch.manual_seed(0)
    model = transformers.LlamaModel(transformers.LlamaConfig(**SETTINGS)).eval()
    seen = {"q_proj": [], "k_proj": [], "v_proj": []}
    for layer in model.layers:
        for name, kept in seen.items():

            def keep(_, __, out, kept=kept):
                kept.append(out[0].unflatten(-1, (-1, 8)).transpose(0, 1))

            getattr(layer.self_attn, name).register_forward_hook(keep)
    output = model(torch.tensor([[3, 9, 4, 9, 5]]), output_attentions=True)
    matrices = [layer.self_attn.o_proj.weight.T for layer in model.layers]
    base = model.config.rope_parameters["rope_theta"]
    found = attention_of_vectors(*seen.values(), [each.detach() for each in matrices], causal=True, rotary=base)
    for ours, theirs in zip(found.weights, output.attentions, strict=True):
        np.testing.assert_allclose(ours, theirs[0].detach(), atol=1e-5)
    value = seen["v_proj"][1].detach().numpy()
    expected = np.linalg.norm(value[1] @ matrices[1].detach().numpy()[24:], axis=-1)  # of head 3, on key head 1
    np.testing.assert_allclose(found.lengths[1][3], expected, rtol=1e-5)


def test_pairs_of_rotary_positions_are_halves_or_neighbours():
    order = np.arange(8).reshape(2, -1).T.ravel()
    halves = attention_of_vectors(Q, K, rotary=100.0)
    neighbours = attention_of_vectors(Q[..., order], K[..., order], rotary=100.0, interleaved=True)
    np.testing.assert_allclose(halves.weights[0], neighbours.weights[0], atol=1e-6)
    assert not np.allclose(halves.weights[0], attention_of_vectors(Q, K).weights[0], atol=1e-3)


def test_lengths_are_those_of_the_values_where_there_is_no_output_matrix():
    found = attention_of_vectors(Q, K, V)
    np.testing.assert_allclose(found.lengths[0], np.repeat(np.linalg.norm(V, axis=-1), 2, axis=0), rtol=1e-6)
    assert attention_of_vectors(Q, K).lengths == []


@pytest.mark.parametrize(
    ("given", "named", "sentence"),
    [
        ((Q, K[..., :4]), {}, r"vectors of one length; layer 0: query \(4, 6, 8\), key \(2, 6, 4\)"),
        ((Q, np.ones((3, 6, 8))), {}, "as many heads as key, or a multiple of them"),
        ((Q, K, V[:, :3]), {}, "key and value must have as many heads and rows"),
        ((Q, [K, K]), {}, r"key has the layers \[0, 1\], and query \[0\]"),
        ((Q, K * np.nan), {}, "key of layer 0 must be finite"),
        (
            (Q, K, V, np.ones((3, 5))),
            {},
            r"must be \(32, d_model\) or \(4, 8, d_model\), got \(3, 5\); .*weight.T",
        ),
        ((Q, K), {"mask": np.zeros((6, 6))}, "mask must be boolean"),
        ((Q[..., :7], K[..., :7]), {"rotary": 1e4}, "rotary needs an even number of components"),
    ],
)
def test_arrays_that_do_not_fit_are_refused_with_their_shapes(given, named, sentence):
    with pytest.raises(ValueError, match=sentence):
        attention_of_vectors(*given, **named)


def test_the_last_queries_of_a_causal_text_are_named_by_their_places():
    found = attention_of_vectors(np.ones((1, 2, 4)), np.ones((1, 6, 4)), causal=True)
    assert (found.queries, found.keys) == (["4", "5"], list("012345"))
    with pytest.raises(ValueError, match=r"W_output has no matrix for the layers \[1\]"):
        attention_of_vectors(*[np.ones((2, 1, 3, 4))] * 3, W_output={0: np.ones((4, 4))})
