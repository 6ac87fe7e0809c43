"""The files of deploy/: each is read by a validator that brings its own schema, and they agree with one another.

What can be run here is run elsewhere: nginx's configuration in `test_replicas` and `test_faults`.
"""

import json
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

from attention_lab.server.room_socket import PATH as ROOM
from attention_lab.server.server import version as lab_version
from attention_lab.server.settings import Settings, variable
from lab import ROOT

DEPLOY = ROOT / "deploy"
COMPOSE = DEPLOY / "compose.yaml"
KUBERNETES = DEPLOY / "kubernetes" / "attention-lab.yaml"
TOOLS = Path(sys.executable).parent


def validate(*command):
    """Run a validator of the environment; return its exit code and what it said."""
    tool = shutil.which(command[0], path=str(TOOLS))
    ended = subprocess.run([tool, *map(str, command[1:])], capture_output=True, text=True, cwd=ROOT, check=False)
    return ended.returncode, ended.stdout + ended.stderr


def compose(path):
    return validate("check-jsonschema", "--builtin-schema", "vendor.compose-spec", path)


def kubernetes(path):
    return validate("kubernetes-validate", "--strict", path)


def dockerfile(path):
    return validate("hadolint", "--failure-threshold", "style", path)


@pytest.mark.parametrize(
    ("check", "path", "sound", "broken"),
    [
        (compose, COMPOSE, "read_only: true", "read_only: 3"),
        (kubernetes, KUBERNETES, "failureThreshold: 60", "failureThreshold: often"),
        (kubernetes, KUBERNETES, "maxUnavailable: 1", "maxUnavailabel: 1"),
        (dockerfile, DEPLOY / "Dockerfile", "USER 10001:10001", "USER root"),
        (dockerfile, DEPLOY / "Dockerfile.nginx", ":1.28-alpine", ""),
    ],
)
def test_a_file_is_valid_and_its_validator_would_say_if_not(tmp_path, check, path, sound, broken):
    code, said = check(path)
    assert code == 0, said
    spoilt = tmp_path / path.name
    spoilt.write_text(path.read_text("utf-8").replace(sound, broken, 1))
    assert spoilt.read_text() != path.read_text("utf-8")
    assert check(spoilt)[0] != 0


def copied(name):
    """What a Dockerfile takes from the top folder."""
    lines = re.findall(r"^COPY (?!--)(.+) \S+$", (DEPLOY / name).read_text("utf-8"), re.MULTILINE)
    return {part for line in lines for part in line.split()}


@pytest.mark.parametrize("name", ["Dockerfile", "Dockerfile.nginx"])
def test_what_an_image_takes_is_there_and_let_through(name):
    ignored = (DEPLOY / f"{name}.dockerignore").read_text("utf-8").splitlines()
    assert ignored[0] == "*"
    for part in copied(name):
        assert (ROOT / part).exists()
        assert f"!{part.rstrip('/')}" in ignored


def test_the_image_holds_all_that_the_app_runs_on():
    assert {"app.py", "attention_core", "attention_lab", "pages"} <= copied("Dockerfile")


def test_every_variable_that_is_set_exists():
    known = {variable(name) for name in Settings.__dataclass_fields__}
    for path in [*DEPLOY.rglob("*.yaml"), *DEPLOY.glob("Dockerfile*"), DEPLOY / "huggingface" / "settings"]:
        assert set(re.findall(r"ATTENTION_LAB_\w+", path.read_text("utf-8"))) <= known, path.name


def pins(path):
    """The versions that a file of requirements names."""
    return set(re.findall(r"^([\w.-]+==[\w.]+)", path.read_text("utf-8"), re.MULTILINE))


