"""Geometry of positive definite matrices, in modules named as those of ``pyriemann.geometry``: an import is
changed by its prefix. Functions take (..., n, n), symmetric or Hermitian; `metric` is a name, ours
('airm', 'stein') or pyRiemann's ('riemann', 'logdet'), or a function."""

from . import ajd, base, covariance, distance, geodesic, kernel, mean, median, tangentspace

__all__ = ["ajd", "base", "covariance", "distance", "geodesic", "kernel", "mean", "median", "tangentspace"]
