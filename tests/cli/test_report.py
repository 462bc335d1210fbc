"""report.html and the files beside it: what they show is what was computed, whatever the names."""

import csv
import json
import os
import re
import urllib.parse
import xml.etree.ElementTree as ET
import zipfile

import numpy as np
import pytest
from report_page import Page
from test_evaluate import classes
from twins import pairwise2

DRAWINGS = ["samples", "tsne", "cost", "gradient", "spectrum", "margins-before", "margins-after",
            "ellipses", "confusion-nn-stein", "confusion-nn-stein-ml"]
BESIDES = ["convergence.csv", "spectrum.csv", "embedding.csv", "margins.csv", "tsne.csv",
           *[f"{name}.{form}" for name in DRAWINGS for form in ("svg", "pdf")]]
ML = ["--methods", "nn-stein,nn-stein-ml", "-m", 2, "--nu-b", 3, "--split", 0.5, "--repeats", 3]


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def marks(source):
    """(title, x) of the markers in a drawing, x to within a marker's size."""
    found = re.findall(r'<(?:path d="M|circle cx=")([0-9.]+)[^>]*class="mark[^>]*><title>(.*?)</title>',
                       source)
    return [title for _, title in found], np.array([float(x) for x, _ in found])


def marks_of(drawing):
    return [e for kind in ("circle", "path") for e in drawing.all(kind)
            if e.attributes.get("class", "").startswith("mark")]


def numbers(table, *names):
    return np.array([[float(row[name]) for name in names] for row in table])


@pytest.fixture
def data(rng, tmp_path):
    made = classes(rng)
    np.savez(tmp_path / "data.npz", **made)
    return made


@pytest.fixture
def report(spdml, tmp_path):
    """Runs an evaluation into a folder; its page, checked."""

    def run(*arguments, data="data.npz", folder="out"):
        spdml("evaluate", data, *arguments, "-o", folder).good()
        return Page(tmp_path / folder / "report.html").sound()

    return run


WHERE = ["--train-where", "subject=ann,bob", "--test-where", "subject=cat,dan"]


@pytest.fixture
def fitted(spdml, data, tmp_path):
    """Fits a map to the training half of WHERE; which samples those are."""

    def run(*words):
        train = np.isin(data["subject"], ["ann", "bob"])
        np.savez(tmp_path / "train.npz", X=data["X"][train], y=data["y"][train])
        spdml("fit", "train.npz", *words, "--metric", "stein", "-o", "map.spdml").good()
        return train

    return run


# ---- what is there -------------------------------------------------------------------------------


def test_sections_and_files(report, data, tmp_path):
    page = report(*ML, "--by", "subject")
    headings = [h.text for h in page.root.all("h2")]
    assert headings == ["Results", "Confusion matrices", "Classes", "The map", "The samples",
                        "The matrices as ellipses", "Data", "Rounds", "Parameters",
                        "To run it again"]
    for name in BESIDES:
        assert (tmp_path / "out" / name).exists()
        assert f'<code><a href="./{name}">{name}</a></code>' in page.source
    assert not list((tmp_path / "out").glob("*.tmp"))


def test_headline(report, data, tmp_path):
    page = report("--methods", "nn-stein,nn-stein-ml,mdm-airm", "-m", 2, "--nu-b", 3, "--split", 0.5,
                  "--repeats", 2)
    found = json.loads((tmp_path / "out" / "results.json").read_text())["results"]
    bare, mapped = (100 * r["accuracy_mean"] for r in found[:2])
    best = max(found, key=lambda r: r["accuracy_mean"])
    line = page.root.one("p", class_="headline").text
    want = "leaves nn-stein at %.1f %%" % bare if abs(bare - mapped) < 0.05 else (
        "%s nn-stein from %.1f to %.1f %%" % ("lifts" if mapped > bare else "lowers", bare, mapped))
    assert line == "The map %s; best: %s %.1f %%." % (want, best["method"],
                                                     100 * best["accuracy_mean"])
    cells = [cell.text for cell in next(next(page.root.all("tbody")).all("tr")).all("td")]
    assert "%.3f" % found[0]["kappa_mean"] in cells and "%.3f" % found[0]["macro_f1_mean"] in cells
    alone = report("--methods", "nn-stein", "--split", 0.5, "--repeats", 1)
    assert alone.root.one("p", class_="headline").text.startswith("Accuracy: nn-stein ")


