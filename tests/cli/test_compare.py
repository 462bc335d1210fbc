"""spdml compare: tests against scipy, tables in all formats, runs that cannot be compared."""

import csv
import io
import json

import learn_twins
import numpy as np
import pytest

stats = pytest.importorskip("scipy.stats")


@pytest.fixture
def runs(spdml, rng, tmp_path):
    """a.json and the folder b: six methods on the same folds, noisy enough to differ."""
    X, y = learn_twins.classes(rng, 90, 5)
    X += np.array([np.cov(rng.standard_normal((5, 9))) for _ in X])
    np.savez(tmp_path / "d.npz", X=X, y=y)
    np.savez(tmp_path / "e.npz", X=X[:, 1:, 1:], y=y)
    common = ["--outer-folds", 9, "--final", "none", "--json"]
    first = spdml("evaluate", "d.npz", "--methods", "nn-euclidean,mdm-airm,ts-lda", "--auc",
                  *common).good().out
    (tmp_path / "a.json").write_text(first)
    spdml("evaluate", "e.npz", "--methods", "nn-euclidean,rsr,cdl", *common, "-o", "b",
          "--no-report").good()
    return [json.loads(first), json.loads((tmp_path / "b/results.json").read_text())]


def entries(runs):
    return [result for run in runs for result in run["results"]]


def holm(p):
    order = np.argsort(p, kind="stable")
    made = np.empty(len(p))
    made[order] = np.minimum(1, np.maximum.accumulate(np.sort(p) * (len(p) - np.arange(len(p)))))
    return made


def right(result):
    return np.array(list("".join(r["right"] for r in result["rounds"]))) == "1"


def signed_rank(a, b):
    """Exact, with ties: all signs of the ranks that scipy gives."""
    gaps = np.round(np.array([r["accuracy"] for r in b["rounds"]]) -
                    [r["accuracy"] for r in a["rounds"]], 12)
    gaps = gaps[gaps != 0]
    ranks = stats.rankdata(np.abs(gaps))
    if len(gaps) == 0:
        return 1.0
    signs = (np.arange(2 ** len(gaps))[:, None] >> np.arange(len(gaps))) & 1
    sums, got = signs @ ranks, ranks[gaps > 0].sum()
    return min(1, 2 * min(np.mean(sums <= got + 1e-9), np.mean(sums >= got - 1e-9)))


@pytest.mark.parametrize("pairs", ["first", "all"])
def test_against_scipy(spdml, runs, pairs):
    shown = spdml("compare", "a.json", "b", "--tests", pairs, "--json").good().json
    every = entries(runs)
    assert [e["method"] for e in shown["entries"]] == [e["method"] for e in every]
    assert [e["run"] for e in shown["entries"]] == ["a"] * 3 + ["b"] * 3
    assert shown["rounds"] == 9 and shown["tests"] == 90 and not shown["repeats_samples"]
    made = shown["comparisons"]
    assert [(d["first"], d["second"]) for d in made] == [
        (i, j) for i in range(6 if pairs == "all" else 1) for j in range(i + 1, 6)]
    for d in made:
        a, b = every[d["first"]], every[d["second"]]
        only = [int(np.sum(right(a) & ~right(b))), int(np.sum(right(b) & ~right(a)))]
        p = stats.binomtest(only[0], sum(only)).pvalue if sum(only) else 1.0
        assert d["mcnemar_p"] == pytest.approx(p, rel=1e-9)
        assert d["wilcoxon_p"] == pytest.approx(signed_rank(a, b), rel=1e-9)
        assert d["difference"] == pytest.approx(b["accuracy_mean"] - a["accuracy_mean"])
    for test in ("mcnemar", "wilcoxon"):
        np.testing.assert_allclose([d[f"{test}_holm"] for d in made],
                                   holm(np.array([d[f"{test}_p"] for d in made])))
    for mine, theirs in zip(shown["entries"], every):
        for key in ("accuracy", "balanced_accuracy", "kappa", "macro_f1", "auc"):
            assert mine[f"{key}_mean"] == theirs[f"{key}_mean"]
            assert mine[f"{key}_std"] == theirs[f"{key}_std"]


