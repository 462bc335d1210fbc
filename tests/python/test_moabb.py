"""The pipelines of examples/moabb run where moabb is installed; elsewhere their files are read."""

import importlib
import os
import pathlib
import re
import subprocess
import sys

import pytest
import spdml
from conftest import ROOT, wanted

FOLDER = ROOT / "examples/moabb"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("pipelines/*.yml")), ids=lambda path: path.stem)
def test_steps_exist(path):
    text = path.read_text()
    steps = re.findall(r"- name: (\w+)\n\s+from: ([\w.]+)", text)
    assert len(steps) >= 2
    for name, module in steps:
        assert hasattr(importlib.import_module(module), name)


def test_pipelines_on_fake_data():
    wanted("moabb", "moabb is not installed; its pipelines are left out")
    environment = dict(os.environ, PYTHONPATH=str(pathlib.Path(spdml.__file__).parents[1]))
    done = subprocess.run([sys.executable, str(FOLDER / "fake.py"), "1"], env=environment, capture_output=True,
                          text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    scores = dict(re.findall(r"^(\S.*?) +([\d.]+) \+-", done.stdout, re.M))
    assert set(scores) == {"SPDML + MDM", "TS + LR", "auto"}, done.stdout
    assert all(25 < float(score) < 75 for score in scores.values())  # the signals are noise
