"""Random calls, in a process of their own: a crash is a failure of this test alone."""

import os
import pathlib
import subprocess
import sys

FUZZ = pathlib.Path(__file__).with_name("fuzz_calls.py")
ROOT = FUZZ.parents[2]


def test_random_calls_end_well():
    environment = dict(os.environ)
    if os.environ.get("SPDML_LIBRARY"):
        environment["PYTHONPATH"] = str(ROOT / "python")
    result = subprocess.run([sys.executable, str(FUZZ), "--seed", "5", "--calls", "1500"],
                            env=environment, capture_output=True, text=True, timeout=600,
                            check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "1500 calls" in result.stdout
