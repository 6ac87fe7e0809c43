"""The README tells the truth."""

from tests import permalinks


def test_the_permalink_table_lists_every_setting_of_every_page():
    assert permalinks.stands() == permalinks.table(), "run `python -m tests.permalinks` to renew it"
