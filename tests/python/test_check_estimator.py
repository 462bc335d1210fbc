"""scikit-learn's own suite of checks, on rows that stand for matrices: x for diag(exp(x)).

The classes made here take tables as scikit-learn's checks feed them, look at them as its estimators do,
and hand matrices to the estimator under test."""

import inspect
import sys
import warnings

import numpy as np
import pytest
import spdml
from conftest import public
from sklearn.linear_model import RidgeClassifier
from sklearn.utils import estimator_checks
from sklearn.utils.metaestimators import available_if

validation = pytest.importorskip("sklearn.utils.validation")
if not hasattr(validation, "validate_data"):
    pytest.skip("scikit-learn before 1.6 has no validate_data", allow_module_level=True)

METHODS = ("predict", "transform", "predict_proba", "decision_function")


def as_matrices(X):
    return np.exp(5 * np.tanh(X / 5))[:, :, None] * np.eye(X.shape[1])


def as_signals(X):
    """Signals whose covariance is diagonal."""
    D = as_matrices(X)
    return np.concatenate((D, -D), axis=2)


class Rows:
    """Takes (samples, features) in place of (samples, n, n)."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.three_d_array = True, False
        return tags

    def _rows(self, X, reset):
        if isinstance(X, np.ndarray) and X.ndim == 3:  # one of its methods calls another
            return X
        return self._embed(validation.validate_data(self, X, reset=reset, dtype=float))


def on_rows(estimator):
    """The estimator, of a class that takes rows."""
    kind = type(estimator)

    def fit(self, X, y=None):
        return kind.fit(self, self._rows(X, True), y)

    def fit_weighted(self, X, y=None, sample_weight=None):
        return kind.fit(self, self._rows(X, True), y, sample_weight=sample_weight)

    def fit_alone(self, X, y=None, sample_weight=None):
        return kind.fit(self, self._rows(X, True), sample_weight=sample_weight)

    def partial_fit(self, X, y=None, classes=None):
        more = {} if classes is None or kind is not spdml.MDM else {"classes": classes}
        return kind.partial_fit(self, self._rows(X, not hasattr(self, "n_features_in_")), y, **more)

    def use(name):
        def call(self, X, *rest):
            if kind is not spdml.TangentSpace:
                validation.check_is_fitted(self)
            return getattr(super(made, self), name)(self._rows(X, False), *rest)
        return available_if(lambda self: hasattr(super(made, self), name))(call)

    own = {name: use(name) for name in METHODS if hasattr(kind, name)}
    weighted = "sample_weight" in inspect.signature(kind.fit).parameters
    own["fit"] = fit_alone if kind is spdml.artifact_detection.Potato else fit_weighted if weighted else fit
    if hasattr(kind, "partial_fit"):
        own["partial_fit"] = partial_fit
    signals = kind.__module__.endswith("estimation") and kind is not spdml.estimation.Shrinkage
    embed = as_signals if signals else as_matrices
    made = type(f"{kind.__name__}OnRows", (Rows, kind),
                {**own, "_embed": staticmethod(embed), "__module__": __name__})
    setattr(sys.modules[__name__], made.__name__, made)  # for pickle
    named = estimator.get_params(deep=False)
    return made(**{**named, "n_jobs": 1} if "n_jobs" in named else named)


@pytest.mark.parametrize("kind", [thing for thing in public().values() if hasattr(thing, "get_params")
                                  and hasattr(thing, "fit")], ids=lambda kind: kind.__name__)
def test_suite_as_they_are(kind):
    """What scikit-learn asks of estimators that take no tables, which is little."""
    results = estimator_checks.check_estimator(kind(), on_fail=None, on_skip=None)
    assert results and not [r for r in results if r["status"] == "failed"]


# FGDA, which takes as long again, is inside FgMDM.
ESTIMATORS = [spdml.MDM(), spdml.classification.FgMDM(), spdml.KNearestNeighbor(3), spdml.RSRClassifier(),
              spdml.CDLClassifier(), spdml.AutoClassifier(cv=2), spdml.SPDClassifier("ts-lda"), spdml.SPDClassifier("krr-both"),
              spdml.SPDClassifier("ts-lr"),
              spdml.classification.TSClassifier(clf=RidgeClassifier()), spdml.classification.SVC(),
              spdml.regression.SVR(tol=1e-8), spdml.regression.KernelRidge(),
              spdml.regression.KNearestNeighborRegressor(), spdml.clustering.Kmeans(n_init=1), spdml.artifact_detection.Potato(),
              spdml.TangentSpace(), spdml.PGA(1), spdml.SPDML(1), spdml.preprocessing.Whitening(),
              spdml.estimation.Shrinkage(), spdml.Covariances("oas"),
              spdml.estimation.TimeDelayCovariances(2), spdml.estimation.ERPCovariances()]

WEIGHTS = "check_sample_weight_equivalence_on_dense_data"
REFUSED = dict.fromkeys([WEIGHTS, "check_sample_weights_not_overwritten",
                         "check_classifiers_one_label_sample_weights"],
                        "weights that differ are refused")
OPEN = {"check_no_attributes_set_in_init": "options of the estimator are open, as in pyRiemann"}
EXPECTED = {
    "SPDML": {"check_transformer_n_iter": "a map may be best where it begins, after no iteration"},
    "FgMDM": {WEIGHTS: "weights are for the means; scikit-learn's discriminant takes none"},
    "SVC": {WEIGHTS: "only to the tolerance of libsvm; test_tangentspace.py looks at it"},
    "KNearestNeighbor": REFUSED,
    "KNearestNeighborRegressor": REFUSED,
    "Potato": {WEIGHTS: "weights are for the mean, as in pyRiemann",
               "check_n_features_in_after_fitting": "partial_fit goes on from a fit",
               "check_fit_score_takes_y": "partial_fit goes on from a fit"},
    "Covariances": OPEN, "TimeDelayCovariances": OPEN,
    "ERPCovariances": OPEN}


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_suite(estimator):
    expected = EXPECTED.get(type(estimator).__name__, {})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = estimator_checks.check_estimator(on_rows(estimator), on_fail=None, on_skip=None,
                                                   expected_failed_checks=expected)
    failed = [f"{r['check_name']}: {r['exception']!r}" for r in results if r["status"] == "failed"]
    assert len(results) > 30 and not failed, "\n".join(failed)