def test_no_report(spdml, data, tmp_path):
    got = spdml("evaluate", "data.npz", *ML, "-o", "out", "--no-report").good()
    assert "report.html" not in got.out
    assert not (tmp_path / "out" / "report.html").exists()
    assert not any((tmp_path / "out" / name).exists() for name in BESIDES)
    assert (tmp_path / "out" / "results.json").exists()
    assert (tmp_path / "out" / "results.csv").exists()


def test_nothing_of_an_earlier_run_is_left(spdml, data, tmp_path):
    """Figures of other results beside new results would mislead; files of others stay."""
    spdml("evaluate", "data.npz", *ML, "-o", "out").good()
    (tmp_path / "out" / "notes.txt").write_text("mine")
    spdml("evaluate", "data.npz", "--methods", "mdm-airm", "--split", 0.5, "--repeats", 2,
          "-o", "out", "--no-report").good()
    assert sorted(os.listdir(tmp_path / "out")) == [
        "confusion.npz", "final.json", "notes.txt", "predictions.npz", "results.csv", "results.json",
        "rounds.csv"]


def test_the_path_is_told(spdml, data):
    got = spdml("evaluate", "data.npz", *ML, "-o", "out").good()
    assert re.search(r"^report +out/report.html$", got.out, re.M)


def test_without_a_learned_map(report, data, tmp_path):
    page = report("--methods", "nn-airm", "--split", 0.5)
    assert "No method here learns a map" in page.source
    assert not (tmp_path / "out" / "convergence.csv").exists()
    assert set(rows(tmp_path / "out" / "embedding.csv")[0]) == {"index", "class", "part",
                                                                 "before_1", "before_2"}
    assert not list(page.root.all("svg", **{"aria-labelledby": "samples-after-t samples-after-d"}))


def test_the_whole_size_is_no_map(report, data):
    page = report("--methods", "nn-stein-ml", "-m", 5, "--split", 0.5, "--repeats", 1)
    assert "chose m equal to n" in page.source


def test_vectors_have_no_matrices_to_show(report, rng, tmp_path):
    y = np.arange(40) % 2
    images = rng.standard_normal((40, 4, 4)) + 3.0 * y[:, None, None]
    np.savez(tmp_path / "images.npz", images=images, y=y)
    page = report("--methods", "src", "--split", 0.5, "--grid", "dimensions=5", data="images.npz")
    headings = [h.text for h in page.root.all("h2")]
    assert "The map" not in headings and "Results" in headings
    assert not (tmp_path / "out" / "spectrum.csv").exists()


# ---- numbers -------------------------------------------------------------------------------------


def test_results_are_those_of_the_evaluation(report, data, tmp_path):
    page = report(*ML, "--by", "subject")
    results = json.loads((tmp_path / "out" / "results.json").read_text())["results"]
    table = next(page.root.one("section", id="results").all("table"))
    lines = list(table.one("tbody").all("tr"))
    for line, got, row in zip(lines, results, rows(tmp_path / "out" / "results.csv")):
        cells = [cell.text for cell in line.all("td")]
        assert line.one("th").text == got["method"] == row["method"]
        assert cells[1] == "%.1f ± %.1f" % (100 * got["accuracy_mean"], 100 * got["accuracy_std"])
        assert float(row["accuracy_mean"]) == got["accuracy_mean"]
        assert float(row["balanced_accuracy_std"]) == got["balanced_accuracy_std"]
        bar = line.one("rect", class_="fill")
        assert float(bar.attributes["width"]) == pytest.approx(160 * got["accuracy_mean"], abs=0.06)
    assert len(lines) == 2 and lines[1].all("td")
    by = list(page.root.one("section", id="results").all("table"))[1]
    assert [c.text for c in by.one("tbody").all("td")] == [
        "%.1f" % (100 * value) for got in results for value in got["by"].values()]


