"""The tables of measured accuracies in the pages: what tools/results runs, and where it writes.

A table is a page, the data sets it needs (docs/data.md says where they come from), commands that
prepare, and runs, each with the heading of its column. `kind` says what is shown of a run:
  methods   a row for each method of `spdml evaluate`; one run: also p and the parameters
  by        the same by the values of --by
  printed   what the commands print, as they print it
  ranks     methods x data sets, one for each run, and the tests of `spdml compare --tests across` against
            auto; then auto and the best of the others, what auto expected, achieved and took
`picture` is a figure of the runs and the file of docs/ that it becomes, without the names of samples.
`slack` is how many points an accuracy may differ on another processor."""
import dataclasses
import itertools

PORTFOLIO = ("auto,nn-stein,ts-lda,krr-tangent,krr-stein,krr-both,cdl,ts-lr,ksvm-stein,rsr,nn-stein-ml,"
             "krr-stein-ml,krr-both-ml,ksvm-stein-ml,rsr-ml,krr-stein-bag,ksvm-stein-bag")
SUBJECTS = ("bd", "bk", "dg", "mm", "tr")  # of HDM05
SEEDED = "spdml synth textures -o textures --classes 12 --samples 12 --size 200"
DESCRIBED = "spdml describe sift-color textures --size 200 -o materials.npz"


@dataclasses.dataclass
class Table:
    page: str
    runs: list
    needs: tuple = ()
    setup: tuple = ()
    kind: str = "methods"
    picture: tuple = ()
    slack: float = 3.0
    quick: bool = False  # run again by the tests


