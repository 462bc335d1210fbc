"""Functions of matrices, distances and means of tensors, with gradients.

Gradients are those of functions of symmetric matrices: symmetric. They are computed once; gradients of
gradients are refused. All is computed in float64, and rounded for tensors of float32."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from ..exceptions import InvalidArgumentError, NotPositiveDefiniteError
from . import _device, _tensors
from ._tensors import square

_PAIRED = ("airm", "stein", "euclidean", "jeffrey")


# ---- functions of matrices --------------------------------------------------------------------------

class _Spectral(Function):
    """f(X), and V (L o V'GV) V' on the way back."""

    @staticmethod
    def forward(ctx: Any, X: Tensor, function: str, power: float) -> Tensor:
        ctx.about = function, power
        if X.is_cuda:
            x, V = _device.eigh(X)
            f = _device.values_of(function, power, x)
            if not bool(torch.isfinite(f).all()):
                raise NotPositiveDefiniteError(f"a matrix of X has no {function}: it is not positive definite, or "
                                               f"the result is too large", None, float(x.min()))
            ctx.save_for_backward(x, V, f)
            return _device.rebuild(V, f).to(X.dtype)
        if not ctx.needs_input_grad[0] and function != "floor":
            return _tensors.apply(X, function, power)
        F, kept = _tensors.spectrum(X, function, power)
        ctx.save_for_backward(kept)
        return F

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, G: Tensor) -> Tuple[Optional[Tensor], None, None]:
        if G.is_cuda:
            x, V, f = ctx.saved_tensors
            return _device.derivative(V, x, f, G, *ctx.about).to(G.dtype), None, None
        return _tensors.derivative(ctx.saved_tensors[0], G, *ctx.about), None, None


def spectral(X: Tensor, function: str, power: float = 0.0) -> Tensor:
    """A function of matrices that were checked, or made here."""
    made: Tensor = _Spectral.apply(X, function, power)
    return made


def logm(X: Tensor) -> Tensor:
    """Logarithms of positive definite matrices.

    Parameters
    ----------
    X : tensor, shape (..., n, n)
        Positive definite, float64 or float32.

    Returns
    -------
    tensor, shape (..., n, n)

    Examples
    --------
    >>> import torch, spdml.torch
    >>> X = torch.tensor([[2.0, 0.0], [0.0, 3.0]], dtype=torch.float64, requires_grad=True)
    >>> spdml.torch.logm(X).trace().backward()
    >>> X.grad
    tensor([[0.5000, 0.0000],
            [0.0000, 0.3333]], dtype=torch.float64)
    """
    return spectral(square(X), "log")


def expm(X: Tensor) -> Tensor:
    """Exponentials of symmetric matrices.

    Parameters
    ----------
    X : tensor, shape (..., n, n)
        Symmetric, float64 or float32.

    Returns
    -------
    tensor, shape (..., n, n)

    Examples
    --------
    >>> import torch, spdml.torch
    >>> spdml.torch.expm(torch.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    return spectral(square(X), "exp")


def sqrtm(X: Tensor) -> Tensor:
    """Square roots of positive definite matrices.

    Parameters
    ----------
    X : tensor, shape (..., n, n)
        Positive definite, float64 or float32.

    Returns
    -------
    tensor, shape (..., n, n)

    Examples
    --------
    >>> import torch, spdml.torch
    >>> spdml.torch.sqrtm(4 * torch.eye(2))
    tensor([[2., 0.],
            [0., 2.]])
    """
    return spectral(square(X), "sqrt")


def invsqrtm(X: Tensor) -> Tensor:
    """Inverses of the square roots of positive definite matrices.

    Parameters
    ----------
    X : tensor, shape (..., n, n)
        Positive definite, float64 or float32.

    Returns
    -------
    tensor, shape (..., n, n)

    Examples
    --------
    >>> import torch, spdml.torch
    >>> spdml.torch.invsqrtm(4 * torch.eye(1))
    tensor([[0.5000]])
    """
    return spectral(square(X), "invsqrt")


def powm(X: Tensor, alpha: float) -> Tensor:
    """Powers of positive definite matrices.

    Parameters
    ----------
    X : tensor, shape (..., n, n)
        Positive definite, float64 or float32.
    alpha : float
        The power, which is no tensor: gradients with respect to it are those of
        ``expm(alpha * logm(X))``.

    Returns
    -------
    tensor, shape (..., n, n)

    Examples
    --------
    >>> import torch, spdml.torch
    >>> spdml.torch.powm(2 * torch.eye(1), 3)
    tensor([[8.]])
    """
    return spectral(square(X), "power", float(alpha))


def floor_eigenvalues(X: Tensor, least: float) -> Tensor:
    """Symmetric matrices with eigenvalues of at least so much: smaller ones become `least`.

    Parameters
    ----------
    X : tensor, shape (..., n, n)
        Symmetric, float64 or float32.
    least : float
        The least eigenvalue.

    Returns
    -------
    tensor, shape (..., n, n)

    Examples
    --------
    >>> import torch, spdml.torch
    >>> spdml.torch.floor_eigenvalues(torch.diag(torch.tensor([1.0, -1.0])), 0.5)
    tensor([[1.0000, 0.0000],
            [0.0000, 0.5000]])
    """
    return spectral(square(X), "floor", float(least))


# ---- congruence -------------------------------------------------------------------------------------

class _BiMap(Function):
    @staticmethod
    def forward(ctx: Any, X: Tensor, W: Tensor) -> Tensor:
        ctx.save_for_backward(X, W)
        return _tensors.congruence(X.detach(), W.detach())

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, G: Tensor) -> Tuple[Optional[Tensor], Optional[Tensor]]:
        X, W = ctx.saved_tensors
        dX, dW = _tensors.congruence_gradient(X, W, G, *ctx.needs_input_grad)
        return dX, None if dW is None else dW.to(W.dtype)


def congruence(X: Tensor, W: Tensor) -> Tensor:
    """W'XW, X symmetric."""
    if X.is_cuda or W.is_cuda or W.shape[1] > W.shape[0]:
        S = W.mT @ X @ W
        return (S + S.mT) / 2
    made: Tensor = _BiMap.apply(X, W)
    return made


def bimap(X: Tensor, W: Tensor) -> Tensor:
    """Smaller matrices W'XW.

    Parameters
    ----------
    X : tensor, shape (..., n, n)
        Symmetric, float64 or float32.
    W : tensor, shape (n, m)
        One for all of them.

    Returns
    -------
    tensor, shape (..., m, m)

    Examples
    --------
    >>> import torch, spdml.torch
    >>> spdml.torch.bimap(torch.eye(3), torch.ones(3, 1))
    tensor([[3.]])
    """
    square(X)
    if not isinstance(W, Tensor) or W.dim() != 2 or W.shape[0] != X.shape[-1] or 0 in W.shape:
        raise InvalidArgumentError(f"W has shape {tuple(getattr(W, 'shape', ()))}; it must be ({X.shape[-1]}, m)")
    return congruence(X, W)


class _TangentVectors(Function):
    @staticmethod
    def forward(ctx: Any, S: Tensor) -> Tensor:
        n = S.shape[-1]
        rows, columns = torch.triu_indices(n, n, device=S.device)
        ctx.place = rows * n + columns
        ctx.share = torch.full_like(ctx.place, 2.0, dtype=S.dtype).sqrt_().masked_fill_(rows == columns, 1.0)
        return S.flatten(-2).index_select(-1, ctx.place) * ctx.share

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: Tensor) -> Tensor:
        n = int((2 * len(ctx.place)) ** 0.5)
        G = g.new_zeros(g.shape[:-1] + (n * n,))
        return G.index_copy_(-1, ctx.place, g * ctx.share).unflatten(-1, (n, n))