def test_rounds_and_their_parameters(report, data, tmp_path):
    page = report("--methods", "nn-stein,nn-stein-ml", "--grid", "m=2,3", "--nu-b", 2, "--split",
                  0.5, "--repeats", 4)
    results = json.loads((tmp_path / "out" / "results.json").read_text())["results"]
    lines = list(page.root.one("section", id="rounds").one("tbody").all("tr"))
    assert len(lines) == 4
    for line, got in zip(lines, results[1]["rounds"]):
        cell = list(line.all("td"))[1].text
        assert cell.startswith("%.1f" % (100 * got["accuracy"]))
        assert f"m {got['parameters']['m']}" in cell


def test_many_rounds_are_cut(report, data):
    page = report("--methods", "mdm-log-euclidean", "--split", 0.5, "--repeats", 40)
    assert len(list(page.root.one("section", id="rounds").one("tbody").all("tr"))) == 30
    assert "first 30 of 40" in page.source


def test_confusion(report, data, tmp_path):
    page = report(*ML)
    with np.load(tmp_path / "out" / "confusion.npz") as stored:
        table = stored["nn-stein-ml"]
    drawing = page.root.one("svg", **{"aria-labelledby": "confusion-nn-stein-ml-t confusion-nn-stein-ml-d"})
    found = {}
    for cell in drawing.all("rect"):
        if cell.attributes["class"] == "field":
            continue
        truth, rest = cell.one("title").text.split(" → ")
        predicted, count, total = re.fullmatch(r"(.*): (\d+) of (\d+)", rest).groups()
        found[truth, predicted] = int(count)
        row = table["abc".index(truth)]
        assert int(total) == row.sum()
        assert cell.attributes["class"] == ("right" if truth == predicted else "wrong")
        assert float(cell.attributes["fill-opacity"]) == pytest.approx(
            0.12 + 0.88 * int(count) / row.sum(), abs=0.006)
    assert found == {("abc"[i], "abc"[j]): table[i, j] for i, j in zip(*np.nonzero(table))}
    counts = [int(t.text) for t in drawing.all("text") if t.text.isdigit()]
    assert sorted(counts) == sorted(table[table > 0])


def test_classes_have_precision_recall_and_f1(report, data, tmp_path):
    page = report(*ML)
    with np.load(tmp_path / "out" / "confusion.npz") as stored:
        tables = [stored["nn-stein"].astype(float), stored["nn-stein-ml"].astype(float)]
    section = page.root.one("section", id="classes")
    parts = list(section.all("details"))
    assert [part.one("summary").text for part in parts] == ["nn-stein", "nn-stein-ml"]
    assert len([part for part in parts if "open" in part.attributes]) == 1
    for part, table in zip(parts, tables):
        right = np.diag(table)
        expected = [table.sum(axis=1), 100 * right / table.sum(axis=0),
                    100 * right / table.sum(axis=1),
                    200 * right / (table.sum(axis=0) + table.sum(axis=1))]
        lines = list(part.one("tbody").all("tr"))
        assert [line.one("th").text for line in lines] == ["a", "b", "c"]
        found = np.array([[float(cell.text) for cell in line.all("td")] for line in lines])
        assert np.abs(found.T - expected).max() <= 0.0501


def test_a_class_that_is_never_predicted_has_no_precision(report, rng, tmp_path):
    """One of its samples trains, and lies where another class is."""
    made = classes(rng)
    made["y"] = np.array(["a" if name == "b" and i % 7 else name
                          for i, name in enumerate(made["y"])])
    np.savez(tmp_path / "data.npz", **made)
    page = report("--methods", "mdm-airm", "--split", 0.9, "--repeats", 1)
    assert "nan" not in page.root.one("section", id="classes").text


