"""Files of tensors: numbers are those of the package gguf, and a damaged or hostile file is refused."""

import json
import random
import struct
import tracemalloc
from functools import partial
from pathlib import Path

import gguf
import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType as Kind
from gguf import GGUFValueType as Type

from attention_core.models.folder import Folder
from attention_core.models.gguf import read_gguf
from attention_core.models.safetensors import read_safetensors
from attention_core.models.stored import FORMATS, Stored, Weights
from tests.core.refusals import not_refused

METADATA = {
    **{kind.name: (-7 if kind.name.startswith("INT") else 7, kind) for kind in Type if "INT" in kind.name},
    **{"half": (0.5, Type.FLOAT32), "tenth": (0.1, Type.FLOAT64), "yes": (True, Type.BOOL)},
    **{"text": ("ä\n🙂", Type.STRING), "flags": ([True, False], Type.ARRAY), "numbers": ([1, -2], Type.ARRAY)},
    **{"scores": ([0.5, -1.5], Type.ARRAY), "tokens": (["<s>", "Ġthe", "日"], Type.ARRAY)},
}


def blocks(kind, *factor):
    """Five rows of 512 numbers as blocks of random bits, with finite factors or this one."""
    r, form = np.random.default_rng(1), FORMATS[kind]
    raw = r.integers(0, 256, (2560 // form.block, form.size), np.uint8)
    for at in form.halves:
        raw[:, at : at + 2] = np.resize(factor or r.normal(size=len(raw)), (len(raw), 1)).astype("<f2").view("u1")
    return raw.reshape(5, -1)


def write(path, tensors, alignment=32):
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_custom_alignment(alignment)
    for key, (value, kind) in METADATA.items():
        writer.add_key_value(key, value, kind)
    for name, array in tensors.items():
        writer.add_tensor(name, array, raw_dtype=Kind[name])
    for step in (writer.write_header_to_file, writer.write_kv_data_to_file, writer.write_tensors_to_file):
        step()
    writer.close()
    return path.read_bytes()


@pytest.mark.parametrize(("version", "alignment"), [(3, 32), (2, 32), (3, 256)])
def test_a_file_has_the_numbers_and_the_metadata_that_were_written(tmp_path, version, alignment):
    tensors = {kind: blocks(kind) for kind, form in FORMATS.items() if form.parts}
    tensors["F32"] = np.random.default_rng(0).normal(size=(4, 3, 2)).astype("f4")
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF" + bytes([version]) + write(path, tensors, alignment)[5:])
    metadata, stored = read_gguf(path)
    assert {key: metadata[key] for key in METADATA} == {key: value for key, (value, _) in METADATA.items()}
    weights = Weights(stored)
    shapes = {name: each.shape for name, each in weights.stored.items()}
    assert shapes == dict.fromkeys(tensors, (5, 512)) | {"F32": (4, 3, 2)}
    for kind, array in tensors.items():
        expected = gguf.dequantize(array, Kind[kind])
        np.testing.assert_array_equal(weights[kind], expected)
        np.testing.assert_array_equal(weights.rows(kind, [3, 0, 3]), expected[[3, 0, 3]])
        assert stored[kind].is_finite()
        assert not weights[kind].flags.writeable
        for factor in (np.inf, np.nan) if kind != "F32" else ():
            assert not Stored((5, 512), kind, blocks(kind, factor).ravel()).is_finite()


def test_sixteen_bits_are_widened_exactly():
    patterns = np.arange(2**16, dtype="<u2")
    for kind, dtype in (("F16", torch.float16), ("BF16", torch.bfloat16)):
        expected = torch.from_numpy(patterns.view("<i2")).view(dtype).float().numpy()
        for chosen in (np.isfinite(expected), np.full(2**16, True)):
            stored = Stored((chosen.sum(),), kind, patterns[chosen].view(np.uint8))
            np.testing.assert_array_equal(stored.as_float32(), expected[chosen])
            assert stored.is_finite() == (not chosen.all())


def test_memory_is_taken_only_for_what_the_file_cannot_serve():
    raw = np.arange(64, dtype=np.uint8)
    data = {"F32": raw[:32], "F16": raw[:16], "BF16": raw[1:17], "F64": raw, "Q8_0": raw[:34]}
    stored = {kind: Stored((32,) if kind == "Q8_0" else (8,), kind, each) for kind, each in data.items()}
    weights = Weights(stored | {"unaligned": Stored((8,), "F32", raw[1:33])})
    assert weights.needed == 32 + 128 + 32
    assert {name for name in weights if weights[name] is not weights[name]} == {"F16", "BF16"}
    assert np.shares_memory(weights["F32"], raw)
    np.testing.assert_array_equal(weights["unaligned"], raw[1:33].copy().view("<f4"))
    assert not Stored((1,), "F64", np.array([1e300]).view(np.uint8)).is_finite()
    with pytest.raises(ValueError, match="must hold floating-point numbers, got I32"):
        Stored((8,), "I32", raw[:32]).as_float32()


# Damaged and hostile files ----------------------------------------------------------------------------------

HUGE = 2**63


def text(content):
    return struct.pack("<Q", len(content)) + content


def gguf_bytes(entries=(), tensors=(), count=None, version=3):
    """A file of entries (key, type and value) and tensors (name, axes, kind, offset), with 64 bytes of data."""
    data = b"GGUF" + struct.pack("<IQQ", version, *(count or (len(tensors), len(entries))))
    data += b"".join(text(key) + value for key, value in entries)
    for name, axes, kind, offset in tensors:
        data += text(name) + struct.pack(f"<I{len(axes)}QIQ", len(axes), *axes, kind, offset)
    return data + bytes(-len(data) % 32 + 64)


def entry(form, *values, more=b"", key=b"key"):
    return gguf_bytes([(key, struct.pack("<I" + form, *values) + more)])


def tensor(axes=(8,), kind=0, offset=0, name=b"t"):
    return gguf_bytes(tensors=[(name, axes, kind, offset)])


def safetensors_bytes(size=None, **changes):
    first = {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}
    header = json.dumps({"one": first | changes, "two": first | {"data_offsets": [12, 24]}}).encode()
    return struct.pack("<Q", size or len(header)) + header + bytes(24)


FAULTS = {
    "model.gguf cannot be read": b"",
    "model.gguf: it does not begin with GGUF": b"PK" + bytes(100),
    "model.gguf: it is of version 50331648; known: 2 and 3, little endian": gguf_bytes(version=3 << 24),
    f"model.gguf: the number of tensors is {HUGE}": gguf_bytes(count=(HUGE, 0)),
    f"model.gguf: the number of entries is {HUGE}": gguf_bytes(count=(0, HUGE)),
    "model.gguf: the key of an entry cannot be '../a'": entry("B", 0, 1, key=b"../a"),
    "model.gguf: the key of an entry, 'a', is there twice": gguf_bytes([(b"a", bytes(5))] * 2),
    "model.gguf: key is of an unknown type, 13": entry("", 13),
    f"model.gguf: key has a text of {HUGE} bytes": entry("Q", 8, HUGE),
    "model.gguf: key has a text that is not UTF-8": entry("IQ", 9, 8, 2, more=text(b"ok") + text(b"\xff")),
    "model.gguf: key must be finite, got nan": entry("f", 6, np.nan),
    "model.gguf: key must be true or false": entry("B", 7, 2),
    f"model.gguf: key: the number of its items is {HUGE}": entry("IQ", 9, 8, HUGE),
    "model.gguf: key needs 8000000 bytes, but": entry("IQ", 9, 10, 1_000_000),
    "model.gguf: key is an array of arrays": entry("IQ", 9, 9, 1, more=struct.pack("<IQ", 9, 1) * 9),
    "model.gguf: general.alignment must be a power of two": entry("I", 4, 0, key=b"general.alignment"),
    "model.gguf: it is one part of several": entry("H", 2, 3, key=b"split.count"),
    r"model.gguf: the name of a tensor cannot be 'a\\nb'": tensor(name=b"a\nb"),
    "model.gguf: the name of a tensor, 't', is there twice": gguf_bytes(tensors=[(b"t", (8,), 0, 0)] * 2),
    "model.gguf: t: the number of axes is 5": tensor((1,) * 5),
    r"model.gguf: t has an impossible shape for Q4_0: \(2, 48\)": tensor((48, 2), 2),
    f"model.gguf: t is at bytes 0 to {4 * 2**62}, but": tensor((2**31, 2**31)),
    "model.gguf: t begins at byte 4, which is no multiple": tensor(offset=4),
    "model.gguf: 't' and 'u' overlap": gguf_bytes(tensors=[(b"t", (16,), 0, 0), (b"u", (8,), 0, 32)]),
    **{f"model.gguf: t is stored as {k}, ": tensor(kind=Kind[k]) for k in ("Q5_0", "Q2_K", "IQ4_XS", "MXFP4")},
    "model.safetensors: its header claims 4294967296 bytes": safetensors_bytes(2**32),
    "model.safetensors: its header is not JSON": safetensors_bytes(40),
    "model.safetensors: its header is nested too deeply": struct.pack("<Q", 10**5) + b"[" * 10**5,
    "model.safetensors: 'two' is at bytes 12 to 24, but there are only 20": safetensors_bytes()[:-4],
    "model.safetensors: its tensors cover only the bytes 0 to 24": safetensors_bytes() + b"1234",
    "model.safetensors: 'one' has an unknown dtype 'X32'": safetensors_bytes(dtype="X32"),
    r"model.safetensors: 'one' of shape \[4\] and dtype F32 needs 16 bytes": safetensors_bytes(shape=[4]),
    "model.safetensors: 'one' and 'two' overlap": safetensors_bytes(data_offsets=[4, 16]),
}


def test_the_refusal_of_a_file_names_it_and_the_fault(tmp_path):
    def read(data, fault):
        path = tmp_path / fault.split()[0].rstrip(":")
        path.write_bytes(data)
        return read_gguf(path) if path.suffix == ".gguf" else read_safetensors(path)

    assert not_refused([(partial(read, data, fault), f"^{fault}") for fault, data in FAULTS.items()]) == []


def mutated(r, data):
    """The bytes with a few random faults."""
    data = bytearray(data)
    for _ in range(r.randint(1, 4)):
        at, size = r.randrange(len(data) + 1), r.choice([0, 2**24, 2**31, 2**32 - 1, 2**40, HUGE, 2**64 - 1])
        size = r.choice([struct.pack("<Q", size), struct.pack("<Q", size)[:4], b"%d" % size])
        more = r.choice([r.randbytes(9), b"[" * 2000, b"9" * 5000, b"1e999", data[at : at + 60]])
        end, new = r.choice([(None, b""), (at + 1, r.randbytes(1)), (at + 8, size), (at, more)])
        data[at:end] = new
    return bytes(data)


def test_a_mutated_file_is_read_or_refused_and_takes_little_memory(tmp_path, monkeypatch):
    r, content = random.Random(3), b'{"model_type": "llama", "rope": {"theta": 1e4, "list": [1, null, true]}}'
    (tmp_path / "config.json").write_bytes(content)
    valid = [
        (write(tmp_path / "model.gguf", {"Q4_K": blocks("Q4_K")}), lambda: read_gguf(tmp_path / "model.gguf")[1]),
        (safetensors_bytes(), lambda: read_safetensors(tmp_path / "model.safetensors")),
        (content, lambda: Folder(tmp_path).json("config.json") and {}),
    ]
    monkeypatch.setattr(np, "memmap", lambda *_: np.frombuffer(content, np.uint8))  # without 6,000 files
    monkeypatch.setattr(Path, "read_bytes", lambda _: content)
    tracemalloc.start()
    for data, read in valid:
        refusals = []
        for _ in range(2000):
            content = mutated(r, data)
            try:
                tensors = read()
            except ValueError as error:
                refusals.append(str(error))
            else:
                assert all(each.as_float32().shape == each.shape for each in tensors.values() if each.is_float)
        assert 500 < len(refusals) < 2000
        assert all("\n" not in message and len(message) < 500 for message in refusals)
    assert tracemalloc.get_traced_memory()[1] < 100e6
    tracemalloc.stop()
