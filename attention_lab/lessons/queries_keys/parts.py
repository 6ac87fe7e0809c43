"""What lies on the stage of Queries and keys: what the words are; what they ask and answer; the scores."""

from attention_lab import figure
from attention_lab.calculation import Expression, Results
from attention_lab.figure import formula as f
from attention_lab.lesson import Hidden
from attention_lab.state.state import State

from . import fields
from .calculation import APART, BACK, GOALS, ONE, SCALED, SCORE, WEIGHT, has_apples
from .calculation import TWO as s

REACH = {"apple_unveiled": 6, "buy_an_apple": 6}  # of the words; 5 where nothing is said
# Of queries and keys. Below zero there is room for those of the matrices at the start, and to turn one away.
RANGE, OF_FEATURES = [[-3, 4.5], [-3, 4.5]], [[-2.5, 11.5], [-7, 7]]
RANGES = {
    "orange_apple_phone": [[-2, 3.5], [-2, 3.5]],
    "apple_unveiled": [[-2, 4.5], [-2, 4.5]],
    "buy_an_apple": [[-3, 3.5], [-2, 4.5]],
    "knight_in_shining": [[-2, 7], [-3.5, 5.5]],
}
LIMITS = {"apple_unveiled": 20.0, "buy_an_apple": 20.0, "fluffy_blue_creature": 16.0}  # scores in full colour
MANY = 5  # of more words, only the asking one's query is drawn


def draw(state: State, now: Results, _: Hidden) -> list[figure.Column]:
    """The stage's columns."""
    words = features(state) if state.way == "features" else words_on_the_plane(state)
    beside = [figure.pictured(scores(state)), with_numbers(state)]
    if has_apples(state):
        beside.insert(1, separation(state))
    else:  # the formula divides by a root
        beside.append(figure.remark(state.text["scaled"]))
    with_choices = figure.beside(
        figure.Column([figure.pictured(words)], least=220), figure.Column(choices(state), least=220)
    )
    share = 0.9 if state.orientation == "columns" else 0.6
    return [
        goals(state, now),
        figure.Column([figure.pictured(queries_and_keys(state))], share=2.0, least=520),
        figure.Column(beside, share=share, least=280),
        figure.Column([with_choices], share=0.4, least=250),
        figure.Column(matrices_in_numbers(state), least=figure.WHOLE_WIDTH),
    ]


def reach(state: State) -> int:
    """How far the plane of the words goes."""
    return REACH.get(state.worked_example.name, 5)


def frame(state: State) -> list[list[float]]:
    """How far the plane of queries and keys goes."""
    if state.way == "one":  # a space may stretch the words
        low, high = (-3.5, 5.5) if has_apples(state) else (-4.5, 7)
        return [[low, high], [low, high]]
    return RANGES.get(state.worked_example.name, OF_FEATURES if state.way == "features" else RANGE)


def drags_arrows(state: State) -> bool:
    """Whether the reader drags queries and keys themselves, not the rows of the matrices."""
    return state.way == "two" and state.drag == "arrows"


def goals(state: State, now: Results) -> figure.Column:
    """The goals that suit the words; one space is measured against the one in between."""
    begin = {"W_query": fields.AS_IT_IS, "W_key": fields.AS_IT_IS} if state.way == "one" else None
    apart = now.ids[now.word] != now.ids[now.other]  # a goal about the chosen pair needs two different words
    reachable = [GOALS[name] for name in state.options("goal") if apart or name in fields.NEEDED]
    first = {"two": "first_matrices", "one": "first_one", "features": "first_features"}[state.way]
    if drags_arrows(state):  # what to move first agrees with the first goal
        first = "first_away" if state.options("goal")[0] == "turn_away" else "first"
    return figure.goals(state, reachable, now, begin=begin, first=first)


def words_on_the_plane(state: State) -> figure.Part:
    """The words at their embeddings."""
    words = figure.vectors(s.vectors, names=s.table, handles=True, focus=s.word, through=s.ids, little=0.6)
    return figure.plane(
        state,
        state.worked_example.axes,
        [words],
        low=-0.4 * reach(state),
        high=reach(state),
        title=state.text.plain("figure_words"),
        hint="hint_words",
    )


