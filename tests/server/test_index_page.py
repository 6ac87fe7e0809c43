"""The page that the browser opens says where the app is; every other answer passes as it is."""

import asyncio
import gzip
import re

from attention_lab import fonts, streamlit_internals
from attention_lab.figure.browser_code import library
from attention_lab.server.index_page import IndexPage
from attention_lab.server.static_files import preview
from attention_lab.widgets import first_style

BROWSER = [(b"accept", b"text/html,*/*"), (b"accept-encoding", b"gzip, br"), (b"if-none-match", b'"a"')]
PAGE = b"<html><head><title>t</title></head><body>b</body></html>"
FACES = fonts.faces("en", "./static/lab/{}".format)
STYLE = f"<body>\n<style>{FACES}{first_style.style()}</style>b".encode()
LIBRARY = f'<link rel="modulepreload" href="./static/lab/{library().file}">'
LINE = f"<head><script>{streamlit_internals.ROOT_SCRIPT}</script>{LIBRARY}<title>".encode()


def answered(
    headers, *, method="GET", status=200, kind="text/html", parts=(PAGE[:10], PAGE[10:]), path="/nowhere"
):
    """Return headers and body of what comes of such an answer, and the headers that the app was asked with."""
    asked, sent = [], []

    async def app(scope, receive, send):
        asked.extend(scope["headers"])
        described = [(b"content-type", kind.encode()), (b"etag", b'"a"'), (b"content-length", b"42")]
        await send({"type": "http.response.start", "status": status, "headers": described})
        for number, part in enumerate(parts, 1):
            await send({"type": "http.response.body", "body": part, "more_body": number < len(parts)})

    async def take(message):
        sent.append(message)

    scope = {"type": "http", "method": method, "headers": headers, "path": path, "query_string": b"a=%20"}
    asyncio.run(IndexPage(app)(scope, None, take))
    return dict(sent[0]["headers"]), b"".join(each["body"] for each in sent[1:]), asked


def test_page_says_where_the_app_is_and_carries_the_first_style_and_library():
    for zipped in (True, False):
        headers, body, asked = answered(BROWSER if zipped else BROWSER[:1])
        assert headers[b"content-length"] == str(len(body)).encode()
        assert (headers.get(b"content-encoding") == b"gzip") == zipped
        assert (headers[b"cache-control"], headers[b"etag"] != b'"a"') == (b"no-cache", True)
        assert asked == BROWSER[:1], "the app answers with the whole page, uncompressed"
        page = re.sub(rb'<link [^>]*as="font"[^>]*>', b"", gzip.decompress(body) if zipped else body)
        assert LINE in page
        assert STYLE in page
        assert page.replace(LINE, b"<head><title>").replace(STYLE, b"<body>b") == PAGE


def test_other_answers_pass_as_they_are():
    html = BROWSER[:1]
    answers = [
        ([(b"accept", b"*/*")], {}),
        ([], {}),
        (html, {"method": "HEAD", "parts": (b"",)}),
        (html, {"kind": "image/png"}),
        (html, {"status": 503}),
    ]
    for headers, how in answers:
        found, body, _ = answered(headers, **how)
        assert found[b"etag"] == b'"a"', how
        assert body == b"".join(how.get("parts", [PAGE]))


def test_an_address_with_a_capital_or_a_stop_behind_it_leads_to_its_page():
    for path, leads in (("/Similarity", True), ("/similarity…)", True), ("/similarity", False), ("/x.", False)):
        assert (answered(BROWSER, path=path)[0].get(b"location") == b"similarity?a=%20") == leads


def test_a_link_to_a_page_has_a_title_a_sentence_and_a_picture_elsewhere():
    host = [(b"host", b"lab.example:8501"), (b"x-forwarded-proto", b"https")]
    page = answered([BROWSER[0], *host], path="/similarity")[1].decode()
    said = dict(re.findall(r'<meta property="og:(\w+)" content="([^"]*)">', page))
    assert said["title"].startswith("Similarity")
    assert said["description"].startswith("The dot product measures")
    assert said["image"] == f"https://lab.example:8501/static/lab/{preview()[0]}"
    forged = answered([BROWSER[0], (b"host", b'"><script>')], path="/similarity")[1]
    assert b'"><script>' not in forged.partition(b"</head>")[0]


def test_browser_that_has_the_page_is_not_sent_it_again():
    headers, _, _ = answered(BROWSER)
    asked = [*BROWSER[:2], (b"if-none-match", headers[b"etag"])]
    again, body, _ = answered(asked)
    assert (body, again[b"etag"]) == (b"", headers[b"etag"])
    assert b"content-encoding" not in again
    _, whole, _ = answered([BROWSER[0], asked[2]])
    assert gzip.compress(whole, 9, mtime=0) == answered(BROWSER)[1], "compressed is another page than plain"
