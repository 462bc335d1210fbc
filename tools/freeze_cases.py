"""The cases of tools/freeze: commands, and calls of the Python package and of the toolbox for MATLAB.

The name of a case begins with the feature that owns it: "mpi: 2 ranks". Who removes a feature removes its cases,
and every other case gives what it gave before; so a step that uses a feature that may leave, or an option that few
need, stands in a case of its own, and no input is made with one.

A case is a list of steps that share a folder. A step is a command line; "@" stands for the folder of inputs, and
a word in front says how it is run: "2 ranks: ", "baseline: " (SPDML_ISA), "cuda: " (emulated), "python: " and
"torch: ", which name a function of this file with its arguments, or "octave: ", a script of OCTAVE.
"""
import hashlib
import importlib.machinery
import importlib.util
import pathlib
import shutil
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
METRICS = ("airm", "stein", "log-euclidean", "jeffrey", "bures-wasserstein", "log-cholesky", "euclidean")
LEARNED = ("stein", "airm", "jeffrey", "log-euclidean")
METHODS = ("nn-airm", "knn-stein", "mdm-log-euclidean", "rsr", "cdl", "cdl-lda", "pga", "riemannian-lle", "riemannian-hessian-lle",
           "riemannian-laplacian", "ksvm-stein", "krr-stein", "krr-both", "krr-stein-bag", "ts-lda", "ts-lr", "cov3dj", "nn-stein-ml",
           "rsr-multi", "mdm-airm-csp", "nn-stein-random", "nn-stein-mean", "pca-nn-airm")
EMBEDDINGS = ("pga", "mds", "tsne", "lle", "hessian-lle", "laplacian")
PICTURES = ("grey.png", "interlaced.png", "grey.jpg", "deflate.tif", "lzw.tif", "grey.gif", "lossy.webp", "grey.bmp")
HISTORY_SECONDS = 3 # the column of the history of a fit that holds seconds
KEPT_INPUTS = ("m.spdml", "t.spdml") # a recording holds these: they shall be those of the build that it was made with


# ---------------------------------------- inputs ----------------------------------------


def random_spd(rng, p, n, hermitian=False):
    F = rng.standard_normal((p, n, 3 * n)) + (1j * rng.standard_normal((p, n, 3 * n)) if hermitian else 0)
    X = F @ F.conj().transpose(0, 2, 1) / (3 * n)
    return (X + X.conj().transpose(0, 2, 1)) / 2


def make_arrays(folder):
    rng = np.random.default_rng(29)
    X = random_spd(rng, 30, 6)
    np.save(folder / "x.npy", X)
    np.save(folder / "x32.npy", X.astype(np.float32))
    np.save(folder / "q.npy", random_spd(rng, 7, 6))
    np.save(folder / "y.npy", np.arange(30) % 3)
    np.save(folder / "weights.npy", np.linspace(0.1, 2, 30))
    large = random_spd(rng, 60, 20)
    for at in range(3):
        np.save(folder / f"part{at}.npy", large[20 * at:20 * at + 20])
    np.save(folder / "y60.npy", np.arange(60) % 3)
    (folder / "parts.list").write_text("part0.npy\npart1.npy\npart2.npy\n")
    y = np.arange(36) % 3
    H = random_spd(rng, 36, 5, hermitian=True)
    H[:, 0, 0] *= 1 + y
    np.savez(folder / "h.npz", X=H, y=y)
    many = random_spd(rng, 400, 5)
    many[:, 1, 1] += np.arange(400) % 2
    np.savez(folder / "many.npz", X=many, y=np.arange(400) % 2)
    np.savez(folder / "named.npz", X=X, y=np.array(["left", "right", "rest"])[np.arange(30) % 3],
             subject=np.array(["s1", "s2", "s3", "s4", "s5"])[np.arange(30) % 5])
    np.save(folder / "singular.npy", np.concatenate([X[:2], np.ones((1, 6, 6))]))
    nan = X[:3].copy()
    nan[1, 2, 3] = nan[1, 3, 2] = np.nan
    np.save(folder / "nan.npy", nan)
    bent = X[:3].copy()
    bent[2, 0, 1] += 1
    np.save(folder / "asymmetric.npy", bent)
    (folder / "cut.npy").write_bytes((folder / "x.npy").read_bytes()[:5000])
    (folder / "empty.csv").write_text("")
    signals = rng.standard_normal((12, 3, 120)).cumsum(2)
    np.savez(folder / "signals.npz", X=signals.transpose(0, 2, 1), y=np.arange(12) % 2)
    lines = ["time,a,b,c"] + [f"{t / 100},{v[0]:.6f},{v[1]:.6f},{v[2]:.6f}" for t, v in enumerate(signals[0].T)]
    (folder / "table.csv").write_text("\n".join(lines) + "\n")
    images = rng.random((9, 24, 24)) + (np.arange(9) % 3)[:, None, None] * np.linspace(0, 1, 24)
    np.savez(folder / "images.npz", images=images, y=np.arange(9) % 3)
    make_more_arrays(folder, X, signals)


