"""spdml synth: what holds for all kinds, and the matrices and the motion capture it makes."""

import signal
import subprocess
import time

import numpy as np
import pytest
from conftest import members

KINDS = ["spd", "textures", "motion", "faces"]

# As small as each kind goes, to see what the command does with it.
SMALL = {
    "spd": ["--classes", 2, "--samples", 3, "-n", 5, "--planted", 2],
    "textures": ["--classes", 2, "--samples", 1, "--size", 64],
    "motion": ["--classes", 2, "--samples", 1, "--subjects", 2, "--frames", 24],
    "faces": ["--classes", 2, "--size", 32],
}


def name_of(kind, stem="made"):
    return stem + ".npz" if kind == "spd" else stem


def content(path):
    """Names and bytes of all files in a folder, or of what an .npz holds (its own bytes have a time
    in them)."""
    if path.is_file():
        return members(path)
    return {f.relative_to(path).as_posix(): f.read_bytes() for f in path.rglob("*") if f.is_file()}


# ---- all kinds -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_report(spdml, tmp_path, kind):
    path = name_of(kind)
    shown = spdml("synth", kind, "-o", path, *SMALL[kind], "--json").good().json
    assert shown["kind"] == kind and shown["output"] == path and shown["seed"] == 1
    assert shown["classes"] == 2 and shown["seconds"] >= 0
    assert shown["files"] == (1 if kind == "spd" else len(content(tmp_path / path)))
    assert path in shown["next"] and shown["next"].startswith("spdml ")
    table = spdml("synth", kind, "-o", name_of(kind, "again"), *SMALL[kind]).good()
    assert "classes            2\n" in table.out and table.err == ""


@pytest.mark.parametrize("kind", KINDS)
def test_next_command_works(spdml, kind):
    sizes = dict(SMALL, spd=["--samples", 8], motion=[*SMALL["motion"][:-1], 30])
    shown = spdml("synth", kind, "-o", name_of(kind), *sizes[kind], "--json").good().json
    words = shown["next"].split()[1:]
    if kind == "spd":
        words += ["--repeats", "1", "--nu-w", "4", "--nu-b", "1"]
    spdml(*words).good()


@pytest.mark.parametrize("kind, begins", [("textures", "spdml describe sift-color made"),
                                         ("faces", "spdml describe gabor made")])
def test_next_command_keeps_the_size(spdml, tmp_path, kind, begins):
    shown = spdml("synth", kind, "-o", "made", *SMALL[kind], "--json").good().json
    size = SMALL[kind][-1]
    assert shown["next"].startswith(f"{begins} --size {size} ")
    spdml(*shown["next"].split()[1:]).good()
    assert f"--size {size} " in spdml("synth", kind, "-o", "more", *SMALL[kind]).good().out
    shown = spdml("synth", kind, "-o", "usual", *SMALL[kind][:-2], "--json").good().json
    assert "--size" not in shown["next"]


@pytest.mark.parametrize("kind", KINDS)
def test_seed_alone_decides(spdml, tmp_path, kind):
    for stem, more in [("a", ["--threads", 1]), ("b", ["--threads", 4]), ("c", ["--seed", 2])]:
        spdml("synth", kind, "-o", name_of(kind, stem), *SMALL[kind], *more).good()
    first, again, other = (content(tmp_path / name_of(kind, stem)) for stem in "abc")
    assert first == again
    assert first != other and first.keys() == other.keys()


@pytest.mark.parametrize("kind, words", [
    ("motion", ["--signal", "1"]), ("textures", ["--subjects", "2"]), ("faces", ["--samples", "2"]),
    ("spd", ["--size", "10"]), ("motion", ["-n", "4"]), ("spd", ["--frames", "30"])])
