"""The README's table of what each page's address holds: `python -m tests.permalinks` renews it."""

from pathlib import Path
from unittest.mock import patch

from streamlit.testing.v1 import AppTest

from controls import lesson

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


def table() -> str:
    """The table as it should stand in the README."""
    rows = [("every page", field) for field in lesson.SHARED]
    rows += [(page, field) for page, fields in fields_of_pages().items() for field in fields]
    lines = [f"| {page} | `{field.name}` | {field.meaning} |" for page, field in rows]
    return "\n".join(["| page | key | meaning |", "| --- | --- | --- |", *lines])


def stands() -> str:
    """The table as it stands in the README."""
    return (ROOT / "README.md").read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0].strip()


if __name__ == "__main__":
    readme = ROOT / "README.md"
    before, rest = readme.read_text(encoding="utf-8").split(BEGIN)
    readme.write_text(f"{before}{BEGIN}\n{table()}\n{END}{rest.split(END)[1]}", encoding="utf-8")
