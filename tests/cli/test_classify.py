"""`spdml classify`: predictions against slow twins, labels of two files, values, messages."""

import csv
import json
import zipfile

import learn_twins
import numpy as np
import pytest
import twins

WORDS = np.array(["cat", "dog", "cow", "emu"])


def save(path, X, y=None, **columns):
    if y is not None:
        columns["y"] = y
    np.savez(path, X=X, **columns)


@pytest.fixture
def sets(tmp_path, rng):
    """Train and test sets of three classes, with integer labels."""
    X, y = learn_twins.classes(rng, 54, 5)
    save(tmp_path / "a.npz", X[:30], y[:30])
    save(tmp_path / "b.npz", X[30:], y[30:])
    return X[:30], y[:30], X[30:], y[30:]


@pytest.fixture
def classify(spdml):
    def run(method, *more, train="a.npz", test="b.npz"):
        """With the defaults of parameters, which the twins have too."""
        return spdml("classify", "--train", train, "--test", test, "--method", method, "--no-tune", *more)

    return run


def nearest(metric, X, y, Q):
    return y[twins.pairwise2(metric, Q, X).argmin(axis=1)]


# ---- predictions --------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", twins.METRICS)
def test_nearest_neighbour(classify, tmp_path, sets, metric):
    X, y, Q, truth = sets
    expected = nearest(metric, X, y, Q)
    shown = classify("nn", "--metric", metric, "-o", "p.npz", "--json").good().json
    assert shown["method"] == f"nn-{metric}"
    assert shown["total"] == 24 and shown["correct"] == (expected == truth).sum()
    assert shown["accuracy"] == pytest.approx((expected == truth).mean())
    with np.load(tmp_path / "p.npz") as file:
        assert (file["predicted"] == expected).all() and (file["y"] == truth).all()
        assert file["predicted"].dtype == np.int64 and file["predicted"].shape == (24,)
    assert shown["predicted"] == {str(c): int((expected == c).sum()) for c in np.unique(y)}
    per_class = [(expected == truth)[truth == c].mean() for c in np.unique(truth)]
    assert shown["balanced_accuracy"] == pytest.approx(np.mean(per_class))
    assert shown["fit_seconds"] >= 0 and shown["test_seconds"] >= 0


@pytest.mark.parametrize("method", ["rsr", "nn-stein-ml", "cdl"])
def test_parameters_are_chosen_as_train_does(spdml, tmp_path, sets, method):
    shown = spdml("classify", "--train", "a.npz", "--test", "b.npz", "--method", method, "--json",
                  "-o", "c.npz").good().json
    trained = spdml("train", "a.npz", "--method", method, "-o", "m.spdml", "--json").good().json
    spdml("predict", "m.spdml", "b.npz", "-o", "p.npz").good()
    assert shown["tune_seconds"] > 0 and shown["parameters"] == trained["parameters"]
    with np.load(tmp_path / "c.npz") as a, np.load(tmp_path / "p.npz") as b:
        assert (a["predicted"] == b["predicted"]).all()


def test_names_of_the_sources_go_along(classify, tmp_path, sets):
    _, _, Q, _ = sets
    names = np.array([f"clip_{i:02}.amc" for i in range(len(Q))])
    save(tmp_path / "c.npz", Q, name=names)
    classify("nn", "-o", "p.npz", test="c.npz").good()
    with np.load(tmp_path / "p.npz") as file:
        assert sorted(file.files) == ["name", "predicted"] and (file["name"] == names).all()


@pytest.mark.parametrize("name, more", [("nn-stein", []), ("nn", ["--metric", "stein"]),
                                        ("nn", ["--metric", "logdet"]), ("NN-Stein", []),
                                        ("nn-stein", ["--metric", "stein"])])
def test_spellings_of_a_method(classify, tmp_path, sets, name, more):
    shown = classify(name, *more, "--json").good().json
    X, y, Q, truth = sets
    assert shown["method"] == "nn-stein"
    assert shown["correct"] == (nearest("stein", X, y, Q) == truth).sum()


