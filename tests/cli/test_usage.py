"""Parsing, suggestions, help, man pages, completion, version."""

import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest

COMMANDS = ["info", "synth", "describe", "convert", "join", "fit", "transform", "explain",
            "train", "predict", "classify", "evaluate", "compare", "distance",
            "mean", "neighbours", "embed", "cost", "version", "help"]
SECTIONS = ["start here", "data", "learn", "recognise", "compare", "geometry", "more"]
TOPICS = ["methods", "data", "environment"]


def test_commands_are_listed(spdml):
    assert spdml("help", "--commands").good().out.split() == COMMANDS


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["help"]])
def test_overview_names_every_command(spdml, words):
    out = spdml(*words).good().out
    rows = re.findall(r"^(.{11})(\S+) +\S", out.split("\n\n")[2], re.M)
    assert [name for _, name in rows] == COMMANDS
    assert [section.strip() for section, _ in rows if section.strip()] == SECTIONS
    assert max(map(len, out.splitlines())) < 80 and len(out.splitlines()) <= 36
    for topic in TOPICS:
        assert f"'{topic}'" in out or f"help {topic}'" in out


@pytest.mark.parametrize("topic", TOPICS)
def test_topics(spdml, topic):
    out = spdml("help", topic).good().out
    assert max(map(len, out.splitlines())) < 80
    spdml("help", topic[:-1] + "x").failed(f"did you mean '{topic}'", code=2)
    spdml(topic).failed("unknown command", code=2)


def test_every_method_is_explained(spdml):
    """All that the library knows: its message about an unknown method lists them."""
    out = spdml("help", "methods").good().out
    said = spdml("evaluate", "a.npz", "--methods", "xyzzyplugh").failed(code=2).err
    classifiers = said.split("with one of ")[1].strip().split(", ")
    maps = re.search(r"\[-METRIC\]\[(.*?)\]", said).group(1).replace("-", "").split("|")
    assert len(classifiers) >= 15 and len(maps) >= 5
    for name in [*classifiers, *maps, "pca"]:
        assert re.search(rf"^  {name}\s+\S.{{10}}", out, re.M), name


@pytest.mark.parametrize("name", COMMANDS)
def test_short_help(spdml, name):
    """The options that people use, two examples, and where the rest is; the rest is no less."""
    out, whole = spdml(name, "-h").good().out, spdml(name, "--help").good().out
    pattern = r"^ {2,6}(?:-., )?(--[a-z][a-z-]*)"
    few, every = re.findall(pattern, out, re.M), re.findall(pattern, whole, re.M)
    assert out.startswith(f"usage: spdml {name}") and out.splitlines()[0] == whole.splitlines()[0]
    assert set(few) <= set(every) and 1 <= len(few) <= 16
    assert out.splitlines()[-1] == f"'spdml {name} --help' explains all {len(every)} options."
    assert max(map(len, out.splitlines())) < 80 and len(out.splitlines()) <= 36
    assert len(out) <= len(whole) and 1 <= out.split("Examples:")[1].count("\n      ") <= 5


def test_no_command_is_misuse(spdml):
    done = spdml()
    assert done.code == 2 and done.out == "" and "usage: spdml" in done.err


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command(spdml, name):
    out = spdml(name, "--help").good().out
    assert out.startswith(f"usage: spdml {name}")
    assert "--help" in out and "Examples:" in out and "Exit status:" in out
    assert max(map(len, out.splitlines())) < 80 and not re.search(r" $", out, re.M)
    assert spdml("help", name).good().out == out


@pytest.mark.parametrize("name", COMMANDS)
def test_help_speaks_of_options_that_are_there(spdml, name):
    out = spdml(name, "--help").good().out
    there = set(re.findall(r"^ {2,6}(?:-., )?(--[a-z][a-z-]+)", out, re.M))
    elsewhere = {"--leave-one-group-out"} if name == "join" else set() # 'evaluate ...', it says
    assert set(re.findall(r"--[a-z][a-z-]+", out)) - there <= elsewhere