def test_names_of_inputs_on_hover(report, data, tmp_path):
    names = np.array([f"clips/<{i}>.amc" for i in range(len(data["y"]))])
    np.savez(tmp_path / "named.npz", name=names, **data)
    page = report(*ML, data="named.npz")
    marked = [t.text for t in page.root.one("section", id="samples").all("title")
              if ", sample " in t.text]
    assert marked
    for title in marked:
        number = int(re.search(r", sample (\d+), ", title)[1])
        assert title.endswith(f", clips/<{number}>.amc")


def test_the_data_are_linked_and_their_record_is_a_table(spdml, data, tmp_path):
    record = {"kind": "data", "descriptor": "joints", "parameters": {"center": "<root>"},
              "inputs": [f"f{i}" for i in range(9)], "rows": {"position": [[1, 2, 3]]}}
    (tmp_path / "deep" / "er").mkdir(parents=True)
    for path, folder in (("data.npz", "out"), ("deep/a b.npz", "deep/er/out"),
                         ("data.npz", "deep/out"), ("out/in side.npz", "out")):
        np.savez(tmp_path / path, **data)
        with zipfile.ZipFile(tmp_path / path, "a") as file:
            file.writestr("meta.json", json.dumps(record))
        spdml("evaluate", path, *ML, "-o", folder).good()
        page = Page(tmp_path / folder / "report.html").sound()
        link = next(page.root.one("section", id="data").all("a"))
        there = tmp_path / folder / urllib.parse.unquote(link.attributes["href"])
        assert there.resolve() == (tmp_path / path).resolve() and link.text == path
    lines = [[cell.text for cell in line.inside if cell.name in ("th", "td")]
             for line in list(page.root.one("section", id="parameters").all("tbody"))[1].all("tr")]
    assert ["parameters: center", "<root>"] in lines and ["descriptor", "joints"] in lines
    assert ["inputs", "f0, f1, f2, f3, f4, f5 and 3 more"] in lines
    assert not any("position" in line[0] for line in lines)


def test_what_the_map_looks_at(report, spdml, fitted):
    """The table is that of `spdml explain` with the same map and the same training samples."""
    fit = ["-m", 2, "--nu-b", 3, "--nu-w", 4]
    page = report("--methods", "nn-stein-ml", *fit, *WHERE)
    fitted(*fit)
    told = spdml("explain", "map.spdml", "--data", "train.npz", "--json").good().json["rows"]
    told.sort(key=lambda row: -row["share"])
    lines = list(page.root.one("section", id="map").one("tbody").all("tr"))
    assert [line.one("th").text for line in lines] == [row["name"] for row in told]
    for line, row in zip(lines, told):
        cells = [float(cell.text) for cell in list(line.all("td"))[1:]]
        assert np.abs(np.array(cells) - [100 * row[k] for k in ("share", "kept", "weight")]).max() < 0.0051


def test_tsne_beside_scaling(report, spdml, data, tmp_path):
    """The points are those of `spdml embed`, and the second cloud is turned to match."""
    page = report(*ML)
    table, scaled = rows(tmp_path / "out" / "tsne.csv"), rows(tmp_path / "out" / "embedding.csv")
    assert [r["index"] for r in table] == [r["index"] for r in scaled]
    np.save(tmp_path / "x.npy", data["X"])
    spdml("embed", "x.npy", "--method", "tsne", "--metric", "stein", "-o", "T.npy").good()
    assert np.array_equal(numbers(table, "before_1", "before_2"), np.load(tmp_path / "T.npy"))
    for name in ("tsne-before", "tsne-after"):
        drawing = page.root.one("svg", **{"aria-labelledby": f"{name}-t {name}-d"})
        assert len(marks_of(drawing)) == len(table)


