"""Decoders from folders and GGUF files: states, patterns, probabilities and written text are transformers'."""

import copy
import json
import os
from functools import lru_cache, partial

os.environ["HF_HUB_OFFLINE"] = "1"

import gguf
import numpy as np
import pytest
import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers.generation import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from attention_core import MayAttend, read_model
from tests.core.refusals import not_refused
from tools.training.gallery import shipped_folder

transformers.utils.logging.disable_progress_bar()
near = partial(np.testing.assert_allclose, rtol=0, atol=1e-4)

TEXT = "The animal didn't cross the street because it was too tired."
BYTE_PAIRS = Tokenizer(models.BPE())
BYTE_PAIRS.pre_tokenizer = level = pre_tokenizers.ByteLevel(add_prefix_space=False)
TRAINING = {"vocab_size": 300, "special_tokens": ["<END>"], "initial_alphabet": level.alphabet()}
BYTE_PAIRS.train_from_iterator([TEXT * 3], trainers.BpeTrainer(**TRAINING, show_progress=False))
SIZES = {
    "vocab_size": 300, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 3, "eos_token_id": 0,
    "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 64, "pad_token_id": None,
}  # fmt: skip
LINEAR = {"rope_type": "linear", "rope_theta": 10_000.0, "factor": 4.0}
FREQUENCIES = {"low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 32}
MODELS = {
    "llama": {"rope_parameters": {"rope_type": "default", "rope_theta": 500.0}},
    "llama tied": {"tie_word_embeddings": True, "num_key_value_heads": 4},
    "llama linear": {"rope_parameters": LINEAR, "attention_bias": True, "mlp_bias": True},
    "llama llama3": {"rope_parameters": LINEAR | FREQUENCIES | {"rope_type": "llama3"}, "num_key_value_heads": 1},
    "mistral": {"sliding_window": 5, "head_dim": 24}, "qwen2": {"tie_word_embeddings": True},
    "qwen2 windows": {"use_sliding_window": True, "sliding_window": 5, "max_window_layers": 1},
    "qwen3": {"head_dim": 24, "hidden_size": 48}, "smollm3": {"no_rope_layers": [1, 0, 1]},
    "smollm3 windows": {"use_sliding_window": True, "sliding_window": 4, "no_rope_layers": [0, 1, 0]},
    "gpt2": {}, "bert": {},
}  # fmt: skip
IN_GGUF = ["llama/F32", "llama tied/F16", "llama linear/Q8_0", "llama llama3/Q8_0", "qwen2/Q8_0", "qwen3/F32"]
MASKS = [
    (MayAttend(window=3), lambda i, j: i - j < 3),
    (MayAttend(window=3, first=2), lambda i, j: (i - j < 3) | (j < 2)),
    (MayAttend(closed=(0, 4)), lambda i, j: ~np.isin(j, (0, 4)) | (i == j)),
    (MayAttend(2, 2, (1,)), lambda i, j: ((i - j < 2) & (j != 1)) | (i == j) | (j < 1)),
]
INTERVENED = {"heads_off": [(1, 0)], "may_attend": MayAttend(window=4, first=1, closed=(2, 14))}
SAMPLING = [
    {"temperature": 0.5}, {"temperature": 2.0, "top_k": 7}, {"top_p": 0.6}, {"top_p": 1.0, "top_k": 10_000},
    {"temperature": 1.5, "top_k": 20, "top_p": 0.8}, {"top_k": 3, "top_p": 1e-9}, {"top_k": 1},
]  # fmt: skip
WARPERS = {"temperature": TemperatureLogitsWarper, "top_k": TopKLogitsWarper, "top_p": TopPLogitsWarper}


def random_model(name):
    torch.manual_seed(7)
    config = transformers.AutoConfig.for_model(name.split()[0], **SIZES | MODELS[name])
    kind = transformers.AutoModel if name == "bert" else transformers.AutoModelForCausalLM
    model = kind.from_config(config, attn_implementation="eager").eval()
    for part, parameter in model.named_parameters():  # gains of 1 and biases of 0 would hide mistakes
        parameter.data.normal_(float(parameter.ndim == 1 and part.endswith("weight")), 0.2)
    return model


def save(model, folder, settings=None, **options):
    """Write a model's folder, perhaps with other settings in its config.json; None takes one out."""
    model.save_pretrained(folder, **options)
    BYTE_PAIRS.save(str(folder / "tokenizer.json"))
    if model.config.model_type == "bert":
        names = ["[UNK]", "[CLS]", "[SEP]", *(mark + chr(k) for mark in ("", "##") for k in range(33, 127))]
        (folder / "vocab.txt").write_text("\n".join(names))
    if settings:
        config = json.loads((folder / "config.json").read_text()) | settings
        present = {key: value for key, value in config.items() if value is not None}
        (folder / "config.json").write_text(json.dumps(present))
    return folder


@pytest.fixture(scope="module")
def load(tmp_path_factory):
    def pair(name):
        return (model := random_model(name)), read_model(save(model, tmp_path_factory.mktemp("model")))

    return lru_cache(pair)


def expected(model, numbers, heads_off=(), mask=None):
    model, is_gpt2 = copy.deepcopy(model), model.config.model_type == "gpt2"
    options = {"output_hidden_states": True, "output_attentions": True}
    if mask is not None:
        options["attention_mask"] = torch.where(torch.tensor(mask), 0.0, -torch.inf)[None, None]
    for layer, head in heads_off:
        name = f"h.{layer}.attn.c_proj.weight" if is_gpt2 else f"layers.{layer}.self_attn.o_proj.weight"
        weight = model.base_model.get_parameter(name).data
        (weight.T if is_gpt2 else weight).unflatten(1, (4, -1))[:, head] = 0
    with torch.no_grad():
        return model(torch.tensor([numbers]), **options)


def check(model, ours, mask=None, **options):
    """Hold a reading of TEXT, and what is written after it, against transformers'."""
    numbers, run, base = ours.tokeniser.encode(TEXT)[0], ours.run(TEXT, **options), model.base_model
    wanted = expected(model, numbers, options.get("heads_off", ()), mask)
    norm = getattr(base, "norm", None) or getattr(base, "ln_f", torch.nn.Identity())
    near(run.states[:-1], torch.cat(wanted.hidden_states[:-1]))
    near(norm(torch.tensor(run.states[-1])).detach(), wanted.hidden_states[-1][0])
    near([trace.weights for trace in run.layers], torch.cat(wanted.attentions))
    if "logits" in wanted:
        assert numbers == BYTE_PAIRS.encode(TEXT).ids
        near(ours.next_token(TEXT, **options), torch.softmax(wanted.logits[0, -1], -1))
    if "logits" in wanted and not options:
        ids, searching = torch.tensor([numbers]), {"do_sample": False, "max_new_tokens": 7, "pad_token_id": 0}
        written = model.generate(ids, attention_mask=torch.ones_like(ids), **searching)[0].tolist()
        assert numbers + [step.number for step in ours.generate(TEXT, 7, temperature=0)] == written


@pytest.mark.parametrize("name", MODELS)
def test_each_architecture_gives_the_references_numbers(load, name):
    model, ours = load(name)
    check(model, ours)
    numbers, _ = ours.tokeniser.encode(TEXT)
    texts = [numbers, [], numbers[3:9], *[numbers[:1]] * 130, numbers]  # more than go at once
    for text, states in zip(texts, ours.run_together(texts), strict=True):
        near(states, ours.run_tokens(text)[0])


def test_the_shipped_encoder_gives_the_references_numbers():
    folder = shipped_folder()
    reference = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    check(reference, read_model(folder))


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
def test_half_precision_and_shards_are_read(tmp_path, kind):
    model = random_model("qwen2")
    for parameter in model.parameters():
        parameter.data = parameter.data.to(kind).float()
    folder = save(copy.deepcopy(model).to(kind), tmp_path, max_shard_size=60_000)
    assert len([*folder.glob("*.safetensors")]) > 2
    check(model, read_model(folder))


@pytest.mark.parametrize("name", ["llama", "llama linear", "llama llama3", "qwen2 windows", "smollm3 windows"])
def test_a_config_as_older_versions_write_it_means_the_same(tmp_path, name):
    model = random_model(name)
    rope = dict(model.config.rope_parameters)
    old = dict.fromkeys(("rope_parameters", "head_dim", "layer_types", "tie_word_embeddings"))
    base = rope.pop("rope_theta")
    old["rope_theta"] = None if base == model.config.default_theta else base
    if "factor" in rope:
        old["rope_scaling"] = {"type" if key == "rope_type" else key: value for key, value in rope.items()}
    check(model, read_model(save(model, tmp_path, old)))


def write_gguf(path, model, kind):
    """Write a model as llama.cpp's converter does, and round its matrices to what the file holds."""
    config, table, rope = model.config, json.loads(BYTE_PAIRS.to_str())["model"], model.config.rope_parameters
    heads, is_llama = (config.num_attention_heads, config.num_key_value_heads), config.model_type == "llama"
    size = getattr(config, "head_dim", None) or config.hidden_size // heads[0]
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH[config.model_type.upper()], 3)
    writer = gguf.GGUFWriter(path, config.model_type)
    for key, value in {
        "context_length": config.max_position_embeddings, "embedding_length": config.hidden_size,
        "block_count": 3, "feed_forward_length": config.intermediate_size, "head_count": heads[0],
        "head_count_kv": heads[1], "layer_norm_rms_eps": config.rms_norm_eps, "key_length": size,
        "value_length": size, "rope_freq_base": rope["rope_theta"], "tokenizer_model": "gpt2",
        "tokenizer_pre": "smollm" if is_llama else "qwen2", "eos_token_id": config.eos_token_id,
        "token_list": sorted(table["vocab"], key=table["vocab"].get), "token_types": [3] + [1] * 299,
        "token_merges": [" ".join(pair) for pair in table["merges"]],
    }.items():  # fmt: skip
        getattr(writer, f"add_{key}")(value)
    if rope["rope_type"] == "linear":
        writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
        writer.add_rope_scaling_factor(rope["factor"])
    if rope["rope_type"] == "llama3":
        plain = rope["rope_theta"] ** (-np.arange(0, size, 2, np.float32) / size)
        writer.add_tensor("rope_freqs.weight", plain / model.model.rotary_emb.inv_freq.numpy())
    for name, parameter in model.named_parameters():
        name = names.get_name(name, try_suffixes=(".weight", ".bias"))
        dtype = kind if parameter.ndim == 2 else gguf.GGMLQuantizationType.F32
        data = gguf.quantize(parameter.data.numpy(), dtype)
        parameter.data = torch.tensor(gguf.dequantize(data, dtype))
        if is_llama and ("attn_q" in name or "attn_k" in name):  # pairs of the two halves become neighbours
            halves = data.reshape(heads["attn_k" in name], 2, -1, *data.shape[1:])
            data = halves.swapaxes(1, 2).reshape(data.shape)
        writer.add_tensor(name, data, raw_dtype=dtype)
    for part in ("header", "kv_data", "tensors"):
        getattr(writer, f"write_{part}_to_file")()
    writer.close()


