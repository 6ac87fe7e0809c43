"""Real models: files are checked, tokens are the reference's, and the forward pass is torch's."""

import json
import os
import random
import string
import struct
from functools import partial

import numpy as np
import pytest
import torch
from tokenizers import BertWordPieceTokenizer, ByteLevelBPETokenizer
from torch.nn import functional

from attention_core import read_model
from attention_core.models.tokens import MOST_WORDS, SIGN_OF_BYTE, BytePairs, WordPiece
from tools.training.gallery import shipped_folder

MINILM = shipped_folder()
TEXT = "The animal didn't cross the street because it was too tired."
BERT = {
    "model_type": "bert",
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "hidden_size": 12,
    "intermediate_size": 20,
    "max_position_embeddings": 40,
    "vocab_size": 9,
    "layer_norm_eps": 1e-12,
    "hidden_act": "gelu",
}
GPT2 = {
    "model_type": "gpt2",
    "n_layer": 2,
    "n_head": 3,
    "n_embd": 12,
    "n_positions": 40,
    "vocab_size": 258,
    "layer_norm_epsilon": 1e-5,
}
TOKENS = ["[UNK]", "[CLS]", "[SEP]", "the", "animal", "was", "ti", "##red", "."]


# Folders as their makers publish them ---------------------------------------------------------------------


def write_safetensors(path, tensors, kind="F32"):
    """As the format's description says it."""
    header, body = {}, b""
    for name, tensor in tensors.items():
        data = np.asarray(tensor, {"F32": "<f4", "F16": "<f2", "F64": "<f8"}[kind]).tobytes()
        header[name] = {
            "dtype": kind,
            "shape": list(tensor.shape),
            "data_offsets": [len(body), len(body) + len(data)],
        }
        body += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


def bert_tensors(seed=0):
    r, d, inner = np.random.default_rng(seed), 12, 20
    found = {
        "embeddings.word_embeddings.weight": r.normal(size=(9, d)),
        "embeddings.position_embeddings.weight": r.normal(size=(40, d)),
        "embeddings.token_type_embeddings.weight": r.normal(size=(2, d)),
    }

    def pair(name, *shape):
        found[f"{name}.weight"] = r.normal(size=shape) * 0.4 + (len(shape) == 1)
        found[f"{name}.bias"] = r.normal(size=shape[:1]) * 0.1

    pair("embeddings.LayerNorm", d)
    for layer in range(2):
        part = f"encoder.layer.{layer}."
        for name in ("self.query", "self.key", "self.value", "output.dense"):
            pair(f"{part}attention.{name}", d, d)
        pair(f"{part}attention.output.LayerNorm", d)
        pair(f"{part}intermediate.dense", inner, d)
        pair(f"{part}output.dense", d, inner)
        pair(f"{part}output.LayerNorm", d)
    return found


def gpt2_tensors(seed=0):
    r, d = np.random.default_rng(seed), 12
    found = {"wte.weight": r.normal(size=(258, d)), "wpe.weight": r.normal(size=(40, d))}
    for layer in range(2):
        part = f"h.{layer}."
        for name in ("ln_1", "ln_2"):
            found[f"{part}{name}.weight"] = 1 + 0.1 * r.normal(size=d)
            found[f"{part}{name}.bias"] = 0.1 * r.normal(size=d)
        for name, shape in {
            "attn.c_attn": (d, 3 * d),
            "attn.c_proj": (d, d),
            "mlp.c_fc": (d, 4 * d),
            "mlp.c_proj": (4 * d, d),
        }.items():
            found[f"{part}{name}.weight"] = 0.4 * r.normal(size=shape)
            found[f"{part}{name}.bias"] = 0.1 * r.normal(size=shape[1])
    return found


def bert_folder(folder, tensors=None, tokens=TOKENS, **config):
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(BERT | config))
    (folder / "vocab.txt").write_text("\n".join(tokens) + "\n")
    write_safetensors(folder / "model.safetensors", tensors or bert_tensors())
    return folder


def gpt2_vocabulary():
    tokens = [*SIGN_OF_BYTE, "th", "the"]
    return {token: number for number, token in enumerate(tokens)}, "#version: 0.2\nt h\nth e\n"


def gpt2_folder(folder, tensors=None, **config):
    folder.mkdir(exist_ok=True)
    vocabulary, merges = gpt2_vocabulary()
    (folder / "config.json").write_text(json.dumps(GPT2 | config))
    (folder / "vocab.json").write_text(json.dumps(vocabulary))
    (folder / "merges.txt").write_text(merges)
    write_safetensors(folder / "model.safetensors", tensors or gpt2_tensors())
    return folder


# The forward pass is torch's ------------------------------------------------------------------------------


