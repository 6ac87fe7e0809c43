"""What holds for every test: no deadline on a busy machine, and in CI nothing is skipped."""

import os

import pytest
from hypothesis import settings

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
