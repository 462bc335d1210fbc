"""Data larger than --memory, lists of files, float32: the same results as in memory, and messages."""

import numpy as np
import pytest
from conftest import random_spd

N, P, M = 9, 330, 3
SMALL = "400K"  # X takes 214 kB as float64
CUTS = [0, 7, 200, P]


@pytest.fixture
def parts(tmp_path, rng):
    """The same matrices in one file and in three, as float64 and float32, with labels."""
    X = random_spd(rng, P, N, 0.4)
    y = np.arange(P) % 3
    X[:, range(3), range(3)] += 3 * np.eye(3)[y]
    np.save(tmp_path / "all.npy", X)
    np.save(tmp_path / "single.npy", X.astype(np.float32))
    np.save(tmp_path / "y.npy", y)
    (tmp_path / "sub").mkdir()
    for k in range(3):
        np.save(tmp_path / "sub" / f"part {k}.npy", X[CUTS[k]:CUTS[k + 1]])
        np.save(tmp_path / "sub" / f"y{k}.npy", y[CUTS[k]:CUTS[k + 1]])
    (tmp_path / "sub" / "x.list").write_text("# three parts\npart 0.npy\n\n part 1.npy \r\npart 2.npy")
    (tmp_path / "sub" / "y.list").write_text("y0.npy\ny1.npy\ny2.npy\n")
    return X, y


@pytest.fixture
def fit(spdml, tmp_path):
    def run(*words):
        shown = spdml("fit", *words, "-m", M, "--objective", "softmax", "--nu-w", 2, "--nu-b", 3,
                      "--max-iter", 15, "-o", "m.spdml", "--json").good().json
        with np.load(tmp_path / "m.spdml") as file:
            return shown, file["W"]

    return run


def test_fit_from_files_equals_fit_in_memory(fit, parts):
    shown, W = fit("all.npy", "--labels", "y.npy")
    assert shown["stored"] == "float64" and shown["passes_per_iteration"] == 1
    assert shown["peak_memory"] > 0 and shown["memory_limit"] > 0
    for words in (["sub/x.list", "--labels", "sub/y.list"], ["sub/x.list", "--labels", "y.npy"]):
        other, V = fit(*words)
        assert (V == W).all() and other["cost"] == shown["cost"]
    streamed, V = fit("sub/x.list", "--labels", "sub/y.list", "--memory", SMALL)
    assert streamed["stored"] == "file" and streamed["passes_per_iteration"] == 2
    assert streamed["data_passes"] > shown["data_passes"] + 10
    assert streamed["cost"] == pytest.approx(shown["cost"], rel=1e-9)
    again, U = fit("all.npy", "--labels", "y.npy", "--memory", SMALL, "--threads", 1)
    assert (U == V).all() and again["cost"] == streamed["cost"]


def test_float32_is_rounded_and_nothing_else(fit, parts, tmp_path):
    X, y = parts
    np.save(tmp_path / "rounded.npy", X.astype(np.float32).astype(float))
    shown, W = fit("rounded.npy", "--labels", "y.npy")
    other, V = fit("single.npy", "--labels", "y.npy")
    assert (V == W).all() and other["cost"] == shown["cost"] and other["stored"] == "float64"
    exact, _ = fit("all.npy", "--labels", "y.npy")
    assert shown["cost"] == pytest.approx(exact["cost"], rel=1e-4)


def test_float32_files_stay_so_where_more_would_not_fit(spdml, parts):
    shown = spdml("fit", "single.npy", "--labels", "y.npy", "--memory", SMALL, "-m", 2, "--nu-w", 1,
                  "--nu-b", 1, "-o", "m.spdml", "--json").good().json
    assert shown["stored"] == "float32"


def test_mean_neighbours_transform_and_classify(spdml, fit, parts, tmp_path):
    fit("all.npy", "--labels", "y.npy")
    streamed = ["--memory", "200K", "-v"]
    for words, name in ((["mean", "DATA", "--metric", "stein", "-o", "out.npz"], "M"),
                        (["neighbours", "DATA", "-k", 4, "-o", "out.npz"], "index"),
                        (["neighbours", "all.npy", "--queries", "DATA", "-k", 4, "-o", "out.npz"],
                         "distance"),
                        (["transform", "m.spdml", "DATA", "--labels", "y.npy", "-o", "out.npz"], "X"),
                        (["classify", "--train", "all.npy", "--labels", "y.npy", "--test", "DATA",
                          "--test-labels", "y.npy", "--method", "nn-stein", "--scores", "-o",
                          "out.npz"], "scores")):
        found = []
        for data, more in (("all.npy", []), ("sub/x.list", streamed)):
            done = spdml(*[data if word == "DATA" else word for word in words], *more).good()
            assert ("piece by piece" in done.err) == bool(more), done.err
            with np.load(tmp_path / "out.npz") as file:
                found.append(file[name])
        assert (found[0] == found[1]).all(), words


