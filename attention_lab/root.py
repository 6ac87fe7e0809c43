"""The folder with what lies outside the packages: `app.py`, `pages/`, `.streamlit/`, `pyproject.toml`."""

from pathlib import Path

PACKAGE = Path(__file__).parent
INSTALLED = PACKAGE / "application"  # where `pip install` puts them; a checkout has them beside the packages
ROOT = INSTALLED if INSTALLED.is_dir() else PACKAGE.parent


def version() -> str:
    """Return the version, which only `pyproject.toml` holds."""
    import tomllib  # not at the top: Python 3.10 lacks it, and must get as far as `lab.py`'s sentence about that

    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


def program(command: str) -> str:
    """Return what a reader types to run a command, for the usage line of its help."""
    return f"{'attention-lab' if ROOT == INSTALLED else 'python3 lab.py'} {command}"
