#!/bin/sh
# run.sh BUILD PYTHON - runs every example of examples/ on small generated data in a temporary
# folder, and looks at what it printed and left behind. PYTHON (with numpy) generates signals;
# where it is not there, that example is left out.
set -u
build=$1
python=$2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../tools/steps.sh"
examples=$here/../../examples
PATH=$build:$build/examples:$PATH

# in_folder NAME COMMAND...: runs it in a folder of its own; what it prints goes to ./out.
in_folder() {
    folder=$work/$1
    shift
    mkdir -p "$folder" && cd "$folder" && "$@" >out || return 1
    cat out
}

# has FILE...: all are there and not empty
has() {
    for file in "$@"; do
        test -s "$file" || {
            echo "no $file"
            return 1
        }
    done
}

# rises FILE WORDS: two lines of FILE begin with WORDS, and the number behind rises
rises() {
    awk -v words="$2" 'index($0, words) == 1 { split(substr($0, length(words) + 1), f, " ")
                                               value[++n] = f[1] + 0 }
                       END { if (n != 2 || value[2] <= value[1]) {
                                 print words ": " value[1] " " value[2]; exit 1 } }' "$1"
}

geometry() (
    in_folder geometry geometry_demo demo.npz && has demo.npz &&
        test "$(grep -c ' %' out)" -eq 7 && spdml info demo.npz
)

# the nearest neighbour gains by the map
learn() (
    in_folder learn learn_classify && sed 's/^the same, mapped/nearest neighbour/' out >both &&
        rises both "nearest neighbour"
)

learn_file() (
    in_folder learn_file spdml synth spd -o data.npz -n 12 --planted 4 --samples 12 &&
        learn_classify data.npz 4 && ! learn_classify missing.npz 4
)

describe() (
    in_folder describe spdml synth textures -o images --classes 3 --samples 4 --size 64 &&
        describe_images images covs.npz >out && test "$(grep -c ' of ' out)" -eq 3 &&
        spdml info covs.npz && ! describe_images images
)

images() (
    SIZE=64 M=10
    export SIZE M
    in_folder images "$examples/images.sh" &&
        has covs.npz results/results.json map.spdml small.npz predictions.npz &&
        grep -q '^nn-stein-ml ' out
)

matlab() (
    in_folder matlab "$examples/matlab.sh" && has map.spdml small.mat &&
        grep -q '^nn-stein-ml ' out && grep -q '^size  *6 x 6' out
)

# other names of the variables, from an .npz for want of MATLAB
matlab_names() (
    in_folder names spdml synth spd -o matrices.npz --classes 3 --samples 8 -n 10 --planted 4 &&
        M=4 "$examples/matlab.sh" matrices.npz X y && has small.mat
)

# moving each subject to the identity helps
eeg() (
    in_folder eeg "$python" "$examples/make_eeg.py" eeg.npz && "$examples/eeg.sh" eeg.npz >out &&
        has covs.npz && rises out "mdm-airm"
)

step "geometry_demo" geometry
step "learn_classify" learn
step "learn_classify, a file" learn_file
step "describe_images" describe
step "images.sh" images
step "matlab.sh" matlab
step "matlab.sh, a file and names" matlab_names
if test -x "$python"; then
    step "eeg.sh" eeg
else
    echo "left out: eeg.sh, no .venv; make setup makes it"
fi
steps_end
