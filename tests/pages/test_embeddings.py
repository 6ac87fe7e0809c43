"""The embeddings page: its worked numbers, one entry for each word, its goals, one's own sentence."""

import json

import numpy as np
import pytest

from attention_core import load_example, load_language_model, scaled_dot_product_attention
from attention_core.models import grammar
from attention_lab.state import permalink
from attention_lab.state.update import ReachGoals, update
from tests.visit import HOSTILE, LESSONS, NAMES, Visit, at

PATH = LESSONS[NAMES.index("embeddings")]
SENTENCES = ("buy_an_apple", "apple_unveiled")
MOLES = ("american_true_mole", "one_mole_of_carbon_dioxide", "biopsy_of_the_mole")
EXAMPLES = SENTENCES + MOLES


def visit_example(name, **more):
    return Visit(PATH, example=permalink.escape(name), **more)


def own(*words, **more):
    return Visit(PATH, example="own", words=".".join(map(permalink.escape, words)), **more)


def typed(visit, text):
    visit.open_editor().at.text_input[0].set_value(text)
    return visit.run()


def moved(visit, **places):
    """The table of vectors with some words at other places."""
    vectors = np.array(visit.stage["pose"]["vectors"])
    for word, place in places.items():
        vectors[visit.stage["constants"]["table"].index(word)] = place
    return vectors.tolist()


def goals(visit):
    return {
        goal["name"]: goal["text"] for part in visit.parts if part["kind"] == "goals" for goal in part["goals"]
    }


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_worked_numbers_are_on_the_page(name):
    visit, example = visit_example(name), load_example(name)
    words, trace = list(visit.stage["constants"]["words"]), visit.scope["trace"]
    numbers = visit.tables
    for what, expected in example.expected.items():
        kind, a, *b = what.split()
        if kind == "weight":
            found = trace.weights[words.index(a), words.index(b[0])]
            assert numbers["weights"].loc[a, b[0]] == found
        else:
            found = trace.context[words.index(a)]
            np.testing.assert_array_equal(numbers["contextual vectors"].loc[a], found)
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_the_scores_of_the_vocabulary():
    visit = own("orange", "apple", "phone")
    scaled = visit.scope["trace"].scaled_scores[1]
    expected = load_example("fruit_and_tech").expected
    for place, word in enumerate(("orange", "apple", "phone")):
        assert scaled[place] == pytest.approx(expected[f"scaled apple {word}"], abs=1e-12)


def test_apple_ends_on_the_side_of_its_company():
    tech, fruit = visit_example("buy_an_apple").scope["trace"].context[3]
    assert fruit > tech
    tech, fruit = visit_example("apple_unveiled").scope["trace"].context[0]
    assert tech > fruit


def test_a_word_that_comes_twice_has_one_entry():
    visit = Visit(PATH)
    constants = visit.stage["constants"]
    assert constants["words"][2:6:3] == ["an", "an₂"]
    assert constants["ids"][2] == constants["ids"][5]
    assert constants["table"].count("an") == 1
    assert len(constants["table"]) == len(visit.stage["pose"]["vectors"]) == 14


@pytest.mark.parametrize("name", MOLES)
def test_the_moles_share_one_entry_and_part_ways(name):
    """In all three phrases the same row; what the other two make of it is drawn beside."""
    visit, entry = visit_example(name), {}
    constants, scope = visit.stage["constants"], visit.scope
    assert visit.values["word"] == "mole"
    here = constants["words"].index("mole")
    entry[name] = scope["x"][here]
    assert set(constants["table"]) == {word for each in MOLES for word in load_example(each).words}
    for k, other in enumerate(each for each in MOLES if each != name):
        example = load_example(other)
        there = example.words.index("mole")
        assert constants["ids_elsewhere"][k][there] == constants["ids"][here]
        assert constants["said_elsewhere"][k][here]
        np.testing.assert_array_equal(scope["x_elsewhere"][k][there], entry[name])
        np.testing.assert_allclose(
            scope["traces_elsewhere"][k].context[here], example.expected["context mole"], atol=1e-12
        )


