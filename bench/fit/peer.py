"""peer.py - the learner as a Python user would write it today: NumPy and pymanopt.

    L(W) = sum over ordered pairs A_ij d2(W'X_iW, W'X_jW)

minimised over the Grassmann manifold by pymanopt's conjugate gradient with its own line search,
cost and Euclidean gradient vectorised over samples and pairs. It is meant to be a good program:
one large product for all X_i W, batched LAPACK over pairs, sums over pairs by a sparse product,
and what cost and gradient share is computed once for each W, which spares the evaluation that
pymanopt repeats after its line search. With --coordinates it works on L^-1 X L^-T, from where the
same start lies there: the factor L is that of a checkpoint of `spdml fit`.

    python peer.py DATA.npz PAIRS.npz HISTORY.npz --m 20 --metric stein
                   [--coordinates CHECKPOINT.npz] [--plain] [--check]
"""
import argparse
import json
import sys
import time

import numpy as np
import pymanopt
import scipy.sparse


class Pairs:
    """The samples and the graph, and what both metrics do with them.

    X is p x n x n, i and j hold the q pairs, c = 2 A_ij. A point W is n x m. With keep, the
    quantities of the last point stay at hand."""

    def __init__(self, X, i, j, value, keep=True):
        self.p, self.n, _ = X.shape
        self.stack = np.ascontiguousarray(X).reshape(self.p * self.n, self.n)
        self.i, self.j, self.c = i, j, 2 * value
        q = len(i)
        ones, pair = np.ones(q), np.arange(q)
        self.to_i = scipy.sparse.csr_matrix((ones, (i, pair)), shape=(self.p, q))
        self.to_j = scipy.sparse.csr_matrix((ones, (j, pair)), shape=(self.p, q))
        self.keep = keep
        self.W = None

    def move(self, W):
        """Y_i = X_i W and S_i = W'Y_i at this point."""
        if self.keep and self.W is not None and np.array_equal(self.W, W):
            return
        self.W = W.copy()
        self.Y = (self.stack @ W).reshape(self.p, self.n, -1)
        S = W.T @ self.Y
        self.S = (S + S.transpose(0, 2, 1)) / 2
        self.f = None

    def cost(self, W):
        self.move(W)
        if self.f is None:
            self.f = float((self.c * self.squares()).sum())
        return self.f

    def gradient(self, W):
        self.move(W)
        Z = self.pair_weights(self.c)
        return np.tensordot(self.Y, Z, axes=((0, 2), (0, 1)))

    def gather(self, Zi, Zj):
        """Adds up weights of pairs, q x m x m, by sample: p x m x m."""
        q, m, _ = Zi.shape
        Z = self.to_i @ Zi.reshape(q, m * m) + self.to_j @ Zj.reshape(q, m * m)
        return Z.reshape(self.p, m, m)


class Stein(Pairs):
    def squares(self):
        middle = np.linalg.slogdet((self.S[self.i] + self.S[self.j]) / 2)[1]
        alone = np.linalg.slogdet(self.S)[1]
        return middle - (alone[self.i] + alone[self.j]) / 2

    def pair_weights(self, c):
        M = np.linalg.inv((self.S[self.i] + self.S[self.j]) / 2) * c[:, None, None]
        degree = self.to_i @ c + self.to_j @ c
        return self.gather(M, M) - degree[:, None, None] * np.linalg.inv(self.S)


class Airm(Pairs):
    def whitened(self):
        """L_j^-1 S_i L_j^-T over pairs and L^-1 over samples."""
        R = np.linalg.inv(np.linalg.cholesky(self.S))
        Rj = R[self.j]
        return Rj @ self.S[self.i] @ Rj.transpose(0, 2, 1), Rj

    def squares(self):
        T, _ = self.whitened()
        return (np.log(np.linalg.eigvalsh(T)) ** 2).sum(axis=1)

    def pair_weights(self, c):
        T, Rj = self.whitened()
        lam, Q = np.linalg.eigh(T)
        V = Rj.transpose(0, 2, 1) @ Q
        Vt = V.transpose(0, 2, 1)
        log = 4 * c[:, None] * np.log(lam)
        return self.gather((V * (log / lam)[:, None, :]) @ Vt, -(V * log[:, None, :]) @ Vt)