@pytest.mark.parametrize("method, more, values", [
    ("pga", ["--grid", "dimensions=4"], {"dimensions": 4}), ("ts-lda", [], {}),
    ("ksvm", ["--grid", "cost=5", "--grid", "beta=0.5"], {"cost": 5, "beta": 0.5}),
    ("ksvm", ["--grid", "beta-scale=2"], {"cost": 10, "beta-scale": 2}),
    ("ksvm-log-euclidean", [], {"cost": 10}), ("ts-lda-stein", [], {}),
    ("rsr", ["--grid", "lambda=0.01", "--grid", "beta-scale=1"], {"lambda": 0.01, "beta-scale": 1}),
    ("cdl", ["--grid", "components=2"], {"components": 2}), ("cdl-lda", [], {}),
    ("ts-lr", ["--grid", "lambda=0.01"], {"lambda": 0.01}), ("krr-tangent", [], {}),
    ("krr", ["--grid", "lambda=0.1", "--grid", "beta=0.5"], {"lambda": 0.1, "beta": 0.5}),
    ("krr-both-ml", ["--grid", "beta-scale=0.5", "-m", 3], {"beta-scale": 0.5, "m": 3}),
    ("cov3dj", [], {"cost": 10}), ("pca-nn-airm", ["-m", 3], {"m": 3}), ("mdm-airm-csp", ["-m", 2], {"m": 2}),
    ("nn-stein-ml", ["-m", 3, "--grid", "nu-w=4", "--grid", "nu-b=2"], {"m": 3, "nu-w": 4, "nu-b": 2})])
def test_methods_do_better_than_chance(classify, sets, method, more, values):
    shown = classify(method, *more, "--json").good().json
    assert shown["accuracy"] > 0.5
    for name, value in values.items():
        assert shown["parameters"][name] == pytest.approx(value), name
    assert "beta" not in shown["parameters"] or "beta-scale" not in shown["parameters"]
    assert method != "ksvm-log-euclidean" or set(shown["parameters"]) == {"cost"}


def test_cov3dj_from_clips(spdml, classify, tmp_path, rng):
    """From positions to classes: the vectors of a twin and scikit-learn's linear machine."""
    svm = pytest.importorskip("sklearn.svm")
    y = np.arange(60) % 3
    clips = np.cumsum(rng.standard_normal((60, 40, 4, 3)), axis=1)
    clips[np.arange(60), :, y] *= 3  # one joint moves farther
    flat = clips.reshape(60, 40, 12)
    for name, part in (("a", slice(0, 36)), ("b", slice(36, 60))):
        np.savez(tmp_path / f"clips-{name}.npz", X=flat[part], y=y[part])
        spdml("describe", "joints", f"clips-{name}.npz", "--temporal-pyramid", 2, "--overlap",
              "--unit-range", "--regularize", 1e-9, "-o", f"{name}.npz").good()
    V = np.array([twins.cov3dj(clip) for clip in clips])
    assert np.load(tmp_path / "a.npz")["X"].shape == (36, 48, 48)
    for cost in (1, 10, 1000):
        machine = svm.SVC(kernel="linear", C=cost, tol=1e-6, decision_function_shape="ovo")
        margins = machine.fit(V[:36], y[:36]).decision_function(V[36:])
        clear = np.abs(margins).min(axis=1) > 1e-3
        shown = classify("cov3dj", "--grid", f"cost={cost}", "-o", "p.npz", "--json").good().json
        assert shown["parameters"] == {"cost": cost}
        predicted = np.load(tmp_path / "p.npz")["predicted"]
        assert (predicted == machine.predict(V[36:]))[clear].all() and clear.sum() > 18
    assert shown["accuracy"] > 0.5


def test_threads_change_nothing(classify, tmp_path, sets):
    for method in ("nn-airm", "mdm-airm", "ts-lda", "ksvm", "nn-stein-ml"):
        predicted = []
        for threads in (1, 2, 3):
            classify(method, "--threads", threads, "-o", "p.npz").good()
            predicted.append(np.load(tmp_path / "p.npz")["predicted"])
        assert (predicted[0] == predicted[1]).all() and (predicted[0] == predicted[2]).all()