def tangent_vectors(S: Tensor) -> Tensor:
    """The upper triangles of symmetric matrices as vectors of the same length: entries off the diagonal
    are multiplied by the root of two.

    Parameters
    ----------
    S : tensor, shape (..., n, n)
        Symmetric.

    Returns
    -------
    tensor, shape (..., n (n + 1)/2)

    Examples
    --------
    >>> import torch, spdml.torch
    >>> spdml.torch.tangent_vectors(torch.eye(2))
    tensor([1., 0., 1.])
    """
    return vectors(square(S, "S"))


def vectors(S: Tensor) -> Tensor:
    """The same of what was made here."""
    made: Tensor = _TangentVectors.apply(S)
    return made


# ---- distances --------------------------------------------------------------------------------------

def _flat_distances(A: Tensor, B: Tensor) -> Tensor:
    return (A - B).square().sum((-1, -2))


def _of_factors(A: Tensor, B: Tensor, metric: str) -> Tensor:
    """Squared distances on a GPU, of matrices that broadcast."""
    if metric == "stein":
        def logdet(X: Tensor) -> Tensor:
            return 2 * torch.linalg.cholesky(X).diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return logdet((A + B) / 2) - (logdet(A) + logdet(B)) / 2
    L = torch.linalg.cholesky(A)
    C = torch.linalg.solve_triangular(L, B, upper=False)
    C = torch.linalg.solve_triangular(L, C.mT, upper=False)
    if metric == "jeffrey":
        identity = torch.eye(C.shape[-1], dtype=C.dtype, device=C.device)
        return (C + torch.linalg.solve(C, identity)).diagonal(dim1=-2, dim2=-1).sum(-1) / 2 - C.shape[-1]
    return spectral((C + C.mT) / 2, "log").square().sum((-1, -2))


