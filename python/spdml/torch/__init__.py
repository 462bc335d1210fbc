"""Positive definite matrices in PyTorch: tensors in, tensors out, with gradients.

``import spdml.torch`` needs PyTorch; nothing else in the package imports it. Tensors of the CPU go to the
kernels of the library without a copy, forward and backward; those of a GPU stay there."""

from ._functions import (bimap, distance, expm, floor_eigenvalues, invsqrtm, logm, mean, pairwise_distance,
                         powm, sqrtm, tangent_vectors)
from ._layers import BatchNorm, BiMap, LogEig, ReEig

__all__ = ["BatchNorm", "BiMap", "LogEig", "ReEig", "bimap", "distance", "expm", "floor_eigenvalues",
           "invsqrtm", "logm", "mean", "pairwise_distance", "powm", "sqrtm", "tangent_vectors"]
