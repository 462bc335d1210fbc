"""Transfer between domains, the end of a pipeline: splits, and what predicts."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Optional, Tuple

import numpy as np
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.metrics import accuracy_score, r2_score
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ._domains import decode_domains
from ._errors import InvalidArgumentError


class TLSplitter:
    """Splits for cross-validation: all samples of other domains are for training, those of the target
    domain are split by cv.

    Parameters
    ----------
    target_domain : str
    cv : a splitter of scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import KFold
    >>> from spdml import TLSplitter
    >>> y = ["anna/0", "anna/1", "ben/0", "ben/1"]
    >>> [test.tolist() for _, test in TLSplitter("ben", KFold(2)).split(np.zeros((4, 2, 2)), y)]
    [[2], [3]]
    """

    def __init__(self, target_domain: str, cv: Any) -> None:
        self.target_domain = target_domain
        self.cv = cv

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[Tuple[np.ndarray, np.ndarray]]:
        """Indices for training and for testing, of each split."""
        _, labels, domains = decode_domains(X, y)
        source = np.flatnonzero(domains != str(self.target_domain))
        target = np.flatnonzero(domains == str(self.target_domain))
        for train, test in self.cv.split(target, labels[target]):
            yield np.concatenate([source, target[train]]), target[test]

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of splits."""
        return int(self.cv.get_n_splits(X, y, groups))


class TLEstimator(BaseEstimator):  # type: ignore[misc]
    """The last step of a pipeline of transfer: takes the domains off the labels, and weighs them.

    Parameters
    ----------
    target_domain : str
    estimator : classifier or regressor
        It is fitted as it is, as in pyRiemann.
    domain_weight : dict or None
        What samples of each domain count; None: all the same.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from spdml import MDM, TLCenter, TLClassifier, encode_domains
    >>> rng = np.random.default_rng(0)
    >>> y, domain = np.tile(["left", "right"], 20), np.repeat(["anna", "ben"], 20)
    >>> A = rng.standard_normal((40, 3, 50)) * np.where(domain == "anna", 1, 9)[:, None, None]
    >>> A[y == "left", 0] *= 4
    >>> X, y_enc = encode_domains(A @ A.transpose(0, 2, 1), y, domain)
    >>> clf = make_pipeline(TLCenter("ben"), TLClassifier("ben", MDM())).fit(X, y_enc)
    >>> bool(np.mean(clf.predict(X[20:]) == y[20:]) > 0.9)
    True
    """

    def __init__(self, target_domain: str = "", estimator: Any = None,
                 domain_weight: Optional[Dict[str, float]] = None) -> None:
        self.target_domain = target_domain
        self.estimator = estimator
        self.domain_weight = domain_weight

    def _wanted(self) -> bool:
        return bool(is_classifier(self.estimator) or is_regressor(self.estimator))

    def fit(self, X: Any, y_enc: Any) -> Any:
        """Fits the estimator to the labels without their domains.

        Parameters
        ----------
        X : array
        y_enc : labels with domains, of `encode_domains`
        """
        if self.estimator is None or not self._wanted():
            raise TypeError(f"estimator is {self.estimator!r}; it must be one that predicts")
        _, labels, domains = decode_domains(X, y_enc)
        target: Any = labels.astype(float) if is_regressor(self.estimator) else labels
        named: Dict[str, Any] = {}
        if self.domain_weight is not None:
            missing = sorted({str(d) for d in domains} - {str(name) for name in self.domain_weight})
            if missing:
                raise InvalidArgumentError(f"domain_weight has no {missing[0]!r}")
            by_name = {str(name): value for name, value in self.domain_weight.items()}
            named = self._weights(np.array([float(by_name[d]) for d in domains]))
        self.estimator.fit(X, target, **named)
        if hasattr(self.estimator, "classes_"):
            self.classes_ = self.estimator.classes_
        self._is_fitted = True
        return self

    def _weights(self, weight: np.ndarray) -> Dict[str, Any]:
        """As the estimator, or the steps of a pipeline, take them."""
        if isinstance(self.estimator, Pipeline):
            return {f"{name}__sample_weight": weight for name, step in self.estimator.steps
                    if has_fit_parameter(step, "sample_weight")}
        return {"sample_weight": weight} if has_fit_parameter(self.estimator, "sample_weight") \
            else {}

    def __sklearn_is_fitted__(self) -> bool:
        return bool(getattr(self, "_is_fitted", False))

    def predict(self, X: Any) -> np.ndarray:
        """What the estimator predicts."""
        check_is_fitted(self)
        return np.asarray(self.estimator.predict(X))


class TLClassifier(TLEstimator):
    """`TLEstimator` of a classifier.

    Parameters
    ----------
    target_domain, estimator, domain_weight : as of `TLEstimator`

    Examples
    --------
    >>> import numpy as np
    >>> from spdml import MDM, TLClassifier
    >>> X = np.array([np.eye(2), 2 * np.eye(2)])
    >>> TLClassifier("b", MDM(), {"a": 1, "b": 2}).fit(X, ["a/0", "b/1"]).predict(X)
    array(['0', '1'], dtype='<U1')
    """

    def _wanted(self) -> bool:
        return bool(is_classifier(self.estimator))

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities that the estimator predicts."""
        check_is_fitted(self)
        return np.asarray(self.estimator.predict_proba(X))

    def score(self, X: Any, y_enc: Any) -> float:
        """The accuracy, of labels with domains."""
        return float(accuracy_score(decode_domains(X, y_enc)[1], self.predict(X)))


class TLRegressor(TLEstimator):
    """`TLEstimator` of a regressor.

    Parameters
    ----------
    target_domain, estimator, domain_weight : as of `TLEstimator`

    Examples
    --------
    >>> import numpy as np
    >>> from spdml import KNearestNeighborRegressor, TLRegressor
    >>> X = np.array([np.eye(2), 2 * np.eye(2)])
    >>> TLRegressor("b", KNearestNeighborRegressor(1)).fit(X, ["a/0.5", "b/1.5"]).predict(X)
    array([0.5, 1.5])
    """

    def _wanted(self) -> bool:
        return bool(is_regressor(self.estimator))

    def score(self, X: Any, y_enc: Any) -> float:
        """The coefficient of determination, of targets with domains."""
        return float(r2_score(decode_domains(X, y_enc)[1].astype(float), self.predict(X)))
