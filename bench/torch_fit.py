"""torch_fit.py - the steps of a fit that bench_cuda measures, as libraries do them on the same device: cuBLAS and
cuSOLVER, called by PyTorch, in float64. First the limits: what memory and arithmetic give at best.

    python3 bench/torch_fit.py [P [N]]    samples, with ten pairs each, and their size; 100000 and 155"""
import sys
import time

import torch

REAL = {"dtype": torch.float64, "device": "cuda"}


def best(body, rounds=4):
    """Milliseconds, the best of a few."""
    times = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        began = time.perf_counter()
        body()
        torch.cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - began))
    return min(times[1:])


def spd(count, n):
    """Eigenvalues within (0.05, 0.55), as in bench_cuda.c."""
    h = torch.rand(count, n, n, **REAL) - 0.5
    return 0.3 * torch.eye(n, **REAL) + 0.008 * (h + h.mT)


def limits():
    a, b = torch.empty(2, 1 << 29, **REAL)
    copy = 2 * a.numel() * 8 / best(lambda: b.copy_(a)) / 1e9
    x = torch.rand(8192, 8192, **REAL)
    rate = 2 * 8192 ** 3 / best(lambda: x @ x) / 1e9
    print(f"limits: copy {copy:.2f} TB/s, product of large matrices {rate:.1f} TFLOP/s", flush=True)


def data_pass(p, n, m):
    X, U, B = spd(p, n), torch.rand(n, m, **REAL), torch.rand(2 * m, n, **REAL)
    P = torch.empty(p, n, m, **REAL)
    Q = torch.empty(p, 2 * m, m, **REAL)

    def run():
        torch.matmul(X.view(p * n, n), U, out=P.view(p * n, m))
        torch.matmul(B, P, out=Q)
    print(f"data pass m {m}: cuBLAS {best(run):.1f} ms", flush=True)


def stein_pairs(pairs, m):
    """Inverse and determinant of every mean, from Cholesky factors; no sums."""
    A = spd(pairs, m)

    def by_factors():
        L = torch.linalg.cholesky_ex(A)[0]
        torch.cholesky_inverse(L)
        L.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def by_inverse():
        torch.linalg.inv_ex(A)
    print(f"Stein pairs m {m}: Cholesky and inverse {best(by_factors, 3):.1f} ms, inverse alone by cuBLAS "
          f"{best(by_inverse, 3):.1f} ms", flush=True)


def airm_pairs(pairs, m, part=20000):
    """Eigenvalues and vectors; cuSOLVER fails on larger batches."""
    A = spd(part, m)
    took = best(lambda: torch.linalg.eigh(A), 3) * pairs / part
    print(f"AIRM pairs m {m}: eigenvectors by cuSOLVER {took:.0f} ms, reckoned from {part} pairs", flush=True)


def main(p=100000, n=155):
    print(f"PyTorch {torch.__version__}, {torch.cuda.get_device_name()}, n {n}, p {p}, {10 * p} pairs", flush=True)
    limits()
    for m in 20, 30:
        data_pass(p, n, m)
        stein_pairs(10 * p, m)
        airm_pairs(10 * p, m)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
