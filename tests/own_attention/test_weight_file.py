"""Files of attention weights: what was saved comes back, others' arrays are read, and nothing else is."""

import io
import json
import pickle
import random
import struct
import tracemalloc
import zipfile
from functools import partial

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.numpy import save as safetensors_bytes

import attention_lab
from attention_lab.own_attention.array_file import MOST_BYTES
from attention_lab.own_attention.weight_file import read_weights
from tests.core.refusals import not_refused

RANDOM = np.random.default_rng(0)
WEIGHTS = RANDOM.dirichlet(np.ones(3), size=(2, 4, 3)).astype(np.float32)
TOKENS = ["the", "Ġcat", "sat"]
ENDINGS = [".npz", ".safetensors"]


def vectors(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


def generated():
    steps = [[np.tri(3, dtype=np.float32)[None, None] / 3]]
    steps += [[np.full((1, 1, 1, 3 + step), 0.2, np.float32)] for step in (1, 2)]
    return attention_lab.show(steps, list("abcde"))


VIEWS = {
    "layers by name": lambda: attention_lab.show(
        {5: WEIGHTS[0], "la/st": WEIGHTS[1]}, TOKENS, title="[CLS] “ä”", bits=16
    ),
    "other keys": lambda: attention_lab.show(WEIGHTS[..., :2], TOKENS, ["x", "日本 y"]),
    "other keys of the same name": lambda: attention_lab.show(WEIGHTS, TOKENS, TOKENS),
    "last queries": lambda: attention_lab.show(WEIGHTS[:, :, -1:], TOKENS),
    "encoder-decoder": lambda: attention_lab.show(
        {
            "encoder_attentions": [np.full((1, 2, 4, 4), 0.25)],
            "decoder_attentions": [WEIGHTS[:1]],
            "cross_attentions": [np.full((1, 2, 3, 4), 0.25)],
        },
        TOKENS,
        list("uvwx"),
    ),
    "generated": generated,
    "values, shared keys": lambda: attention_lab.show(
        query=vectors(4, 3, 8),
        key=vectors(2, 3, 8),
        value=vectors(2, 3, 8),
        causal=True,
        tokens=["\x00", "a\n", ""],
    ),
    "two runs": lambda: attention_lab.show(WEIGHTS, TOKENS).compare(
        attention_lab.show(WEIGHTS[::-1], ["a", *TOKENS[1:]]), ("before", "after, tuned")
    ),
}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("name", VIEWS)
def test_what_was_saved_comes_back_as_the_same_view(tmp_path, name, ending):
    view = VIEWS[name]()
    back = attention_lab.load(view.save(tmp_path / f"attention{ending}"))
    assert back.html == view.html
    for kind, attention in view.attention.items():
        for name in ("weights", "lengths"):
            pairs = zip(getattr(attention, name), getattr(back.attention[kind], name), strict=True)
            assert all(one.dtype == other.dtype and np.array_equal(one, other) for one, other in pairs)
        for name in ("layers", "queries", "keys", "shared"):
            assert [*getattr(back.attention[kind], name)] == [*getattr(attention, name)]
        for name in ("is_self", "prompt"):
            assert getattr(back.attention[kind], name) == getattr(attention, name)
    assert (back.title, back.bits, back.changes) == (view.title, view.bits, [*view.changes])


def test_save_takes_what_show_takes_and_writes_over_a_file_that_was_read(tmp_path):
    q, k = vectors(2, 3, 4), vectors(1, 3, 4)
    for ending in ENDINGS:
        path = attention_lab.save(tmp_path / f"a{ending}", query=q, key=k, causal=True, tokens=TOKENS)
        view = attention_lab.load(path)
        assert view.attention["attention"].is_causal
        view.save(path)
        np.testing.assert_array_equal(attention_lab.load(path).table()["weight"], view.table()["weight"])
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.npz", "a.safetensors"]


def test_other_libraries_read_what_was_saved(tmp_path):
    for ending in ENDINGS:
        attention_lab.save(tmp_path / f"a{ending}", {3: WEIGHTS[0]}, TOKENS)
    with np.load(tmp_path / "a.npz") as arrays:
        np.testing.assert_array_equal(arrays["layer 3"], WEIGHTS[0])
        assert arrays["tokens"].tolist() == ["the", "␣cat", "sat"]
    with safe_open(tmp_path / "a.safetensors", "numpy") as file:
        np.testing.assert_array_equal(file.get_tensor("layer 3"), WEIGHTS[0])
        assert json.loads(file.metadata()["tokens"]) == ["the", "␣cat", "sat"]


def npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def torch_file():
    file = io.BytesIO()
    torch.save({"attention": torch.tensor(WEIGHTS)}, file)
    return file.getvalue()


def safetensors_of(header, data=b"", length=None):
    header = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(header) if length is None else length) + header + data


