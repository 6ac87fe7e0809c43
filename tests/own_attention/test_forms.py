"""Attention in the forms in which libraries have it: every weight arrives, or a sentence says what is wrong."""

import numpy as np
import pytest
import torch
import transformers

from attention_core import AttentionHead, MultiHeadAttention
from attention_core.models import load_language_model
from attention_lab.own_attention.attention import MOST_WEIGHTS
from attention_lab.own_attention.forms import read_attention

SMALL = {"num_hidden_layers": 3, "hidden_size": 16, "intermediate_size": 32, "vocab_size": 50}
HEADS = {"num_attention_heads": 4, "attn_implementation": "eager"}
GROUPED = SMALL | HEADS | {"num_key_value_heads": 2, "head_dim": 4, "max_position_embeddings": 64}
ENDS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": None, "decoder_start_token_id": 1}
GENERATE = {"max_new_tokens": 5, "do_sample": False, "output_attentions": True, "return_dict_in_generate": True}
TEXT = torch.tensor([[3, 9, 4, 9, 5, 6]])


def rows(*shape, seed=0):
    """Random rows that sum to 1."""
    numbers = np.random.default_rng(seed).random(shape, dtype=np.float32)
    return numbers / numbers.sum(axis=-1, keepdims=True)


def only(attention, *given, **named):
    """The one kind of attention that is in a form."""
    (found,) = read_attention(attention, *given, **named).values()
    return found


def arrays(of):
    return [np.asarray(each) for each in of.weights]


def llama(**settings):
    torch.manual_seed(0)
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**(GROUPED | ENDS | settings))).eval()


@pytest.mark.parametrize(
    ("shape", "layers", "heads"),
    [((5, 5), 1, 1), ((2, 5, 5), 1, 2), ((3, 2, 5, 5), 3, 2), ((3, 1, 2, 5, 5), 3, 2)],
)
def test_an_array_is_read_by_its_axes(shape, layers, heads):
    given = rows(*shape)
    found = only(given)
    assert [each.shape for each in found.weights] == layers * [(heads, 5, 5)]
    np.testing.assert_array_equal(np.stack(arrays(found)), given.reshape(layers, heads, 5, 5))
    assert found.queries == found.keys == ["0", "1", "2", "3", "4"]


def test_lists_tensors_of_any_kind_and_layers_by_name_are_read_alike():
    given = rows(2, 4, 4)
    tensor = torch.tensor(given, requires_grad=True)
    forms = [
        given.tolist(),
        tensor,
        (tensor[None],),
        [given],
        {0: given},
        given.astype(float),
        [tensor[None], None],
    ]
    for form in forms:
        np.testing.assert_array_equal(only(form).weights[0], given)
    half = only(tensor.to(torch.bfloat16))
    np.testing.assert_allclose(half.weights[0], given, rtol=2**-8)
    assert list(only({7: given, "last": given}).layers) == [7, "last"]
    assert list(only((None, tensor[None], None, tensor[None])).layers) == [1, 3]  # layers without attention


def test_one_text_of_a_batch_is_chosen():
    given = rows(3, 2, 4, 4)
    np.testing.assert_array_equal(only((given, given), batch=2).weights[1], given[2])
    np.testing.assert_array_equal(only(rows(5, 3, 2, 4, 4), batch=1).weights[4], rows(5, 3, 2, 4, 4)[4, 1])
    with pytest.raises(
        ValueError, match=r"layer 0 of attention holds a batch of 3 texts .*choose one with batch=0"
    ):
        only((given,))
    with pytest.raises(ValueError, match=r"batch=3 is not in layer 0 of attention, which holds 3 texts"):
        only((given,), batch=3)


def test_own_traces_are_read():
    random = np.random.default_rng(0)
    matrices = [random.normal(size=(2, 4, 4)) for _ in range(4)]
    x = random.normal(size=(3, 4))
    one, several = AttentionHead(*(each[0] for each in matrices)), MultiHeadAttention(*matrices)
    np.testing.assert_allclose(only(one.attend(x)).weights[0][0], one.attend(x).weights, rtol=1e-6)
    np.testing.assert_allclose(only(several.attend(x)).weights[0], several.attend(x).heads.weights, rtol=1e-6)
    run = load_language_model().run(["ana", "ben", ":", "ana"])
    found = only(run)
    assert found.queries == ["ana", "ben", ":", "ana"]
    for ours, theirs in zip(found.weights, run.layers, strict=True):
        np.testing.assert_allclose(ours, theirs.heads.weights, rtol=1e-6)


