"""The cases of tools/freeze: commands, and calls of the Python package.

A case is a list of steps that share a folder. A step is a command line; "@" stands for the folder of inputs, and
a word in front says how it is run: "2 ranks: ", "baseline: " (SPDML_ISA), "cuda: " (emulated) or "python: ", which
names a function of this file.
"""
import hashlib
import pathlib
import subprocess
import sys

import numpy as np

METRICS = ("airm", "stein", "log-euclidean", "jeffrey", "bures-wasserstein", "log-cholesky", "euclidean")
LEARNED = ("stein", "airm", "jeffrey", "log-euclidean")
OBJECTIVES = ("difference", "ratio", "log-margin", "softmax")
SOLVERS = ("polak-ribiere", "hestenes-stiefel", "fletcher-reeves", "hager-zhang", "lbfgs")
METHODS = ("nn-airm", "knn-stein", "mdm-log-euclidean", "rsr", "cdl", "cdl-lda", "pga", "riemannian-lle",
           "riemannian-laplacian", "ksvm-stein", "ts-lda", "cov3dj", "nn-stein-ml", "rsr-multi", "mdm-airm-csp", "pca-nn-airm")
HISTORY_SECONDS = 3 # the column of the history of a fit that holds seconds


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


def make_inputs(folder, command):
    make_arrays(folder)
    for line in ("synth spd -o a.npz --classes 3 --samples 12 -n 12 --planted 3",
                 "synth spd -o b.npz --classes 3 --samples 8 -n 12 --planted 3 --seed 2",
                 "synth textures -o textures --classes 2 --samples 2 --size 48",
                 "synth motion -o motion --classes 2 --samples 2 --subjects 2 --frames 40",
                 "synth faces -o faces --classes 2 --size 24",
                 "fit a.npz -m 4 --max-iter 20 -o m.spdml",
                 "train a.npz --method rsr-ml -m 4 --no-tune -o t.spdml",
                 "convert a.npz -o a.mat", "convert a.npz -o a.csv"):
        subprocess.run([command, *line.split(), "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL)


# ---------------------------------------- commands ----------------------------------------


CASES = {"synth": ["synth spd -o a.npz --classes 3 --samples 4 -n 8 --planted 2 --seed 5", "synth textures -o t --classes 2 --samples 1 --size 40",
                   "synth motion -o m --classes 1 --samples 1 --subjects 1 --frames 30", "synth faces -o f --classes 1 --size 20"]}

for name in METRICS:
    CASES[f"distance {name}"] = [f"distance @x.npy --metric {name} -o D.npy", f"distance @x.npy @q.npy --metric {name} --squared -o D2.npy --json"]
    CASES[f"mean {name}"] = [f"mean @x.npy --metric {name} -o M.npy", f"mean @x.npy --weights @weights.npy --metric {name} -o W.npy --json"]
    CASES[f"neighbours {name}"] = [f"neighbours @x.npy -k 3 --metric {name} -o n.npz",
                                   f"neighbours @x.npy --queries @q.npy -k 2 --metric {name} -o q.npz --json"]
for name in LEARNED:
    CASES[f"fit {name}"] = [f"fit @a.npz -m 4 --metric {name} -o m.spdml --history h.csv", f"cost @a.npz --w m.spdml --metric {name} --gradient G.npy"]
for name in OBJECTIVES:
    CASES[f"fit {name}"] = [f"fit @a.npz -m 4 --objective {name} --max-iter 30 -o m.spdml --json",
                            f"cost @a.npz --w @m.spdml --objective {name} --gradient G.npy --json"]
for name in SOLVERS:
    CASES[f"fit {name}"] = [f"fit @a.npz -m 3 --solver {name} --max-iter 25 -o m.spdml"]
CASES |= {
    "fit paper": ["fit @a.npz -m 4 --paper --max-iter 25 -o m.spdml"],
    "fit log-euclidean exact": ["fit @a.npz -m 4 --metric log-euclidean --log-cost exact -o m.spdml --json"],
    "fit restarts": ["fit @a.npz -m 4 --restarts 3 --max-iter 15 --seed 4 -o m.spdml"],
    "fit rebuild": ["fit @a.npz -m 4 --objective difference --rebuild-graph 2 -o m.spdml"],
    "fit hermitian": ["fit @h.npz -m 2 -o m.spdml", "fit @h.npz -m 2 --metric airm --objective ratio -o n.spdml --json",
                      "transform m.spdml @h.npz -o low.npz", "distance @h.npz -o D.npy", "mean @h.npz --metric stein -o M.npy",
                      "neighbours @h.npz -k 2 -o n.npz", "explain m.spdml --data @h.npz"],
    "fit transport": ["fit @a.npz -m 4 --transport projection --coordinates plain --init mean --max-iter 20 -o m.spdml"],
    "fit starts": [f"fit @a.npz -m 3 --init {start} --max-iter 8 -o {start}.spdml" for start in ("identity", "random", "csp", "stein")]
                  + ["fit @a.npz -m 4 --init @m.spdml --max-iter 8 -o model.spdml"],
    "fit unsupervised": ["fit @a.npz -m 3 --unsupervised graph --max-iter 15 -o g.spdml", "fit @a.npz -m 3 --unsupervised variance -o v.spdml",
                         "fit @a.npz -m 3 --unlabelled 2 --max-iter 15 -o u.spdml"],
    "fit directed": ["fit @a.npz -m 3 --graph directed --objective difference --nu-w 3 --nu-b 2 --affinity-weight 0.5 -o m.spdml"],
    "fit candidates": ["fit @many.npz -m 2 --candidates 100 --max-iter 10 -o m.spdml", "fit @many.npz -m 2 --search approximate --max-iter 10 -o n.spdml --json"],
    "fit auto": ["fit @a.npz -m auto -o m.spdml", "fit @a.npz -m 3 --objective difference --nu-b auto -o n.spdml"],
    "fit resume": ["fit @a.npz -m 4 --max-iter 6 --checkpoint c.npz --checkpoint-every 0.001s -o m.spdml", "info c.npz"],
    "fit files": ["fit @parts.list --labels @y60.npy -m 2 --nu-w 2 --nu-b 2 --memory 300K --max-iter 10 -o m.spdml", "mean @parts.list --memory 300K -o M.npy",
                  "neighbours @parts.list -k 2 --memory 300K -o n.npz", "transform m.spdml @parts.list -o low.npy --memory 300K"],
    "fit float32": ["fit @x32.npy --labels @y.npy -m 2 --store float32 --max-iter 10 -o m.spdml", "distance @x32.npy -o D.npy",
                    "mean @x32.npy -o M.npy", "neighbours @x32.npy -k 2 -o n.npz"],
    "transform": ["transform @m.spdml @b.npz -o low.npz", "transform @m.spdml @b.npz -o low.mat --json", "transform @t.spdml @b.npz -o low.npy"],
    "formats": ["distance @a.mat -o D.csv", "mean @a.csv -o M.mat", "mean @a.csv -o M.csv", "info @a.mat", "info @a.csv --json"],
    "neighbours brute": ["neighbours @many.npz -k 4 --brute -o n.npz --json", "neighbours @many.npz -k 4 -o m.npz --json"],
    "neighbours approximate": ["neighbours @many.npz -k 4 --metric stein --search approximate -o n.npz --json",
                               "neighbours @many.npz --queries @many.npz -k 3 --search auto -o q.npz"],
    "info": ["info @a.npz", "info @named.npz --json", "info @m.spdml", "info @t.spdml --json", "info @singular.npy", "info @nan.npy", "info @asymmetric.npy"],
    "convert": ["convert @a.npz -o a.csv", "convert @a.mat -o a.npz", "convert @m.spdml -o W.csv", "convert @m.spdml -o W.npz",
                "convert @named.npz --where subject=s1,s3 -o some.npz", "convert @nan.npy --drop-nan -o kept.npy", "convert @asymmetric.npy --symmetrize -o s.npy",
                "convert @singular.npy --regularize 0.1 -o r.npy", "convert @h.npz -o h.mat", "convert @x32.npy --labels @y.npy -o x.npz"],
    "join": ["join @a.npz @b.npz -o both.npz --source session", "join @a.npz @b.npz --where y=0,1 -o two.mat --json"],
    "explain": ["explain @m.spdml", "explain @m.spdml --data @a.npz -o map.svg --json", "explain @t.spdml --data @a.npz"],
}
for name in ("pga", "mds", "tsne", "lle", "hessian-lle", "laplacian"):
    CASES[f"embed {name}"] = [f"embed @a.npz --method {name} -k 8 --iterations 150 -o Y.csv" if name == "tsne" else f"embed @a.npz --method {name} -k 8 -o Y.npz --json"]
for name in METHODS:
    CASES[f"train {name}"] = [f"train @a.npz --method {name} -m 4 --no-tune -o t.spdml" if name.endswith("-ml") else f"train @a.npz --method {name} --no-tune -o t.spdml",
                              "predict t.spdml @b.npz --scores -o p.csv", "info t.spdml"]
CASES |= {
    "train tuned": ["train @a.npz --method rsr-ml --cv 3 -o t.spdml --json", "train @named.npz --method knn-airm --cv-groups subject -o k.spdml"],
    "classify": ["classify --train @a.npz --test @b.npz --method nn --metric stein", "classify --train @a.npz --test @b.npz --method nn-airm-ml -m 4 -o p.npz --json",
                 "classify --train @a.npz --test @b.npz --method rsr --model @m.spdml -o p.csv --scores"],
    "evaluate": ["evaluate @a.npz --methods nn-airm,nn-stein-ml,ts-lda,ksvm-stein --split 0.5 --repeats 2 -o ev", "compare ev", "compare ev --pairs all --json",
                 "compare ev --format latex -o t.tex", "compare ev --format csv"],
    "evaluate folds": ["evaluate @named.npz --methods mdm-airm,rsr-ml,cdl --outer-folds 3 --auc --by subject --json",
                       "evaluate @named.npz --methods nn-stein --leave-one-group-out subject --recenter subject -o ev --no-report",
                       "evaluate @named.npz --methods nn-stein --outer-folds 2 --keep kept"],
    "evaluate where": ["evaluate @named.npz --methods knn-stein,pga --test-where subject=s1,s2 --cv 3 -o ev"],
    "evaluate paper": ["evaluate @a.npz --methods nn-stein-ml --paper -m 3 --train-per-class 6 --repeats 1"],
    "describe images": ["describe sift-color @textures -o t.npz --size 40 --sift-step 8", "describe gabor @images.npz --scales 2 --orientations 3 -o g.npz --keep-images",
                        "describe region @textures --grid 2x2 -o r.npz --json", "describe gabor @faces -o f.npz --labels @faces/index.csv --scales 2 --orientations 2 --regions whole"],
    "describe motion": ["describe joints @motion -o m.npz --labels @motion/index.csv", "describe joints @motion --labels @motion/index.csv -o c.npz --center root --temporal-pyramid 2 --json",
                        "info m.npz"],
    "describe tables": ["describe covariance @signals.npz --shrinkage oas -o s.npz", "describe covariance @table.csv --rate 100 --window 0.4 --bands 5-10,20-30 --regularize 1e-3 -o t.npz",
                        "describe covariance @signals.npz --shrinkage ledoit-wolf --every 2 -o e.mat"],
    "images by vectors": ["describe gabor @images.npz --scales 2 --orientations 3 -o g.npz --keep-images", "evaluate g.npz --methods src,gsrc --train-per-class 2 --repeats 1 --cv 2 --json"],
    "raw predictions": ["describe region @textures -o r.npz", "train r.npz --method nn-airm --no-tune -o t.spdml", "predict t.spdml @textures -o p.csv"],
    "errors of data": ["distance @singular.npy", "mean @nan.npy", "fit @asymmetric.npy --unsupervised -m 2 -o m.spdml", "info @cut.npy", "info @empty.csv",
                       "distance missing.npz", "fit @x.npy -m 2 -o m.spdml", "neighbours @x.npy --queries @a.npz", "transform @m.spdml @x.npy -o o.npz", "predict @m.spdml @a.npz"],
    "errors of usage": ["distance @x.npy --metrc airm", "fit @a.npz -m 40 -o m.spdml", "fit @a.npz", "unknown", "mean @x.npy --metric nothing", "mean @x.npy --tol 7",
                        "fit @a.npz -m 3 --objective nothing -o m.spdml", "evaluate @a.npz --methods nothing", "mean @x.npy -o M.doc", "fit @a.npz -m 3 --engine cuda -o m.spdml"],
    "verbose": ["fit @a.npz -m 3 -v -o m.spdml", "distance @a.npz -v"],
}
for count in (2, 4):
    CASES[f"{count} threads"] = [f"fit @a.npz -m 4 -o m.spdml --threads {count}", f"fit @a.npz -m 4 --metric airm --objective log-margin -o n.spdml --threads {count}",
                                 f"distance @x.npy -o D.npy --threads {count}", f"mean @many.npz -o M.npy --threads {count}", f"neighbours @many.npz -k 3 -o n.npz --threads {count}",
                                 f"evaluate @a.npz --methods nn-stein-ml,cdl --split 0.5 --repeats 2 --json --threads {count}"]
for count in (1, 2, 3):
    CASES[f"{count} ranks"] = [f"{count} ranks: fit @a.npz -m 4 -o m.spdml", f"{count} ranks: fit @parts.list --labels @y60.npy -m 2 --nu-w 2 --nu-b 2 --memory 300K --max-iter 6 --objective difference -o n.spdml",
                               f"{count} ranks: distance @x.npy -o D.npy", f"{count} ranks: mean @many.npz -o M.npy --json", f"{count} ranks: neighbours @many.npz -k 3 -o n.npz"]
CASES |= {
    "baseline": ["baseline: fit @a.npz -m 4 -o m.spdml", "baseline: fit @a.npz -m 4 --metric airm --max-iter 20 -o n.spdml", "baseline: distance @x.npy -o D.npy",
                 "baseline: mean @x.npy --metric bures-wasserstein -o M.npy", "baseline: neighbours @many.npz -k 3 --metric stein -o n.npz"],
    "cuda": ["cuda: fit @a.npz -m 3 --engine cuda --max-iter 4 -o m.spdml", "cuda: distance @q.npy --engine cuda -o D.npy", "cuda: mean @q.npy --engine cuda -o M.npy"],
    "python geometry": ["python: geometry"], "python functions": ["python: functions"], "python learning": ["python: learning"],
    "python hermitian": ["python: hermitian"], "python places": ["python: places"], "python errors": ["python: errors"],
}


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
    tell("median", spdml.median(X))
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


if __name__ == "__main__":
    import spdml as package
    assert pathlib.Path(package.__file__).parent.name == "spdml"
    globals()[sys.argv[1]](package)
