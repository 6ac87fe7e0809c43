"""The embeddings page: shared entries, its goals, the reader's own sentence."""

import json

import numpy as np

from attention_core import load_example, load_language_model
from attention_core.models import grammar
from attention_lab.state import permalink
from tests.visit import LESSONS, NAMES, LessonView, Visit

PATH = LESSONS[NAMES.index("embeddings")]
MOLES = ("american_true_mole", "one_mole_of_carbon_dioxide", "biopsy_of_the_mole")


def view_of(example="buy_an_apple", **more):
    return LessonView(PATH, example=permalink.escape(example), **more)


def own(*words, **more):
    return LessonView(PATH, example="own", words=".".join(map(permalink.escape, words)), **more)


def moved(visit, **places):
    """The table of vectors with some words at other places."""
    vectors = np.array(visit.stage["pose"]["vectors"])
    for word, place in places.items():
        vectors[visit.stage["constants"]["table"].index(word)] = place
    return vectors.tolist()


def test_moles_share_one_entry_and_their_contexts_differ():
    for name in MOLES:
        visit = view_of(name)
        constants, scope = visit.stage["constants"], visit.scope
        here = constants["words"].index("mole")
        assert visit.values["word"] == "mole"
        assert set(constants["table"]) == {word for each in MOLES for word in load_example(each).words}
        for k, other in enumerate(each for each in MOLES if each != name):
            example = load_example(other)
            there = example.words.index("mole")
            assert constants["ids_elsewhere"][k][there] == constants["ids"][here]
            assert constants["said_elsewhere"][k][here]
            np.testing.assert_array_equal(scope["x_elsewhere"][k][there], scope["x"][here])
            np.testing.assert_allclose(
                scope["traces_elsewhere"][k].context[here], example.expected["context mole"], atol=1e-12
            )


# Goals -------------------------------------------------------------------------------------------------


def test_other_side_is_reached_by_moving_another_word_only():
    visit = view_of("apple_unveiled")
    assert "fruit side" in visit.goals["other_side"]["text"]
    assert visit.drag(vectors=moved(visit, phone=(1, 5))).reached == ["other_side"]
    assert visit.drag(vectors=moved(visit, apple=(2.4, 3))).reached == []


def test_newcomer_counts_beside_words_that_stay():
    visit = Visit(PATH).type_words("please buy an apple and an orange android")
    assert visit.reached == ["newcomer"]
    visit.type_words("please buy an apple and an orange pear")
    assert visit.reached == []
    assert "tech side" in visit.goals["newcomer"]["text"]
    visit.drag(vectors=moved(visit, pear=(6, 0)))
    assert "newcomer" in visit.reached
    visit.drag(vectors=moved(visit, orange=(0.6, 4)))
    assert "newcomer" not in visit.reached
    visit.type_words("buy an apple and an android")
    assert set(visit.goals) == {"other_side", "stay_put"}


def test_goals_name_the_word_of_interest():
    for example, word in (("buy_an_apple", "orange"), ("biopsy_of_the_mole", "mole")):
        assert all(f" {word} " in goal["text"] for goal in view_of(example, word=word).goals.values())


# The reader's own sentence -----------------------------------------------------------------------------


def test_unknown_words_are_placed_in_sight():
    visit = own("qwerty", "asdf", "zxcv")
    x = visit.scope["x"]
    assert len({tuple(row) for row in x.tolist()}) == 3
    assert ((x >= -1) & (x <= 6)).all()
    assert visit.first("plane")["hint"] == "A new word starts near zero. Drag it to where it belongs."


def test_own_sentence_chooses_the_plane_of_its_content_words():
    visit = Visit(PATH, example=permalink.escape("american_true_mole")).type_words("one mole of milk")
    assert visit.first("plane")["axes"] == ["living", "laboratory"]
    assert visit.values["word"] == "mole"
    visit.type_words("an apple of the phone")
    assert visit.first("plane")["axes"] == ["tech", "fruit"]
    np.testing.assert_array_equal(visit.scope["x"][[0, 1, 4]], [[-0.1, -0.2], [2.4, 2.4], [4.8, 0.6]])
    visit.type_words("one banana of a kind")
    assert visit.stage["constants"]["home"][1] == [0.2, 5.4], "little words do not decide"


def test_moved_word_keeps_its_place_in_a_new_sentence():
    visit = Visit(PATH)
    visit.drag(vectors=moved(visit, phone=(1, 1)))
    visit.type_words("apple phone")
    np.testing.assert_array_equal(visit.scope["x"], [[2.4, 2.4], [1, 1]])


# Extreme input -----------------------------------------------------------------------------------------


def test_context_moves_nothing_where_all_vectors_are_equal_or_one_word_is_alone():
    for place in ("2_2", "0_0", "1000_1000", "-1000_1000"):
        visit = LessonView(PATH, vectors="__".join([place] * 14))
        np.testing.assert_allclose(visit.scope["trace"].weights, 1 / 7)
        assert "The context does not move apple" in json.dumps(visit.parts)
        assert visit.reached == []
    visit = own("apple", predict="1")
    assert visit.scope["trace"].weights.tolist() == [[1]]
    assert "The context does not move apple" in json.dumps(visit.parts)
    assert visit.reached == []
    assert not visit.stage["results_hidden"], "there is nothing to predict"


