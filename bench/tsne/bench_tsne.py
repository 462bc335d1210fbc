"""t-SNE of the command against scikit-learn's on the same distances.

    python3 bench/tsne/bench_tsne.py build/release/spdml DATA.npz [METRIC]

Both start at random and make 1000 iterations; scikit-learn gets the matrix of distances
(metric='precomputed'). The divergence of both is computed here, over all pairs, with the exact
affinities of the same perplexity; trustworthiness (10 neighbours) is scikit-learn's. Seconds are of the
CPU, on one thread if OMP_NUM_THREADS=1; distances are included for the command and not for
scikit-learn. Means over three seeds.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
from sklearn.manifold import TSNE, trustworthiness

PERPLEXITY, SEEDS = 30, 3


def affinities(D2, perplexity):
    """P of the distances: for every row by halving the range of its factor."""
    p = len(D2)
    P = np.zeros((p, p))
    for i in range(p):
        d = np.delete(D2[i], i)
        d, low, high, b = (d - d.min()) / (d.mean() - d.min()), 0.0, np.inf, 1.0
        for _ in range(200):
            e = np.exp(-b * d)
            entropy = np.log(e.sum()) + b * (e * d).sum() / e.sum()
            low, high = (b, high) if entropy > np.log(perplexity) else (low, b)
            b = 2 * b if np.isinf(high) else (low + high) / 2
        P[i, np.arange(p) != i] = e / e.sum()
    return (P + P.T) / (2 * p)


def divergence(P, Y):
    w = 1 / (1 + ((Y[:, None] - Y[None]) ** 2).sum(axis=2))
    np.fill_diagonal(w, 0)
    some = P > 0
    return (P[some] * np.log(P[some] / (w / w.sum())[some])).sum()


def ours(command, data, metric, seed):
    with tempfile.TemporaryDirectory() as folder:
        start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([command, "embed", data, "--threads", "1", "--method", "tsne", "--metric", metric,
                        "--perplexity", str(PERPLEXITY), "--seed", str(seed),
                        "--json", "-o", f"{folder}/Y.npy"], check=True, capture_output=True)
        end = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        return np.load(f"{folder}/Y.npy"), end - start


def theirs(D, theta, seed):
    start = time.process_time()
    Y = TSNE(metric="precomputed", init="random", perplexity=PERPLEXITY, random_state=seed,
             method="barnes_hut" if theta else "exact", angle=theta or 0.5).fit_transform(D)
    return Y.astype(float), time.process_time() - start


def main():
    command, data = sys.argv[1:3]
    metric = sys.argv[3] if len(sys.argv) > 3 else "stein"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([command, "distance", data, "--metric", metric, "-o", f"{folder}/D.npy"],
                       check=True, capture_output=True)
        D = np.load(f"{folder}/D.npy")
    P = affinities(D**2, PERPLEXITY)
    theta = 0.5 if len(D) > 500 else 0  # as the command has it
    for name, run in (("spdml", lambda s: ours(command, data, metric, s)),
                      ("scikit-learn", lambda s: theirs(D, theta, s))):
        found = [run(seed) for seed in range(SEEDS)]
        print(json.dumps({
            "p": len(D), "theta": theta, "program": name,
            "divergence": round(float(np.mean([divergence(P, Y) for Y, _ in found])), 4),
            "least": round(float(np.min([divergence(P, Y) for Y, _ in found])), 4),
            "trustworthiness": round(float(np.mean(
                [trustworthiness(D, Y, n_neighbors=10, metric="precomputed")
                 for Y, _ in found])), 4),
            "seconds": round(float(np.mean([t for _, t in found])), 2)}), flush=True)


if __name__ == "__main__":
    main()
