"""The style of the words on screen: plain English, one term for one thing, short sentences.

Each pattern below names a wording that is not used, and the better one. A match that is right as it stands goes
into `ALLOWED`, with the reason. Sections named ``author_notes`` are for authors and are not checked.
"""

import re

from attention_lab import text as prose

FILES = sorted((prose.HERE / prose.ENGLISH).glob("*.md"))
MOST_WORDS = 25  # in a sentence
LONGEST_HINT = 125  # characters
NOT_FOR_LEARNERS = ("author_notes", "little_words", "texts", "openings")  # for authors, or what a model reads

BETTER = {  # what is not said, as a pattern: what is said instead
    r"\bshares? (?:of|to|for|on|in|goes?|is|are|adds?|sums?|falls?|rises?|left)\b": "weight or probability",
    r"\b(?:its|their|the|a|each|whose|no|largest|greatest|equal|same|of) shares?\b": "weight, probability",
    r"\bwhom\b": "which word",
    r"\b(?:for|in) whoever\b": "for everyone who",
    r"\bexchang(?:e|es|ed|ing)\b": "swap, replace",
    r"\bright answers\b": "accuracy (a measure), correct answers",
    r"\b(?:model|head|heads|network|layer|encoder|decoder|it|they) (?:says?|said|answers|answered)\b": "predicts",
    r"\bscore for an answer\b": "logit",
    r"\bplaces? to rest\b|\brests? (?:on|at|there|somewhere)\b": "attention sink",
    r"\banew\b": "again",
    r"\bin earnest\b": "real",
    r"\bupon\b": "on",
    r"\bof (?:its|their|one[’']s|his|her) own\b": "its own, their own",
    r"\bhanded? over\b|\bhands over\b|\bhanding over\b": "supply, contribute",
    r"\b(?:switched|taken|takes?|taking) out\b": "ablate",
    r"\btrying it out\b|\btrials?\b": "intervention",
    r"\bfiller\b": "padding",
    r"(?<!convex )\bhull\b": "convex hull",
    r"\bturned by\b|\bturned (?:queries|keys)\b": "rotated",
    r"\bkey/value groups\b": "grouped-query attention (GQA)",
    r"\bjoined (?:contexts|heads)\b": "concatenated head outputs",
    r"\bline of chance\b": "chance level",
    r"\bslopes?\b": "gradient",
    r"\b(?:force on|pushes? (?:on|against)|pushed (?:by|from))\b": "negative gradient",
    r"\bevenly spread\b|\b(?:flat|even) (?:pattern|row|weights)\b|\bflat\b": "uniform",
    r"\b(?:first|second|1st|2nd|3rd|4th) number\b|\bnumbers of a vector\b": "component, dimension",
    r"\b(?:its|this|each|every|which|same) places? (?:in|of) (?:the|a) (?:sentence|text)\b": "position",
    r"\btake(?:n|s)? away\b|\btake-away\b": "export; share",
    r"\ba class in one room\b": "live classroom",
    r"\bon the wall\b": "show join code; presentation mode",
    r"\blearned at step\b": "reaches 99% accuracy at step",
    r"\breveal what is right\b": "reveal answer",
    r"\b(?:is|are|was|were) (?:told|tried|given back|asked for)\b": "active: it appears after you predict",
    r"\bby lot\b|\bnobody looks\b|\bgives? way\b": "a common word",
    r"\b(?:thereby|therein|thereof|whereby|whereof|wherein|hence|lest|whilst|hereby)\b": "a common word",
    r"\b(?:drawn|shown|told|asked|given) (?:are|is)\b": "no inversion: Show",
    r"\b(?:if|when|as|that|what|where|which|than|until|while|once) one (?:can|may|might|must|should|could|cannot|"
    r"would|takes|sees|asks|wants|needs|gains|looks|thinks|reads|changes|has|is|knows|finds|does|moves)\b": "you",
    r"\bone (?:may|might|must|should|could|sees|wants|would)\b|\bone[’']s own\b|\boneself\b": "you",
    r"!(?!=)": "no exclamation marks",
    r"(?:[\d}])[\s\u00a0]%": "80% without a space",
    r"(?<=[A-Za-z*}])'(?=[A-Za-z])|(?<=s)'(?=\s)": "’, a typographic apostrophe",
    r'"': "“ ” , typographic quotation marks",
}
ALLOWED = {  # (file, what is matched): why it is right
    ("self_attention", "that one cannot"): "“what two layers can do that one cannot”: one is one layer",
    ("test", "if one"): "“if one fails”: one is one head",
}
CODE_OR_FORMULA = re.compile(
    r"`[^`]*`|\$\$.*?\$\$|\$[^$\n]*\$|\]\([^)]*\)|\[|:material/\w+:|:\w+\[|<[^>]+>", re.DOTALL
)


def sections():
    """The sections that learners or teachers read, without code and formulas: file, name, text."""
    for file in FILES:
        for name, text in prose.read(file.stem).items():
            if name.split("/")[0] not in NOT_FOR_LEARNERS and not re.fullmatch(r"[\w./=&-]*", text):
                yield file.stem, name, re.sub(r"\{\w+\}", "{}", CODE_OR_FORMULA.sub(" ", text))


def worse(text):
    """What a text says that has a better wording: the match, and the better."""
    for pattern, better in BETTER.items():
        yield from ((match[0], better) for match in re.finditer(pattern, text, re.IGNORECASE))


def sentences(text):
    """The sentences of a section; a line, such as one of a list, ends one."""
    for line in text.splitlines():
        yield from re.split(r"(?<=[.?!…])[*_“”’)]*\s+", line.strip(" -*#|"))


def words_in(sentence):
    """How many words a sentence has; a placeholder is one."""
    return len([word for word in sentence.split() if re.search(r"[^\W_]|\{\}", word)])


def test_no_word_is_used_that_has_a_better_one():
    assert [
        f"{file}, {name}: {wording!r} → {better}"
        for file, name, text in sections()
        for wording, better in worse(text)
        if not any(file == where and wording.casefold() in what.casefold() for where, what in ALLOWED)
    ] == []


def test_a_sentence_has_at_most_25_words():
    assert [
        f"{file}, {name}: {words_in(sentence)} words: {sentence}"
        for file, name, text in sections()
        for sentence in sentences(text)
        if name != "source" and words_in(sentence) > MOST_WORDS  # a list of titles is no sentence
    ] == []


def test_a_hint_fits_beside_its_number():
    """On a second line it would move what lies below away from under the pointer."""
    assert [
        f"{file}, {name}: {len(text)} characters"
        for file, name, text in sections()
        if name.startswith("hints/") and len(text) > LONGEST_HINT
    ] == []


def test_the_patterns_find_what_they_are_for():
    for text in (
        "Its share of attention is 0.2.",
        "Once one sees it, drag.",
        "80 % of it",
        "the head {}'s key",
        "Look!",
    ):
        assert [*worse(text)], text
    for text in ("They share one matrix.", "If one head attends, drag.", "80% of it", "apple’s key", "x != y"):
        assert not [*worse(text)], text


def test_a_sentence_is_counted_as_a_reader_would():
    one, two = sentences("Drag *phone* towards {word}. The weight of **apple** grows, and so on.")
    assert (words_in(one), words_in(two)) == (4, 8)
