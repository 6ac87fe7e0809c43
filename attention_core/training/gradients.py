"""The loss of a small attention network and its gradients, written out by hand.

The network consists of attention alone. With row vectors, for the words of a sentence:

    x = embeddings[words] + positions
    query, key, value = x @ W_query, x @ W_key, x @ W_value
    weights = softmax(query keyᵀ / √d_k)
    context = weights @ value
    logits = context @ W_vocabulary + bias

A single layer has no W_output and no residual connection: the logits read its context. Of two layers
the first adds to the residual stream, x + Σ context @ W_output over its heads, and the logits read the
context of the second.

The parameters are plain arrays in a dictionary:

    embeddings    (vocabulary, d_model)
    positions     (n, d_model), absent without positions
    W_query       (layers, heads, d_model, d_k)
    W_key         the same shape, absent with shared_query_key
    W_value       (layers, heads, d_model, d_v)
    W_output      (layers − 1, heads, d_v, d_model), absent with one layer
    W_vocabulary  (groups, d_v, outputs): group g reads head g, or the only one;
                  or (groups, heads · d_v, outputs): each group reads all heads, concatenated
    bias          (groups, outputs)

The loss is the mean cross-entropy over all targets. The gradient of softmax is
weights ⊙ (g − Σ weights ⊙ g), Bridle 1990.
"""

from dataclasses import dataclass

import numpy as np

from attention_core import checks
from attention_core.attention import AttentionTrace, attend
from attention_core.masks import causal_mask
from attention_core.softmax import softmax
from attention_core.training.settings import validate_settings

NAMES = ("embeddings", "positions", "W_query", "W_key", "W_value", "W_output", "W_vocabulary", "bias")


@dataclass(frozen=True, eq=False)
class ForwardPass:
    """The intermediate results for a batch of sentences. Every array is read-only."""

    x: tuple[np.ndarray, ...]  #: the input of each layer, (size, n, d_model)
    layers: tuple[AttentionTrace, ...]  #: the trace of each layer, every array (size, heads, n, ·)
    logits: np.ndarray  #: (groups, size, n, outputs)

    @property
    def probabilities(self) -> np.ndarray:
        """The probability of each output, (groups, size, n, outputs)."""
        return softmax(self.logits)


def forward(parameters, sentences, **settings):
    """Run the network on sentences, and return a `ForwardPass`. Arguments as for `loss_and_gradients`.

    Raises `ValueError` as that does, and where scores overflow.
    """
    parameters, switches = _checked(parameters, settings)
    result = run_forward(parameters, _checked_sentences(sentences, parameters, switches), switches)
    return ForwardPass(
        tuple(checks.frozen(x) for x in result.x),
        result.layers,
        checks.frozen(checks.finite(result.logits, "logits")),
    )


def loss_and_gradients(parameters, sentences, targets, **settings):
    """Compute the loss over a batch of sentences, and its gradient with respect to every parameter.

    Parameters
    ----------
    parameters : {name: array}, as listed at the top of this module
        float64 in gives float64 out, float32 float32, float16 is computed in float32.
    sentences : whole numbers, (size, n) or (size, n, features)
        Indices into the embeddings. The vector of a token of several features is their sum.
    targets : whole numbers, (size, n, groups)
        The index of each word's output in each group; −1 where nothing is asked.
    **settings : as for `train`
        `scaled` (True) divides scores by √d_k; `causal` (False) masks later words; the defaults of
        `positions` and `shared_query_key` follow from the parameters. A parameter that a setting
        disables has a zero gradient. `entropy_penalty` (0) is the factor with which the mean
        entropy, in nats, of the last layer's weights at the words that are asked is added to the
        loss. Sizes must be those of the parameters. Settings of a run (`learning_rate`, …) have no
        effect here.

    Returns
    -------
    loss : float
        0 where nothing is asked.
    gradients : {name: array}
        ∂ loss / ∂ parameter, in the shape of the parameter.

    Raises
    ------
    ValueError
        For parameters that are missing, unknown, not finite or do not fit together, indices out
        of range, unknown settings, and numbers so large that they overflow.

    >>> task = load_task("which_apple", size=64)
    >>> run = train(task, steps=1)
    >>> start = {name: steps[0] for name, steps in run.parameters.items()}
    >>> loss, gradients = loss_and_gradients(start, task.sentences, task.targets, **run.settings)
    >>> gradients["W_query"].shape == start["W_query"].shape
    True
    """
    arrays, switches = _checked(parameters, settings)
    sentences = _checked_sentences(sentences, arrays, switches)
    targets = _checked_targets(targets, sentences, arrays)
    loss, gradients = run_loss_and_gradients(arrays, sentences, targets, switches)
    for name, gradient in gradients.items():
        checks.finite(gradient, f"gradient of {name}")
    unused = {name: np.zeros(arrays[name].shape, loss.dtype) for name in parameters if name not in gradients}
    return float(loss), gradients | unused