# ---- a map from a file --------------------------------------------------------------------------


def test_model(spdml, classify, tmp_path, sets):
    spdml("fit", "a.npz", "-m", 2, "-o", "m.spdml", "--metric", "stein").good()
    for name in ("a", "b"):
        spdml("transform", "m.spdml", f"{name}.npz", "-o", f"{name}2.npz").good()
    low = classify("nn-stein", "-o", "low.npz", "--json", train="a2.npz", test="b2.npz").good().json
    done = classify("nn-stein", "--model", "m.spdml", "-o", "p.npz", "--json").good()
    assert done.err == ""
    assert done.json["method"] == "nn-stein-ml" and done.json["parameters"]["m"] == 2
    assert done.json["accuracy"] == low["accuracy"]
    assert (np.load(tmp_path / "p.npz")["predicted"]
            == np.load(tmp_path / "low.npz")["predicted"]).all()
    assert classify("nn-stein-ml", "--model", "m.spdml", "--json").good().json["accuracy"] == \
        low["accuracy"]
    remark = classify("nn-airm", "--model", "m.spdml").good().err
    assert "m.spdml was learned under the metric stein, but nn uses airm" in remark


def test_train_takes_metric_and_model_as_classify_does(spdml, classify, tmp_path, sets):
    spdml("fit", "a.npz", "-m", 2, "-o", "m.spdml", "--metric", "stein").good()
    more = ["--metric", "stein", "--model", "m.spdml"]
    spdml("train", "a.npz", "--method", "nn", *more, "-o", "t.spdml").good()
    spdml("predict", "t.spdml", "b.npz", "-o", "p.npz").good()
    classify("nn", *more, "-o", "q.npz").good()
    assert (np.load(tmp_path / "p.npz")["predicted"] == np.load(tmp_path / "q.npz")["predicted"]).all()
    info = spdml("info", "t.spdml", "--json").good().json
    assert info["method"] == "nn-stein-ml" and info["m"] == 2 and info["settings"] == 0


def test_model_of_another_size(spdml, classify, tmp_path, sets, rng):
    X, y = learn_twins.classes(rng, 20, 4)
    save(tmp_path / "c.npz", X, y)
    spdml("fit", "c.npz", "-m", 2, "-o", "m.spdml").good()
    classify("nn-stein", "--model", "m.spdml").failed(
        "m.spdml maps 4 x 4 matrices, but a.npz holds 5 x 5")


def test_model_beside_a_map(classify, sets):
    classify("nn-stein-csp", "--model", "m.spdml").failed("has its own map", code=2)


# ---- labels -------------------------------------------------------------------------------------


def test_texts_and_other_numbers_of_classes(classify, tmp_path, sets):
    """Class numbers of the two files differ: cow is 0 here and 1 there."""
    X, y, Q, truth = sets
    names = np.array(["cat", "cow", "dog"])
    save(tmp_path / "a.npz", X, names[y])
    few = truth > 0
    save(tmp_path / "b.npz", Q[few], names[truth][few])
    shown = classify("nn-stein", "-o", "p.npz", "--json").good().json
    expected = names[nearest("stein", X, y, Q[few])]
    assert shown["correct"] == (expected == names[truth][few]).sum()
    with np.load(tmp_path / "p.npz") as file:
        assert (file["predicted"] == expected).all() and (file["y"] == names[truth][few]).all()


def test_labels_never_seen_are_errors(classify, tmp_path, sets):
    X, y, Q, truth = sets
    truth = truth.copy()
    truth[:3] = 77
    truth[3] = -5
    save(tmp_path / "b.npz", Q, truth)
    done = classify("nn-stein", "-o", "p.npz", "--json").good()
    expected = nearest("stein", X, y, Q)
    assert done.json["correct"] == (expected == truth).sum() and done.json["total"] == 24
    assert done.json["unseen_labels"] == 4
    assert "b.npz: 4 of 24 samples have a label that does not occur in a.npz" in done.err
    assert (np.load(tmp_path / "p.npz")["y"] == truth).all()
    assert classify("nn-stein", "--quiet").good().err == ""