def test_rows_of_options_do_not_grow(spdml):
    """The number is only ever lowered; tools/count-options shows where the rows are."""
    commands = spdml("help", "--commands").good().out.split()
    helps = [spdml(name, "--help").good().out for name in commands]
    assert sum(len(re.findall(r"^  (?:-\w, |    )--[\w-]+", text, re.M)) for text in helps) <= 391


def test_help_shows_range_default_and_choices(spdml):
    out = " ".join(spdml("neighbours", "--help").out.split())
    assert "between 1 and 2147483647; default 1" in out
    assert "bures-wasserstein, log-cholesky or euclidean; default airm" in out


def test_help_comes_before_missing_operands(spdml):
    spdml("convert", "-h").good()


@pytest.mark.parametrize("typed, meant", [("distnace", "distance"), ("inof", "info"),
                                          ("neighbour", "neighbours"), ("conv", "convert")])
def test_unknown_command(spdml, typed, meant):
    spdml(typed).failed(typed, f"did you mean '{meant}'", code=2)
    spdml("help", typed).failed(f"did you mean '{meant}'", code=2)


def test_unknown_command_far_from_all(spdml):
    done = spdml("xyzzyplugh").failed("unknown command", "spdml help", code=2)
    assert "did you mean" not in done.err


@pytest.mark.parametrize("typed, meant", [("--metrc=airm", "--metric"), ("--ouput", "--output"),
                                          ("--thread", "--threads"), ("--sqared", "--squared")])
def test_unknown_option(spdml, typed, meant):
    spdml("distance", "a.npz", typed).failed(f"did you mean {meant}?", code=2)


def test_unknown_option_far_from_all(spdml):
    done = spdml("distance", "a.npz", "--frobnicate").failed("unknown option --frobnicate", code=2)
    assert "did you mean" not in done.err
    spdml("distance", "a.npz", "-Z").failed("unknown option -Z", code=2)
    spdml("--threads", "2", "info").failed("unknown option --threads", code=2)


@pytest.mark.parametrize("words, tells", [
    (["neighbours", "a.npz", "-k0"], ["--k 0", "whole number between 1 and"]),
    (["neighbours", "a.npz", "-k", "2.5"], ["--k 2.5", "whole number"]),
    (["neighbours", "a.npz", "-k", "99999999999999999999"], ["whole number"]),
    (["mean", "a.npz", "--tol=7"], ["--tol 7", "between 1e-16 and 1"]),
    (["mean", "a.npz", "--max-iter", "-3"], ["--max-iter -3", "between 1 and 1000000"]),
    (["info", "a.npz", "--regularize", "-1"], ["--regularize -1", "at least 0"]),
    (["info", "a.npz", "--regularize", "nan"], ["--regularize nan", "a number at least 0"]),
    (["info", "a.npz", "--regularize", "1e-3x"], ["--regularize 1e-3x"]),
    (["info", "a.npz", "--threads", "5000"], ["--threads 5000", "between 0 and 1024"]),
    (["mean", "a.npz", "--metric", "stien"], ["did you mean stein?"]),
    (["mean", "a.npz", "--metric", "zzz"], ["--metric zzz: must be airm, stein"]),
    (["mean", "a.npz", "-o", "m.txt"], ["m.txt", ".npy, .npz, .mat or .csv"]),
    (["neighbours", "a.npz", "-o", "nn.npy"], ["nn.npy", ".npz or .mat"]),
    (["convert", "a.npz", "-o", "a.xls"], ["a.xls", ".npz, .mat, .npy or .csv"]),
    (["mean", "a.npz", "-o"], ["--output needs a value: FILE"]),
    (["mean", "a.npz", "--json=1"], ["--json takes no value"]),
    (["mean"], ["mean needs DATA"]),
    (["mean", "a.npz", "b.npz"], ["unexpected operand 'b.npz'"]),
    (["version", "x"], ["unexpected operand 'x'"]),
    (["convert", "a.npz"], ["convert needs --output FILE"]),
])
def test_misuse(spdml, words, tells):
    spdml(*words).failed(*tells, code=2)


