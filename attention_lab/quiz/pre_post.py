"""The questions that a class answers before the course and again after it.

They are the same both times. Two parallel forms would have to be equally hard, and only data could show that.
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


TEST_ITEMS = (
    TestItem("context", "embeddings", ("replaced", "moved", "chosen", "unchanged"), "moved"),
    TestItem("length_or_angle", "similarity", ("b_both", "c_both", "b_dot", "c_dot"), "b_dot"),
    TestItem("score_zero", "softmax", ("nothing", "equal", "undefined", "small"), "small"),
    TestItem("who_decides", "queries_keys", ("query_key", "embeddings", "distance", "training"), "query_key"),
    TestItem("mixture", "values", ("largest", "plain_mean", "weighted_mean", "concatenated"), "weighted_mean"),
    TestItem("causal", "masking", ("all", "before_and_itself", "after", "before"), "before_and_itself"),
    TestItem("why_positions", "position", ("far_words", "speed", "length", "order"), "order"),
    TestItem("why_heads", "multi_head", ("several_at_once", "split_words", "vote", "backup"), "several_at_once"),
    TestItem("two_runs", "train_a_head", ("must_agree", "nearly", "may_differ", "one_is_wrong"), "may_differ"),
    TestItem("heatmap", "misleading", ("caused", "nothing_yet", "reason_90", "removes"), "nothing_yet"),
    TestItem("two_answers", "generating", ("learned", "looked_up", "drawn", "thought"), "drawn"),
    TestItem("long_text", "long_texts", ("piecewise", "drops", "summary", "near"), "piecewise"),
)