def _checked(parameters, settings):
    """The parameters as arrays of one number type, and the switches, checked against them."""
    arrays = checked_parameters(parameters)
    settings = validate_settings(settings)
    layers, heads, d_model, d_k = arrays["W_query"].shape
    sizes = {"num_layers": layers, "num_heads": heads, "d_model": d_model, "d_k": d_k}
    for name, size in sizes.items():
        if settings.get(name, size) != size:
            raise ValueError(f"{name} is {size} in these parameters, got {settings[name]}")
    positions = settings.get("positions", "positions" in arrays)
    shared = settings.get("shared_query_key", "W_key" not in arrays)
    if positions and "positions" not in arrays:
        raise ValueError("these parameters have no positions; pass positions=False")
    if not shared and "W_key" not in arrays:
        raise ValueError("these parameters have no W_key; pass shared_query_key=True")
    others = {name: settings[name] for name in ("scaled", "causal", "entropy_penalty") if name in settings}
    return arrays, Switches(positions, shared, **others)


def checked_parameters(parameters):
    """Return the parameters as arrays of one number type; refuse those that form no network."""
    if unknown := [name for name in parameters if name not in NAMES]:
        raise ValueError(f"no parameter is called {unknown[0]!r}; there are {', '.join(NAMES)}")
    arrays = {
        name: checks.finite(checks.real_array(parameters[name], name), name)
        for name in NAMES
        if name in parameters
    }
    dtype = np.result_type(*arrays.values()) if arrays else float
    arrays = {name: array.astype(dtype, copy=False) for name, array in arrays.items()}

    def check_shape(name, expected, reason=""):
        if name not in arrays:
            raise ValueError(f"{name} is missing among the parameters: {', '.join(arrays) or 'there are none'}")
        shape = arrays[name].shape
        fits = len(shape) == len(expected) and all(e in (None, s) for e, s in zip(expected, shape, strict=True))
        if not fits or 0 in shape:
            sizes = ", ".join("any" if size is None else str(size) for size in expected)
            raise ValueError(f"{name} must have shape ({sizes}){reason}, got {shape}")
        return shape

    _, d_model = check_shape("embeddings", (None, None))
    layers, heads, _, d_k = check_shape(
        "W_query", (None, None, d_model, None), ", as (layers, heads, d_model, d_k)"
    )
    *_, d_v = check_shape("W_value", (layers, heads, d_model, None), " to fit W_query")
    if "W_key" in arrays:
        check_shape("W_key", (layers, heads, d_model, d_k), " to fit W_query")
    if "positions" in arrays:
        check_shape("positions", (None, d_model), " to fit the embeddings")
    if layers > 1 or "W_output" in arrays:
        check_shape("W_output", (layers - 1, heads, d_v, d_model), " to fit W_value")
    groups, read, outputs = check_shape("W_vocabulary", (None, None, None))
    if read != heads * d_v and not (read == d_v and heads == groups):
        raise ValueError(
            f"W_vocabulary must have shape ({groups}, {heads * d_v}, {outputs}) to read {heads} heads, or as "
            f"many groups as heads, got {arrays['W_vocabulary'].shape}"
        )
    check_shape("bias", (groups, outputs), " to fit W_vocabulary")
    return arrays


def _checked_sentences(sentences, parameters, switches):
    """Sentences as (size, n, features)."""
    sentences = _indices(sentences, "sentences", 0, len(parameters["embeddings"]))
    if sentences.ndim not in (2, 3) or 0 in sentences.shape[2:]:
        raise ValueError(f"sentences must have shape (size, n) or (size, n, features), got {sentences.shape}")
    if switches.positions and sentences.shape[1] > len(parameters["positions"]):
        raise ValueError(
            f"sentences of shape {sentences.shape} are longer than positions of shape "
            f"{parameters['positions'].shape}"
        )
    return by_feature(sentences)


def by_feature(sentences):
    """Return sentences (size, n) or (size, n, features) as (size, n, features)."""
    return sentences.reshape(*sentences.shape[:2], sentences.shape[2] if sentences.ndim == 3 else 1)


def _checked_targets(targets, sentences, parameters):
    """Targets as (size, n, groups)."""
    groups, _, outputs = parameters["W_vocabulary"].shape
    targets = _indices(targets, "targets", -1, outputs)
    if targets.shape != (wanted := (*sentences.shape[:2], groups)):
        raise ValueError(f"targets must have shape {wanted} to fit sentences and bias, got {targets.shape}")
    return targets


