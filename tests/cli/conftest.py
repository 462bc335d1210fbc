"""What the tests of the command share: how to run it, and data to run it on.

The path of the command is in the environment variable SPDML.
"""

import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile
import zlib

import numpy as np
import pytest

# With sanitizers, under which a command takes three times as long: all tests of these files, and a
# quarter of the others. With each commit it is another quarter, so that in turn all are run;
# SPDML_TESTS chooses one (0 to 3), or all.
WHOLE = ("test_bad_input.py", "test_changing_files.py", "test_hostile_files.py", "test_hostile_mat.py",
         "test_planted_links.py", "test_races.py")
# Seconds after which a command is taken to hang: far more than one needs on a busy machine.
PATIENCE = 600


class Result:
    """What one run of the command left behind."""

    def __init__(self, done):
        self.code = done.returncode
        self.out = done.stdout.decode()
        self.err = done.stderr.decode()

    @property
    def json(self):
        return json.loads(self.out, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))

    def failed(self, *words, code=1):
        """It ended with that status and one line that holds all the words."""
        assert self.code == code, (self.code, self.err)
        lines = self.err.splitlines()
        assert len(lines) == 1 and lines[0].startswith("spdml: "), self.err
        for word in words:
            assert str(word) in self.err, (word, self.err)
        return self

    def good(self):
        assert self.code == 0, self.err
        return self


@pytest.fixture(scope="session")
def command():
    path = os.environ.get("SPDML")
    assert path, "the environment variable SPDML must name the command"
    return os.path.abspath(path)


def has_sanitizers(path):
    return b"__asan_init" in pathlib.Path(path).read_bytes()


def turn():
    """Whose turn it is: the quarter of this commit, or None for all."""
    asked = os.environ.get("SPDML_TESTS", "")
    if asked == "all":
        return None
    if asked:
        return int(asked) % 4
    try:
        commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=pathlib.Path(__file__).parent, capture_output=True,
                                text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):  # a source archive
        return 0
    return int(commit[:8], 16) % 4


def is_in_turn(item, quarter):
    """Whatever folder pytest was started in."""
    return item.path.name in WHOLE or zlib.crc32(item.nodeid.rpartition("/")[2].encode()) % 4 == quarter


def pytest_collection_modifyitems(config, items):
    path = os.environ.get("SPDML")
    quarter = turn() if path and has_sanitizers(path) else None
    if quarter is None:
        return
    kept = [item for item in items if is_in_turn(item, quarter)]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


@pytest.fixture(scope="session")
def sanitized(command):
    """Has the command AddressSanitizer in it? It needs all addresses, and takes its time."""
    return has_sanitizers(command)


@pytest.fixture(scope="session")
def unprivileged():
    """The words before a command that let the modes of files hold for root, too."""
    if os.geteuid() != 0:
        return []
    words = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]
    if not shutil.which("setpriv") or subprocess.run([*words, "true"], capture_output=True).returncode != 0:
        pytest.skip("root may read and write everything, and setpriv cannot take that away")
    return words


@pytest.fixture
def spdml(command, tmp_path):
    """Runs the command in the test's own folder; `under` are words before it."""

    def run(*arguments, env=None, under=(), **more):
        done = subprocess.run(
            [*under, command, *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
            **more,
        )
        return Result(done)

    return run


# Starts a command with limits, and writes down what it took. A process of its own, which is small:
# a child's peak of memory begins with what its parent had.
LAUNCHER = """
import json, os, resource, sys
report, limits, *words = sys.argv[1:]
child = os.fork()
if child == 0:
    for name, value in json.loads(limits).items():
        resource.setrlimit(getattr(resource, name), (value, value))
    os.execv(words[0], words)
status, used = os.wait4(child, 0)[1:]
with open(report, "w") as file:
    json.dump([os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss], file)
"""
FREE_SECONDS, SECONDS_PER_BYTE = 1.5, 2e-5
FREE_BYTES, BYTES_PER_BYTE = 64 << 20, 4096


@pytest.fixture
def proportionate(command, sanitized, tmp_path, tmp_path_factory):
    """Runs the command on hostile files: time on the processor and memory must be in proportion to
    what lies in the test's folder, and are never more than the limits, by which the system ends it."""

    def run(*words, seconds=5, memory=1 << 30, stack=None):
        size = sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(tmp_path)
                   for name in names if os.path.isfile(os.path.join(folder, name)))
        slower = 4 if sanitized else 1
        limits = {"RLIMIT_CPU": slower * seconds, "RLIMIT_CORE": 0}
        if not sanitized:  # which need all addresses
            limits["RLIMIT_AS"] = memory
            if stack:
                limits["RLIMIT_STACK"] = stack
        report = tmp_path_factory.mktemp("spent") / "report"
        done = subprocess.run(
            [sys.executable, "-S", "-E", "-c", LAUNCHER, str(report), json.dumps(limits), command,
             *map(str, words)],
            cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, timeout=20 * seconds,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
        done.returncode, spent, kilobytes = json.loads(report.read_text())
        allowed = FREE_SECONDS + SECONDS_PER_BYTE * size
        assert spent <= slower * allowed, f"{size} bytes took {spent:.1f} s"
        allowed = FREE_BYTES + BYTES_PER_BYTE * size
        assert sanitized or 1024 * kilobytes <= allowed, f"{size} bytes took {kilobytes} kB"
        return done

    return run


@pytest.fixture
def rng():
    return np.random.default_rng(20240611)


def members(path):
    """The files in an .npz or .spdml, as bytes."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def timeless(value):
    """Without what a clock, the number of threads or the command line says."""
    if isinstance(value, dict):
        return {k: timeless(v) for k, v in value.items() if "seconds" not in k and k not in ("threads", "command")}
    return [timeless(v) for v in value] if isinstance(value, list) else value


def model_members(path):
    """The members of a model, as bytes, but for the seconds in them."""
    found = members(path)
    found["meta.json"] = timeless(json.loads(found["meta.json"]))
    history = np.load(io.BytesIO(found["history.npy"]))
    history[:, 3] = 0
    found["history.npy"] = history.tobytes()
    return found


def rewrite(path, change=lambda meta: None, more=None, leave="", to=None):
    """Writes a file again, there or elsewhere: meta.json changed as an object, some members replaced by
    bytes or arrays, one left out."""
    found = members(path)
    meta = json.loads(found["meta.json"])
    change(meta)
    found["meta.json"] = json.dumps(meta)
    with zipfile.ZipFile(to or path, "w") as archive:
        for name, content in {**found, **(more or {})}.items():
            if isinstance(content, np.ndarray):
                with archive.open(name, "w") as file:
                    np.save(file, content)
            elif name != leave:
                archive.writestr(name, content)


def random_spd(rng, p, n, spread=1.0):
    """p SPD matrices n x n; eigenvalues exp(spread * normal)."""
    Q = np.linalg.qr(rng.standard_normal((p, n, n)))[0]
    values = np.exp(spread * rng.standard_normal((p, n)))
    X = np.einsum("pij,pj,pkj->pik", Q, values, Q)
    return (X + X.transpose(0, 2, 1)) / 2
