"""A small map of a transformer block that marks what a page is about."""

import streamlit as st

from attention_lab import course
from attention_lab import text as prose
from attention_lab.root import ROOT

from . import page_links
from .session import Page

STEPS = ("embedding", "position", "attention", "add", "norm", "feed_forward", "next_token")
EXPLAINED_BY = {
    "embedding": "embeddings",
    "position": "position",
    "attention": "self_attention",
    "add": "values",
    "next_token": "trained_model",
}
HERE = {  # the steps that a page is about
    "queries_keys": {"attention"},
    "values": {"attention", "add"},
    "self_attention": {"attention", "add"},
    "masking": {"attention"},
    "position": {"position"},
    "multi_head": {"attention", "add"},
    "cross_attention": {"attention"},
    "scale": {"attention", "feed_forward"},
    "train_a_head": {"attention", "next_token"},
    "trained_model": set(STEPS) - {"norm", "feed_forward"},  # it has neither
    "misleading": {"attention", "next_token"},
    "real_model": {"attention"},
    "generating": {"attention", "next_token"},
    "modern_model": {"attention", "norm", "feed_forward"},
    "long_texts": {"attention"},
}


def block_map(page: Page) -> None:
    """Draw the steps of a block in a row, those of this page marked and the others as links; then one sentence.

    A page that is not part of the block has no map.
    """
    if page.name not in HERE:
        return
    text = prose.read("block_map")
    pages = {link.page: link for link in course.page_links(ROOT / "pages")}
    with st.container(key="block_map"):
        with st.container(horizontal=True, gap="small", vertical_alignment="center", key="block_steps"):
            for step in STEPS:
                name, explained = text[f"steps/{step}"], pages.get(EXPLAINED_BY.get(step, ""))
                if step in HERE[page.name]:
                    st.badge(name, color="primary", help=text[f"help/{step}"])
                elif explained is None or explained.page == page.name:
                    st.badge(name, color="gray", help=text[f"help/{step}"])
                else:
                    page_links.link(explained, name, help=text[f"help/{step}"], width="content")
        st.caption(text[f"pages/{page.name}"])