@pytest.mark.parametrize("case", IN_GGUF)
def test_a_gguf_file_gives_the_references_numbers(tmp_path, case):
    name, kind = case.split("/")
    write_gguf(tmp_path / "a.gguf", model := random_model(name), gguf.GGMLQuantizationType[kind])
    ours = read_model(tmp_path / "a.gguf")
    check(model, ours)
    assert ours.tokeniser.encode("The<END>")[0] == BYTE_PAIRS.encode("The<END>").ids


@pytest.mark.parametrize("name", ["llama", "mistral", "qwen3", "smollm3", "gpt2"])
def test_interventions_are_the_references_zeros_and_masks(load, name):
    model, ours = load(name)
    n = len(ours.tokeniser.encode(TEXT)[0])
    i, j = np.arange(n)[:, None], np.arange(n)
    own = (j <= i) & (i - j < (getattr(model.config, "sliding_window", None) or n))
    check(model, ours, heads_off=[(0, 1), (2, 0), (2, 3)])
    for may_attend, rule in MASKS:
        for form in (may_attend, rule, rule(i, j)):
            check(model, ours, rule(i, j) & own, may_attend=form, heads_off=[(1, 2)])
    run = ours.run(TEXT, may_attend=lambda i, j: (i != 1) & (j >= 0))
    assert not any(trace.weights[:, 1].any() for trace in run.layers)
    assert np.isfinite(run.states).all()


