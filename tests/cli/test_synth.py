"""spdml synth: data from a seed. Textures and faces are read by a PNG reader of our own."""

import csv
import struct
import zlib

import numpy as np

POSES = "ba bj bk bc bd be bf bg bh".split()


def read_png(path):
    """height x width x channels, 8 bits; the filters of PNG by definition."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, kinds = 8, b"", []
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + length :][:4])[0]
        kinds.append(kind)
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            assert depth == 8 and not interlaced
        if kind == b"IDAT":
            packed += body
        at += 12 + length
    assert set(kinds) == {b"IHDR", b"IDAT", b"IEND"}  # no time, no text
    channels = {0: 1, 2: 3}[colour]
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * channels)
    assert (rows[:, 0] <= 1).all()  # none or difference to the left
    pixel = rows[:, 1:].reshape(height, width, channels).copy()
    for y in np.flatnonzero(rows[:, 0] == 1):
        pixel[y] = np.cumsum(pixel[y], axis=0, dtype=np.uint8)
    return pixel


def files_of(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


# ---- textures -----------------------------------------------------------------------------------


def test_textures_are_folders_of_colour_images(spdml, tmp_path):
    made = spdml("synth", "textures", "-o", "t", "--classes", 20, "--samples", 2, "--size", 40,
                 "--json").good().json
    assert made["files"] == 40 and made["classes"] == 20
    files = files_of(tmp_path / "t")
    assert len(files) == 40
    for name in ["weave", "bark", "brick", "fur", "marble", "wood"]:
        assert {f"{name}/{name}_01.png", f"{name}/{name}_02.png"} <= set(files)
    for name in files:
        pixel = read_png(tmp_path / "t" / name)
        assert pixel.shape == (40, 40, 3)
        assert pixel.std() > 5  # there is something to see
        assert np.linalg.eigvalsh(np.cov(pixel.reshape(-1, 3).T.astype(float)))[0] > 0.5


def test_textures_are_described_and_recognised(spdml):
    """Colours have full rank, so nothing needs repair; a sixth would be right by chance."""
    spdml("synth", "textures", "-o", "t", "--classes", 6, "--samples", 6, "--size", 120).good()
    described = spdml("describe", "sift-color", "t", "--size", 120, "-o", "t.npz", "-q").good()
    assert described.err == ""
    done = spdml("evaluate", "t.npz", "--methods", "nn-stein", "--split", "0.5", "--repeats", 2,
                 "--json").good().json
    assert 0.4 <= accuracy_of(done) <= 1


def accuracy_of(done):
    return done["results"][0]["accuracy_mean"]


# ---- faces --------------------------------------------------------------------------------------


def test_faces_are_grey_images_with_an_index(spdml, tmp_path):
    made = spdml("synth", "faces", "-o", "f", "--classes", 3, "--size", 32, "--json").good().json
    assert made["files"] == 28
    with open(tmp_path / "f" / "index.csv", newline="", encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    assert [(r["file"], r["subject"], r["pose"]) for r in rows] == [
        (f"{s:03}_{p}.png", str(s), p) for s in (1, 2, 3) for p in POSES]
    assert set(files_of(tmp_path / "f")) == {r["file"] for r in rows} | {"index.csv"}
    for r in rows:
        pixel = read_png(tmp_path / "f" / r["file"])
        assert pixel.shape == (32, 32, 1) and pixel.std() > 10


def test_faces_are_described_and_recognised(spdml):
    spdml("synth", "faces", "-o", "f", "--classes", 12).good()
    spdml("describe", "gabor", "f", "--labels", "f/index.csv", "-o", "f.npz", "-q").good()
    done = spdml("evaluate", "f.npz", "--methods", "nn-stein", "--train-where", "pose=ba,bj,bk",
                 "--test-where", "pose=be,bf", "--json").good().json
    assert 0.5 <= accuracy_of(done) <= 1


# ---- both ---------------------------------------------------------------------------------------


def test_images_that_cannot_be_made(spdml, tmp_path):
    spdml("synth", "textures", "-o", "d", "--classes", 21).failed("21 classes", "1 to 20")
    spdml("synth", "textures", "-o", "d", "--size", 12).failed("12 x 12", "16 to 4096")
    spdml("synth", "faces", "-o", "d", "--size", 4096).failed("4096 x 4096", "16 to 2048")
    spdml("synth", "faces", "-o", "no/such/d", "--classes", 1).failed("no/such/d:", "No such file")
    assert not (tmp_path / "d").exists()
