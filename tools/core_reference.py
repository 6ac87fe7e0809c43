"""Write docs/CORE.md: the public names of `attention_core`, from their docstrings.

python -m tools.core_reference
"""

from __future__ import annotations

import inspect
import re
import sys
from functools import cached_property
from typing import Any

import attention_core
from lab import ROOT

PAGE = ROOT / "docs" / "CORE.md"
CHAPTERS = {  # by the modules in which the names are defined
    "Similarity": ("similarity",),
    "Softmax": ("softmax", "saturation", "tiles"),
    "Masks": ("masks",),
    "Attention": ("attention", "heads", "block", "low_rank"),
    "Positions": ("positions",),
    "Geometry": ("geometry",),
    "Size and cost": ("scale",),
    "Worked examples": ("examples",),
    "Training": ("training",),
    "Trained models": ("models",),
}
FIRST = ("dot_product", "softmax", "scaled_dot_product_attention")  # of their chapters; the others by alphabet
START = """\
# attention_core

The mathematics of the course, usable by itself: NumPy and the standard library. Vectors are rows: x is
(n, d_model), and query = x @ W_query. Leading axes such as batch and head are allowed. No call warns, and no call
changes its input.

Python 3.11 or newer finds it in any folder after one of these:

```
pip install .                            # in this checkout; installs the app with Streamlit, too
export PYTHONPATH=/path/to/the/checkout  # needs no package but NumPy 2
```

```python
import numpy as np

from attention_core import *  # the examples need these two lines
```

This page is made from the docstrings by `python -m tools.core_reference`. The tests run every example on it.
"""


def chapters() -> dict[str, list[str]]:
    """Return the public names by chapter, the main function first; each name once."""
    found: dict[str, list[str]] = {title: [] for title in CHAPTERS}
    for name in attention_core.__all__:
        module = getattr(getattr(attention_core, name), "__module__", None)
        if module is None or not module.startswith("attention_core"):
            continue  # a constant: the functions that use it say what it is
        package = module.split(".")[1]
        title = next(title for title, modules in CHAPTERS.items() if package in modules)
        found[title].append(name)
    return {
        title: sorted(names, key=lambda name: (name not in FIRST, name.lower())) for title, names in found.items()
    }


def signature(name: str, thing: Any) -> str:
    """Return a name with its parameters, as it is called."""
    if not callable(thing):
        return name  # a property
    parameters = [each for each in inspect.signature(thing).parameters.values() if each.name != "self"]
    return f"{name}({', '.join(str(each.replace(annotation=each.empty)) for each in parameters)})"


def fields(record: type) -> str:
    """Return the fields of a class as a list: names, and the shapes and meanings in their comments."""
    found = re.findall(r"^    (\w+): .*?  #: (.*)$", inspect.getsource(record), flags=re.MULTILINE)
    return "\n".join(f"- `{name}`: {meaning}" for name, meaning in found)


def members(record: type) -> dict[str, Any]:
    """Return the public methods and properties of a class, in the order of the code."""
    kinds = (property, cached_property)
    return {
        name: thing
        for name, thing in vars(record).items()
        if (not name.startswith("_") and (inspect.isfunction(thing) or isinstance(thing, kinds)))
        or name == "__call__"
    }


def entry(name: str) -> str:
    """Return what the page says of a public name; of a class its fields and methods, too."""
    thing = getattr(attention_core, name)
    parts = [f"### `{signature(name, thing)}`", markdown(thing.__doc__)]
    if inspect.isclass(thing):
        parts += [fields(thing)]
        for member, method in members(thing).items():
            full = name if member == "__call__" else f"{name}.{member}"
            parts += [f"#### `{signature(full, method)}`", markdown(method.__doc__)]
    return "\n\n".join(part for part in parts if part) + "\n"


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
        anchor = title.lower().replace(" ", "-")
        parts.append(f"- [{title}](#{anchor}): {', '.join(f'`{name}`' for name in names)}")
    for title, names in chapters().items():
        parts += [f"\n## {title}\n", "\n".join(map(entry, names)).rstrip()]
    return "\n".join(parts) + "\n"


def main() -> int:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