class LogEuclidean(Pairs):
    """The exact cost: distances between the logarithms of the mapped matrices."""

    def spectra(self):
        lam, V = np.linalg.eigh(self.S)
        return lam, V, (V * np.log(lam)[:, None, :]) @ V.transpose(0, 2, 1)

    def squares(self):
        L = self.spectra()[2]
        return ((L[self.i] - L[self.j]) ** 2).sum(axis=(1, 2))

    def pair_weights(self, c):
        lam, V, L = self.spectra()
        Vt = V.transpose(0, 2, 1)
        D = 4 * c[:, None, None] * (L[self.i] - L[self.j])
        a, b = lam[:, :, None], lam[:, None, :]
        gap = a - b
        near = np.abs(gap) < 1e-6 * a  # there the quotient is 1/(mean of both) to twelve digits
        F = np.where(near, 2 / (a + b), (np.log(a) - np.log(b)) / np.where(near, 1, gap))
        return V @ (F * (Vt @ self.gather(D, -D) @ V)) @ Vt


METRICS = {"stein": Stein, "airm": Airm, "log-euclidean": LogEuclidean}


def load(args):
    """The problem, and where it starts: the truncated identity, seen from the coordinates."""
    with np.load(args.data) as d, np.load(args.pairs) as g:
        X, pairs = d["X"], (g["i"], g["j"], g["value"])
    start = np.eye(X.shape[1], args.m)
    if args.coordinates:
        with np.load(args.coordinates) as c:
            L = c["coordinates"]
        back = np.linalg.inv(L)
        X = back @ X @ back.T
        start = np.linalg.qr(L.T @ start)[0]
    made = METRICS[args.metric](X, *pairs, not args.plain)
    return made, start


def check_gradient(pairs, m, seed=1):
    """Largest relative error of directional derivatives, by differences of fourth order."""
    rng = np.random.default_rng(seed)
    worst = 0.0
    for _ in range(5):
        W = np.linalg.qr(rng.standard_normal((pairs.n, m)))[0]
        H = rng.standard_normal((pairs.n, m))
        exact = np.sum(pairs.gradient(W) * H)
        h = 1e-5
        near, far = (pairs.cost(W + t * H) - pairs.cost(W - t * H) for t in (h, 2 * h))
        slope = (8 * near - far) / (12 * h)
        worst = max(worst, abs(slope - exact) / abs(exact))
    return worst


def minimise(pairs, start, iterations, seconds):
    """Returns costs and seconds by iteration, 0 is the start."""
    manifold = pymanopt.manifolds.Grassmann(*start.shape)
    problem = pymanopt.Problem(
        manifold,
        pymanopt.function.numpy(manifold)(pairs.cost),
        euclidean_gradient=pymanopt.function.numpy(manifold)(pairs.gradient),
    )
    optimizer = pymanopt.optimizers.ConjugateGradient(
        max_iterations=iterations + 1,  # it counts the start
        max_time=seconds,
        min_gradient_norm=0,
        verbosity=0,
        log_verbosity=1,
    )
    began = time.time()
    result = optimizer.run(problem, initial_point=start)
    log = result.log["iterations"]
    return np.array(log["cost"]), np.array(log["time"]) - began, result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("pairs")
    parser.add_argument("history")
    parser.add_argument("--metric", choices=METRICS, default="stein")
    parser.add_argument("--coordinates", metavar="CHECKPOINT")
    parser.add_argument("--m", type=int, required=True)
    parser.add_argument("--iterations", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--plain", action="store_true", help="share nothing between evaluations")
    parser.add_argument("--check", action="store_true", help="check the gradient, nothing else")
    args = parser.parse_args()
    pairs, start = load(args)
    if args.check:
        error = check_gradient(pairs, args.m)
        print(f"{args.metric}: gradient against differences of the cost, relative {error:.1e}")
        return 0 if error < 1e-6 else 1
    cost, seconds, result = minimise(pairs, start, args.iterations, args.seconds)
    np.savez(args.history, cost=cost, seconds=seconds, W=result.point)
    print(json.dumps({"stop": result.stopping_criterion, "iterations": len(cost) - 1}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
