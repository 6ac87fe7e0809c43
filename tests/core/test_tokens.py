"""Tokenisers give the reference's numbers, from whichever file they are read."""

import json
import random
import string
import sys
from functools import partial
from pathlib import Path

import pytest
import tokenizers as library
from tokenizers import AddedToken, BertWordPieceTokenizer, Regex, Tokenizer, models, pre_tokenizers

from attention_core.models.byte_pairs import MOST_WORDS, RARE_BYTES, SIGN_OF_BYTE, BytePairs
from attention_core.models.chat import chat_text, has_chat_marks
from attention_core.models.folder import Folder
from attention_core.models.tokenizer_file import from_gguf, from_tokenizer_json
from attention_core.models.tokens import WordPiece
from tests.core.refusals import not_refused
from tools.training.gallery import shipped_folder

VOCABULARY = shipped_folder() / "vocab.txt"
COURSE = Path(__file__).parents[2] / "attention_lab" / "text"
SIGNS = string.printable + (
    "  ''''SſKäöüßÉñçøİıǅ—–“”’…«»€£°±×Ωжשع日本語한글🙂👩‍🚀²½Ⅷ٣"
    "\u0301\u00a0\u200b\u200d\u2028\u3000\x00\x1c\x1f\x85\ufffd"
)
PUBLISHED = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)  # Llama 3's
LLAMA3, QWEN2 = (Regex(PUBLISHED.replace("{1,3}", times)) for times in ("{1,3}", ""))
BY_REGEX, BYTES = (pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=regex) for regex in (True, False))
PRE = {
    "gpt-2": BY_REGEX,
    "smollm": pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), BY_REGEX]),
    "llama-bpe": pre_tokenizers.Sequence([pre_tokenizers.Split(LLAMA3, "isolated"), BYTES]),
    "qwen2": pre_tokenizers.Sequence([pre_tokenizers.Split(QWEN2, "isolated"), BYTES]),
}
MARKS = ["<|begin|>", "<|im", "<|im_start|>", "<|im_end|>"]


def texts():
    """Lines of the course in five languages and of this file, words, and random characters."""
    r = random.Random(7)
    words = "The animal didn't cross naïve café's I'LL they're it's 3.14 e-mail x2 12345 (maybe) zebra <|im_end|>"
    for language in ("en", "de", "es", "zh", "ar"):
        pages = [path.read_text(encoding="utf-8") for path in sorted((COURSE / language).glob("*.md"))]
        yield from r.sample("".join(pages).splitlines(keepends=True), 100)
    yield from Path(__file__).read_text().split("\n\n")
    for _ in range(250):
        yield "".join(r.choice(words.split()) + r.choice(["", " ", "  ", "!", "\n", "\r\n\t"]) for _ in range(12))
        yield "".join(r.choice(SIGNS) for _ in range(r.randint(0, 40)))


TEXTS = [*texts()]


@pytest.mark.parametrize("options", [(True,), (True, False), (False,), (False, True), (True, None, False)])
def test_word_pieces_are_those_of_the_reference(options):
    lower, accents, chinese = (*options, *(None, True)[len(options) - 1 :])
    reference = BertWordPieceTokenizer(
        str(VOCABULARY), lowercase=lower, strip_accents=accents, handle_chinese_chars=chinese
    )
    ours = WordPiece(VOCABULARY.read_text().splitlines(), *options)
    for text in TEXTS:
        expected = reference.encode(text)
        assert ours.encode(text) == (expected.ids, expected.tokens), text
    assert ours.encode("a [MASK].") == ([101, 1037, 103, 1012, 102], ["[CLS]", "a", "[MASK]", ".", "[SEP]"])
    assert ours.text(103) == "[MASK]"


def trained(split):
    """A tokeniser of the library; its last word no merge gives, and three tokens lie beyond its vocabulary."""
    new = Tokenizer(models.BPE())
    new.pre_tokenizer, new.decoder = PRE[split], library.decoders.ByteLevel()
    options = {"special_tokens": MARKS[:1], "initial_alphabet": BYTES.alphabet(), "show_progress": False}
    trainer = library.trainers.BpeTrainer(vocab_size=700, **options)
    new.train_from_iterator([text.replace("zebra", "") for text in TEXTS[::3]], trainer)
    content = json.loads(new.to_str())
    content["model"]["vocab"]["zebra"] = new.get_vocab_size()
    content["model"]["ignore_merges"] = split == "llama-bpe"
    new = Tokenizer.from_str(json.dumps(content))
    new.add_special_tokens(MARKS[1:])
    if split == "llama-bpe":
        begin = library.processors.TemplateProcessing(single="<|begin|> $A", special_tokens=[("<|begin|>", 0)])
        new.post_processor = library.processors.Sequence([library.processors.ByteLevel(), begin])
    if split == "qwen2":
        new.normalizer = library.normalizers.NFC()
    return new


def gguf_metadata(reference, split, **changes):
    names = sorted(reference.get_vocab(), key=reference.get_vocab().get)
    merges = [" ".join(pair) for pair in json.loads(reference.to_str())["model"]["merges"]]
    fields = {"model": "gpt2", "pre": split, "tokens": names, "merges": merges, "bos_token_id": 0}
    kinds = [3 if name in MARKS else 1 for name in names]
    return {f"tokenizer.ggml.{key}": value for key, value in (fields | {"token_type": kinds} | changes).items()}


def read(folder, reference, vocabulary=None):
    reference.save(str(folder / "tokenizer.json"))
    return from_tokenizer_json(Folder(folder), vocabulary or reference.get_vocab_size())


