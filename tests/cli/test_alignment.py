"""Normalising and recentring: `train`, `predict` and `evaluate` against a twin on one matrix
after the other, what the file of a method keeps of it, and what is refused."""

import shlex

import learn_twins
import numpy as np
import pytest
import twins
from conftest import rewrite


def inverse_root(X):
    return twins.function(X, lambda x: 1 / np.sqrt(x))


def twin_mean(X):
    """Karcher's fixed point."""
    M = np.mean(X, axis=0)
    for _ in range(100):
        P, R = inverse_root(M), twins.sqrt(M)
        step = np.mean([twins.log(P @ x @ P) for x in X], axis=0)
        M = R @ twins.function(step, np.exp) @ R
    return M


def twin_center(X):
    """M^-1/2"""
    return inverse_root(twin_mean(X))


def twin_recenter(X, who):
    moved = X.copy()
    for one in np.unique(who):
        mask = who == one
        P = twin_center(X[mask])
        moved[mask] = P @ X[mask] @ P
    return moved


@pytest.fixture
def people(tmp_path, rng):
    """Three people to learn from, and a new one and a known one, each behind a congruence of their own."""
    X, y = learn_twins.classes(rng, 150, 4, spread=0.2)
    who = np.array(["ann", "bob", "cy", "dee", "bob"])[np.arange(150) // 30]
    for one in "ann", "bob", "cy", "dee":
        M = np.eye(4) + 0.5 * rng.standard_normal((4, 4))
        X[who == one] = M @ X[who == one] @ M.T
    X = (X + X.transpose(0, 2, 1)) / 2
    y = np.array(["cat", "cow", "dog"])[y]
    np.savez(tmp_path / "a.npz", X=X[:90], y=y[:90], subject=who[:90])
    np.savez(tmp_path / "dee.npz", X=X[90:120], y=y[90:120], subject=who[90:120])
    np.savez(tmp_path / "more.npz", X=X[90:], y=y[90:], subject=who[90:])
    return X, y, who


def predicted(spdml, tmp_path, name, data, *more):
    spdml("predict", name, data, "-o", "p.npz", *more).good()
    return np.load(tmp_path / "p.npz")["predicted"]


def by_twin(spdml, tmp_path, train, y, queries):
    """What mdm-airm predicts of matrices that are aligned already."""
    np.savez(tmp_path / "ta.npz", X=train, y=y)
    np.savez(tmp_path / "tb.npz", X=queries)
    spdml("train", "ta.npz", "--method", "mdm-airm", "--no-tune", "-o", "t.spdml").good()
    return predicted(spdml, tmp_path, "t.spdml", "tb.npz")


def trained(spdml, *more, method="mdm-airm", output="m.spdml"):
    return spdml("train", "a.npz", "--method", method, "--no-tune", "-o", output, "--json",
                 *more).good().json


# ---- as the twin has it -------------------------------------------------------------------------


@pytest.mark.parametrize("normalize", ["none", "trace", "determinant"])
def test_a_new_person_by_the_own_mean(spdml, people, tmp_path, normalize):
    X, y, who = people
    size = {"none": np.ones(len(X)), "trace": np.trace(X, axis1=1, axis2=2) / 4,
            "determinant": np.linalg.det(X) ** 0.25}[normalize]
    Z = X / size[:, None, None]
    trained(spdml, "--recenter", "subject", "--normalize", normalize)
    got = predicted(spdml, tmp_path, "m.spdml", "dee.npz")
    moved = twin_recenter(Z[:120], who[:120])
    assert (got == by_twin(spdml, tmp_path, moved[:90], y[:90], moved[90:])).all()
    assert np.mean(got == y[90:120]) > 0.6
    for words in ([], ["--recenter", "training"]):  # which does nothing for one metric that is invariant
        trained(spdml, *words, "--normalize", normalize, output="plain.spdml")
        plain = predicted(spdml, tmp_path, "plain.spdml", "dee.npz")
        assert (plain == by_twin(spdml, tmp_path, Z[:90], y[:90], Z[90:120])).all()


def test_known_people(spdml, people, tmp_path):
    """By name only if asked for: files of other people may be called alike."""
    X, y, who = people
    trained(spdml, "--recenter", "subject")
    fresh = np.concatenate([X[90:120], X[120:]])
    own = twin_recenter(fresh, np.repeat([0, 1], 30))
    P = twin_center(X[:90][who[:90] == "bob"])
    then = np.concatenate([own[:30], P @ X[120:] @ P])
    moved = twin_recenter(X[:90], who[:90])
    assert (predicted(spdml, tmp_path, "m.spdml", "more.npz")
            == by_twin(spdml, tmp_path, moved, y[:90], own)).all()
    known = predicted(spdml, tmp_path, "m.spdml", "more.npz", "--recenter-known")
    assert (known == by_twin(spdml, tmp_path, moved, y[:90], then)).all()
    np.savez(tmp_path / "one.npz", X=X[120:121], subject=["bob"])
    assert predicted(spdml, tmp_path, "m.spdml", "one.npz", "--recenter-known")[0] == known[30]
    together = twin_recenter(fresh, np.zeros(60))
    assert (predicted(spdml, tmp_path, "m.spdml", "more.npz", "--recenter", "all")
            == by_twin(spdml, tmp_path, moved, y[:90], together)).all()


def test_classify_is_train_and_predict(spdml, people, tmp_path):
    words = ["--recenter", "subject", "--normalize", "trace"]
    trained(spdml, *words)
    spdml("classify", "--train", "a.npz", "--test", "more.npz", "--method", "mdm-airm", "--no-tune", *words,
          "-o", "c.npz").good()
    assert (np.load(tmp_path / "c.npz")["predicted"] == predicted(spdml, tmp_path, "m.spdml", "more.npz")).all()


def test_complex_and_single_precision(spdml, people, tmp_path):
    """Real matrices as complex ones are recentred alike; so are those of 32 bits, up to their digits."""
    X, y, who = people
    trained(spdml, "--recenter", "subject", "--normalize", "trace")
    real = predicted(spdml, tmp_path, "m.spdml", "dee.npz")
    for kind in complex, np.float32:
        for name, part in ("a", slice(90)), ("dee", slice(90, 120)):
            np.savez(tmp_path / f"{name}.npz", X=X[part].astype(kind), y=y[part], subject=who[part])
        trained(spdml, "--recenter", "subject", "--normalize", "trace", output=f"{kind.__name__}.spdml")
        assert np.mean(predicted(spdml, tmp_path, f"{kind.__name__}.spdml", "dee.npz") == real) > 0.95


# ---- what is said and kept ----------------------------------------------------------------------


def test_the_advice_of_evaluate_can_be_followed(spdml, people, tmp_path):
    done = spdml("evaluate", "a.npz", "--methods", "mdm-airm,nn-airm-ml", "--leave-one-group-out",
                 "subject", "--recenter", "subject", "--normalize", "trace").good()
    line = done.out.rstrip().splitlines()[-1].split("-o ")
    words = shlex.split(line[0])
    assert words[:2] == ["spdml", "train"] and "--recenter" in words and "--normalize" in words
    spdml(*words[1:], "-o", "advised.spdml").good()
    X, y, _ = people
    assert np.mean(predicted(spdml, tmp_path, "advised.spdml", "dee.npz") == y[90:120]) > 0.6
    assert "alignment          normalised by the trace, recentred by subject" in done.out


def test_the_file_says_what_it_does(spdml, people):
    shown = trained(spdml, "--recenter", "subject", "--normalize", "determinant")
    assert (shown["normalize"], shown["recenter"], shown["recenter_column"]) == ("determinant", "groups", "subject")
    assert shown["groups"] == ["ann", "bob", "cy"]
    text = spdml("info", "m.spdml").good().out
    assert "normalised by the determinant, recentred by subject" in text
    assert "the means of 3 groups, and their names" in text
    assert "normalize" not in trained(spdml)


@pytest.mark.parametrize("more", [[], ["--calibration-size", "0.5"]])
def test_evaluate_keeps_what_it_has_seen(spdml, people, tmp_path, more):
    """The method of a round, from its file, predicts what the round did; with a calibration the
    tested ones are of a known group."""
    X, y, who = people
    spdml("evaluate", "a.npz", "--methods", "ts-lda", "--leave-one-group-out", "subject", "--recenter",
          "subject", *more, "--keep", "kept", "-o", "out", "--no-report", "--final", "none").good()
    with np.load(tmp_path / "out/predictions.npz") as file:
        seen = file["predicted-ts-lda"]
    for one, found in zip(("ann", "bob", "cy"), np.split(seen, 3)):
        part = np.flatnonzero(who[:90] == one)[15 if more else 0:]
        np.savez(tmp_path / "part.npz", X=X[part], subject=who[part])
        got = predicted(spdml, tmp_path, f"kept/ts-lda-{one}.spdml", "part.npz",
                        *(["--recenter-known"] if more else []))
        assert (got == found).all()


def test_calibration(spdml, people):
    words = ["evaluate", "a.npz", "--methods", "mdm-airm", "--leave-one-group-out", "subject",
             "--recenter", "subject", "--json", "--final", "none"]
    none, some = (spdml(*words, *more).good().json for more in (
        [], ["--calibration-size", "0.2"]))
    counts = [[found["results"][0]["rounds"][0][key] for key in ("train", "test")]
              for found in (none, some)]
    assert counts == [[60, 30], [66, 24]]
    assert "its first 20 % train" in some["protocol"]
    assert none["alignment"] == "recentred by subject"


# ---- refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize("words, said, code", [
    (["train", "a.npz", "--recenter", "who"], ["no column 'who'", "subject"], 1),
    (["train", "alone.npz", "--recenter", "subject"], ["only one matrix has the subject 'x'", "or all"], 1),
    (["train", "a.npz", "--normalize", "tracks"], ["--normalize", "trace"], 2),
    (["train", "a.npz", "--method", "src", "--recenter", "subject"], ["works on vectors"], 2),
    (["predict", "m.spdml", "bare.npz"], ["bare.npz: has no column 'subject'", "--recenter all"], 1),
    (["predict", "m.spdml", "alone.npz"], ["only one matrix has the subject 'x'"], 1),
    (["predict", "m.spdml", "one.npz", "--recenter", "all"], ["one matrix", "several"], 1),
    (["predict", "m.spdml", "small.npz"], ["3 x 3", "4 x 4"], 1),
    (["predict", "plain.spdml", "a.npz", "--recenter", "all"], ["does not move new matrices"], 2),
    (["predict", "plain.spdml", "a.npz", "--recenter-known"], ["does not move new matrices"], 2),
    (["classify", "--train", "a.npz", "--test", "X.npy", "--method", "mdm-airm", "--recenter", "all", "--memory",
      "10K"], ["X.npy: is not in memory"], 1),
    (["transform", "m.spdml", "a.npz", "-o", "x.npz"], ["m.spdml: recentres by subject"], 1),
    (["evaluate", "alone.npz", "--recenter", "subject", "--split", "0.5"], ["only one matrix"], 1),
    (["evaluate", "a.npz", "--split", "0.5", "--calibration-size", "0.2"], ["--leave-one-group-out"], 2),
    (["evaluate", "a.npz", "--leave-one-group-out", "subject", "--recenter", "subject", "--calibration-size",
      "0.03", "--methods", "mdm-airm"], ["a.npz: mdm-airm", "a group has one matrix"], 1),
])
def test_refused(spdml, people, tmp_path, words, said, code):
    X, y, who = people
    np.savez(tmp_path / "alone.npz", X=X[:30], y=y[:30], subject=["x"] + ["z"] * 29)
    np.savez(tmp_path / "bare.npz", X=X[:30], y=y[:30])
    np.savez(tmp_path / "one.npz", X=X[:1], subject=["x"])
    np.save(tmp_path / "X.npy", X)
    np.savez(tmp_path / "small.npz", X=X[:30, :3, :3], subject=who[:30])
    if words[0] != "evaluate":
        trained(spdml, "--recenter", "subject")
        trained(spdml, output="plain.spdml")
    more = ["-o", "x.spdml"] if words[0] == "train" else []
    done = spdml(*words, *more)
    assert done.code == code and all(word in done.err for word in said), done.err
    assert not (tmp_path / "x.spdml").exists() and not (tmp_path / "n.spdml").exists()


def test_spoilt_files(spdml, people, tmp_path):
    """Centers of another size, and words that no version has."""
    trained(spdml, "--recenter", "subject")

    def changed(change, leave=""):
        rewrite(tmp_path / "m.spdml", change, leave=leave, to=tmp_path / "bad.spdml")
        return spdml("predict", "bad.spdml", "dee.npz")

    assert changed(lambda meta: None).good().code == 0
    changed(lambda meta: meta["alignment"].update(recenter="spin")).failed("bad.spdml", "newer version")
    changed(lambda meta: meta["alignment"].update(known=2)).failed("bad.spdml", "center_groups")
    changed(lambda meta: meta["alignment"].update(known=-1)).failed("bad.spdml", "no count")
    changed(lambda meta: meta["alignment"].update(recenter="training")).failed("do not suit")
    changed(lambda meta: meta["alignment"].update(names=9)).failed("bad.spdml", "group_names")
    changed(lambda meta: None, "centers.npy").failed("bad.spdml: has no array centers")
