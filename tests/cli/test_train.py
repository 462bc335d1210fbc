"""`spdml train` and `spdml predict`: the same as classify, in two steps; what the file says, holds and
refuses; inputs that are no matrices; scores."""

import csv
import json
import re

import learn_twins
import numpy as np
import pytest
import twins
from conftest import members, rewrite

METHODS = ["nn-airm", "knn-stein", "mdm-airm", "rsr", "cdl", "cdl-lda", "pga", "ts-lda",
           "ksvm-stein", "ksvm-log-euclidean", "riemannian-laplacian", "nn-stein-ml",
           "rsr-ml", "pca-nn-airm", "mdm-airm-csp", "nn-stein-multi", "cov3dj", "ts-lr",
           "krr-stein", "krr-tangent", "krr-both-ml"]


@pytest.fixture
def sets(tmp_path, rng):
    """Train and test sets of three classes with names."""
    X, y = learn_twins.classes(rng, 54, 5)
    y = np.array(["cat", "cow", "dog"])[y]
    np.savez(tmp_path / "a.npz", X=X[:30], y=y[:30])
    np.savez(tmp_path / "b.npz", X=X[30:], y=y[30:])
    return X[:30], y[:30], X[30:], y[30:]


@pytest.fixture
def trained(spdml, sets):
    """A trained method without cross-validation, in a file."""
    def run(method, *more, data="a.npz", output="m.spdml"):
        return spdml("train", data, "--method", method, "--no-tune", "-o", output, "--json",
                     *more).good().json

    return run


# ---- the same as in one step --------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_train_and_predict_are_classify(spdml, trained, tmp_path, method):
    spdml("classify", "--train", "a.npz", "--test", "b.npz", "--method", method, "--no-tune", "--scores", "-o",
          "one.npz").good()
    trained(method)
    shown = spdml("predict", "m.spdml", "b.npz", "--scores", "-o", "two.npz", "--json").good().json
    with np.load(tmp_path / "one.npz") as one, np.load(tmp_path / "two.npz") as two:
        assert sorted(one.files) == sorted(two.files) == ["classes", "predicted", "scores", "y"]
        for name in one.files:
            assert one[name].tobytes() == two[name].tobytes(), name
        assert shown["correct"] == (one["predicted"] == one["y"]).sum()


def test_tuned_by_default(spdml, sets, tmp_path):
    words = ["train", "a.npz", "--method", "knn-stein", "-o", "m.spdml", "--json"]
    shown = spdml(*words).good().json
    assert shown["settings"] == 5 and shown["folds"] == 5 and 0.3 < shown["cv_accuracy"] <= 1
    info = spdml("info", "m.spdml", "--json").good().json
    for key in ("method", "parameters", "settings", "folds", "cv_accuracy", "class_names", "n", "m",
                "holds", "held", "trained_with"):
        assert info[key] == shown[key], key
    only = spdml(*words, "--grid", "k=3,4").good().json
    assert only["settings"] == 2 and only["parameters"]["k"] in (3, 4)
    plain = spdml(*words, "--no-tune").good().json
    assert plain["settings"] == 0 and plain["parameters"] == {"k": 5}
    assert "not by cross-validation" in spdml("info", "m.spdml").good().out
    spdml(*words, "--no-tune", "--grid", "k=3,4").failed("--no-tune takes one value", code=2)
    assert spdml(*words, "--no-tune", "--grid", "k=3").good().json["parameters"] == {"k": 3}


def test_folds_keep_groups_together(spdml, sets, tmp_path):
    X, y, _, _ = sets
    np.savez(tmp_path / "g.npz", X=X, y=y, subject=np.arange(30) % 3)
    shown = spdml("train", "g.npz", "--method", "knn-stein", "--cv-groups", "subject", "-o",
                  "m.spdml", "--json").good().json
    assert shown["folds"] == 3
    spdml("train", "g.npz", "--method", "knn-stein", "--cv-groups", "who", "-o", "m.spdml").failed(
        "--cv-groups", "subject")


# ---- scores -------------------------------------------------------------------------------------


