#!/bin/sh
# docs.sh [-o FOLDER] - builds the documentation as a site in build/site. -o also puts it into FOLDER, a site with
# versions: each in a folder of its own, a list of them that the pages offer, and a first page that leads to the newest.
# Needs the release build, whose command tells its own options, and mkdocs and latex2mathml in build/docs-venv,
# made by `tools/setup.sh docs`.
set -eu
versions=
test "${1:-}" != -o || versions=$(mkdir -p "$2" && cd "$2" && pwd)
cd "$(dirname "$0")/.."
build/docs-venv/bin/python -c 'import latex2mathml' || { echo "docs.sh: run tools/setup.sh docs" >&2; exit 1; }
rm -rf build/docs
build/docs-venv/bin/python tools/docs-pages build/release/spdml build/docs
version=$(build/release/spdml --version | sed 's/^spdml //;1q')
SITE_NAME="spdml $version"
export SITE_NAME
# not --quiet: it hides the warnings, which --strict then does not count
build/docs-venv/bin/mkdocs build --strict --clean
if test -n "$versions"; then
    rm -rf "${versions:?}/$version"
    cp -r build/site "$versions/$version"
    all=$(cd "$versions" && printf '%s\n' */ | sed 's|/$||' | sort -rV)
    printf 'var spdml_versions = [%s];\n' "$(echo "$all" | sed 's/.*/"&"/' | paste -s -d ,)" >"$versions/versions.js"
    printf '<!doctype html>\n<meta http-equiv="refresh" content="0; url=%s/index.html">\n<title>spdml</title>\n' \
        "$(echo "$all" | head -n 1)" >"$versions/index.html"
    echo "$versions/index.html    the site with the versions $(echo "$all" | paste -s -d ' ')"
fi
echo "build/site/index.html          the documentation; open it in a browser"
echo "                               (its search wants a server: python3 -m http.server -d build/site)"
echo "build/release/share/man/man1   manual pages; man -l build/release/share/man/man1/spdml.1"
echo "include/spdml/                 every public function"
