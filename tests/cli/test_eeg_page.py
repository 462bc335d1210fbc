"""The commands of docs/eeg.md run as they are pasted, and print what the page shows."""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/eeg.md").read_text()


def blocks():
    """(command, what the page shows of its output)"""
    for block in re.findall(r"^```\n(\$ .*?)^```", PAGE, re.M | re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, shown = part.partition("\n")
            yield command, shown.splitlines()


def plain(line):
    """Without times, which differ, and without the last digits of accuracies."""
    return re.sub(r"\d+\.\d+", "#", re.sub(r" +", " ", line.strip()))


def test_commands_of_the_page(command, tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "spdml").symlink_to(command)
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)
    venv = {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    ran = 0
    for line, shown in blocks():
        line = line.replace("../../examples", str(ROOT / "examples"))
        done = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True,
                              timeout=600, env={**os.environ, **venv, "PYTHONDONTWRITEBYTECODE": "1",
                                                "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"})
        assert done.returncode == 0, (line, done.stderr)
        printed = [plain(text) for text in done.stdout.splitlines()]
        for text in shown:
            if " +- " in text or text.startswith("accuracy"):  # numbers may differ in the last bit
                assert re.search(rf"^{text.split()[0]} ", done.stdout, re.M), (line, text)
                continue
            assert plain(text) in printed, (line, text, done.stdout)
        ran += 1
    assert ran == 6
