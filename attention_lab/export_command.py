"""``python -m attention_lab.export_command``: write a page, or the course, as files that work offline.

The options are read before what the app requires is imported, so that `--help` needs no package.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from urllib.parse import urlsplit

from attention_lab.faults import AuthoringError
from attention_lab.root import program
from attention_lab.text.languages import LANGUAGES

CLOSE = 0.8  # 1: the same name; lower, and a folder `attention` would be taken for `self_attention`


def read(arguments: Sequence[str]) -> Namespace:
    """Return the options, or end with their help or with what is wrong with them."""
    parser = ArgumentParser(
        prog=program("export"),
        description="Write a page, or the whole course, as web pages that work offline.",
        epilog='Examples: export "similarity?word=phone" page.html, export course/',
        allow_abbrev=False,
    )
    parser.add_argument("link", help="a page, such as similarity?word=phone; or a folder for all pages")
    parser.add_argument("file", type=Path, nargs="?", help="file for the page, such as page.html")
    parser.add_argument("--language", choices=LANGUAGES, help="language of the page, or of the course (all)")
    parser.add_argument("--base", help="where a server will have the folder: /path/, or its whole address")
    parser.add_argument("--force", action="store_true", help="overwrite the file, or the pages in the folder")
    options = parser.parse_args(arguments)
    if options.file and options.base:
        parser.error("--base is for a folder: a page alone works in any place")
    return options


def main(arguments: Sequence[str]) -> int:
    """Write what the arguments ask for, and return the exit status."""
    options = read(arguments)
    from attention_lab.export import web_page

    folder = Path(options.link)
    target = options.file or folder
    name, pages = urlsplit(folder.name).path, web_page.pages_by_name()
    without_slash = folder.name == options.link
    try:
        if options.file:
            notices = web_page.write(options.link, target, options.language, options.force)
            print(*notices, sep="\n", end="\n" if notices else "", file=sys.stderr)
            print(f"Wrote {target}. Open it in a browser.")
        elif name in pages:
            print(f"{folder.name} is a page. Name a file for it, too, such as page.html.", file=sys.stderr)
            return 2
        elif without_slash and (near := get_close_matches(name, pages, 1, CLOSE)):
            remedy = f"To write the course into a folder of this name, end it with a slash: {name}/"
            print(f"{name} is not a page; did you mean {near[0]}? {remedy}", file=sys.stderr)
            return 2
        else:
            languages = [options.language] if options.language else [*LANGUAGES]
            files = web_page.write_course(folder, languages, options.force, options.base or "/")
            print(f"Wrote {len(files)} pages to {target}. Open index.html there.")
            # As with a part of a link that was not used: what could be written was, so that it is no failure.
            if lacking := {file.stem: ", ".join(sorted(missing)) for file, missing in files.items() if missing}:
                pages = ", ".join(f"{page} ({missing})" for page, missing in lacking.items())
                print(
                    f"Some figures are left out, because a model file is missing or damaged: {pages}. "
                    "To restore the file, download Attention Lab again. Then export with --force.",
                    file=sys.stderr,
                )
    except AuthoringError as why:
        print(why, file=sys.stderr)
        return 2
    except OSError as why:  # one of our own is a sentence; the system's has a number and a word or two
        wrong = f"{target} can't be written: {why.strerror}. Choose another place." if why.errno else why
        print(wrong, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
