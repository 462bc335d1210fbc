"""spdml describe: covariances of tables and signals against numpy and scipy, inputs of all sorts,
labels, broken inputs, and what the output holds."""

import io
import json
import os
import pathlib
import tarfile
import zipfile

import numpy as np
import pytest

signal = pytest.importorskip("scipy.signal")
scipy_io = pytest.importorskip("scipy.io")


def cov(O):
    return np.atleast_2d(np.cov(O, rowvar=False))


def load(path):
    return np.load(path, allow_pickle=False)


def close(X, expected, tolerance=1e-12):
    expected = np.asarray(expected)
    assert X.shape == expected.shape, (X.shape, expected.shape)
    assert np.abs(X - expected).max() <= tolerance * np.abs(expected).max()


@pytest.fixture
def tables(rng, tmp_path):
    """Six tables of 40 x 5 in one file, with labels and subjects."""
    X = rng.standard_normal((6, 40, 5)) @ rng.standard_normal((5, 5)) + 3
    y = np.array(["walk", "run", "walk", "run", "sit", "sit"])
    np.savez(tmp_path / "tables.npz", X=X, y=y, subject=np.arange(6), weight=rng.random((6, 2)))
    return X


# ---- tables --------------------------------------------------------------------------------------


def test_array_of_tables(spdml, tables, tmp_path):
    spdml("describe", "covariance", "tables.npz", "-o", "c.npz").good()
    out, given = load(tmp_path / "c.npz"), load(tmp_path / "tables.npz")
    close(out["X"], [cov(O) for O in tables])
    assert list(out["y"]) == list(given["y"])
    assert list(out["subject"]) == list(range(6))
    close(out["weight"], given["weight"], 0)
    assert list(out["name"]) == [f"tables.npz[{i}]" for i in range(6)]


@pytest.mark.parametrize("ending", ["csv", "npy", "npz", "mat"])
def test_a_file_per_table(spdml, tables, tmp_path, ending):
    for i, O in enumerate(tables):
        path = tmp_path / "in" / "ab"[i % 2] / f"{i}.{ending}"
        path.parent.mkdir(parents=True, exist_ok=True)
        if ending == "csv":
            np.savetxt(path, O, delimiter=",", fmt="%.17g", header="p,q,r,s,t", comments="")
        elif ending == "npy":
            np.save(path, O)
        elif ending == "npz":
            np.savez(path, O=O)
        else:
            scipy_io.savemat(path, {"O": O})
    spdml("describe", "covariance", "in", "-o", "c.npz").good()
    out = load(tmp_path / "c.npz")
    order = [0, 2, 4, 1, 3, 5]
    close(out["X"], [cov(tables[i]) for i in order])
    assert list(out["y"]) == list("aaabbb")
    assert list(out["name"]) == [f"in/{'ab'[i % 2]}/{i}.{ending}" for i in order]


@pytest.fixture
def long_table(rng, tmp_path):
    """Trials of 30 rows in a table with times; the numbers of Fz, Cz, Oz by trial."""
    O = rng.standard_normal((90, 3))
    rows = [f"{i % 30 / 128:.4f},{a:.17g},{b:.17g},{c:.17g},{i // 30 + 7},{'xyx'[i // 30]}"
            for i, (a, b, c) in enumerate(O)]
    (tmp_path / "long.csv").write_text("Time (s),Fz,Cz,Oz,trial,kind\n" + "\n".join(rows) + "\n")
    return O.reshape(3, 30, 3)


def test_channels_of_a_table(spdml, long_table, tmp_path):
    say = ["describe", "covariance", "long.csv", "--group", "trial", "-o", "c.npz", "--channels"]
    spdml(*say, "Oz,Fz").good()
    out = load(tmp_path / "c.npz")
    close(out["X"], [cov(O[:, [2, 0]]) for O in long_table])
    assert json.loads(out["meta.json"])["rows"]["channels"] == ["Oz", "Fz"]
    assert "Oz, Fz" in spdml("info", "c.npz").good().out
    spdml(*say, "Fz,Pz").failed("long.csv", "no channel 'Pz'", "there are Time (s), Fz, Cz, Oz")
    spdml(*say, "Fz,trial").failed("no channel 'trial'")
    spdml(*say, "Fz,Fz").failed("'Fz' is named twice")


def test_channels_of_single_tables(spdml, tables, reads_archives, tmp_path):
    """Whole files, in the order of the names asked for; text beside them is not read."""
    rows = [[f"{v:.17g}" for v in row[:3]] + ["rest"] for row in tables[0]]
    text = "a,b,c,note\n" + "\n".join(map(",".join, rows)) + "\n"
    (tmp_path / "one.csv").write_text(text)
    with zipfile.ZipFile(tmp_path / "one.zip", "w") as archive:
        archive.writestr("one.csv", text)
    for path in ["one.csv", "one.zip"]:
        spdml("describe", "covariance", path, "--channels", "c,a", "-o", "c.npz").good()
        out = load(tmp_path / "c.npz")
        close(out["X"], [cov(tables[0][:, [2, 0]])])
        assert json.loads(out["meta.json"])["rows"]["channels"] == ["c", "a"]
    spdml("describe", "covariance", "one.csv", "-o", "c.npz").failed("column 4", "not a number")