def test_splits_that_share_samples(spdml, runs, tmp_path):
    """McNemar's is the median over the rounds, as in evaluate, and a word says what that means."""
    (tmp_path / "s.json").write_text(
        spdml("evaluate", "d.npz", "--methods", "nn-airm,ts-lda", "--split", "0.5", "--repeats", 4,
              "--final", "none", "--json").good().out)
    one = json.loads((tmp_path / "s.json").read_text())["results"][1]
    shown = spdml("compare", "s.json", "--json").good().json
    assert shown["comparisons"][0]["mcnemar_p"] == pytest.approx(one["mcnemar_p"], rel=1e-12)
    text = spdml("compare", "s.json").good().out
    assert "median over the rounds" in text and "rounds share samples" in text
    spdml("compare", "a.json", "s.json").failed("9 rounds", "4", "--tests none")


def test_formats(spdml, runs, tmp_path):
    every = entries(runs)
    text = spdml("compare", "a.json", "b").good().out
    assert len({len(x) for x in text.splitlines()[:7]}) == 1 and "against a nn-euclidean" in text
    rows = list(csv.DictReader(io.StringIO(
        spdml("compare", "a.json", "b", "--format", "csv").good().out)))
    assert [r["method"] for r in rows] == [e["method"] for e in every]
    assert [float(r["kappa_mean"]) for r in rows] == [e["kappa_mean"] for e in every]
    assert rows[0]["mcnemar_p"] == "" and float(rows[1]["mcnemar_holm"]) <= 1
    pairs = list(csv.DictReader(io.StringIO(
        spdml("compare", "a.json", "b", "--format", "csv", "--tests", "all").good().out)))
    assert len(pairs) == 15 and pairs[0]["first"] == "a nn-euclidean"
    table = spdml("compare", "a.json", "b", "--format", "markdown").good().out.splitlines()
    assert {x.count("|") for x in table[:8]} == {table[0].count("|")} and "±" in table[2]
    assert set(table[1]) <= set("|-:")
    spdml("compare", "a.json", "-o", "t.tex").good()
    latex = (tmp_path / "t.tex").read_text()
    assert r"\toprule" in latex and r"\bottomrule" in latex
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 1
    lines = [x for x in latex.splitlines() if x.endswith(r"\\")]
    assert len(lines) == 4 and len({x.count("&") for x in lines}) == 1
    assert r"accuracy \%" in lines[0] and all("%" not in x.replace(r"\%", "") for x in lines)


def test_latex_as_papers_have_it(spdml, runs, tmp_path):
    """Methods x runs, the best of each run in bold; small p values by their bound."""
    found = spdml("compare", "a.json", "b", "--json").good().json["entries"]
    spdml("compare", "a.json", "b", "-o", "t.tex").good()
    lines = (tmp_path / "t.tex").read_text().splitlines()
    body = [x for x in lines[lines.index(r"\midrule") + 1:] if x.endswith(r"\\")]
    assert [x.split(" & ")[0] for x in body] == list(dict.fromkeys(e["method"] for e in found))
    for column, run in enumerate(("a", "b"), 1):
        most = max(e["accuracy_mean"] for e in found if e["run"] == run)
        best = {e["method"] for e in found if e["run"] == run and e["accuracy_mean"] == most}
        assert {x.split(" & ")[0] for x in body if r"\textbf" in x.split(" & ")[column]} == best
    spdml("compare", "a.json", "b", "-o", "t.csv").good()
    assert (tmp_path / "t.csv").read_text().startswith("run,method,")


def test_small_p_values_in_latex(spdml, tmp_path):
    """Twelve of twelve against none: McNemar's p is 2^-11."""
    rounds = {"accuracy": 1.0, "test": 12, "right": "1" * 12}, {"accuracy": 0.0, "test": 12,
                                                                 "right": "0" * 12}
    (tmp_path / "a.json").write_text(json.dumps({
        "splits": [{"train": "x", "test": "y"}],
        "results": [{"method": f"m{i}", "accuracy_mean": r["accuracy"], "rounds": [r]}
                    for i, r in enumerate(rounds)]}))
    assert "$p<0.001$" in spdml("compare", "a.json", "--format", "latex").good().out


def test_names_that_would_spoil_a_table(spdml, runs, tmp_path):
    name = r"a_b|50% $x$ & {y} \z"
    (tmp_path / f"{name}.json").write_text((tmp_path / "a.json").read_text())
    latex = spdml("compare", f"{name}.json", "b", "--format", "latex").good().out
    line = latex.splitlines()[2]
    assert line.startswith(r"method & a\_b|50\% \$x\$ \& \{y\} \char`\\{}z & b ")
    markdown = spdml("compare", f"{name}.json", "b", "--format", "markdown").good().out
    assert markdown.splitlines()[2].startswith(r"| a\_b\|50% $x$ & {y} \\z | nn-euclidean | ")
    (tmp_path / "x\033[31m.json").write_text((tmp_path / "a.json").read_text())
    assert "\033" not in spdml("compare", "x\033[31m.json", "b").good().out


