# common.sh - what the experiments share; read by the scripts beside it. Their options:
#   -o DIR          where everything is put; default: a folder of the script's name
#   --data PATH     a folder or archive of your own, or its matrices (.npz), instead of generated data
#   --labels FILE   the index of that data; default: index.csv in its folder, if there is one
#   --quick         small data and few repetitions: takes seconds
#   --seed N        of the data and of the splits; default 1
#   --methods LIST  these methods instead of the paper's
#   --set NAME=N    another value of a variable of the script, such as size=200
#   --no-color      for grey images: SIFT alone
# All others go to `spdml evaluate`, such as --init random. The program is $SPDML, or else spdml.
set -eu
out=$(basename "$0" .sh) here=$(dirname "$0") data='' labels='' quick='' seed=1 chosen='' color='' remark='' set='' names='' left=$#
while [ "$left" -gt 0 ]; do
    case $1 in
    -h | --help) sed -n '/^#!/d; /^#/!q; s/^# \{0,1\}//p' "$0"; sed -n '2,10s/^# //p' "$here/common.sh"; exit ;;
    --quick) quick=yes; shift; left=$((left - 1)) ;;
    --no-color) color=--no-color; shift; left=$((left - 1)) ;;
    -o | --data | --labels | --seed | --methods | --set)
        [ "$left" -gt 1 ] || { echo "$0: $1 needs a value" >&2; exit 2; }
        case $1 in
        -o) out=$2 ;; --data) data=$2 ;; --labels) labels=$2 ;; --seed) seed=$2 ;; --methods) chosen=$2 ;;
        *) set="$set $2" ;;
        esac
        shift 2; left=$((left - 2)) ;;
    *) set -- "$@" "$1"; shift; left=$((left - 1)) ;; # to the end: what evaluate gets
    esac
done
mkdir -p "$out"

spdml() { # tells what it runs; what that prints is kept
    echo "spdml $*" | tee -a "$out/log.txt" >&2
    command "${SPDML:-spdml}" "$@" >>"$out/log.txt"
}

settle() { # after the defaults: what --set says
    for assignment in $set; do export "${assignment?}"; done
}

# grids m=... nu-b=...: as options, as far as the methods have maps.
grids() {
    case $chosen in
    '' | *-ml*) printf -- '--grid %s ' "$@" ;;
    *pca-*) printf -- '--grid %s ' "$1" ;;
    esac
}

# describe_all KIND FILE OPTIONS...: FILE <- matrices of $data, labels of its index, or by the $names of files.
describe_all() {
    kind=$1 file=$2
    shift 2
    [ -n "$labels" ] || [ ! -e "$data/index.csv" ] || labels=$data/index.csv
    if [ -n "$labels" ]; then set -- "$@" --labels "$labels"; elif [ -n "$names" ]; then set -- "$@" --label-by "$names"; fi
    spdml describe "$kind" "$data" "$@" -o "$file"
}

# keep_where CLAUSE WHAT: $covs <- its matrices of that clause, if all of its values are there.
keep_where() {
    if command "${SPDML:-spdml}" convert "$covs" --where "$1" -o "$out/kept.npz" >/dev/null 2>&1; then
        covs=$out/kept.npz
    else
        remark="not all of the paper's $2 are there: all of the data are used"
    fi
}

# table OPTIONS... RUN...: on stdout, and as table.md, table.tex and table.csv in $out.
table() {
    for form in md tex csv; do spdml compare "$@" -o "$out/table.$form"; done
    command "${SPDML:-spdml}" compare "$@"
    [ -z "$remark" ] || echo "here: $remark"
}