def test_the_image_gets_the_versions_that_were_tested_each_with_its_hash():
    lock = DEPLOY / "requirements.lock"
    assert pins(lock) == pins(ROOT / "tools/constraints.txt")
    assert lock.read_text("utf-8").count("--hash=sha256:") >= len(pins(lock))
    wanted = re.findall(r"^[\w-]+", (ROOT / "requirements.txt").read_text("utf-8"), re.MULTILINE)
    named = {pin.partition("==")[0] for pin in pins(lock)}
    assert {*wanted, "uvicorn", "starlette", "websockets", "protobuf"} <= named


def test_what_runs_here_is_what_is_pinned():
    for pin in pins(ROOT / "tools/constraints.txt"):
        name, _, wanted = pin.partition("==")
        assert version(name) == wanted, name


def test_ports_names_and_limits_agree():
    documents = {(d["kind"], d["metadata"]["name"]): d for d in yaml.safe_load_all(KUBERNETES.read_text("utf-8"))}
    app = documents["Deployment", "attention-lab"]["spec"]["template"]["spec"]["containers"][0]
    ports = {port["name"]: port["containerPort"] for port in app["ports"]}
    assert ports["http"] == Settings().port
    inner = documents["ConfigMap", "attention-lab"]["data"]
    assert str(ports["metrics"]) == inner["ATTENTION_LAB_METRICS"]
    services = yaml.safe_load(COMPOSE.read_text("utf-8"))["services"]
    assert "ports" not in services["app"], "the replicas, and their metrics, are not reached from outside"
    nginx = (DEPLOY / "nginx" / "nginx.conf").read_text("utf-8")
    assert inner["ATTENTION_LAB_METRICS"] not in nginx
    assert f"server app:{Settings().port} " in (DEPLOY / "nginx" / "local" / "replicas.conf").read_text("utf-8")
    ingress = documents["Ingress", "attention-lab"]["metadata"]["annotations"]
    cookie = ingress["nginx.ingress.kubernetes.io/session-cookie-name"]
    assert f"$cookie_{cookie} $place" in nginx
    rooms = documents["Ingress", "attention-lab-rooms"]
    assert rooms["spec"]["rules"][0]["http"]["paths"][0]["path"] == ROOM
    assert f"location = {ROOM} " in nginx
    assert rooms["metadata"]["annotations"]["nginx.ingress.kubernetes.io/upstream-hash-by"] in nginx
    probes = {app[probe]["httpGet"]["path"] for probe in ("startupProbe", "readinessProbe")}
    assert probes == {"/health"}


def test_a_space_runs_the_image_of_the_top_folder_with_its_frame_and_proxy(tmp_path):
    settings = (DEPLOY / "huggingface" / "settings").read_text("utf-8")
    added = [line for line in settings.splitlines() if not line.startswith("#")]
    assert added == ["ENV ATTENTION_LAB_EMBED=https://huggingface.co ATTENTION_LAB_PROXIES=10.0.0.0/8"]
    (tmp_path / "Dockerfile").write_text((DEPLOY / "Dockerfile").read_text("utf-8") + settings)
    assert dockerfile(tmp_path / "Dockerfile")[0] == 0
    header = next(yaml.safe_load_all((DEPLOY / "huggingface" / "header.yaml").read_text("utf-8")))
    assert (header["sdk"], header["app_port"]) == ("docker", Settings().port)


def test_a_devcontainer_starts_the_app_and_forwards_its_port():
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text("utf-8"))
    assert container["postAttachCommand"].split()[:3] == ["python3", "lab.py", "open"]
    assert container["forwardPorts"] == [Settings().port]


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")), ids=lambda path: path.stem
)
def test_an_issue_form_is_valid(path):
    assert (
        validate(
            "check-jsonschema",
            "--builtin-schema",
            f"vendor.github-{'issue-config' if path.stem == 'config' else 'issue-forms'}",
            path,
        )[0]
        == 0
    )


def test_the_citation_is_valid_and_names_the_version():
    path = ROOT / "docs" / "CITATION.cff"
    assert validate("check-jsonschema", "--builtin-schema", "vendor.citation-file-format", path)[0] == 0
    assert yaml.safe_load(path.read_text("utf-8"))["version"] == lab_version()