def test_option_of_another_kind(spdml, tmp_path, kind, words):
    spdml("synth", kind, "-o", name_of(kind), *words).failed("does not belong to " + kind, code=2)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words, tells", [
    ([], ["synth needs KIND"]),
    (["spd"], ["synth needs --output PATH"]),
    (["motoin", "-o", "x"], ["unknown kind 'motoin'; did you mean 'motion'?"]),
    (["zebra", "-o", "x"], ["unknown kind 'zebra'; the first operand must be spd, textures, motion or faces"]),
    (["spd", "-o", "x.csv"], ["x.csv", ".npz or .mat"]),
    (["spd", "-o", "x.npz", "--classes", "0"], ["--classes 0"]),
    (["spd", "-o", "x.npz", "--signal", "-1"], ["--signal -1"]),
    (["motion", "-o", "x", "--subjects", "27"], ["--subjects 27"]),
])
def test_misuse(spdml, tmp_path, words, tells):
    spdml("synth", *words).failed(*tells, code=2)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words, tells", [
    (["spd", "-o", "x.npz", "--planted", "31"], ["31 dimensions", "n = 30"]),
    (["spd", "-o", "x.npz", "--signal", "100"], ["signal 100", "too ill-conditioned"]),
    (["spd", "-o", "gone/x.npz"], ["gone", "No such file"]),
    (["motion", "-o", "x", "--classes", "15"], ["15 actions", "1 to 14"]),
    (["motion", "-o", "gone/away/x", "--classes", "1"], ["gone/away/x"]),
])
def test_refused(spdml, tmp_path, words, tells):
    spdml("synth", *words).failed(*tells)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(spdml, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    spdml("synth", "motion", "-o", "full", *SMALL["motion"]).failed("full: ", "not empty", "mine.txt")
    assert content(tmp_path / "full") == {"mine.txt": b"mine"}
    (tmp_path / "file").write_text("mine")
    spdml("synth", "motion", "-o", "file", *SMALL["motion"]).failed("file")
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("kind, many", [("motion", "500"), ("textures", "900")])
def test_ctrl_c_leaves_nothing(command, tmp_path, kind, many):
    run = subprocess.Popen([command, "synth", kind, "-o", "made", "--samples", many], cwd=tmp_path,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.monotonic() + 600
    while time.monotonic() < end and not any((tmp_path / "made").rglob("*.*")):
        time.sleep(0.02)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=600)
    assert run.returncode == 130 and out == b"", (out, err)
    assert err == b"spdml: interrupted; nothing was written\n"
    assert list(tmp_path.iterdir()) == []


# ---- matrices ------------------------------------------------------------------------------------


def test_matrices_in_numpy(spdml, tmp_path):
    spdml("synth", "spd", "-o", "made.npz", "--seed", 3).good()
    with np.load(tmp_path / "made.npz") as made:
        X, y, U = made["X"], made["y"], made["planted"]
    assert X.shape == (200, 30, 30) and U.shape == (30, 10)
    assert np.array_equal(y, np.repeat(np.arange(4), 50))
    assert np.abs(U.T @ U - np.eye(10)).max() < 1e-13
    assert np.linalg.eigvalsh(X).min() > 0
    shown = spdml("info", "made.npz", "--json").good().json
    assert shown["classes"] == 4 and shown["meta"]["parameters"]["seed"] == 3
    assert "synth spd" in spdml("info", "made.npz").good().out


def test_defaults_are_those_of_the_help(spdml, tmp_path):
    spdml("synth", "spd", "-o", "a.npz").good()
    spdml("synth", "spd", "-o", "b.npz", "--classes", 4, "--samples", 50, "-n", 30, "--planted", 10,
          "--signal", 1.2, "--seed", 1).good()
    assert content(tmp_path / "a.npz") == content(tmp_path / "b.npz")
    shown = " ".join(spdml("synth", "--help").good().out.split())
    for words in ["between 1 and 4096; default 30", "between 1 and 4096; default 10",
                  "between 0 and 100; default 1.2",
                  "default 50, 12 and 4", "default 4, 18, 14 and 200"]:
        assert words in shown


def test_matlab_file(spdml):
    spdml("synth", "spd", "-o", "made.mat", *SMALL["spd"]).good()
    assert spdml("info", "made.mat", "--json").good().json["p"] == 6


def test_planted_is_no_column(spdml, tmp_path):
    spdml("synth", "spd", "-o", "made.npz").good()
    spdml("convert", "made.npz", "-o", "again.npz").good()
    with np.load(tmp_path / "again.npz") as again:
        assert "planted" not in again.files


def test_the_map_finds_what_was_planted(spdml, tmp_path):
    """What the method is for: the learned W comes near to the planted subspace, and recognition is
    better there than on the matrices as they are."""
    spdml("synth", "spd", "-o", "made.npz").good()
    spdml("fit", "made.npz", "-m", 10, "-o", "map.spdml", "-q").good()
    with np.load(tmp_path / "map.spdml") as model, np.load(tmp_path / "made.npz") as made:
        cosines = np.linalg.svd(model["W"].T @ made["planted"], compute_uv=False)
    assert np.mean(cosines**2) > 0.75, cosines  # a random subspace has 1/3
    shown = spdml("evaluate", "made.npz", "--methods", "nn-stein,nn-stein-ml", "-m", 10, "--nu-w", 25,
                  "--nu-b", 3, "--split", 0.5, "--repeats", 2, "--json").good().json
    plain, mapped = (result["accuracy_mean"] for result in shown["results"])
    assert 0.35 < plain < 0.85 and mapped > plain + 0.2, (plain, mapped)


# ---- motion --------------------------------------------------------------------------------------


def test_motion_folder(spdml, tmp_path):
    spdml("synth", "motion", "-o", "made", "--subjects", 3, "--samples", 2, "--frames", 40).good()
    files = content(tmp_path / "made").keys()
    assert {"a.asf", "b.asf", "c.asf", "index.csv", "c_squat_02.amc"} <= files
    assert len(files) == 3 + 3 * 14 * 2 + 1
    rows = [line.split(",") for line in (tmp_path / "made/index.csv").read_text().splitlines()]
    assert rows[0] == ["file", "action", "subject"]
    assert {row[0] for row in rows[1:]} == {name for name in files if name.endswith(".amc")}
    assert all(row[0].startswith(f"{row[2]}_{row[1]}_") for row in rows[1:])


def test_motion_is_recognised(spdml):
    """Described by joints, with the index beside the clips; training and test subjects are apart."""
    spdml("synth", "motion", "-o", "made", "--samples", 2).good()
    shown = spdml("describe", "joints", "made", "--labels", "made/index.csv", "-o", "m.npz",
                  "--json").good().json
    assert (shown["p"], shown["n"], shown["classes"]) == (140, 93, 14)
    done = spdml("evaluate", "m.npz", "--methods", "nn-stein,nn-airm", "--train-where", "subject=a,b",
                 "--test-where", "subject=c,d,e", "--json").good().json
    for result in done["results"]:
        assert 0.35 < result["accuracy_mean"] < 0.85, result["method"]
