"""A real model: folds that a goal opens, pixels of patterns."""

import io

import numpy as np
from PIL import Image
from playwright.sync_api import expect

from attention_core import load_gallery

DEPTHS = [0.06, 0.2, 0.4, 0.6, 0.8, 1]  # of a pattern's colour


def test_a_goal_opens_the_fold_that_it_needs_and_the_slider_names_the_pair_of_a_link(open_file):
    for goal, fold in [
        ("half", "One head in detail"),
        ("together", "One word, several senses"),
        ("noun", "What does “it” refer to?"),
    ]:
        page = open_file(f"real_model?goal={goal}&word=paid&other=bank")
        expect(page.locator("details.fold[open] > summary")).to_have_text([fold])
        expect(page.locator(".slider .line").first).to_contain_text("Raise the score “paid” → “bank”")


def test_cells_of_a_pattern_are_as_dark_as_their_weights(open_file):
    page = open_file("real_model?text=bank_money", height=2000)
    page.locator(".head-grid .grid").evaluate("grid => grid.style.setProperty('--heads', 3)")
    for head in (2, 3, 5):  # large enough now to tell cells apart
        weights = load_gallery().runs["bank_money"].weights[0, head - 1]
        n, depth = len(weights), np.digitize(weights, 0.6 * np.array(DEPTHS))
        pixels = page.locator(f"[data-handle='head 1.{head}'] .pattern").screenshot()
        picture = Image.open(io.BytesIO(pixels)).convert("L").resize((16 * n, 16 * n))
        cells = 255 - np.asarray(picture, float).reshape(n, 16, n, 16)[:, 4:12, :, 4:12].mean(axis=(1, 3))
        found = [cells[depth == k] for k in np.unique(depth)]
        assert max(np.ptp(same) for same in found) < 4
        assert (np.diff([same.mean() for same in found]) > 8).all()
