"""The report in a browser: nothing logged, nothing fetched, nothing wider than the window, and it
prints. Skipped where no Chromium is installed.

The path of the command is in the environment variable SPDML; REPORT_SHOTS names a folder for
screenshots to look at.
"""

import os
import pathlib
import subprocess

import browser
import numpy as np
import pytest

WIDTHS = (400, 1280, 1400)
SCHEMES = ("light", "dark")
SHOTS = os.environ.get("REPORT_SHOTS")

pytestmark = pytest.mark.skipif(browser.find() is None, reason="no Chromium")

NAMES = ["walk", "averyveryverylongnamewithoutanyplacetobreakitatall" * 3,
         "<script>alert(1)</script>", "a&b \"c\" \x1b\u202e", "日本語"]


def matrices(rng, p, n, kinds):
    """SPD matrices whose class moves a few coordinates."""
    A = 0.4 * rng.standard_normal((p, n, n))
    A = (A + A.transpose(0, 2, 1)) / 2
    for i in range(p):
        A[i, i % kinds % n, i % kinds % n] += 1.5
    w, V = np.linalg.eigh(A)
    X = np.einsum("pij,pj,pkj->pik", V, np.exp(w), V)
    return (X + X.transpose(0, 2, 1)) / 2


def run(folder, data, *options):
    command = os.path.abspath(os.environ["SPDML"])
    np.savez(folder / "data.npz", **data)
    subprocess.run([command, "evaluate", "data.npz", *map(str, options), "-o", "out"], cwd=folder,
                   check=True, stdout=subprocess.DEVNULL, timeout=600)
    return folder / "out" / "report.html"