def _indices(numbers, name, lowest, end):
    """Whole numbers from `lowest` to below `end`."""
    numbers = checks.as_array(numbers, name)
    if numbers.size == 0:
        return numbers.astype(int)  # an empty list has no type
    if numbers.dtype.kind not in "iu":
        raise ValueError(f"{name} must be whole numbers, got {numbers.dtype}")
    if (outside := (numbers < lowest) | (numbers >= end)).any():
        raise ValueError(f"{name} must be {lowest} to {end - 1}, got {checks.first(numbers, outside)}")
    return numbers


@dataclass(frozen=True)
class Switches:
    """The settings that change the calculation, complete and validated."""

    positions: bool
    shared_query_key: bool
    scaled: bool = True
    causal: bool = False
    entropy_penalty: float = 0.0


@dataclass(frozen=True, eq=False)
class _Pass:
    """The forward pass as the backward pass needs it."""

    x: list
    layers: tuple
    read: np.ndarray  #: (groups or 1, size · n, ·), the input of the logits
    logits: np.ndarray  #: (groups, size, n, outputs)


@np.errstate(all="ignore")  # what overflows is refused by name, or ends a run
def run_forward(parameters, sentences, switches):
    """Compute `forward` without validation: parameters of one number type, sentences as (size, n, features)."""
    embeddings, W_vocabulary = parameters["embeddings"], parameters["W_vocabulary"]
    size, n, features = sentences.shape
    x = embeddings[sentences[..., 0]]
    for feature in range(1, features):
        x = x + embeddings[sentences[..., feature]]
    if switches.positions:
        x = x + parameters["positions"][:n]

    *_, d_k = parameters["W_query"].shape
    scale = d_k**-0.5 if switches.scaled else 1.0
    mask = causal_mask(n) if switches.causal else None
    xs, layers = [], []
    for layer, W_query in enumerate(parameters["W_query"]):
        query = _heads(x, W_query)
        key = query if switches.shared_query_key else _heads(x, parameters["W_key"][layer])
        trace = attend(query, key, _heads(x, parameters["W_value"][layer]), mask, scale)
        xs.append(x)
        layers.append(trace)
        if layer < len(parameters["W_query"]) - 1:
            W_output = parameters["W_output"][layer]
            x = x + (_rows(trace.context) @ W_output.reshape(-1, x.shape[-1])).reshape(x.shape)

    context = layers[-1].context
    *_, d_v = context.shape
    if W_vocabulary.shape[1] == d_v:  # one head for each group, or one for all
        read = context.transpose(1, 0, 2, 3).reshape(context.shape[1], size * n, d_v)
    else:
        read = _rows(context)[None]
    logits = read @ W_vocabulary + parameters["bias"][:, None]
    return _Pass(xs, tuple(layers), read, logits.reshape(len(W_vocabulary), size, n, logits.shape[-1]))


@np.errstate(all="ignore")
def run_loss_and_gradients(parameters, sentences, targets, switches):
    """Compute `loss_and_gradients` without validation; the loss in the parameters' number type."""
    result = run_forward(parameters, sentences, switches)
    asked, right, probabilities, loss = predictions_and_loss(result.logits, targets)
    size, n, _ = sentences.shape
    W_vocabulary = parameters["W_vocabulary"]
    groups, _, outputs = W_vocabulary.shape
    gradients = {}

    # ∂ loss / ∂ logits: the probabilities, less 1 at the right output.
    d_logits = np.zeros((groups, size, n, outputs), probabilities.dtype)
    if probabilities.size:
        probabilities[right] -= 1
        probabilities /= probabilities.dtype.type(probabilities.shape[1])
        d_logits[asked] = probabilities.T
    d_logits = d_logits.reshape(groups, size * n, outputs)
    gradients["W_vocabulary"] = result.read.mT @ d_logits
    gradients["bias"] = d_logits.sum(axis=1)
    d_read = d_logits @ W_vocabulary.mT
    if len(result.read) < groups:  # all groups read the same input
        d_read = d_read.sum(axis=0, keepdims=True)

    # The layers, in reverse order.
    num_layers, num_heads, d_model, _ = parameters["W_query"].shape
    d_v = parameters["W_value"].shape[-1]
    if W_vocabulary.shape[1] == d_v:
        d_context = d_read.reshape(num_heads, size, n, d_v).transpose(1, 0, 2, 3)
    else:
        d_context = _by_head(d_read[0], size, n, num_heads)
    for name in ("W_query", "W_key", "W_value", "W_output"):
        if name in parameters and not (name == "W_key" and switches.shared_query_key):
            gradients[name] = np.zeros_like(parameters[name])
    d_x = np.zeros((size * n, d_model), probabilities.dtype)
    for layer in reversed(range(num_layers)):
        trace, x = result.layers[layer], result.x[layer].reshape(size * n, d_model)
        if layer < num_layers - 1:
            W_output = parameters["W_output"][layer].reshape(-1, d_model)
            gradients["W_output"][layer] = (_rows(trace.context).T @ d_x).reshape(num_heads, d_v, d_model)
            d_context = _by_head(d_x @ W_output.T, size, n, num_heads)

        d_penalty = None
        if switches.entropy_penalty and layer == num_layers - 1:
            penalty, d_penalty = entropy_penalty(trace.weights, targets, switches.entropy_penalty)
            loss = loss + penalty
        d_query, d_key, d_value = _attention_gradients(trace, d_context, d_penalty)

        d_x = d_x if layer < num_layers - 1 else 0
        d_projections = [("W_query", d_query), ("W_key", d_key), ("W_value", d_value)]
        if switches.shared_query_key:
            d_projections[:2] = [("W_query", d_query + d_key)]
        for name, d_projected in d_projections:
            d_projected = _rows(d_projected)
            W = parameters[name][layer]
            gradients[name][layer] = _split(x.T @ d_projected, num_heads)
            d_x = d_x + d_projected @ _concatenate(W).T

    if switches.positions:
        gradients["positions"] = np.zeros_like(parameters["positions"])
        gradients["positions"][:n] = d_x.reshape(size, n, d_model).sum(axis=0)
    gradients["embeddings"] = _sum_by_word(d_x, sentences, len(parameters["embeddings"]))
    return loss, {name: gradients[name] for name in NAMES if name in gradients}


