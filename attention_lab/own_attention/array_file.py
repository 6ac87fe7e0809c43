"""Files of named arrays, `.npz` and `.safetensors`: written, and read from bytes that anybody may have made.

No code in such a file is run. What a file claims of its sizes is checked before anything is unpacked. Sources:
`numpy.lib.format`, and `attention_core.models.safetensors`.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np

from attention_core.models.safetensors import LONGEST_HEADER, parse_safetensors
from attention_core.models.stored import FORMATS, Stored
from attention_lab.html_file.shell import whole_file

from .attention import MOST_WEIGHTS

MOST_TEXT = 20_000_000  # bytes of one text, or of all tokens of a side
MOST_BYTES = 4 * MOST_WEIGHTS + 5 * MOST_TEXT  # of a file, and of what is unpacked from it
MOST_ARRAYS = 20_000  # in a zip: what it says of each takes memory before any is read
FIRST_ENTRY, DIRECTORY_ENTRY, DIRECTORY_END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"  # in a zip
SPARSE = 0.75  # of numbers that are not 0: with more of them, packing takes long and gains 7%
HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
HOW_TO_SAVE = "save arrays with numpy.savez(path, attention=weights, tokens=tokens)"
AGAIN = "copy the file again, or save it again"
PICKLED = f"is pickled: it could run code, and is not read; {HOW_TO_SAVE}"


class FileError(ValueError):
    """A file that is not read; its `kind` is "empty", "other", "pickled", "damaged", "large" or "newer"."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(why)
        self.kind = kind


