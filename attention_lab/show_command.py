"""``python -m attention_lab.show_command``: show the attention weights of a file in the browser.

The options are read before what shows weights is imported, so that `--help` needs no package.
"""

import sys
import webbrowser
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from attention_lab.root import program
from attention_lab.text.languages import ENGLISH, LANGUAGES, speaking

OURS = b'<meta name="generator" content="Attention Lab">'  # in the head of each of our HTML files
HTML = (".html", ".htm")
HEAD = 500  # bytes that hold it


def read(arguments: Sequence[str]) -> Namespace:
    """Return the options, or end with their help or with what is wrong with them."""
    parser = ArgumentParser(
        prog=program("show"),
        description="Write a view of the attention weights in a .npz or .safetensors file, and open it in the "
        "browser.",
        epilog="attention_lab.save writes such files, and numpy.savez: see docs/own_attention.md.",
        allow_abbrev=False,
    )
    parser.add_argument("file", type=Path, help="the file with the weights, such as attention.npz")
    parser.add_argument("--output", type=Path, help="file for the view (beside the weights)")
    parser.add_argument("--language", choices=LANGUAGES, default=ENGLISH, help="language of the view (en)")
    parser.add_argument("--batch", type=int, help="place of the text in a batch, from 0")
    parser.add_argument("--no-open", action="store_true", help="write the view, and open no browser")
    options = parser.parse_args(arguments)
    if options.output and options.output.suffix.lower() not in HTML:
        parser.error(f"argument --output: {options.output} must end in .html")
    return options


def main(arguments: Sequence[str]) -> int:
    """Write the view that the arguments ask for, and return the exit status."""
    options = read(arguments)
    from attention_lab.own_attention import load

    target = options.output
    try:
        view = load(options.file, batch=options.batch)
        target = target or options.file.with_suffix(".html")
        if target.exists() and not is_ours(target):
            raise ValueError(f"{target} already exists, and is no view. Choose another name with --output.")
        with speaking(options.language):
            view.save(target)
    except (ValueError, FileNotFoundError) as why:
        print(why, file=sys.stderr)
        return 2
    except OSError as why:
        print(f"{target} can't be written: {why.strerror}. Choose another place with --output.", file=sys.stderr)
        return 2
    opened = not options.no_open and webbrowser.open(target.resolve().as_uri())
    print(f"Wrote {target}." if opened else f"Wrote {target}. Open it in a browser.")
    return 0


def is_ours(file: Path) -> bool:
    """Return whether a file is one that Attention Lab has written."""
    if not file.is_file():
        return False
    with file.open("rb") as start:
        return OURS in start.read(HEAD)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