def torch_layer(model, layer):
    """The same layer as a module of torch's own."""
    s, w = model.settings, model.weights

    def tensor(array):
        return torch.tensor(np.array(array))

    is_bert = model.architecture == "bert"
    made = torch.nn.TransformerEncoderLayer(
        s["d_model"],
        s["heads"],
        s["d_ff"],
        dropout=0.0,
        activation=functional.gelu if is_bert else partial(functional.gelu, approximate="tanh"),
        layer_norm_eps=s["epsilon"],
        batch_first=True,
        norm_first=not is_bert,
    )
    if is_bert:
        p = f"encoder.layer.{layer}."
        parts = [f"{p}attention.self.{name}" for name in ("query", "key", "value")]
        joined = {kind: torch.cat([tensor(w[f"{name}.{kind}"]) for name in parts]) for kind in ("weight", "bias")}
        rest = {
            "self_attn.out_proj": f"{p}attention.output.dense",
            "linear1": f"{p}intermediate.dense",
            "linear2": f"{p}output.dense",
            "norm1": f"{p}attention.output.LayerNorm",
            "norm2": f"{p}output.LayerNorm",
        }
    else:
        p = f"h.{layer}."
        joined = {"weight": tensor(w[f"{p}attn.c_attn.weight"]).T, "bias": tensor(w[f"{p}attn.c_attn.bias"])}
        rest = {
            "self_attn.out_proj": f"{p}attn.c_proj",
            "linear1": f"{p}mlp.c_fc",
            "linear2": f"{p}mlp.c_proj",
            "norm1": f"{p}ln_1",
            "norm2": f"{p}ln_2",
        }
    state = {f"self_attn.in_proj_{kind}": value for kind, value in joined.items()}
    for ours, theirs in rest.items():
        for kind in ("weight", "bias"):
            value = tensor(w[f"{theirs}.{kind}"])
            turned = not is_bert and kind == "weight" and value.ndim == 2
            state[f"{ours}.{kind}"] = value.T if turned else value
    made.load_state_dict(state)
    return made.eval()


def check_against_torch(model, text):
    run = model.run(text)
    n = len(run.tokens)
    mask = None if model.architecture == "bert" else torch.ones(n, n, dtype=torch.bool).triu(1)
    x = torch.tensor(run.states[0])[None]
    with torch.no_grad():
        for number, trace in enumerate(run.layers):
            layer = torch_layer(model, number)
            asks = layer.norm1(x) if layer.norm_first else x
            _, weights = layer.self_attn(asks, asks, asks, attn_mask=mask, average_attn_weights=False)
            x = layer(x, src_mask=mask)
            assert np.abs(trace.weights - weights[0].numpy()).max() < 2e-5
            assert np.abs(run.states[number + 1] - x[0].numpy()).max() < 2e-5
            assert trace.weights.shape == (model.settings["heads"], n, n)
    return run


def test_a_real_encoder_is_read_and_gives_torchs_numbers():
    model = read_model(MINILM)
    assert model.sha256 == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    run = check_against_torch(model, TEXT)
    assert run.tokens[:5] == ("[CLS]", "the", "animal", "didn", "'")
    assert run.states.shape == (7, 16, 384)
    w = model.weights
    numbers = [model.tokeniser.numbers[token] for token in run.tokens]
    begin = torch.tensor(
        w["embeddings.word_embeddings.weight"][numbers]
        + w["embeddings.position_embeddings.weight"][: len(numbers)]
        + w["embeddings.token_type_embeddings.weight"][0]
    )
    stretch, shift = (torch.tensor(np.array(w[f"embeddings.LayerNorm.{kind}"])) for kind in ("weight", "bias"))
    wanted = functional.layer_norm(begin, (384,), stretch, shift, 1e-12)
    assert np.abs(run.states[0] - wanted.numpy()).max() < 2e-5


def test_what_is_known_of_the_encoders_heads_is_seen():
    """0-based layer.head: 0.2 looks at the token before, 1.8 at the next."""
    run = read_model(MINILM).run("the trophy does not fit in the brown box because it is too small")
    before = np.diagonal(run.layers[0].weights[2], offset=-1)
    after = np.diagonal(run.layers[1].weights[8], offset=1)
    assert before[1:-1].mean() > 0.95
    assert after[1:-1].mean() > 0.6


@pytest.mark.parametrize("make", [bert_folder, gpt2_folder])
@pytest.mark.parametrize("seed", range(3))
def test_random_weights_of_either_shape_give_torchs_numbers(tmp_path, make, seed):
    tensors = (bert_tensors if make is bert_folder else gpt2_tensors)(seed)
    check_against_torch(read_model(make(tmp_path / "model", tensors)), "the animal was tired.")