def test_many_methods_and_groups_become_rows(report, data, tmp_path):
    group = np.array([f"g{i % 20:02d}" for i in range(len(data["y"]))])
    np.savez(tmp_path / "groups.npz", group=group, **data)
    methods = ("nn-airm,nn-stein,nn-log-euclidean,mdm-airm,mdm-stein,mdm-log-euclidean,cdl,"
               "mdm-euclidean,nn-euclidean")
    page = report("--methods", methods, "--split", 0.5, "--repeats", 2, "--by", "group",
                  data="groups.npz")
    by = list(page.root.one("section", id="results").all("table"))[1]
    results = json.loads((tmp_path / "out" / "results.json").read_text())["results"]
    cells = [[cell.text for cell in line.all("td")] for line in by.one("tbody").all("tr")]
    assert cells == [["%.1f" % (100 * got["by"][name]) for got in results]
                     for name in results[0]["by"]]
    rounds = list(page.root.one("section", id="rounds").one("tbody").all("tr"))
    assert len(rounds) == 18
    assert [cell.text for cell in rounds[1].all("td")][:2] == [
        "nn-stein", "%.1f" % (100 * results[1]["rounds"][0]["accuracy"])]


def test_convergence_is_that_of_the_fit(report, fitted, tmp_path):
    """The map of the page is the map that `spdml fit` learns from the same training part."""
    page = report("--methods", "nn-stein-ml", "-m", 2, "--nu-b", 3, "--nu-w", 4, *WHERE)
    fitted("-m", 2, "--nu-b", 3, "--nu-w", 4)
    with np.load(tmp_path / "map.spdml") as model:
        cost = model["history"][:, 0]
    table = numbers(rows(tmp_path / "out" / "convergence.csv"), "iteration", "cost")
    assert np.array_equal(table[:, 0], np.arange(len(cost)))
    assert np.array_equal(table[:, 1], cost)
    drawing = page.root.one("svg", **{"aria-labelledby": "cost-t cost-d"})
    line = drawing.one("path", class_="line").attributes["d"]
    points = np.array([list(map(float, p.split())) for p in re.split("[ML]", line)[1:]])
    assert len(points) == len(cost)
    scale = np.polyfit(cost, points[:, 1], 1)  # pixels are a falling affine function of the cost
    assert scale[0] < 0
    assert np.abs(np.polyval(scale, cost) - points[:, 1]).max() < 0.11


def test_spectrum_against_numpy(report, data, tmp_path):
    report(*ML)
    table = [row for row in rows(tmp_path / "out" / "spectrum.csv") if row["part"] == "before"]
    logs = np.log10(np.linalg.eigvalsh(data["X"]))[:, ::-1]
    want = np.quantile(logs, [0.25, 0.5, 0.75], axis=0).T
    got = numbers(table, "log10_lower_quartile", "log10_median", "log10_upper_quartile")
    assert np.allclose(got, want, atol=1e-12)
    after = [row for row in rows(tmp_path / "out" / "spectrum.csv") if row["part"] == "after"]
    assert [row["rank"] for row in after] == ["1", "2"]


def scaled(D2):
    """Classical scaling to two dimensions."""
    J = np.eye(len(D2)) - 1 / len(D2)
    values, V = np.linalg.eigh(-J @ D2 @ J / 2)
    return V[:, -2:] * np.sqrt(values[-2:])


def gaps(Y):
    return np.linalg.norm(Y[:, None] - Y[None], axis=2)


def test_samples_against_classical_scaling(report, fitted, data, tmp_path):
    page = report("--methods", "nn-stein-ml", "-m", 3, "--nu-b", 3, "--nu-w", 4, *WHERE)
    train = fitted("-m", 3, "--nu-b", 3, "--nu-w", 4)
    table = rows(tmp_path / "out" / "embedding.csv")
    assert [int(row["index"]) for row in table] == list(range(48))
    assert [row["class"] for row in table] == list(data["y"])
    assert [row["part"] == "train" for row in table] == list(train)
    with np.load(tmp_path / "map.spdml") as model:
        W = model["W"]
    S = W.T @ data["X"] @ W
    before = numbers(table, "before_1", "before_2")
    after = numbers(table, "after_1", "after_2")
    for Y, X in ((before, data["X"]), (after, S)):
        assert np.allclose(gaps(Y), gaps(scaled(pairwise2("stein", X, X))), atol=1e-7)
    # turned and mirrored to lie like the first: no rotation would do better
    u, s, vt = np.linalg.svd(after.T @ before)
    assert np.sum(after * before) == pytest.approx(s.sum(), rel=1e-9)
    for part in ("before", "after"):
        drawing = page.root.one("svg",
                                **{"aria-labelledby": f"samples-{part}-t samples-{part}-d"})
        assert len(marks_of(drawing)) == 48
        assert len(list(drawing.all(class_="full"))) == (~train).sum()