def test_displacements_add_up_in_their_fold():
    visit = Visit(PATH)
    assert "embeddings.further" not in visit.stages
    still = visit.unfold("fold").stages["embeddings.further"]
    constants, tower = still["constants"], load_example("miniature_eiffel_tower").expected
    assert still["provenance"] == "by hand"
    np.testing.assert_allclose(constants["eiffel_first"], list(tower.values()))
    np.testing.assert_allclose(constants["miniature_first"][-1], tower["miniature Eiffel tower"])
    for way, name in (("with_wizard", "harry_wizard"), ("with_queen", "harry_queen_sussex_william")):
        np.testing.assert_allclose(constants[way][-1], load_example(name).expected["context Harry"])


# Learned vectors ---------------------------------------------------------------------------------------

KINDS = (grammar.COLOURS, grammar.TEXTURES, grammar.NOUNS)
KIND_OF = {word: kind for kind in KINDS for word in kind}
ROBOT = "learned_robot"


def test_figures_in_the_text_on_learned_words_are_computed_from_the_model():
    model = load_language_model()
    chosen = model.embeddings[model.places(list(KIND_OF))].astype(float)
    spread = np.linalg.svd(chosen - chosen.mean(0), compute_uv=False) ** 2
    unit = chosen / np.linalg.norm(chosen, axis=1, keepdims=True)
    kinds = np.array([KINDS.index(kind) for kind in KIND_OF.values()])
    cosines, same = unit @ unit.T, kinds[:, None] == kinds
    within, between = cosines[same & ~np.eye(len(chosen), dtype=bool)].mean(), cosines[~same].mean()
    text = json.dumps(view_of(ROBOT).parts, ensure_ascii=False)
    assert f"They account for {100 * spread[:2].sum() / spread.sum():.1f}% of the variance" in text
    averages = f"{within:.2f} on average. Two words of different kinds have {between:.2f}"
    assert averages.replace("-", "−") in text


def test_page_of_the_learned_sentence_says_what_its_weights_are():
    visit = Visit(PATH, example=permalink.escape(ROBOT))
    words, weights = visit.stage["constants"]["words"], visit.scope["trace"].weights.copy()
    np.fill_diagonal(weights, 0)
    for word, strongest in (("blue", "red"), ("fluffy", "smooth"), ("creature", "castle")):
        assert words[weights[words.index(word)].argmax()] == strongest
        assert f"*{word}*" in visit.text
        assert f"*{strongest}*" in visit.text
    text = f"{visit.text}{json.dumps(visit.stage['columns'])}{visit.stage['title']}".split("**One word")[0]
    by_hand_only = ("fruit", "tech", "diagonal", "dotted", "zero")
    assert not [word for word in by_hand_only if word in text.casefold()], "learned directions have no name"
    assert set(visit.badges) == {"learned"}
    assert set(visit.goals) == {"stay_put", "outpulled", "of_its_kind"}


def test_goals_of_the_learned_sentence():
    visit = view_of(ROBOT)
    assert visit.values["word"] == "creature"
    assert "larger weight from creature than castle" in visit.goals["outpulled"]["text"]
    visit.drag(vectors=moved(visit, smooth=tuple(1.5 * load_example(ROBOT).lexicon["creature"])))
    assert visit.reached == ["outpulled"]
    assert "outpulled" not in view_of(ROBOT).drag(vectors=moved(visit, castle=(0, 0))).reached
    sentence = " ".join(load_example(ROBOT).words)
    visit = Visit(PATH, example=permalink.escape(ROBOT))
    for word, reached in (("dragon", ["of_its_kind"]), ("spiky", [])):
        assert visit.type_words(f"{sentence} {word}").reached == reached


def test_words_of_the_model_have_learned_vectors_until_one_is_moved():
    visit = own(*["the", "black", "cat", "chased", "a", "dog"])
    lexicon = load_example(ROBOT).lexicon
    np.testing.assert_array_equal(visit.scope["x"], [lexicon[word] for word in visit.values["words"]])
    assert visit.badges == {"learned"}
    assert visit.drag(vectors=moved(visit, black=(0, 0))).badges == {"yours"}
    by_hand = ("apple", "orange", "phone", "mole", "carbon")
    for word in (*by_hand, "the", "new", "dog"):
        assert (own("blue", word).badges == {"learned"}) == (word not in by_hand), word
    assert f"exceptions are {', '.join(by_hand)}:" in json.dumps(view_of(ROBOT).parts)
    visit = Visit(PATH, example=permalink.escape(ROBOT)).type_words("the black apple")
    assert visit.stage["constants"]["home"][visit.stage["constants"]["table"].index("apple")] == [2.4, 2.4]
