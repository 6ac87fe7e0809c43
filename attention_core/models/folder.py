"""The folder of a published model: which of its files are read, and how."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MOST_TEXT_BYTES = 20_000_000  # of a text file
MOST_PADDING = 1024  # rows of a table beyond its vocabulary
WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
TOKENIZER = "tokenizer.json"
PICKLED = (".bin", ".pt", ".pth", ".pkl", ".ckpt")


@dataclass(frozen=True)
class Folder:
    """A folder of which no file's code is run. Every method raises `ValueError` with the file and the cause."""

    path: Path

    def __post_init__(self) -> None:
        """Refuse what is no folder; ~ is the home of who asks."""
        object.__setattr__(self, "path", self.path.expanduser())
        if not self.path.is_dir():
            raise ValueError(f"{self.path.name or self.path} is not a folder")

    def has(self, name: str) -> bool:
        """Whether the folder has this file."""
        return (self.path / name).is_file()

    def file(self, name: str) -> Path:
        """The path of a file in the folder; a link that leads out of it is refused.

        A hub's cache is one folder, too: its `snapshots/…` hold links to files in `blobs`.
        """
        path, folder = self.path / name, self.path.resolve()
        if not path.is_file():
            raise ValueError(f"{name} is missing")
        own = [folder, folder.parents[1] / "blobs"] if folder.parent.name == "snapshots" else [folder]
        if not any(path.resolve().is_relative_to(each) for each in own):
            raise ValueError(f"{name} is a link that leads out of the folder")
        return path

    def weights(self) -> list[Path]:
        """The files with the weights: one, or the shards of an index; pickled ones are refused."""
        if not self.has(WEIGHTS) and self.has(INDEX):
            names = self.json(INDEX).get("weight_map")
            shards = sorted(set(map(str, names.values()))) if isinstance(names, dict) else []
            if not shards or any(name != Path(name).name for name in shards):
                raise ValueError(f"{INDEX}: weight_map must name files of this folder")
            return [self.file(name) for name in shards]
        if not self.has(WEIGHTS):
            pickled = sorted(path.name for path in self.path.iterdir() if path.suffix in PICKLED)
            if pickled:
                raise ValueError(f"{pickled[0]} is not loaded, because it can run code: use {WEIGHTS}")
        return [self.file(WEIGHTS)]

    def text(self, name: str) -> str:
        """The content of a text file, with line ends as \\n and without a byte-order mark."""
        path = self.file(name)
        try:
            if path.stat().st_size > MOST_TEXT_BYTES:
                raise ValueError(f"{name} is larger than {MOST_TEXT_BYTES} bytes")
            return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError:
            raise ValueError(f"{name} is not UTF-8") from None
        except OSError as error:
            raise ValueError(f"{name} cannot be read: {error}") from None

    def json(self, name: str) -> dict[str, Any]:
        """The object in a file of JSON."""
        text = self.text(name)
        try:
            content = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{name} is not JSON: {str(error)[:200]}") from None
        if not isinstance(content, dict):
            raise ValueError(f"{name} must hold a JSON object")
        return content


def check_size(name: str, tokens: list[str], rows: int) -> None:
    """Refuse a vocabulary that does not belong to a table; a table may be padded."""
    if not len(tokens) <= rows <= len(tokens) + MOST_PADDING:
        raise ValueError(f"{name} has {len(tokens)} tokens, and the model {rows}")


def in_order(name: str, numbers: object) -> list[str]:
    """The tokens of a vocabulary {token: number} by their numbers; those of a file that has gaps are refused."""
    if not isinstance(numbers, dict) or sorted(map(repr, numbers.values())) != sorted(
        map(repr, range(len(numbers)))
    ):
        raise ValueError(f"{name} does not give each number from 0 on to one token")
    return sorted(numbers, key=numbers.__getitem__)