class _Pairs(Function):
    """Squared distances of X (p, n, n), one by one to Y, or all to all."""

    @staticmethod
    def forward(ctx: Any, X: Tensor, Y: Tensor, metric: str, each: bool) -> Tensor:
        ctx.save_for_backward(X, Y)
        ctx.about = metric, each
        X, Y = X.detach(), Y.detach()
        if not each:
            return _tensors.pairwise(X, Y, metric)
        return _tensors.pairs(torch.cat([X, Y]), metric, _listed(len(X), len(Y), each), None)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: Tensor) -> Tuple[Optional[Tensor], Optional[Tensor], None, None]:
        X, Y = ctx.saved_tensors
        metric, each = ctx.about
        G = _tensors.pairs(torch.cat([X, Y]), metric, _listed(len(X), len(Y), each), g.reshape(-1))
        return G[:len(X)], G[len(X):], None, None


class _Within(Function):
    """Squared distances within X: half the pairs."""

    @staticmethod
    def forward(ctx: Any, X: Tensor, metric: str) -> Tensor:
        ctx.save_for_backward(X)
        ctx.metric = metric
        return _tensors.pairwise(X.detach(), None, metric)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: Tensor) -> Tuple[Optional[Tensor], None]:
        X, = ctx.saved_tensors
        if len(X) == 1:
            return torch.zeros_like(X), None
        i, j = torch.triu_indices(len(X), len(X), 1)
        return _tensors.pairs(X, ctx.metric, torch.stack([i, j], 1), (g + g.mT)[i, j]), None


def _listed(p: int, q: int, each: bool) -> Tensor:
    """Pairs of p matrices and of q that follow them."""
    i = torch.arange(p)
    if each:
        return torch.stack([i, i + p], 1)
    return torch.stack([i.repeat_interleave(q), p + torch.arange(q).repeat(p)], 1)


_NAMES = {"riemann": "airm", "logeuclid": "log-euclidean", "euclid": "euclidean"}


def _metric(metric: str, known: Tuple[str, ...]) -> str:
    name = _NAMES.get(metric, metric)
    if name not in known:
        raise InvalidArgumentError(f"metric {metric!r} is unknown here; use one of {', '.join(known)}")
    return name


def _distances(D2: Tensor, squared: bool) -> Tensor:
    """Roots, whose derivative at zero is taken as zero."""
    if squared:
        return D2
    zero = D2 <= 0
    return torch.where(zero, 0.0, torch.where(zero, 1.0, D2).sqrt())