def test_no_labels_no_judgement(classify, tmp_path, sets):
    X, y, Q, _ = sets
    save(tmp_path / "b.npz", Q)
    done = classify("nn-stein", "-o", "p.npz", "--json").good()
    assert done.json["accuracy"] is None and done.json["correct"] is None
    assert done.json["total"] == 24 and sum(done.json["predicted"].values()) == 24
    assert "b.npz: has no labels" in done.err
    with np.load(tmp_path / "p.npz") as file:
        assert file.files == ["predicted"]
        assert (file["predicted"] == nearest("stein", X, y, Q)).all()
    out = classify("nn-stein").good().out
    assert "accuracy" not in out and " as 0" in out


def test_label_files(spdml, tmp_path, sets):
    X, y, Q, truth = sets
    for name, array in (("X", X), ("y", y), ("Q", Q), ("t", truth)):
        np.save(tmp_path / f"{name}.npy", array)
    words = ["classify", "--train", "X.npy", "--labels", "y.npy", "--test", "Q.npy", "--method",
             "nn-stein", "--json"]
    assert spdml(*words).good().json["accuracy"] is None
    shown = spdml(*words, "--test-labels", "t.npy").good().json
    assert shown["correct"] == (nearest("stein", X, y, Q) == truth).sum()
    assert spdml(*words[:-1], "--test-labels", "t.npy").good().out.count("accuracy") == 2


def test_table(classify, sets):
    out = classify("knn-airm", "-k", 3).good().out
    assert "knn-airm" in out and "k 3" in out and "accuracy" in out and "30 samples" in out


def test_mat_output(spdml, classify, tmp_path, sets):
    classify("nn-stein", "-o", "p.mat").good()
    assert (tmp_path / "p.mat").stat().st_size > 0


@pytest.mark.parametrize("ending", ["csv", "CSV"])
def test_csv_output(classify, tmp_path, sets, ending):
    X, y, Q, truth = sets
    animals = np.array(["cat, black", 'the "cow"', "dog"])
    names = np.array([f'clip "{i}", left.amc' if i % 3 else f"clip_{i}.amc" for i in range(24)])
    save(tmp_path / "a.npz", X, animals[y])
    save(tmp_path / "b.npz", Q, animals[truth], name=names)
    path = tmp_path / f"p.{ending}"
    assert f"p.{ending}" in classify("nn-stein", "-o", path.name).good().out
    with open(path, encoding="utf-8", newline="") as f:
        lines = list(csv.reader(f))
    expected = animals[nearest("stein", X, y, Q)]
    assert lines[0] == ["index", "name", "predicted", "y"]
    assert lines[1:] == [[str(i), *row] for i, row in enumerate(zip(names, expected,
                                                                    animals[truth]))]
    assert [f.name for f in tmp_path.iterdir() if "tmp" in f.name] == []


def test_csv_without_names_and_labels(classify, tmp_path, sets):
    X, y, Q, truth = sets
    classify("nn-stein", "-o", "p.csv").good()
    expected = nearest("stein", X, y, Q)
    assert (tmp_path / "p.csv").read_text() == "index,predicted,y\n" + "".join(
        f"{i},{a},{b}\n" for i, (a, b) in enumerate(zip(expected, truth)))
    save(tmp_path / "b.npz", Q, name=np.ones((24, 2)))  # several to a matrix: no names
    classify("nn-stein", "-o", "p.csv").good()
    assert (tmp_path / "p.csv").read_text() == "index,predicted\n" + "".join(
        f"{i},{a}\n" for i, a in enumerate(expected))
    save(tmp_path / "b.npz", Q[:2], name=np.array([7, 8]))
    classify("nn-stein", "-o", "p.csv").good()
    assert (tmp_path / "p.csv").read_text().splitlines()[2] == f"1,8,{expected[1]}"
    classify("nn-stein", "-o", "no/p.csv").failed("no/p.csv: cannot be written: folder no")


