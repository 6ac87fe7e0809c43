"""For every test: no deadline on a busy machine, one browser at a time, and in CI nothing is skipped."""

import os

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

settings.register_profile("lab", deadline=None)
settings.load_profile("lab")


def fail_if_skipped(report):
    """Turn a skip into a failure where CI is set: a test nobody runs guards nothing."""
    if os.environ.get("CI") and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"In CI no test may be skipped, and this one was: {reason}"
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport():
    return fail_if_skipped((yield))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report():
    return fail_if_skipped((yield))


class OneBrowser(LoadScopeScheduling):
    """Give all browser tests to one process (Chromium and its server fill two cores), others file by file.

    xdist's own groups do not: from pytest 9.2 on, xdist 3.8 ignores them.
    """

    def _split_scope(self, nodeid):
        return "browser" if nodeid.startswith("tests/browser/") else nodeid.split("::")[0]


def pytest_xdist_make_scheduler(config, log):
    return OneBrowser(config, log)
