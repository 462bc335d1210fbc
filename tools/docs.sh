#!/bin/sh
# docs.sh - builds the documentation as a site in build/site. Needs the release build, whose
# command tells its own options, and mkdocs and latex2mathml in build/docs-venv, made by `tools/setup.sh docs`.
set -eu
cd "$(dirname "$0")/.."
build/docs-venv/bin/python -c 'import latex2mathml' || { echo "docs.sh: run tools/setup.sh docs" >&2; exit 1; }
rm -rf build/docs
build/docs-venv/bin/python tools/docs-pages build/release/spdml build/docs
SITE_NAME="spdml $(build/release/spdml --version | sed 's/^spdml //;1q')"
export SITE_NAME
# not --quiet: it hides the warnings, which --strict then does not count
build/docs-venv/bin/mkdocs build --strict --clean
echo "build/site/index.html          the documentation; open it in a browser"
echo "                               (its search wants a server: python3 -m http.server -d build/site)"
echo "build/release/share/man/man1   manual pages; man -l build/release/share/man/man1/spdml.1"
echo "include/spdml/                 every public function"
