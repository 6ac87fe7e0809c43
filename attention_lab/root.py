"""The folder with what lies outside the packages: `app.py`, `pages/`, `.streamlit/`, `pyproject.toml`."""

from pathlib import Path

PACKAGE = Path(__file__).parent
INSTALLED = PACKAGE / "application"  # where `pip install` puts them; a checkout has them beside the packages
ROOT = INSTALLED if INSTALLED.is_dir() else PACKAGE.parent


def program(command: str) -> str:
    """Return what a reader types to run a command, for the usage line of its help."""
    return f"{'attention-lab' if ROOT == INSTALLED else 'python3 lab.py'} {command}"