def test_the_apples_have_each_other_beside_them():
    scope = visit_example("buy_an_apple").scope
    expected = load_example("apple_unveiled").expected["context apple"]
    np.testing.assert_allclose(scope["traces_elsewhere"][0].context[3], expected, atol=1e-12)
    assert scope["said_elsewhere"][0] == [word == "apple" for word in load_example("buy_an_apple").words]


def test_a_word_outside_the_sentence_pulls_nothing():
    visit = Visit(PATH)
    before = visit.scope["trace"].context
    visit.drag(vectors=moved(visit, banana=(5, 5), phone=(0, 0)))
    np.testing.assert_array_equal(visit.scope["trace"].context, before)


def test_the_pattern_is_the_cores_and_its_cells_say_how():
    visit, x = Visit(PATH), load_example("buy_an_apple").embeddings
    trace = scaled_dot_product_attention(x, x, x)
    part = next(part for part in visit.parts if part["kind"] == "heatmap")
    np.testing.assert_allclose(at(visit.scope, part["of"]), trace.weights, atol=1e-12)
    np.testing.assert_allclose(at(visit.scope, part["computed_from"][0]), trace.scaled_scores, atol=1e-12)
    assert part["rows"] == part["columns"] == "words"


# Goals -------------------------------------------------------------------------------------------------


def test_the_other_side_by_dragging_phone():
    visit = visit_example("apple_unveiled")
    assert "fruit side" in goals(visit)["other_side"]
    visit.drag(vectors=moved(visit, phone=(1, 5)))
    assert visit.reached == ["other_side"]


def test_the_other_side_does_not_count_if_the_word_itself_was_moved():
    visit = visit_example("apple_unveiled")
    visit.drag(vectors=moved(visit, phone=(1, 5), apple=(2.4, 3)))
    assert visit.reached == []


def test_staying_put_by_two_ways():
    for place in ((2.4, 2.4), (-1, -1)):
        visit = Visit(PATH)
        visit.drag(vectors=moved(visit, orange=place))
        assert visit.reached == ["stay_put"], place


def test_a_newcomer_brings_apple_over():
    visit = typed(Visit(PATH), "please buy an apple and an orange android")
    assert visit.reached == ["newcomer"]
    visit = typed(Visit(PATH), "please buy an apple and an orange pear")
    assert visit.reached == []
    assert "tech side" in goals(visit)["newcomer"]
    visit.drag(vectors=moved(visit, pear=(6, 0)))
    assert "newcomer" in visit.reached


def test_a_newcomer_does_not_count_with_others_moved_or_gone():
    visit = typed(Visit(PATH), "please buy an apple and an orange pear")
    visit.drag(vectors=moved(visit, pear=(6, 0), orange=(0.6, 4)))
    assert "newcomer" not in visit.reached
    visit = typed(Visit(PATH), "buy an apple and an android")
    assert visit.reached == []
    assert set(goals(visit)) == {"other_side", "stay_put"}


def test_goals_speak_of_the_word_of_interest():
    for example, word in (("buy_an_apple", "orange"), ("biopsy_of_the_mole", "mole")):
        assert all(f" {word} " in text for text in goals(visit_example(example, word=word)).values())


# Guesses -----------------------------------------------------------------------------------------------


def test_who_pulls_most():
    visit = Visit(PATH, predict="1")
    assert "Which other word has the largest weight for *apple*" in visit.text
    visit.at.button(key="embeddings.guess.6").click()
    assert "You predicted “**orange**”. That is correct." in visit.run().text


def test_before_any_context_the_moles_are_not_apart():
    visit = visit_example("biopsy_of_the_mole", predict="1")
    assert "how far apart are *mole* in *take a biopsy of the mole*" in visit.text
    visit.at.button(key="embeddings.guess.2").click()
    assert "You predicted “far”. The answer is “**not at all**”." in visit.run().text


