"""ChatML, the form of a conversation that many models have learned: plain text; no template of a model is run."""

from attention_core.models.architecture import Tokeniser

START, END = "<|im_start|>", "<|im_end|>"


def has_chat_marks(tokeniser: Tokeniser) -> bool:
    """Whether both marks of ChatML are tokens of the vocabulary."""
    return all(mark in tokeniser.encode(mark)[1] for mark in (START, END))


def chat_text(question: str, system: str | None = None) -> str:
    """Return a question in ChatML, as a text that a model continues with its answer.

    It is plain text: marks in the question are marks, too. A model's own template may put a system prompt first.

    >>> chat_text("Why?")
    '<|im_start|>user\\nWhy?<|im_end|>\\n<|im_start|>assistant\\n'
    """
    parts = [("system", system)] if system is not None else []
    turns = [f"{START}{role}\n{text}{END}\n" for role, text in [*parts, ("user", question)]]
    return "".join(turns) + f"{START}assistant\n"
