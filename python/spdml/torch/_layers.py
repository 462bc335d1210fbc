"""Layers of networks of positive definite matrices: SPDNet and its batch normalisation.

References
----------
Huang, Van Gool: A Riemannian network for SPD matrix learning. AAAI 2017.
Brooks, Schwander, Barbaresco, Schneider, Cord: Riemannian batch normalization for SPD neural networks.
NeurIPS 2019."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrizations

from ..exceptions import InvalidArgumentError
from ._tensors import square
from ._functions import congruence, mean, spectral, vectors


def _sized(X: Tensor, n: int) -> Tensor:
    if square(X, symmetric=False).shape[-1] != n:
        raise InvalidArgumentError(f"X holds {X.shape[-1]} x {X.shape[-1]} matrices; the layer is for {n} x {n}")
    return X


class BiMap(nn.Module):
    """W'XW with a learned W of orthonormal columns.

    Parameters
    ----------
    in_features : int
        n, the size of the matrices.
    out_features : int
        m <= n, the size of the results.
    orthogonal_map : {'cayley', 'matrix_exp', 'householder'}
        How PyTorch keeps the columns orthonormal (`torch.nn.utils.parametrizations.orthogonal`).
    dtype : torch.dtype or None
        Of the weight.
    device : torch.device or None
        Of the weight.

    Examples
    --------
    >>> import torch, spdml.torch
    >>> spdml.torch.BiMap(5, 2)(torch.eye(5).expand(3, 5, 5)).shape
    torch.Size([3, 2, 2])
    """

    weight: Tensor

    def __init__(self, in_features: int, out_features: int, orthogonal_map: str = "cayley",
                 dtype: Any = None, device: Any = None) -> None:
        super().__init__()
        if not 1 <= out_features <= in_features:
            raise InvalidArgumentError(f"out_features is {out_features}; it must be between 1 and {in_features}")
        self.in_features, self.out_features = in_features, out_features
        self.weight = nn.Parameter(torch.empty(in_features, out_features, dtype=dtype, device=device))
        nn.init.orthogonal_(self.weight)
        parametrizations.orthogonal(self, "weight", orthogonal_map=orthogonal_map)

    def forward(self, X: Tensor) -> Tensor:
        """Of symmetric matrices (..., n, n)."""
        return congruence(_sized(X, self.in_features), self.weight)

    def extra_repr(self) -> str:
        return f"{self.in_features}, {self.out_features}"


class ReEig(nn.Module):
    """Eigenvalues below a threshold become the threshold.

    Parameters
    ----------
    threshold : float
        The least eigenvalue of results.

    Examples
    --------
    >>> import torch, spdml.torch
    >>> spdml.torch.ReEig(0.5)(torch.diag(torch.tensor([1.0, 0.25])))
    tensor([[1.0000, 0.0000],
            [0.0000, 0.5000]])
    """

    def __init__(self, threshold: float = 1e-4) -> None:
        super().__init__()
        self.threshold = float(threshold)

    def forward(self, X: Tensor) -> Tensor:
        """Of symmetric matrices (..., n, n)."""
        return spectral(square(X, symmetric=False), "floor", self.threshold)

    def extra_repr(self) -> str:
        return f"{self.threshold:g}"


class LogEig(nn.Module):
    """Logarithms, as vectors for what follows.

    Parameters
    ----------
    vectors : bool
        Results are upper triangles (..., n (n + 1)/2), see `tangent_vectors`; else matrices.

    Examples
    --------
    >>> import torch, spdml.torch
    >>> spdml.torch.LogEig()(torch.eye(2).expand(4, 2, 2)).shape
    torch.Size([4, 3])
    """

    def __init__(self, vectors: bool = True) -> None:
        super().__init__()
        self.vectors = vectors

    def forward(self, X: Tensor) -> Tensor:
        """Of positive definite matrices (..., n, n)."""
        logs = spectral(square(X, symmetric=False), "log")
        return vectors(logs) if self.vectors else logs


class BatchNorm(nn.Module):
    """Riemannian batch normalisation: the mean of a batch moves to a learned one, G:
    G^1/2 M^-1/2 X M^-1/2 G^1/2. M is the AIRM mean of the batch while training, and then that of the
    batches seen.

    Parameters
    ----------
    num_features : int
        n, the size of the matrices.
    momentum : float
        How far the mean of all moves towards that of a batch.
    affine : bool
        Learn G, which is the exponential of the parameter `bias`; else it stays the identity.
    differentiate_mean : bool
        Let gradients flow through M too. Networks of this kind usually take it as constant.
    tol : float
        Of the mean of a batch.
    dtype : torch.dtype or None
        Of bias and mean.
    device : torch.device or None
        Of bias and mean.

    Examples
    --------
    >>> import torch, spdml.torch
    >>> X = torch.tensor([1.0, 4.0])[:, None, None]
    >>> spdml.torch.BatchNorm(1)(X).ravel()
    tensor([0.5000, 2.0000], grad_fn=<ViewBackward0>)
    """

    running_mean: Tensor

    def __init__(self, num_features: int, momentum: float = 0.1, affine: bool = True,
                 differentiate_mean: bool = False, tol: float = 1e-6, dtype: Any = None, device: Any = None) -> None:
        super().__init__()
        self.num_features, self.momentum = num_features, momentum
        self.differentiate_mean, self.tol = differentiate_mean, tol
        zero = torch.zeros(num_features, num_features, dtype=dtype, device=device)
        self.bias = nn.Parameter(zero) if affine else None
        self.register_buffer("running_mean", torch.eye(num_features, dtype=dtype, device=device))

    def _of_batch(self, X: Tensor) -> Tensor:
        X = X.reshape((-1,) + X.shape[-2:])
        M = mean(X if self.differentiate_mean else X.detach(), tol=self.tol)
        with torch.no_grad():
            root, inverse = spectral(self.running_mean, "sqrt"), spectral(self.running_mean, "invsqrt")
            step = spectral(congruence(M.detach().to(inverse.dtype), inverse), "power", self.momentum)
            self.running_mean.copy_(congruence(step, root))
        return M

    def forward(self, X: Tensor) -> Tensor:
        """Of positive definite matrices (..., n, n)."""
        _sized(X, self.num_features)
        M = self._of_batch(X) if self.training else self.running_mean
        W = spectral(M.to(X.dtype), "invsqrt")
        if self.bias is not None:
            W = W @ spectral((self.bias + self.bias.mT).to(X.dtype) / 4, "exp")
        return congruence(X, W)

    def extra_repr(self) -> str:
        return f"{self.num_features}, momentum={self.momentum}"