MANY = {f"layers.{layer}": np.ascontiguousarray(WEIGHTS[layer % 2]) for layer in range(11)}
IN_JSON = {"tokens": json.dumps(TOKENS), "title": "T"}


@pytest.mark.parametrize(
    ("data", "layers"),
    [
        (npz(attention=WEIGHTS, tokens=TOKENS), [0, 1]),
        (
            npz(attention=WEIGHTS.astype(np.float64), tokens=np.array(TOKENS, "U9")),
            [0, 1],
        ),
        (npz(attention=np.asfortranarray(WEIGHTS), tokens=TOKENS), [0, 1]),
        (npz(whatever=WEIGHTS, tokens=TOKENS), [0, 1]),
        (npz(**{"layer 7": WEIGHTS[0], "layer_x": WEIGHTS[1]}, tokens=TOKENS, mask=WEIGHTS), [7, "x"]),
        (npz(**MANY, tokens=TOKENS), [*range(11)]),
        (
            npz(
                **{"blocks.1.attn.hook_pattern": WEIGHTS[1:], "blocks.0.attn.hook_pattern": WEIGHTS[:1]},
                tokens=TOKENS,
            ),
            [0, 1],
        ),
        (safetensors_bytes({"attention": WEIGHTS}, IN_JSON), [0, 1]),
        (safetensors_bytes(MANY, IN_JSON), [*range(11)]),
    ],
)
def test_arrays_of_others_are_read_by_their_names(data, layers):
    attention = read_weights(data).attention["attention"]
    assert [*attention.layers] == layers
    np.testing.assert_array_equal(attention.weights[0], WEIGHTS[0])
    np.testing.assert_array_equal(attention.weights[1], WEIGHTS[1])
    assert (attention.queries, attention.is_self) == (["the", "␣cat", "sat"], True)


def test_whole_numbers_halves_a_batch_and_an_array_alone_are_read():
    eye = np.eye(3, dtype=np.int64)
    for data in (
        npy(eye),
        npz(attention=eye),
        safetensors_bytes({"x": eye}),
        npz(attention=eye.astype(np.float16)),
    ):
        np.testing.assert_array_equal(read_weights(data).attention["attention"].weights[0][0], eye)
    batch = npz(**{"layer 0": WEIGHTS, "title": "A"})
    np.testing.assert_array_equal(read_weights(batch, batch=1).attention["attention"].weights[0], WEIGHTS[1])
    assert read_weights(batch, batch=1).title == "A"


def test_an_encoder_decoder_model_of_others_has_two_texts():
    cross = np.full((2, 3, 4), 0.25)
    arrays = {"encoder": np.full((1, 2, 4, 4), 0.25), "decoder layer 0": WEIGHTS[0], "cross_layer_0": cross}
    found = read_weights(npz(**arrays, tokens=TOKENS, keys=list("uvwx"))).attention
    assert {kind: (each.is_self, len(each.queries), each.keys[0]) for kind, each in found.items()} == {
        "encoder": (True, 4, "u"),
        "decoder": (True, 3, "the"),
        "cross": (False, 3, "u"),
    }


def test_words_of_a_file_are_words_on_the_page():
    evil = "</script><script>alert(1)</script>"
    page = attention_lab.View(
        *read_weights(npz(**{f"layer {evil}": WEIGHTS[0]}, tokens=[evil] * 3, title=evil))
    ).html
    assert evil not in page
    assert page.count("<script>alert") == 0