@pytest.mark.parametrize("words", [
    ["-k", "3", "data.csv"], ["-k3", "data.csv"], ["data.csv", "-k3"], ["--k=3", "--", "data.csv"],
    ["data.csv", "--k", "3"], ["-qvk3", "data.csv"], ["-k1", "data.csv", "-k3"]])
def test_spellings_of_options(spdml, tmp_path, words):
    (tmp_path / "data.csv").write_text("".join(f"{1 + i},0,0,1\n" for i in range(5)))
    for name in ("neighbours", "neighbors"):
        assert spdml(name, "--json", *words).good().json["k"] == 3


def test_operand_that_looks_like_an_option(spdml, tmp_path):
    (tmp_path / "-x.csv").write_text("1,0,0,1\n2,0,0,1\n")
    assert spdml("info", "--json", "--", "-x.csv").good().json["p"] == 2


def test_version(spdml):
    shown = spdml("version", "--json").good().json
    assert shown["isa"] in ("avx512", "avx2", "baseline", "generic")
    assert shown["compiler"]
    assert spdml("--version").good().out == f"spdml {shown['version']}\n"
    assert shown["version"] in spdml("version").good().out


def test_version_names_every_library_that_is_loaded(spdml, command):
    shown = spdml("version", "-v", "--json").good().json
    table = spdml("version", "--verbose").good().out
    assert shown["threads"] >= 1
    for row in shown["libraries"]:
        assert re.match(r"\d+(\.\d+)*", row["version"]), row
        assert re.search(rf"^{row['name']} +{re.escape(row['version'])} ", table, re.M), row
    loaded = subprocess.run(["readelf", "-d", command], capture_output=True, text=True,
                            check=True).stdout
    names = {re.sub(r"^lib", "", row["name"].lower()) for row in shown["libraries"]}
    needed = {re.sub(r"-float$|\d+$", "", name) for name in
              re.findall(r"NEEDED.*\[lib([a-z0-9_-]+)\.so", loaded)}
    ours = {"zlib" if name == "z" else name for name in needed}
    others = {"c", "m", "gcc_s", "asan", "ubsan", "tsan", "stdc++"}
    assert ours - others == names
    blas = [row for row in shown["libraries"] if row["name"] == "OpenBLAS"]
    assert all("MAX_THREADS" in row["detail"] or row["detail"] for row in blas)


def test_version_tells_of_mpi(spdml):
    shown = spdml("version", "-v", "--json").good().json["mpi"]
    assert re.search(r"\d+\.\d+", shown) or "MPI is not installed" in shown
    assert re.search("^mpi  +" + re.escape(shown), spdml("version", "-v").good().out, re.M)
    assert "mpi" not in spdml("version", "--json").good().json


def test_hardening_is_told_as_it_was_compiled(spdml, command):
    shown = spdml("version", "-v", "--json").good().json["hardening"]
    symbols = subprocess.run(["readelf", "-W", "--dyn-syms", command], capture_output=True,
                             text=True, check=True).stdout
    assert ("-fstack-protector-strong" in shown) == ("__stack_chk_fail" in symbols)
    assert ("_FORTIFY_SOURCE" in shown) == ("__snprintf_chk" in symbols)


@pytest.mark.parametrize("value, tells", [
    ("avx22", ["'avx22' is unknown", "did you mean 'avx2'?", "baseline, avx2, avx512"]),
    ("AVX2", ["'AVX2' is unknown", "baseline, avx2, avx512"]),
    ("vliw", ["'vliw' is unknown", "use one of baseline, avx2, avx512"]),
])
def test_unknown_instruction_set(spdml, value, tells):
    spdml("version", env={"SPDML_ISA": value}).failed("SPDML_ISA", *tells, code=2)
    spdml("--help", env={"SPDML_ISA": value}).good()


