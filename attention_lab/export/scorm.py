"""A link as a SCORM 1.2 package, which every learning platform can import as an activity.

The package holds no content: it opens the link in a frame and tells the platform that it was opened. Source:
*SCORM 1.2 Content Aggregation Model* and *Run-Time Environment*, Advanced Distributed Learning (2001).
"""

import hashlib
import io
import zipfile
from html import escape

MANIFEST = """<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="attention-lab-{id}" version="1.0"
  xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2">
  <metadata><schema>ADL SCORM</schema><schemaversion>1.2</schemaversion></metadata>
  <organizations default="course">
    <organization identifier="course">
      <title>{title}</title>
      <item identifier="page" identifierref="start"><title>{title}</title></item>
    </organization>
  </organizations>
  <resources>
    <resource identifier="start" type="webcontent" adlcp:scormtype="sco" href="index.html">
      <file href="index.html"/>
    </resource>
  </resources>
</manifest>
"""
# The platform's API is an object of a window around this one, or around one that opened this window or the one at
# the top; a window of another origin may not be read.
PAGE = """<!doctype html>
<html lang="{language}" dir="{direction}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
html, body {{ height: 100%; margin: 0; font: 1rem sans-serif }}
body {{ display: flex; flex-direction: column }}
p {{ margin: .5rem 1rem }}
iframe {{ flex: 1; border: 0 }}
</style>
<p><a href="{link}" target="_blank" rel="noopener">{new_tab}</a></p>
<iframe src="{link}" title="{title}" allow="clipboard-write; fullscreen"></iframe>
<script>
const around = window => {{
  try {{
    return window.API ?? (window.parent === window ? null : around(window.parent));
  }} catch {{
    return null;
  }}
}};
const api = around(window) ?? around(window.opener) ?? around(top.opener);
if (api) {{
  api.LMSInitialize('');
  if (api.LMSGetValue('cmi.core.lesson_status') !== 'completed') {{
    api.LMSSetValue('cmi.core.lesson_status', 'completed');
    api.LMSCommit('');
  }}
  addEventListener('pagehide', () => api.LMSFinish(''), {{ once: true }});
}}
</script>
</html>
"""


def package(title: str, link: str, new_tab: str, language: str = "en", direction: str = "ltr") -> bytes:
    """Return a zip file that opens `link`. `new_tab` labels the link that opens it beside the platform."""
    texts = {"title": escape(title), "link": escape(link), "new_tab": escape(new_tab)}
    id = hashlib.sha256(link.encode()).hexdigest()[:12]
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as written:
        written.writestr("imsmanifest.xml", MANIFEST.format(id=id, **texts))
        written.writestr("index.html", PAGE.format(language=language, direction=direction, **texts))
    return file.getvalue()