def features(state: State) -> figure.Part:
    """The words as rows of named features; choosing a cell takes its feature into the hand."""
    return figure.heatmap(
        s.x,
        title=state.text.plain("figure_features"),
        what="feature",
        limit=4.0,
        columns=s.axes,
        row_title=state.text["features_table/word"],
        column_title=state.text["features_table/feature"],
        column=s.feature,
        turned=state.orientation == "columns",
    )


def queries_and_keys(state: State) -> figure.Part:
    """The words again, as queries and as keys, and the matrices that make them so."""
    marks = {"two": two_matrices, "one": one_for_both, "features": by_features}[state.way](state)
    return figure.plane(
        state,
        (state.text["axes/first"], state.text["axes/second"]),
        marks,
        ranges=frame(state),
        title=state.text.plain("figure_queries_keys"),
        hint="hint_arrows"
        if drags_arrows(state)
        else {"two": "hint", "one": "hint_one", "features": "hint_features"}[state.way],
    )


def two_matrices(state: State) -> list[figure.Part]:
    """Queries and keys as arrows to drag; or each matrix with its rows, and its grid while a hand is on it."""
    if drags_arrows(state):
        return [figure.projection(s.key[s.other], onto=s.query[s.word]), keys(state), queries(state)]
    settings = {"reach": reach(state), "axes": s.axes, "quiet": True}
    grid, query_rows = figure.weight_matrix(s.W_query, "query", **settings)
    key_grid, key_rows = figure.weight_matrix(s.W_key, "key", beside=s.W_query, **settings)
    return [grid, key_grid, *projections(), keys(state), queries(state), query_rows, key_rows]


def by_features(state: State) -> list[figure.Part]:
    """The asking word's query among all keys; in the hand is where the chosen feature is sent."""
    _, query_rows = figure.weight_matrix(s.W_query, "query", only=s.feature, axes=s.axes)
    _, key_rows = figure.weight_matrix(s.W_key, "key", beside=s.W_query, only=s.feature, axes=s.axes)
    return [*projections(), keys(state), queries(state), query_rows, key_rows]


def projections() -> list[figure.Part]:
    """How the chosen query and key are made of the features, and the shadow of the one on the other."""
    return [
        figure.chain(s.W_query, s.x[s.word], "query"),
        figure.chain(s.W_key, s.x[s.other], "key"),
        figure.projection(s.key[s.other], onto=s.query[s.word]),
    ]


def keys(state: State) -> figure.Part:
    """The other word's key, or every word's."""
    only = s.other if state.shown == "pair" else None
    return figure.vectors(
        s.key, role="key", prefix="k", focus=s.other, little=0.5, only=only, **dragged(state, s.W_key, "key")
    )


def queries(state: State) -> figure.Part:
    """The asking word's query, or every word's where they are few; the asking word's stands out."""
    few = state.shown == "all" and state.way == "two" and len(state.words) <= MANY
    only = None if few else s.word
    return figure.vectors(
        s.query,
        role="query",
        prefix="q",
        focus=s.word,
        aside=True,
        little=0.5,
        only=only,
        **dragged(state, s.W_query, "query"),
    )


def dragged(state: State, matrix: Expression, handle: str) -> dict:
    """Return the settings of arrows whose matrix follows a drag; none where rows are dragged."""
    if not drags_arrows(state):
        return {}
    return {"handles": True, "handle": handle, "takes": True, "matrix": matrix, "inputs": s.x}


def choices(state: State) -> list[figure.Part]:
    """What is dragged, where that can be chosen; whether the arrows of one pair or of all words are drawn."""
    names = {"two": ("drag", "shown"), "one": (), "features": ("shown",)}[state.way]
    text = state.text
    options = [figure.options(s[name], text[name], [*text.parts(name).values()]) for name in names]
    return [figure.beside(*(figure.Column([each], share=1, least=190) for each in options))] if options else []


def matrices_in_numbers(state: State) -> list[figure.Part]:
    """Where the matrices send the axes, or of many features the one in the hand; and what is drawn how."""
    if drags_arrows(state):
        return [figure.remark(state.text["legend/arrows"])]
    axes = state.worked_example.axes

    def sent(matrix: Expression, name: str, at: int | Expression, axis: str | Expression) -> f.Tree:
        numbers = [f.number(matrix[at, k], [f"W_{name} {k + 1} ", axis], signed=False) for k in range(2)]
        return f.row(f.name(axis) if isinstance(axis, Expression) else axis, "→", f.vector(numbers))

    def line(matrix: Expression, name: str) -> f.Tree:
        if state.way == "features":
            rows = [sent(matrix, name, s.feature, s.axes[s.feature])]
        else:
            rows = [sent(matrix, name, at, axis) for at, axis in enumerate(axes)]
        return f.row(f.index("W", name), ":", f.joined(",", rows))

    lines = {"W_query": line(s.W_query, "Q")} | ({} if state.way == "one" else {"W_key": line(s.W_key, "K")})
    legend = state.text[f"legend/{'apples' if has_apples(state) else state.way}"]
    return [figure.formulas(lines, small=True), figure.remark(legend)]