class Entry(NamedTuple):
    """An array in a file, as far as it is known before it is read."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype
    read: Callable[[], np.ndarray]


class Contents(NamedTuple):
    """What a file holds."""

    arrays: dict[str, Entry]
    metadata: dict[str, str]  #: texts of a `.safetensors` file


def size_refused(size: int, most: int = MOST_BYTES) -> str:
    """Return why a file of so many bytes is not read where `most` are, or nothing."""
    if size <= most:
        return ""
    return (
        f"has {size / 1e9:,.1f} GB, and at most {most / 1e9:.1f} GB are read; save float32, some layers, "
        "or fewer tokens"
    )


def read_contents(data: bytes, most: int = MOST_BYTES) -> Contents:
    """Return the arrays in the bytes of a `.npz`, `.npy` or `.safetensors` file, whatever its name.

    They take at most so many bytes once they are unpacked.

    Raises `ValueError` for any other file, and for one that is damaged, pickled or larger than what a view holds.
    """
    if not data:
        raise FileError("empty", f"the file is empty; {AGAIN}")
    if data.startswith((FIRST_ENTRY, DIRECTORY_END)):
        return Contents(_of_zip(data, most), {})
    if data.startswith(np.lib.format.MAGIC_PREFIX):
        return Contents({"attention": _of_npy("attention", lambda: BytesIO(data), len(data))}, {})
    if data[8:9] == b"{":
        with _undamaged("the file"):
            tensors, metadata = parse_safetensors(np.frombuffer(data, np.uint8))
        return Contents({name: _of_tensor(name, each) for name, each in tensors.items()}, metadata)
    if data[:1] == b"\x80":
        raise FileError("pickled", f"the file {PICKLED}")
    raise FileError(
        "other", f"the file is neither .npz nor .safetensors: it begins with {data[:8]!r}; {HOW_TO_SAVE}"
    )


@contextmanager
def _undamaged(what: str) -> Iterator[None]:
    """Turn whatever a library says of a damaged file into one `FileError`."""
    try:
        yield
    except Exception as error:  # zipfile, zlib, NumPy and the parser of its headers have a dozen kinds
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise FileError("damaged", f"{what} is damaged or incomplete ({reason}); {AGAIN}") from None


def _of_zip(data: bytes, most: int) -> dict[str, Entry]:
    if (count := data.count(DIRECTORY_ENTRY)) > MOST_ARRAYS:
        raise FileError("large", f"the file holds {count:,} arrays, of at most {MOST_ARRAYS:,}; save some layers")
    with _undamaged("the file"):
        files = ZipFile(BytesIO(data))
    if any(Path(info.filename).name == "data.pkl" for info in files.infolist()):  # what torch.save writes
        raise FileError("pickled", f"the file {PICKLED}")
    if refusal := size_refused(sum(info.file_size for info in files.infolist()), most):
        raise FileError("large", f"what the file holds {refusal}")
    found = {}
    for info in files.infolist():
        name = info.filename.removesuffix(".npy")
        if name == info.filename:
            continue
        if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED) or info.flag_bits & 1:
            raise FileError("other", f"{name} is encrypted, or packed as NumPy packs none; {HOW_TO_SAVE}")
        found[name] = _of_npy(name, lambda info=info: files.open(info), info.file_size)
    if not found:
        raise FileError("other", f"the file is a zip without any array; {HOW_TO_SAVE}")
    return found


def _of_npy(name: str, start: Callable[[], IO[bytes]], size: int) -> Entry:
    """An array in a `.npy` file of so many bytes, whose header claims no other size."""
    with _undamaged(name), start() as stream:
        shape, _, dtype = HEADERS[np.lib.format.read_magic(stream)](stream)
        header = stream.tell()
    if dtype.hasobject:
        raise FileError("pickled", f"{name} {PICKLED}")
    with _undamaged(name):
        if not dtype.itemsize or min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != size - header:
            raise ValueError(f"shape {shape} of {dtype} does not take {size - header:,} bytes")

    def read() -> np.ndarray:
        with _undamaged(name), start() as stream:
            return np.lib.format.read_array(stream, allow_pickle=False)

    return Entry(name, shape, dtype, read)


def _of_tensor(name: str, tensor: Stored) -> Entry:
    def read() -> np.ndarray:
        return tensor.as_float32() if tensor.is_float else tensor.raw.view(dtype).reshape(tensor.shape)

    dtype = np.dtype(np.float32 if tensor.is_float else FORMATS[tensor.kind].dtype)
    return Entry(name, tensor.shape, dtype, read)


def write_npz(path: Path, arrays: Mapping[str, np.ndarray], texts: Mapping[str, str | list[str]]) -> None:
    """Write arrays as `numpy.savez` does, each text as an array of texts; an array with many zeros is packed."""
    with whole_file(path) as part, ZipFile(part, "w", compresslevel=3) as file:
        for name, array in [*arrays.items(), *((name, np.array(text)) for name, text in texts.items())]:
            info = ZipInfo(f"{name}.npy")
            if array.dtype.kind == "U" or np.count_nonzero(array) < SPARSE * array.size:
                info.compress_type = ZIP_DEFLATED
            with file.open(info, "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, array, allow_pickle=False)


def write_safetensors(path: Path, arrays: Mapping[str, np.ndarray], texts: Mapping[str, str | list[str]]) -> None:
    """Write arrays of float32, and each text in the metadata, a list of texts as JSON.

    Raises `ValueError` for texts that are longer than a header may be.
    """
    metadata = {
        name: text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
        for name, text in texts.items()
    }
    header, end = {"__metadata__": metadata}, 0
    for name, array in arrays.items():
        start, end = end, end + array.nbytes
        header[name] = {"dtype": "F32", "shape": [*array.shape], "data_offsets": [start, end]}
    packed = json.dumps(header, ensure_ascii=False).encode()
    packed += b" " * (-len(packed) % 8)
    if len(packed) > LONGEST_HEADER:
        raise ValueError(f"a .safetensors file has room for {LONGEST_HEADER:,} bytes of tokens; save as .npz")
    with whole_file(path) as part, part.open("wb") as file:
        file.write(len(packed).to_bytes(8, "little") + packed)
        for array in arrays.values():
            file.write(array.data)
