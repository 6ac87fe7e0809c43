"""The hosted app: its process as `python -m attention_lab.server` starts it, on loopback ports of its own."""

import asyncio
import contextlib
import http.client
import json
import os
import re
import shutil
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from urllib.parse import urlsplit
from uuid import uuid4

from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME

from attention_lab.server.settings import PREFIX, option
from attention_lab.streamlit_internals import HEALTH, UPLOADS
from lab import ROOT, find_nginx
from tests.browser.harness import AppServer, free_port

PAGE = {"Accept": "text/html"}  # what a browser says when it asks for a page


def wait_until(holds: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until something holds, and fail where it never does."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.05)


async def until(holds: Callable[[], bool], seconds: float = 60) -> None:
    """Wait likewise, and let the event loop go on meanwhile."""
    async with asyncio.timeout(seconds):
        while not holds():
            await asyncio.sleep(0.02)


def ask(
    server: AppServer,
    path: str = "/",
    method: str = "GET",
    content: bytes | None = None,
    source: str = "127.0.0.1",
    **more: str,
) -> tuple[int, list, bytes]:
    """Ask, and return status, headers (names small, doubled ones twice) and body as it came."""
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=60, source_address=(source, 0))
    connection.request(method, path, content, headers={"Accept": "*/*"} | more)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, [(name.lower(), value) for name, value in answer.getheaders()], body


def as_form(content: bytes) -> bytes:
    """A file as a browser sends it."""
    kind = 'Content-Disposition: form-data; name="marker.npz"; filename="marker.npz"'
    return b"--b\r\n%b\r\n\r\n%b\r\n--b--\r\n" % (kind.encode(), content)


def upload_headers(server: AppServer) -> dict[str, str]:
    """The headers of an upload, with Streamlit's token against forged requests."""
    cookies = [value.partition(";")[0] for name, value in ask(server, HEALTH)[1] if name == "set-cookie"]
    cookie = next(each for each in cookies if each.startswith(XSRF_COOKIE_NAME))
    kind = "multipart/form-data; boundary=b"
    return {"Cookie": cookie, "X-Xsrftoken": cookie.partition("=")[2], "Content-Type": kind}


def upload_path(session: str) -> str:
    """A new address for a file of a session."""
    return f"{UPLOADS}{session}/{uuid4()}"


class Clock:
    """A clock that stands still until it is told."""

    now = 100.0

    def __call__(self):
        return self.now


class Host(AppServer):
    """The launcher's process. `settings` are the launcher's own; `environment` is added to the process's.

    Nothing is warmed up unless a test asks for it: that takes longer than most of them.
    """

    usual = MappingProxyType({"warm_up": 0})

    def __init__(self, *, port: int | None = None, environment: dict[str, str] | None = None, **settings):
        super().__init__(port)
        self.metrics_port = free_port()
        settings = {"port": self.port, "metrics": self.metrics_port} | self.usual | settings
        self.command = [sys.executable, "-m", "attention_lab.server"]
        for name, value in settings.items():
            self.command += [f"{option(name)}={value}"]
        kept = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
        self.environment = kept | (environment or {})

    def health(self) -> tuple[int, dict]:
        """Return the status and what /health says."""
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=5) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refused:
            return refused.code, json.load(refused)

    def healthy(self) -> bool:
        try:
            return self.health()[0] == 200
        except OSError:
            return False

    def metrics(self) -> dict[str, float]:
        """Return every metric by its name and labels, without the prefix."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=5) as answer:
            text = answer.read().decode()
        found = re.findall(r"^attention_lab_(\S+?(?:\{.*?\})?) (\S+)$", text, re.MULTILINE)
        return {name: float(value) for name, value in found}

    def lines(self) -> list[dict]:
        """Return what was logged; every line must be an object of JSON."""
        return [json.loads(line) for line in self.output().splitlines()]

    def faults(self) -> str:
        """Return the lines that say that something went wrong."""
        return "\n".join(json.dumps(line) for line in self.lines() if line["level"] in ("error", "critical"))

    def lines_from(self, logger: str) -> list[dict]:
        """Return what one logger has written."""
        return [line for line in self.lines() if line["from"] == logger]

    def memory(self) -> int:
        """Return the process's resident bytes."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return 1024 * int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])


# Run before a server's own code: writes down every connection that it tries to make.
WATCH = """
import sys, os
def watch(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname"):
        with open(os.environ["WATCH_FILE"], "a") as file:
            print(event, arguments[1:] if event.startswith("socket.c") else arguments, file=file)
sys.addaudithook(watch)
"""


def watch_connections(server: AppServer, folder: Path) -> Callable[[], list[str]]:
    """Let a server that is not started yet log its connections; return a function for those to other machines."""
    (folder / "sitecustomize.py").write_text(WATCH)
    file = folder / "connections.txt"
    file.touch()
    server.environment = (server.environment or os.environ) | {"PYTHONPATH": str(folder), "WATCH_FILE": str(file)}
    here = re.compile(r"'(127\.0\.0\.1|::1|localhost)'|\(None")
    return lambda: [line for line in file.read_text().splitlines() if not here.search(line)]


# What `python3 lab.py open` does once its environment is there.
OPEN = "import lab, sys; lab.environment = lambda command: sys.executable; sys.exit(lab.open_app(sys.argv[1:]))"


class Opened(AppServer):
    """The app as `python3 lab.py open` starts it, without opening a browser."""

    def __init__(self, port: int | None = None):
        super().__init__(port)
        options = self.command[self.command.index("app.py") + 1 :]
        self.command = [sys.executable, "-c", OPEN, *options]


class Nginx(AppServer):
    """nginx with the very configuration of deploy/nginx in front of hosts on this machine."""

    def __init__(self, folder: Path, hosts: list[Host]):
        super().__init__()
        self.hosts = hosts
        self.folder = folder / "nginx"
        shutil.copytree(ROOT / "deploy" / "nginx", self.folder)
        shutil.copy(ROOT / "attention_lab" / "server" / "wait.html", self.folder)
        conf = self.folder / "nginx.conf"  # with a cache of its own, where nothing of an earlier version lies
        conf.write_text(conf.read_text("utf-8").replace("/tmp/nginx_cache", f"{self.folder}/cache"), "utf-8")
        local = self.folder / "local"
        (local / "listen.conf").write_text(f"listen 127.0.0.1:{self.port} backlog=4096;\n")
        ports = [host.port for host in hosts] or [free_port()]  # one that nobody listens on
        (local / "replicas.conf").write_text("".join(f"server 127.0.0.1:{port} max_fails=0;\n" for port in ports))
        globals_ = f"pid {self.folder}/nginx.pid; daemon off;" + (" user root;" if os.getuid() == 0 else "")
        self.command = [find_nginx() or "nginx", "-p", str(self.folder), "-c", "nginx.conf", "-g", globals_]

    def healthy(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=2):
                return True
        except OSError:
            return False


@contextlib.contextmanager
def replicas(folder: Path, number: int, **settings):
    """Several hosts behind nginx; they start at the same time."""
    with contextlib.ExitStack() as running:
        hosts = [Host(**settings) for _ in range(number)]
        with ThreadPoolExecutor() as pool:
            for host in hosts:
                running.callback(host.stop)
            list(pool.map(Host.start, hosts))
        yield running.enter_context(Nginx(folder, hosts))