@pytest.mark.parametrize("split", PRE)
def test_byte_pairs_are_those_of_the_reference(tmp_path, split):
    reference = trained(split)
    ours, from_metadata = read(tmp_path, reference), from_gguf(gguf_metadata(reference, split))
    long = "苹果掉下来了zebra" * 150
    for text in [*TEXTS, long]:
        numbers, tokens = ours.encode(text)
        assert numbers == reference.encode(text).ids == from_metadata.encode(text)[0], text
        assert tokens == [ours.text(number) for number in numbers]
        assert [*ours._split(text)] == [text[slice(*span)] for _, span in PRE[split].pre_tokenize_str(text)]
        assert ours.decode(numbers) == reference.decode(numbers, skip_special_tokens=False)
    before = ours._merge_cached.cache_info().currsize
    ours.encode(long)
    assert ours._merge_cached.cache_info().currsize == before <= MOST_WORDS, "long words are not cached"
    assert ours.encode("𠀀\udc00")[1][-5:] == [r"\xf0", r"\xa0", r"\x80", r"\x80", "?"]
    assert has_chat_marks(ours)


def test_a_question_in_chatml():
    assert chat_text("Why?") == "<|im_start|>user\nWhy?<|im_end|>\n<|im_start|>assistant\n"
    assert chat_text("Why?", "Be brief.") == "<|im_start|>system\nBe brief.<|im_end|>\n" + chat_text("Why?")
    assert not has_chat_marks(WordPiece(["[UNK]", "[CLS]", "[SEP]"]))


def test_other_tokenisers_are_read_by_the_library(tmp_path, monkeypatch):
    spaces = Tokenizer(models.BPE({"<0x0A>": 0, "▁": 1, "a": 2, "▁a": 3}, [("▁", "a")], byte_fallback=True))
    spaces.pre_tokenizer = pre_tokenizers.Metaspace()
    assert read(tmp_path, spaces).encode("a a\n") == ([3, 3, 0], [" a", " a", "\n"])
    tokens = {"gpt-2": AddedToken("<x>", lstrip=True), "qwen2": AddedToken("<é>", normalized=True)}
    for split, token in tokens.items():
        reference = trained(split)
        reference.add_tokens([token])
        reference.enable_truncation(3)
        ours = read(tmp_path, reference)
        reference.no_truncation()
        for text in ["a  <x> b <e\u0301>", *TEXTS[::20]]:
            numbers = ours.encode(text)[0]
            assert numbers == reference.encode(text).ids
            assert ours.decode(numbers) == reference.decode(numbers, skip_special_tokens=False)
    assert not_refused([(partial(read, tmp_path, reference, 4), "has 705 tokens, and the model 4")]) == []
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    assert not_refused([(partial(read, tmp_path, reference), "install the package tokenizers")]) == []


def test_a_damaged_tokeniser_is_refused_with_its_fault(tmp_path):
    reference = trained("llama-bpe")
    content = json.loads(reference.to_str())
    model, vocab = content["model"], content["model"]["vocab"]

    def changed(**changes):
        (tmp_path / "tokenizer.json").write_text(json.dumps(content | changes))
        from_tokenizer_json(Folder(tmp_path), 704)

    token = {"id": 709, "content": "<|x|>"}
    cases = [
        (partial(read, tmp_path, reference, 703), "has 704 tokens, and the model 703"),
        (partial(changed, added_tokens=[token]), "does not give each number from 0 on to one token"),
        (partial(changed, added_tokens=[token | {"content": "a"}]), "added_tokens do not agree"),
        (partial(changed, model=model | {"merges": ["a b c"]}), "must have two tokens in each merge"),
        (partial(changed, model=model | {"merges": [["z", "q"]]}), "no token for the pair"),
    ]
    for changes, message in (
        ({"model": "llama"}, "model 'llama' is unknown: it must be gpt2"),
        ({"pre": "default"}, "pre 'default' is unknown: it must be gpt-2 or"),
        ({"tokens": 5}, "tokens is missing"),
        ({"tokens": ["a", "a"]}, "tokens has a token twice"),
        ({"token_type": [1]}, "token_type has 1 values for 704 tokens"),
        ({"merges": None}, "merges is missing"),
        ({"tokens": [*"abcdefghi"]}, "token_type has 704 values for 9"),
        ({"bos_token_id": "0"}, "bos_token_id is missing, or of another type than int"),
        ({"bos_token_id": 704}, "bos_token_id 704 is not the number of a token"),
        ({"add_bos_token": 1}, "add_bos_token is missing, or of another type than bool"),
    ):
        metadata = gguf_metadata(reference, "llama-bpe", **changes)
        cases.append((partial(from_gguf, metadata), f"tokenizer.ggml.{message}"))
    rare = {sign: number for number, sign in enumerate(SIGN_OF_BYTE) if number not in RARE_BYTES}
    cases += [
        (partial(BytePairs(rare, []).encode, "a\x04"), r"no token for the character '\\x04'"),
        (partial(BytePairs, {"a": 0}, []), "no token for the byte 9"),
        (partial(BytePairs, vocab, [], split="bloom"), "the split 'bloom' is unknown: use one of gpt-2, smollm"),
        (partial(BytePairs(vocab, []).text, 999), "no token with the number 999"),
        (partial(WordPiece(["[UNK]", "[CLS]", "[SEP]"]).text, 3), "no token with the number 3"),
    ]
    assert not_refused(cases) == []