def test_channels_without_names(spdml, tables, tmp_path):
    np.savetxt(tmp_path / "bare.csv", tables[0], delimiter=",")
    np.save(tmp_path / "bare.npy", tables[0])
    for path in ["bare.csv", "bare.npy", "tables.npz"]:
        spdml("describe", "covariance", path, "--channels", "a,b", "-o",
              "c.npz").failed(path, "no header line names the columns")
    np.savetxt(tmp_path / "turned.csv", tables[0].T, delimiter=",")
    spdml("describe", "covariance", "turned.csv", "--channels", "a", "--channels-first", "-o",
          "c.npz").failed("where they are rows")


def test_tables_name_the_same_channels(spdml, rng, tmp_path):
    for name, header in [("a.csv", "Fz,Cz"), ("b.csv", "Cz,Fz")]:
        np.savetxt(tmp_path / name, rng.standard_normal((9, 2)), delimiter=",", header=header,
                   comments="")
    say = ["describe", "covariance", "a.csv", "b.csv", "-o", "c.npz"]
    spdml(*say).failed("channel 1 is 'Cz', but 'Fz' in a.csv")
    spdml(*say, "--channels", "Fz,Cz").good()


def test_a_column_of_times_is_no_channel(spdml, long_table, tmp_path):
    done = spdml("describe", "covariance", "long.csv", "--group", "trial", "--y", "kind", "-o",
                 "c.npz").good()
    assert "left out the column 'Time (s)' of 3 tables" in done.err and "--channels" in done.err
    close(load(tmp_path / "c.npz")["X"], [cov(O) for O in long_table])
    say = ["describe", "covariance", "t.csv", "-o", "c.npz"]
    O = long_table[0]
    for header, times, left_out in [("t,a,b,c", np.arange(30), True), (",a,b,c", np.arange(30), True),
                                    ("zeit,a,b,c", np.arange(30) * 0.5 + 9, True),
                                    ("time,a,b,c", np.arange(30) + 0.8 * np.sin(np.arange(30)), True),
                                    ("t,a,b,c", np.cos(np.arange(30)), False),
                                    ("ramp,a,b,c", np.arange(30), False)]:
        np.savetxt(tmp_path / "t.csv", np.c_[times, O], delimiter=",", header=header, comments="",
                   fmt="%.17g")
        done = spdml(*say).good()
        close(load(tmp_path / "c.npz")["X"], [cov(O if left_out else np.c_[times, O])])
        assert ("left out the column" in done.err) == left_out, (header, done.err)
    np.savetxt(tmp_path / "t.csv", np.c_[np.arange(30), O], delimiter=",", header="t,a,b,c",
               comments="", fmt="%.17g")
    assert not spdml(*say, "--channels", "t,a,b,c").good().err
    close(load(tmp_path / "c.npz")["X"], [cov(np.c_[np.arange(30), O])])


def test_a_column_of_text_is_pointed_at(spdml, long_table, tmp_path):
    (tmp_path / "t.csv").write_text("a,b,cond\n1,2,x\n2,1,x\n3,5,y\n")
    spdml("describe", "covariance", "t.csv", "-o", "c.npz").failed("column 3: 'x' is not a number", "try --y NAME")
    (tmp_path / "t.csv").write_text("a,b,c\n1,2,3\n2,1,oops\n3,5,6\n")
    assert "--y" not in spdml("describe", "covariance", "t.csv", "-o", "c.npz").failed("'oops'").err
    (tmp_path / "t.csv").write_text("a,b\n1,2\n2,1\n3,5\n")
    spdml("info", "t.csv").failed("rows of 2 numbers", "name it y")
    (tmp_path / "t.csv").write_text("a,b,c\n1,2,3\n2,1,2\n3,5,6\n")
    spdml("info", "t.csv").failed("rows of 3 numbers", "the descriptor 'covariance'")
    spdml("embed", "t.csv", "-o", "p.png").failed("rsvg-convert", code=2)


def test_model_projects_first(spdml, rng, tmp_path):
    """W'CW, also for fewer observations than values: more than m of them are enough."""
    X = rng.standard_normal((8, 30, 12)) * np.linspace(1, 3, 12)
    np.savez(tmp_path / "t.npz", X=X, y=np.arange(8) % 2)
    spdml("describe", "covariance", "t.npz", "-o", "full.npz").good()
    spdml("fit", "full.npz", "-m", 3, "--nu-w", 2, "--nu-b", 2, "-o", "m.spdml").good()
    spdml("transform", "m.spdml", "full.npz", "-o", "mapped.npz").good()
    spdml("describe", "covariance", "t.npz", "--model", "m.spdml", "-o", "c.npz").good()
    close(load(tmp_path / "c.npz")["X"], load(tmp_path / "mapped.npz")["X"])
    np.savez(tmp_path / "short.npz", X=X[:, :4])
    W = load(tmp_path / "m.spdml")["W"]
    spdml("describe", "covariance", "short.npz", "-o", "no.npz").failed("rank 3", "--model")
    spdml("describe", "covariance", "short.npz", "--model", "m.spdml", "-o", "c.npz").good()
    close(load(tmp_path / "c.npz")["X"], [W.T @ cov(O) @ W for O in X[:, :4]])
    np.savez(tmp_path / "other.npz", X=X[:, :, :5])
    spdml("describe", "covariance", "other.npz", "--model", "m.spdml", "-o", "no.npz").failed(
        "12 values", "have 5")


