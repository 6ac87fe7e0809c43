"""A learned translator says its French word by word; its weights are in the file beside this program."""

import numpy as np
import torch
from torch.nn.functional import layer_norm

# given
file = "aligned.npz"
words = ["the", "fluffy", "blue", "creature"]
source_words = [
    "a",
    "and",
    "beautiful",
    "big",
    "black",
    "blue",
    "book",
    "books",
    "cat",
    "cats",
    "creature",
    "creatures",
    "economic",
    "european",
    "fluffy",
    "forest",
    "forests",
    "garden",
    "gardens",
    "green",
    "house",
    "houses",
    "leave",
    "leaves",
    "like",
    "likes",
    "market",
    "markets",
    "my",
    "quiet",
    "robot",
    "robots",
    "round",
    "see",
    "sees",
    "small",
    "some",
    "table",
    "tables",
    "the",
    "zone",
    "zones",
]
target_words = [
    "<begin>",
    "<end>",
    "aime",
    "aiment",
    "beau",
    "beaux",
    "belle",
    "belles",
    "bleu",
    "bleue",
    "bleues",
    "bleus",
    "chat",
    "chats",
    "créature",
    "créatures",
    "des",
    "duveteuse",
    "duveteuses",
    "duveteux",
    "et",
    "européen",
    "européenne",
    "européennes",
    "européens",
    "forêt",
    "forêts",
    "grand",
    "grande",
    "grandes",
    "grands",
    "jardin",
    "jardins",
    "la",
    "le",
    "les",
    "livre",
    "livres",
    "ma",
    "maison",
    "maisons",
    "marché",
    "marchés",
    "mes",
    "mon",
    "noir",
    "noire",
    "noires",
    "noirs",
    "petit",
    "petite",
    "petites",
    "petits",
    "quitte",
    "quittent",
    "robot",
    "robots",
    "rond",
    "ronde",
    "rondes",
    "ronds",
    "table",
    "tables",
    "tranquille",
    "tranquilles",
    "un",
    "une",
    "vert",
    "verte",
    "vertes",
    "verts",
    "voient",
    "voit",
    "zone",
    "zones",
    "économique",
    "économiques",
]
raw_values = True
heads_off = []
rows_by_hand = []
# end given


def read(place):
    """The arrays in a file, by their names."""
    with np.load(place) as numbers:
        return {name: torch.tensor(numbers[name]).double() for name in numbers.files if name != "record"}


try:
    weights_of = read(file)  # beside this program
except FileNotFoundError:
    weights_of = read(f"attention_core/models/shipped/{file}")  # where the course lies
by_hand = {(step, head): torch.tensor(gets).double() for step, head, gets in rows_by_hand}


def norm(name, x):
    """Every vector normed, then stretched and shifted as learned."""
    return layer_norm(x, x.shape[-1:], weights_of[f"{name}_scale"], weights_of[f"{name}_shift"])


def attend(part, asks, answers, gives, may=None, set_rows=False):
    """What every head adds, and where it looks."""
    W_query, W_key, W_value, W_output = (
        weights_of[f"{part}_W_{name}"] for name in ("query", "key", "value", "output")
    )
    query, key, value = asks @ W_query, answers @ W_key, gives @ W_value
    scores = query @ key.mT / query.shape[-1] ** 0.5
    weights = (scores if may is None else scores.masked_fill(~may, -torch.inf)).softmax(-1)
    for (step, head), gets in by_hand.items() if set_rows else ():
        if step < len(asks):
            weights[head, step] = gets / (gets.sum() or 1)
    return weights @ value @ W_output, weights


english = [source_words.index(word) for word in words]
raw = weights_of["source"][english]
x = raw + weights_of["source_positions"][: len(english)]
if "encoder_W_query" in weights_of:
    normed = norm("encoder", x)
    mixed = attend("encoder", normed, normed, normed)[0].sum(0)
    x = x + mixed if raw_values else mixed
keys = norm("memory", x)
values = norm("memory", raw) if raw_values else keys

french = [target_words.index("<begin>")]
while True:
    n = len(french)
    y = weights_of["target"][french] + weights_of["target_positions"][:n]
    normed = norm("decoder", y)
    y = y + attend("decoder", normed, normed, normed, torch.ones(n, n, dtype=torch.bool).tril())[0].sum(0)
    deltas, weights = attend("across", norm("across", y), keys, values, set_rows=True)
    y = y + sum((delta for head, delta in enumerate(deltas) if head not in heads_off), torch.zeros_like(y))
    logits = y[-1] @ weights_of["W_vocabulary"] + weights_of["bias"]
    chosen = int(logits.argmax())
    if target_words[chosen] == "<end>" or n == len(weights_of["target_positions"]):
        break
    french.append(chosen)

said = [target_words[number] for number in french[1:]]
for head, rows in enumerate(weights):
    for place, (asks, row) in enumerate(zip([*said, "(end)"], rows, strict=True), start=1):
        for word, weight in zip(words, row, strict=True):
            print("head", head + 1, "word", place, repr(asks), "looks at", repr(word), weight.item())
print("says", *said)
