#!/usr/bin/env python3
"""run_tests.py TOOL - does tools/run-tests count what was skipped, and make it a failure on request?"""
import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import sys
import tempfile
import xml.etree.ElementTree as ET


def load(path):
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("run_tests", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_tests", loader))
    loader.exec_module(module)
    return module


def case(text, skipped=False):
    """A program of ctest's report."""
    found = ET.Element("testcase", name="unit/test_x", time="1.5", status="notrun" if skipped else "run")
    if skipped:
        ET.SubElement(found, "skipped", message="SKIP_RETURN_CODE=77")
    ET.SubElement(found, "system-out").text = text
    return found


def tally_of(tool, require, *cases):
    """(passed, failed, skipped) of these programs."""
    tool.REQUIRE = require
    tally = tool.Tally()
    with contextlib.redirect_stdout(io.StringIO()):
        for one in cases:
            tool.count_case(tally, "release", one)
    return tally.passed, tally.failed, tally.skipped


def last_line(tool, require):
    tool.REQUIRE = require
    tool.SUITES = {"none": lambda tally: tally.skip("none", "build", "no tool for it")}
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        status = tool.main(["none"])
    return status, said.getvalue().splitlines()[-1]


def main():
    tool = load(sys.argv[1])
    absent = case("skipped: no such tool\n", skipped=True)
    with tempfile.TemporaryDirectory() as folder:
        tool.LOGS = pathlib.Path(folder)
        checks = {
            "a skip within a program": (tally_of(tool, [], case("3 passed, 0 failed, 1 skipped\n")), (3, 0, 1)),
            "and of pytest": (tally_of(tool, ["all"], case("===== 3 passed, 2 skipped in 0.1s =====\n")), (3, 0, 2)),
            "a program that is skipped": (tally_of(tool, [], absent), (0, 0, 1)),
            "one that is required": (tally_of(tool, ["all"], absent), (0, 1, 0)),
            "by the name of its suite": (tally_of(tool, ["fuzz", "release"], absent), (0, 1, 0)),
            "another suite's name": (tally_of(tool, ["fuzz"], absent), (0, 0, 1)),
            "a program that counts nothing": (tally_of(tool, [], case("hello\n")), (0, 1, 0)),
            "the last line": (last_line(tool, []), (0, "0 passed, 0 failed, 1 skipped")),
            "the last line of a failure": (last_line(tool, ["all"]), (1, "0 passed, 1 failed, 0 skipped")),
        }
    wrong = {name: pair for name, pair in checks.items() if pair[0] != pair[1]}
    for name, (found, wanted) in wrong.items():
        print(f"FAIL {name}: {found}, not {wanted}")
    print(f"{len(checks) - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
