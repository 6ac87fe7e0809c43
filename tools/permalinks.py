"""The table, in docs/ADDRESSES.md, of what each page's address holds: `python -m tools.permalinks` renews it."""

import importlib

from attention_lab import course
from attention_lab import text as prose
from attention_lab.state import permalink, shared_fields
from lab import ROOT

FILE = ROOT / "docs" / "ADDRESSES.md"
BEGIN = "<!-- permalinks: made by `python -m tools.permalinks`, held true by a test -->"
END = "<!-- end permalinks -->"
OF_WORDS = ("word", "other", "instead", "feature")  # one of the page's own words, whichever they are
MOST = 24


def fields_of_pages() -> dict[str, tuple]:
    """Every page's fields by the page's name, in the order of the course."""
    paths = [path for section in course.files(ROOT / "pages").values() for path in section]
    return {course.address(path): importlib.import_module(course.lesson_module(path)).FIELDS for path in paths}


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
    """The table as it should stand there."""
    lines = [
        f"| every page | `{f.name}` | {f.meaning} | {one_of('', f, {})} |"
        for f in (*shared_fields.OF_LINKS, *shared_fields.SHARED)
    ]
    for page, fields in fields_of_pages().items():
        values = permalink.complete(fields, {})
        lines += [f"| {page} | `{f.name}` | {f.meaning} | {one_of(page, f, values)} |" for f in fields]
    trackers = ", ".join(f"`{name}`" for name in permalink.TRACKERS.split("|"))
    dropped = f"Ignored silently, unless a page has a setting of that name: {trackers}."
    return "\n".join(["| page | key | meaning | one of |", "| --- | --- | --- | --- |", *lines, "", dropped])


def stands() -> str:
    """The table as it stands there."""
    return FILE.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0].strip()


def renew() -> None:
    """Write the table anew."""
    before, rest = FILE.read_text(encoding="utf-8").split(BEGIN)
    FILE.write_text(f"{before}{BEGIN}\n{table()}\n{END}{rest.split(END)[1]}", encoding="utf-8")


if __name__ == "__main__":
    renew()
