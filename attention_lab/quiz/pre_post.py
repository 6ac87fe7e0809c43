"""The ten questions that a class answers before the course and again after it.

They are the same ten both times. Two parallel forms would have to be equally hard, and only data could show that.
Right answers are shown to the teacher alone, so little is learned from the first time.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class TestItem:
    """A question, the page it is about, and its options by name in the order shown."""

    name: str
    page: str
    options: tuple[str, ...]
    right: str

    __test__ = False  # for pytest: nothing to be collected


def _item(name: str, page: str, options: tuple[str, ...], right: str) -> TestItem:
    return TestItem(name, page, options, right)


TEST_ITEMS = (
    _item("context", "embeddings", ("replaced", "moved", "chosen", "unchanged"), "moved"),
    _item("length_or_angle", "similarity", ("b_both", "c_both", "b_dot", "c_dot"), "b_dot"),
    _item("score_zero", "softmax", ("nothing", "equal", "undefined", "small"), "small"),
    _item("who_decides", "queries_keys", ("query_key", "embeddings", "distance", "training"), "query_key"),
    _item("mixture", "values", ("largest", "plain_mean", "weighted_mean", "concatenated"), "weighted_mean"),
    _item("causal", "masking", ("all", "before_and_itself", "after", "before"), "before_and_itself"),
    _item("why_positions", "position", ("far_words", "speed", "length", "order"), "order"),
    _item("why_heads", "multi_head", ("several_at_once", "split_words", "vote", "backup"), "several_at_once"),
    _item("two_runs", "train_a_head", ("must_agree", "nearly", "may_differ", "one_is_wrong"), "may_differ"),
    _item("heatmap", "misleading", ("caused", "nothing_yet", "reason_90", "removes"), "nothing_yet"),
)