def test_margins_against_the_definition(report, data, tmp_path):
    """Above the line are the samples that nn gets right."""
    page = report("--methods", "nn-stein,nn-stein-ml", "-m", 3, "--nu-b", 3, *WHERE)
    results = json.loads((tmp_path / "out" / "results.json").read_text())["results"]
    table = rows(tmp_path / "out" / "margins.csv")
    train, y = np.isin(data["subject"], ["ann", "bob"]), data["y"]
    assert [int(row["index"]) for row in table] == list(np.flatnonzero(~train))
    D = np.sqrt(pairwise2("stein", data["X"], data["X"]))
    for row, i in zip(table, np.flatnonzero(~train)):
        assert row["class"] == y[i] and row["part"] == "test"
        assert float(row["before_own"]) == pytest.approx(D[i, train & (y == y[i])].min(), abs=1e-9)
        assert float(row["before_other"]) == pytest.approx(D[i, train & (y != y[i])].min(),
                                                           abs=1e-9)
    for got, part in zip(results, ("before", "after")):
        pairs = numbers(table, f"{part}_own", f"{part}_other")
        right = (pairs[:, 0] < pairs[:, 1]).sum()
        assert right == got["rounds"][0]["correct"]
        drawing = page.root.one("svg",
                                **{"aria-labelledby": f"margins-{part}-t margins-{part}-d"})
        assert f": {right} of {len(table)} above" in drawing.parent.one("h3").text
        assert len(marks_of(drawing)) == len(table)


def test_margins_on_the_edge(report, rng, tmp_path):
    """Test samples that equal training samples, and a class without any, count too."""
    made = classes(rng, each=6)
    twice = {k: np.concatenate([v, v]) for k, v in made.items()}
    twice["part"] = np.repeat([0, 1], len(made["y"]))
    alone = twice["y"].copy()
    alone[-3:] = "z"
    for y, right in [(twice["y"], 18), (alone, 15)]:
        np.savez(tmp_path / "data.npz", **{**twice, "y": y})
        page = report("--methods", "nn-log-euclidean", "--test-where", "part=1")
        drawing = page.root.one("svg", **{"aria-labelledby": "margins-before-t margins-before-d"})
        assert f": {right} of 18 above" in drawing.parent.one("h3").text
        assert len(marks_of(drawing)) == 18
    assert "On the edges" in page.source
    titles, x = marks(page.source.split('id="margins-before-d"')[1].split("</svg>")[0])
    lost = np.array([title.startswith("z,") for title in titles])
    assert lost.sum() == 3 and x[lost].min() > x[~lost].max() + 50  # to no class of its own


def test_ellipses_of_small_matrices(report, rng, tmp_path):
    """Half axes are the roots of eigenvalues, the direction is that of the leading eigenvector."""
    made = classes(rng, each=4, n=2)
    np.savez(tmp_path / "data.npz", **made)
    page = report("--methods", "nn-airm", "--split", 0.5, "--repeats", 1)
    drawn = list(page.root.one("section", id="ellipses").all("ellipse", class_="thin"))
    order = np.argsort(made["y"], kind="stable")
    assert len(drawn) == len(order) == 12
    largest = np.sqrt(max(X.diagonal().max() for X in made["X"]))
    for ellipse, i in zip(drawn, order):
        values, V = np.linalg.eigh(made["X"][i])
        axes = np.sqrt(values[::-1]) * (130 / 2 - 6) / largest
        assert float(ellipse.attributes["rx"]) == pytest.approx(axes[0], abs=0.06)
        assert float(ellipse.attributes["ry"]) == pytest.approx(axes[1], abs=0.06)
        angle = float(re.search(r"rotate\((.*)\)", ellipse.attributes["transform"])[1])
        want = -np.degrees(np.arctan2(V[1, 1], V[0, 1]))  # the y axis of a drawing points down
        assert (angle - want + 90) % 180 == pytest.approx(90, abs=0.06)


