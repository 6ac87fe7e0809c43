"""For every test: no deadline on a busy machine, the longest first, and in CI nothing is skipped."""

import logging
import os
import signal

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

os.environ["ATTENTION_LAB_MODEL"] = "none"  # whatever is installed: a test that needs a model names it

# The same examples whenever the same tests run.
settings.register_profile("lab", deadline=None, derandomize=True)
settings.load_profile("lab")


def fail_if_skipped(report):
    """Turn a skip into a failure where CI is set: a test nobody runs guards nothing."""
    if os.environ.get("CI") and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"In CI no test may be skipped, and this one was: {reason}"
    return report


def pytest_configure():
    """Let Ctrl+C stop what tests start: a command that a shell runs in the background ignores it.

    Keep Streamlit's warning that no page is running, of which it says that it can be ignored, out of reports.
    """
    logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").disabled = True
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport():
    return fail_if_skipped((yield))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report():
    return fail_if_skipped((yield))


def pytest_sessionstart(session):
    """Print a row of dots for all processes, as xdist wants; pytest-instafail begins a line for each file."""
    if session.config.getoption("numprocesses", None):
        session.config.pluginmanager.get_plugin("terminalreporter").showfspath = False


ORDER = ["browser", "server", "pages"]  # the longest first, and whatever is not named here fills the end
SPLIT = "test_every_page.py"  # long enough to go to every process, test by test


def pytest_collection_modifyitems(items):
    """Long tests first. Browser tests stay together: each process starts Chromium and a server once."""

    def rank(item):
        folder = item.path.parent.name
        return ORDER.index(folder) if folder in ORDER else len(ORDER), not item.path.match(SPLIT)

    items.sort(key=rank)


class InOrder(LoadScopeScheduling):
    """Give each process the next file once it has done with one, and write down which process got which.

    xdist's own groups do not: from pytest 9.2 on, xdist 3.8 ignores them.
    """

    def __init__(self, config, log):
        config.option.loadscopereorder = False
        super().__init__(config, log)
        self.record = config.rootpath / "out" / "order.txt"
        self.record.parent.mkdir(exist_ok=True)
        self.record.write_text("", encoding="utf-8")

    def _assign_work_unit(self, node):
        with self.record.open("a", encoding="utf-8") as record:
            print(node.gateway.id, next(iter(self.workqueue)), file=record)
        super()._assign_work_unit(node)

    def _split_scope(self, nodeid):
        return nodeid.split("[")[0] if f"/{SPLIT}::" in nodeid else nodeid.split("::")[0]


def pytest_xdist_make_scheduler(config, log):
    return InOrder(config, log)
