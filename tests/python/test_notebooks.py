"""The notebooks of docs/notebooks: their code runs, and each ends in a picture."""

import json
import os
import pathlib

import pytest
from conftest import ROOT

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))


def cells(path):
    notebook = json.loads(path.read_text())
    assert notebook["nbformat"] == 4
    return [("".join(cell["source"]), cell) for cell in notebook["cells"]
            if cell["cell_type"] == "code"]


def test_there_are_some():
    assert len(NOTEBOOKS) >= 4


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path, monkeypatch, capsys):
    import matplotlib.pyplot as plt
    if path.stem == "recording":
        beside = pathlib.Path(os.environ.get("SPDML_LIBRARY", "none")).parent / "libspdml-data.so"
        if not beside.exists():
            pytest.skip("no libspdml-data.so beside libspdml.so")
    monkeypatch.chdir(path.parent)
    plt.close("all")
    names = {"__name__": "__main__"}
    listed = cells(path)
    for number, (code, cell) in enumerate(listed):
        assert not cell["outputs"] and cell["execution_count"] is None, "stored without outputs"
        plt.close("all")
        exec(compile(code, f"{path.name}, cell {number + 1}", "exec"), names)
    figure = plt.gcf()
    assert figure.axes and any(axis.has_data() for axis in figure.axes), "it ends in a picture"
    plt.close("all")


def test_the_map_helps(monkeypatch, capsys):
    """What the page shows is the point of the method: the map is better than no map."""
    monkeypatch.chdir(ROOT / "docs/notebooks")
    names = {"__name__": "__main__"}
    for code, _ in cells(ROOT / "docs/notebooks/learned-map.ipynb")[:2]:
        exec(code, names)
    shares = [float(line.split(" %")[0].split()[-1]) for line in capsys.readouterr().out.splitlines()]
    assert shares[1] > shares[0] + 5, shares
