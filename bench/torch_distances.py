"""torch_distances.py - what bench_cuda measures of distances, in PyTorch's best form, on the same device.

Batched over pairs: logarithms of determinants by Cholesky factors (Stein), eigenvalues of
L^-1 Y L^-T (AIRM), all in float64. A part of the pairs is measured, and all of them reckoned from it."""
import sys
import time

import torch


def matrices(p, n):
    """Like those of bench_cuda.c: eigenvalues within (0.05, 0.55)."""
    h = torch.rand(p, n, n, dtype=torch.float64, device="cuda", generator=torch.Generator("cuda").manual_seed(1)) - 0.5
    return 0.3 * torch.eye(n, dtype=torch.float64, device="cuda") + 0.008 * (h + h.mT)


def log_det(X):
    return 2.0 * torch.linalg.cholesky(X).diagonal(dim1=-2, dim2=-1).log().sum(-1)


def stein(rows, X, of_rows, of_all):
    pairs = 0.5 * (rows[:, None] + X[None])
    return log_det(pairs) - 0.5 * (of_rows[:, None] + of_all[None])


def airm(X, inverse):
    """Row by row: cuSOLVER fails on batches of some ten thousands."""
    return [torch.linalg.eigvalsh(L @ X @ L.mT).log().square().sum(-1) for L in inverse]


def seconds(body, rows):
    body(rows[:8])
    torch.cuda.synchronize()
    began = time.perf_counter()
    body(rows)
    torch.cuda.synchronize()
    return time.perf_counter() - began


def main(n=32, p=10000, block=100):
    X = matrices(p, n)
    dets, L = log_det(X), torch.linalg.cholesky(X)
    inverse = torch.linalg.solve_triangular(L, torch.eye(n, dtype=torch.float64, device="cuda").expand_as(L), upper=False)
    numbers = torch.arange(block, device="cuda")
    took = {"stein": seconds(lambda k: stein(X[k], X, dets[k], dets), numbers)}
    few = X[:1000]
    took["airm"] = seconds(lambda k: airm(few, inverse[k]), numbers) * p / len(few)
    for metric, each in took.items():
        print(f"pairwise {metric} n {n}, PyTorch {torch.__version__}: half of {p} x {p} in {0.5 * each * p / block:.1f} s "
              f"({block} rows measured)", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