def make_more_arrays(folder, X, signals):
    """What single options need, with random numbers of their own."""
    rng = np.random.default_rng(30)
    y = np.arange(30) % 3
    np.savez(folder / "two.npz", A=X, B=X[::-1], l=y, k=y[::-1])
    np.savez(folder / "age.npz", X=X, age=40 + 10 * np.linalg.slogdet(X)[1] + rng.standard_normal(30), site=np.arange(30) // 5)
    np.savez(folder / "graph.npz", i=np.arange(29), j=np.arange(1, 30), value=np.where(np.arange(29) % 3 == 0, -1.0, 1.0))
    np.savez(folder / "small.npz", X=X * 1e-150, y=y)
    np.savez(folder / "large.npz", X=X * 1e150, y=y)
    blocks = np.zeros((36, 8, 8))
    blocks[:, :4, :4], blocks[:, 4:, 4:] = random_spd(rng, 36, 4), random_spd(rng, 36, 4)
    blocks[:, 5, 5] += np.arange(36) % 3
    np.savez(folder / "blocks.npz", X=blocks, y=np.arange(36) % 3)
    np.savez(folder / "middle.npz", X=random_spd(rng, 90, 24), y=np.arange(90) % 3) # fewer numbers are not worth a GPU
    np.savez(folder / "wide.npz", X=random_spd(rng, 30, 40), y=np.arange(30) % 2)
    np.save(folder / "signals.npy", signals)
    np.save(folder / "x12.npy", random_spd(rng, 9, 12))
    np.save(folder / "y12.npy", np.arange(9) % 3)
    (folder / "rects.csv").write_text("x,y,width,height\n0,0,20,20\n8,8,16,24\n")
    (folder / "lists").mkdir()
    (folder / "lists/far.list").write_text("../part0.npy\n../part1.npy\n")
    (folder / "events.csv").write_text("onset,duration,label\n0.1,0.5,a\n0.6,0.4,b\n")
    (folder / "long.csv").write_text("who,a,b\n" + "".join(f"{k // 20},{v[0]:.6f},{v[1]:.6f}\n" for k, v in enumerate(signals[1].T)))
    tables = folder / "tables"
    for at, signal in enumerate(signals[:4]):
        path = tables / ("up", "down")[at % 2] / f"s{at}_{at % 2}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savetxt(path, signal.T, delimiter=",", fmt="%.6f")
    (folder / "names.txt").write_text("".join(f"row {k}\n" for k in range(12)))


def save_mat73(path, X, y):
    """As MATLAB's save -v7.3 does."""
    import h5py
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, value in (("X", X.transpose(1, 2, 0)), ("y", y.reshape(-1, 1))):
            file.create_dataset(name, data=value.T.astype(float)).attrs["MATLAB_class"] = np.bytes_("double")
    with open(path, "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")


def make_recordings(folder):
    """Files of signals, motion and images in the formats that describe reads; those of the fuzz targets are small."""
    loader = importlib.machinery.SourceFileLoader("make_recordings", str(ROOT / "examples/make_recordings.py"))
    maker = importlib.util.module_from_spec(importlib.util.spec_from_loader("make_recordings", loader))
    loader.exec_module(maker)
    signals = 40 * np.random.default_rng(31).standard_normal((3, 640))
    (folder / "a.edf").write_bytes(maker.edf(signals, [(1.5, "left"), (4.0, "right"), (6.25, "left")], ["C3", "Cz", "C4"], 64))
    corpus = ROOT / "tests/fuzz/corpus"
    (folder / "a.bdf").write_bytes((corpus / "edf/status.bdf").read_bytes()[1:]) # the first byte is the target's
    for name in ("bvh/small.bvh", "c3d/intel_float.c3d", "c3d/dec_int.c3d"):
        shutil.copy(corpus / name, folder)
    (folder / "pictures").mkdir()
    for name in PICTURES:
        shutil.copy(corpus / "image" / name, folder / "pictures")
    (folder / "motion/index.csv").rename(folder / "motion.csv")
    (folder / "faces/index.csv").rename(folder / "faces.csv")
    for kind in ("zip", "tar", "gztar"):
        shutil.make_archive(str(folder / "clips"), kind, folder / "motion")


def make_inputs(folder, command):
    make_arrays(folder)
    for line in ("synth spd -o a.npz --classes 3 --samples 12 -n 12 --planted 3",
                 "synth spd -o b.npz --classes 3 --samples 8 -n 12 --planted 3 --seed 2",
                 "synth textures -o textures --classes 2 --samples 2 --size 48",
                 "synth motion -o motion --classes 2 --samples 2 --subjects 2 --frames 40",
                 "synth faces -o faces --classes 2 --size 24",
                 "fit a.npz -m 4 --max-iter 20 -o m.spdml",
                 "train a.npz --method rsr-ml -m 4 --no-tune -o t.spdml",
                 "train middle.npz --method nn-stein --no-tune -o r.spdml", "convert a.npz -o a.mat", "convert a.npz -o a.csv"):
        subprocess.run([command, *line.split(), "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    make_recordings(folder)
    if importlib.util.find_spec("h5py"):
        save_mat73(folder / "v73.mat", *(np.load(folder / "a.npz")[name] for name in "Xy"))


# ---------------------------------------- commands ----------------------------------------


CASES = {
    "synth: all kinds": ["synth spd -o a.npz --classes 3 --samples 4 -n 8 --planted 2 --seed 5", "synth textures -o t --classes 2 --samples 1 --size 40",
                         "synth motion -o m --classes 1 --samples 1 --subjects 1 --frames 30", "synth faces -o f --classes 1 --size 20"],
    "fit: paper": ["fit @a.npz -m 4 --paper --max-iter 25 -o m.spdml", "fit @a.npz -m 4 --paper --nu-b 2 --metric airm -o n.spdml"],
    "fit: hermitian": ["fit @h.npz -m 2 -o m.spdml", "fit @h.npz -m 2 --metric airm --objective difference -o n.spdml --json",
                       "transform m.spdml @h.npz -o low.npz", "distance @h.npz -o D.npy", "mean @h.npz --metric stein -o M.npy",
                       "neighbours @h.npz -k 2 -o n.npz", "explain m.spdml --data @h.npz"],
    "fit: starts": [f"fit @a.npz -m 3 --init {start} --max-iter 8 -o {start}.spdml" for start in ("identity", "mean", "random", "csp", "stein")]
                   + ["fit @a.npz -m 4 --init @m.spdml --max-iter 8 -o model.spdml"],
    "fit: approximate search": ["fit @many.npz -m 2 --search approximate --max-iter 10 -o n.spdml --json"],
    "fit: auto": ["fit @a.npz -m auto -o m.spdml", "fit @a.npz -m 3 --objective difference --nu-b auto -o n.spdml"],
    "fit: files": ["fit @parts.list --labels @y60.npy -m 2 --nu-w 2 --nu-b 2 --memory 300K --max-iter 10 -o m.spdml", "mean @parts.list --memory 300K -o M.npy",
                   "neighbours @parts.list -k 2 --memory 300K -o n.npz", "transform m.spdml @parts.list -o low.npy --memory 300K"],
    "fit: float32": ["fit @x32.npy --labels @y.npy -m 2 --max-iter 10 -o m.spdml", "distance @x32.npy -o D.npy",
                     "mean @x32.npy -o M.npy", "neighbours @x32.npy -k 2 -o n.npz"],
    "checkpoint: resume": ["fit @a.npz -m 4 --max-iter 6 --checkpoint c.npz --checkpoint-every 0.001s -o m.spdml", "info c.npz",
                           "fit @a.npz --resume c.npz --max-iter 40 -o n.spdml", "fit @b.npz --resume c.npz -o o.spdml"],
    "transform: formats": ["transform @m.spdml @b.npz -o low.npz", "transform @m.spdml @b.npz -o low.mat --json", "transform @t.spdml @b.npz -o low.npy"],
    "formats: csv and mat": ["distance @a.mat -o D.csv", "mean @a.csv -o M.mat", "mean @a.csv -o M.csv", "info @a.mat", "info @a.csv --json"],
    "mat73: read": ["info @v73.mat --json", "mean @v73.mat -o M.npy", "convert @v73.mat -o a.npz"],
    "neighbours: approximate": ["neighbours @many.npz -k 4 --metric stein --search approximate -o n.npz --json"],
    "info: all kinds": ["info @a.npz", "info @named.npz --json", "info @m.spdml", "info @t.spdml --json", "info @singular.npy", "info @nan.npy", "info @asymmetric.npy"],
    "convert: all kinds": ["convert @a.npz -o a.csv", "convert @a.mat -o a.npz", "convert @m.spdml -o W.csv", "convert @m.spdml -o W.npz",
                           "convert @asymmetric.npy --symmetrize -o s.npy", "convert @singular.npy --regularize 0.1 -o r.npy", "convert @h.npz -o h.mat",
                           "convert @x32.npy --labels @y.npy -o x.npz"],
    "join: two sets": ["join @a.npz @b.npz -o both.npz"],
    "explain: all kinds": ["explain @m.spdml", "explain @m.spdml --data @a.npz -o map.svg --json", "explain @t.spdml --data @a.npz"],
    "train: tuned": ["train @a.npz --method rsr-ml --cv 3 -o t.spdml --json", "train @named.npz --method knn-airm --cv-groups subject -o k.spdml"],
    "train: auto": ["train @a.npz --cv 2 -o t.spdml --json", "info t.spdml", "predict t.spdml @b.npz -o p.csv"],
    "train: vectors": ["describe gabor @images.npz --scales 2 --orientations 3 -o g.npz --keep-images", "train g.npz --method src --no-tune -o t.spdml",
                       "predict t.spdml g.npz -o p.csv", "evaluate g.npz --methods src,gsrc --train-per-class 2 --repeats 1 --cv 2 --json"],
    "target: regression": [step for name in ("krr-stein", "krr-tangent", "krr-both") for step in (
                               f"train @age.npz --target age --method {name} -o {name}.spdml --json", f"predict {name}.spdml @age.npz -o {name}.csv", f"info {name}.spdml")]
                          + ["train @age.npz --target age --cv-groups site -o auto.spdml", "predict auto.spdml @age.npz -o p.npz --json"],
    "predict: sift-color": ["describe sift-color @textures -o r.npz --size 32 --sift-step 8", "train r.npz --method nn-airm --no-tune -o t.spdml", "predict t.spdml @textures -o p.csv"],
    "predict: gabor": ["describe gabor @faces -o r.npz --labels @faces.csv --scales 2 --orientations 2 --size 24", "train r.npz --method nn-stein --no-tune -o t.spdml",
                       "predict t.spdml @faces -o p.csv", "predict t.spdml @faces/001_ba.png"],
    "predict: region": ["describe region @textures -o r.npz", "train r.npz --method nn-airm --no-tune -o t.spdml", "predict t.spdml @textures -o p.csv"],
    "predict: joints": ["describe joints @motion -o r.npz --labels @motion.csv", "train r.npz --method nn-airm --no-tune -o t.spdml",
                        "predict t.spdml @motion --scores -o p.csv", "predict t.spdml @clips.zip -o q.csv"],
    "predict: covariance": ["describe covariance @signals.npz -o r.npz", "train r.npz --method mdm --no-tune -o t.spdml", "predict t.spdml @signals.npz --raw --scores -o p.csv",
                            "describe covariance @a.edf --events auto -o e.npz", "train e.npz --method mdm --no-tune -o u.spdml", "predict u.spdml @a.edf -o q.csv"],
    "classify: methods": ["classify --train @a.npz --test @b.npz --method nn --metric stein", "classify --train @a.npz --test @b.npz --method nn-airm-ml -m 4 -o p.npz --json",
                          "classify --train @a.npz --test @b.npz --method rsr --model @m.spdml -o p.csv --scores"],
    "evaluate: report": ["evaluate @a.npz --methods nn-airm,nn-stein-ml,ts-lda,ksvm-stein --split 0.5 --repeats 2 -o ev", "compare ev", "compare ev --json",
                         "compare ev --format latex -o t.tex", "compare ev --format csv", "compare ev --format markdown"],
    "evaluate: protocols": ["evaluate @named.npz --methods nn-stein,mdm-airm", "evaluate @named.npz --methods mdm-airm,rsr-ml,cdl --outer-folds 3 --json",
                            "evaluate @named.npz --methods nn-stein --leave-one-group-out subject -o ev",
                            "evaluate @named.npz --methods knn-stein,pga --test-where subject=s1,s2 --cv 3 -o where"],
    "evaluate: paper": ["evaluate @a.npz --methods nn-stein-ml --paper -m 3 --train-per-class 6 --repeats 1"],
    "describe: images": ["describe sift-color @textures -o t.npz --size 40 --sift-step 8", "describe gabor @images.npz --scales 2 --orientations 3 -o g.npz",
                         "describe region @textures --grid 2x2 -o r.npz --json", "describe gabor @faces -o f.npz --labels @faces.csv --scales 2 --orientations 2 --regions whole"],
    "describe: image formats": [f"describe region @pictures/{name} --size 16 -o {name}.npz --json" for name in PICTURES] + ["describe gabor @pictures --size 16 --scales 2 --orientations 2 -o g.npz"],
    "describe: motion": ["describe joints @motion -o m.npz --labels @motion.csv", "info m.npz", "describe joints @small.bvh -o b.npz", "describe joints @intel_float.c3d -o c.npz",
                         "describe joints @dec_int.c3d -o d.npz", "describe joints @tables -o t.npz"],
    "describe: archives": [f"describe joints @clips.{ending} -o m.npz --json" for ending in ("zip", "tar", "tar.gz")],
    "describe: recordings": ["describe covariance @a.edf -o a.npz", "describe covariance @a.edf --events auto --bands 8-12 -o e.npz --json",
                             "describe covariance @a.bdf --regularize 0.1 -o b.npz", "describe covariance @a.bdf --events auto --epoch 0:1 --regularize 0.1 -o c.npz"],
    "describe: tables": ["describe covariance @signals.npz --shrinkage oas -o s.npz", "describe covariance @table.csv --rate 100 --window 0.4 --bands 5-10,20-30 --regularize 1e-3 -o t.npz",
                         "describe covariance @signals.npz --shrinkage ledoit-wolf -o e.mat", "describe covariance @tables -o f.npz --json"],
    "errors: data": ["distance @singular.npy", "mean @nan.npy", "fit @asymmetric.npy --unsupervised -m 2 -o m.spdml", "info @cut.npy", "info @empty.csv",
                     "distance missing.npz", "fit @x.npy -m 2 -o m.spdml", "neighbours @x.npy --queries @a.npz", "transform @m.spdml @x.npy -o o.npz", "predict @m.spdml @a.npz"],
    "errors: usage": ["distance @x.npy --metrc airm", "fit @a.npz -m 40 -o m.spdml", "fit @a.npz", "unknown", "mean @x.npy --metric nothing", "mean @x.npy --tol 7",
                      "evaluate @a.npz --methods nothing", "mean @x.npy -o M.doc", "fit @a.npz -m 3 --engine cuda -o m.spdml"],
    "verbose: fit": ["fit @a.npz -m 3 -v -o m.spdml"], "verbose: distance": ["distance @a.npz -v"],
    "isa: baseline": ["baseline: fit @a.npz -m 4 -o m.spdml", "baseline: fit @a.npz -m 4 --metric airm --max-iter 20 -o n.spdml", "baseline: distance @x.npy -o D.npy",
                      "baseline: mean @x.npy --metric bures-wasserstein -o M.npy", "baseline: neighbours @many.npz -k 3 --metric stein -o n.npz"],
}
for name in METRICS:
    CASES[f"distance: {name}"] = [f"distance @x.npy --metric {name} -o D.npy", f"distance @x.npy @q.npy --metric {name} -o D2.npy --json"]
    CASES[f"mean: {name}"] = [f"mean @x.npy --metric {name} -o M.npy", f"mean @x.npy --weights @weights.npy --metric {name} -o W.npy --json"]
    CASES[f"neighbours: {name}"] = [f"neighbours @x.npy -k 3 --metric {name} -o n.npz", f"neighbours @x.npy --queries @q.npy -k 2 --metric {name} -o q.npz --json"]
for name in LEARNED:
    CASES[f"fit: {name}"] = [f"fit @a.npz -m 4 --metric {name} -o m.spdml --history h.csv"]
    CASES[f"cost: {name}"] = [f"cost @a.npz --w @m.spdml --metric {name} --gradient G.npy"]
for name in ("difference", "softmax"):
    CASES[f"fit: {name}"] = [f"fit @a.npz -m 4 --objective {name} --max-iter 30 -o m.spdml --json"]
    CASES[f"cost: {name}"] = [f"cost @a.npz --w @m.spdml --objective {name} --gradient G.npy --json"]
for name in EMBEDDINGS:
    CASES[f"embed: {name}"] = [f"embed @a.npz --method {name} -k 8" + (" --iterations 150 -o Y.csv" if name == "tsne" else " -o Y.npz --json"), f"embed @a.npz --method {name} -k 8 -o Y.svg"]
for name in METHODS:
    CASES[f"train: {name}"] = [f"train @a.npz --method {name} --no-tune -o t.spdml" + (" -m 4" if name.endswith(("-ml", "-random", "-mean")) else ""),
                               "predict t.spdml @b.npz --scores -o p.csv", "info t.spdml"]
for count in (2, 4):
    CASES[f"threads: {count}"] = [f"fit @a.npz -m 4 -o m.spdml --threads {count}", f"fit @a.npz -m 4 --metric airm --objective difference -o n.spdml --threads {count}",
                                  f"distance @x.npy -o D.npy --threads {count}", f"mean @many.npz -o M.npy --threads {count}", f"neighbours @many.npz -k 3 -o n.npz --threads {count}",
                                  f"evaluate @a.npz --methods nn-stein-ml,cdl --split 0.5 --repeats 2 --json --threads {count}"]
for count in (1, 2, 3):
    CASES[f"mpi: {count} ranks"] = [f"{count} ranks: fit @a.npz -m 4 -o m.spdml", f"{count} ranks: fit @parts.list --labels @y60.npy -m 2 --nu-w 2 --nu-b 2 --memory 300K --max-iter 6 --objective difference -o n.spdml",
                                    f"{count} ranks: distance @x.npy -o D.npy", f"{count} ranks: mean @many.npz -o M.npy --json", f"{count} ranks: neighbours @many.npz -k 3 -o n.npz"]
for name, line in {"fit": "fit @a.npz -m 3 --max-iter 4 -o m.spdml", "distance": "distance @middle.npz --metric stein -o D.npy", "mean": "mean @middle.npz -o M.npy",
                   "neighbours": "neighbours @middle.npz --metric stein -k 2 -o n.npz --json", "cost": "cost @a.npz --w @m.spdml --gradient G.npy",
                   "embed": "embed @middle.npz --method mds --metric log-euclidean -o Y.npz", "train": "train @middle.npz --method rsr --no-tune -o t.spdml",
                   "predict": "predict @r.spdml @middle.npz -o p.csv", "evaluate": "evaluate @middle.npz --methods nn-stein,mdm-stein --split 0.5 --repeats 1 --json",
                   "classify": "classify --train @middle.npz --test @middle.npz --method nn --metric log-euclidean"}.items():
    CASES[f"cuda: {name}"] = [f"cuda: {line} --engine cuda -v"]


# ---------------------------------------- features that leave, and options that few need ----------------------------------------


CASES |= {
    "invariant: blocks": [f"fit @blocks.npz -m 3 --init {start} -o {start}.spdml" for start in ("identity", "mean", "csp")] + ["fit @blocks.npz -m 3 --paper -o p.spdml"],
    "cuda: above 32 x 32": ["cuda: distance @wide.npz --engine cuda -o D.npy -v", "cuda: mean @wide.npz --metric log-euclidean --engine cuda -o M.npy -v",
                                    "cuda: fit @wide.npz -m 3 --max-iter 2 --metric log-euclidean --engine cuda -o m.spdml -v"],
}
for size in ("small", "large"):
    CASES[f"scale: {size}"] = [f"fit @{size}.npz -m 2 --max-iter 10 -o m.spdml", f"train @{size}.npz --method rsr --no-tune -o t.spdml", f"info @{size}.npz"] + [
        f"{command} @{size}.npz --metric {metric} -o {command}-{metric}.npz" for command in ("distance", "mean", "neighbours") for metric in METRICS]
CASES["restarts: Python"] = ["python: fit_with restarts=2 objective=difference"]

DESCRIBE, EVALUATE = "describe covariance @signals.npz -o o.npz", "evaluate @named.npz --methods nn-stein,nn-stein-ml -m 2"
OPTIONS = { # of each one option more than the command needs
    "restarts": ["fit @a.npz -m 4 --restarts 3 --max-iter 15 --seed 4 -o m.spdml"], "max-time": ["fit @a.npz -m 3 --max-time 1000 -o m.spdml"],
    "log-cost": ["fit @a.npz -m 4 --metric log-euclidean --log-cost exact -o m.spdml --json"],
    "unsupervised": ["fit @a.npz -m 3 --unsupervised graph --max-iter 15 -o g.spdml", "fit @a.npz -m 3 --unsupervised variance -o v.spdml"],
    "unlabelled": ["fit @a.npz -m 3 --unlabelled 2 --max-iter 15 -o u.spdml"], "affinity": ["fit @x.npy -m 2 --affinity @graph.npz -o m.spdml"],
    "x": ["mean @two.npz --x A -o M.npy"], "y": ["fit @two.npz --x A --y l -m 2 -o m.spdml", "info @two.npz --x B --y k"], "anywhere": ["mean @lists/far.list -o M.npy", "mean @lists/far.list --anywhere -o M.npy"],
    "squared": ["distance @x.npy --squared -o D.npy"],
    "drop-nan": ["convert @nan.npy --drop-nan -o kept.npy"], "to": ["convert @q.npy --to csv -o -", "join @q.npy @x.npy --to csv -o -"],
    "where": ["convert @named.npz --where subject=s1,s3 -o some.npz", "join @a.npz @b.npz --where y=0,1 -o two.mat --json"], "source": ["join @a.npz @b.npz -o both.npz --source session"],
    "names": ["explain @m.spdml --data @a.npz --names @names.txt"], "by": ["explain @m.spdml --data @a.npz --by kept", f"{EVALUATE} --outer-folds 2 --by subject --json"],
    "perplexity": ["embed @a.npz --method tsne --perplexity 5 --iterations 50 -o Y.npy"],
    "tests": ["evaluate @a.npz --methods nn-airm,nn-stein,cdl --split 0.5 --repeats 2 -o ev --no-report", "compare ev --tests all --json"],
    "across": ["evaluate @a.npz --methods nn-airm,nn-stein --split 0.5 --repeats 2 -o a", "evaluate @b.npz --methods nn-airm,nn-stein --split 0.5 --repeats 2 -o b", "compare a b --tests across"],
    "none": ["evaluate @a.npz --methods nn-airm,nn-stein --split 0.5 --repeats 2 -o a", "compare a --tests none"],
    "normalize": ["train @a.npz --method nn-stein --normalize trace --no-tune -o t.spdml", "train @a.npz --method nn-stein --normalize determinant --no-tune -o u.spdml"],
    "recenter": ["train @named.npz --method mdm --recenter subject --no-tune -o t.spdml", "predict t.spdml @named.npz -o p.csv", f"{EVALUATE} --leave-one-group-out subject --recenter subject"],
    "recenter-known": ["train @named.npz --method mdm --recenter subject --no-tune -o t.spdml", "predict t.spdml @named.npz --recenter-known -o p.csv"],
    "grid": ["train @a.npz --method nn-stein-ml --grid m=3,5 --cv 2 -o t.spdml"],
    "keep-images": ["describe gabor @images.npz --scales 2 --orientations 3 -o g.npz --keep-images"],
    "dimensions": ["embed @a.npz -d 3 -o Y.npy"], "signal": ["synth spd -o a.npz --samples 2 --signal 2"],
    "train-where": [f"{EVALUATE} --train-where subject=s1,s2,s3"], "test-labels": ["classify --train @a.npz --test @x12.npy --test-labels @y12.npy --method nn-stein"],
    "auc": [f"{EVALUATE} --outer-folds 2 --auc --json"], "final": [f"{EVALUATE} --outer-folds 2 --final all", f"{EVALUATE} --outer-folds 2 --final none"],
    "keep": [f"{EVALUATE} --outer-folds 2 --keep kept"], "no-report": [f"{EVALUATE} --outer-folds 2 --no-report -o ev"], "outer-groups": [f"{EVALUATE} --outer-folds 2 --outer-groups subject"],
    "calibration-size": [f"{EVALUATE} --leave-one-group-out subject --calibration-size 0.3"],
    "observations": [f"{DESCRIBE} --observations 60"], "model": ["describe joints @motion --labels @motion.csv -o r.npz", "fit r.npz -m 4 -o m.spdml", "describe joints @motion --model m.spdml -o s.npz"],
    "group": ["describe covariance @long.csv --group who -o o.npz"], "channels-first": ["describe covariance @signals.npy --channels-first -o o.npz"], "step": [f"{DESCRIBE} --rate 100 --window 0.4 --step 0.2"],
    "order": [f"{DESCRIBE} --rate 100 --bands 5-10 --order 2"], "channels": ["describe covariance @a.edf --channels C4,C3 -o o.npz"],
    "events": ["describe covariance @table.csv --rate 100 --events @events.csv -o o.npz"], "event-names": ["describe covariance @a.edf --events auto --event-names left -o o.npz"],
    "label-by": ["describe covariance @tables --label-by none -o o.npz"],
    "keep-going": ["describe covariance @tables @cut.npy --keep-going -o o.npz"], "no-color": ["describe region @textures --no-color -o o.npz"],
    "rects": ["describe region @textures --rects @rects.csv -o o.npz"],
    "asf": ["describe joints @motion/a_clapAboveHead_01.amc --asf @motion/b.asf -o o.npz"],
    "center": ["describe joints @motion --center root -o o.npz"], "frames": ["describe joints @motion --frames 5:20 -o o.npz"], "temporal-pyramid": ["describe joints @motion --temporal-pyramid 2 -o o.npz --json"],
    "overlap": ["describe joints @motion --temporal-pyramid 2 --overlap -o o.npz"], "unit-range": ["describe joints @motion --unit-range -o o.npz"],
}
CASES |= {f"{name}: option": steps for name, steps in OPTIONS.items()}
CASES |= {f"python: {name}": [f"python: {name}"] for name in ("geometry", "functions", "learning", "hermitian", "places", "running_mean", "errors")}
CASES["torch: functions"] = ["torch: tensors"]


# ---------------------------------------- Python calls ----------------------------------------


def tell(name, *values):
    """One line per result: its name, and a hash of its numbers or its text."""
    for value in values:
        if isinstance(value, (list, tuple)):
            tell(name, *value)
        elif isinstance(value, np.ndarray):
            print(name, value.dtype, value.shape, hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()[:16],
                  np.array2string(value.ravel()[:3], precision=17) if value.dtype.kind in "fc" else "")
        else:
            print(name, repr(value))


def load(name):
    return np.load(f"../in/{name}")


def geometry(spdml):
    X, Q = load("x.npy"), load("q.npy")
    for metric in METRICS:
        tell(f"pairwise {metric}", spdml.pairwise_distance(X, Q, metric=metric), spdml.pairwise_distance(X, metric=metric))
        tell(f"distance {metric}", spdml.distance(X[0], X[1], metric=metric))
        tell(f"mean {metric}", spdml.mean(X, metric=metric), spdml.mean(X, metric=metric, sample_weight=load("weights.npy")))
        tell(f"neighbors {metric}", *spdml.neighbors(X, Q, 2, metric=metric))
    for metric in ("airm", "log-euclidean", "bures-wasserstein", "log-cholesky", "euclidean"):
        tell(f"geodesic {metric}", spdml.geodesic(X[0], X[1], 0.3, metric=metric))
    for metric in ("airm", "log-euclidean"):
        tell(f"tangent {metric}", spdml.geometry.tangentspace.tangent_space(X, X[0], metric=metric), spdml.geometry.tangentspace.log_map(X, X[0], metric=metric))
    tell("median", spdml.geometry.median.median_euclid(X), spdml.geometry.median.median_riemann(X))
    tell("recenter", spdml.recenter(X, np.arange(30) % 2))


def functions(spdml):
    X, Q = load("x.npy"), load("q.npy")
    for kind in ("stein", "log-euclidean", "euclidean"):
        tell(f"kernel {kind}", spdml.kernel(X, Q, kind, reg=0), spdml.kernel(X, metric=kind, reg=0))
    for name in ("logm", "expm", "sqrtm", "invsqrtm", "invm", "eigvalsh", "nearest_sym_pos_def"):
        tell(name, getattr(spdml.geometry.base, name)(X))
    tell("powm", spdml.powm(X, 0.3))
    tell("derivatives", spdml.geometry.base.ddlogm(X[:3], X[3:6]), spdml.geometry.base.ddexpm(X[:3], X[3:6]))
    for method in ("pga", "mds", "lle", "laplacian"):
        tell(f"embed {method}", spdml.embed(X, method=method, n_neighbors=8))
    signals = load("signals.npz")["X"].transpose(0, 2, 1)
    for estimator in ("cov", "oas", "lwf", "scm"):
        tell(f"covariances {estimator}", spdml.covariances(signals, estimator))


def learning(spdml):
    a, b = load("a.npz"), load("b.npz")
    X, y, Z, z = a["X"], a["y"], b["X"], b["y"]
    for metric in LEARNED:
        fitted = spdml.SPDML(3, metric, max_iter=15).fit(X, y)
        tell(f"SPDML {metric}", fitted.components_, fitted.transform(Z))
    tell("cost", *spdml.maps.cost(X, y, fitted.components_.T, gradient=True))
    for method in ("nn-airm", "mdm-stein", "rsr", "cdl", "ts-lda", "ksvm-stein", "nn-stein-ml"):
        fitted = spdml.SPDClassifier(method).fit(X, y)
        tell(f"SPDClassifier {method}", fitted.predict(Z), fitted.score(Z, z))
    for one in (spdml.MDM(), spdml.KNearestNeighbor(3), spdml.RSRClassifier(), spdml.CDLClassifier(), spdml.classification.TSClassifier()):
        tell(type(one).__name__, one.fit(X, y).predict(Z))
    tell("Kmeans", spdml.clustering.Kmeans(3, random_state=1).fit(X).labels_)
    tell("TangentSpace", spdml.TangentSpace().fit(X).transform(Z))
    result = spdml.evaluate(X, y, ["nn-airm", "nn-stein-ml"], cv=0.5, repeats=2)
    tell("evaluate", result.accuracy)
    found = spdml.explain(spdml.SPDML.load("../in/m.spdml"), X)
    tell("explain", found.share, found.kept, found.weight)


def hermitian(spdml):
    H, y = load("h.npz")["X"], load("h.npz")["y"]
    for metric in ("airm", "stein", "log-euclidean", "euclidean"):
        tell(f"pairwise {metric}", spdml.pairwise_distance(H, metric=metric))
        tell(f"mean {metric}", spdml.mean(H, metric=metric))
    tell("logm", spdml.logm(H))
    tell("neighbors", *spdml.neighbors(H, n_neighbors=3))
    fitted = spdml.SPDML(2, "stein", max_iter=10).fit(H, y)
    tell("SPDML", fitted.components_, fitted.transform(H))
    for method in ("nn-stein", "mdm-airm", "nn-stein-ml"):
        tell(f"SPDClassifier {method}", spdml.SPDClassifier(method).fit(H, y).predict(H))


def places(spdml):
    files = spdml.MatrixFiles([f"../in/part{at}.npy" for at in range(3)])
    tell("mean of files", spdml.mean(files, metric="stein"))
    tell("neighbors in files", *spdml.neighbors(files, n_neighbors=2))
    tell("SPDML of files", spdml.SPDML(2, max_iter=8).fit(files, load("y60.npy")).components_)
    F = load("x32.npy")
    tell("float32", spdml.pairwise_distance(F), spdml.mean(F), *spdml.neighbors(F, n_neighbors=2))
    for jobs in (1, 2, 4):
        tell(f"{jobs} threads", spdml.pairwise_distance(load("x.npy"), n_jobs=jobs), spdml.SPDML(3, max_iter=8, n_jobs=jobs).fit(load("a.npz")["X"], load("a.npz")["y"]).components_)


def running_mean(spdml):
    a, b = load("a.npz"), load("b.npz")
    one = spdml.MDM().partial_fit(a["X"][:18], a["y"][:18], classes=np.unique(a["y"]))
    tell("MDM", one.partial_fit(a["X"][18:], a["y"][18:]).predict(b["X"]))


def fit_with(spdml, *words):
    options = dict(word.split("=") for word in words)
    options = {name: float(value) if "." in value else int(value) if value.isdigit() else value for name, value in options.items()}
    data = load("a.npz")
    tell("components", spdml.SPDML(3, max_iter=20, **options).fit(data["X"], data["y"]).components_)


def tensors(spdml):
    import torch
    import spdml.torch as st
    torch.set_num_threads(1)
    X = torch.tensor(load("x.npy"), requires_grad=True)
    for name in ("logm", "expm", "sqrtm", "invsqrtm"):
        F = getattr(st, name)(X)
        tell(name, F.detach().numpy(), torch.autograd.grad((F * F).sum(), X)[0].numpy())
    for metric in ("airm", "stein", "jeffrey", "log-euclidean", "euclidean"):
        D = st.pairwise_distance(X, X[:3].detach() + torch.eye(6, dtype=X.dtype), metric=metric)
        tell(f"distance {metric}", D.detach().numpy(), torch.autograd.grad(D.sum(), X)[0].numpy())
    tell("mean", st.mean(X.detach()).numpy())


def errors(spdml):
    X = load("x.npy")
    for name, call in {"singular": lambda: spdml.mean(load("singular.npy")), "nan": lambda: spdml.pairwise_distance(load("nan.npy")),
                       "asymmetric": lambda: spdml.logm(load("asymmetric.npy")), "metric": lambda: spdml.mean(X, metric="nothing"),
                       "sizes": lambda: spdml.pairwise_distance(X, load("a.npz")["X"]), "k": lambda: spdml.neighbors(X, n_neighbors=99),
                       "m": lambda: spdml.SPDML(40).fit(X, load("y.npy")), "method": lambda: spdml.SPDClassifier("nothing").fit(X, load("y.npy")),
                       "file": lambda: spdml.MatrixFiles(["missing.npy"]), "engine": lambda: spdml.set_engine("nothing")}.items():
        try:
            call()
            print(name, "no error")
        except Exception as error: # all kinds are recorded
            print(name, type(error).__name__, error)


# ---------------------------------------- the toolbox for MATLAB and Octave ----------------------------------------


OCTAVE_BEGIN = """
warning('off', 'Octave:shadowed-function');
addpath(getenv('SPDML_MATLAB'), getenv('SPDML_MEX'));
function tell(name, varargin)
  for k = 1:numel(varargin)
    v = varargin{k};
    if isnumeric(v)
      bytes = typecast(reshape(double([real(v(:)); imag(v(:))]), 1, []), 'uint8');
      printf('%s %s %s %s%s\\n', name, class(v), mat2str(size(v)), hash('md5', char(bytes)), sprintf(' %.17g', real(v(1:min(3, end)))));
    else
      printf('%s %s\\n', name, disp(v));
    end
  end
end
a = spdml.load('../in/a.npz'); b = spdml.load('../in/b.npz'); h = spdml.load('../in/h.npz');
"""
OCTAVE = {
    "geometry": """
for metric = {'airm', 'stein', 'log-euclidean', 'jeffrey', 'bures-wasserstein', 'log-cholesky', 'euclidean'}
  tell(metric{1}, spdml.distance(a.X, b.X, 'Metric', metric{1}), spdml.mean(a.X, 'Metric', metric{1}), spdml.distance(h.X, 'Metric', metric{1}));
end
[index, d] = spdml.nearest(a.X, b.X, 'k', 3); tell('nearest', index, d);
tell('functions', spdml.logm(a.X), spdml.expm(a.X / 100), spdml.sqrtm(h.X), spdml.powm(a.X, 0.3), spdml.kernel(a.X, b.X));
tell('embed', spdml.embed(a), spdml.embed(a, 'Method', 'mds', 'Metric', 'stein'));
""",
    "learning": """
for options = {{}, {'Metric', 'airm'}, {'paper', true, 'NuB', 2}, {'Unsupervised', 'variance'}}
  model = spdml.fit(a, 'm', 3, 'MaxIter', 20, options{1}{:}); tell('fit', model.W, model.cost, spdml.transform(model, b.X));
end
model = spdml.fit(h, 'm', 2); tell('hermitian', model.W);
old = spdml.load('../in/m.spdml'); [cost, G] = spdml.cost(a.X, a.y, old.W); tell('cost', cost, G);
for method = {'nn-airm', 'mdm-stein', 'rsr', 'cdl', 'ts-lda'}
  [y, scores] = spdml.predict(spdml.train(a, 'Method', method{1}, 'NoTune', true), b.X); tell(method{1}, y, scores);
end
tell('map', spdml.predict(spdml.train(a, 'Method', 'nn-stein-ml', 'm', 4, 'NoTune', true), b.X));
r = spdml.evaluate(a, 'Methods', {'nn-airm', 'nn-stein-ml'}, 'Split', 0.5, 'Repeats', 2, 'm', 4); tell('evaluate', [r.methods.accuracy]);
e = spdml.explain(old, a.X); tell('explain', fieldnames(e));
d = spdml.describe('covariance', '../in/signals.npz'); tell('describe', d.X, d.y);
""",
}
CASES |= {f"matlab: {name}": [f"octave: {name}"] for name in OCTAVE}


if __name__ == "__main__":
    import spdml as package
    assert pathlib.Path(package.__file__).parent.name == "spdml"
    globals()[sys.argv[1]](package, *sys.argv[2:])