def test_scores_in_a_table_and_in_json(spdml, trained, sets, tmp_path):
    X, y, Q, truth = sets
    trained("nn-stein")
    done = spdml("predict", "m.spdml", "b.npz", "--scores", "-o", "p.csv", "--json").good().json
    d2 = twins.pairwise2("stein", Q, X)
    expected = np.array([d2[:, y == c].min(axis=1) for c in ("cat", "cow", "dog")]).T
    with open(tmp_path / "p.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["index", "predicted", "y", "score cat", "score cow", "score dog"]
    table = np.array([[float(row[f"score {c}"]) for c in ("cat", "cow", "dog")] for row in rows])
    np.testing.assert_allclose(table, expected, rtol=1e-8, atol=1e-10)
    assert done["scores"]["best"] == "smallest" and "distance" in done["scores"]["what"]
    assert done["scores"]["classes"] == ["cat", "cow", "dog"]
    assert done["scores"]["values"] == table.tolist()
    assert done["scores"]["labels"] == [row["predicted"] for row in rows]
    assert [row["predicted"] for row in rows] == [
        ("cat", "cow", "dog")[k] for k in expected.argmin(axis=1)]


def test_predict_lists_samples(spdml, trained, sets, tmp_path):
    """On the screen the first ones; in JSON and on standard output all of them."""
    _, _, Q, t = sets
    trained("mdm-airm")
    table = spdml("predict", "m.spdml", "b.npz", "--scores", "-o", "-").good().out
    rows = list(csv.DictReader(table.splitlines()))
    out = spdml("predict", "m.spdml", "b.npz").good().out.splitlines()
    at = next(k for k, line in enumerate(out) if line.startswith("sample "))
    assert out[at].split() == ["sample", "predicted", "score", "label"]
    assert len(rows) == len(Q)
    for k, (row, line) in enumerate(zip(rows[:20], out[at + 1:])):
        best = float(row[f"score {row['predicted']}"])
        assert line.split() == [str(k), row["predicted"], f"{best:.4g}", row["y"]]
    samples = spdml("predict", "m.spdml", "b.npz", "--scores", "--json").good().json["samples"]
    assert [(s["predicted"], s["y"]) for s in samples] == [(row["predicted"], row["y"]) for row in rows]
    assert [s["score"] for s in samples] == [float(row[f"score {row['predicted']}"]) for row in rows]
    spdml("predict", "m.spdml", "b.npz", "-o", "-", "--json").failed("cannot be used together", code=2)
    names = [f"Häuser {k}" if k else "x" * 50 for k in range(len(Q))]
    np.savez(tmp_path / "n.npz", X=Q, name=names)
    out = spdml("predict", "m.spdml", "n.npz").good().out
    assert re.search(r"^0 +\.\.\.x{37}  ", out, re.M) and re.search("^1 +Häuser 1  ", out, re.M)
    assert "label" not in out
    np.savez(tmp_path / "one.npz", X=Q[:1])
    out = spdml("predict", "m.spdml", "one.npz").good().out
    assert "one.npz: 1 sample\n" in out and "1 as " in out and "0 as " not in out


# ---- what the file says -------------------------------------------------------------------------


@pytest.mark.parametrize("method, holds, held", [("mdm-airm", "none", 0), ("ts-lda", "none", 0),
                                                 ("pga", "vectors", 30), ("nn-airm", "samples", 30)])
def test_info_says_what_is_held(spdml, trained, method, holds, held):
    trained(method)
    shown = spdml("info", "m.spdml", "--json").good().json
    assert shown["kind"] == "trained method" and shown["method"] == method
    assert (shown["holds"], shown["held"], shown["trained_with"]) == (holds, held, 30)
    line = next(line for line in spdml("info", "m.spdml").good().out.splitlines()
                if line.startswith("training samples"))
    assert ("holds none" in line) == (holds == "none")


def test_no_more_samples_than_needed(trained, tmp_path):
    """numpy opens the file; there is no matrix of training in that of mdm."""
    trained("mdm-airm")
    with np.load(tmp_path / "m.spdml") as file:
        assert "samples" not in file.files and file["means"].shape == (3, 25)
    trained("nn-stein-ml", "-m", 2)
    with np.load(tmp_path / "m.spdml") as file:
        assert file["samples"].shape == (30, 4) and file["W"].shape == (5, 2)


def test_transform_applies_the_map(spdml, trained, sets, tmp_path):
    trained("nn-stein-ml", "-m", 2)
    spdml("transform", "m.spdml", "b.npz", "-o", "low.npz").good()
    W = np.load(tmp_path / "m.spdml")["W"]
    with np.load(tmp_path / "low.npz") as low:
        np.testing.assert_allclose(low["X"], W.T @ sets[2] @ W, rtol=1e-12, atol=1e-12)
        assert (low["y"] == sets[3]).all()


def test_labels_keep_their_type(spdml, trained, sets, tmp_path):
    X, _, Q, _ = sets
    for dtype in (np.int64, np.float64):
        y = (np.arange(30) % 3 + 10).astype(dtype)
        np.savez(tmp_path / "n.npz", X=X, y=y)
        trained("nn-stein", data="n.npz")
        spdml("predict", "m.spdml", "n.npz", "-o", "p.npz").good()
        predicted = np.load(tmp_path / "p.npz")["predicted"]
        assert predicted.dtype == dtype and (predicted == y).all()


def test_labels_that_are_no_classes(spdml, trained, sets, tmp_path):
    """They are not scored: 0 % would say that the method is at fault."""
    _, _, Q, truth = sets
    trained("nn-stein")
    np.savez(tmp_path / "c.npz", X=Q, y=["no", "yes"] * (len(Q) // 2))
    done = spdml("predict", "m.spdml", "c.npz", "-o", "p.csv").good()
    assert "accuracy" not in done.out
    assert "c.npz: none of its labels (no, yes) is a class of m.spdml" in done.err
    assert (tmp_path / "p.csv").read_text().startswith("index,predicted,y\n")
    np.savez(tmp_path / "b.npz", X=Q, y=truth)
    shown = spdml("predict", "m.spdml", "b.npz", "--label-by", "none", "--json").good()
    assert shown.json["accuracy"] is None and not shown.err
    spdml("predict", "m.spdml", "b.npz", "--label-by", "folder").failed("is a data set", code=2)


def test_a_method_without_names(spdml, trained, sets, tmp_path):
    """Its classes are numbers, which labels that are numbers must not be compared with."""
    X, y, Q, truth = sets
    names = {name: i + 1 for i, name in enumerate(sorted(set(y)))}
    np.savez(tmp_path / "a.npz", X=X, y=[names[k] for k in y])
    np.savez(tmp_path / "b.npz", X=Q, y=[names[k] for k in truth])
    trained("nn-stein")
    rewrite(tmp_path / "m.spdml", lambda meta: meta.update(unnamed=True), to=tmp_path / "c.spdml")
    done = spdml("predict", "c.spdml", "b.npz", "--json").good()
    assert done.json["accuracy"] is None
    assert "c.spdml: was saved without the names of its classes" in done.err


# ---- inputs that are no matrices ----------------------------------------------------------------


@pytest.fixture
def signals(tmp_path, rng):
    """Tables of three channels whose mixture tells two classes apart."""
    def make(count):
        mix = [np.array([[1, .6, 0], [0, 1, 0], [0, 0, 1]]),
               np.array([[1, 0, 0], [0, 1, .6], [0, 0, 1]])]
        return np.array([rng.standard_normal((80, 3)) @ mix[i % 2] for i in range(count)])

    for name, count in (("old", 20), ("new", 10)):
        np.savez(tmp_path / f"{name}.npz", X=make(count), y=np.arange(count) % 2)


def test_signals_are_described_on_the_way(spdml, signals, trained, tmp_path):
    words = ["--rate", 40, "--bands", "2-15", "--shrinkage", 0.1, "--window", 1]
    spdml("describe", "covariance", "old.npz", *words, "-o", "cov.npz").good()
    spdml("describe", "covariance", "new.npz", *words, "-o", "cov_new.npz").good()
    trained("mdm-airm", data="cov.npz")
    one = spdml("predict", "m.spdml", "cov_new.npz", "--scores", "--json").good().json
    two = spdml("predict", "m.spdml", "new.npz", "--raw", "--scores", "--json").good().json
    assert two["described"] and not one["described"]
    assert one["scores"]["values"] == two["scores"]["values"] and one["total"] == 20
    assert one["accuracy"] == two["accuracy"] > 0.6
    shown = spdml("info", "m.spdml", "--json").good().json
    assert shown["meta"]["descriptor"] == "covariance"


def test_described_otherwise_is_refused(spdml, signals, trained):
    spdml("describe", "covariance", "old.npz", "-o", "cov.npz").good()
    spdml("describe", "covariance", "new.npz", "--shrinkage", 0.1, "-o", "other.npz").good()
    trained("mdm-airm", data="cov.npz")
    spdml("predict", "m.spdml", "other.npz").failed("other.npz", "described differently",
                                                    'shrinkage "value" against "none"')


@pytest.mark.parametrize("kind, size, words", [
    ("sift-color", 48, ["--size", 48, "--no-color", "--sift-step", 6]),
    ("gabor", 24, ["--size", 24, "--scales", 2, "--orientations", 3, "--regions", "1x2"]),
    ("region", 24, ["--grid", "2x2", "--no-color"])])
def test_images_are_described_on_the_way(spdml, trained, tmp_path, rng, kind, size, words):
    for name, count in (("old", 6), ("new", 4)):
        images = (rng.random((count, size, size)) * 255).astype(np.uint8)
        np.savez(tmp_path / f"{name}.npz", images=images, y=np.arange(count) % 2)
        spdml("describe", kind, f"{name}.npz", *words, "--regularize", 0.1, "-o",
              f"{name}_cov.npz").good()
    trained("nn-airm", data="old_cov.npz")
    spdml("predict", "m.spdml", "new_cov.npz", "--scores", "-o", "one.npz").good()
    spdml("predict", "m.spdml", "new.npz", "--raw", "--scores", "-o", "two.npz").good()
    with np.load(tmp_path / "one.npz") as one, np.load(tmp_path / "two.npz") as two:
        assert one["scores"].tobytes() == two["scores"].tobytes()


def test_a_folder_of_images(spdml, trained, tmp_path, rng):
    """Files in folders named after their class, recognised as such; some of them by name."""
    for label in ("dark", "light"):
        (tmp_path / "photos" / label).mkdir(parents=True)
        for i in range(3):
            pixels = (rng.random((20, 20)) * (40 if label == "dark" else 250)).astype(np.uint8)
            (tmp_path / "photos" / label / f"{i}.pgm").write_bytes(b"P5 20 20 255\n" + pixels.tobytes())
    spdml("describe", "region", "photos", "--regularize", 0.01, "-o", "cov.npz").good()
    trained("nn-airm", data="cov.npz")
    shown = spdml("predict", "m.spdml", "photos", "-o", "p.csv", "--json").good().json
    assert shown["described"] and shown["correct"] == shown["total"] == 6
    with open(tmp_path / "p.csv", newline="") as file:
        assert next(csv.DictReader(file))["name"].endswith("dark/0.pgm")
    for path, source in [("new/1.pgm", "dark/1"), ("new/sub folder/2.pgm", "light/2")]:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes((tmp_path / "photos" / f"{source}.pgm").read_bytes())
    done = spdml("predict", "m.spdml", "new", "-o", "p.csv").good()
    assert "accuracy" not in done.out and "1 as light" in done.out
    assert done.err.startswith("spdml: new: none of its labels (new, sub folder) is a class of")
    assert (tmp_path / "p.csv").read_text().splitlines()[0] == "index,name,predicted"
    done = spdml("predict", "m.spdml", "photos", "--label-by", "none").good()
    assert "accuracy" not in done.out and not done.err
    done = spdml("predict", "m.spdml", "new/1.pgm").good()
    assert done.err == "spdml: new/1.pgm: has no labels; the predictions are not scored\n"
    done = spdml("predict", "m.spdml", "new/1.pgm", "new/sub folder").good()
    assert done.err.startswith("spdml: new/1.pgm and 1 more: none of its labels")
    few = spdml("predict", "m.spdml", "photos/dark/1.pgm", "photos/light/0.pgm", "--json").good().json
    assert few["predicted"] == {"dark": 1, "light": 1}
    spdml("predict", "m.spdml", "cov.npz", "cov.npz").failed("only one is taken", code=2)


def test_clips_are_described_on_the_way(spdml, trained, tmp_path):
    spdml("synth", "motion", "--classes", 2, "--samples", 1, "--subjects", 2, "--frames", 30, "-o",
          "clips").good()
    spdml("describe", "joints", "clips", "--labels", "clips/index.csv", "--center", "root", "--frames",
          "5:", "-o", "cov.npz").good()
    trained("nn-stein", data="cov.npz")
    spdml("predict", "m.spdml", "cov.npz", "--scores", "-o", "one.npz").good()
    spdml("predict", "m.spdml", "clips", "--labels", "clips/index.csv", "--scores", "-o",
          "two.npz").good()
    with np.load(tmp_path / "one.npz") as one, np.load(tmp_path / "two.npz") as two:
        assert one["scores"].tobytes() == two["scores"].tobytes()
        assert (one["y"] == two["y"]).all()


def test_a_folder_without_a_record(spdml, trained, tmp_path):
    trained("mdm-airm")
    (tmp_path / "photos").mkdir()
    spdml("predict", "m.spdml", "photos").failed("photos: cannot be described",
                                                 "do not say how they were made")


# ---- what is refused ----------------------------------------------------------------------------


def test_other_files_than_trained_methods(spdml, trained, sets, tmp_path):
    trained("nn-stein-ml", "-m", 2)
    spdml("fit", "a.npz", "-m", 2, "-o", "model.spdml").good()
    spdml("predict", "model.spdml", "b.npz").failed("model.spdml: is a model, not a trained method")
    spdml("predict", "a.npz", "b.npz").failed("a.npz", "meta.json")
    spdml("predict", "none.spdml", "b.npz").failed("none.spdml")
    spdml("classify", "--train", "a.npz", "--test", "b.npz", "--method", "nn", "--model",
          "m.spdml").failed("m.spdml: is a spdml trained method, not a spdml model")


def test_another_size(spdml, trained, tmp_path, rng):
    X, y = learn_twins.classes(rng, 9, 4)
    trained("mdm-airm")
    np.savez(tmp_path / "four.npz", X=X, y=y)
    spdml("predict", "m.spdml", "four.npz").failed("four.npz: holds 4 x 4", "trained with 5 x 5")


def test_newer_and_damaged_files(spdml, trained, tmp_path):
    trained("mdm-airm")
    whole = (tmp_path / "m.spdml").read_bytes()
    (tmp_path / "cut.spdml").write_bytes(whole[:len(whole) // 2])
    spdml("predict", "cut.spdml", "b.npz").failed("cut.spdml")
    spdml("info", "cut.spdml").failed("cut.spdml")

    def changed(name, change, leave=""):
        rewrite(tmp_path / "m.spdml", change, leave=leave, to=tmp_path / name)

    changed("newer.spdml", lambda meta: meta.update(format=4))
    spdml("predict", "newer.spdml", "b.npz").failed("newer.spdml", "format 4", "newer version")
    changed("odd.spdml", lambda meta: meta.update(method="nn-fancy"))
    spdml("predict", "odd.spdml", "b.npz").failed("odd.spdml", "no method 'nn-fancy'")
    changed("few.spdml", lambda meta: None, leave="means.npy")
    spdml("predict", "few.spdml", "b.npz").failed("few.spdml: has no array means")
    for name in "normalize_kernel", "no_occlusion":
        changed("gone.spdml", lambda meta, name=name: meta.update({name: 1}))
        spdml("predict", "gone.spdml", "b.npz").failed("gone.spdml", "no longer", "train the method again")
    changed("size.spdml", lambda meta: meta["sizes"].update(n=6, m=6))
    spdml("predict", "size.spdml", "b.npz").failed("size.spdml: means: is not 3 x 36")


def test_what_cannot_be_trained(spdml, sets, tmp_path):
    np.savez(tmp_path / "bare.npz", X=sets[0])
    spdml("train", "bare.npz", "--method", "nn", "-o", "m.spdml").failed("bare.npz", "no labels")
    spdml("train", "a.npz", "--method", "nn", "-o", "m.npz").failed(".spdml", code=2)
    spdml("train", "a.npz", "--method", "mdm", "-k", 3, "-o", "m.spdml").failed("-k: mdm-airm", code=2)


# ---- from evaluate ------------------------------------------------------------------------------


def test_evaluate_keeps_what_it_chose(spdml, sets, tmp_path):
    X, y, Q, truth = sets
    part = np.repeat([0, 1], [30, 24])
    np.savez(tmp_path / "all.npz", X=np.r_[X, Q], y=np.r_[y, truth], part=part)
    methods = ["knn-stein", "nn-stein-ml", "rsr", "mdm-airm"]
    found = spdml("evaluate", "all.npz", "--methods", ",".join(methods), "--train-where", "part=0",
                  "--grid", "m=2,5", "--keep", "kept", "-o", "out", "--json").good().json
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == sorted(
        f"{method}.spdml" for method in methods)
    with np.load(tmp_path / "out" / "predictions.npz") as file:
        seen = {method: file[f"predicted-{method}"] for method in methods}
    for method in methods:
        spdml("predict", f"kept/{method}.spdml", "b.npz", "-o", "p.npz").good()
        assert (np.load(tmp_path / "p.npz")["predicted"] == seen[method]).all()
        shown = spdml("info", f"kept/{method}.spdml", "--json").good().json
        one = next(result for result in found["results"] if result["method"] == method)
        assert shown["cv_accuracy"] == one["rounds"][0]["cv_accuracy"]


def test_evaluate_keeps_every_round(spdml, sets, tmp_path):
    X, y, _, _ = sets
    np.savez(tmp_path / "g.npz", X=X, y=y, subject=np.array(["ann", "b/b", "cy"])[np.arange(30) % 3])
    spdml("evaluate", "g.npz", "--methods", "mdm-airm", "--leave-one-group-out", "subject", "--keep",
          "kept").good()
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == [
        "mdm-airm-ann.spdml", "mdm-airm-b_b.spdml", "mdm-airm-cy.spdml"]
    spdml("evaluate", "g.npz", "--methods", "mdm-airm", "--leave-one-group-out", "subject", "--keep",
          "a.npz").failed("a.npz is a file; --keep names a folder")


def test_maps_of_several_parts_grow(spdml, trained, tmp_path):
    """The parts of a multi map in another order: each is whole, but they were learned to grow."""
    trained("nn-stein-multi")
    found = members(tmp_path / "m.spdml")
    meta = json.loads(found["meta.json"])
    assert meta["sizes"]["parts"] > 1 and meta["model_1"]["m"] < meta["model_2"]["m"]
    rewrite(tmp_path / "m.spdml", lambda new: new.update(model_1=meta["model_2"], model_2=meta["model_1"]),
            {f"{name}_{i}.npy": found[f"{name}_{3 - i}.npy"] for name in ("W", "history") for i in (1, 2)})
    spdml("info", "m.spdml").failed("the parts of the map do not grow")


def test_without_options(spdml, tmp_path):
    """The usual method to a file of its name, which is not overwritten; the command does the same."""
    X = np.eye(3) * np.exp(np.linspace(0, 3, 12))[:, None, None]
    np.savez(tmp_path / "d.npz", X=X, y=[0] * 6 + [1] * 6)
    shown = spdml("train", "d.npz", "--json").good().json
    kept = spdml("predict", "auto.spdml", "d.npz", "--scores", "--json").good().json
    assert shown["command"] == "spdml train d.npz --method auto --output auto.spdml"
    spdml("train", "d.npz").failed("auto.spdml exists already", "-o", code=2)
    again = spdml(*shown["command"].split()[1:], "--json").good().json
    assert "command" not in again
    assert spdml("predict", "auto.spdml", "d.npz", "--scores", "--json").good().json["samples"] == kept["samples"]
    assert spdml("train", "d.npz", "--method", "mdm-airm", "--json").good().json["output"] == "mdm-airm.spdml"
