"""`pip install .`: the package holds all that the app needs, and its command serves it from anywhere."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
import zipfile
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from attention_lab.root import version
from lab import ROOT
from tests.browser.harness import free_port

SOURCES = ("attention_core", "attention_lab", "pages")
FILES = (".streamlit", "LICENSE", "README.md", "app.py", "lab.py", "pyproject.toml", "requirements.txt")
PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input"]
PIPX = [sys.executable, "-m", "pipx", "run", "--python", sys.executable]
PIPX += ["--pip-args", shlex.join(["--constraint", str(ROOT / "tools" / "constraints.txt")])]
WITH_MODES = ["setpriv", "--bounding-set=-dac_override"] if os.geteuid() == 0 else []  # they don't stop root
CAPTURED = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
SOON = 60  # seconds
LATER = 300  # seconds: packages are downloaded first


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel of a copy of the sources: building leaves files beside them."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in (*SOURCES, *FILES):
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, folder / "source" / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(path, folder / "source" / name)
    options = ["--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", str(folder)]
    subprocess.run([*PIP, "wheel", *options, str(folder / "source")], check=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def command(wheel):
    """The installed command, without a home; the other packages are those of the tests' environment."""
    site = wheel.parent / "site"
    subprocess.run([*PIP, "install", "--no-deps", "--no-index", "--target", str(site), str(wheel)], check=True)
    home = {"HOME": str(wheel.parent / "no_home"), "PYTHONDONTWRITEBYTECODE": "1"}
    environment = {**os.environ, **home, "PYTHONPATH": str(site)}
    elsewhere = wheel.parent / "elsewhere"
    elsewhere.mkdir()

    def start(*arguments, cwd=elsewhere, env=environment, before=(), **settings):
        script = [*before, sys.executable, str(site / "bin" / "attention-lab"), *map(str, arguments)]
        return subprocess.Popen(script, cwd=cwd, env=env, text=True, **settings)

    start.environment = environment

    return start