_DISTANCES = _PAIRED + ("log-euclidean",)


def distance(A: Tensor, B: Tensor, metric: str = "airm", squared: bool = False) -> Tensor:
    """Distances of matrices to as many others.

    Parameters
    ----------
    A, B : tensor, shape (..., n, n)
        Positive definite; leading dimensions are broadcast.
    metric : {'airm', 'stein', 'log-euclidean', 'jeffrey', 'euclidean'}
        As of `spdml.distance`; pyRiemann's names too.
    squared : bool
        Squared distances, which have a gradient everywhere.

    Returns
    -------
    tensor, shape (...)

    Examples
    --------
    >>> import torch, spdml.torch
    >>> spdml.torch.distance(torch.eye(1), torch.e * torch.eye(1))
    tensor(1.)
    """
    metric = _metric(metric, _DISTANCES)
    A, B = torch.broadcast_tensors(square(A, "A"), square(B, "B"))
    if metric == "log-euclidean":
        return _distances(_flat_distances(spectral(A, "log"), spectral(B, "log")), squared)
    if metric == "euclidean":
        return _distances(_flat_distances(A, B), squared)
    if A.is_cuda:
        return _distances(_of_factors(A, B, metric), squared)
    D2 = _Pairs.apply(A.reshape((-1,) + A.shape[-2:]), B.reshape((-1,) + B.shape[-2:]), metric, True)
    return _distances(D2.reshape(A.shape[:-2]), squared)


def pairwise_distance(X: Tensor, Y: Optional[Tensor] = None, metric: str = "airm",
                       squared: bool = False) -> Tensor:
    """All distances within a set of matrices, or between two.

    Parameters
    ----------
    X : tensor, shape (p, n, n)
        Positive definite.
    Y : tensor, shape (q, n, n), or None
        The other set; None: X.
    metric : {'airm', 'stein', 'log-euclidean', 'jeffrey', 'euclidean'}
        As of `spdml.distance`; pyRiemann's names too.
    squared : bool
        Squared distances, which have a gradient everywhere.

    Returns
    -------
    tensor, shape (p, q)

    Examples
    --------
    >>> import torch, spdml.torch
    >>> X = torch.e ** torch.tensor([0.0, 1.0, 3.0])[:, None, None]
    >>> spdml.torch.pairwise_distance(X).round()
    tensor([[0., 1., 3.],
            [1., 0., 2.],
            [3., 2., 0.]])
    """
    metric = _metric(metric, _DISTANCES)
    for name, Z in (("X", X), ("Y", X if Y is None else Y)):
        if square(Z, name).dim() != 3:
            raise InvalidArgumentError(f"{name} has shape {tuple(Z.shape)}; it must be (samples, n, n)")
    if metric == "log-euclidean":
        X, Y, metric = spectral(X, "log"), None if Y is None else spectral(Y, "log"), "euclidean"
    if X.is_cuda:
        A, B = torch.broadcast_tensors(X[:, None], (X if Y is None else Y)[None])
        D2 = _flat_distances(A, B) if metric == "euclidean" else _of_factors(A, B, metric)
    else:
        D2 = _Within.apply(X, metric) if Y is None else _Pairs.apply(X, Y, metric, False)
    return _distances(D2, squared)


# ---- means ------------------------------------------------------------------------------------------

def _solve(hessian: Any, B: Tensor, tol: float) -> Tensor:
    """hessian(Z) = B for symmetric Z, by conjugate gradients. Eigenvalues lie between one and half the
    largest difference of logarithms, so that few steps are needed."""
    Z = torch.zeros_like(B)
    R = P = B
    rest = first = float((R * R).sum())
    for _ in range(B.shape[-1] ** 2 + 10):
        if rest <= tol * tol * first:
            break
        H = hessian(P)
        step = rest / float((P * H).sum())
        Z, R = Z + step * P, R - step * H
        before, rest = rest, float((R * R).sum())
        P = R + (rest / before) * P
    return Z


