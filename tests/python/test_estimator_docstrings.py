"""The examples in the docstrings of estimators run and print what they show, and each has one."""

import doctest
import importlib
import inspect
import pkgutil

import numpy as np
import pytest
import spdml

MODULES = ["artifact_detection", "classification", "classifiers", "clustering", "estimation", "maps",
           "preprocessing", "regression", "spatialfilters", "tangentspace", "transfer"]
FOUND = [m.name for m in pkgutil.iter_modules(spdml.__path__) if m.name in MODULES]


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
