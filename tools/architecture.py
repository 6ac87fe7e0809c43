"""Draw the packages in docs/CODE.md, from the imports of the code: `python -m tools.architecture`.

An arrow means *imports*. What follows from other arrows is left out, and so are packages that most others use.
"""

from __future__ import annotations

import re

from lab import ROOT
from tests.test_architecture import PACKAGES, imports, python_files

PAGE = ROOT / "docs" / "CODE.md"
LEFT_OUT = {
    "process",
    "faults",
    "theme",
    "root",
    "streamlit_internals",
    "model_packages",
    "model_command",
    "own_model",
    "tools.scaffold",
    "lab",
    "command",
}
SHOWN = [name for name in PACKAGES if name not in LEFT_OUT]
BLOCK = re.compile(r"(?<=<!-- made by `python -m tools.architecture` -->\n).*?(?=\n<!-- end -->)", re.DOTALL)


def edges() -> dict[str, set[str]]:
    """Return which packages each one imports."""
    return {
        package: {name for path in python_files(package) for name, _ in imports(path)} & {*SHOWN} - {package}
        for package in SHOWN
    }


def reduced(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the graph without the edges that follow from others."""

    def reached(start: str) -> set[str]:
        return set().union(*({name} | reached(name) for name in graph[start]))

    return {name: to - set().union(*(reached(each) for each in to)) for name, to in graph.items()}


def drawing() -> str:
    """Return the picture as a Mermaid diagram."""
    lines = [f"  {name} --> {' & '.join(sorted(to))}" for name, to in reduced(edges()).items() if to]
    return "\n".join(["```mermaid", "flowchart TD", *lines, "```"])


def stands() -> str:
    """Return the picture that stands in the page."""
    return BLOCK.search(PAGE.read_text(encoding="utf-8"))[0]


if __name__ == "__main__":
    PAGE.write_text(BLOCK.sub(lambda _: drawing(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