def test_runs_of_one_name(spdml, runs, tmp_path):
    (tmp_path / "c").mkdir()
    (tmp_path / "c/a.json").write_text((tmp_path / "a.json").read_text())
    shown = spdml("compare", "a.json", "c/a.json", "--json").good().json
    assert [e["run"] for e in shown["entries"]] == ["a.json"] * 3 + ["c/a.json"] * 3
    assert shown["comparisons"][2]["mcnemar_p"] == 1  # the same method again
    alone = spdml("compare", "b/results.json").good().out
    assert alone.startswith("method ")


def spoil(change):
    def made(run):
        change(run)
        return json.dumps(run)
    return made


@pytest.mark.parametrize("text, tells", [
    (lambda run: "[1, 2", "is not JSON"),
    (lambda run: "[1, 2]", "no result of an evaluation"),
    (lambda run: "{}", "no result of an evaluation"),
    (spoil(lambda r: r.pop("splits")), "older version"),
    (spoil(lambda r: r["results"][1]["rounds"][3].pop("right")), "older version"),
    (spoil(lambda r: r["results"][1]["rounds"].pop()), "different numbers of rounds"),
    (spoil(lambda r: r["results"][1].pop("method")), "no result of an evaluation"),
    (spoil(lambda r: r["results"][1]["rounds"][0].update(accuracy=7)), "an accuracy that is none"),
    (spoil(lambda r: r["results"][1]["rounds"][0].update(accuracy="x")), "an accuracy that is"),
    (spoil(lambda r: r["results"][1]["rounds"][0].update(right="01x")), "do not fit"),
    (spoil(lambda r: r["results"][1]["rounds"][0].update(right="0")), "do not fit"),
    (spoil(lambda r: r["splits"][2].update(test="0")), "different samples (round 3)"),
    (spoil(lambda r: r["results"].append(5)), "different numbers of rounds"),
])
def test_files_that_are_no_runs(spdml, runs, tmp_path, text, tells):
    (tmp_path / "bad.json").write_text(text(runs[0]))
    spdml("compare", "a.json", "bad.json").failed(tells)


def test_other_training_is_said(spdml, runs, tmp_path):
    runs[0]["splits"][0]["train"] = "0"
    (tmp_path / "t.json").write_text(json.dumps(runs[0]))
    assert "trained on different samples" in spdml("compare", "a.json", "t.json").good().err


def test_other_samples(spdml, runs, tmp_path):
    (tmp_path / "o.json").write_text(
        spdml("evaluate", "d.npz", "--methods", "rsr", "--outer-folds", 9, "--seed", 2, "--final",
              "none", "--json").good().out)
    spdml("compare", "a.json", "o.json").failed("different samples", "--tests none")
    shown = spdml("compare", "a.json", "o.json", "--tests", "none").good().out
    assert "rsr" in shown and "McNemar" not in shown
    spdml("compare").failed("RUN", code=2)
    spdml("compare", "nowhere").failed("nowhere", "No such file")


# ---- over several data sets ----------------------------------------------------------------------


@pytest.fixture
def sets(rng, tmp_path):
    """Results of four methods on seven data sets, some of them equal; one set has a fifth."""
    accuracy = np.round(rng.uniform(0.5, 0.9, (4, 7)), 2)
    accuracy[1, :3] = accuracy[0, :3]
    accuracy[3] = np.minimum(accuracy[0] + np.linspace(0.01, 0.07, 7), 1)
    for k in range(7):
        methods = ["auto", "nn-stein", "rsr", "cdl"] + ["ts-lda"] * (k == 0)
        results = [{"method": name, "accuracy_mean": float(a), "accuracy_std": 0.0, "rounds": [
            {"test": 2, "accuracy": float(a), "right": "10"}]} for name, a in zip(methods, [*accuracy[:, k], 0.5])]
        (tmp_path / f"set{k}.json").write_text(json.dumps(
            {"protocol": "-", "splits": [{"train": str(k), "test": str(k)}], "results": results}))
    return accuracy


NAMES = [f"set{k}.json" for k in range(7)]


