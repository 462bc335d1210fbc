"""The example scripts run and print what they promise."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import spdml
from conftest import ROOT, planted

SCRIPTS = sorted((ROOT / "examples/python").glob("*.py"))


def run(script, *arguments):
    environment = dict(os.environ, PYTHONPATH=str(pathlib.Path(spdml.__file__).parents[1]))
    done = subprocess.run([sys.executable, str(script), *map(str, arguments)], env=environment,
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert not done.stderr.strip(), done.stderr
    return done.stdout


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_example(script):
    text = run(script)
    values = [float(word) for line in text.splitlines() if "%" in line
              for word in line.split() if word.replace(".", "", 1).isdigit()]
    assert max(values) > 90, text


def test_eeg_reads_a_file(tmp_path, rng):
    X, y = planted(rng, 20, 8)
    np.savez(tmp_path / "own.npz", X=X, y=y)
    assert "60 covariances of 8 x 8" in run(ROOT / "examples/python/eeg.py", tmp_path / "own.npz")