def one_for_both(state: State) -> list[figure.Part]:
    """The words in the one space, and in it the two apples, each moved by its sentence."""
    grid, rows = figure.weight_matrix(s.W_query, "word", reach=reach(state), also=[s.W_key], axes=s.axes)
    words = figure.vectors(ONE.query, focus=s.word, other=s.other, little=0.5)
    return [grid, *(two_apples(state) if has_apples(state) else []), words, rows]


def two_apples(state: State) -> list[figure.Part]:
    """Apple moved by orange and apple moved by phone, and what lies between."""
    orange, apple, phone = (s.query[s.place[word]] for word in ("orange", "apple", "phone"))
    fruit, tech = APART.among_fruit.context[0], APART.among_tech.context[0]
    return [
        figure.distance(orange, phone),
        figure.displacement(apple, fruit, result=True, label=state.text["apples/orange"]),
        figure.displacement(apple, tech, result=True, label=state.text["apples/phone"]),
        figure.distance(fruit, tech, role="context", result=True),
    ]


def scores(state: State) -> figure.Part:
    """Who looks at whom: all scores, and along their edge the weights of the word of interest."""
    return figure.heatmap(
        s.trace.scores,
        title=state.text.plain("figure_scores"),
        what="score",
        large=True,
        limit=LIMITS.get(state.worked_example.name, 16.0 if state.way == "one" else 8.0),
        dots=state.scores == "dots",
        mask=s.mask,
        closed=state.text["scores/closed"],
        computed_from=[s.query, s.key],
        idle=state.text["scores/idle"],
        mirror=True,
        edge=figure.edge(s.trace.weights[s.word], what="weight", title=state.text["scores/weights"]),
        turned=state.orientation == "columns",
    )


def separation(state: State) -> figure.Part:
    """How well the present space keeps the two apples apart, next to the ready-made ones."""
    names = [state.text[f"starts/{name}"] for name in fields.SPACES]
    return figure.part(
        "ruler",
        of=APART.separation,
        what="separation",
        title=state.text["separation"],
        low=0.2,
        high=0.6,
        marks=[{"name": name, "of": APART.separations[k]} for k, name in enumerate(names)],
    )


def with_numbers(state: State) -> figure.Part:
    """A → B and B → A with their present numbers, and what becomes of them."""

    def result(of: Expression, what: str, form: str = "figure") -> f.Tree:
        return f.number(of, what, result=True, form=form)

    def dot(line: str, asks: Expression, answers: Expression, score: Expression) -> f.Tree:
        def at(matrix: str, who: Expression, k: int) -> f.Tree:
            return f.number(s[matrix][who, k], [f"{line} {matrix} ", s.words[who], f" {k + 1}"])

        terms = [f.row(at("query", asks, k), "×", at("key", answers, k)) for k in range(2)]
        query = f.index("q", f.name(s.words[asks], "query"))
        key = f.index("k", f.name(s.words[answers], "key"))
        return f.row(query, "·", key, "=", f.joined("+", terms), "=", result(score, f"line {line}", "settled"))

    over_root = f.fraction(result(SCORE, "over root", "settled"), f.root("2"))
    scaled, weight = result(SCALED, "line scaled", "settled"), result(WEIGHT, "line weight", "share")
    lines = {
        "there": dot("there", s.word, s.other, SCORE),
        "back": dot("back", s.other, s.word, BACK),
        "weight": f.row(over_root, "=", scaled, "→", state.text["softmax"], "→", weight),
    }
    if has_apples(state):
        apples = result(APART.apples_apart[0], "apples apart")
        ratio = f.fraction(apples, result(APART.ends_apart[1], "ends apart"))
        told = result(APART.separation, "line separation")
        lines["weight"] = f.row(state.text["separation"], "=", ratio, "=", told)
    return figure.formulas(lines, small=True)