def test_three_planes_of_larger_ones(report, data):
    page = report(*ML[:3], 3, *ML[4:])
    section = page.root.one("section", id="ellipses")
    assert len(list(section.all("rect", class_="field"))) == 3 * 3


def test_picture_of_its_own(report, data, tmp_path):
    """A marker per sample and part, a legend of all classes; well-formed, and nothing fetched."""
    report(*ML)
    source = (tmp_path / "out" / "samples.svg").read_text(encoding="utf-8")
    root = ET.fromstring(source)
    space = "{http://www.w3.org/2000/svg}"
    assert root.tag == space + "svg"
    placed = len(rows(tmp_path / "out" / "embedding.csv"))
    assert len(root.findall(f"{space}*/{space}title")) == 2 * placed
    texts = ["".join(t.itertext()) for t in root.iter(f"{space}text")]
    assert [t.split(":")[0] for t in texts if "\u00d7" in t] == [
        "Before the map", "After the map"]
    labels = {row["class"] for row in rows(tmp_path / "out" / "embedding.csv")}
    assert labels <= set(texts) and "hollow: training" in texts
    assert "href" not in source and "url(" not in source
    _, x = marks(source)
    assert len(x) == 2 * placed and x[:placed].max() < x[placed:].min()  # side by side
    report("--methods", "nn-stein", "--split", 0.5, "--repeats", 1)
    alone = ET.parse(tmp_path / "out" / "samples.svg").getroot()
    assert next(alone.iter(f"{space}text")).text == "The samples: 5 \u00d7 5"
    assert len(alone.findall(f"{space}*/{space}title")) == placed


# ---- bounds --------------------------------------------------------------------------------------


def test_large_sets_are_sampled(report, rng, tmp_path):
    made = classes(rng, each=300, n=3)
    np.savez(tmp_path / "data.npz", **made)
    page = report("--methods", "nn-log-euclidean", "--split", 0.5, "--repeats", 1)
    table = rows(tmp_path / "out" / "embedding.csv")
    index = [int(row["index"]) for row in table]
    assert len(index) == len(set(index)) == 600 and index == sorted(index)
    assert "600 of 900 samples" in page.source
    drawn = np.bincount(np.array(index) % 3)  # by lot: about as many of each class
    assert drawn.min() > 160
    assert len(page.source) < 400_000


def test_many_classes_stay_readable(report, rng, tmp_path):
    """Some classes in colour, all of their samples shown; the table of confusions without text."""
    X = np.concatenate([classes(rng, each=1, kinds=1, n=3)["X"] for _ in range(900)])
    y = np.repeat(np.arange(300), 3)
    np.savez(tmp_path / "data.npz", X=X, y=y)
    page = report("--methods", "nn-log-euclidean", "--split", 0.5, "--repeats", 1)
    assert "tables are not drawn" in page.source
    legend = [li.text.strip() for li in page.root.one("ul", class_="legend").all("li")]
    assert "288 other classes" in legend
    table = rows(tmp_path / "out" / "embedding.csv")
    assert sum(row["class"] == legend[1] for row in table) == 3
    np.savez(tmp_path / "data.npz", X=X[:300], y=y[:300])
    page = report("--methods", "nn-log-euclidean", "--split", 0.5, "--repeats", 1)
    drawing = page.root.one("svg", **{"aria-labelledby": "confusion-nn-log-euclidean-t confusion-nn-log-euclidean-d"})
    assert not list(drawing.all("text", class_="count"))
    assert 30 < len(list(drawing.all("text"))) <= 50 + 2


