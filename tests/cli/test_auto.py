"""`--method auto`: a method from a portfolio, by train, classify and evaluate."""
import numpy as np
import pytest


@pytest.fixture
def data(tmp_path):
    """Three classes that differ in two directions of six, the others noise; two sets of them."""
    rng = np.random.default_rng(3)

    def draw(name, p):
        y = np.arange(p) % 3
        A = rng.standard_normal((p, 6, 18)) * np.exp(rng.normal(0, 0.5, (p, 6)))[:, :, None]
        A[:, 0] *= np.where(y == 1, 3.0, 1.0)[:, None]
        A[:, 1] *= np.where(y == 2, 3.0, 1.0)[:, None]
        np.savez(tmp_path / name, X=A @ A.transpose(0, 2, 1), y=y + 1, who=np.arange(p) // 3 % 6)
        return y + 1
    return {"train": draw("d.npz", 54), "test": draw("q.npz", 30)}


def test_the_league(spdml, data):
    shown = spdml("train", "d.npz", "-o", "m.spdml", "--json").good().json
    league = shown["league"]
    names = [row["method"] for row in league]
    assert len(names) == len(set(names)) == 16 and shown["method"] in names
    judged = [row for row in league if row["folds"] == 5]
    best = [row["cv_accuracy"] for row in judged]
    assert best == sorted(best, reverse=True)
    chosen = league[names.index(shown["method"])]
    assert chosen["folds"] == 5 and chosen["cv_accuracy"] == shown["cv_accuracy"]
    assert shown["expected_low"] <= shown["expected_accuracy"] <= shown["expected_high"]
    assert shown["expected_accuracy"] <= chosen["cv_accuracy"]
    assert all(row["parameters"] for row in judged if row["method"].endswith("-ml"))


def test_the_table(spdml, data):
    text = spdml("train", "d.npz", "-o", "m.spdml").good().out
    lines = text.splitlines()
    table = lines[next(i for i, line in enumerate(lines) if "accuracy %" in line):]
    assert all(len(line) <= 80 for line in table[:20])
    assert sum(line.startswith("* ") for line in table) == 1
    assert any(line.startswith("expected ") and "95 % interval" in line for line in table)


def test_what_is_kept_is_an_ordinary_method(spdml, data):
    name = spdml("train", "d.npz", "-o", "m.spdml", "--json").good().json["method"]
    assert spdml("info", "m.spdml", "--json").good().json["method"] == name != "auto"
    predicted = spdml("predict", "m.spdml", "q.npz", "--json").good().json
    both = spdml("classify", "--train", "d.npz", "--test", "q.npz", "--json").good().json
    assert both["method"] == name and both["accuracy"] == predicted["accuracy"] > 0.6
    spdml("update", "m.spdml", "q.npz", "-o", "n.spdml").good()


def test_nested_in_evaluate(spdml, data, tmp_path):
    """Each round chooses within its training part; what is kept predicts what was seen."""
    got = spdml("evaluate", "d.npz", "--methods", "auto,nn-stein", "--split", 0.5, "--repeats", 2, "--json",
                "--keep", "kept").good().json
    auto = got["results"][0]
    assert auto["method"] == "auto" and len(auto["rounds"]) == 2
    for number, round in enumerate(auto["rounds"], 1):
        model = spdml("info", f"kept/auto-{number}.spdml", "--json").good().json
        assert model["method"] == round["chosen"] != "auto"
    assert got["final"][0]["method"] != "auto"
    text = spdml("evaluate", "d.npz", "--methods", "auto", "--split", 0.5, "--repeats", 2, "--final",
                 "none").good().out
    assert auto["rounds"][0]["chosen"] in text


def test_groups_stay_together(spdml, data):
    shown = spdml("train", "d.npz", "-o", "m.spdml", "--cv-groups", "who", "--cv", 3, "--json").good().json
    assert shown["folds"] == 3
    spdml("train", "d.npz", "-o", "m.spdml", "--cv-groups", "y").failed("one group only")


def test_no_time(spdml, data):
    shown = spdml("train", "d.npz", "-o", "m.spdml", "--time", "0.000001s", "--json").good().json
    assert shown["method"] == "nn-stein" and sum(row["late"] for row in shown["league"]) == 15
    text = spdml("train", "d.npz", "-o", "m.spdml", "--time", "0.000001s").good().out
    assert "not begun in the time" in text


@pytest.mark.parametrize("options,words", [
    (["--metric", "airm"], "auto chooses its own"), (["--no-tune"], "name a method"),
    (["-m", 2], "auto does not use it"), (["--grid", "m=2"], "none of the methods uses it"),
    (["--time", "soon"], "a time such as"), (["--time", "0"], "a time such as"),
    (["--method", "cdl", "--time", "5s"], "--time limits auto"),
])
def test_misuse(spdml, data, options, words):
    spdml("train", "d.npz", "-o", "m.spdml", *options).failed(words, code=2)


def test_what_cannot_be_judged(spdml, tmp_path):
    X = np.eye(3) * np.exp(np.linspace(0, 3, 6))[:, None, None]
    np.savez(tmp_path / "one.npz", X=X, y=[1] * 6)
    np.savez(tmp_path / "own.npz", X=X, y=np.arange(6))
    spdml("train", "one.npz", "-o", "m.spdml").failed("at least two classes")
    spdml("train", "own.npz", "-o", "m.spdml").failed("too few samples for cross-validation")


def test_another_size(spdml, data, tmp_path):
    np.savez(tmp_path / "small.npz", X=np.stack([np.eye(4)] * 3))
    spdml("train", "d.npz", "-o", "m.spdml").good()
    spdml("predict", "m.spdml", "small.npz").failed("4 x 4", "6 x 6")
