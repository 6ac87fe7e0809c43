"""What the article on *money bank* prints, what is true instead, and where its scores may come from."""

from attention_core import load_example
from attention_lab.calculation import Results
from attention_lab.state import matrix
from attention_lab.state.state import State
from attention_lab.text.languages import by_language
from attention_lab.text.number_format import (
    format_fixed,
    format_near_zero,
    format_number,
    format_weight,
    in_formula,
    products,
)

from .calculation import ATTENTION, PRINTED, TEMPERATURE_OF_ARTICLE

FIFTY_SEVENTHS = 57


def in_words(state: State) -> str:
    """The article's numbers beside the true ones."""
    section = "money_bank_lesson" if state.example == "money_bank" else "river_bank"
    return state.text.filled(section, **worked(state.example))


def derivation(now: Results) -> list[str]:
    """The word of interest's query, the keys and the scores, as formulas, for the matrices as they are."""
    place, names = now.word, now.words

    def product(name: str, made: str, at: int) -> str:
        made_of = f"{matrix.tex(now.x[[at]])} \\, {matrix.tex(now[f'W_{name}'], FIFTY_SEVENTHS)}"
        return rf"{made}_{{\text{{{names[at]}}}}} = {made_of} = {matrix.tex(now[name][[at]], FIFTY_SEVENTHS)}"

    def score(at: int) -> str:
        pair = rf"q_{{\text{{{names[place]}}}}} \cdot k_{{\text{{{names[at]}}}}}"
        made = in_formula(products(now.query[place], now.key[at])).replace("×", r"\times ")
        return f"{pair} = {made} = {in_formula(format_near_zero(now.trace.scores[place, at]))}"

    keys = [product("key", "k", at) for at in range(len(names))]
    return [product("query", "q", place), *keys, *map(score, range(len(names)))]


@by_language(8)
def worked(name: str) -> dict[str, str]:
    """The numbers of a worked example, for its text: at temperature 1, and at the article's."""
    example = load_example(name)
    place = {word: place for place, word in enumerate(example.words)}
    inputs = {name: getattr(example, name) for name in ("W_query", "W_key", "W_value")}
    inputs |= {"vectors": example.embeddings, "ids": [*place.values()]}
    inputs |= {"over_root_d": example.W_query.shape[1] ** -0.5}
    cold = ATTENTION.run(inputs, {"temperature": 1.0})
    x, y = ATTENTION.run(inputs, {"temperature": TEMPERATURE_OF_ARTICLE}).trace.context[place["bank"]]
    scores, scaled = cold.trace.scores[place["bank"]], cold.scaled[place["bank"]]
    numbers = {"x": format_fixed(x), "y": format_fixed(y), "temperature": format_number(TEMPERATURE_OF_ARTICLE)}
    numbers["lead"] = format_number(scaled[place["bank"]] - scaled[0])
    said = zip(("money", "bank"), PRINTED["printed_scaled"], PRINTED["printed_weights"][0], strict=True)
    for word, printed, assumed in said:
        at = place.get(word, 0)  # river stands where money stood
        numbers |= {f"score_{word}": format_number(scores[at]), f"scaled_{word}": format_number(scaled[at])}
        numbers |= {f"printed_{word}": str(printed), f"assumed_{word}": str(assumed)}
        numbers[f"weight_{word}"] = format_weight(cold.trace.weights[place["bank"], at])
    return numbers