def test_gpt2_looks_at_nothing_that_comes_later(tmp_path):
    model = read_model(gpt2_folder(tmp_path / "model"))
    one, other = model.run("the cat sat"), model.run("the cat lay")
    same = 5  # tokens: the, space, c, a, t
    np.testing.assert_array_equal(one.states[:, :same], other.states[:, :same])
    assert all((np.triu(trace.weights, 1) == 0).all() for trace in one.layers)


@pytest.mark.parametrize("prefix", ["bert.", ""])
@pytest.mark.parametrize("kind", ["F32", "F16", "F64"])
def test_weights_are_read_under_either_name_and_in_every_precision(tmp_path, prefix, kind):
    folder = bert_folder(tmp_path / "model")
    plain = read_model(folder).run("the animal was tired").states
    write_safetensors(folder / "model.safetensors", {prefix + k: v for k, v in bert_tensors().items()}, kind)
    run = read_model(folder).run("the animal was tired")
    assert run.states.dtype == np.float32
    np.testing.assert_allclose(run.states, plain, atol=0.05 if kind == "F16" else 1e-5)


def test_a_text_may_be_empty_but_not_too_long(tmp_path):
    bert, gpt2 = read_model(bert_folder(tmp_path / "bert")), read_model(gpt2_folder(tmp_path / "gpt2"))
    assert bert.run("").tokens == ("[CLS]", "[SEP]")
    assert gpt2.run("").states.shape == (3, 0, 12)
    for model in (bert, gpt2):
        with pytest.raises(ValueError, match="a text has at most 40 tokens, got"):
            model.run("the " * 60)
        with pytest.raises(ValueError, match="a text has at most 2000 characters, got 10000"):
            model.run("x" * 10_000)


# Tokens are the reference's ---------------------------------------------------------------------------------

SIGNS = (
    string.printable
    + "äöüßÉñçøſİıǅ—–“”’…«»€£°±×Ωжשع日本語한글🙂👩‍🚀\u0301\u00a0\u200b\u200d\u3000\x00\x1f\x85\ufffd"
)


def thousand_texts():
    r = random.Random(7)
    words = (TEXT + " naïve café's I'll they're it's 3.14 e-mail x2 (maybe)").split()
    for number in range(1000):
        if number % 2:
            yield "".join(r.choice(SIGNS) for _ in range(r.randint(0, 40)))
        else:
            yield r.choice(["", " ", "\n"]).join(
                r.choice(words) + r.choice(["", " ", "  ", "!"]) for _ in range(12)
            )


def test_word_pieces_are_the_references():
    reference = BertWordPieceTokenizer(str(MINILM / "vocab.txt"), lowercase=True)
    ours = WordPiece((MINILM / "vocab.txt").read_text().splitlines())
    for text in thousand_texts():
        wanted = reference.encode(text)
        assert ours.encode(text) == (wanted.ids, wanted.tokens), text


def test_pairs_of_bytes_are_the_references(tmp_path):
    reference = ByteLevelBPETokenizer()
    reference.train_from_iterator(
        [TEXT * 3, "they're here, it's 42 and I'll go", *thousand_texts()], vocab_size=600
    )
    reference.save_model(str(tmp_path))
    merges = [tuple(line.split(" ")) for line in (tmp_path / "merges.txt").read_text().split("\n")[1:] if line]
    ours = BytePairs(json.loads((tmp_path / "vocab.json").read_text()), merges)
    for text in thousand_texts():
        numbers, shown = ours.encode(text)
        assert numbers == reference.encode(text).ids, text
        assert len(shown) == len(numbers)
    long = "苹果掉下来了" * 20
    known = ours._merge_cached.cache_info().currsize
    assert ours.encode(long)[0] == reference.encode(long).ids
    assert ours._merge_cached.cache_info().currsize == known <= MOST_WORDS, "long words are not kept"


# Folders that are none, or damaged ----------------------------------------------------------------------------


def refused(folder):
    """The one sentence in which a folder is refused."""
    with pytest.raises(ValueError, match=r"\w") as caught:
        read_model(folder)
    said = str(caught.value)
    assert "\n" not in said
    assert len(said) < 400
    return said


