#!/bin/sh
# run.sh SPDML - a build without optional libraries: it configures, and says what it leaves out; and
# SPDML, a command without any of them, says so too when it is asked for what needs one.
set -u
spdml=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
cmake=${CMAKE:-cmake}
. "$root/tools/steps.sh"

configure() {
    "$cmake" -S "$root" -B "$work/build" -G Ninja -DCMAKE_C_COMPILER="${CC:-cc}" \
        "-DSPDML_WITHOUT=$1" >"$work/said"
}

# Nothing of a format that is left out may be compiled or linked, and nothing else may be missing.
leaves_out_all() {
    cat "$work/said"
    for word in archive png jpeg tiff webp gif kissfft libsvm; do
        grep -q "without $word, as SPDML_WITHOUT says" "$work/said" &&
            grep -q "/missing/$word\.c" "$work/build/build.ninja" || return 1
    done
    ! grep -E 'lib(archive|png|jpeg|tiff|webp|gif|kissfft-float|svm)\.(so|a)|(image_(png|jpeg|tiff|webp|gif)|formats/archive|svm_solve|gabor_bank)\.c\.o' \
        "$work/build/build.ninja"
}
refuses_a_word() {
    ! configure 'archive;tif' 2>"$work/complaint" && grep "'tif' cannot be left out" "$work/complaint"
}
leaves_out_one() {
    test "$(grep -c 'as SPDML_WITHOUT says' "$work/said")" -eq 1 &&
        grep -q 'formats/missing/tiff\.c' "$work/build/build.ninja" &&
        grep -q 'image_png\.c\.o' "$work/build/build.ninja"
}

# refuses TEXT ARGUMENT...: the command fails with that text in its message.
refuses() {
    text=$1
    shift
    if (cd "$work" && "$spdml" "$@") >"$work/out" 2>&1; then
        echo "it did not fail: $*"
        return 1
    fi
    cat "$work/out"
    grep -q "$text" "$work/out"
}

is_light() {
    ldd "$spdml" >"$work/loaded" && ! grep -E 'lib(archive|png|jpeg|tiff|webp|gif|kissfft|svm)' "$work/loaded"
}

step "configures without any" configure 'archive;png;jpeg;tiff;webp;gif;kissfft;libsvm'
step "leaves them out, and says so" leaves_out_all
step "refuses a word that names nothing" refuses_a_word
step "configures without one" configure 'tiff'
step "leaves that one out" leaves_out_one

printf 'II*\0\0\0\0\0\0\0\0\0' >"$work/a.tif"
printf '\211PNG\r\n\032\n\0\0\0\0' >"$work/a.png"
printf '\377\330\377\340\0\0\0\0' >"$work/a.jpg"
printf 'RIFF\0\0\0\0WEBPVP8 ' >"$work/a.webp"
printf 'GIF89a\0\0\0\0' >"$work/a.gif"
printf 'PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >"$work/a.zip"
was='was missing when it was built'
step "no such library is loaded" is_light
step ".tif" refuses "a.tif: this build cannot read .tif: libtiff $was" describe region a.tif -o o.npz
step ".png" refuses "a.png: this build cannot read .png: libpng $was" describe region a.png -o o.npz
step ".jpg" refuses "a.jpg: this build cannot read .jpg: libjpeg $was" describe region a.jpg -o o.npz
step ".webp" refuses "a.webp: this build cannot read .webp: libwebp $was" \
    describe region a.webp -o o.npz
step ".gif" refuses "a.gif: this build cannot read .gif: giflib $was" describe region a.gif -o o.npz
step "archives" refuses "a.zip: this build cannot read archives: libarchive $was" \
    describe region a.zip -o o.npz
step "the rest works" sh -c "cd '$work' && '$spdml' synth spd --samples 2 -o x.npz"
step "support vectors" refuses "this build has no support vector machines: libsvm $was" \
    train x.npz --method ksvm-stein --no-tune -o o.spdml
printf 'P5 8 8 255 %064d' 0 >"$work/a.pgm"
step "Gabor filters" refuses "this build has no Gabor filters: KissFFT $was" describe gabor a.pgm -o o.npz
step "so does .mat" sh -c "cd '$work' && '$spdml' convert x.npz -o x.mat && '$spdml' info x.mat"
step "writing .png" refuses "this build cannot write .png" synth textures -o folder
steps_end
