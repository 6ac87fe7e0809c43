"""A small map of a transformer block that marks what a page is about."""

import streamlit as st

from attention_lab import course
from attention_lab import text as prose
from attention_lab.root import ROOT

from . import page_links
from .session import Page

STEPS = ("embedding", "position", "attention", "add", "norm", "feed_forward", "next_token")
HALVES = ("norm_today", "attention_today", "add", "norm_today", "feed_forward_today", "add")
TODAY = ("embedding", *HALVES, "next_token")
ROWS = {"then": STEPS, "today": TODAY}
EXPLAINED_BY = {
    "embedding": "embeddings",
    "position": "position",
    "attention": "self_attention",
    "add": "values",
    "next_token": "trained_model",
    "norm_today": "modern_model",
    "attention_today": "modern_model",
    "feed_forward_today": "modern_model",
}
HERE = {  # the steps that a page is about
    "queries_keys": {"attention"},
    "values": {"attention", "add"},
    "self_attention": {"attention", "add"},
    "masking": {"attention"},
    "position": {"position", "attention_today"},
    "multi_head": {"attention", "add"},
    "cross_attention": {"attention"},
    "scale": {"attention", "feed_forward"},
    "train_a_head": {"attention", "next_token"},
    "trained_model": set(STEPS) - {"norm", "feed_forward"},  # it has neither
    "misleading": {"attention", "next_token"},
    "real_model": {"attention"},
    "generating": {"attention", "next_token"},
    "modern_model": {"norm_today", "attention_today", "feed_forward_today"},
    "long_texts": {"attention"},
}


def block_map(page: Page) -> None:
    """Draw the steps of 2017's block and of today's in a row each, this page's marked; then one sentence.

    A page that is not part of the block has no map.
    """
    if page.name not in HERE:
        return
    text = prose.read("block_map")
    pages = {link.page: link for link in course.page_links(ROOT / "pages")}
    with st.container(key="block_map"):
        for row, steps in ROWS.items():
            with st.container(horizontal=True, vertical_alignment="center", key=f"block_steps_{row}"):
                st.badge(text[f"rows/{row}"], color="gray", help=text[f"help/{row}"])
                for step in steps:
                    _step(page, step, pages.get(EXPLAINED_BY.get(step, "")))
        st.caption(text[f"pages/{page.name}"])


def _step(page: Page, step: str, explained: course.PageLink | None) -> None:
    """One step: in bold on a ground where the page is about it, else a link to the page that explains it."""
    text = prose.read("block_map")
    name, about = text[f"steps/{step}"], {"help": text[f"help/{step}"]}
    if {step, step.removesuffix("_today")} & HERE[page.name]:
        st.badge(f"**{name}**", color="primary", **about)
    elif explained is None or explained.page == page.name:
        st.badge(name, color="gray", **about)
    else:
        page_links.link(explained, name, width="content", **about)
