"""The pages that people paste from: the commands of README, docs/command.md, tutorial.md and eeg.md run as they
stand, in their order, and print what the pages show; tables of accuracies are those of today
(tools/results); links lead somewhere."""

import importlib.machinery
import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SLACK = 6.0  # points of an accuracy that other kernels may change: a few tests of one round
# What depends on the machine, or on the last bits of an iteration.
TIMES = ("seconds", "time ", "residual", "computed", "pruned", "cost", "iterations", "stopped", "eigenvalues  ",
         "on all data:", "cross-validation", "spdml train", "'spdml train'")


def load_results():
    """The tool itself, which has no ending."""
    loader = importlib.machinery.SourceFileLoader("results", str(ROOT / "tools/results"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("results", loader))
    loader.exec_module(module)
    return module


RESULTS = load_results()


# ---- commands and what they print ------------------------------------------------------------

def steps(text):
    """(language, code, what is shown of its output) of each block that is pasted, in order."""
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S):
        if language:
            if language == "python":
                yield language, block, []
            continue
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, shown = re.sub(r"\\\n *", "", part).partition("\n")
            yield language, command, shown.splitlines()


def rounded(line):
    """Real numbers to two digits, others as they are, one blank between words."""
    return re.sub(r"-?\d+\.\d+(e[-+]?\d+)?", lambda m: f"{float(m[0]):.1e}", " ".join(line.split()))


def shape(line):
    """A line without its real numbers."""
    return re.sub(r"\d+(\.\d+)?(e-?\d+)?", "#", " ".join(line.split()))


def accuracy(line):
    return re.search(r"(\d+\.\d+) (?:\+-|%)", line)


def printed(line, output):
    """Is the line among those printed, up to what other kernels and times change?"""
    if line.strip() in ("...", "") or line.strip().startswith(TIMES):
        return True
    if accuracy(line):
        name, said = line.split()[0], float(accuracy(line)[1])
        return any(accuracy(other) and other.split()[:1] == [name]
                   and abs(float(accuracy(other)[1]) - said) <= SLACK for other in output)
    if re.match(r"  (by |\S+ +(m|beta|k|components|lambda))", line):  # parameters may differ
        return any(other.split()[:1] == line.split()[:1] for other in output)
    return rounded(line) in map(rounded, output) or \
        ("%" in line or "." in line) and shape(line) in map(shape, output)


PAGES = {"docs/command.md": 20, "docs/tutorial.md": 25, "docs/eeg.md": 6}


@pytest.mark.parametrize("page", PAGES)
def test_page_does_what_it_shows(command, sanitized, tmp_path, page):
    if sanitized and page != "docs/eeg.md":
        pytest.skip("everything takes long")
    bins = tmp_path / "bin"
    bins.mkdir()
    (bins / "spdml").symlink_to(command)
    (bins / "python3").symlink_to(sys.executable)
    work = tmp_path / "work"
    work.mkdir()
    env = {**os.environ, "PATH": f"{bins}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1",
           "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    ran = 0
    for language, code, shown in steps((ROOT / page).read_text(encoding="utf-8")):
        code = code.replace("../../examples", str(ROOT / "examples"))
        if code.startswith(("export ", "cc ")) or "import mne" in code or "import spdml" in code \
                or "signals.shape" in code:
            continue
        line = [sys.executable, "-c", code] if language else code
        done = subprocess.run(line, shell=not language, cwd=work, env=env, capture_output=True,
                              text=True, timeout=900)
        fails = code.startswith("spdml mean gait.csv")
        assert done.returncode == (1 if fails else 0), (code, done.stderr)
        output = (done.stdout + done.stderr).splitlines()
        assert [text for text in shown if not printed(text, output)] == [], (code, output)
        ran += not language
    assert ran >= PAGES[page]


def test_a_line_that_is_not_printed_is_noticed():
    output = ["matrices   120", "nn-stein   69.9 +- 4.5   0.01", "least   1.9662"]
    assert printed("matrices     120", output) and not printed("matrices     121", output)
    assert printed("nn-stein   71.0 +- 2.0   9.99", output)
    assert not printed("nn-stein   79.0 +- 4.5   0.01", output)
    assert printed("least   1.9661", output) and not printed("most   1.9661", output)


# ---- tables of accuracies --------------------------------------------------------------------

@pytest.mark.parametrize("name", RESULTS.TABLES)
def test_pages_show_the_commands_of_their_tables(name):
    assert RESULTS.same_commands(name) == []


@pytest.mark.parametrize("name", [n for n, table in RESULTS.TABLES.items() if table.quick])
def test_tables_are_those_of_today(command, sanitized, name):
    if sanitized:
        pytest.skip("everything takes long")
    done = subprocess.run([sys.executable, ROOT / "tools/results", "--check", name], text=True,
                          capture_output=True, env={**os.environ, "SPDML": command}, timeout=900)
    assert done.returncode == 0, done.stderr


def test_a_stale_table_is_noticed():
    """The comparison itself: a row that moved, and a row that is gone."""
    page = "| method | accuracy % |\n| --- | --- |\n| nn | 62.4 +- 3.6 |\n| cdl | 90.0 |\n"
    assert RESULTS.figures(page) == {"nn": [62.4], "cdl": [90.0]}
    assert RESULTS.differences(page, page, 3.0) == []
    assert RESULTS.differences(page, page.replace("90.0", "94.0"), 3.0) == [
        "cdl: 90.0 on the page, 94.0 today"]
    assert "rows" in RESULTS.differences(page, page.replace("| cdl", "| rsr"), 3.0)[0]


def test_demo_runs_the_commands_of_the_readme():
    demo = (ROOT / "tools/demo.sh").read_text().replace("\\\n    ", "")
    for name in ("demo", "few"):
        table = RESULTS.TABLES[name]
        for line in [*table.setup, *(line for _, line in table.runs)]:
            assert f"show {line}\n" in demo, line


def test_data_of_every_table_is_described():
    needs = {need for table in RESULTS.TABLES.values() for need in table.needs}
    text = (ROOT / "docs/data.md").read_text()
    assert [need for need in sorted(needs) if f"`{need}/" not in text] == []


# ---- links -----------------------------------------------------------------------------------

def headings(page):
    """Anchors of a page, as GitHub makes them."""
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-")
            for head in re.findall(r"^#+ (.*)", page.read_text(), re.M)}


def test_links_lead_somewhere():
    """Files and headings that README, CONTRIBUTING and the pages link to are there."""
    pages = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
    broken = []
    for page in [*pages, *(ROOT / "docs").rglob("*.md")]:
        text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            if re.match(r"[a-z]+:", target):
                continue
            if not file.exists() or anchor and file.suffix == ".md" and anchor not in headings(file):
                broken.append(f"{page.relative_to(ROOT)}: {target}")
    assert broken == []