def test_nothing_of_the_result_is_told_before_the_guess():
    visit = Visit(PATH, predict="1")
    arrows = [
        m for part in visit.parts if part["kind"] == "plane" for m in part["marks"] if m["kind"] == "displacement"
    ]
    assert arrows
    assert all(arrow["result"] for arrow in arrows)


# One's own sentence ------------------------------------------------------------------------------------


def test_a_sentence_of_ones_own_keeps_the_places_of_known_words():
    visit = typed(Visit(PATH), "the phone and the banana")
    constants = visit.stage["constants"]
    assert constants["words"] == ["the", "phone", "and", "the₂", "banana"]
    x = dict(zip(constants["words"], visit.scope["x"].tolist(), strict=True))
    assert x["phone"] == [4.8, 0.6]
    assert x["the"] == x["the₂"]
    assert visit.link == {"example": "own", "words": "the.phone.and.the.banana"}
    assert visit.values["word"] == "the"


def test_a_sentence_with_no_known_word():
    visit = typed(Visit(PATH), "qwerty asdf zxcv")
    x = visit.scope["x"]
    assert len({tuple(row) for row in x.tolist()}) == 3
    assert ((x >= -1) & (x <= 6)).all(), "new words are in sight"
    assert not visit.at.error
    plane = next(part for part in visit.parts if part["kind"] == "plane")
    assert plane["hint"] == "A new word starts near zero. Drag it to where it belongs."
    again = Visit(PATH, **visit.link)
    assert again.stage["pose"] == visit.stage["pose"]


def test_a_sentence_about_moles_stays_among_the_moles():
    visit = typed(visit_example("american_true_mole"), "one mole of milk")
    assert visit.values["example"] == "own"
    plane = next(part for part in visit.parts if part["kind"] == "plane")
    assert plane["axes"] == ["living", "laboratory"]
    assert visit.values["word"] == "mole"
    visit = typed(visit, "an apple of the phone")
    plane = next(part for part in visit.parts if part["kind"] == "plane")
    assert plane["axes"] == ["tech", "fruit"]
    np.testing.assert_array_equal(visit.scope["x"][[0, 1, 4]], [[-0.1, -0.2], [2.4, 2.4], [4.8, 0.6]])


def test_little_words_do_not_decide_the_plane():
    visit = typed(Visit(PATH), "one banana of a kind")
    assert visit.stage["constants"]["home"][1] == [0.2, 5.4]
    assert "banana" in visit.stage["constants"]["table"]


def test_a_moved_word_keeps_its_place_in_a_new_sentence():
    visit = Visit(PATH)
    visit.drag(vectors=moved(visit, phone=(1, 1)))
    typed(visit, "apple phone")
    np.testing.assert_array_equal(visit.scope["x"], [[2.4, 2.4], [1, 1]])


def test_vectors_are_typed_in():
    visit = Visit(PATH).open_editor()
    visit.at.text_area[0].set_value(visit.at.text_area[0].value.replace("phone 4.8 0.6", "phone 1/4 −.5"))
    visit.run()
    table = visit.stage["constants"]["table"]
    assert visit.stage["pose"]["vectors"][table.index("phone")] == [0.25, -0.5]
    assert set(visit.badges) == {"yours"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "1 to 16 words"),
        ("   ", "1 to 16 words"),
        ("x" * 25, "at most 24"),
        (" ".join(["apple"] * 17), "at most 16"),
    ],
)
def test_a_refused_sentence_says_why_and_nothing_is_lost(text, said):
    visit = Visit(PATH).nudge()
    before = visit.stage
    typed(visit, text)
    assert said in visit.at.error[0].value.replace("\\", "")
    assert len(visit.at.error) == 1
    assert visit.stage["pose"] == before["pose"]
    assert visit.at.text_input[0].value == text


def test_the_table_needs_every_word():
    visit = Visit(PATH).open_editor()
    visit.at.text_area[0].set_value("apple 1 1")
    visit.run()
    assert "one line for each of" in visit.at.error[0].value


