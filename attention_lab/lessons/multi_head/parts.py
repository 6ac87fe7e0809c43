"""The table of a vector as it grows (see heads.js), which this page has twice: by heads, and through a block."""

from typing import Any

from attention_lab.calculation import Expression


def column(
    of: Expression,
    label: str,
    *,
    what: str,
    sign: str = "",
    role: str = "",
    head: int | None = None,
    name: str = "",
    result: bool = False,
) -> dict[str, Any]:
    """A column of a part ``addends``: the chosen word's row of a matrix, and `what` its live numbers are called.

    A `sign` stands before its `label`, `role` is its colour. A click switches the `head` of that number, whose
    `name` it says; a `result` waits for the guess.
    """
    settings = {"of": of, "label": label, "what": what, "sign": sign, "role": role, "result": result}
    return settings | ({} if head is None else {"head": head, "name": name})
