"""The README's table of what each page's address holds: `python -m tests.permalinks` renews it."""

from pathlib import Path
from unittest.mock import patch

from streamlit.testing.v1 import AppTest

import prose
from controls import lesson, permalink

ROOT = Path(__file__).parent.parent
BEGIN = "<!-- permalinks: made by `python -m tests.permalinks`, held true by a test -->"
END = "<!-- end permalinks -->"


def fields_of_pages() -> dict[str, tuple]:
    """Every page's fields by the page's name, as the page itself hands them to its lesson."""
    found = {}
    opened = lesson.open_lesson

    def noted(name, fields):
        found[name] = tuple(fields)
        return opened(name, fields)

    with patch.object(lesson, "open_lesson", noted):
        for page in lesson.pages_of(ROOT / "pages"):
            AppTest.from_file(str(page), default_timeout=60).run()
    return found


OF_WORDS = ("word", "other", "instead", "feature")  # one of the page's own words, whichever they are
MOST = 24


def one_of(page: str, field, values) -> str:
    """What may stand in a choice: a list, or its ends where it is long."""
    if field.name == "goal":
        names = [name for name in prose.read(page).parts("goals") if "/" not in name]
    elif field.options and field.name not in OF_WORDS:
        names = [str(name) for name in field.options(values)]
    else:
        return ""
    return ", ".join(names if len(names) <= MOST else [names[0], names[1], "…", names[-1]])


def table() -> str:
    """The table as it should stand in the README."""
    lines = [f"| every page | `{f.name}` | {f.meaning} | {one_of('', f, {})} |" for f in lesson.SHARED]
    for page, fields in fields_of_pages().items():
        values, _ = permalink.read_address(fields, {}, {})
        lines += [f"| {page} | `{f.name}` | {f.meaning} | {one_of(page, f, values)} |" for f in fields]
    return "\n".join(["| page | key | meaning | one of |", "| --- | --- | --- | --- |", *lines])


def stands() -> str:
    """The table as it stands in the README."""
    return (ROOT / "README.md").read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0].strip()


if __name__ == "__main__":
    readme = ROOT / "README.md"
    before, rest = readme.read_text(encoding="utf-8").split(BEGIN)
    readme.write_text(f"{before}{BEGIN}\n{table()}\n{END}{rest.split(END)[1]}", encoding="utf-8")