# ---- signals -------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_bands_are_those_of_scipy(spdml, rng, tmp_path, order):
    rate, bands = 256.0, [(12, 14), (16.5, 18), (1, 100)]
    X = rng.standard_normal((2, 4, 1500)).cumsum(axis=2)
    np.savez(tmp_path / "eeg.npz", X=X)
    text = ",".join(f"{a}-{b}" for a, b in bands)
    spdml("describe", "covariance", "eeg.npz", "--channels-first", "--rate", rate, "--bands", text,
          "--order", order, "-o", "c.npz").good()
    expected = []
    for trial in X:
        stacked = np.concatenate([
            signal.sosfiltfilt(signal.butter(order, band, "bandpass", fs=rate, output="sos"), trial)
            for band in bands])
        expected.append(np.cov(stacked))
    close(load(tmp_path / "c.npz")["X"], expected, 1e-8)


def test_windows(spdml, rng, tmp_path):
    O = rng.standard_normal((1000, 3))
    np.save(tmp_path / "t.npy", O)
    spdml("describe", "covariance", "t.npy", "--rate", 100, "--window", 2, "--step", 0.5, "-o",
          "c.npz").good()
    out = load(tmp_path / "c.npz")
    starts = np.arange(0, 801, 50)
    close(out["X"], [cov(O[a:a + 200]) for a in starts])
    assert list(out["window_start"]) == list(starts / 100)
    spdml("describe", "covariance", "t.npy", "--rate", 100, "--window", 3, "-o", "c.npz").good()
    assert load(tmp_path / "c.npz")["X"].shape[0] == 3


@pytest.mark.parametrize("words, said", [
    (["--bands", "12"], "12-14"), (["--bands", "12-"], "12-14"), (["--bands", "a-b"], "12-14"),
    (["--shrinkage", "much"], "oas"), (["--shrinkage", "1.5"], "0 to 1"),
    (["--sift-step", "4"], "does not belong to covariance"),
    (["--asf", "x.asf"], "does not belong to covariance"),
    (["--labels", "a.csv", "--label-by", "{y}_"], "cannot be used together"),
])
def test_misuse(spdml, tables, words, said):
    spdml("describe", "covariance", "tables.npz", "-o", "c.npz", *words).failed(said, code=2)


@pytest.mark.parametrize("words, said", [
    (["--bands", "12-14"], "half the sampling rate"),
    (["--rate", "100", "--bands", "14-12"], "14 to 12"),
    (["--window", "100"], "fewer than a window"), (["--step", "1"], "--window"),
    (["--rate", "100", "--bands", "12-14", "--order", "9"], "too short"),
])
def test_signals_that_cannot_be(spdml, tables, words, said):
    spdml("describe", "covariance", "tables.npz", "-o", "c.npz", *words).failed(said)


@pytest.mark.parametrize("words", [
    [], ["--bands", "2-4"], ["--window", "1"], ["--window", "9", "--bands", "2-4"]])
def test_tables_on_their_side(spdml, rng, tmp_path, words):
    hint = "; if rows are channels, use --channels-first\n"
    np.save(tmp_path / "wide.npy", rng.standard_normal((6, 300)))
    words = ["describe", "covariance", "wide.npy", "--rate", 20, *words, "-o", "c.npz"]
    spdml(*words).failed("wide.npy", hint)
    spdml(*words, "--channels-first").good()
    np.save(tmp_path / "wide.npy", rng.standard_normal((300, 6)))
    done = spdml(*words, "--channels-first").failed("wide.npy")
    assert hint not in done.err


def test_no_hint_for_tables_that_stand(spdml, rng, tmp_path):
    np.save(tmp_path / "short.npy", rng.standard_normal((6, 6)))
    done = spdml("describe", "covariance", "short.npy", "-o", "c.npz").failed("6 observations")
    assert "channels-first" not in done.err


@pytest.mark.parametrize("kind, words, said", [
    ("region", ["--size", "big"], "WIDTHxHEIGHT"), ("region", ["--grid", "3"], "ROWSxCOLUMNS"),
    ("region", ["--grid", "0x3"], "ROWSxCOLUMNS"), ("gabor", ["--regions", "thirds"], "halves"),
    ("joints", ["--frames", "5"], "FIRST:LAST"),
    ("joints", ["--frames", "9:3"], "FIRST:LAST"), ("joints", ["--center", "hip"], "root"),
    ("sift-color", ["--sift-step", "0"], "at least"), ("sift-color", ["--window", "3"], "belong"),
])
def test_misuse_of_other_kinds(spdml, tables, kind, words, said):
    done = spdml("describe", kind, "tables.npz", "-o", "c.npz", *words)
    assert done.code == 2 and (said in done.err or "between" in done.err), done.err


@pytest.mark.parametrize("rects, said", [
    ("1,2,3\n", "four columns"), ("1,2,3,0\n", "whole numbers"), ("1,2,3.5,4\n", "whole numbers"),
    ("0,0,100,4\n", "faces.npz[0]"),
])
def test_bad_rectangles(spdml, images, tmp_path, rects, said):
    (tmp_path / "r.csv").write_text(rects)
    spdml("describe", "region", "faces.npz", "--rects", "r.csv", "-o", "c.npz").failed(said)


def test_rectangles(spdml, images, tmp_path):
    (tmp_path / "r.csv").write_text("0,0,16,20\n2,3,8,9\n")
    spdml("describe", "region", "faces.npz", "--rects", "r.csv", "-o", "c.npz").good()
    out = load(tmp_path / "c.npz")
    assert list(out["left"]) == [0, 2] * 4 and list(out["height"]) == [20, 9] * 4
    spdml("describe", "region", "faces.npz", "-o", "whole.npz").good()
    close(out["X"][::2], load(tmp_path / "whole.npz")["X"])