@pytest.mark.parametrize(
    "model",
    [
        lambda: transformers.BertModel(transformers.BertConfig(**SMALL, **HEADS)),
        lambda: transformers.GPT2Model(
            transformers.GPT2Config(n_layer=3, n_embd=16, n_head=4, vocab_size=50, attn_implementation="eager")
        ),
        llama,
        lambda: transformers.MistralForCausalLM(transformers.MistralConfig(**(GROUPED | {"sliding_window": 3}))),
    ],
    ids=["bert", "gpt2", "llama", "mistral"],
)
def test_every_weight_of_a_model_of_transformers_arrives(model):
    output = model().eval()(TEXT, output_attentions=True)
    found = only(output, ["a", "b", "c", "b", "d", "e"])
    assert len(found.weights) == 3
    for ours, theirs in zip(found.weights, output.attentions, strict=True):
        np.testing.assert_array_equal(ours, theirs[0].detach())


def test_pictures_have_attention_too():
    config = transformers.ViTConfig(**SMALL, **HEADS, image_size=32, patch_size=16)
    output = transformers.ViTModel(config).eval()(torch.zeros(1, 3, 32, 32), output_attentions=True)
    assert [each.shape for each in only(output).weights] == 3 * [(4, 5, 5)]


def test_an_encoder_decoder_model_has_three_kinds_with_two_texts():
    config = transformers.T5Config(
        d_model=16, d_kv=4, d_ff=32, num_layers=2, num_heads=4, vocab_size=50, attn_implementation="eager", **ENDS
    )
    model = transformers.T5ForConditionalGeneration(config).eval()
    output = model(input_ids=TEXT, decoder_input_ids=TEXT[:, :4], output_attentions=True)
    found = read_attention(output, list("abcd"), list("uvwxyz"))
    assert {kind: (each.is_self, len(each.queries), len(each.keys)) for kind, each in found.items()} == {
        "encoder": (True, 6, 6),
        "decoder": (True, 4, 4),
        "cross": (False, 4, 6),
    }
    np.testing.assert_array_equal(found["cross"].weights[1], output.cross_attentions[1][0].detach())

    written = model.generate(TEXT, **GENERATE)
    found = read_attention(written, list("0abcd"), list("uvwxyz"))
    assert found["decoder"].weights[0].shape == (4, 5, 5)
    assert found["decoder"].is_causal
    assert found["cross"].weights[0].shape == (4, 5, 6)
    whole = model(input_ids=TEXT, decoder_input_ids=written.sequences[:, :5], output_attentions=True)
    for kind in ("decoder", "cross"):
        theirs = getattr(whole, f"{kind}_attentions")
        np.testing.assert_allclose(found[kind].weights[1], theirs[1][0].detach(), atol=1e-6)


def test_whisper_listens():
    config = transformers.WhisperConfig(
        vocab_size=50, d_model=16, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=32, decoder_ffn_dim=32, num_mel_bins=8,
        max_source_positions=10, attn_implementation="eager", **ENDS,
    )  # fmt: skip
    model = transformers.WhisperModel(config).eval()
    output = model(torch.zeros(1, 8, 20), decoder_input_ids=TEXT[:, :3], output_attentions=True)
    found = read_attention(output, list("abc"))
    assert found["cross"].weights[0].shape == (4, 3, 10)
    assert found["encoder"].keys[-1] == "9"


@pytest.mark.parametrize("cache", [None, "static", "none", "sliding"])
def test_steps_of_generate_become_the_pattern_of_the_whole_text(cache):
    settings = {"use_cache": cache != "none"} | ({"cache_implementation": cache} if cache == "static" else {})
    if cache == "sliding":
        config = transformers.MistralConfig(**(GROUPED | ENDS | {"sliding_window": 4}))
        torch.manual_seed(0)
        model = transformers.MistralForCausalLM(config).eval()
    else:
        model = llama()
    written = model.generate(TEXT, **GENERATE, **settings)
    tokens = [str(number) for number in written.sequences[0].tolist()]
    found = only(written, tokens)
    whole = model(written.sequences[:, :-1], output_attentions=True)
    assert found.prompt == 6
    assert found.is_causal
    assert found.queries == tokens[:-1]
    for ours, theirs in zip(found.weights, whole.attentions, strict=True):
        np.testing.assert_allclose(ours, theirs[0].detach(), atol=1e-5)


