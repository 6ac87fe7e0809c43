"""The hosted app: its process as `python -m hosting` starts it, on loopback ports of its own."""

import json
import os
import re
import sys
import urllib.error
import urllib.request

from hosting.settings import PREFIX, option
from tests.browser.harness import AppServer, free_port


class Host(AppServer):
    """The launcher's process. `settings` are the launcher's own; `environment` is added to the process's."""

    def __init__(self, *, port: int | None = None, environment: dict[str, str] | None = None, **settings):
        super().__init__(port)
        self.metrics_port = free_port()
        settings = {"port": self.port, "metrics": self.metrics_port} | settings
        self.command = [sys.executable, "-m", "hosting"]
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
        """Return every measure by its name and labels, without the prefix."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=5) as answer:
            text = answer.read().decode()
        found = re.findall(r"^attention_lab_(\S+?(?:\{.*?\})?) (\S+)$", text, re.MULTILINE)
        return {name: float(value) for name, value in found}

    def lines(self) -> list[dict]:
        """Return what was logged; every line must be an object of JSON."""
        return [json.loads(line) for line in self.output().splitlines()]

    def memory(self) -> int:
        """Return the process's resident bytes."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return 1024 * int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])
