"""Calls of the library on tensors of the CPU: what they point to, and results beside them.

Tensors of float32 are widened by the library, which computes in float64; results are rounded back."""

from __future__ import annotations

import ctypes
from typing import Any, Optional, Tuple

import torch
from torch import Tensor

from .._core.calls import call, context
from ..exceptions import InvalidArgumentError
from .._core.library import lib, Set, structs, value
from .._core.metrics import NUMBERS
from .._core.sets import called

TYPES = {torch.float64: value("type", "float64"), torch.float32: value("type", "float32")}
FUNCTIONS = {name: value("function", name) for name in ("log", "exp", "sqrt", "invsqrt", "power", "floor")}
_SYMMETRY = {torch.float64: 1e-10, torch.float32: 1e-5}


def square(X: Any, name: str = "X", symmetric: bool = True) -> Tensor:
    """X, which must hold square matrices of real floats; symmetric ones, as far as rounding goes."""
    if not isinstance(X, Tensor):
        raise InvalidArgumentError(f"{name} is {type(X).__name__}; it must be a tensor. Functions of numpy "
                                   f"arrays are in spdml itself")
    if X.dtype not in TYPES:
        raise InvalidArgumentError(f"{name} holds {X.dtype}; it must be float64 or float32")
    if X.dim() < 2 or X.shape[-1] != X.shape[-2] or X.numel() == 0:
        raise InvalidArgumentError(f"{name} has shape {tuple(X.shape)}; it must be (..., n, n): square matrices")
    if symmetric:
        with torch.no_grad():
            gap, most = (X - X.mT).abs().amax(), X.abs().amax()
            if bool(gap > _SYMMETRY[X.dtype] * most):
                raise InvalidArgumentError(f"{name} is not symmetric: entries differ by {float(gap):.2g}; use "
                                           f"(X + X.mT)/2")
    return X


def set_of(X: Tensor) -> Set:
    """The set of a contiguous tensor (..., n, n), which it does not keep alive."""
    n = X.shape[-1]
    return Set(n, X.numel() // (n * n), X.data_ptr(), TYPES[X.dtype], 0)


def run(name: str, X: Tensor, *arguments: Any) -> None:
    """A function of the library whose first arguments are a context and what `arguments` begins with."""
    with called(("X", "X", tuple(X.shape[:-2]))):
        call(context(torch.get_num_threads()), name, *arguments)


def like(X: Tensor, shape: Optional[Tuple[int, ...]] = None) -> Tensor:
    """A tensor of float64 for results."""
    return torch.empty(X.shape if shape is None else shape, dtype=torch.float64)


def apply(X: Tensor, function: str, power: float) -> Tensor:
    """f(X) alone."""
    X = X.detach().contiguous()
    F = like(X)
    run("spd_apply", X, FUNCTIONS[function], power, set_of(X), doubles(F))
    return F.to(X.dtype)


def spectrum(X: Tensor, function: str, power: float) -> Tuple[Tensor, Tensor]:
    """f(X), and what its derivative needs."""
    X = X.detach().contiguous()
    S = set_of(X)
    F = like(X)
    kept = like(X, (int(lib.spd_spectrum_size(S.n, S.p)),))
    run("spd_apply_spectrum", X, FUNCTIONS[function], power, S, doubles(F), doubles(kept))
    return F.to(X.dtype), kept


def derivative(kept: Tensor, G: Tensor, function: str, power: float) -> Tensor:
    """Df(X)[G] of the matrices that `kept` was made of."""
    G = G.contiguous()
    D = like(G)
    run("spd_apply_derivative", G, FUNCTIONS[function], power, doubles(kept), set_of(G), doubles(D))
    return D.to(G.dtype)


def congruence(X: Tensor, W: Tensor) -> Tensor:
    """W'XW."""
    X, W = X.contiguous(), W.to(torch.float64).contiguous()
    m = W.shape[1]
    S = like(X, tuple(X.shape[:-2]) + (m, m))
    run("spd_congruence", X, set_of(X), m, doubles(W), doubles(S))
    return S.to(X.dtype)


def congruence_gradient(X: Tensor, W: Tensor, G: Tensor, of_x: bool, of_w: bool
                        ) -> Tuple[Optional[Tensor], Optional[Tensor]]:
    """With respect to X and to W."""
    X, W, G = X.contiguous(), W.to(torch.float64).contiguous(), G.to(torch.float64).contiguous()
    dX = like(X) if of_x else None
    dW = like(W) if of_w else None
    run("spd_congruence_gradient", X, set_of(X), W.shape[1], doubles(W), doubles(G), doubles(dX), doubles(dW))
    return None if dX is None else dX.to(X.dtype), dW


def pairs(X: Tensor, metric: str, which: Tensor, weight: Optional[Tensor]) -> Tensor:
    """Squared distances (count) of pairs (count, 2) of matrices of X (p, n, n); with weights the gradient
    of their sum (p, n, n) instead."""
    X, which = X.contiguous(), which.to(torch.int32).contiguous()
    made = like(X, (len(which),) if weight is None else None)
    if weight is not None:
        weight = weight.to(torch.float64).contiguous()
    listed = ctypes.cast(which.data_ptr(), ctypes.POINTER(ctypes.c_uint32))
    run("spd_pairs_gradient", X, NUMBERS[metric], set_of(X), len(which), listed,
        doubles(weight), doubles(made) if weight is None else None, None if weight is None else doubles(made))
    return made.to(X.dtype)


def pairwise(X: Tensor, Y: Optional[Tensor], metric: str) -> Tensor:
    """All squared distances."""
    X = X.contiguous()
    Y = None if Y is None else Y.contiguous()
    D2 = like(X, (len(X), len(X) if Y is None else len(Y)))
    run("spd_pairwise2", X, NUMBERS[metric], set_of(X), None if Y is None else set_of(Y), doubles(D2))
    return D2.to(X.dtype)


def mean(X: Tensor, metric: str, weight: Optional[Tensor], tol: float) -> Tensor:
    """The mean of X (p, n, n)."""
    X = X.contiguous()
    M = like(X, tuple(X.shape[1:]))
    weight = None if weight is None else weight.to(torch.float64).contiguous()
    options = structs.mean_options(weights=doubles(weight), tol=tol)
    run("spd_mean", X, NUMBERS[metric], set_of(X), ctypes.byref(options), doubles(M), None)
    return M.to(X.dtype)


def doubles(X: Optional[Tensor]) -> Any:
    """Where a tensor of float64 lies."""
    return None if X is None else ctypes.cast(X.data_ptr(), ctypes.POINTER(ctypes.c_double))