def bomb():
    """A zip that claims, and holds, far more than its own bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as bombs, bombs.open("attention.npy", "w") as stream:
        for _ in range(12):
            stream.write(bytes(100_000_000))
    return file.getvalue()


def claiming(shape, dtype="<f4", data=b""):
    """A `.npz` whose array has a header of another size."""
    header = repr({"descr": dtype, "fortran_order": False, "shape": shape}).encode().ljust(117) + b"\n"
    array = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as arrays:
        arrays.writestr("attention.npy", array)
    return file.getvalue()


def zipped(**files):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return file.getvalue()


def with_extras(change):
    """A file of ours whose own entry says something else."""
    view = attention_lab.show(query=vectors(4, 3, 8), key=vectors(2, 3, 8), value=vectors(2, 3, 8))
    extras = {
        "bits": 8,
        "changes": [],
        "kinds": {"attention": {"layers": [0], "is_self": True, "prompt": None, "shared": [2]}},
    }
    arrays = {"layer 0": view.attention["attention"].weights[0], "lengths 0": np.ones((4, 3), np.float32)}
    change(extras, arrays)
    return npz(**arrays, tokens=TOKENS, attention_lab=json.dumps(extras))


def of_kind(**values):
    return with_extras(lambda extras, _: extras["kinds"]["attention"].update(values))


F4 = {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]}
VALID = npz(attention=WEIGHTS, tokens=TOKENS)
REFUSED = {
    "the file is empty; copy": b"",
    "neither .npz nor .safetensors: it begins with b'.x89PNG.*numpy.savez": b"\x89PNG\r\n\x1a\n" + bytes(99),
    "neither .npz nor .safetensors: it begins with b'<!docty": b"<!doctype html><p>",
    "begins with b'no'": b"no",
    "a zip without any array; save": zipped(**{"a.txt": "hello"}),
    "zip without any": zipped(),
    r"^the file is pickled.*numpy.savez": pickle.dumps(WEIGHTS),
    r"the file is pickled": torch_file(),
    r"tokens is pickled: it could run code": npz(attention=WEIGHTS, tokens=np.array(TOKENS, object)),
    r"attention is pickled": npz(attention=np.array([{}])),
    r"the file is damaged or incomplete \(File is not a zip file\); copy": VALID[: len(VALID) // 2],
    "attention is damaged or incomplete .*Bad CRC": VALID[:300] + b"1234" + VALID[304:],
    r"what the file holds has 1.2 GB, and at most 1.1 GB are read": bomb(),
    r"attention is damaged .*does not take": claiming((2**20, 2**40)),
    r"attention is damaged .*does not take 0": claiming((2**40,), "<U0"),
    r"attention is damaged or": claiming((-1, -2), data=bytes(8)),
    r"attention is damaged": zipped(**{"attention.npy": b"no array"}),
    "20,001 arrays, of at most 20,000": zipped(x=b"PK\x01\x02" * 20_000),
    "its header claims 2000000000 bytes": safetensors_of({}, length=2 * 10**9),
    "at bytes 0 to 8, but there are only 4": safetensors_of({"a": F4}, bytes(4)),
    "overlap": safetensors_of({"a": F4, "b": F4}, bytes(8)),
    "is damaged or incomplete .its header is nested too deeply": safetensors_of(b'{"a":' + b"[" * 10**5),
    "its header is not JSON": safetensors_of(b"{" + b" " * 10**6),
    r"none of the arrays \(a, b\) is called attention, or layer 0": npz(a=WEIGHTS, b=WEIGHTS),
    r"attention must be an array of numbers .*got <U1": npz(attention=["a"]),
    r"attention must be an array of numbers .*shape \(3,\)": npz(attention=np.ones(3)),
    "9 of 9 weights of layer 0 .* are not finite; where": npz(attention=np.full((3, 3), np.nan)),
    "are negative; if these are scores, apply softmax": npz(attention=-WEIGHTS),
    "are above 1; if these are scores, apply softmax": npz(attention=np.full((3, 3), 7)),
    "attention has 250,000,001 weights": claiming((1, 250_000_001), "|b1", bytes(250_000_001)),
    "2 tokens were given for 3 queries": npz(attention=WEIGHTS, tokens=["a", "b"]),
    "tokens must be one array of texts": npz(attention=WEIGHTS, tokens=[TOKENS]),
    "tokens must be a list of texts as JSON": safetensors_bytes(
        {"attention": WEIGHTS}, {"tokens": "the cat sat"}
    ),
    "title must be one text": npz(attention=WEIGHTS, title=TOKENS),
    "choose one with batch=0": npz(**{"layer 0": WEIGHTS}),
    "the entry attention_lab is damaged; save": npz(attention=WEIGHTS, attention_lab="{"),
    "attention_lab is damaged": npz(attention=WEIGHTS, attention_lab="[" * 10**5),
    "entry attention_lab is damaged": of_kind(prompt=4),
    "attention_lab is damaged;": of_kind(shared=[3]),
    "attention_lab is damaged; ": of_kind(shared=[0]),
    "attention_lab is damaged; s": of_kind(layers=[[]]),
    "attention_lab is damaged; sa": of_kind(is_self="yes"),
    "attention_lab is damaged; sav": with_extras(lambda extras, _: extras.update(bits=7)),
    "attention_lab is damaged; save ": with_extras(lambda extras, _: extras.update(changes=[["a", "b"]])),
    "attention_lab is damaged; save t": with_extras(lambda extras, _: extras.update(title="\ud800", kinds={})),
    "the file is of a newer": with_extras(lambda extras, _: extras.update(version=2)),
    "there is no array 'layer 1'": of_kind(layers=[1]),
    r"lengths 0 must be an array of numbers of shape \(4, 3\)": with_extras(
        lambda _, arrays: arrays.update({"lengths 0": np.ones((3, 3), np.float32)})
    ),
    "lengths and held hold numbers that are negative": with_extras(
        lambda _, arrays: arrays.update({"lengths 0": -np.ones((4, 3), np.float32)})
    ),
}


def test_a_file_of_another_kind_or_damaged_is_refused_with_the_remedy():
    tracemalloc.start()
    assert not_refused([(partial(read_weights, data), fault) for fault, data in REFUSED.items()]) == []
    assert tracemalloc.get_traced_memory()[1] < 100e6
    tracemalloc.stop()


def test_a_path_without_such_a_file_is_refused_before_it_is_read(tmp_path):
    huge = tmp_path / "huge.npz"
    with huge.open("wb") as file:
        file.truncate(2 * 10**9)  # which takes no place
    assert huge.stat().st_size > MOST_BYTES
    cases = {
        tmp_path: "is a folder; name a file in it",
        huge: "huge.npz has 2.0 GB, and at most 1.1 GB are read; save",
    }
    assert not_refused([(partial(attention_lab.load, path), fault) for path, fault in cases.items()]) == []
    for path in (tmp_path / "none.npz", tmp_path / "no" / "none.npz"):
        with pytest.raises(FileNotFoundError, match=r"There is no file .*none.npz. Check its name, or write it"):
            attention_lab.load(path)


def test_what_cannot_be_saved_is_refused_with_the_remedy(tmp_path):
    view = attention_lab.show({0: WEIGHTS[0], "0": WEIGHTS[1]})
    long = attention_lab.show(np.full((1, 60_000), 1 / 60_000), ["q"], ["k" * 199] * 60_000)
    cases = [
        (lambda: view.save(tmp_path / "a.npz"), "two arrays would be called 'layer 0'; give layers other names"),
        (lambda: view.save(tmp_path / "a.pt"), "a.pt must end in .html, .* or in .npz or .safetensors"),
        (lambda: long.save(tmp_path / "a.safetensors"), "room for 10,000,000 bytes of tokens; save as .npz"),
    ]
    assert not_refused(cases) == []
    assert [*tmp_path.iterdir()] == []


def test_a_mutated_file_is_read_or_refused_and_takes_little_memory(tmp_path):
    r = random.Random(1)
    sizes = [struct.pack("<Q", size)[:n] for size in (0, 2**24, 2**32 - 1, 2**40, 2**64 - 1) for n in (2, 4, 8)]
    view = attention_lab.show(query=vectors(4, 3, 8), key=vectors(2, 3, 8), value=vectors(2, 3, 8), tokens=TOKENS)
    tracemalloc.start()
    for ending in ENDINGS:
        valid, refused = view.save(tmp_path / f"a{ending}").read_bytes(), []
        for _ in range(1500):
            data = bytearray(valid)
            for _ in range(r.randint(1, 3)):
                at = r.randrange(len(data))
                new = r.choice([b"", r.randbytes(1), *r.sample(sizes, 2), b"[" * 2000, b"9" * 5000, b"-1"])
                data[at : r.choice([at, at + len(new), at + 1, None])] = new
            try:
                read_weights(bytes(data))
            except ValueError as error:
                refused.append(str(error))
        assert len(refused) > 500
        assert all("\n" not in sentence and len(sentence) < 600 for sentence in refused)
    assert tracemalloc.get_traced_memory()[1] < 100e6
    tracemalloc.stop()
