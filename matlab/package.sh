#!/bin/sh
# package.sh FOLDER VERSION - makes FOLDER/spdml-VERSION.tar.gz for Octave's `pkg install`: the toolbox, and
# the library's source in case none is installed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
name=spdml-$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
made=$work/$name
mkdir -p "$made/inst" "$made/src/spdml"
sed -e "s/@VERSION@/$2/" -e "s/@DATE@/$(date +%F)/" "$here/package/DESCRIPTION" >"$made/DESCRIPTION"
cp "$here/package/INDEX" "$made/INDEX"
cp "$root/LICENSE" "$made/COPYING"
cp -R "$here/+spdml" "$made/inst/"
cp "$here/package/Makefile" "$here"/src/*.[ch] "$made/src/"
for part in CMakeLists.txt LICENSE cmake include python/quick src tools/setup.sh; do
    mkdir -p "$made/src/spdml/$(dirname $part)"
    cp -R "$root/$part" "$made/src/spdml/$part"
done
mkdir -p "$1"
tar -C "$work" -czf "$1/$name.tar.gz" "$name"
echo "made $1/$name.tar.gz"
