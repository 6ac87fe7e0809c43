"""The command `attention-lab`, which `pip install` brings: `lab.py` from wherever it lies."""

import sys

from attention_lab.root import ROOT


def main() -> int:
    """Run the command that the command line names, and return its exit status."""
    sys.path.insert(0, str(ROOT))
    import lab

    return lab.command()
