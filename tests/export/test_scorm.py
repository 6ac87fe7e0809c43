"""A link as a package for a learning platform."""

import io
import zipfile
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from attention_lab.export import scorm

LINK = "https://lab.example.org/similarity?word=phone&embed=true"


def files(*arguments):
    with zipfile.ZipFile(io.BytesIO(scorm.package(*arguments))) as read:
        return {name: read.read(name).decode() for name in read.namelist()}


# XML has no control characters, surrogates, U+FFFE and U+FFFF.
@given(st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), min_size=1))
def test_the_manifest_names_a_file_that_is_there_whatever_the_title_is(title):
    inside = files(title, LINK, "Open")
    manifest = ElementTree.fromstring(inside["imsmanifest.xml"])
    names = {"": "http://www.imsproject.org/xsd/imscp_rootv1p1p2"}
    assert manifest.find(".//item/title", names).text == title
    assert manifest.find(".//resource", names).get("href") in inside