def test_each_fault_is_one_sentence_with_its_file(tmp_path):
    def fresh(**config):
        return bert_folder(tmp_path / "model", **config)

    assert refused(tmp_path / "none") == "none is not a folder"
    (tmp_path / "empty").mkdir()
    assert refused(tmp_path / "empty") == "model.safetensors is missing"
    (tmp_path / "empty" / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    assert "pytorch_model.bin is not loaded, because it can run code" in refused(tmp_path / "empty")
    assert refused(fresh(model_type="llama")).startswith("config.json: the architecture 'llama' is unknown")
    assert refused(fresh(hidden_act="relu")).startswith("config.json: hidden_act 'relu' is unknown")
    assert refused(fresh(num_attention_heads=5)) == "config.json: 12 dimensions cannot be split among 5 heads"
    assert refused(fresh(hidden_size=-3)) == "config.json: hidden_size cannot be -3"
    assert refused(fresh(tokens=TOKENS[:-1])) == "vocab.txt has 8 tokens, and the model 9"
    assert refused(fresh(tokens=["x", *TOKENS[1:]])) == "vocab.txt: the vocabulary has no [UNK]"
    tensors = bert_tensors()
    missing = tensors.pop("encoder.layer.1.output.dense.bias")
    assert refused(fresh(tensors=tensors)) == "model.safetensors: encoder.layer.1.output.dense.bias is missing"
    tensors["encoder.layer.1.output.dense.bias"] = missing[:3]
    assert "must have shape (12,), got (3,)" in refused(fresh(tensors=tensors))
    tensors["encoder.layer.1.output.dense.bias"] = missing * np.nan
    assert "holds a number that is not finite in float32" in refused(fresh(tensors=tensors))
    folder = fresh()
    (folder / "vocab.txt").write_bytes(b"\xff\xfe")
    assert refused(folder) == "vocab.txt is not UTF-8"
    (tmp_path / "outside.json").write_text(json.dumps(BERT))
    folder = fresh()
    (folder / "config.json").unlink()
    os.symlink(tmp_path / "outside.json", folder / "config.json")
    assert refused(folder) == "config.json is a link that leads out of the folder"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda length, header, body: (2**32, header, body), "its header claims 4294967296 bytes"),
        (lambda length, header, body: (length, header, body[:-4]), "but there are only"),
        (lambda length, header, body: (length, header, body + b"1234"), "its tensors cover only the bytes 0 to"),
        (lambda length, header, body: (length, b"[" * length, body), "its header is"),
        (
            lambda length, header, body: (length, header.replace(b'"F32"', b'"X32"', 1), body),
            "unknown dtype 'X32'",
        ),
        (lambda length, header, body: (length, header.replace(b"[0, ", b"[4, ", 1), body), "needs 432 bytes"),
    ],
)
def test_a_damaged_file_of_weights_says_how(tmp_path, change, said):
    folder = bert_folder(tmp_path / "model")
    path = folder / "model.safetensors"
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    length, header, body = change(length, raw[8 : 8 + length], raw[8 + length :])
    path.write_bytes(struct.pack("<Q", length) + header + body)
    assert said in refused(folder)


def test_tensors_that_overlap_are_refused(tmp_path):
    folder = bert_folder(tmp_path / "model")
    path = folder / "model.safetensors"
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + length])
    second = list(header)[1]
    begin, end = header[second]["data_offsets"]
    header[second]["data_offsets"] = [begin - 4, end - 4]
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + raw[8 + length :])
    assert "overlap" in refused(folder)


@pytest.mark.parametrize("make", [bert_folder, gpt2_folder])
def test_whatever_is_done_to_a_folder_it_is_read_or_refused_in_a_sentence(tmp_path, make):
    """250 times each: bytes changed, cut, added, settings made impossible, files taken away or exchanged."""
    r = random.Random(11)
    folder = make(tmp_path / "model")
    good = {path.name: path.read_bytes() for path in folder.iterdir()}
    read, sentences = 0, []
    for _ in range(250):
        for name, data in good.items():
            (folder / name).write_bytes(data)
        path = folder / r.choice(sorted(good))
        data = bytearray(good[path.name])
        deed = r.choice(["flip", "cut", "add", "setting", "away", "exchange", "garbage", "header"])
        if deed == "flip":
            for _ in range(r.randint(1, 8)):
                data[r.randrange(len(data))] = r.randrange(256)
        elif deed == "cut":
            data = data[: r.randrange(len(data))]
        elif deed == "add":
            data += r.randbytes(r.randint(1, 50))
        elif deed == "garbage":
            data = bytearray(r.randbytes(r.randint(0, 300)))
        elif deed == "header":
            path = folder / "model.safetensors"
            data = bytearray(good[path.name])
            data[r.randrange(1200)] = ord(r.choice('0123456789[]{}",:x'))
        elif deed == "setting":
            path = folder / "config.json"
            config = json.loads(good["config.json"])
            config[r.choice(sorted(config))] = r.choice([0, -1, 1, 2**70, None, "x", [], {}, 1.5, True, 7])
            data = bytearray(json.dumps(config).encode())
        elif deed == "exchange":
            data = bytearray(good[r.choice(sorted(good))])
        if deed == "away":
            path.unlink()
        else:
            path.write_bytes(data)
        try:
            model = read_model(folder)
            run = model.run("the animal")
        except ValueError as why:
            sentences.append(str(why))
            continue
        read += 1
        assert np.isfinite(run.states).all()
    assert read + len(sentences) == 250
    assert len(sentences) > 125
    assert all("\n" not in said and len(said) < 500 for said in sentences)
