"""The command spdml, and libspdml-data for spdml.describe."""

import os
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent


def main() -> None:
    """Becomes the command."""
    os.execv(FOLDER / "spdml", ["spdml", *sys.argv[1:]])
