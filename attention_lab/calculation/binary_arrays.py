"""Arrays too many for the page's data: they travel once, as bytes, and stay in the browser while they are shown.

They follow the figure's frame in its message. Numbers travel as float32, or as the 16-bit whole numbers that they
are; Python calculates with the same.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class BinaryArrays:
    """Arrays by their names, in the form in which they travel. A name ``a/b`` is `b` of the record `a`."""

    arrays: Mapping[str, Any]  # records of arrays, as a calculation in Python finds them
    id: str  # what tells these numbers from others
    data: bytes
    #: of each array its name, its shape, where it begins in steps of four bytes, and of 16-bit numbers that
    layout: list[list]

    def to_payload(self) -> dict[str, Any]:
        """What the stage must know to find them."""
        return {"id": self.id, "size": len(self.data), "layout": self.layout}


def pack_arrays(arrays: Mapping[str, np.ndarray]) -> BinaryArrays:
    """Make arrays ready to travel."""
    layout, pieces, begin, result = [], [], 0, {}
    for name, array in arrays.items():
        sixteen = np.asarray(array).dtype == np.uint16
        numbers = np.ascontiguousarray(array, dtype="<u2" if sixteen else "<f4")
        layout.append([name, list(numbers.shape), begin, *([16] if sixteen else [])])
        pieces.append(numbers.tobytes() + bytes(-numbers.nbytes % 4))
        begin += len(pieces[-1]) // 4
        *records, last = name.split("/")
        among = result
        for record in records:
            among = among.setdefault(record, {})
        among[last] = numbers.astype(np.float64)
        among[last].setflags(write=False)
    numbers = b"".join(pieces)
    shapes = repr(layout).encode()
    return BinaryArrays(result, hashlib.sha256(shapes + numbers).hexdigest()[:16], numbers, layout)