def small(folder, rng):
    """Ellipses, rounds, groups, hostile names."""
    data = {"X": matrices(rng, 100, 6, 5), "y": np.array(NAMES)[np.arange(100) % 5],
            "who": np.array(["ann", "bob"])[np.arange(100) // 5 % 2]}
    return run(folder, data, "--methods", "nn-stein,nn-stein-ml,mdm-airm,cdl", "-m", 2, "--nu-b", 2,
               "--split", 0.5, "--repeats", 3, "--by", "who")


def many(folder, rng):
    """Sixty classes, more samples than are drawn."""
    data = {"X": matrices(rng, 720, 4, 60), "y": np.arange(720) % 60}
    return run(folder, data, "--methods", "nn-log-euclidean,nn-stein-ml", "-m", 3, "--nu-b", 1,
               "--split", 0.5, "--repeats", 1, "--max-iter", 5)


@pytest.fixture(scope="module", params=[small, many])
def page(request, tmp_path_factory):
    return request.param(tmp_path_factory.mktemp("report"), np.random.default_rng(3))


@pytest.fixture(scope="module")
def chromium():
    opened = browser.Browser(browser.find())
    yield opened
    opened.close()


# What is wider than the window and not within a box that scrolls, and text that leaves its drawing.
WIDER = """[...document.querySelectorAll('body *')].filter(e => !e.closest('.wide') &&
    e.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5)
    .map(e => e.tagName + ' ' + e.textContent.slice(0, 40))"""
OUTSIDE = """[...document.querySelectorAll('svg text')].filter(t => {
    const a = t.getBoundingClientRect(), b = t.ownerSVGElement.getBoundingClientRect();
    return a.left < b.left - 2 || a.right > b.right + 2 || a.top < b.top - 2 ||
           a.bottom > b.bottom + 2; }).map(t => t.textContent)"""
CUT = """[...document.querySelectorAll('.wide')].filter(e => e.scrollWidth > e.clientWidth + 1)
    .map(e => e.ariaLabel + ' ' + e.scrollWidth + ' > ' + e.clientWidth)"""
CONTRAST = """(() => {
    const s = getComputedStyle(document.body);
    const light = c => { const v = c.match(/[0-9.]+/g).slice(0, 3).map(x => {
        x /= 255; return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; });
        return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]; };
    return ['body', 'figcaption', 'dt', 'a'].map(q => {
        const a = light(getComputedStyle(document.querySelector(q)).color);
        const b = light(s.backgroundColor);
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); }); })()"""


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_page(chromium, page, width, scheme):
    chromium.open(page.as_uri(), width, scheme)
    assert chromium.value(f"matchMedia('(prefers-color-scheme: {scheme})').matches")
    assert chromium.value("document.documentElement.scrollWidth") <= width
    assert chromium.value(WIDER) == []
    assert chromium.value(OUTSIDE) == []
    assert min(chromium.value(CONTRAST)) >= 4.5
    assert chromium.value("document.querySelectorAll('script').length") == 1
    assert chromium.value("document.querySelectorAll('img').length") == 0
    if width >= 1280:
        assert chromium.value(CUT) == []
    assert chromium.complaints() == []
    assert [url for url in chromium.requests() if not url.startswith("data:")] == [page.as_uri()]
    if SHOTS:
        name = f"{page.parent.parent.name}-{width}-{scheme}.png"
        chromium.screenshot(pathlib.Path(SHOTS) / name)


COLUMN = """[...document.querySelectorAll('#classes details[open] tbody tr')]
    .map(r => r.cells[%d].textContent)"""
CLICK = "document.querySelectorAll('#classes details[open] thead button')[%d].click()"
SORTED = """document.querySelector('#classes details[open] th[aria-sort]').ariaSort"""


def test_tables_sort(chromium, page):
    chromium.open(page.as_uri(), 1280)
    names, recall = chromium.value(COLUMN % 0), chromium.value(COLUMN % 3)
    chromium.value(CLICK % 3)
    down = [float(x) for x in chromium.value(COLUMN % 3)]
    assert down == sorted(map(float, recall), reverse=True)
    assert chromium.value(SORTED) == "descending"
    chromium.value(CLICK % 3)
    assert [float(x) for x in chromium.value(COLUMN % 3)] == down[::-1]
    assert chromium.value(SORTED) == "ascending"
    chromium.value(CLICK % 0)
    assert sorted(chromium.value(COLUMN % 0)) == sorted(names)
    chromium.value(CLICK % 0)
    assert chromium.value("document.querySelectorAll('#classes th[aria-sort]').length") == 1
    assert chromium.complaints() == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_picture(chromium, page, scheme):
    picture = page.with_name("samples.svg")
    chromium.open(picture.as_uri(), 1400, scheme)
    assert chromium.value(OUTSIDE) == []
    assert chromium.value("document.querySelectorAll('.mark').length") > 100
    assert chromium.complaints() == []
    assert chromium.requests() == [picture.as_uri()]
    if SHOTS:
        chromium.screenshot(pathlib.Path(SHOTS) / f"{page.parent.parent.name}-picture-{scheme}.png")


def test_paper(chromium, page):
    chromium.open(page.as_uri(), 1000)
    pdf = chromium.pdf()
    assert pdf.startswith(b"%PDF") and pdf.count(b"/Type /Page\n") in range(2, 20)
    if SHOTS:
        (pathlib.Path(SHOTS) / f"{page.parent.parent.name}.pdf").write_bytes(pdf)


def test_the_checks_can_fail(chromium, page, tmp_path):
    """A page that does all that is forbidden is caught."""
    bad = tmp_path / "bad.html"
    bad.write_text(page.read_text().replace(
        "<main>", "<main><p style='width:3000px'>wide</p><img src='missing.png'>"
        "<script>alert(1)</script><svg width='9' height='9'><text x='40' y='5'>out</text></svg>"))
    chromium.open(bad.as_uri(), 400)
    assert chromium.value("document.documentElement.scrollWidth") > 400
    assert chromium.value(WIDER) and chromium.value(OUTSIDE) == ["out"]
    assert chromium.complaints()