def test_unknown_kind(spdml, tables):
    spdml("describe", "gabar", "tables.npz", "-o", "c.npz").failed("gabor", code=2)
    spdml("describe", "tables.npz", "x", "-o", "c.npz").failed("first operand", code=2)


@pytest.mark.parametrize("header", ["Zeit;Fz;Cz\n", ""])
def test_decimal_commas_are_named(spdml, tmp_path, header):
    (tmp_path / "german.csv").write_text(header + "0,0;1,5;2,5\n0,1;1,25;2\n0,2;-1,5;7,5\n")
    spdml("describe", "covariance", "german.csv", "-o", "c.npz").failed(
        "german.csv: line 2, column 1", "has a decimal comma", "replace the commas")
    (tmp_path / "index.csv").write_text("file;label;age\na.csv;left;3,5\nb.csv;right;4,5\n")
    for name in "ab":
        np.savetxt(tmp_path / f"{name}.csv", np.random.default_rng(1).random((9, 2)), delimiter=",")
    spdml("describe", "covariance", "a.csv", "b.csv", "--labels", "index.csv", "-o", "c.npz").good()
    assert list(load(tmp_path / "c.npz")["age"]) == ["3,5", "4,5"]  # a text is not looked at


# ---- labels --------------------------------------------------------------------------------------


@pytest.fixture
def folder(rng, tmp_path):
    """Tables in in/b and in/c; the matrices by path."""
    made = {}
    for path in ["in/b/2.csv", "in/b/1.csv", "in/c/1.csv"]:
        O = rng.standard_normal((9, 2))
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        np.savetxt(tmp_path / path, O, delimiter=",", fmt="%.17g")
        made[path] = cov(O)
    return made


def test_index(spdml, folder, tmp_path):
    (tmp_path / "index.csv").write_text(
        "file,action,subject,trial\nb/1.csv,jump,ann,1\nc/1.csv,sit,bob,2\n2.csv,jump,bob,3\n"
        "unused.csv,fly,eve,4\n")
    spdml("describe", "covariance", "in", "--labels", "index.csv", "-o", "c.npz").good()
    out = load(tmp_path / "c.npz")
    assert list(out["name"]) == ["in/b/1.csv", "in/b/2.csv", "in/c/1.csv"]
    assert list(out["y"]) == ["jump", "jump", "sit"]
    assert list(out["subject"]) == ["ann", "bob", "bob"]
    assert list(out["trial"]) == [1, 3, 2]
    close(out["X"], [folder[name] for name in out["name"]])


@pytest.mark.parametrize("ending", ["npy", "npz", "mat"])
def test_labels_in_an_array(spdml, folder, tables, tmp_path, ending):
    """One for each input: files of a folder by their names, slices as they come."""
    def write(name, y):
        if ending == "npy":
            np.save(tmp_path / name, y)
        elif ending == "npz":
            np.savez(tmp_path / name, y=y)
        else:
            scipy_io.savemat(tmp_path / name, {"y": y})
        return name if ending != "mat" or name.endswith(".mat") else name + ".mat"
    y = write(f"y.{ending}", np.array([7, 3, 7]))
    spdml("describe", "covariance", "in", "--labels", y, "-o", "c.npz").good()
    out = load(tmp_path / "c.npz")
    assert list(out["name"]) == ["in/b/1.csv", "in/b/2.csv", "in/c/1.csv"]
    assert list(out["y"]) == [7, 3, 7]
    close(out["X"], [folder[name] for name in out["name"]])
    spdml("describe", "covariance", "tables.npz", "--labels", y, "-o", "c.npz").failed(
        y, "3 labels for 6 inputs")
    other = write(f"z.{ending}", np.arange(6))
    spdml("describe", "covariance", "tables.npz", "--labels", other, "-o", "c.npz").good()
    assert list(load(tmp_path / "c.npz")["y"]) == list(range(6))


def test_columns_from_names(spdml, folder, tmp_path):
    spdml("describe", "covariance", "in", "--label-by", "{y}", "-o", "c.npz").good()
    assert list(load(tmp_path / "c.npz")["y"]) == ["1", "2", "1"]
    for name in folder:
        (tmp_path / name).rename((tmp_path / name).with_name(f"HDM_s{name[-5]}_jog_left_{name[3]}.csv"))
    for pattern in ["HDM_{subject}_{y}_{}", "HDM_{subject}_{y}_{}_{}.csv", "in/{}/{}_{subject}_{y}_{}"]:
        spdml("describe", "covariance", "in", "--label-by", pattern, "-o", "c.npz").good()
        out = load(tmp_path / "c.npz")
        assert list(out["y"]) == ["jog"] * 3 and list(out["subject"]) == ["s1", "s2", "s1"]
        assert set(out) == {"X", "y", "name", "subject", "feature_mean", "feature_count", "meta.json"}
    spdml("describe", "covariance", "in", "--label-by", "{y}/HDM_s{trial}_{}", "-o", "c.npz").good()
    out = load(tmp_path / "c.npz")
    assert list(out["y"]) == ["b", "b", "c"] and list(out["trial"]) == ["1", "2", "1"]
    spdml("describe", "covariance", "in", "--label-by", "{}_{subject}_{}", "-o", "c.npz").good()
    assert "y" not in load(tmp_path / "c.npz")