def test_an_output_without_weights_and_one_of_several_beams_are_refused_with_the_remedy():
    model = llama().eval()
    for given in (model(TEXT), (None, None), model(TEXT, output_attentions=False, use_cache=False)):
        with pytest.raises(ValueError, match="has no attention weights: load the model with attn_implementation"):
            read_attention(given)
    beams = model.generate(
        TEXT, num_beams=2, max_new_tokens=3, output_attentions=True, return_dict_in_generate=True
    )
    with pytest.raises(ValueError, match="generate with num_beams=1"):
        read_attention(beams)


def test_steps_of_generate_in_a_tuple_and_the_last_queries_of_a_text_are_read():
    steps = tuple((rows(1, 2, 3 if step == 0 else 1, 3 + step),) for step in range(3))
    found = only(steps, list("abcde"))
    np.testing.assert_array_equal(found.weights[0][:, 4], steps[2][0][0, :, 0])
    assert not found.weights[0][:, 3, 4].any()
    last = only(rows(2, 1, 5), list("abcde"))
    assert (last.queries, last.is_self) == (["e"], True)
    with pytest.raises(
        ValueError, match=r"step 1, layer 0 of attention has shape \(2, 2, 4\); expected \(2, 1, keys\)"
    ):
        only(((rows(1, 2, 3, 3),), (rows(1, 2, 2, 4),)))


def test_a_cache_of_transformer_lens_is_read_by_its_names():
    cache = {f"blocks.{layer}.attn.hook_pattern": rows(1, 2, 4, 4, seed=layer) for layer in (1, 0)}
    found = only(cache | {"blocks.0.attn.hook_q": rows(1, 4, 2, 4), "hook_embed": rows(1, 4, 8)})
    assert sorted(found.layers) == [0, 1]
    with pytest.raises(ValueError, match="no attention patterns: let run_with_cache keep"):
        only({"blocks.0.attn.hook_q": rows(1, 4, 2, 4)})


def test_weights_of_torchs_own_layer_are_read():
    layer = torch.nn.MultiheadAttention(8, 2, batch_first=True)
    x = torch.randn(1, 5, 8)
    for average in (True, False):
        weights = layer(x, x, x, average_attn_weights=average)[1]
        np.testing.assert_array_equal(only((weights,)).weights[0], weights.detach().reshape(-1, 5, 5))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ([], r"attention must have shape \(q, k\), .* or be a sequence of layers, got \(0,\)"),
        ([[1, 2], [3]], "attention is not an array of numbers"),
        (np.ones(3), r"got \(3,\)"),
        (np.zeros((0, 3, 3)), r"attention is empty: its shape is \(0, 3, 3\)"),
        (-rows(3, 3), r"9 of 9 weights of layer 0 \(-0\.\d+ at head 0, query 0, key 0\) are negative"),
        (9 * rows(3, 3), "are above 1; if these are scores, apply softmax to each row first"),
        (np.full((3, 3), np.nan), r"9 of 9 weights of layer 0 \(nan at head 0, query 0, key 0\) are not finite"),
        ({}, r"attention is empty; pass \{layer: array"),
        ({"attentions": None}, "attn_implementation='eager'.*output_attentions=True"),
        ([rows(2, 3, 3), rows(2, 4, 4)], "layer 1 has 4 queries × 4 keys, and layer 0 has 3 queries × 3 keys"),
        ("the cat", "attention must hold real numbers"),
        (None, "attention must hold real numbers"),
        (np.broadcast_to(np.float32(0), (10, 10, 3000, 3000)), "900,000,000 weights .* Pass some layers"),
    ],
)
def test_what_is_no_attention_is_refused_with_what_to_pass(given, sentence):
    assert 900_000_000 > MOST_WEIGHTS
    with pytest.raises(ValueError, match=sentence):
        read_attention(given)


@pytest.mark.parametrize("count", [2, 4])
def test_tokens_of_another_number_are_refused(count):
    with pytest.raises(
        ValueError, match=f"{count} tokens were given for 3 queries; the arrays have 3 queries × 3 keys"
    ):
        read_attention(rows(3, 3), ["a"] * count)


def test_heads_that_share_a_key_head_are_told_apart_by_how_many_of_these_there_are():
    output = llama()(TEXT, output_attentions=True)
    assert only(output).shared == (), "an output does not say so"
    assert only(output, key_heads=2).shared == [2, 2, 2]
    for wrong in (3, 0, 8):
        with pytest.raises(ValueError, match=f"must divide the number of heads, got {wrong} and 4"):
            read_attention(output, key_heads=wrong)


def test_keys_that_are_the_tokens_are_one_text():
    weights = rows(2, 3, 3)
    assert only(weights, list("abc"), list("abc")).is_self
    assert not only(weights, list("abc"), list("abd")).is_self