@pytest.mark.parametrize("options", [{}, INTERVENED], ids=["plain", "intervened"])
@pytest.mark.parametrize("name", [name for name in MODELS if name != "bert"])
def test_text_is_written_alike_with_and_without_the_cache(load, name, options):
    model, ours = load(name)
    numbers = ours.tokeniser.encode(TEXT)[0]
    heads, _, size = expected(model, numbers).past_key_values.layers[0].keys.shape[1:]
    fast, slow = (ours.generate(TEXT, 7, temperature=0, cache=cache, **options) for cache in (True, False))
    near(next(ours.generate(TEXT, 1, **options)).probabilities, ours.next_token(TEXT, **options))
    for step, same in zip(fast, slow, strict=True):
        rows = [trace.weights[:, -1:] for trace in ours.run_tokens(numbers, **options)[1]]
        near(step.row, rows)
        near(same.row, rows)
        near(same.probabilities, step.probabilities)
        assert same.number == step.number == step.adjusted.argmax() == step.probabilities.argmax()
        assert step.cache_shape == (3, 2, heads, len(numbers), size)
        assert step.cache_bytes == 4 * np.prod(step.cache_shape)
        numbers = [*numbers, step.number]


def test_text_ends_after_any_of_the_models_end_tokens(load, tmp_path):
    model, free = copy.deepcopy(load("qwen3")[0]), [*load("qwen3")[1].generate(TEXT, 5, temperature=0)]
    model.config.eos_token_id = model.generation_config.eos_token_id = [0, free[2].number]
    steps = [*read_model(save(model, tmp_path)).generate(TEXT, 5, temperature=0)]
    assert [step.number for step in steps] == [step.number for step in free[:3]]


