"""The learned map of complex Hermitian matrices: W'XW with W complex and orthonormal."""

import pickle

import numpy as np
import pytest
import spdml
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from spdml._hermitian import embed


@pytest.fixture
def phases(rng):
    """Three classes that differ in the phase between two of five channels, after a mixing."""
    y = np.arange(45) % 3
    A = rng.standard_normal((45, 5, 40)) + 1j * rng.standard_normal((45, 5, 40))
    A[:, 0] += 1.5 * np.exp(2j * np.pi / 3 * y)[:, None] * A[:, 1]
    Q = np.linalg.qr(rng.standard_normal((5, 5)) + 1j * rng.standard_normal((5, 5)))[0]
    A = Q @ A
    return A @ A.conj().transpose(0, 2, 1) / 40, y


@pytest.mark.parametrize("metric", ["stein", "airm", "jeffrey"])
@pytest.mark.parametrize("init", ["auto", "mean", "random", "identity", "csp"])
def test_it_stays_complex(phases, metric, init):
    """Descent in the real form does not leave the real forms of complex maps."""
    X, y = phases
    model = spdml.SPDML(2, metric, init=init, random_state=0).fit(X, y)
    W = model.components_.conj().T
    assert W.shape == (5, 2) and model.n_features_in_ == 5 and model.n_components_ == 2
    np.testing.assert_allclose(W.conj().T @ W, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(model.transform(X), W.conj().T @ X @ W, rtol=1e-12, atol=1e-14)
    cost = spdml.cost(embed(X), y, embed(W), metric=metric, objective=model.objective_)
    assert cost == pytest.approx(model.cost_history_[-1], rel=1e-8)
    share = 1 if init in ("auto", "csp") else 0.9  # which begin near the end
    assert model.cost_history_[-1] < share * model.cost_history_[0]


def test_what_tells_classes_apart_is_in_the_phases(rng):
    """A quarter of a turn forwards or back, which real parts do not show."""
    y = np.arange(60) % 2
    A = rng.standard_normal((60, 5, 40)) + 1j * rng.standard_normal((60, 5, 40))
    A[:, 0] += (1j * (2 * y - 1))[:, None] * A[:, 1]
    X = A @ A.conj().transpose(0, 2, 1) / 40
    pipeline = make_pipeline(spdml.SPDML(2), spdml.MDM()).fit(X[:30], y[:30])
    assert pipeline.score(X[30:], y[30:]) == 1
    parts = make_pipeline(spdml.SPDML(2), spdml.MDM()).fit(X[:30].real, y[:30])
    assert parts.score(X[30:].real, y[30:]) < 0.8


def test_real_maps_are_complex_ones(labelled):
    """A complex map of real matrices that begins at the best real one costs no more."""
    X, y = labelled
    real = spdml.SPDML(2).fit(X, y)
    better = spdml.SPDML(2, init=real.components_.T).fit(X.astype(complex), y)
    start = spdml.cost(embed(X.astype(complex)), y, embed(real.components_.T.astype(complex)),
                       objective=real.objective_)
    assert better.cost_history_[0] == pytest.approx(start)
    assert better.cost_history_[-1] <= start * (1 + 1e-9)


def test_unitary_turns_do_not_matter(rng, phases):
    X, y = phases
    Q = np.linalg.qr(rng.standard_normal((5, 5)) + 1j * rng.standard_normal((5, 5)))[0]
    turned = Q @ X @ Q.conj().T
    turned = (turned + turned.conj().transpose(0, 2, 1)) / 2
    here, there = spdml.SPDML(2).fit(X, y), spdml.SPDML(2).fit(turned, y)
    assert here.cost_history_[-1] == pytest.approx(there.cost_history_[-1], rel=1e-3)


def test_copies_and_files(phases, tmp_path):
    X, y = phases
    model = spdml.SPDML(2).fit(X, y)
    for other in (pickle.loads(pickle.dumps(model)), clone(model).fit(X, y)):
        np.testing.assert_allclose(other.transform(X), model.transform(X), atol=1e-12)
    with pytest.raises(ValueError, match="use pickle"):
        model.save(tmp_path / "m.spdml")
    assert spdml.SPDML(2).fit(X).transform(X).shape == (45, 2, 2)  # without labels
    assert spdml.SPDML(2, "log-euclidean").fit(X, y).components_.shape == (2, 5)


@pytest.mark.parametrize("estimator,words", [
    (spdml.SPDML("auto"), "for real matrices"), (spdml.SPDML(2, restarts=2), "for real matrices"),
    (spdml.SPDML(5), "smaller than"), (spdml.SPDML(2, init=np.eye(3)), "init has shape"),
    (spdml.SPDML(2, init="best"), "use one of")])
def test_bad_parameters(phases, estimator, words):
    with pytest.raises(ValueError, match=words):
        estimator.fit(*phases)


def test_bad_matrices(phases):
    X, y = phases
    model = spdml.SPDML(2).fit(X, y)
    bad = X.copy()
    bad[4] -= 9 * np.eye(5)
    for call in (lambda: spdml.SPDML(2).fit(bad, y), lambda: model.transform(bad)):
        with pytest.raises(spdml.NotPositiveDefiniteError, match=r"X\[4\]"):
            call()
    bad[3, 0, 1] += 1
    with pytest.raises(spdml.NotSymmetricError, match=r"X\[3\] is not Hermitian"):
        model.transform(bad)
    with pytest.raises(ValueError, match="needs y"):
        spdml.SPDML(2, init="csp").fit(X)
