"""The security headers of every answer, and the content policy under which every page works.

What the policy must allow, and why:

- ``blob:`` scripts: Streamlit turns a component's code into one. The code comes from this server only.
- ``'unsafe-inline'`` styles: Streamlit and the stage write their styles into the page.
- three inline scripts, by their hashes: a line of Streamlit's own page, and those that `index_page` adds.
- ``data:`` and ``blob:`` pictures: icons in styles, and the picture that is taken away.

No evaluation of text as code is allowed: Streamlit draws Vega charts with an interpreter.
"""

import base64
import hashlib

from attention_lab import streamlit_internals
from attention_lab.widgets import first_picture


def policy(embed: tuple[str, ...]) -> str:
    """The content policy; `embed` says who may show the app in a frame."""
    scripts = (*streamlit_internals.inline_scripts(), streamlit_internals.ROOT_SCRIPT, first_picture.START)
    hashes = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    rules = {
        "default-src": ["'none'"],
        "script-src": ["'self'", "blob:", *(f"'sha256-{each}'" for each in hashes)],
        "style-src": ["'self'", "'unsafe-inline'"],
        "img-src": ["'self'", "data:", "blob:"],
        "font-src": ["'self'", "data:"],
        "connect-src": ["'self'"],
        "manifest-src": ["'self'"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
        "frame-ancestors": list(embed),
    }
    return "; ".join(" ".join([rule, *sources]) for rule, sources in rules.items())


def headers(embed: tuple[str, ...]) -> dict[str, str]:
    """The headers that every answer carries."""
    return {
        "content-security-policy": policy(embed),
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",
        "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
    }
