"""The learned map of complex Hermitian matrices: W'XW with W complex and orthonormal."""

import numpy as np
import pytest
import spdml
from sklearn.pipeline import make_pipeline
from spdml._core.hermitian import embed


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
    cost = spdml.maps.cost(embed(X), y, embed(W), metric=metric, objective=model.objective_)
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
    """A complex map of real matrices that begins near the best real one, where no descent would find
    a complex one, costs no more."""
    X, y = labelled
    real = spdml.SPDML(2).fit(X, y)
    better = spdml.SPDML(2, init=real.components_.T).fit(X.astype(complex), y)
    start = spdml.maps.cost(embed(X.astype(complex)), y, embed(real.components_.T.astype(complex)),
                       objective=real.objective_)
    assert better.cost_history_[0] == pytest.approx(start, rel=0.05)
    assert better.cost_history_[-1] <= start * (1 + 1e-3)


def test_unitary_turns_do_not_matter(rng, phases):
    X, y = phases
    Q = np.linalg.qr(rng.standard_normal((5, 5)) + 1j * rng.standard_normal((5, 5)))[0]
    turned = Q @ X @ Q.conj().T
    turned = (turned + turned.conj().transpose(0, 2, 1)) / 2
    here, there = spdml.SPDML(2).fit(X, y), spdml.SPDML(2).fit(turned, y)
    assert here.cost_history_[-1] == pytest.approx(there.cost_history_[-1], rel=1e-3)


def test_sizes_are_those_of_complex_matrices(phases):
    X, y = phases
    model = spdml.SPDML("auto").fit(X, y)
    assert model.n_components_ in (1, 2, 3, 4) and model.components_.shape[1] == 5
    assert model.cv_accuracy_ > 0.5
    first = spdml.SPDML(2, init="random", random_state=3, max_iter=4).fit(X, y)
    best = spdml.SPDML(2, init="random", random_state=3, max_iter=4, restarts=3).fit(X, y)
    assert best.cost_history_[-1] <= first.cost_history_[-1]


def test_cost(phases, rng):
    X, y = phases
    W = np.linalg.qr(rng.standard_normal((5, 2)) + 1j * rng.standard_normal((5, 2)))[0]
    how = {"objective": "difference", "nu_w": 2, "nu_b": 2}
    value, G = spdml.maps.cost(X, y, W, gradient=True, **how)
    assert value == pytest.approx(spdml.maps.cost(embed(X), y, embed(W), **how) / 2)
    for k, unit in (((0, 1), 1), ((3, 0), 1j)):
        step = np.zeros((5, 2), complex)
        step[k] = 1e-6 * unit
        slope = (spdml.maps.cost(X, y, W + step, **how) - spdml.maps.cost(X, y, W - step, **how)) / 2e-6
        assert slope == pytest.approx((G[k] * np.conj(unit)).real, rel=1e-5)


def test_files_of_complex_matrices(phases, tmp_path):
    X, y = phases
    np.save(tmp_path / "a.npy", X[:20])
    np.save(tmp_path / "b.npy", X[20:])
    files = spdml.MatrixFiles([tmp_path / "a.npy", tmp_path / "b.npy"])
    assert files.shape == (45, 5, 5)
    assert np.array_equal(files.read(), X)
    np.testing.assert_allclose(spdml.mean(files, "stein"), spdml.mean(X, "stein"), rtol=1e-12)
    for Q in (None, X[:7]):
        for here, there in zip(spdml.neighbors(files, Q, n_neighbors=3),
                               spdml.neighbors(X, Q, n_neighbors=3)):
            np.testing.assert_allclose(here, there, rtol=1e-9, atol=1e-12)
    model, same = spdml.SPDML(2).fit(files, y), spdml.SPDML(2).fit(X, y)
    np.testing.assert_allclose(model.components_, same.components_, atol=1e-9)
    np.testing.assert_allclose(model.transform(files), same.transform(X), atol=1e-9)
    with pytest.raises(ValueError, match="both"):
        spdml.SPDML(2).fit(X.real, y).transform(files)


def test_classifiers_keep_their_files(phases, tmp_path):
    X, y = phases
    for made in (spdml.SPDClassifier("nn-stein-ml", m=2), spdml.MDM("stein")):
        made.fit(X[:30], y[:30]).save(tmp_path / "c.spdml")
        back = type(made).load(tmp_path / "c.spdml")
        assert back.n_features_in_ == 5
        assert np.array_equal(back.predict(X[30:]), made.predict(X[30:]))
        assert np.array_equal(back.predict(X.real[30:]).shape, (15,))  # real ones are complex too
    real = spdml.SPDClassifier("nn-stein").fit(X.real, y)
    with pytest.raises(ValueError, match="complex"):
        real.predict(X)


def test_bad_matrices(phases):
    X, y = phases
    model = spdml.SPDML(2).fit(X, y)
    bad = X.copy()
    bad[4] -= 9 * np.eye(5)
    for call in (lambda: spdml.SPDML(2).fit(bad, y), lambda: model.transform(bad)):
        with pytest.raises(spdml.exceptions.NotPositiveDefiniteError, match=r"X\[4\]"):
            call()
    bad[3, 0, 1] += 1
    with pytest.raises(spdml.exceptions.NotSymmetricError, match=r"X\[3\] is not Hermitian"):
        model.transform(bad)
    with pytest.raises(ValueError, match="needs labels"):
        spdml.SPDML(2, init="csp").fit(X)
