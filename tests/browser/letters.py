"""The letters that a page shows: how large they are drawn, and the contrast of their ink (WCAG 2.2, 1.4.3)."""

import io
from pathlib import Path

import numpy as np
from PIL import Image

FIND = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
LARGE, LARGE_BOLD = 24, 18.66  # px, that is 18 and 14 points
TRIM = 0.25  # of a line's height above and below, where letters seldom reach
TALLEST = 8000  # px
TRIES = 5
# What stands behind the letters: all is drawn but they.
ROOTS = """const roots = (root = document) => [root, ...[...root.querySelectorAll('*')]
    .flatMap(e => e.shadowRoot ? roots(e.shadowRoot) : [])];"""
HIDE = f"""() => {{ {ROOTS}
    for (const root of roots()) {{
        const style = document.createElement('style');
        style.className = 'without-letters';
        style.textContent = `text, tspan {{ fill: transparent !important; }} * {{ transition: none !important;
            color: transparent !important; -webkit-text-fill-color: transparent !important; }}`;
        (root.head ?? root).append(style);
    }}
}}"""
SHOW = f"""() => {{ {ROOTS}
    for (const root of roots()) root.querySelector('style.without-letters')?.remove();
}}"""


def lines(page):
    """Every line of letters in sight: its text, size in pixels, box, ink and halo."""
    return page.evaluate(FIND)


def luminance(colours):
    """The relative luminance of sRGB colours from 0 to 255, (…, 3)."""
    parts = np.asarray(colours, float) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]


def contrast(line, ground):
    """The contrast of a line's ink with what is drawn behind it, pixels (n, 3): the median."""
    ground = np.array([line["halo"][:3]]) if line["halo"] else ground
    *ink, opacity = line["ink"]
    a, b = luminance(opacity * np.array(ink) + (1 - opacity) * ground), luminance(ground)
    return float(np.median((np.maximum(a, b) + 0.05) / (np.minimum(a, b) + 0.05)))


def without_letters(page):
    """What a page draws, without its letters, (height, width, 3), and its letters while that was drawn."""
    for _ in range(TRIES):
        before = lines(page)
        page.evaluate(HIDE)
        drawn = page.screenshot()
        page.evaluate(SHOW)
        if before == lines(page):  # nothing was on its way
            break
    return np.asarray(Image.open(io.BytesIO(drawn)).convert("RGB")).astype(float), before


def pale(page):
    """Letters with too little contrast: text, element, contrast. The window is made as tall as the page."""
    tall = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    page.set_viewport_size({**page.viewport_size, "height": min(tall, TALLEST)})
    drawn, found = without_letters(page)
    faults = set()
    for line in found:
        left, top, right, bottom = line["box"]
        trim = TRIM * (bottom - top)
        rows = slice(max(0, round(top + trim)), round(bottom - trim) + 1)
        ground = drawn[rows, max(0, round(left)) : round(right) + 1].reshape(-1, 3)
        least = 3 if line["size"] >= (LARGE_BOLD if line["bold"] else LARGE) else 4.5
        if ground.size and (ratio := contrast(line, ground)) < least:
            faults.add((line["text"], line["of"], round(ratio, 2)))
    return sorted(faults)
