"""Every kind of figure, drawn by programs that know nothing of style sheets: the colours are there,
as SVG and as PDF. Skipped where rsvg-convert or pdftoppm is not installed."""

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from test_evaluate import classes

BLUE, ORANGE, GREEN, BLACK = (0, 114, 178), (213, 94, 0), (0, 158, 115), (27, 31, 36)
WANTED = {"samples": [BLUE, ORANGE, GREEN], "tsne": [BLUE, ORANGE, GREEN], "cost": [BLUE, BLACK],
          "gradient": [BLUE, BLACK], "spectrum": [BLUE, ORANGE], "margins-before": [BLUE, ORANGE],
          "margins-after": [BLUE, ORANGE], "ellipses": [BLUE, ORANGE, GREEN],
          "confusion-nn-stein": [BLUE], "confusion-nn-stein-ml": [BLUE]}


def drawn(path, tmp_path):
    """Pixels x 3 of the figure, through librsvg and poppler."""
    for command in "rsvg-convert", "pdftoppm":
        if not shutil.which(command):
            pytest.skip(f"no {command}")
    if path.suffix == ".svg":
        subprocess.run(["rsvg-convert", "-f", "pdf", "-o", tmp_path / "page.pdf", path], check=True,
                       timeout=60)
        path = tmp_path / "page.pdf"
    image = subprocess.run(["pdftoppm", "-r", "96", path], check=True, capture_output=True,
                           timeout=60).stdout
    width, height = map(int, re.match(rb"P6\n(\d+) (\d+)\n255\n", image).groups())
    return np.frombuffer(image[-3 * width * height:], np.uint8).reshape(-1, 3).astype(int)


def shows(path, wanted):
    found = drawn(path, path.parent)
    assert (found.min(1) > 250).mean() > 0.15, "no white page"
    for colour in wanted:  # marks are strong, and not quite opaque
        near = np.abs(found - np.array(colour)).max(1) < 45
        assert near.sum() > 8, (path.name, colour)


def plain(path):
    """No style but that of dark pages, and no colour that only a style sheet knows."""
    root = ET.parse(path).getroot()
    for e in root.iter():
        kind = e.tag.split("}")[1]
        if kind == "style":
            assert e.text.lstrip().startswith("@media") and len(e.text) < 1500
        if kind in ("path", "rect", "circle", "ellipse", "text"):
            assert re.fullmatch("#[0-9a-f]{6}|none", e.attrib["fill"]), e.attrib
        assert "var(" not in "".join(e.attrib.values())


@pytest.fixture
def data(rng, tmp_path):
    made = classes(rng)
    np.savez(tmp_path / "data.npz", **made)
    return made


@pytest.mark.parametrize("form", ["svg", "pdf"])
def test_of_the_report(spdml, data, tmp_path, form):
    spdml("evaluate", "data.npz", "--methods", "nn-stein,nn-stein-ml", "-m", 2, "--nu-b", 3, "--split",
          0.5, "--repeats", 1, "-o", "out").good()
    assert {p.stem for p in (tmp_path / "out").glob(f"*.{form}")} == set(WANTED)
    for path in (tmp_path / "out").glob("*.svg"):
        plain(path)
    for name, colours in WANTED.items():
        shows(tmp_path / "out" / f"{name}.{form}", colours)


@pytest.mark.parametrize("form", ["svg", "pdf"])
def test_of_explain_and_embed(spdml, data, tmp_path, form):
    spdml("fit", "data.npz", "-m", 2, "--nu-b", 3, "-o", "map.spdml").good()
    spdml("explain", "map.spdml", "--data", "data.npz", "-o", f"map.{form}").good()
    shows(tmp_path / f"map.{form}", [BLUE, BLACK])
    spdml("embed", "data.npz", "--method", "mds", "-o", f"picture.{form}").good()
    shows(tmp_path / f"picture.{form}", [BLUE, ORANGE, GREEN])
    if form == "svg":
        plain(tmp_path / "map.svg")
        plain(tmp_path / "picture.svg")
        texts = [t.text for t in ET.parse(tmp_path / "picture.svg").getroot().iter()]
        assert set(data["y"]) <= set(texts)
    np.savez(tmp_path / "bare.npz", X=data["X"])
    spdml("embed", "bare.npz", "-o", f"bare.{form}").good()
    shows(tmp_path / f"bare.{form}", [BLUE])
    spdml("embed", "data.npz", "-d", 1, "-o", f"line.{form}").failed("two dimensions", code=2)


def test_a_pdf_is_sound(spdml, tmp_path, rng):
    """Its table of objects leads to them, and hostile names stay texts."""
    made = classes(rng)
    names = np.array(["(", ") Tj ET", "\\日本"])
    np.savez(tmp_path / "data.npz", X=made["X"], y=names[np.unique(made["y"], return_inverse=True)[1]])
    spdml("embed", "data.npz", "-o", "picture.pdf").good()
    pdf = (tmp_path / "picture.pdf").read_bytes()
    start = int(pdf.rsplit(b"startxref\n", 1)[1].split()[0])
    assert pdf[start:start + 4] == b"xref"
    for i, line in enumerate(pdf[start:].split(b"\n")[3:8], 1):
        assert pdf[int(line.split()[0]):].startswith(b"%d 0 obj" % i)
    length = int(re.search(rb"\n5 0 obj\n(\d+)", pdf)[1])
    assert pdf[pdf.index(b"stream\n") + 7 + length:].startswith(b"endstream")
    assert rb"(\050) Tj" in pdf and rb"(\051 Tj ET) Tj" in pdf and rb"(\134??) Tj" in pdf