# ---- how the matrices were made -----------------------------------------------------------------


def record(path, descriptor, covariance=None, **parameters):
    """Puts a record of `spdml describe` into a file."""
    covariance = {"shrinkage": "none", "regularize": 0.0, **(covariance or {})}
    text = json.dumps({"kind": "data", "version": "0.1.0", "descriptor": descriptor,
                       "covariance": covariance, "parameters": parameters})
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("meta.json", text)


SIFT = {"width": 200, "height": 200, "step": 4, "bin": 3, "smooth": 0.0, "color": True}
SIGNAL = {"rate": 128.0, "window": 0.0, "step": 0.0, "bands": [], "channels_first": False}
JOINTS = {"center": "none", "first_frame": 0, "last_frame": 0, "temporal_pyramid": 1}
REGION = {"width": 0, "height": 0, "grey": False, "rectangles": 0, "grid_rows": 0,
          "grid_columns": 0}
GABOR = {"width": 64, "height": 64, "scales": 5, "regions": "halves"}


@pytest.mark.parametrize("kind, train, change, told", [
    ("sift-color", SIFT, {}, None),
    ("sift-color", SIFT, {"width": 400, "height": 400}, "width 400 against 200, height 400 against 200"),
    ("sift-color", SIFT, {"width": 300}, "(width 300 against 200)"),
    ("sift-color", SIFT, {"step": 8, "color": False},
     "step 8 against 4, color false against true"),
    ("sift-color", SIFT, {"step": 8, "bin": 4, "smooth": 0.5, "color": False},
     "step 8 against 4, bin 4 against 3, smooth 0.5 against 0.0, ..."),
    ("covariance", SIGNAL, {"channels_first": True}, None),
    ("covariance", SIGNAL, {"step": 0.5, "bands": [[8, 12.5], [16, 18]], "order": 4},
     "(step 0.5 against 0.0, bands [[8,12.5],[16,18]] against [])"),
    ("joints", JOINTS, {"center": "root", "first_frame": 10},
     'center "root" against "none", first_frame 10 against 0'),
    ("joints", JOINTS, {"last_frame": 99}, "last_frame 99 against 0"),
    ("joints", {**JOINTS, "overlap": False, "unit_range": False},
     {"overlap": True, "unit_range": True},
     "overlap true against false, unit_range true against false"),
    ("region", REGION, {"grid_rows": 3, "grid_columns": 4, "grey": True},
     "grey true against false, grid_rows 3 against 0, grid_columns 4 against 0"),
    ("gabor", GABOR, {"regions": "grid", "grid_rows": 2, "grid_columns": 1},
     'regions "grid" against "halves"'),
    ("gabor", GABOR, {"regions": "whole"}, 'regions "whole" against "halves"'),
    ("gabor", GABOR, {"covariance": {"shrinkage": "value", "shrink": 0.25, "projected_to": 5}},
     '(shrinkage "value" against "none")'),
    ("gabor", GABOR, {"covariance": {"projected_to": 5}}, None),
    ("gabor", GABOR, {"covariance": {"regularize": 1e-5}}, "regularize 1e-5 against 0.0"),
])
def test_descriptions_that_differ(classify, tmp_path, sets, kind, train, change, told):
    record(tmp_path / "a.npz", kind, **train)
    record(tmp_path / "b.npz", kind, **{**train, **change})
    err = classify("nn-stein").good().err
    if told:
        assert err.startswith("spdml: b.npz and a.npz were described differently (")
        assert told in err and err.count("\n") == 1
        assert classify("nn-stein", "-q").good().err == ""
    else:
        assert err == ""


def test_other_descriptors_and_no_records(classify, tmp_path, sets):
    record(tmp_path / "a.npz", "gabor", **GABOR)
    assert classify("nn-stein").good().err == ""  # b.npz has none
    record(tmp_path / "b.npz", "sift-color", **SIFT)
    assert "(sift-color against gabor)" in classify("nn-stein").good().err


