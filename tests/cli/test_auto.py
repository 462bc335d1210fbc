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
    judged = [row for row in league if row["folds"] >= 5]
    best = [row["cv_accuracy"] for row in judged]
    assert best == sorted(best, reverse=True)
    chosen = league[names.index(shown["method"])]
    assert chosen["folds"] in (5, 15) and chosen["cv_accuracy"] == shown["cv_accuracy"]
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


def test_leaders_are_judged_on_three_deals(spdml, data):
    """With the one that is to be beaten; not where groups are a fold each."""
    found = spdml("train", "d.npz", "-o", "m.spdml", "--json").good().json
    again = {row["method"] for row in found["league"] if row["folds"] == 15}
    assert len(again) > 1 and "krr-stein-bag" in again and found["method"] in again
    text = spdml("train", "d.npz", "-o", "m.spdml").good().out
    assert text.count("judged on 3 deals of folds") == len(again)
    for folds, dealt in [(3, True), (6, False)]:
        rows = spdml("train", "d.npz", "-o", "m.spdml", "--cv-groups", "who", "--cv", folds, "--json").good().json["league"]
        assert (max(row["folds"] for row in rows) == 3 * folds) == dealt


def test_nothing_beats_what_is_always_right(spdml, tmp_path):
    """So only the usual one, which would have to be beaten, is judged as well."""
    y = np.arange(20) % 2
    np.savez(tmp_path / "easy.npz", X=np.diag([1.0, 2.0, 3.0]) * np.exp(4 * y + 0.01 * np.arange(20))[:, None, None], y=y)
    found = spdml("train", "easy.npz", "-o", "m.spdml", "--json").good().json
    judged = {row["method"]: row["cv_accuracy"] for row in found["league"] if row["folds"]}
    assert judged == {"nn-stein": 1, "krr-stein-bag": 1, "ksvm-stein-bag": judged["ksvm-stein-bag"]}
    assert found["method"] == "krr-stein-bag"


def test_what_is_kept_is_an_ordinary_method(spdml, data):
    name = spdml("train", "d.npz", "-o", "m.spdml", "--json").good().json["method"]
    assert spdml("info", "m.spdml", "--json").good().json["method"] == name != "auto"
    predicted = spdml("predict", "m.spdml", "q.npz", "--json").good().json
    both = spdml("classify", "--train", "d.npz", "--test", "q.npz", "--json").good().json
    assert both["method"] == name and both["accuracy"] == predicted["accuracy"] > 0.6


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
    (["-m", 2], "auto does not use it"), (["--grid", "m=2"], "auto does not use it"),
    (["--time", "soon"], "a time such as"), (["--time", "0"], "a time such as"),
    (["--method", "cdl", "--time", "5s"], "--time limits auto"),
])
def test_misuse(spdml, data, options, words):
    spdml("train", "d.npz", "-o", "m.spdml", *options).failed(words, code=2)


# ---- what is no good -----------------------------------------------------------------------------


@pytest.fixture
def two(tmp_path):
    """Two classes of 5 x 5 matrices; saves variants of them under a name, returns how."""
    rng = np.random.default_rng(5)
    y = np.arange(40) % 2
    A = rng.standard_normal((40, 5, 30))
    A[:, 0] *= np.where(y == 1, 3.0, 1.0)[:, None]
    X = A @ A.transpose(0, 2, 1) / 30

    def save(name, **arrays):
        np.savez(tmp_path / name, **{key: value for key, value in
                                     {"X": X, "y": y, **arrays}.items() if value is not None})
        return X, y
    return save


def test_labels_that_nothing_can_be_learned_from(spdml, two, tmp_path):
    _, y = two("none.npz", y=None)
    two("one.npz", y=y * 0)
    two("own.npz", y=np.arange(40))
    two("nan.npz", y=np.where(y == 1, np.nan, 0))
    two("alone.npz", y=y, who=y)
    for file, *words in [("none.npz", "no labels", "--labels"), ("one.npz", "all 40 samples", "two classes"),
                         ("own.npz", "too few samples", "largest of 1", "two samples of one"), ("nan.npz", "label 1 is nan")]:
        spdml("train", file, "-o", "m.spdml").failed(file, *words)
    spdml("train", "alone.npz", "--cv-groups", "who", "-o", "m.spdml").failed(
        "40 of 40 samples", "one group only", "use other groups")
    for file, words in [("one.npz", "two classes"), ("own.npz", "one sample only"), ("none.npz", "labels")]:
        spdml("evaluate", file).failed(file, words)
    assert not (tmp_path / "m.spdml").exists()


def test_one_class_in_one_group(spdml, two):
    """Its samples train, or count as errors, and the rest is judged."""
    _, y = two("d.npz")
    y = np.where(np.arange(40) < 4, 2, y)
    two("d.npz", y=y, who=np.where(y == 2, 0, np.arange(40) // 2 % 5))
    shown = spdml("train", "d.npz", "--cv-groups", "who", "-o", "m.spdml", "--json").good().json
    assert shown["folds"] == 5 and shown["cv_accuracy"] <= 0.9


def test_new_data_that_do_not_fit(spdml, two, tmp_path):
    X, y = two("d.npz")
    two("more.npz", y=None)
    two("four.npz", X=X[:, 1:, 1:])
    two("other.npz", y=np.where(np.arange(40) < 5, 7, y))
    two("strange.npz", y=y + 5)
    spdml("train", "d.npz", "-o", "m.spdml").good()
    spdml("predict", "m.spdml", "more.npz").good()
    spdml("predict", "m.spdml", "four.npz").failed("four.npz: holds 4 x 4", "5 x 5")
    assert "5 of 40 samples have a label that does not occur" in spdml(
        "predict", "m.spdml", "other.npz").good().err
    assert "none of its labels (5, 6) is a class" in spdml("predict", "m.spdml", "strange.npz").good().err


def test_another_scale(spdml, two):
    """Raw matrices for a method of normalised ones, and another unit; not where it does not matter."""
    X, _ = two("raw.npz")
    trace = np.trace(X, axis1=1, axis2=2)[:, None, None]
    two("one.npz", X=X / trace)
    two("volt.npz", X=X * 1e-12)
    for name, words in [("raw", []), ("one", []), ("own", ["--normalize", "trace"])]:
        spdml("train", "one.npz" if name == "one" else "raw.npz", *words, "-o", f"{name}.spdml").good()
    for model, data, warned in [("raw", "volt", True), ("one", "raw", True), ("raw", "raw", False),
                                ("one", "one", False), ("own", "volt", False), ("own", "raw", False)]:
        err = spdml("predict", f"{model}.spdml", f"{data}.npz").good().err
        assert ("only one of them is normalised?" in err) == warned, (model, data)
