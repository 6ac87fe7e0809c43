"""Real models are read from their folders, or refused; `test_decoders` compares their numbers."""

import hashlib
import json
import os
import struct
from functools import partial
from itertools import product

import numpy as np
import pytest

from attention_core import read_model
from attention_core.models.byte_pairs import SIGN_OF_BYTE
from tests.core.refusals import not_refused

BERT = {
    "model_type": "bert", "num_hidden_layers": 2, "num_attention_heads": 3, "hidden_size": 12,
    "intermediate_size": 20, "max_position_embeddings": 40, "vocab_size": 9, "layer_norm_eps": 1e-12,
    "hidden_act": "gelu",
}  # fmt: skip
GPT2 = {
    "model_type": "gpt2", "n_layer": 2, "n_head": 3, "n_embd": 12, "n_positions": 40, "vocab_size": 258,
    "layer_norm_epsilon": 1e-5,
}  # fmt: skip
TOKENS = ["[UNK]", "[CLS]", "[SEP]", "the", "animal", "was", "ti", "##red", "."]


# Folders in the format of their publishers ----------------------------------------------------------------


def write_safetensors(path, tensors, kind="F32"):
    header, body = {}, b""
    for name, tensor in tensors.items():
        data = np.asarray(tensor, {"F32": "<f4", "F16": "<f2", "F64": "<f8"}[kind]).tobytes()
        offsets = [len(body), len(body) + len(data)]
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": offsets}
        body += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


def random_tensors(alone, pairs):
    """Tensors of these shapes by name, and a weight and a bias of the last size for each pair."""
    r = np.random.default_rng(0)
    tensors = {f"{name}.weight": r.normal(size=shape) for name, shape in alone.items()}
    for name, (shape, biases) in pairs.items():
        tensors[f"{name}.weight"] = 0.4 * r.normal(size=shape) + (len(shape) == 1)
        tensors[f"{name}.bias"] = 0.1 * r.normal(size=biases)
    return tensors


def bert_tensors():
    d, inner = 12, 20
    words = {"word": (9, d), "position": (40, d), "token_type": (2, d)}
    pairs = {"embeddings.LayerNorm": ((d,), d)}
    for layer in range(2):
        part = f"encoder.layer.{layer}."
        for name in ("self.query", "self.key", "self.value", "output.dense"):
            pairs[f"{part}attention.{name}"] = (d, d), d
        pairs[f"{part}intermediate.dense"] = (inner, d), inner
        pairs[f"{part}output.dense"] = (d, inner), d
        for name in ("attention.output", "output"):
            pairs[f"{part}{name}.LayerNorm"] = (d,), d
    return random_tensors({f"embeddings.{name}_embeddings": shape for name, shape in words.items()}, pairs)


def gpt2_tensors():
    d, pairs = 12, {}
    shapes = {"attn.c_attn": (d, 3 * d), "attn.c_proj": (d, d), "mlp.c_fc": (d, 4 * d), "mlp.c_proj": (4 * d, d)}
    for layer in range(2):
        for name, shape in (shapes | {"ln_1": (d,), "ln_2": (d,)}).items():
            pairs[f"h.{layer}.{name}"] = shape, shape[-1]
    return random_tensors({"wte": (258, d), "wpe": (40, d)}, pairs)


def bert_folder(folder, tensors=None, tokens=TOKENS, **config):
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(BERT | config))
    (folder / "vocab.txt").write_text("\n".join(tokens) + "\n")
    write_safetensors(folder / "model.safetensors", tensors or bert_tensors())
    return folder


def gpt2_folder(folder, tensors=None, **config):
    folder.mkdir(exist_ok=True)
    tokens = [*SIGN_OF_BYTE, "th", "the"]
    (folder / "config.json").write_text(json.dumps(GPT2 | config))
    (folder / "vocab.json").write_text(json.dumps({token: number for number, token in enumerate(tokens)}))
    (folder / "merges.txt").write_text("#version: 0.2\nt h\nth e\n")
    write_safetensors(folder / "model.safetensors", tensors or gpt2_tensors())
    return folder


# Folders that are read --------------------------------------------------------------------------------------


def test_weights_are_read_under_either_name_and_in_every_precision(tmp_path):
    folder = bert_folder(tmp_path / "model")
    plain = read_model(folder).run("the animal was tired").states
    for prefix, kind in product(("bert.", ""), ("F32", "F16", "F64")):
        write_safetensors(folder / "model.safetensors", {prefix + k: v for k, v in bert_tensors().items()}, kind)
        run = read_model(folder).run("the animal was tired")
        assert run.states.dtype == np.float32
        np.testing.assert_allclose(run.states, plain, atol=0.05 if kind == "F16" else 1e-5)