@pytest.mark.parametrize("options", SAMPLING, ids=str)
def test_tokens_are_drawn_from_the_references_distribution(load, options):
    model, ours = load("qwen3")
    numbers = ours.tokeniser.encode(TEXT)[0]
    steps = [*ours.generate(TEXT, 6, seed=3, **options)]
    logits = expected(model, numbers + [step.number for step in steps]).logits[0, len(numbers) - 1 : -1]
    for step, scores in zip(steps, logits[:, None], strict=True):
        near(step.probabilities, torch.softmax(scores[0], -1))
        for key, value in options.items():
            scores = WARPERS[key](value)(None, scores)
        near(step.adjusted, torch.softmax(scores[0], -1))
        sums = np.cumsum([0, *step.adjusted])
        assert sums[step.number] <= step.draw < sums[step.number + 1]
    assert [step.draw for step in ours.generate(TEXT, 6, seed=3)] == [step.draw for step in steps]
    assert next(ours.generate(TEXT, 1, seed=4)).draw != steps[0].draw


def test_a_decoder_that_would_give_other_numbers_is_refused_by_name(load, tmp_path):
    model = copy.deepcopy(load("llama")[0])
    model.model.layers[1].mlp.up_proj.weight.data[3, 4] = torch.nan
    calls = [(partial(read_model, save(model, tmp_path / "nan")), "layers.1.mlp.up_proj.*finite")]
    for number, (name, settings, pattern) in enumerate([
        ("llama", {"rope_parameters": LINEAR | {"rope_type": "yarn"}}, "rope scaling 'yarn' is unknown"),
        ("llama", {"rope_parameters": None, "rope_scaling": {"type": "yarn", "factor": 4.0}}, "'yarn'"),
        ("llama", {"partial_rotary_factor": 0.5}, "partial_rotary_factor 0.5 is unknown; known: 1"),
        ("llama", {"hidden_act": "relu2"}, "'relu2'"), ("gpt2", {"tie_word_embeddings": False}, "tie_word_emb"),
        ("llama", {"num_local_experts": 8}, "num_local_exp"), ("llama", {"model_type": "mixtral"}, "'mixtral'"),
        ("qwen2", {"quantization_config": {"quant_method": "gptq"}}, "quantization_config"),
        ("llama", {"vocab_size": 299}, "300.*299"), ("llama", {"vocab_size": 5000}, "300.*5000"),
        ("llama", {"num_key_value_heads": 3}, "4 heads.*3"), ("llama", {"head_dim": 15}, "head_dim 15"),
        ("qwen3", {"head_dim": 16}, "q_proj.*shape"), ("mistral", {"layer_types": 5}, "layer_types must"),
    ]):  # fmt: skip
        calls.append((partial(read_model, save(load(name)[0], tmp_path / str(number), settings)), pattern))
    assert not_refused(calls) == []


def test_a_question_without_an_answer_is_refused_by_name(load):
    (_, ours), (_, bert), long = load("llama"), load("bert"), "xyz " * 40
    wrong = [("temperature", -1), ("temperature", np.nan), ("may_attend", np.ones((2, 2), bool))]
    wrong += [("top_k", value) for value in (0, -1, 1.5)] + [("top_p", value) for value in (0, 1.1, np.nan)]
    too_long = f"64 tokens, got {len(ours.tokeniser.encode(long)[0])}"
    assert not_refused([
        *((lambda key=key, value=value: [*ours.generate(TEXT, 2, **{key: value})], key) for key, value in wrong),
        *((partial(ours.run, TEXT, heads_off=[pair]), "no head") for pair in ((3, 0), (0, 4), (0, -1))),
        (partial(ours.run, TEXT, may_attend=np.ones((2, 2), bool)), "may_attend"),
        (partial(ours.run, TEXT, may_attend=np.ones((99, 99))), "may_attend must be boolean"),
        (partial(ours.run, long), too_long), (partial(ours.next_token, long), too_long),
        (lambda: [*ours.generate(TEXT, 60)], "64 tokens"), (partial(ours.next_token, ""), "text"),
        (partial(bert.next_token, TEXT), "bert"), (lambda: [*bert.generate(TEXT, 1)], "bert"),
        (partial(MayAttend, window=0), "window"), (partial(MayAttend, first=-1), "first"),
        (partial(MayAttend, closed=(-1,)), "closed"),
    ]) == []  # fmt: skip
