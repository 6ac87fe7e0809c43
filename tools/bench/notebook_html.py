"""Make one viewer's HTML of given weights: a program of its own, since viewers have environments of theirs.

    python notebook_html.py VIEWER weights.npy result.html MEMORY

prints the seconds. The weights are (layers, heads, n, n); with more than `MEMORY` bytes it ends as *no memory*.
"""

import importlib
import resource
import sys
import time
from pathlib import Path

import numpy as np


def ours(weights, tokens):
    return importlib.import_module("attention_lab").show(weights, tokens)._repr_html_()


def bertviz(view):
    def html_of(weights, tokens):
        import torch

        layers = [torch.from_numpy(layer)[None] for layer in weights]
        return getattr(importlib.import_module("bertviz"), view)(layers, tokens, html_action="return").data

    return html_of


def circuitsvis(weights, tokens):
    from circuitsvis.attention import attention_heads

    (layer,) = weights
    return attention_heads(layer, tokens).local_src


def inspectus(weights, tokens):
    import IPython.display

    shown = []
    IPython.display.display = lambda html: shown.append(html.data)
    importlib.import_module("inspectus").attention(weights, tokens)
    return "\n".join(shown)


def attnview(weights, tokens):
    from attnview import AttentionStudy, render_html

    cache = {f"blocks.{number}.attn.hook_pattern": layer for number, layer in enumerate(weights)}
    return render_html(AttentionStudy.from_cache(cache, tokens=tokens))


VIEWERS = {
    "ours": ours,
    "ours, one layer": ours,
    "BertViz, head view": bertviz("head_view"),
    "BertViz, model view": bertviz("model_view"),
    "CircuitsVis, one layer": circuitsvis,
    "Inspectus": inspectus,
    "attnview": attnview,
}


def main() -> None:
    viewer, source, target, memory = sys.argv[1:]
    make, weights = VIEWERS[viewer], np.load(source)
    if viewer.endswith("one layer"):
        weights = weights[:1]
    tokens = [f"token{number}" for number in range(weights.shape[-1])]
    make(np.ascontiguousarray(weights[..., :2, :2]), tokens[:2])  # imports what it needs
    resource.setrlimit(resource.RLIMIT_DATA, (int(memory),) * 2)
    try:
        began = time.perf_counter()
        html = make(weights, tokens)
        print(time.perf_counter() - began)
        Path(target).write_text(html, encoding="utf-8")
    except MemoryError:
        sys.exit("no memory")


if __name__ == "__main__":
    main()
