"""Every example in a docstring runs and prints what it shows, every program of docs/python.md runs; every public
function and class says what it takes, and has an example."""

import doctest
import importlib
import inspect
import pathlib
import re

import numpy as np
import pytest
import spdml
from conftest import ROOT, public

HOME = pathlib.Path(spdml.__file__).parent
MODULES = sorted(".".join(path.relative_to(HOME.parent).with_suffix("").parts) for path in HOME.rglob("*.py")
                 if ">>> " in path.read_text() and path.stem != "__init__" and path.parent.stem != "torch")
PUBLIC = public()
DATA = pathlib.Path(spdml._core.library.lib._name).with_name("libspdml-data.so")


@pytest.mark.parametrize("name", MODULES)
def test_examples_of(name):
    if name == "spdml.data" and not DATA.exists():
        pytest.skip("no libspdml-data.so beside libspdml.so")
    module = importlib.import_module(name)
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
    return [name for name, thing in PUBLIC.items() if kind(thing)]


@pytest.mark.parametrize("name", exported(inspect.isfunction))
def test_function_says_what_it_takes(name):
    """Parameters, Returns and an example; every argument is spoken of."""
    text = PUBLIC[name].__doc__
    taken = inspect.signature(PUBLIC[name]).parameters
    for heading in ("Parameters",) * bool(taken) + ("Returns", "Examples"):
        assert f"    {heading}\n    {'-' * len(heading)}\n" in text, heading
    for argument in taken:
        assert any(argument in line.split(" : ")[0].replace(" ", "").split(",")
                   for line in text.splitlines() if line.startswith("    ") and " : " in line), argument


@pytest.mark.parametrize("name", [name for name in exported(inspect.isclass)
                                  if hasattr(PUBLIC[name], "get_params")])
def test_class_says_what_it_takes(name):
    text = inspect.getdoc(PUBLIC[name])
    assert "Parameters\n-----" in text and "Examples\n-----" in text
    for parameter in inspect.signature(PUBLIC[name]).parameters:
        assert parameter in text, parameter


MADE_HERE = ("Description", "Evaluation", "Explanation")  # and by nobody else


@pytest.mark.parametrize("name", exported(inspect.isclass))
def test_methods_say_what_they_take(name):
    """Every argument and every result of every method has a word."""
    kind = PUBLIC[name]
    methods = {} if issubclass(kind, Exception) or name in MADE_HERE else {"": kind}
    for method in [one for one in dir(kind) if one[0] != "_"]:
        thing = inspect.getattr_static(kind, method)
        function = getattr(thing, "fn", getattr(thing, "__func__", thing))  # of available_if, a classmethod
        if inspect.isfunction(function) and function.__module__.startswith("spdml"):
            methods[method] = function
    for method, function in methods.items():
        text = inspect.getdoc(function)
        assert not re.search(r"^\{\w+\}$", text, re.M), method
        assert not method or function.__annotations__["return"] == "None" or "Returns\n-------\n" in text, method
        for argument in inspect.signature(function).parameters:
            assert argument in ("self", "cls") or \
                re.search(rf"^[*\w, ]*\b{argument}\b[\w, ]* : .+\n    \S|^\*\*{argument} : ", text, re.M) or \
                re.search(rf"^[\w, ]*\b{argument}\b[\w, ]*\n    \S", text, re.M), f"{method}: {argument}"


@pytest.mark.parametrize("name", MODULES)
def test_every_class_is_exported(name):
    module = importlib.import_module(name)
    for title, thing in vars(module).items():
        if inspect.isclass(thing) and thing.__module__ == module.__name__ and hasattr(thing, "get_params"):
            assert title[0] == "_" or "._core" in name or title in PUBLIC, title


def blocks():
    """The programs of docs/python.md."""
    return re.findall(r"```python\n(.*?)```", (ROOT / "docs/python.md").read_text(), re.S)


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """What the programs of the page leave behind for those that follow."""
    known = {}
    with pytest.MonkeyPatch.context() as there:
        there.chdir(tmp_path_factory.mktemp("first"))
        exec(compile(blocks()[0], "docs/python.md", "exec"), known)
    return known


@pytest.mark.parametrize("program", blocks(), ids=range(len(blocks())))
def test_programs_of_the_page(program, names, capsys, tmp_path, monkeypatch):
    """As printed, pasted one after the other. The first one stands alone, and the accuracies that they print
    are good."""
    if "torch" in program or 'engine="cuda"' in program:
        pytest.skip("needs a GPU")
    monkeypatch.chdir(tmp_path)
    try:
        exec(compile(program, "docs/python.md", "exec"), {} if program == blocks()[0] else names)
    finally:
        spdml.set_engine("cpu")
    printed = [line for line in capsys.readouterr().out.splitlines() if re.fullmatch(r"[\d.]+", line)]
    assert all(float(line) > 0.8 for line in printed)
    assert printed or "cross_val_score" not in program
