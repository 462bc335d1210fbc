"""Every example in a docstring and on the page of estimators runs and prints what it shows; every public
function and class says what it takes, and has an example."""

import doctest
import importlib
import inspect
import pathlib
import re

import numpy as np
import pytest
import spdml
from conftest import ROOT

MODULES = sorted(path.stem for path in pathlib.Path(spdml.__file__).parent.glob("*.py")
                 if ">>> " in path.read_text() and path.stem != "__init__")
# modules whose functions are described in full
DESCRIBED = ["distances", "functions", "geodesics", "kernels", "matrix_functions", "means", "tangent"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of(name):
    module = importlib.import_module(f"spdml.{name}")
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    found = doctest.DocTestFinder().find(module)
    for thing in vars(module).values():  # decorated functions, which doctest does not find
        if hasattr(thing, "__wrapped__") and thing.__module__ == module.__name__:
            found += doctest.DocTestFinder().find(thing.__wrapped__, thing.__name__)
    with np.printoptions(legacy=False):
        for test in found:
            runner.run(test)
    assert runner.tries > 0 and runner.failures == 0


def exported(kind):
    return [name for name in spdml.__all__ if kind(getattr(spdml, name))]


def functions():
    return [name for name in exported(inspect.isfunction)
            if getattr(spdml, name).__module__.rpartition(".")[2] in DESCRIBED]


@pytest.mark.parametrize("name", functions())
def test_function_says_what_it_takes(name):
    """Parameters, Returns and an example; every argument is spoken of."""
    text = getattr(spdml, name).__doc__
    if name == "covariances":
        pytest.skip("its estimators are described elsewhere")
    for heading in ("Parameters", "Returns", "Examples"):
        assert f"    {heading}\n    {'-' * len(heading)}\n" in text
    for argument in inspect.signature(getattr(spdml, name)).parameters:
        assert any(argument in line.split(" : ")[0].replace(" ", "").split(",")
                   for line in text.splitlines() if line.startswith("    ") and " : " in line), argument


@pytest.mark.parametrize("name", [name for name in exported(inspect.isclass)
                                  if hasattr(getattr(spdml, name), "get_params")])
def test_class_says_what_it_takes(name):
    text = inspect.getdoc(getattr(spdml, name))
    assert "Parameters\n-----" in text and "Examples\n-----" in text
    for parameter in inspect.signature(getattr(spdml, name)).parameters:
        assert parameter in text, parameter


@pytest.mark.parametrize("name", MODULES)
def test_every_class_is_exported(name):
    module = importlib.import_module(f"spdml.{name}")
    for title, thing in vars(module).items():
        if inspect.isclass(thing) and thing.__module__ == module.__name__ and hasattr(thing, "get_params"):
            assert title[0] == "_" or name[0] == "_" or title in spdml.__all__, title


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