TABLES = {
    # ---- the front page: `make demo` runs the same commands
    "demo": Table(
        "README.md", kind="printed", setup=(SEEDED, DESCRIBED), slack=4.0, quick=True,
        picture=("results/tsne.svg", "demo-tsne.svg"), runs=[
            ("", "spdml evaluate materials.npz --methods nn-stein,nn-stein-ml,rsr,cdl,auto --split 0.5 "
                 "--repeats 3 --cv 3 --grid m=20,40,155 -o results")]),
    "few": Table(
        "README.md", kind="printed", setup=(SEEDED,), slack=5.0, quick=True, runs=[
            ("", "observations.sh --data textures --set size=200 --set repeats=3 --methods nn-stein,cdl,krr-tangent")]),

    # ---- generated data
    "planted": Table(
        "docs/results.md", setup=("spdml synth spd -o planted.npz",), quick=True, runs=[
            ("", "spdml evaluate planted.npz --methods nn-stein,nn-stein-ml,nn-airm,nn-airm-ml,rsr,cdl,mdm-airm,ts-lda "
                 "-m 10 --split 0.5 --repeats 10")]),
    "materials": Table(
        "docs/results.md", setup=(SEEDED, DESCRIBED), slack=4.0, runs=[
            ("", "spdml evaluate materials.npz --methods nn-stein,nn-stein-ml,nn-airm,rsr,rsr-ml,cdl,mdm-airm,ts-lda,krr "
                 "--split 0.5 --repeats 5")]),
    "motion": Table(
        "docs/results.md",
        setup=("spdml synth motion -o motion",
               "spdml describe joints motion --labels motion/index.csv -o motion.npz"), runs=[
            ("two subjects train", "spdml evaluate motion.npz "
             "--methods nn-stein,nn-stein-ml,nn-airm,rsr,rsr-ml,cdl,mdm-airm,ts-lda "
             "--train-where subject=a,b --test-where subject=c,d,e"),
            ("the same, --paper", "spdml evaluate motion.npz "
             "--methods nn-stein,nn-stein-ml,nn-airm,rsr,rsr-ml,cdl,mdm-airm,ts-lda --paper "
             "--grid m=10,20,40 --grid nu-b=1,3,5 "
             "--train-where subject=a,b --test-where subject=c,d,e"),
            ("three train", "spdml evaluate motion.npz "
             "--methods nn-stein,nn-stein-ml,nn-airm,rsr,rsr-ml,cdl,mdm-airm,ts-lda "
             "--train-where subject=a,b,c --test-where subject=d,e")]),

    "auto": Table(
        "docs/results.md", kind="ranks", needs=("toy", "hdm05", "kth_tips", "orl", "feret43", "ssvep"), slack=4.0,
        setup=("spdml synth spd --samples 30 -o planted30.npz",
               "spdml synth textures --samples 12 --size 160 -o small",
               "spdml describe region small -o region.npz",
               "spdml join toy/train.npz toy/test.npz --source part -o toy.npz",
               "spdml describe joints hdm05/hdm05_amc_asf.tar.gz --label-by 'HDM_{subject}_{y}_{}' "
               "--regularize 1e-3 -o hdm05.npz",
               "spdml describe region kth_tips -o kth-region.npz",
               "spdml describe region orl/orl64.npz -o orl-region.npz",
               f"spdml convert feret43/feret43.npz --where y={','.join(map(str, range(1, 41)))} -o feret40.npz",
               *(f"spdml convert ssvep/ssvep24.npz --where subject={k} -o s{k}.npz" for k in range(1, 13))), runs=[
            (name, f"spdml evaluate {file} --methods {PORTFOLIO} {protocol}") for name, file, protocol in (
                ("planted", "planted30.npz", "--split 0.5 --repeats 10"),
                ("textures", "region.npz", "--split 0.5 --repeats 10"),
                ("toy", "toy.npz", "--split 0.5 --repeats 10"),
                ("KTH-TIPS", "kth-region.npz", "--split 0.5 --repeats 10"),
                ("ORL", "orl-region.npz", "--train-per-class 5 --repeats 10"),
                ("FERET", "feret40.npz", "--train-per-class 4 --repeats 10"),
                *(("HDM05", "hdm05.npz", f"--train-where subject={','.join(pair)} --test-where subject="
                   + ",".join(one for one in SUBJECTS if one not in pair))
                  for pair in itertools.combinations(SUBJECTS, 2)),
                *(("SSVEP", f"s{k}.npz", "--outer-folds 2 --outer-groups session") for k in range(1, 13)))]),

    # ---- data of others
    "toy": Table(
        "docs/results.md", needs=("toy",),
        setup=("spdml join toy/train.npz toy/test.npz --source part -o toy.npz",), runs=[
            ("", "spdml evaluate toy.npz --methods nn-stein,nn-stein-ml,nn-airm,nn-airm-ml,rsr,rsr-ml,cdl,"
                 "mdm-airm,ts-lda,ksvm-stein --train-where part=toy/train.npz --test-where part=toy/test.npz")]),
    "hdm05": Table(
        "docs/results.md", needs=("hdm05",), slack=4.0,
        setup=("spdml describe joints hdm05/hdm05_amc_asf.tar.gz --label-by 'HDM_{subject}_{y}_{}' "
               "--regularize 1e-3 -o hdm05.npz",), runs=[
            ("two subjects train", "spdml evaluate hdm05.npz "
             "--methods nn-stein,nn-stein-ml,nn-airm,rsr,rsr-ml,cdl,mdm-airm,ts-lda,ksvm-stein,krr "
             "--train-where subject=bd,mm --test-where subject=bk,dg,tr"),
            ("the same, --paper", "spdml evaluate hdm05.npz "
             "--methods nn-stein,nn-stein-ml,nn-airm,rsr,rsr-ml --paper "
             "--grid m=10,20,40 --grid nu-b=1,3,5 "
             "--train-where subject=bd,mm --test-where subject=bk,dg,tr")]),
    "ssvep": Table(
        "docs/results.md", needs=("ssvep",), runs=[
            ("as recorded", "spdml evaluate ssvep/ssvep24.npz --methods nn-stein,nn-stein-ml,nn-airm,mdm-airm,ts-lda "
             "--leave-one-group-out subject"),
            ("--recenter subject", "spdml evaluate ssvep/ssvep24.npz --methods nn-stein,nn-airm,mdm-airm,ts-lda "
             "--leave-one-group-out subject --recenter subject")]),
    "feret": Table(
        "docs/results.md", kind="by", needs=("feret43",), runs=[
            ("", "spdml evaluate feret43/feret43.npz --methods nn-stein,nn-stein-ml,nn-airm,rsr,mdm-airm,ts-lda,krr "
                 "--train-where pose=ba,bj,bk --test-where pose=bd,be,bf,bg --by pose")]),
    "kth-region": Table(
        "docs/results.md", needs=("kth_tips",),
        setup=("spdml describe region kth_tips -o kth-region.npz",), runs=[
            ("", "spdml evaluate kth-region.npz --methods nn-stein,nn-stein-ml,nn-airm,rsr,cdl,mdm-airm,ts-lda,"
                 "ksvm-stein,krr --split 0.5 --repeats 3")]),
    "kth-sift": Table(
        "docs/results.md", needs=("kth_tips",),
        setup=("spdml describe sift-color kth_tips --no-color -o kth-sift.npz",), runs=[
            ("", "spdml evaluate kth-sift.npz --methods nn-stein,nn-airm,rsr,cdl,mdm-airm,ts-lda,ksvm-stein "
                 "--split 0.5 --repeats 10")]),
    "orl": Table(
        "docs/results.md", needs=("orl",),
        setup=("spdml describe gabor orl/orl64.npz --keep-images -o orl.npz",), runs=[
            ("", "spdml evaluate orl.npz --methods nn-stein,nn-airm,rsr,cdl,mdm-airm,ts-lda,src "
                 "--train-per-class 5 --repeats 10")]),
}
