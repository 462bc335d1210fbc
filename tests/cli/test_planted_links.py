"""Links that a stranger has planted where outputs go: what they lead to stays as it was."""

import os

import numpy as np
import pytest
from conftest import random_spd

# What commands name themselves within the folder of -o.
OWN = {
    "evaluate": ["results.json", "final.json", "results.csv", "rounds.csv", "predictions.npz",
                 "confusion.npz", "report.html", "samples.svg", "samples.pdf", "confusion-nn-stein.svg", "embedding.csv", "margins.csv", "tsne.csv",
                 "spectrum.csv",
                 "convergence.csv"],
}


@pytest.fixture
def victim(tmp_path):
    path = tmp_path / "victim"
    path.write_bytes(b"precious")
    return path


@pytest.fixture
def data(tmp_path, rng):
    np.savez(tmp_path / "d.npz", X=random_spd(rng, 24, 4), y=np.repeat(["a", "b"], 12))
    return tmp_path / "d.npz"


def plant(folder, names, victim):
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).symlink_to(victim)
    return [folder / name for name in names]


def temporaries(name):
    """Names that one could guess: by process, by number, and the form that is in use."""
    return [f"{name}.{n}.tmp" for n in range(os.getpid(), os.getpid() + 40)] + [
        f"{name}.tmp", f"{name}~", f".{name}.tmp", f".{name}.00000000.tmp", f".{name}.01234567.tmp"]


@pytest.mark.parametrize("words, output", [
    (["distance", "d.npz"], "o.npy"),
    (["distance", "d.npz"], "o.csv"),
    (["mean", "d.npz"], "o.mat"),
    (["convert", "d.npz"], "o.npz"),
    (["convert", "d.npz"], "o.csv"),
    (["join", "d.npz", "d.npz"], "o.npz"),
    (["neighbours", "d.npz", "-k", "2"], "o.npz"),
    (["fit", "d.npz", "-m", "2", "--max-iter", "2", "--metric", "stein"], "o.spdml"),
    (["synth", "spd", "--classes", "2", "--samples", "3", "-n", "12"], "o.npz"),
    (["classify", "--train", "d.npz", "--test", "d.npz", "--method", "nn-stein"], "o.csv"),
])
def test_temporaries_of_files(spdml, tmp_path, data, victim, words, output):
    links = plant(tmp_path, temporaries(output), victim)
    done = spdml(*words, "-o", output)
    assert done.code in (0, 3), done.err
    assert (tmp_path / output).stat().st_size > 0 and not (tmp_path / output).is_symlink()
    assert victim.read_bytes() == b"precious"
    assert all(link.is_symlink() for link in links), "somebody's links were touched"


@pytest.mark.parametrize("option", ["--history", "--checkpoint"])
def test_temporaries_of_further_outputs(spdml, tmp_path, data, victim, option):
    name = {"--history": "h.csv", "--checkpoint": "c.npz"}[option]
    plant(tmp_path, temporaries(name), victim)
    done = spdml("fit", "d.npz", "-m", "2", "--max-iter", "3", "--metric", "stein", "-o", "o.spdml",
                 option, name)
    assert done.code in (0, 3), done.err
    assert victim.read_bytes() == b"precious"


def test_names_in_the_folder_of_an_evaluation(spdml, tmp_path, data, victim):
    plant(tmp_path / "out", OWN["evaluate"], victim)
    plant(tmp_path / "out", [t for n in OWN["evaluate"] for t in temporaries(n)[-5:]], victim)
    spdml("evaluate", "d.npz", "--methods", "nn-stein", "--split", "0.5", "-o", "out").good()
    assert victim.read_bytes() == b"precious"
    for name in ("results.json", "results.csv", "predictions.npz"):
        assert (tmp_path / "out" / name).is_file() and not (tmp_path / "out" / name).is_symlink()


def test_a_folder_of_generated_files(spdml, tmp_path, victim):
    """Its work folder has a random name; a link of that kind is neither followed nor removed."""
    plant(tmp_path / "out", [".making-000000"], tmp_path)
    spdml("synth", "textures", "--classes", "1", "--samples", "1", "-o", "out").failed("out")
    assert (tmp_path / "out" / ".making-000000").is_symlink()
    assert victim.read_bytes() == b"precious"


def test_a_link_of_another_user(spdml, tmp_path, data, victim):
    """One's own link is followed, that of another is not: in /tmp anybody may plant one."""
    (tmp_path / "own.npz").symlink_to(tmp_path / "target.npz")
    (tmp_path / "target.npz").write_bytes(b"old")
    spdml("convert", "d.npz", "-o", "own.npz").good()
    assert (tmp_path / "own.npz").is_symlink() and (tmp_path / "target.npz").stat().st_size > 100
    if os.geteuid() != 0:
        pytest.skip("only root can make a link of another user's")
    (tmp_path / "theirs.npz").symlink_to(victim)
    os.lchown(tmp_path / "theirs.npz", 12345, 12345)
    spdml("convert", "d.npz", "-o", "theirs.npz").failed("theirs.npz", "link", "another user")
    assert victim.read_bytes() == b"precious"


def test_links_of_links(spdml, tmp_path, data):
    """Each is followed from its own folder, the last one also to a file that is not there yet; a ring is refused."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "first.npz").symlink_to("sub/second.npz")
    (tmp_path / "sub/second.npz").symlink_to("../sub/third.npz")
    spdml("convert", "d.npz", "-o", "first.npz").good()
    assert (tmp_path / "first.npz").is_symlink() and (tmp_path / "sub/second.npz").is_symlink()
    assert not (tmp_path / "sub/third.npz").is_symlink() and (tmp_path / "sub/third.npz").stat().st_size > 100
    (tmp_path / "ring.npz").symlink_to("ring.npz")
    spdml("convert", "d.npz", "-o", "ring.npz").failed("ring.npz", "symbolic links")
    if os.geteuid() == 0:
        os.lchown(tmp_path / "sub/second.npz", 12345, 12345)
        spdml("convert", "d.npz", "-o", "first.npz").failed("first.npz", "another user")
