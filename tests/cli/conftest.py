"""What the tests of the command share: how to run it, and data to run it on.

The path of the command is in the environment variable SPDML.
"""

import json
import os
import pathlib
import subprocess
import zlib

import numpy as np
import pytest

# With sanitizers, under which a command takes three times as long: all tests of these files, and of
# the others every fourth; with SPDML_TESTS=all every one.
WHOLE = ("test_bad_input.py", "test_hostile_files.py")


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


def pytest_collection_modifyitems(config, items):
    path = os.environ.get("SPDML")
    if not path or os.environ.get("SPDML_TESTS") == "all" or not has_sanitizers(path):
        return
    kept = [item for item in items
            if item.path.name in WHOLE or zlib.crc32(item.nodeid.rpartition("/")[2].encode()) % 4 == 0]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


@pytest.fixture(scope="session")
def sanitized(command):
    """Has the command AddressSanitizer in it? It needs all addresses, and takes its time."""
    return has_sanitizers(command)


@pytest.fixture
def spdml(command, tmp_path):
    """Runs the command in the test's own folder."""

    def run(*arguments, env=None, **more):
        done = subprocess.run(
            [command, *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            **more,
        )
        return Result(done)

    return run


@pytest.fixture
def rng():
    return np.random.default_rng(20240611)


def random_spd(rng, p, n, spread=1.0):
    """p SPD matrices n x n; eigenvalues exp(spread * normal)."""
    Q = np.linalg.qr(rng.standard_normal((p, n, n)))[0]
    values = np.exp(spread * rng.standard_normal((p, n)))
    X = np.einsum("pij,pj,pkj->pik", Q, values, Q)
    return (X + X.transpose(0, 2, 1)) / 2