def test_own_graph_and_resume(spdml, parts, tmp_path):
    pairs = np.array([(i, i + 3) for i in range(300)] + [(i, i + 1) for i in range(300)])
    np.savez(tmp_path / "g.npz", i=pairs[:, 0], j=pairs[:, 1], value=np.repeat([1.0, -1.0], 300))
    words = ["-m", M, "--memory", SMALL, "--json"]
    whole = spdml("fit", "sub/x.list", "--affinity", "g.npz", *words, "--max-iter", 9, "-o",
                  "a.spdml").good().json
    spdml("fit", "sub/x.list", "--affinity", "g.npz", *words, "--max-iter", 4, "-o", "b.spdml",
          "--checkpoint", "c.npz").good()
    resumed = spdml("fit", "sub/x.list", "--affinity", "g.npz", *words, "--max-iter", 9, "-o",
                    "b.spdml", "--resume", "c.npz").good().json
    assert resumed["cost"] == whole["cost"] and whole["stored"] == "file"


def test_bad_lists_and_shards(spdml, parts, tmp_path):
    X, _ = parts
    fit = ["fit", "sub/x.list", "--labels", "y.npy", "-m", M, "-o", "m.spdml"]
    part = tmp_path / "sub" / "part 1.npy"
    whole = part.read_bytes()
    part.write_bytes(whole[:-100])
    spdml(*fit).failed("sub/part 1.npy", "is cut short")
    np.save(part, X[7:200, :5, :5])
    spdml(*fit).failed("sub/part 1.npy: holds 5 x 5 matrices", "sub/part 0.npy holds 9 x 9")
    np.save(part, X[7:200].astype(np.float32))
    spdml(*fit).failed("sub/part 1.npy: holds float32")
    np.save(part, np.asfortranarray(X[7:200]))
    spdml(*fit).failed("part 1.npy", "in Fortran order", "ascontiguousarray")
    part.unlink()
    spdml(*fit).failed("sub/part 1.npy: cannot open")
    part.write_bytes(whole)
    (tmp_path / "empty.list").write_text("# nothing\n")
    spdml("mean", "empty.list").failed("empty.list: names no files")
    (tmp_path / "bytes.list").write_bytes(b"\x00\x01")
    spdml("mean", "bytes.list").failed("bytes.list: is no text")
    (tmp_path / "short.list").write_text("sub/y0.npy\nsub/y1.npy\n")
    spdml(*fit, "--labels", "short.list").failed("short.list: 200 labels for 330 matrices")
    np.save(tmp_path / "sub" / "y1.npy", np.full(193, "a"))
    spdml(*fit, "--labels", "sub/y.list").failed("sub/y.list", "texts, others numbers")


@pytest.mark.parametrize("name", ["{}/secret.npy", "../secret.npy", "sub/../../secret.npy", "./../secret.npy",
                                  "..", "sub/.."])
@pytest.mark.parametrize("memory", [[], ["--memory", SMALL]])
def test_a_list_that_leads_out_of_its_folder(spdml, parts, tmp_path, name, memory):
    """It is refused before the file is looked at, whether it names matrices or labels."""
    (tmp_path / "secret.npy").write_text("root:*:20000:0:99999:7:::")
    (tmp_path / "sub" / "out.list").write_text("part 0.npy\n" + name.format(tmp_path) + "\n")
    for words in (["mean", "sub/out.list"], ["fit", "all.npy", "-m", M, "--labels", "sub/out.list", "-o", "j.spdml"],
                  ["join", "sub/out.list", "-o", "j.npz"]):
        done = spdml(*words, *(memory if words[0] != "join" else [])).failed(
            "sub/out.list", "line 2", "leads out of the folder", "allow files anywhere")
        assert "root:" not in done.err


