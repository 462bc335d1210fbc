"""What estimators on signals share."""

from __future__ import annotations

from typing import Any, Dict

import numpy as np

from ._covariance import Estimator, each_length, estimated, loaded
from ._tags import MatrixTransformer


class OfSignals(MatrixTransformer):
    """Estimators that learn nothing from what they are fitted to."""

    _stateless = True

    def fit(self, X: Any, y: Any = None) -> Any:
        """Checks X, and learns nothing: `transform` may be called without it.

        Parameters
        ----------
        X : array, (samples, channels, times)
        y : ignored
        """
        self.n_features_in_ = each_length(X, lambda part: part[:, :, :1]).shape[1]
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True


def regularised(X: np.ndarray, estimator: Estimator, options: Dict[str, Any]) -> np.ndarray:
    """The covariances, regularised if the options say so."""
    rest = {name: value for name, value in options.items() if name != "regularize"}
    return loaded(estimated(X, estimator, **rest), options.get("regularize", 0.0))
