"""What the command prints can be typed again: parameters and command lines of every method."""

import re
import shlex

import numpy as np
import pytest


def sets(rng, path, samples):
    """Three classes of 8 x 8 matrices, with images for the methods that read these."""
    y = np.arange(samples) % 3
    factors = rng.standard_normal((samples, 8, 24))
    factors[:, :3] *= 1 + 0.3 * y[:, None, None]
    images = rng.standard_normal((samples, 6, 6)) + y[:, None, None] * np.sin(np.arange(36)).reshape(6, 6)
    np.savez(path, X=factors @ factors.swapaxes(1, 2) / 24, y=y, images=images)


@pytest.fixture
def methods(spdml, tmp_path, rng):
    """Every classifier and every map that `help methods` names."""
    sets(rng, tmp_path / "a.npz", 60)
    sets(rng, tmp_path / "b.npz", 30)
    sections = spdml("help", "methods").good().out.split("\n\n")
    named = {part.split("\n")[0].split(" ")[0].rstrip(":"): re.findall(r"^  ([a-z][\w-]*)(?: |$)", part, re.M)
             for part in sections}
    classifiers, maps = named["Classifiers"], named["Maps"]
    assert {"nn", "rsr", "gsrc", "krr"} <= set(classifiers) and {"ml", "csp", "multi", "pca"} <= set(maps)
    mapped = [f"{c}-{m}" for c in ("nn-stein", "mdm-airm", "rsr") for m in maps if m != "pca"]
    return classifiers + mapped + ["pca-nn-stein", "knn-airm-ml", "cdl-ml", "ts-lda-ml", "ksvm-stein-ml"]


def typed(out):
    """The parameters of a table as options: "m 8, lambda 0.1" is --grid m=8 --grid lambda=0.1."""
    found = re.search(r"^parameters +(.*)$", out, re.M)
    pairs = found[1].split(", ") if found else []
    return [word for pair in pairs for word in ("--grid", pair.replace(" ", "="))]


def test_parameters_typed_back_are_the_same_method(spdml, methods):
    for method in methods:
        say = ["classify", "--train", "a.npz", "--test", "b.npz", "--method", method, "--scores"]
        first = spdml(*say, "--json").good().json
        options = typed(spdml(*say).good().out)
        assert len(options) == 2 * len(first["parameters"]), method
        for more in [["--no-tune"], []]:
            again = spdml(*say, *options, *more, "--json").good().json
            assert again["parameters"] == first["parameters"], method
            assert again["accuracy"] == first["accuracy"], method
            assert again["scores"]["values"] == first["scores"]["values"], method


def test_commands_of_evaluate_train_what_it_says(spdml, methods):
    say = ["evaluate", "a.npz", "--methods", ",".join(methods), "--split", 0.5, "--repeats", 1, "--final", "all"]
    shown = spdml(*say, "--json").good().json
    assert [final["method"] for final in shown["final"]] == [result["method"] for result in shown["results"]]
    for final in shown["final"]:
        program, *words = shlex.split(final["command"])
        assert program == "spdml"
        made = spdml(*words, "--json").good().json
        assert made["method"] == final["method"]
        added = set(made["parameters"]) - set(final["parameters"])  # what fit settles; krr chooses in closed form
        assert final["parameters"].items() <= made["parameters"].items(), final["method"]
        assert added <= {"objective", "nu-w"} or made["method"].startswith("krr"), final["method"]