def test_empty_instruction_set_is_none(spdml):
    usual = spdml("version", "--json").good().json["isa"]
    assert spdml("version", "--json", env={"SPDML_ISA": ""}).good().json["isa"] == usual


def sources():
    """The text of the libraries, the command and the Python package."""
    root = pathlib.Path(__file__).parents[2]
    return "".join(path.read_text() for path in [*(root / "src").rglob("*.c"), *(root / "python").rglob("*.py")])


def test_what_is_loaded_at_run_time_is_documented():
    loaded = set(re.findall(r'"(\w[\w.-]*\.so)"', sources()))
    loaded |= {f"lib{name}.so" for name in re.findall(r'file_name\("([\w-]+)"\)', sources())}
    assert {"libspdml-cuda.so", "libspdml-mpi.so", "_quick.abi3.so", "libspdml-data.so"} <= loaded
    text = (pathlib.Path(__file__).parents[2] / "SECURITY.md").read_text()
    assert not [name for name in loaded if f"`{name}`" not in text]


def test_environment_is_documented(spdml):
    """Every variable that the source reads is in the manual page and in the help."""
    read = set(re.findall(r'(?:getenv|environ\.get)\("(\w+)"', sources()))
    assert {"SPDML_ISA", "TMPDIR", "SPDML_LIBRARY", "SPDML_QUICK"} <= read
    page, text = spdml("help", "--man").good().out, "\n" + spdml("help", "environment").good().out
    assert ".SH ENVIRONMENT" in page
    for name in read:
        assert f"\n\\fB{name}\\fR\n" in page and f"\n  {name} " in text, name


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
@pytest.mark.parametrize("name", [None] + COMMANDS)
def test_man_pages_have_no_roff_warnings(spdml, name):
    words = [name] if name else []
    page = spdml("help", "--man", *words).good().out
    done = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8"], input=page.encode(),
                          capture_output=True, timeout=600)
    assert done.returncode == 0 and done.stderr == b"", done.stderr
    assert page.startswith(".TH SPDML" + ("\\-" + name.upper() if name else "") + " 1 ")
    assert ".SH EXIT STATUS" in page


def complete(script, *words):
    """What bash offers for the last word."""
    ask = ('source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _spdml; '
           'printf "%s\\n" "${COMPREPLY[@]}"')
    done = subprocess.run(["bash", "-c", ask, script, *words], capture_output=True, timeout=600)
    assert done.stderr == b""
    return done.stdout.decode().split()


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
def test_completion(spdml, tmp_path):
    script = tmp_path / "completion.sh"
    script.write_text(spdml("help", "--completion").good().out)
    assert complete(script, "spdml", "di") == ["distance"]
    assert complete(script, "spdml", "help", "me") == ["mean", "methods"]
    assert complete(script, "spdml", "distance", "--me") == ["--metric"]
    assert complete(script, "spdml", "distance", "--metric", "s") == ["stein"]
    assert complete(script, "spdml", "neighbors", "--qu") == ["--queries", "--quiet"]
    assert complete(script, "spdml", "mean", "-o", str(script)[:-3]) == [str(script)]
    assert complete(script, "spdml", "mean", "--tol", "") == []
    # kinds, names and methods where they are meant, and files where those are
    assert complete(script, "spdml", "describe", "") == [
        "covariance", "sift-color", "gabor", "region", "joints"]
    assert complete(script, "spdml", "describe", "joints", str(script)[:-3]) == [str(script)]
    assert complete(script, "spdml", "synth", "f") == ["faces"]
    assert complete(script, "spdml", "help", "com") == ["compare"]
    assert complete(script, "spdml", "train", "a.npz", "--method", "rsr") == [
        "rsr", "rsr-ml", "rsr-multi"]
    assert complete(script, "spdml", "evaluate", "a.npz", "--methods", "nn-airm,mdm,xyz") == []
    assert complete(script, "spdml", "evaluate", "a.npz", "--methods", "nn-airm,ts") == [
        "nn-airm,ts-lda", "nn-airm,ts-lda-ml", "nn-airm,ts-lr"]
    assert complete(script, "spdml", "fit", "a.npz", "-m", "") == ["auto"]
    assert complete(script, "spdml", "fit", "a.npz", "--init", "i") == ["identity"]


