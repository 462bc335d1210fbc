#!/bin/sh
# setup.sh [demo|test|check|lint|coverage|docs|torch]... - installs what is missing (Debian 12, Ubuntu 24.04).
#
# Required packages must be there in the end; an optional one that a system does not have makes
# its test skip. What is installed is named first. With everything present it asks for no network
# and no root and is done in a moment. Without an argument: everything
# but torch, which is PyTorch and what else spdml's neighbours need for their tests: 6 GB.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
test $# -gt 0 || set -- check lint coverage docs

# package, or package|command: then the command serves as well, whoever installed it
required='build-essential|cc cmake|cmake ninja-build|ninja pkgconf|pkg-config
    libopenblas-dev liblapacke-dev zlib1g-dev libjansson-dev
    libarchive-dev libpng-dev libjpeg-dev libtiff-dev libwebp-dev libgif-dev
    libkissfft-dev libsvm-dev'
optional=''
venv=no
docs=no
torch=no
for use in "$@"; do
    case $use in
    demo) ;;
    test)
        required="$required python3|python3"
        venv=yes
        ;;
    check)
        required="$required python3|python3"
        optional="$optional clang-14|clang-14 libclang-rt-14-dev valgrind|valgrind
            libvlfeat-dev abigail-tools|abidw octave|octave-cli octave-dev|mkoctfile gnuplot-nox|gnuplot fonts-freefont-otf
            libopenmpi-dev openmpi-bin|mpirun librsvg2-bin|rsvg-convert
            poppler-utils|pdftoppm groff-base|groff fish|fish zsh|zsh mmdebstrap|mmdebstrap
            gcc-aarch64-linux-gnu|aarch64-linux-gnu-gcc libc6-dev-arm64-cross wine|wine wine64"
        venv=yes
        ;;
    lint)
        required="$required python3|python3"
        optional="$optional clang-format-14|clang-format-14 clang-tidy-14|clang-tidy-14
            cppcheck|cppcheck"
        ;;
    coverage)
        optional="$optional gcovr|gcovr"
        venv=yes
        ;;
    docs)
        required="$required python3|python3"
        docs=yes
        ;;
    torch)
        required="$required python3|python3"
        venv=yes
        torch=yes
        ;;
    *)
        echo "setup.sh: what is '$use'? One of demo, test, check, lint, coverage, docs, torch" >&2
        exit 2
        ;;
    esac
done

say() {
    echo "setup: $*"
}

stop() {
    say "$*" >&2
    exit 1
}

# missing ENTRY...: packages that are not installed, nor is their command there, in one line
missing() {
    for entry in "$@"; do
        case $entry in
        *'|'*) command -v "${entry#*|}" >/dev/null && continue ;;
        esac
        state=$(dpkg-query -W -f='${db:Status-Status}' "${entry%|*}" 2>/dev/null)
        test "$state" = installed || echo "${entry%|*}"
    done | sort -u | paste -s -d ' '
}

# as_root COMMAND...: sudo asks for a password only where somebody can type it.
as_root() {
    if test "$(id -u)" -eq 0; then
        "$@"
    elif test -t 0; then
        sudo "$@"
    else
        sudo -n "$@"
    fi
}

# candidates PACKAGE...: those that apt could install
candidates() {
    for package in "$@"; do
        apt-cache policy "$package" 2>/dev/null | grep -q 'Candidate: [^(]' && echo "$package"
    done | paste -s -d ' '
}

# install PACKAGE...: says what it does, then does it without questions.
install() {
    say "installing: $*"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
}

# Fresh lists, once in a run, and only when something must be looked up.
lists_are_fresh=no
refresh_lists() {
    test $lists_are_fresh = yes && return
    lists_are_fresh=yes
    say "refreshing the package lists"
    as_root apt-get update -q
}

install_required() {
    # shellcheck disable=SC2086
    wanted=$(missing $required)
    test -n "$wanted" || return 0
    command -v apt-get >/dev/null || stop "needed, and no apt-get here: $wanted"
    test "$(id -u)" -eq 0 || command -v sudo >/dev/null ||
        stop "needed; as root: apt-get install $wanted"
    refresh_lists
    # shellcheck disable=SC2086
    install $wanted || stop "could not install: $wanted"
}

# Never a reason to fail: the test that needs the package will say that it is skipped.
install_optional() {
    # shellcheck disable=SC2086
    wanted=$(missing $optional)
    test -n "$wanted" || return 0
    if command -v apt-get >/dev/null && { test "$(id -u)" -eq 0 || command -v sudo >/dev/null; }; then
        ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1 || refresh_lists
        # shellcheck disable=SC2086
        available=$(candidates $wanted)
        # shellcheck disable=SC2086
        test -z "$available" || install $available || say "that failed"
    fi
    # shellcheck disable=SC2086
    wanted=$(missing $optional)
    test -z "$wanted" || say "not installed, what needs them is skipped: $wanted"
}

# make_venv FOLDER REQUIREMENTS: a virtual environment, or more in it; nothing to do where it has them already.
make_venv() {
    cmp -s "$2" "$1/${2##*/}" && return
    python3 -c 'import ensurepip, venv' 2>/dev/null || {
        required=python3-venv
        install_required
    }
    say "$1 gets: $(paste -s -d ' ' "$2")"
    python3 -m venv "$1" || stop "could not make $1"
    "$1/bin/python" -m pip install -q --disable-pip-version-check -r "$2" ||
        stop "could not fill $1; is there a network?"
    cp "$2" "$1/${2##*/}"
}

install_required
install_optional
# The command's tests read and write files with numpy and scipy; mkdocs makes the site.
test $venv = no || make_venv "$root/.venv" "$root/tools/requirements.txt"
test $torch = no || make_venv "$root/.venv" "$root/tools/torch-requirements.txt"
test $docs = no || make_venv "$root/build/docs-venv" "$root/tools/docs-requirements.txt"