@pytest.mark.parametrize("text", ["", "nonsense", "[1, 2]", '{"descriptor": 3}',
                                  '{"descriptor": "gabor", "parameters": [1], "covariance": 2}'])
def test_records_of_others(classify, tmp_path, sets, text):
    record(tmp_path / "a.npz", "gabor", **GABOR)
    with zipfile.ZipFile(tmp_path / "b.npz", "a") as file:
        file.writestr("meta.json", text)
    assert classify("nn-stein").good().err == ""


# ---- vectors ------------------------------------------------------------------------------------


@pytest.fixture
def images(tmp_path, rng):
    """Images 6 x 4 of three people, beside matrices that mean nothing."""
    faces = rng.uniform(0, 255, (3, 6, 4))
    y = np.arange(36) % 3
    V = faces[y] + 20 * rng.standard_normal((36, 6, 4))
    X = np.broadcast_to(np.eye(3), (36, 3, 3)).copy()
    X *= rng.uniform(1, 2, (36, 1, 1))
    return X, V, y


@pytest.mark.parametrize("kind", ["float", "uint8"])
def test_vectors(classify, tmp_path, images, kind):
    X, V, y = images
    V = V if kind == "float" else np.clip(V, 0, 255).astype(np.uint8)
    for shape in ((-1, 6, 4), (-1, 24)):
        save(tmp_path / "a.npz", X[:24], y[:24], images=V[:24].reshape(shape))
        save(tmp_path / "b.npz", X[24:], y[24:], images=V[24:].reshape(shape))
        assert classify("src", "--json").good().json["accuracy"] > 0.8


def test_images_alone(classify, tmp_path, images):
    _, V, y = images
    V = V[:, :4]
    np.savez(tmp_path / "a.npz", images=V[:24], y=y[:24])
    np.savez(tmp_path / "b.npz", images=V[24:], y=y[24:])
    assert classify("src", "--json").good().json["accuracy"] > 0.8


def test_matrices_are_no_images(classify, sets):
    classify("src").failed("a.npz: has no array 'images'")
    assert classify("src", "--x", "X", "--json").good().json["total"] == 24


def test_vectors_must_be_numbers_of_one_shape(classify, tmp_path, images):
    X, V, y = images
    save(tmp_path / "a.npz", X[:24], y[:24], images=V[:24])
    save(tmp_path / "b.npz", X[24:], y[24:], images=V[24:, :5])
    classify("src").failed("b.npz", "5 x 4", "6 x 4")
    save(tmp_path / "b.npz", X[24:], y[24:], images=WORDS[y[24:]])
    classify("src").failed("b.npz", "images")
    V = V.copy()
    V[26, 0, 0] = np.nan
    save(tmp_path / "b.npz", X[24:], y[24:], images=V[24:])
    classify("src").failed("b.npz", "images[2] holds NaN")
    save(tmp_path / "b.npz", X[24:], y[24:])
    classify("src").failed("b.npz", "'images'")


# ---- messages -----------------------------------------------------------------------------------


def test_one_class(classify, tmp_path, sets):
    save(tmp_path / "a.npz", sets[0], np.full(30, 7))
    classify("nn-stein").failed("a.npz: all 30 samples have the label 7", "two classes")


def test_training_without_labels(classify, tmp_path, sets):
    save(tmp_path / "a.npz", sets[0])
    classify("nn-stein").failed("a.npz: has no labels", "--y or --labels")


def test_empty_test_set(classify, tmp_path, sets):
    save(tmp_path / "b.npz", np.zeros((0, 5, 5)), np.zeros(0, int))
    classify("nn-stein").failed("b.npz", "there are no matrices")


def test_sizes_differ(classify, tmp_path, sets, rng):
    save(tmp_path / "b.npz", learn_twins.classes(rng, 6, 4)[0])
    classify("nn-stein").failed("a.npz holds 5 x 5 matrices, but b.npz holds 4 x 4")


def test_map_larger_than_matrices(classify, sets):
    classify("nn-stein-ml", "-m", 9).failed("9", "5 x 5")


