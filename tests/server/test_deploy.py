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

from attention_lab.root import version as lab_version
from attention_lab.server.room_socket import PATH as ROOM
from attention_lab.server.settings import Settings, variable
from attention_lab.server.uploads import largest_body
from attention_lab.streamlit_internals import UPLOADS
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


def schema(name, *paths):
    return validate("check-jsonschema", "--builtin-schema", f"vendor.{name}", *paths)


def compose(path):
    return schema("compose-spec", path)


def kubernetes(path):
    return validate("kubernetes-validate", "--strict", path)


def dockerfile(path):
    return validate("hadolint", "--failure-threshold", "style", path)


@pytest.mark.parametrize(
    ("check", "path", "valid", "invalid"),
    [
        (compose, COMPOSE, "read_only: true", "read_only: 3"),
        (kubernetes, KUBERNETES, "maxUnavailable: 1", "maxUnavailabel: 1"),
        (dockerfile, DEPLOY / "Dockerfile", "USER 10001:10001", "USER root"),
        (dockerfile, DEPLOY / "Dockerfile.nginx", ":1.28-alpine", ""),
    ],
    ids=["compose", "kubernetes", "app", "nginx"],
)
def test_file_is_valid_and_its_validator_would_find_a_fault(tmp_path, check, path, valid, invalid):
    code, output = check(path)
    assert code == 0, output
    broken = tmp_path / path.name
    broken.write_text(path.read_text("utf-8").replace(valid, invalid, 1))
    assert broken.read_text() != path.read_text("utf-8")
    assert check(broken)[0] != 0


def copied(name):
    """What a Dockerfile takes from the top folder."""
    lines = re.findall(r"^COPY (?!--)(.+) \S+$", (DEPLOY / name).read_text("utf-8"), re.MULTILINE)
    return {part for line in lines for part in line.split()}


def test_files_that_an_image_takes_exist_and_are_not_ignored():
    assert {"app.py", "attention_core", "attention_lab", "pages"} <= copied("Dockerfile")
    for name in ("Dockerfile", "Dockerfile.nginx"):
        ignored = (DEPLOY / f"{name}.dockerignore").read_text("utf-8").splitlines()
        assert ignored[0] == "*"
        for part in copied(name):
            assert (ROOT / part).exists()
            assert f"!{part.rstrip('/')}" in ignored


def test_every_variable_that_is_set_exists():
    known = {variable(name) for name in Settings.__dataclass_fields__}
    for path in [*DEPLOY.rglob("*.yaml"), *DEPLOY.glob("Dockerfile*"), DEPLOY / "huggingface" / "settings"]:
        assert set(re.findall(r"ATTENTION_LAB_\w+", path.read_text("utf-8"))) <= known, path.name


def pins(path):
    """The versions that a file of requirements names."""
    return set(re.findall(r"^([\w.-]+==[\w.]+)", path.read_text("utf-8"), re.MULTILINE))


def test_image_gets_the_tested_versions_each_with_its_hash():
    lock = DEPLOY / "requirements.lock"
    assert pins(lock) == pins(ROOT / "tools/constraints.txt")
    assert lock.read_text("utf-8").count("--hash=sha256:") >= len(pins(lock))
    wanted = re.findall(r"^[\w-]+", (ROOT / "requirements.txt").read_text("utf-8"), re.MULTILINE)
    named = {pin.partition("==")[0] for pin in pins(lock)}
    assert {*wanted, "uvicorn", "starlette", "websockets", "protobuf"} <= named


def test_installed_versions_are_the_pinned_ones():
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


def test_proxies_let_the_largest_file_through_and_nothing_else_of_that_size():
    largest = f"{Settings().upload_megabytes}m"
    assert largest_body(Settings()) < Settings().upload_megabytes << 20, "as nginx counts"
    nginx = (DEPLOY / "nginx" / "nginx.conf").read_text("utf-8")
    location = re.search(rf"location {UPLOADS} {{(.*?)}}", nginx, re.DOTALL)[1]
    assert f"client_max_body_size {largest};" in location
    assert re.findall(r"client_max_body_size (\S+);", nginx) == ["1k", largest]
    ingresses = [d for d in yaml.safe_load_all(KUBERNETES.read_text("utf-8")) if d["kind"] == "Ingress"]
    sizes = {
        d["spec"]["rules"][0]["http"]["paths"][0]["path"]: d["metadata"]["annotations"].get(
            "nginx.ingress.kubernetes.io/proxy-body-size"
        )
        for d in ingresses
    }
    assert sizes == {ROOM: None, "/": "1k", UPLOADS.rstrip("/"): largest}


def test_hugging_face_space_runs_the_image_with_its_frame_and_proxy(tmp_path):
    settings = (DEPLOY / "huggingface" / "settings").read_text("utf-8")
    added = [line for line in settings.splitlines() if not line.startswith("#")]
    assert added == ["ENV ATTENTION_LAB_EMBED=https://huggingface.co ATTENTION_LAB_PROXIES=10.0.0.0/8"]
    (tmp_path / "Dockerfile").write_text((DEPLOY / "Dockerfile").read_text("utf-8") + settings)
    assert dockerfile(tmp_path / "Dockerfile")[0] == 0
    header = next(yaml.safe_load_all((DEPLOY / "huggingface" / "header.yaml").read_text("utf-8")))
    assert (header["sdk"], header["app_port"]) == ("docker", Settings().port)


def test_devcontainer_starts_the_app_and_forwards_its_port():
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text("utf-8"))
    assert container["postAttachCommand"].split()[:3] == ["python3", "lab.py", "open"]
    assert container["forwardPorts"] == [Settings().port]


def test_issue_forms_are_valid():
    folder = ROOT / ".github" / "ISSUE_TEMPLATE"
    config = folder / "config.yml"
    code, output = schema("github-issue-forms", *sorted({*folder.glob("*.yml")} - {config}))
    assert code == 0, output
    code, output = schema("github-issue-config", config)
    assert code == 0, output


def test_citation_is_valid_and_names_the_version_and_the_authors_of_the_licence():
    path = ROOT / "docs" / "CITATION.cff"
    assert schema("citation-file-format", path)[0] == 0
    citation = yaml.safe_load(path.read_text("utf-8"))
    assert citation["version"] == lab_version()
    (author,) = citation["authors"]
    assert f" {author['name']}\n" in (ROOT / "LICENSE").read_text("utf-8")