@pytest.mark.parametrize("pattern", ["{y}_x", "{y}/{}/{}/{}", "x{y}", "{y}_{a}_{b}_{c}", "{y}."])
def test_names_that_do_not_fit(spdml, folder, tmp_path, pattern):
    words = ["describe", "covariance", "in", "--label-by", pattern, "-o", "c.npz"]
    (tmp_path / "in/a_x.csv").write_text("no table")
    told = spdml(*words).failed("does not fit the pattern", pattern)
    assert told.err.startswith("spdml: in/b/1.csv: " if pattern == "{y}_x" else "spdml: in/a_x.csv: ")
    (tmp_path / "in/a_x.csv").write_text("1,2\n2,1\n3,5\n")
    if pattern == "{y}_x":
        done = spdml(*words, "--keep-going")
        assert done.code == 1 and list(load(tmp_path / "c.npz")["y"]) == ["a"]


@pytest.mark.parametrize("pattern", ["", "y", "{}", "{y", "{y}{z}", "{a{y}", "{a/y}", "moon"])
def test_bad_patterns(spdml, folder, pattern):
    spdml("describe", "covariance", "in", "--label-by", pattern, "-o", "c.npz").failed("pattern")


def test_folder_and_none(spdml, folder, tmp_path):
    spdml("describe", "covariance", "in", "--label-by", "none", "-o", "c.npz").good()
    assert "y" not in load(tmp_path / "c.npz")
    spdml("describe", "covariance", "in/b", "-o", "c.npz").good()
    assert "y" not in load(tmp_path / "c.npz")
    spdml("describe", "covariance", "in/b", "--label-by", "folder", "-o", "c.npz").good()
    assert list(load(tmp_path / "c.npz")["y"]) == ["b", "b"]


@pytest.mark.parametrize("kind, shape", [("joints", (9, 3)), ("covariance", (9, 2))])
def test_index_among_the_inputs(spdml, rng, tmp_path, kind, shape):
    (tmp_path / "in").mkdir()
    for name in ["a.csv", "z.csv"]:
        np.savetxt(tmp_path / "in" / name, rng.standard_normal(shape), delimiter=",")
    index = tmp_path / "in/index.csv"
    index.write_text("file,action\na.csv,run\nz.csv,sit\n")
    words = ["describe", kind, "in", "-o", "c.npz"]
    advice = "in/index.csv: looks like an index; try --labels FILE"
    spdml(*words).failed(advice + "\n")
    assert advice in spdml(*words, "--keep-going").err
    spdml(*words, "--labels", "in/index.csv").good()
    assert list(load(tmp_path / "c.npz")["y"]) == ["run", "sit"]
    index.write_text("x,y\nrun,sit\n")
    assert "an index" not in spdml(*words).failed("in/index.csv").err


def test_index_in_an_archive(spdml, reads_archives, tmp_path):
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as packed:
        packed.writestr("index.csv", "file,action\na.csv,run\nz.csv,sit\n")
    for kind in ["joints", "covariance"]:
        spdml("describe", kind, "in.zip", "-o", "c.npz").failed("in.zip/index.csv",
                                                                "an index; unpack")


def test_index_that_lacks_an_input(spdml, folder, tmp_path):
    (tmp_path / "index.csv").write_text("file,label\nb/1.csv,x\nc/1.csv,y\n")
    words = ["describe", "covariance", "in", "--labels", "index.csv", "-o", "c.npz"]
    spdml(*words).failed("in/b/2.csv", "index.csv")
    done = spdml(*words, "--keep-going")
    assert done.code == 1 and "skipped: in/b/2.csv" in done.err
    assert list(load(tmp_path / "c.npz")["name"]) == ["in/b/1.csv", "in/c/1.csv"]


# ---- archives ------------------------------------------------------------------------------------


def csv_bytes(O):
    text = io.StringIO()
    np.savetxt(text, O, delimiter=",", fmt="%.17g")
    return text.getvalue().encode()


@pytest.fixture
def members(rng):
    return {name: rng.standard_normal((8, 2)) for name in ["a/1.csv", "../b/2.csv", "/c/3.csv"]}


@pytest.fixture
def reads_archives(spdml):
    """Builds may leave libarchive out."""
    libraries = spdml("version", "-v", "--json").good().json["libraries"]
    if not any(row["name"] == "libarchive" for row in libraries):
        pytest.skip("this build reads no archives")


@pytest.fixture(params=["tar", "tar.gz", "tar.xz", "zip"])
def packed(request, reads_archives, members, tmp_path):
    path = tmp_path / f"data.{request.param}"
    if request.param == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
            for name, O in members.items():
                out.writestr(name, csv_bytes(O))
            out.writestr("readme", "nothing")
        return path
    with tarfile.open(path, "w:" + request.param.partition(".")[2]) as out:
        for name, O in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(csv_bytes(O))
            out.addfile(entry, io.BytesIO(csv_bytes(O)))
        link = tarfile.TarInfo("link.csv")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        out.addfile(link)
    return path


def test_archive(spdml, packed, members, tmp_path):
    before = sorted(os.listdir(tmp_path))
    spdml("describe", "covariance", packed.name, "-o", "c.npz").good()
    out = load(tmp_path / "c.npz")
    close(out["X"], [cov(O) for O in members.values()])
    assert sorted(os.listdir(tmp_path)) == sorted(before + ["c.npz"]), "nothing is unpacked"
    assert list(out["y"]) == ["a", "b", "c"]