class _AirmMean(Function):
    """With A_i = M^-1/2 X_i M^-1/2, the mean is where sum w_i log A_i = 0, and so
    H dP = sum w_i Dlog(A_i)[dA_i] for M = M^1/2 (I + dP) M^1/2, H = sum w_i Dlog(A_i)[(A_i . + . A_i)/2]."""

    @staticmethod
    def forward(ctx: Any, X: Tensor, weight: Tensor, tol: float) -> Tensor:
        M = _mean_of(X.detach(), weight.detach(), tol)
        ctx.save_for_backward(X, weight, M)
        return M

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, G: Tensor) -> Tuple[Tensor, Tensor, None]:
        kind = G.dtype
        X, weight, M, G = (T.detach().to(torch.float64) for T in (*ctx.saved_tensors, G))
        share = (weight / weight.sum())[:, None, None]
        root, inverse = spectral(M, "sqrt"), spectral(M, "invsqrt")
        with torch.enable_grad():
            A = congruence(X, inverse).requires_grad_()
            logs = spectral(A, "log")

        def back(Z: Tensor) -> Tensor:
            """Dlog(A_i)[Z_i]."""
            return torch.autograd.grad(logs, A, Z.contiguous(), retain_graph=True)[0]

        def hessian(Z: Tensor) -> Tensor:
            AZ = A.detach() @ Z
            return (share * back((AZ + AZ.mT) / 2)).sum(0)

        B = root @ ((G + G.mT) / 2) @ root
        Z = _solve(hessian, (B + B.mT) / 2, 1e-13)
        dX = congruence(share * back(Z.expand_as(A)), inverse)
        dw = (logs.detach() * Z).sum((-1, -2)) / weight.sum()
        return dX.to(kind), dw.to(kind), None


def _mean_of(X: Tensor, weight: Tensor, tol: float) -> Tensor:
    if not X.is_cuda:
        return _tensors.mean(X, "airm", weight, tol)
    from ..geometry.mean import mean as mean_of_arrays
    made: Tensor = torch.as_tensor(mean_of_arrays(X.to(torch.float64).contiguous(), "airm",
                                                  sample_weight=weight.cpu().double().numpy(), tol=tol))
    return made.to(X)


def mean(X: Tensor, weight: Optional[Tensor] = None, metric: str = "airm", tol: float = 0.0) -> Tensor:
    """The Frechet mean of a set of matrices. The gradient is that of the mean itself, from the condition
    that it fulfils (implicit differentiation), not that of the steps towards it.

    Parameters
    ----------
    X : tensor, shape (p, n, n)
        Positive definite.
    weight : tensor, shape (p,), or None
        From 0 on; only their ratios matter. None: equal ones.
    metric : {'airm', 'log-euclidean', 'euclidean'}
        pyRiemann's names too.
    tol : float
        Of the iterations of 'airm'; 0 means 1e-12.

    Returns
    -------
    tensor, shape (n, n)

    Examples
    --------
    >>> import torch, spdml.torch
    >>> X = torch.tensor([1.0, 4.0])[:, None, None].requires_grad_()
    >>> M = spdml.torch.mean(X)
    >>> M.backward()
    >>> M.item(), X.grad.ravel()
    (2.0, tensor([1.0000, 0.2500]))
    """
    metric = _metric(metric, ("airm", "log-euclidean", "euclidean"))
    if square(X).dim() != 3:
        raise InvalidArgumentError(f"X has shape {tuple(X.shape)}; it must be (samples, n, n)")
    if weight is None:
        weight = torch.ones(len(X), dtype=X.dtype, device=X.device)
    if weight.shape != X.shape[:1]:
        raise InvalidArgumentError(f"weight has shape {tuple(weight.shape)}; {len(X)} weights are needed")
    if metric == "airm":
        made: Tensor = _AirmMean.apply(X, weight.to(X.dtype), tol)
        return made
    share = (weight / weight.sum()).to(X.dtype)[:, None, None]
    if metric == "euclidean":
        return (share * X).sum(0)
    return spectral((share * spectral(X, "log")).sum(0), "exp")
