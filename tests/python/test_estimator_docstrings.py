"""The examples in the docstrings of estimators run and print what they show, and each has one."""

import doctest
import importlib
import inspect
import pkgutil
import re

import numpy as np
import pytest
import spdml
from conftest import ROOT

MODULES = ["artifact_detection", "classification", "classifiers", "clustering", "estimation", "maps",
           "preprocessing", "regression", "spatialfilters", "tangentspace", "transfer"]
FOUND = [m.name for m in pkgutil.iter_modules(spdml.__path__) if m.name in MODULES]


def blocks():
    """The programs in the section of estimators of docs/python.md that begin with imports."""
    text = (ROOT / "docs/python.md").read_text().partition("## Estimators\n")[2]
    found = re.findall(r"```python\n(.*?)```", text.partition("\n## ")[0], re.S)
    return [program for program in found if program.startswith("import")]


@pytest.mark.parametrize("program", blocks(), ids=range(len(blocks())))
def test_programs_of_the_page(program, capsys):
    exec(compile(program, "docs/python.md", "exec"), {})
    printed = [float(line) for line in capsys.readouterr().out.splitlines()]
    assert printed and min(printed) > 0.8


@pytest.mark.parametrize("name", FOUND)
def test_examples_run(name):
    module = importlib.import_module(f"spdml.{name}")
    with np.printoptions(legacy=False):
        result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 0 and result.failed == 0


@pytest.mark.parametrize("name", FOUND)
def test_every_class_says_what_it_takes(name):
    module = importlib.import_module(f"spdml.{name}")
    for title, thing in vars(module).items():
        if inspect.isclass(thing) and thing.__module__ == module.__name__ and title[0] != "_":
            assert title in spdml.__all__, f"{title} is not exported"
            text = inspect.getdoc(thing)
            assert "Parameters\n-----" in text and "Examples\n-----" in text, title
            for parameter in inspect.signature(thing).parameters:
                assert parameter in text, f"{title}: {parameter}"