def _attention_gradients(trace, d_context, d_penalty):
    """The gradients of query, key and value from those of the context and, with a penalty, of the scores."""
    weights = trace.weights
    d_weights = d_context @ trace.value.mT
    d_scores = weights * (d_weights - (d_weights * weights).sum(axis=-1, keepdims=True))
    if d_penalty is not None:
        d_scores += d_penalty
    d_scores *= d_scores.dtype.type(trace.scale)
    return d_scores @ trace.key, d_scores.mT @ trace.query, weights.mT @ d_context


def _sum_by_word(d_x, sentences, vocabulary):
    """The gradient of each word's embedding: the sum over all tokens that it is a feature of."""
    count = np.zeros((len(d_x), vocabulary), d_x.dtype)  # of each word in each token
    tokens = np.arange(len(d_x))
    for feature in range(sentences.shape[-1]):
        count[tokens, sentences[..., feature].ravel()] += 1
    return count.T @ d_x


def predictions_and_loss(logits, targets):
    """Compute the probabilities at the words that are asked, and their mean cross-entropy.

    Returns the indices of these words (group, sentence, word); those of the right outputs in the probabilities;
    the probabilities in columns, (outputs, asked), as NumPy reduces long rows faster than short ones; and the
    loss.
    """
    asked = np.nonzero(np.moveaxis(targets, -1, 0) >= 0)
    group, sentence, word = asked
    right = targets[sentence, word, group], np.arange(len(word))
    differences = logits[asked].T.copy()
    if not differences.size:
        return asked, right, differences, differences.dtype.type(0)
    differences -= differences.max(axis=0)
    exponentials = np.exp(differences)
    total = exponentials.sum(axis=0)
    return asked, right, exponentials / total, (np.log(total) - differences[right]).mean()


def entropy_penalty(weights, targets, strength):
    """Compute `strength` × mean entropy of the weights that are asked, and its gradient for the scaled scores."""
    asked = (targets >= 0).any(axis=-1)[:, None, :, None]
    log = np.log(np.where(weights > 0, weights, 1))
    entropy = -(weights * log).sum(axis=-1, keepdims=True)
    factor = asked * weights.dtype.type(strength / max(1, asked.sum() * weights.shape[1]))
    return (factor * entropy).sum(), -factor * weights * (log + entropy)


def _concatenate(W):
    """The matrices of all heads, (heads, d_model, d), as (d_model, heads · d)."""
    return W.transpose(1, 0, 2).reshape(W.shape[1], -1)


def _split(matrix, num_heads):
    """The inverse of `_concatenate`: (heads, d_model, d)."""
    return matrix.reshape(len(matrix), num_heads, -1).transpose(1, 0, 2)


def _heads(x, W):
    """x @ W for each head, as (size, heads, n, d)."""
    size, n, d_model = x.shape
    return _by_head(x.reshape(size * n, d_model) @ _concatenate(W), size, n, len(W))


def _by_head(rows, size, n, num_heads):
    """(size · n, heads · d) as a contiguous (size, heads, n, d)."""
    return np.ascontiguousarray(rows.reshape(size, n, num_heads, rows.shape[1] // num_heads).swapaxes(1, 2))


def _rows(by_head):
    """(size, heads, n, d) as (size · n, heads · d)."""
    size, num_heads, n, d = by_head.shape
    return by_head.swapaxes(1, 2).reshape(size * n, num_heads * d)