# ---- broken inputs -------------------------------------------------------------------------------


def test_keep_going(spdml, folder, tmp_path):
    (tmp_path / "in/b/1.csv").write_text("1,2\n3\n")
    (tmp_path / "in/b/0.csv").write_text("")
    words = ["describe", "covariance", "in", "-o", "c.npz"]
    spdml(*words).failed("in/b/0.csv", "is empty")
    assert not (tmp_path / "c.npz").exists()
    done = spdml(*words, "--keep-going", "--json")
    assert done.code == 1
    assert [line.split(": ")[2] for line in done.err.splitlines()] == ["in/b/0.csv", "in/b/1.csv"]
    assert done.json["skipped"] == 2 and done.json["p"] == 2
    assert done.json["failures"][1]["input"] == "in/b/1.csv"
    assert list(load(tmp_path / "c.npz")["name"]) == ["in/b/2.csv", "in/c/1.csv"]


@pytest.mark.parametrize("what, said", [
    ("absent.csv", "No such file"), ("empty", "contains no table"), ("odd.xyz", ".xyz"),
    ("dir.csv", "contains no table"),
])
def test_inputs_that_are_none(spdml, tmp_path, what, said):
    (tmp_path / "empty").mkdir()
    (tmp_path / "dir.csv").mkdir()
    (tmp_path / "odd.xyz").write_text("1,2\n")
    spdml("describe", "covariance", what, "-o", "c.npz").failed(what, said)


def test_unreadable(spdml, unprivileged, folder, tmp_path):
    (tmp_path / "in/b/1.csv").chmod(0)
    spdml("describe", "covariance", "in", "-o", "c.npz", under=unprivileged).failed("in/b/1.csv", "Permission")


def test_sizes_must_agree(spdml, folder, rng, tmp_path):
    np.savetxt(tmp_path / "in/c/2.csv", rng.standard_normal((9, 3)), delimiter=",")
    spdml("describe", "covariance", "in", "-o", "c.npz").failed("in/c/2.csv", "3 x 3", "in/b/1.csv",
                                                                "2 x 2")


def test_numbers_that_are_none(spdml, tables, tmp_path):
    tables[3, 17, 2] = np.nan
    np.savez(tmp_path / "bad.npz", X=tables)
    spdml("describe", "covariance", "bad.npz", "-o", "c.npz").failed("bad.npz[3]", "row 17",
                                                                    "column 2")


def test_remedies_are_options(spdml, rng, tmp_path):
    np.save(tmp_path / "few.npy", rng.standard_normal((4, 4)))
    words = ["describe", "covariance", "few.npy", "-o", "c.npz"]
    assert spdml(*words).failed("few.npy", "rank 3").err.endswith(
        "; try --shrinkage oas, --regularize 1e-3 or --model FILE\n")
    spdml(*words, "--shrinkage", "oas").good()
    spdml(*words, "--step", "2").failed("needs a window; try --window SECONDS")


# ---- images and motion ---------------------------------------------------------------------------


@pytest.fixture
def images(rng, tmp_path):
    pictures = rng.integers(0, 256, (4, 20, 16), dtype=np.uint8)
    np.savez(tmp_path / "faces.npz", images=pictures, y=[1, 1, 2, 2], pose=["l", "r", "l", "r"])
    return pictures


def test_array_of_images(spdml, images, tmp_path):
    spdml("describe", "region", "faces.npz", "--keep-images", "-o", "c.npz").good()
    out = load(tmp_path / "c.npz")
    assert list(out["y"]) == [1, 1, 2, 2] and list(out["pose"]) == list("lrlr")
    close(out["images"], images / 255)


def test_images_are_kept_in_their_new_size(spdml, images, tmp_path):
    spdml("describe", "region", "faces.npz", "--keep-images", "--size", "10x12", "--grid", "2x1",
          "-o", "c.npz").good()
    out = load(tmp_path / "c.npz")
    assert out["images"].shape == (8, 12, 10) and out["X"].shape[0] == 8
    assert (out["images"][0] == out["images"][1]).all()
    assert list(out["y"]) == [1, 1, 1, 1, 2, 2, 2, 2]


def test_image_files(spdml, images, tmp_path):
    for i, picture in enumerate(images):
        path = tmp_path / "in" / "pq"[i % 2] / f"{i}.pgm"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"P5\n16 20\n255\n" + picture.tobytes())
    (tmp_path / "in/readme.txt").write_text("no image")
    spdml("describe", "region", "faces.npz", "-o", "array.npz").good()
    spdml("describe", "region", "in", "--no-color", "-o", "c.npz").good()
    out = load(tmp_path / "c.npz")
    close(out["X"], load(tmp_path / "array.npz")["X"][[0, 2, 1, 3]])
    assert list(out["y"]) == list("ppqq")
    (tmp_path / "in/p/broken.pgm").write_bytes(b"P5\n16 20\n255\nshort")
    spdml("describe", "region", "in", "--no-color", "-o", "c.npz").failed("in/p/broken.pgm")


@pytest.mark.parametrize("values, said", [(-1, "from -1"), (70000, "70000"), (np.nan, "NaN")])
def test_arrays_that_are_no_images(spdml, tmp_path, values, said):
    np.savez(tmp_path / "bad.npz", images=np.full((2, 8, 8), values, float))
    spdml("describe", "region", "bad.npz", "-o", "c.npz").failed("bad.npz", said)