def test_across_against_scipy(spdml, sets):
    shown = spdml("compare", *NAMES, "--tests", "across", "--json").good().json
    rows = shown["methods"]
    assert [row["method"] for row in rows] == ["auto", "nn-stein", "rsr", "cdl"] and shown["sets"] == 7
    ranks = stats.rankdata(-sets, axis=0).mean(axis=1)
    np.testing.assert_allclose([row["mean_rank"] for row in rows], ranks, rtol=1e-12)
    np.testing.assert_allclose([[row["accuracy_mean"][f"set{k}"] for k in range(7)] for row in rows], sets)
    twin = stats.friedmanchisquare(*sets)
    assert shown["friedman"] == pytest.approx(twin.statistic, rel=1e-10)
    assert shown["friedman_p"] == pytest.approx(twin.pvalue, rel=1e-9)
    p = [row["wilcoxon_p"] for row in rows]
    assert p[0] is None and p[3] == pytest.approx(stats.wilcoxon(sets[3], sets[0]).pvalue, rel=1e-9)
    assert p[3] == pytest.approx(2 / 2 ** 7)
    np.testing.assert_allclose([row["wilcoxon_holm"] for row in rows[1:]], holm(np.array(p[1:])))


@pytest.mark.parametrize("chi,degrees", [(0.02, 1), (3.1, 4), (9.0, 6), (40.0, 16), (160.0, 16)])
def test_chi_squared_against_scipy(spdml, tmp_path, rng, chi, degrees):
    """Statistics small and large: the series, and the continued fraction."""
    k, best = degrees + 1, None
    for n in range(2, 60):
        for noise in (0.1, 0.5, 1.0, 3.0, 10.0):
            drawn = np.arange(k)[:, None] + noise * rng.standard_normal((k, n))
            got = stats.friedmanchisquare(*drawn).statistic if k > 2 else 12 / (n * 6) * (
                stats.rankdata(drawn, axis=0).sum(axis=1) ** 2).sum() - 9 * n
            if best is None or abs(got - chi) < abs(best[0] - chi):
                best = got, drawn
    drawn = (best[1] - best[1].min()) / np.ptp(best[1])
    names = [f"{j}.json" for j in range(drawn.shape[1])]
    for j, name in enumerate(names):
        (tmp_path / name).write_text(json.dumps({"splits": [{"train": "", "test": ""}], "results": [
            {"method": f"m{i}", "accuracy_mean": float(drawn[i, j]), "rounds": [
                {"test": 1, "accuracy": float(drawn[i, j]), "right": "1"}]} for i in range(k)]}))
    shown = spdml("compare", *names, "--tests", "across", "--json").good().json
    assert shown["friedman"] == pytest.approx(best[0], rel=1e-9, abs=1e-9)
    assert shown["friedman_p"] == pytest.approx(stats.chi2.sf(best[0], degrees), rel=1e-8)


def test_across_of_equals(spdml, tmp_path):
    """Methods that are equal on every set: no statistic is divided by zero."""
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(json.dumps({"splits": [{"train": "", "test": ""}], "results": [
            {"method": method, "accuracy_mean": 0.5, "rounds": [{"test": 2, "accuracy": 0.5, "right": "10"}]}
            for method in ("nn-stein", "rsr")]}))
    shown = spdml("compare", "a.json", "b.json", "--tests", "across", "--json").good().json
    assert shown["friedman"] == 0.0 and shown["friedman_p"] == 1.0
    assert [row["mean_rank"] for row in shown["methods"]] == [1.5, 1.5]
    assert "nan" not in spdml("compare", "a.json", "b.json", "--tests", "across").good().out


def test_across_as_tables(spdml, sets, tmp_path):
    text = spdml("compare", *NAMES, "--tests", "across").good().out
    assert all(len(line) <= 80 for line in text.splitlines()) and "Friedman's test over 7 sets" in text
    rows = list(csv.reader(io.StringIO(spdml("compare", *NAMES, "--tests", "across", "--format", "csv").good().out)))
    assert rows[0] == ["method", *(f"set{k}" for k in range(7)), "mean_rank", "wilcoxon_p", "wilcoxon_holm"]
    np.testing.assert_allclose([[float(x) for x in row[1:8]] for row in rows[1:]], sets)
    spdml("compare", *NAMES, "--tests", "across", "-o", "t.tex").good()
    assert "set6" in (tmp_path / "t.tex").read_text() and "% Friedman" in (tmp_path / "t.tex").read_text()


@pytest.mark.parametrize("words, tells, code", [
    ([*NAMES, "--tests", "most"], "--tests most", 2),
    (["set0.json", "--tests", "across"], "two runs or more", 1),
])
def test_across_misuse(spdml, sets, words, tells, code):
    spdml("compare", *words).failed(tells, code=code)
