"""The folder of a published model: which of its files are read, and how."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MOST_TEXT_BYTES = 20_000_000  # of a text file
WEIGHTS = "model.safetensors"
PICKLED = (".bin", ".pt", ".pth", ".pkl", ".ckpt")


@dataclass(frozen=True)
class Folder:
    """A folder of which no file's code is run. Every method raises `ValueError` with the file and the cause."""

    path: Path

    def __post_init__(self) -> None:
        """Refuse what is no folder."""
        if not self.path.is_dir():
            raise ValueError(f"{self.path.name or self.path} is not a folder")

    def has(self, name: str) -> bool:
        """Whether the folder has this file."""
        return (self.path / name).is_file()

    def file(self, name: str) -> Path:
        """The path of a file in the folder; a link that leads out of it is refused."""
        path = self.path / name
        if not path.is_file():
            raise ValueError(f"{name} is missing")
        if not path.resolve().is_relative_to(self.path.resolve()):
            raise ValueError(f"{name} is a link that leads out of the folder")
        return path

    def weights(self) -> Path:
        """The file with the weights; pickled ones are refused."""
        if not self.has(WEIGHTS):
            pickled = sorted(path.name for path in self.path.iterdir() if path.suffix in PICKLED)
            if pickled:
                raise ValueError(f"{pickled[0]} is not loaded, because it can run code: use {WEIGHTS}")
        return self.file(WEIGHTS)

    def text(self, name: str) -> str:
        """The content of a text file."""
        path = self.file(name)
        try:
            if path.stat().st_size > MOST_TEXT_BYTES:
                raise ValueError(f"{name} is larger than {MOST_TEXT_BYTES} bytes")
            return path.read_bytes().decode()
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