def as_published(folder, name):
    """A folder with a peculiarity of published ones, and where it is then read."""

    is_gpt2 = (folder / "vocab.json").exists()
    tensors = gpt2_tensors() if is_gpt2 else bert_tensors()
    table = "wte.weight" if is_gpt2 else "embeddings.word_embeddings.weight"
    if name == "gamma and beta":
        old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
        named = {k.replace(end, old[end]): v for k, v in tensors.items() for end in old if k.endswith(end)}
        others = {k: v for k, v in tensors.items() if "LayerNorm" not in k}
        write_safetensors(folder / "model.safetensors", others | named)
    elif name == "no epsilon":
        config = json.loads((folder / "config.json").read_text())
        settings = {key: value for key, value in config.items() if not key.startswith("layer_norm_eps")}
        (folder / "config.json").write_text(json.dumps(settings))
    elif name == "padded rows":
        write_safetensors(
            folder / "model.safetensors", tensors | {table: np.pad(tensors[table], ((0, 7), (0, 0)))}
        )
    elif name == "shards":
        names = sorted(tensors)
        shards = {"a-1.safetensors": names[:5], "a-2.safetensors": names[5:]}
        for file, own in shards.items():
            write_safetensors(folder / file, {each: tensors[each] for each in own})
        weight_map = {each: file for file, own in shards.items() for each in own}
        (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))
        (folder / "model.safetensors").unlink()
    elif name == "hub cache":
        snapshot = folder / "snapshots" / "1a2b"
        (folder / "blobs").mkdir()
        snapshot.mkdir(parents=True)
        for file in [path.name for path in folder.iterdir() if path.is_file()]:
            (folder / file).rename(folder / "blobs" / file)
            os.symlink(f"../../blobs/{file}", snapshot / file)
        return snapshot
    elif name == "marks of other systems":
        for path in [*folder.glob("*.json"), *folder.glob("*.txt")]:
            path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    else:  # only tokenizer.json
        if is_gpt2:
            merges = (folder / "merges.txt").read_text().split("\n")[1:-1]
            model = {"type": "BPE", "vocab": json.loads((folder / "vocab.json").read_text()), "merges": merges}
        else:
            model = {"type": "WordPiece", "vocab": {token: k for k, token in enumerate(TOKENS)}}
        content = {"model": model, "normalizer": {"type": "BertNormalizer", "lowercase": True}}
        if is_gpt2:
            content = {"model": model, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False}}
        (folder / "tokenizer.json").write_text(json.dumps(content))
        for file in ("vocab.txt", "vocab.json", "merges.txt"):
            (folder / file).unlink(missing_ok=True)
    return folder


@pytest.mark.parametrize("make", [bert_folder, gpt2_folder])
@pytest.mark.parametrize(
    "name",
    [
        "gamma and beta",
        "no epsilon",
        "padded rows",
        "shards",
        "hub cache",
        "marks of other systems",
        "tokenizer.json",
    ],
)
def test_folders_are_read_as_they_are_published(tmp_path, make, name, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    make(tmp_path / "plain")
    expected = read_model("~/plain").run("The animal was tired.")
    run = read_model(as_published(make(tmp_path / "model"), name)).run("The animal was tired.")
    assert run.tokens == expected.tokens
    np.testing.assert_array_equal(run.states, expected.states)


def test_sha256_is_that_of_the_files_of_the_weights_in_their_order(tmp_path, monkeypatch):
    folder = as_published(bert_folder(tmp_path / "model"), "shards")
    shards = b"".join((folder / name).read_bytes() for name in ("a-1.safetensors", "a-2.safetensors"))
    monkeypatch.chdir(tmp_path)
    model = read_model("model")
    monkeypatch.chdir("/")  # asked for from elsewhere than it was read
    assert model.sha256 == hashlib.sha256(shards).hexdigest()


def test_a_text_may_be_empty_but_not_too_long(tmp_path):
    bert, gpt2 = read_model(bert_folder(tmp_path / "bert")), read_model(gpt2_folder(tmp_path / "gpt2"))
    assert bert.run("").tokens == ("[CLS]", "[SEP]")
    assert gpt2.run("").states.shape == (3, 0, 12)
    for model in (bert, gpt2):
        cases = [
            (partial(model.run, "the " * 60), "a text has at most 40 tokens, got"),
            (partial(model.run, "x" * 10_000), "a text has at most 8000 characters, got 10000"),
        ]
        assert not_refused(cases) == []


# Damaged folders --------------------------------------------------------------------------------------------


def refusal(folder):
    """The message with which a folder is refused: one sentence."""
    with pytest.raises(ValueError, match=r"\w") as caught:
        read_model(folder)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 400
    return message


def test_each_fault_of_a_folder_is_one_sentence_with_its_file(tmp_path):
    empty, outside = tmp_path / "empty", tmp_path / "outside.json"
    empty.mkdir()
    assert refusal(tmp_path / "none") == "none is neither a folder nor a .gguf file"
    assert refusal(empty) == "model.safetensors is missing"
    (empty / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    assert "pytorch_model.bin is not loaded, because it can run code" in refusal(empty)
    tensors, name = bert_tensors(), "encoder.layer.1.output.dense.bias"
    without = {other: tensor for other, tensor in tensors.items() if other != name}
    for changes, said in (
        ({"model_type": "mamba"}, "config.json: the architecture 'mamba' is unknown"),
        ({"hidden_act": "relu"}, "config.json: hidden_act 'relu' is unknown"),
        ({"num_attention_heads": 5}, "config.json: 12 dimensions cannot be split among 5 heads"),
        ({"hidden_size": -3}, "config.json: hidden_size cannot be -3"),
        ({"tokens": [*TOKENS, "x"]}, "vocab.txt has 10 tokens, and the model 9"),
        ({"vocab_size": 9 + 1025}, "vocab.txt has 9 tokens, and the model 1034"),
        ({"tokens": ["x", *TOKENS[1:]]}, "vocab.txt: the vocabulary has no [UNK]"),
        ({"tensors": without}, f"model.safetensors: {name} is missing"),
        ({"tensors": tensors | {name: tensors[name][:3]}}, "must have shape (12,), got (3,)"),
        ({"tensors": tensors | {name: tensors[name] * np.nan}}, "holds a number that is not finite in float32"),
    ):
        assert said in refusal(bert_folder(tmp_path / "model", **changes))
    folder = bert_folder(tmp_path / "model")
    (folder / "vocab.txt").write_bytes(b"\xff\xfe")
    assert refusal(folder) == "vocab.txt is not UTF-8"
    outside.write_text(json.dumps(BERT))
    folder = bert_folder(tmp_path / "model")
    (folder / "config.json").unlink()
    os.symlink(outside, folder / "config.json")
    assert refusal(folder) == "config.json is a link that leads out of the folder"