def test_the_wheel_holds_every_file_of_the_packages_and_pages(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    paths = [path for package in SOURCES for path in (ROOT / package).rglob("*") if path.is_file()]
    paths = [path.relative_to(ROOT).as_posix() for path in paths if "__pycache__" not in path.parts]
    licenses = {"LICENSE", *(path for path in paths if "LICENSE" in path)}
    inside = {f"attention_lab/application/{path}" if path.startswith("pages/") else path for path in paths}
    assert inside - licenses - names == set()
    assert {path for path in licenses if not any(name.endswith(f"/licenses/{path}") for name in names)} == set()


def test_the_installed_command_serves_every_page_from_another_folder(command):
    """`serve` is ready once its warm-up has opened all pages; Ctrl+C ends it with status 0."""
    port = free_port()
    with running(command, "serve", "--port", str(port)) as process:
        health = wait_for(f"http://127.0.0.1:{port}/health", process)
        assert json.loads(health)["version"] == version()
        process.send_signal(signal.SIGINT)  # to the command alone, as no terminal does
        assert process.wait(SOON) == 0


def test_the_installed_command_works_where_nothing_can_be_written(command, wheel, tmp_path):
    locked, free = tmp_path / "locked", tmp_path / "free"
    locked.mkdir()
    free.mkdir()
    weights = tmp_path / "weights"
    weights.mkdir()
    np.savez(weights / "a.npz", attention=np.full((3, 3), 1 / 3))
    home = {"HOME": str(locked / "home"), "PYTHONDONTWRITEBYTECODE": ""}
    place = {"cwd": locked, "env": command.environment | home, "before": WITH_MODES}
    refused = "{} can't be written: Permission denied. Choose another place.\n"
    port = free_port()
    options = ["--server.headless=true", f"--server.port={port}", "--server.address=127.0.0.1"]
    with read_only(wheel.parent / "site", locked, weights):
        assert finished(command("--version", **place, **CAPTURED)) == (0, f"Attention Lab {version()}\n", "")
        status, printed, errors = finished(command("--help", **place, **CAPTURED))
        assert (status, errors) == (0, "")
        assert "attention-lab open " in printed
        assert "python3 lab.py" not in printed
        status, _, errors = finished(command("export", "scale", free / "page.html", **place, **CAPTURED))
        assert (status, errors) == (0, "")
        view = ["--no-open", "--output", free / "view.html"]
        assert finished(command("show", weights / "a.npz", *view, **place, **CAPTURED))[::2] == (0, "")
        told = finished(command("show", weights / "a.npz", **place, **CAPTURED))
        assert told == (
            2,
            "",
            f"{weights / 'a.html'} can't be written: Permission denied. Choose another place with --output.\n",
        )
        for arguments in (["scale", "page.html"], ["course"]):
            written = finished(command("export", *arguments, **place, **CAPTURED))
            assert written == (2, "", refused.format(arguments[-1]))
        with running(command, "open", *options, **place) as process:
            assert wait_for(f"http://127.0.0.1:{port}/_stcore/health", process) == "ok"
    assert [*locked.iterdir()] == []
    assert {each.name for each in free.iterdir()} == {"page.html", "view.html"}


def test_pipx_runs_the_wheel_with_the_packages_that_it_asks_for(wheel):
    """In a new environment: what the wheel doesn't name is not there. `serve` opens every page."""
    port = free_port()
    with TemporaryDirectory() as home:  # of 500 MB, which pytest would keep
        settings = {
            "cwd": home,
            "env": os.environ | {"PIPX_HOME": home, "PIPX_DEFAULT_BACKEND": "pip", "PYTHONPATH": ""},
            "text": True,
        }

        def pipx(*arguments, **more):
            script = [*PIPX, "--spec", str(wheel), "attention-lab", *arguments]
            return subprocess.Popen(script, **settings, **more)

        assert finished(pipx("--version", **CAPTURED))[:2] == (0, f"Attention Lab {version()}\n")
        assert finished(pipx("export", "similarity", "page.html", **CAPTURED))[0] == 0
        assert "<h1>Similarity</h1>" in (Path(home) / "page.html").read_text("utf-8")
        with running(pipx, "serve", "--port", str(port)) as process:
            health = wait_for(f"http://127.0.0.1:{port}/health", process)
            assert json.loads(health)["version"] == version()


def test_a_command_on_the_source_code_runs_the_script_of_the_checkout_or_names_the_remedy(command, tmp_path):
    for name in ("test", "new"):
        process = command(name, "mine", stderr=subprocess.PIPE)
        assert "Run it in a checkout" in process.communicate(timeout=SOON)[1]
        assert process.returncode == 1
    (tmp_path / "lab.py").write_text("import sys; print(sys.argv[1:]); sys.exit(3)")
    process = command("new", "mine", cwd=tmp_path, stdout=subprocess.PIPE)
    assert process.communicate(timeout=SOON)[0] == "['new', 'mine']\n"
    assert process.returncode == 3


def finished(process):
    """The exit status of a process, and what it printed."""
    printed, errors = process.communicate(timeout=LATER)
    return process.returncode, printed, errors


@contextmanager
def read_only(*folders):
    """Nothing in these folders can be written meanwhile."""
    paths = [path for folder in folders for path in (folder, *folder.rglob("*"))]
    modes = {path: path.stat().st_mode for path in paths}
    try:
        for path, mode in modes.items():
            path.chmod(mode & ~0o222)
        yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


@contextmanager
def running(command, *arguments, **settings):
    """A server in a group of processes of its own, which ends with the test."""
    with command(*arguments, stdout=subprocess.DEVNULL, start_new_session=True, **settings) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def wait_for(url, process):
    """The text at an address, as soon as it is there."""
    end = time.monotonic() + SOON
    while process.poll() is None and time.monotonic() < end:
        with suppress(OSError), urllib.request.urlopen(url, timeout=5) as answer:
            return answer.read().decode()
        time.sleep(0.1)
    pytest.fail(f"{url} gave no answer")
