"""`attention-lab show FILE`: a view beside the file, in the browser; what is wrong is said in one sentence."""

import numpy as np
import pytest

from attention_lab import show_command


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run the command in a folder with a file of weights: status, output, errors and opened addresses."""
    monkeypatch.chdir(tmp_path)
    np.savez("attention.npz", attention=np.full((1, 2, 3, 3), 1 / 3), tokens=["a", "b", "c"])
    opened = []
    monkeypatch.setattr(show_command.webbrowser, "open", lambda address: opened.append(address) or True)

    def run(*arguments):
        opened.clear()
        return show_command.main(arguments), *capsys.readouterr(), [*opened]

    return run


def test_a_view_is_written_beside_the_file_and_opened(run, tmp_path):
    for _ in range(2):  # the second writes over the first
        assert run("attention.npz") == (
            0,
            "Wrote attention.html.\n",
            "",
            [(tmp_path / "attention.html").as_uri()],
        )
    text = (tmp_path / "attention.html").read_text("utf-8")
    assert '<html lang="en"' in text


def test_the_place_the_language_and_the_browser_can_be_chosen(run, tmp_path):
    told = run("attention.npz", "--output", "other.html", "--language", "de", "--no-open")
    assert told == (0, "Wrote other.html. Open it in a browser.\n", "", [])
    assert '<html lang="de"' in (tmp_path / "other.html").read_text("utf-8")
    assert not (tmp_path / "attention.html").exists()


def test_a_machine_without_a_browser_is_told_where_the_view_is(run, monkeypatch):
    monkeypatch.setattr(show_command.webbrowser, "open", lambda _: False)
    assert run("attention.npz")[:2] == (0, "Wrote attention.html. Open it in a browser.\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["none.npz"], "There is no file none.npz. Check its name, or write it with attention_lab.save."),
        (["."], ". is a folder; name a file in it, such as attention.npz"),
        (["mine.html"], "mine.html: the file is neither .npz nor .safetensors: it begins with b'mine'"),
        (["attention.npz", "--output", "mine.html"], "mine.html already exists, and is no view. Choose another"),
        (["attention.npz", "--output", "no/a.html"], "There is no folder no. Make it, or choose another one."),
        (["batch.npz"], "batch.npz: layer 0 of attention holds a batch of 2 texts"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_nothing_is_written(run, tmp_path, arguments, sentence):
    (tmp_path / "mine.html").write_text("mine")
    np.savez("batch.npz", **{"layer 0": np.full((2, 1, 3, 3), 1 / 3)})
    status, printed, errors, opened = run(*arguments)
    assert (status, printed, opened) == (2, "", [])
    assert errors.startswith(sentence)
    assert errors.count("\n") == 1
    assert (tmp_path / "mine.html").read_text() == "mine"
    assert not (tmp_path / "attention.html").exists()


def test_one_text_of_a_batch_is_chosen(run):
    np.savez("batch.npz", **{"layer 0": np.full((2, 1, 3, 3), 1 / 3)})
    assert run("batch.npz", "--batch", "1", "--no-open")[0] == 0


def test_a_view_is_html(run, capsys):
    with pytest.raises(SystemExit):
        run("attention.npz", "--output", "weights.npz")
    assert "weights.npz must end in .html" in capsys.readouterr().err
