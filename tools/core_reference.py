"""Write docs/CORE.md: the public names of `attention_core`, from their docstrings.

python -m tools.core_reference
"""

from __future__ import annotations

import inspect
import re
import sys

import attention_core
from lab import ROOT

PAGE = ROOT / "docs" / "CORE.md"
CHAPTERS = {  # by the modules in which the names are defined
    "Similarity": ("similarity",),
    "Softmax": ("softmax", "saturation"),
    "Masks": ("masks",),
    "Attention": ("attention", "heads", "block", "low_rank"),
    "Positions": ("positions",),
    "Geometry": ("geometry",),
    "Size and cost": ("scale",),
    "Worked examples": ("examples",),
    "Training": ("training",),
    "Trained models": ("models",),
}
START = """\
# attention_core

The mathematics of the course, usable by itself: NumPy and the standard library. Vectors are rows: x is
(n, d_model), and query = x @ W_query. Leading axes such as batch and head are allowed. No call warns, and no call
changes its input.

```python
import numpy as np

from attention_core import *  # the examples need these two lines
```

This page is made from the docstrings by `python -m tools.core_reference`. The tests run every example on it.
"""


def chapters() -> dict[str, list[str]]:
    """Return the public names by chapter, in alphabetical order; each name once."""
    found: dict[str, list[str]] = {title: [] for title in CHAPTERS}
    for name in attention_core.__all__:
        module = getattr(getattr(attention_core, name), "__module__", None)
        if module is None or not module.startswith("attention_core"):
            continue  # a constant: the functions that use it say what it is
        package = module.split(".")[1]
        title = next(title for title, modules in CHAPTERS.items() if package in modules)
        found[title].append(name)
    return {title: sorted(names, key=str.lower) for title, names in found.items()}


def signature(name: str) -> str:
    """Return a name with its parameters, as it is called."""
    try:
        parameters = inspect.signature(getattr(attention_core, name)).parameters.values()
    except ValueError:
        return name
    return f"{name}({', '.join(str(each.replace(annotation=each.empty)) for each in parameters)})"


def markdown(docstring: str) -> str:
    """Return a docstring as Markdown: headings of sections in bold, examples as code."""
    text = re.sub(r"^(\w[\w ]*)\n-+$", r"**\1**\n", inspect.cleandoc(docstring), flags=re.MULTILINE)
    lines, code = [], False
    for line in text.splitlines():
        begins = line.startswith(">>>") and not code
        if begins or (code and not line):
            code = not code
            lines.append("```python" if code else "```")
        lines.append(line)
    return "\n".join([*lines, "```"] if code else lines)


def page() -> str:
    """Return the text of the page."""
    parts = [START]
    for title, names in chapters().items():
        parts.append(f"## {title}\n")
        for name in names:
            parts.append(f"### `{signature(name)}`\n\n{markdown(getattr(attention_core, name).__doc__)}\n")
    return "\n".join(parts)


def main() -> int:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
