"""The extras of the Python package. What `pip install .` installs from a source tree finds spdml-data there, in
packaging/data, since no index has that version; wheels that are made for an index (SPDML_RELEASE) name it as the
index does."""

import os
import pathlib

DATA = pathlib.Path(__file__).resolve().parent / "data"


def dynamic_metadata(field, settings, project):
    """For scikit-build-core."""
    here = not os.environ.get("SPDML_RELEASE") and not (DATA.parents[1] / "PKG-INFO").exists()
    return {"data": [f"spdml-data @ {DATA.as_uri()}" if here else f"spdml-data=={project['version']}"],
            **settings}
