"""Whether real models look ahead: an encoder, and a GPT-2 where the app was given one."""

from functools import lru_cache

import numpy as np

from attention_core import PretrainedModel, PretrainedRun
from attention_lab import own_model
from attention_lab.figure import real_heads
from attention_lab.state.state import State
from attention_lab.text import listed
from attention_lab.text.labels import labels
from attention_lab.text.number_format import format_share

SENTENCE = "bank_money"


def ahead(weights: np.ndarray, end: int | None = None) -> float:
    """The part of all weight that goes to tokens further on, up to an `end`, of weights (heads, n, n)."""
    return float(np.triu(weights, 1)[..., :end].sum() / weights.sum())


@lru_cache(1)
def run_of_decoder(model: PretrainedModel) -> PretrainedRun | None:
    """What a model does with the sentence, where it can read it."""
    try:
        return model.run(real_heads.run(SENTENCE).text)
    except ValueError:  # too long for it
        return None


def both_ways(state: State) -> real_heads.FoldContent:
    """The mean pattern of a layer's heads: of the encoder, and beside it of the decoder."""
    run, layer, text = real_heads.run(SENTENCE), int(state.real_layer) - 1, state.text
    mean = run.weights[layer].mean(axis=0).astype(float)
    constants = {"words": labels(run.tokens), "encoder": mean}
    columns = [real_heads.pattern(state, "encoder", text["real/encoder"])]
    every = [format_share(ahead(np.asarray(each, dtype=float))) for each in run.weights]
    told = {
        "text": run.text,
        "layer": state.real_layer,
        "ahead": every[layer],
        "every": listed(every),
        "words": format_share(ahead(run.weights[layer].astype(float), -1)),  # but for [SEP], the last token
        "decoder": text["real/none"],
    }
    model = own_model.read().model
    if model is not None and model.kind.causal and (other := run_of_decoder(model)):
        weights = np.stack([trace.weights for trace in other.layers]).astype(float)
        at = min(layer, len(weights) - 1)
        constants |= {
            "decoder_words": labels(other.tokens),
            "decoder": weights[at].mean(axis=0),
        }
        title = text.filled("real/decoder", name=model.name)
        columns.append(real_heads.pattern(state, "decoder", title, words="decoder_words"))
        told["decoder"] = text.filled("real/there", name=model.name, ahead=format_share(ahead(weights)))
    return real_heads.FoldContent(columns, constants, told)
