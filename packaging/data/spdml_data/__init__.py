"""The command spdml, and libspdml-data for spdml.describe."""

import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent


def main() -> None:
    """Becomes the command; on Windows, where no process can, waits for it."""
    if sys.platform == "win32":
        import spdml  # pylint: disable=import-outside-toplevel # whose folder has OpenBLAS
        folders = f"{pathlib.Path(spdml.__file__).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        sys.exit(subprocess.call([FOLDER / "spdml.exe", *sys.argv[1:]], env={**os.environ, "PATH": folders}))
    os.execv(FOLDER / "spdml", ["spdml", *sys.argv[1:]])