def test_a_list_does_not_follow_links_out_of_its_folder(spdml, tmp_path, parts):
    """Neither of a file nor of a folder; links within the folder are followed."""
    (tmp_path / "secret.npy").write_text("root:x:0")
    (tmp_path / "sub" / "link.npy").symlink_to("../secret.npy")
    (tmp_path / "sub" / "near.npy").symlink_to("part 1.npy")
    (tmp_path / "sub" / "up").symlink_to("..")
    for name in "link.npy", "up/secret.npy":
        (tmp_path / "sub" / "l.list").write_text(name + "\n")
        done = spdml("mean", "sub/l.list").failed("sub/l.list", "line 1", "leads out of the folder")
        assert "root" not in done.err
        spdml("mean", "sub/l.list", "--anywhere").failed("not an .npy file")
    (tmp_path / "sub" / "l.list").write_text("near.npy\n")
    spdml("mean", "sub/l.list").good()



def test_a_list_that_may_name_files_anywhere(spdml, parts, tmp_path):
    X, _ = parts
    (tmp_path / "out.list").write_text(f"{tmp_path}/sub/part 0.npy\nsub/../sub/part 1.npy\nsub/..part 2.npy\n")
    (tmp_path / "sub/part 2.npy").rename(tmp_path / "sub/..part 2.npy")
    spdml("mean", "out.list", "--anywhere", "-o", "M.npy").good()
    spdml("mean", "all.npy", "-o", "N.npy").good()
    assert (np.load(tmp_path / "M.npy") == np.load(tmp_path / "N.npy")).all()
    (tmp_path / "near.list").write_text("sub/..part 2.npy\n")
    assert spdml("info", "near.list", "--json").good().json["p"] == len(X) - 200


@pytest.mark.parametrize("words", [["fit", "-m", M, "-o", "m.spdml", "--labels", "y.npy"],
                                   ["mean"], ["neighbours"]])
def test_a_bad_matrix_is_named_by_number_and_file(spdml, parts, tmp_path, words):
    X, _ = parts
    bad = X[200:].copy()
    bad[23, 4, 4] = np.nan
    np.save(tmp_path / "sub" / "part 2.npy", bad)
    spdml(*words, "sub/x.list", "--memory", SMALL).failed(
        "sub/x.list: X[223] holds NaN or Inf at row 4, column 4 (sample 23 of sub/part 2.npy)")
    bad[23] = -X[223]
    np.save(tmp_path / "sub" / "part 2.npy", bad)
    spdml(*words, "sub/x.list", "--memory", SMALL).failed(
        "X[223] is not positive definite", "(sample 23 of sub/part 2.npy)")


def test_repairs_of_matrices_that_stream(spdml, parts, tmp_path):
    X, _ = parts
    X[:, 0, 1] += 0.25
    np.save(tmp_path / "all.npy", X)
    repairs = ["--symmetrize", "--regularize", 1e-3]
    found = []
    for more in ([], ["--memory", SMALL]):
        spdml("mean", "all.npy", "--metric", "euclidean", *repairs, *more, "-o", "M.npy").good()
        found.append(np.load(tmp_path / "M.npy"))
    assert (found[0] == found[1]).all()
    spdml("mean", "all.npy", "--memory", SMALL).failed("X[0] is not symmetric")


def test_limits_that_are_too_small_or_no_sizes(spdml, parts):
    fit = ["fit", "all.npy", "--labels", "y.npy", "-m", M, "-o", "m.spdml"]
    spdml(*fit, "--memory", "20K").failed("is too small", "GB are needed", "330 samples")
    spdml(*fit, "--memory", "much").failed("--memory much", "8G", code=2)
    spdml(*fit, "--memory", "-3G").failed("--memory -3G", code=2)
    spdml("fit", "all.npy", "--labels", "y.npy", "-m", "auto", "-o", "m.spdml", "--memory",
          SMALL).failed("cross-validation needs all matrices in memory")
    spdml("fit", "all.npy", "--labels", "y.npy", "-m", M, "-o", "m.spdml", "--memory", SMALL,
          "--metric", "log-euclidean").failed("needs all matrices in memory as float64")


def test_an_approximate_search_needs_memory(spdml, parts):
    graph = ["--labels", "y.npy", "-m", M, "--nu-w", 2, "--nu-b", 3]
    for command in (["fit", "all.npy", *graph], ["neighbours", "all.npy"]):
        spdml(*command, "--memory", SMALL, "--search", "approximate", "-o",
              "x.spdml" if command[0] == "fit" else "x.npz").failed("in memory")