@pytest.mark.parametrize("value", [1e-200, 1e200])
def test_extreme_eigenvalues(report, data, tmp_path, value):
    np.savez(tmp_path / "data.npz", **{**data, "X": data["X"] * value})
    report("--methods", "nn-airm", "--split", 0.5, "--repeats", 1)


def test_few_samples(report, rng, tmp_path):
    made = classes(rng, each=4, kinds=2)
    np.savez(tmp_path / "data.npz", **made)
    report("--methods", "nn-airm,nn-airm-ml", "-m", 1, "--nu-b", 1, "--nu-w", 1, "--split", 0.5,
           "--repeats", 1)


# ---- hostile names -------------------------------------------------------------------------------

NAMES = ["</title></style><script>alert(1)</script>", "a&b\"c'd<b>",
         "bell\x07 esc\x1b[31m \u202eturned",
         "é 日本語 🎲 &amp; \ufffe\x85"]


def test_hostile_names(report, rng, tmp_path):
    made = classes(rng, each=32, kinds=2)
    kind = np.arange(64) % 4
    made["y"] = np.array(NAMES)[kind]
    made['sub<i>"'] = np.array(["<u>1", 'x" onload="x'])[np.arange(64) // 4 % 2]
    name = "<i>&\"' x.npz"
    np.savez(tmp_path / name, **made)
    page = report(*ML, "--by", 'sub<i>"', data=name)
    assert not {"u", "i", "b"} & {e.name for e in page.root.all()}
    listed = [li.text for li in page.root.one("ul", class_="classes").all("li")]
    assert "a&b\"c'd<b>: 16" in listed
    assert "</title></style><script>alert(1)</script>: 16" in listed
    assert "bell\ufffd esc\ufffd[31m \ufffdturned: 16" in listed
    assert "é 日本語 🎲 &amp; \ufffd\ufffd: 16" in listed
    assert page.root.one("h1").text == f"Recognition on {name}"
    command = page.root.one("section", id="again").one("pre").text
    assert command.startswith("spdml evaluate '<i>&\"'\\'' x.npz' --methods")


def test_bytes_that_are_no_text(report, rng, tmp_path):
    """A file's name may hold any byte."""
    made = classes(rng, each=8)
    name = os.fsdecode(b"x\xff\xc3\xa9\xed\xa0\x80\xf5.npz")
    np.savez(tmp_path / name, **made)
    page = report("--methods", "nn-airm", "--split", 0.5, "--json", data=name)
    assert page.root.one("h1").text == "Recognition on x\ufffdé\ufffd\ufffd\ufffd\ufffd.npz"


# ---- files ---------------------------------------------------------------------------------------


def without_seconds(path):
    """The page without its measured seconds, and without the name of its folder."""
    source = path.read_text(encoding="utf-8")
    source = re.sub(r"(<td>[\d.]+</td>){3}</tr>", "</tr>", source)
    return source.replace(path.parent.name, "")


def test_same_run_same_page(spdml, data, tmp_path):
    for folder, threads in (("out-1", 1), ("out-2", 2)):
        spdml("evaluate", "data.npz", *ML, "-o", folder, "--threads", threads).good()
    pages = [without_seconds(tmp_path / f"out-{i}" / "report.html") for i in (1, 2)]
    assert pages[0].replace("threads</span> 1", "") == pages[1].replace("threads</span> 2", "")
    for name in BESIDES:
        assert (tmp_path / "out-1" / name).read_bytes() == (tmp_path / "out-2" / name).read_bytes()


def test_a_page_that_cannot_be_written(spdml, data, tmp_path):
    (tmp_path / "out" / "report.html").mkdir(parents=True)
    spdml("evaluate", "data.npz", *ML, "-o", "out").failed("out/report.html: is a directory")
    assert not list((tmp_path / "out").glob("*.tmp"))