def test_trajectories(spdml, rng, tmp_path):
    clips = rng.standard_normal((3, 50, 6))
    np.savez(tmp_path / "clips.npz", X=clips, y=[1, 2, 3])
    np.savetxt(tmp_path / "one.csv", clips[0], delimiter=",", fmt="%.17g")
    spdml("describe", "joints", "clips.npz", "--regularize", 0, "-o", "c.npz").good()
    close(load(tmp_path / "c.npz")["X"], [cov(O) for O in clips])
    spdml("describe", "joints", "one.csv", "--regularize", 0, "-o", "c.npz").good()
    close(load(tmp_path / "c.npz")["X"], [cov(clips[0])])
    np.save(tmp_path / "odd.npy", clips[0][:, :5])
    spdml("describe", "joints", "odd.npy", "-o", "c.npz").failed("multiple of 3")


def test_clips_need_a_skeleton(spdml, tmp_path):
    (tmp_path / "a.amc").write_text(":FULLY-SPECIFIED\n:DEGREES\n1\n")
    spdml("describe", "joints", "a.amc", "-o", "c.npz").failed("a.amc", "--asf")
    (tmp_path / "a.asf").write_text("this is no skeleton")
    spdml("describe", "joints", "a.amc", "-o", "c.npz").failed("a.amc", "a.asf")
    spdml("describe", "joints", "a.amc", "--asf", "a.asf", "-o", "c.npz").failed("a.asf")


@pytest.mark.parametrize("packed", [False, True])
def test_skeletons_above_their_clips(spdml, reads_archives, tmp_path, packed):
    spdml("synth", "motion", "-o", "in", "--classes", 2, "--subjects", 2, "--samples", 2).good()
    (tmp_path / "in/index.csv").unlink()
    spdml("describe", "joints", "in", "--label-by", "{subject}_{y}_{}", "-o", "a.npz").good()
    for clip in list((tmp_path / "in").glob("*.amc")):
        folder = tmp_path / "in" / clip.name.split("_")[1]
        folder.mkdir(exist_ok=True)
        clip.rename(folder / clip.name)
    if packed:
        with tarfile.open(tmp_path / "in.tar", "w") as tar:
            tar.add(tmp_path / "in", "x")
    spdml("describe", "joints", "in.tar" if packed else "in", "--label-by", "{subject}_{y}_{}", "-o",
          "b.npz").good()
    a, b = ({n.rsplit("/", 1)[1]: (x.tobytes(), y, s)
             for n, x, y, s in zip(out["name"], out["X"], out["y"], out["subject"])}
            for out in (load(tmp_path / "a.npz"), load(tmp_path / "b.npz")))
    assert a == b and len(a) == 8 and {s for *_, s in a.values()} == {"a", "b"}
    clip = sorted((tmp_path / "in").rglob("*.amc"))[0]
    spdml("describe", "joints", clip, "-o", "c.npz").failed(clip.name, "--asf")
    (clip.parent / "a.asf").write_text("this is no skeleton")  # the nearest is taken
    if not packed:
        spdml("describe", "joints", "in", "-o", "c.npz").failed(clip.name, clip.parent.name + "/a.asf")


SEEDS = pathlib.Path(__file__).parents[1] / "fuzz" / "corpus" / "image"


def test_images_of_every_format(spdml, tmp_path):
    """bmp, gif and webp like png: the lossless ones give the same matrix."""
    (tmp_path / "in").mkdir()
    for name in ["rgb.bmp", "lossless.webp", "lossy.webp", "palette.gif", "grey.bmp", "grey.gif"]:
        (tmp_path / "in" / name).write_bytes((SEEDS / name).read_bytes())
    spdml("describe", "region", "in", "--no-color", "-o", "c.npz").good()
    out = load(tmp_path / "c.npz")
    X = dict(zip([n.split("/")[1] for n in out["name"]], out["X"]))
    assert len(X) == 6
    close(X["rgb.bmp"], X["lossless.webp"], 0)
    close(X["grey.bmp"], X["grey.gif"], 0)
    assert np.abs(X["rgb.bmp"] - X["grey.bmp"]).max() < 0.05 * np.abs(X["rgb.bmp"]).max()
    (tmp_path / "in" / "bad.webp").write_bytes((SEEDS / "animation.webp").read_bytes())
    spdml("describe", "region", "in", "-o", "d.npz").failed("bad.webp", "an animation")
    assert not (tmp_path / "d.npz").exists()