def test_hostile_words():
    visit = typed(Visit(PATH), " ".join(HOSTILE))
    assert visit.values["words"] == tuple(HOSTILE)
    assert Visit(PATH, **visit.link).values["words"] == tuple(HOSTILE)


# Bad input ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["2_2", "0_0", "1000_1000", "-1000_1000"])
def test_every_word_at_the_same_place(place):
    visit = Visit(PATH, vectors="__".join([place] * 14))
    np.testing.assert_allclose(visit.scope["trace"].weights, 1 / 7)
    assert "The context does not move apple" in json.dumps(visit.parts)
    assert visit.reached == []
    assert "NaN" not in json.dumps(visit.stage)


def test_one_word_only():
    visit = own("apple")
    np.testing.assert_array_equal(visit.scope["trace"].weights, [[1]])
    assert "The context does not move apple" in json.dumps(visit.parts)
    assert visit.reached == []
    assert not Visit(PATH, example="own", words="apple", predict="1").stage["veil"], "there is nothing to guess"


def test_vectors_far_away():
    """Scores of a million: one word takes everything."""
    visit = Visit(PATH)
    visit.drag(vectors=moved(visit, apple=(1000, 1000), orange=(-1000, 1000)))
    assert visit.scope["trace"].weights[3].tolist() == [0, 0, 0, 1, 0, 0, 0]


def test_another_sentence_in_the_address_of_an_open_page():
    visit = Visit(PATH).nudge()
    visit.send({"link": "?example=own&words=a.b.c"}).run()
    assert len(visit.stage["pose"]["vectors"]) == 17
    visit.send({"link": "?words=apple"}).run()
    assert len(visit.stage["pose"]["vectors"]) == 14


# Further -----------------------------------------------------------------------------------------------


def test_displacements_add_up_in_their_fold():
    visit = Visit(PATH)
    assert "embeddings.further" not in visit.stages
    visit.at.session_state["embeddings.fold"] = True
    visit.run()
    still = visit.stages["embeddings.further"]
    assert still["provenance"] == "by hand"
    tower = load_example("miniature_eiffel_tower").expected
    np.testing.assert_allclose(still["constants"]["eiffel_first"], list(tower.values()))
    np.testing.assert_allclose(still["constants"]["miniature_first"][-1], tower["miniature Eiffel tower"])
    for way, name in (("with_wizard", "harry_wizard"), ("with_queen", "harry_queen_sussex_william")):
        np.testing.assert_allclose(still["constants"][way][-1], load_example(name).expected["context Harry"])


def test_a_tick_belongs_to_the_words_on_which_it_was_earned():
    visit = Visit(PATH)
    visit.session.state = update(visit.state, ReachGoals(["other_side"]))
    choice = "embeddings.example"
    first, other = visit.values["example"], "american_true_mole"
    visit.at.selectbox(key=choice).select(other)
    assert visit.run().stage["completed_goals"] == []
    visit.at.selectbox(key=choice).select(first)
    assert visit.run().stage["completed_goals"] == ["other_side"]


# Learned vectors ---------------------------------------------------------------------------------------

KINDS = (grammar.COLOURS, grammar.TEXTURES, grammar.NOUNS)
KIND_OF = {word: kind for kind in KINDS for word in kind}
ROBOT = "learned_robot"


