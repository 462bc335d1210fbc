"""Every example in a docstring runs and prints what it says; every public function has one."""

import doctest
import importlib
import inspect

import pytest
import spdml

MODULES = ["distances", "functions", "geodesics", "kernels", "matrix_functions", "means", "tangent"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of(name):
    module = importlib.import_module("spdml." + name)
    failed, tried = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert tried and not failed


def functions():
    for name in spdml.__all__:
        thing = getattr(spdml, name)
        if inspect.isfunction(thing) and thing.__module__.rpartition(".")[2] in MODULES:
            yield name


@pytest.mark.parametrize("name", list(functions()))
def test_docstring_of(name):
    """Parameters, Returns and an example; every argument is spoken of."""
    function = getattr(spdml, name)
    text = function.__doc__
    if name == "covariances":
        pytest.skip("its estimators are described elsewhere")
    for heading in ("Parameters", "Returns", "Examples"):
        assert f"    {heading}\n    {'-' * len(heading)}\n" in text
    for argument in inspect.signature(function).parameters:
        assert any(argument in line.split(" : ")[0].replace(" ", "").split(",")
                   for line in text.splitlines() if line.startswith("    ") and " : " in line), argument