def test_what_is_passed_over_is_named(spdml, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.bmp").write_bytes((SEEDS / "rgb.bmp").read_bytes())
    for name in ["b.heic", "c.heic", "d.heic", "e.txt", "f", "g.JP2"]:
        (tmp_path / "in" / name).write_text("?")
    (tmp_path / "in" / "lost.png").symlink_to("nowhere.png")
    done = spdml("describe", "region", "in", "-o", "c.npz", "--json").good()
    names = [f"in/{n}" for n in ["b.heic", "c.heic", "d.heic", "e.txt", "f", "g.JP2", "lost.png"]]
    assert sorted(done.json["passed_over"]) == names
    for word in ["ignored 7 files", "3 .heic", "1 .txt", "1 without an ending", "in/b.heic"]:
        assert word in done.err, (word, done.err)
    with tarfile.open(tmp_path / "in.tar", "w") as tar:
        tar.add(tmp_path / "in" / "a.bmp", "x/a.bmp")
        tar.add(tmp_path / "in" / "e.txt", "x/e.txt")
    done = spdml("describe", "region", "in.tar", "-o", "c.npz", "--json").good()
    assert done.json["passed_over"] == ["in.tar/x/e.txt"] and "x/e.txt" in done.err
    clean = spdml("describe", "region", "in/a.bmp", "-o", "c.npz", "--json").good()
    assert clean.json["passed_over"] == [] and "passed" not in clean.err


def test_index_and_skeletons_are_not_passed_over(spdml, tmp_path):
    spdml("synth", "motion", "-o", "in", "--classes", 2, "--subjects", 1, "--samples", 2).good()
    done = spdml("describe", "joints", "in", "--labels", "in/index.csv", "-o", "c.npz",
                 "--json").good()
    assert done.json["passed_over"] == []


# ---- observations --------------------------------------------------------------------------------


def test_few_observations_are_said(spdml, rng, tmp_path):
    np.savez(tmp_path / "t.npz", X=rng.standard_normal((3, 20, 6)))
    np.savez(tmp_path / "few.npz", X=rng.standard_normal((3, 12, 12)))
    for source, kind, options, few in [
        ("t.npz", "covariance", ["--regularize", "1e-3"], None),
        ("few.npz", "covariance", ["--regularize", "1e-3"], {"matrices": 3, "fewest": 12, "rows": 12}),
        ("few.npz", "covariance", ["--shrinkage", "oas"], {"matrices": 3, "fewest": 12, "rows": 12}),
        ("few.npz", "joints", [], {"matrices": 3, "fewest": 12, "rows": 12}),
        ("t.npz", "covariance", ["--window", 5, "--regularize", 1],
         {"matrices": 12, "fewest": 5, "rows": 6}),
    ]:
        done = spdml("describe", kind, source, *options, "-o", "c.npz", "--json").good()
        assert done.json.get("few_observations") == few, (source, kind)
        assert ("too few observations" in done.err) == (few is not None)
        meta = spdml("info", "c.npz", "--json").good().json["meta"]
        assert meta.get("few_observations") == few
    assert "few observations" in spdml("info", "c.npz").good().out


def test_few_observations_after_a_map(spdml, rng, tmp_path):
    """With W it is m that counts: 8 observations are enough for m = 5, not for m = 8."""
    O = rng.standard_normal((20, 8, 10))
    np.savez(tmp_path / "t.npz", X=O)
    spd = rng.standard_normal((20, 40, 10))
    np.savez(tmp_path / "s.npz", X=np.einsum("pri,prj->pij", spd, spd), y=np.arange(20) % 2)
    for m in [5, 8]:
        spdml("fit", "s.npz", "-m", m, "-o", f"{m}.spdml", "--max-iter", 2).good()
        done = spdml("describe", "covariance", "t.npz", "--model", f"{m}.spdml", "--regularize",
                     "1e-3", "-o", "c.npz", "--json").good()
        few = done.json.get("few_observations")
        assert few == (None if m == 5 else {"matrices": 20, "fewest": 8, "rows": 8})


def test_some_of_the_observations(spdml, rng, tmp_path):
    O = rng.standard_normal((3, 47, 4))
    np.savez(tmp_path / "t.npz", X=O)
    spdml("describe", "covariance", "t.npz", "--observations", 9, "-o", "c.npz").good()
    with np.load(tmp_path / "c.npz") as z:
        assert (z["feature_count"] == 9).all()
        for X, o in zip(z["X"], O):
            np.testing.assert_allclose(X, np.cov(o[:45:5].T), rtol=1e-12)
    assert spdml("info", "c.npz", "--json").good().json["meta"]["parameters"]["observations"] == 9
    spdml("describe", "covariance", "t.npz", "--observations", 48, "-o", "c.npz").failed("t.npz", "2 to 47")
    spdml("describe", "covariance", "t.npz", "--observations", 9, "--window", 10, "-o",
          "c.npz").failed("windows")
    spdml("describe", "gabor", "t.npz", "--observations", 9, "-o", "c.npz").failed("sift-color and covariance")


# ---- the record ----------------------------------------------------------------------------------


def test_info_shows_the_parameters(spdml, tables):
    spdml("describe", "covariance", "tables.npz", "--shrinkage", "oas", "--rate", 100, "-o",
          "c.npz").good()
    out = spdml("info", "c.npz").good().out
    assert "covariance, by spdml" in out and "rate 100" in out and "shrinkage oas" in out
    meta = spdml("info", "c.npz", "--json").good().json["meta"]
    assert meta["descriptor"] == "covariance" and meta["inputs"] == ["tables.npz"]
    assert meta["parameters"]["rate"] == 100 and meta["covariance"]["shrinkage"] == "oas"


def test_meta_is_kept_by_other_commands(spdml, tables, tmp_path):
    spdml("describe", "covariance", "tables.npz", "-o", "c.npz").good()
    spdml("convert", "c.npz", "-o", "d.npz").good()
    with zipfile.ZipFile(tmp_path / "d.npz") as file:
        assert json.loads(file.read("meta.json"))["descriptor"] == "covariance"
    spdml("convert", "c.npz", "-o", "d.mat").good()


def test_any_number_of_threads(spdml, tables, tmp_path):
    for threads in [1, 2, 5]:
        spdml("describe", "covariance", "tables.npz", "--threads", threads, "-o",
              f"{threads}.npz").good()
    first = (tmp_path / "1.npz").read_bytes()
    assert all((tmp_path / f"{t}.npz").read_bytes() == first for t in [2, 5])