def test_learned_words_of_one_kind_are_neighbours_and_what_is_said_of_them_is_counted():
    visit, example, model = visit_example(ROBOT), load_example(ROBOT), load_language_model()
    table = dict(zip(visit.stage["constants"]["table"], np.array(visit.stage["pose"]["vectors"]), strict=True))
    assert set(KIND_OF) <= set(table)
    for word, kind in KIND_OF.items():
        away = {other: np.linalg.norm(table[word] - table[other]) for other in KIND_OF if other != word}
        assert min(away, key=away.get) in kind
        assert all(away[a] < away[b] for a in away if a in kind for b in away if b not in kind)
    others = {word: np.linalg.norm(v) for word, v in example.lexicon.items() if word not in KIND_OF}
    least = min(np.linalg.norm(table[word]) for word in KIND_OF)
    assert np.mean([size < least for size in others.values()]) > 0.9, "most are nearer the middle"
    chosen = model.embeddings[model.places(list(KIND_OF))].astype(float)
    spread = np.linalg.svd(chosen - chosen.mean(0), compute_uv=False) ** 2
    unit = chosen / np.linalg.norm(chosen, axis=1, keepdims=True)
    same = np.equal.outer([KINDS.index(kind) for kind in KIND_OF.values()], [0, 1, 2]).astype(int)
    same = (same @ same.T).astype(bool)
    within, between = (
        (unit @ unit.T)[same & ~np.eye(len(chosen), dtype=bool)].mean(),
        (unit @ unit.T)[~same].mean(),
    )
    said = json.dumps(visit.parts, ensure_ascii=False)
    assert f"They hold {100 * spread[:2].sum() / spread.sum():.1f}% of the variance" in said
    told = f"{within:.2f} on average. Two words of different kinds have {between:.2f}".replace("-", "−")
    assert told in said


def test_in_the_learned_sentence_each_is_pulled_most_by_its_kind_as_the_text_says():
    visit = visit_example(ROBOT)
    words, weights = visit.stage["constants"]["words"], visit.scope["trace"].weights.copy()
    np.fill_diagonal(weights, 0)
    for word, strongest in (("blue", "red"), ("fluffy", "smooth"), ("creature", "castle")):
        assert words[weights[words.index(word)].argmax()] == strongest
        assert f"*{word}*" in visit.text
        assert f"*{strongest}*" in visit.text


def test_of_directions_without_a_name_nothing_is_said_of_fruit_technology_or_a_diagonal():
    visit = visit_example(ROBOT)
    said = f"{visit.text}{json.dumps(visit.stage['columns'])}{visit.stage['title']}".split("**One word")[0]
    assert not [word for word in ("fruit", "tech", "diagonal", "dotted", "zero") if word in said.casefold()]
    assert set(visit.badges) == {"learned"}
    assert set(goals(visit)) == {"stay_put", "outpulled", "of_its_kind"}


def test_another_word_pulls_more_by_hand_and_a_word_of_its_kind_by_itself():
    visit = visit_example(ROBOT)
    assert visit.values["word"] == "creature"
    assert "larger weight than castle" in goals(visit)["outpulled"]
    visit.drag(vectors=moved(visit, smooth=tuple(1.5 * load_example(ROBOT).lexicon["creature"])))
    assert visit.reached == ["outpulled"]
    assert set(visit.badges) == {"yours"}
    assert "outpulled" not in visit_example(ROBOT).drag(vectors=moved(visit, castle=(0, 0))).reached
    sentence = " ".join(load_example(ROBOT).words)
    assert typed(visit_example(ROBOT), f"{sentence} dragon").reached == ["of_its_kind"]
    assert typed(visit_example(ROBOT), f"{sentence} spiky").reached == []


def test_a_sentence_of_the_models_words_has_learned_vectors_until_one_is_moved():
    visit = typed(Visit(PATH), "the black cat chased a dog")
    lexicon = load_example(ROBOT).lexicon
    np.testing.assert_array_equal(visit.scope["x"], [lexicon[word] for word in visit.values["words"]])
    assert set(visit.badges) == {"learned"}
    visit.drag(vectors=moved(visit, black=(0, 0)))
    assert set(visit.badges) == {"yours"}
    by_hand = ("apple", "orange", "phone", "mole", "carbon")
    for word in (*by_hand, "the", "new", "dog"):
        assert (set(own("blue", word).badges) == {"learned"}) == (word not in by_hand)
    assert f"exceptions are {', '.join(by_hand)}:" in json.dumps(visit_example(ROBOT).parts)
    visit = typed(visit_example(ROBOT), "the black apple")
    assert visit.stage["constants"]["home"][visit.stage["constants"]["table"].index("apple")] == [2.4, 2.4]
