"""The same on a GPU: eigenvalues by the library where the tensors lie, products by PyTorch."""

from __future__ import annotations

from typing import Tuple

import torch
from torch import Tensor

from .._core.calls import call, context
from .._core.sets import called, device, new

_CLOSE, _SMALL = 2.0**-10, 2.0**-4  # as in src/linalg/kernels_divided.c


def eigh(X: Tensor) -> Tuple[Tensor, Tensor]:
    """Eigenvalues (..., n) and eigenvectors (..., n, n) of float64."""
    X = X.detach().to(torch.float64)
    X = ((X + X.mT) / 2).contiguous()
    S = device(X, "X", ndim=None)
    values, values_at = new(S, S.leading + (S.n,))
    V, vectors_at = new(S, S.leading + (S.n, S.n))
    with called(("X", "X", S.leading)):
        call(context(), "spd_eigh", S, values_at, vectors_at)
    return values, V


def values_of(function: str, power: float, x: Tensor) -> Tensor:
    """f of eigenvalues, NaN where it has none."""
    if function == "exp":
        return x.exp()
    if function == "floor":
        return x.clamp(min=power)
    x = torch.where(x > 0, x, torch.nan)
    return x.log() if function == "log" else x ** {"sqrt": 0.5, "invsqrt": -0.5}.get(function, power)


def _series(z: Tensor, *coefficients: float) -> Tensor:
    total = torch.full_like(z, coefficients[-1])
    for c in reversed(coefficients[:-1]):
        total = total * z + c
    return total


def _tanh_series(q: Tensor) -> Tensor:
    """tanh(w)/w of small q = w^2."""
    root = q.clamp(min=0.0).sqrt()
    return torch.where(root > 0, torch.tanh(root) / root, torch.ones_like(q))


def divided(function: str, power: float, x: Tensor, f: Tensor) -> Tensor:
    """The divided differences (..., n, n) of f at eigenvalues x: src/linalg/kernels_divided.c."""
    a, b, fa, fb = x[..., :, None], x[..., None, :], f[..., :, None], f[..., None, :]
    gap, total = a - b, a + b
    far = (fa - fb) / gap
    if function == "floor":
        return torch.where(gap == 0, (a > power).to(x.dtype).expand_as(far), far)
    if function == "exp":
        q = gap * gap / 4
        return torch.where(q < _SMALL, (fa + fb) / 2 * _tanh_series(q), far)
    u = gap / total
    z = u * u
    s = _series(z, 1.0, 1 / 3, 1 / 5, 1 / 7, 1 / 9, 1 / 11)
    if function == "log":
        return torch.where(z < _CLOSE, 2 * s / total, far)
    power = {"sqrt": 0.5, "invsqrt": -0.5}.get(function, power)
    q = (power * u * s) ** 2
    near = (fa + fb) / total * power * s * _tanh_series(q)
    return torch.where((z < _CLOSE) & (q < _SMALL), near, far)


def rebuild(V: Tensor, f: Tensor) -> Tensor:
    """V diag(f) V'."""
    return (V * f[..., None, :]) @ V.mT


def derivative(V: Tensor, x: Tensor, f: Tensor, G: Tensor, function: str, power: float) -> Tensor:
    """Df(X)[G] in float64."""
    G = G.to(torch.float64)
    G = (G + G.mT) / 2
    return V @ (divided(function, power, x, f) * (V.mT @ G @ V)) @ V.mT
