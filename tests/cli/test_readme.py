"""The commands of the README run as they stand, in their order."""

import os
import pathlib
import re
import subprocess

import pytest

README = pathlib.Path(__file__).parents[2] / "README.md"


def commands(text):
    """What follows a prompt, line by line; a backslash continues a line."""
    blocks = re.findall(r"^```\n(.*?)^```$", text, re.M | re.S)
    joined = [block.replace("\\\n", " ") for block in blocks]
    return [line[2:] for block in joined for line in block.splitlines() if line.startswith("$ ")]


def test_commands_of_the_readme(command, sanitized, tmp_path):
    folder = os.path.dirname(command)
    demo = os.path.join(folder, "examples", "geometry_demo")
    if sanitized or not os.path.exists(demo):
        pytest.skip("the examples are not built, or everything takes long")
    text = README.read_text(encoding="utf-8").split("## The command")[0].split("$ export PATH")[0]
    rest = README.read_text(encoding="utf-8")[len(text):].split("## The libraries")[0]
    lines = commands("```\n" + rest)
    assert len(lines) > 15 and lines[0].startswith("export PATH")
    env = {**os.environ, "PATH": folder + os.pathsep + os.environ["PATH"]}
    shown = {}
    for line in lines[1:]:
        line = line.replace("build/release/examples/geometry_demo", demo)
        done = subprocess.run(line, shell=True, cwd=tmp_path, env=env, capture_output=True,
                              timeout=600)
        fails = line.startswith("spdml mean gait.csv")
        assert done.returncode == (1 if fails else 0), (line, done.stderr.decode())
        shown[line] = (done.stdout + done.stderr).decode()
    said = shown["spdml mean gait.csv"]
    assert said.strip() in rest
    assert shown["spdml info demo.npz"].splitlines()[:7] == \
        rest.split("$ spdml info demo.npz\n")[1].splitlines()[:7]