def test_methods_that_are_offered_are_methods(spdml, tmp_path):
    """All of them understood; the data are looked at later."""
    script = spdml("help", "--completion", "bash").good().out
    offered = re.search(r'--methods\) _spdml_list "([^"]*)"', script).group(1).split()
    assert len(offered) > 30
    np.savez(tmp_path / "d.npz", X=np.eye(3)[None] * np.ones((4, 1, 1)), y=[0, 0, 1, 1],
             images=np.ones((4, 5, 5)))
    for name in offered:
        spdml("evaluate", "d.npz", "--methods", name, "--split", "0.5", "--outer-folds",
              "2").failed("one protocol", code=2)


def fish(script, line):
    done = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"],
                          capture_output=True, timeout=600)
    assert done.stderr == b""
    return [x.split("\t")[0] for x in done.stdout.decode().splitlines()]


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_completion_of_fish(spdml, tmp_path):
    script = tmp_path / "spdml.fish"
    script.write_text(spdml("help", "--completion", "fish").good().out)
    assert fish(script, "spdml di") == ["distance"]
    assert fish(script, "spdml synth ") == ["faces", "motion", "spd", "textures"]
    assert fish(script, "spdml fit a.npz --metric s") == ["stein"]
    assert fish(script, "spdml evaluate a.npz --methods rsr,ts") == [
        "rsr,ts-lda", "rsr,ts-lda-ml", "rsr,ts-lr"]
    assert fish(script, "spdml neighbors --qu") == ["--queries", "--quiet"]


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_completion_of_zsh(spdml, tmp_path):
    script = tmp_path / "_spdml"
    script.write_text(spdml("help", "--completion", "zsh").good().out)
    done = subprocess.run(["zsh", "-n", script], capture_output=True, timeout=600)
    assert done.returncode == 0 and done.stderr == b""


@pytest.mark.parametrize("shell, row", [
    ("zsh", "'--metric[Metric of the graph and of the cost]:metric:"
            "(stein airm jeffrey log-euclidean)'"),
    ("fish", "-l metric -x -a 'stein airm jeffrey log-euclidean'"),
    ("bash", '--metric) _spdml_words "stein airm jeffrey log-euclidean"')])
def test_all_shells_get_the_same_tables(spdml, shell, row):
    script = spdml("help", "--completion", shell).good().out
    assert row in script
    for name in COMMANDS:
        assert name in script
    assert script.count("'") % 2 == 0
    spdml("help", "--completion", "tcsh").failed("tcsh", code=2)


def test_results_that_cannot_be_written(command):
    with open("/dev/full", "w") as full:
        done = subprocess.run([command, "help"], stdout=full, stderr=subprocess.PIPE, timeout=600)
    assert done.returncode == 1 and b"standard output: cannot be written" in done.stderr
    assert b"No space left on device" in done.stderr


def test_closed_standard_output_does_not_reach_the_file(command, tmp_path):
    (tmp_path / "a.csv").write_text("1,0,0,1\n2,0,0,1\n")
    done = subprocess.run(["sh", "-c", '"$0" mean a.csv -o M.csv --metric euclidean >&-', command],
                          cwd=tmp_path, stderr=subprocess.PIPE, timeout=600)
    assert done.returncode == 1 and b"standard output" in done.stderr
    text = (tmp_path / "M.csv").read_text()
    assert "metric" not in text and "1.5" in text