def test_bad_matrices(classify, tmp_path, sets):
    X = sets[2].copy()
    X[4] = -X[4]
    save(tmp_path / "b.npz", X)
    classify("nn-stein").failed("b.npz", "X[4]", "not positive definite")


@pytest.mark.parametrize("words, tells", [
    (["nm"], ["no method 'nm'"]),
    (["nn-frobenius"], ["frobenius"]),
    (["nn-stein", "--metric", "airm"], ["already names a metric", "airm"]),
    (["ksvm", "--metric", "airm"], ["ksvm", "stein, log-euclidean"]),
    (["nn-stein", "--grid", "beta=1"], ["--grid beta: nn-stein does not use it", "none"]),
    (["knn-stein", "-m", "3"], ["-m: knn-stein does not use it", "parameters are: k"]),
    (["ksvm-log-euclidean", "--grid", "beta=1"], ["--grid beta: ksvm-log-euclidean does not use it", "cost"]),
    (["cov3dj-ml"], ["cov3dj works with"]),
    (["src", "--model", "m.spdml"], ["src works on vectors"]),
    (["knn", "-k", "0"], ["--k 0", "whole number"]),
        (["nn-stein", "-o", "p.npy"], ["p.npy", ".npz, .mat or .csv"]),
])
def test_misuse(classify, sets, words, tells):
    classify(*words).failed(*tells, code=2)


def test_needs_all_three(spdml, sets):
    spdml("classify", "--train", "a.npz", "--method", "nn").failed("needs --test", code=2)
    spdml("classify", "--test", "b.npz", "--method", "nn").failed("needs --train", code=2)


# ---- what is printed, typed again ---------------------------------------------------------------


def typed(line):
    """"m 8, nu-b 3" as options."""
    return [word for pair in line.split(", ") for word in ("--grid", pair.replace(" ", "="))]


@pytest.mark.parametrize("method", ["nn-stein-ml", "rsr-ml", "nn-airm-multi"])
@pytest.mark.parametrize("more", [[], ["--paper"], ["--grid", "nu-w=3"], ["--grid", "objective=difference", "--grid", "nu-b=4"],
                                  ["--grid", "objective=difference"]])
def test_printed_parameters_give_the_same_predictions(spdml, sets, tmp_path, method, more):
    words = ["classify", "--train", "a.npz", "--test", "b.npz", "--method", method]
    for run in "first", "again":
        out = spdml(*words, *more, "-o", f"{run}.npz", "--scores").good().out
        line = next(x for x in out.splitlines() if x.startswith("parameters")).split(None, 1)[1]
        if run == "first":
            first, words = line, words + typed(line)
            more = [x for x in more if x == "--paper"]
    assert line == first
    with np.load(tmp_path / "first.npz") as a, np.load(tmp_path / "again.npz") as b:
        assert all(a[name].tobytes() == b[name].tobytes() for name in a.files)


@pytest.mark.parametrize("more", [[], ["--paper"],
                                  ["--grid", "nu-b=2,4"], ["--objective", "difference"]])
def test_parameters_of_evaluate_give_its_predictions(spdml, sets, tmp_path, more):
    X, y, Q, truth = sets
    save(tmp_path / "all.npz", np.concatenate([X, Q]), np.concatenate([y, truth]), part=[1] * 30 + [2] * 24)
    shown = spdml("evaluate", "all.npz", "--methods", "nn-stein,nn-stein-ml", "--train-where", "part=1", *more,
                  "--grid", "m=2,3", "-o", "out", "--no-report", "--final", "none").good().out
    line = next(x for x in shown.splitlines() if x.startswith("  nn-stein-ml ")).split(None, 1)[1]
    kept = [x for x in more if x == "--paper"]
    spdml("classify", "--train", "a.npz", "--test", "b.npz", "--method", "nn-stein-ml", *typed(line), *kept,
          "-o", "p.npz").good()
    with np.load(tmp_path / "out" / "predictions.npz") as a, np.load(tmp_path / "p.npz") as b:
        assert (b["predicted"] == a["predicted-nn-stein-ml"]).all()
