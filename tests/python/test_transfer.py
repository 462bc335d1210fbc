"""Transfer between domains: as pyRiemann's where that is right, and what it is for."""

import numpy as np
import pytest
import spdml
from conftest import random_spd
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def peer():
    return pytest.importorskip("pyriemann.transfer", reason="pyRiemann is not installed")


@pytest.mark.parametrize("n", [2, 3, 4, 6])
@pytest.mark.parametrize("metric", ["euclid", "riemann"])
def test_an_exact_rotation_is_found(metric, n):
    """Of either determinant, from class means whose eigenvectors have any signs."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        Q = np.linalg.qr(rng.standard_normal((n, n)))[0]
        X = random_spd(rng, 2, n)
        T = Q @ X @ Q.T
        both = np.concatenate([X, (T + T.transpose(0, 2, 1)) / 2])
        both, y = spdml.transfer.encode_domains(both, [0, 1, 0, 1], ["s", "s", "t", "t"])
        turned = spdml.transfer.TLRotate("t", metric=metric).fit_transform(both, y)
        np.testing.assert_allclose(turned[:2], both[2:], atol=1e-7, err_msg=f"seed {seed}")


@pytest.fixture
def two(rng):
    """Two domains of two classes; the second is the first, moved."""
    y = np.arange(24) % 2
    X = random_spd(rng, 24, 3, 0.3)
    X[y == 1] *= np.array([4.0, 1, 1])[:, None] * np.array([4.0, 1, 1])
    A = rng.standard_normal((3, 3)) + 3 * np.eye(3)
    both = np.concatenate([X, A @ X @ A.T])
    both = (both + both.transpose(0, 2, 1)) / 2
    return (*spdml.transfer.encode_domains(both, np.tile(y, 2), np.repeat(["anna", "ben"], 24)),
            np.tile(y, 2))


def test_domains_come_back():
    X, y = spdml.transfer.encode_domains([1, 2], ["a/b", 3], ["x/y", 4])
    assert list(y) == ["x/y/a/b", "4/3"]
    assert [list(part) for part in spdml.transfer.decode_domains(X, ["p/1", "q/2"])[1:]] == [["1", "2"],
                                                                                   ["p", "q"]]
    with pytest.raises(ValueError, match="has no domain"):
        spdml.transfer.decode_domains(X, ["left", "right"])
    with pytest.raises(ValueError, match="2 labels and 1 domains"):
        spdml.transfer.encode_domains(X, [1, 2], ["a"])


@pytest.mark.parametrize("metric", ["riemann", "euclid"])
@pytest.mark.parametrize("weighted", [False, True])
def test_centres_and_scales_are_pyriemanns(two, peer, metric, weighted):
    X, y, _ = two
    weight = np.linspace(1, 2, len(X)) if weighted else None
    for name, named in (("TLCenter", {}), ("TLScale", {"final_dispersion": 2.0})):
        ours = getattr(spdml.transfer, name)("ben", metric=metric, **named)
        theirs = getattr(peer, name)("ben", metric=metric, **named)
        np.testing.assert_allclose(ours.fit_transform(X, y, weight),
                                   theirs.fit_transform(X.copy(), y, weight), rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(ours.fit(X, y, weight).transform(X),
                                   theirs.fit(X, y, weight).transform(X), rtol=1e-5, atol=1e-5)


def test_vectors_are_pyriemanns(two, rng, peer):
    X, y, _ = two
    V = rng.standard_normal((len(X), 5)) + 2
    for name in ("TLCenter", "TLScale"):
        np.testing.assert_allclose(getattr(spdml.transfer, name)("ben").fit_transform(V, y),
                                   getattr(peer, name)("ben").fit_transform(V.copy(), y), rtol=1e-12)


def test_recentred_domains_are_one(two):
    """Affine-invariant distances do not see what was moved: one domain's classes fit the other's."""
    X, y, labels = two
    anna = np.arange(len(X)) < 24
    moved = spdml.transfer.TLCenter("ben").fit_transform(X, y)
    for domain in (anna, ~anna):
        np.testing.assert_allclose(spdml.mean(moved[domain]), np.eye(3), atol=1e-9)
    plain = spdml.MDM().fit(X[anna], labels[anna]).score(X[~anna], labels[~anna])
    turned = spdml.transfer.TLRotate("ben").fit_transform(moved, y)
    after = spdml.MDM().fit(turned[anna], labels[anna]).score(turned[~anna], labels[~anna])
    assert after == 1 and plain < 0.8
    np.testing.assert_array_equal(turned[~anna], moved[~anna])


def test_rotations_of_vectors_are_found(rng):
    """pyRiemann (0.12) turns them the wrong way round."""
    y = np.arange(30) % 3
    V = rng.standard_normal((3, 4))[y] * 3 + 0.1 * rng.standard_normal((30, 4))
    Q = np.linalg.qr(rng.standard_normal((4, 4)))[0]
    both = np.concatenate([V, V @ Q])
    _, y_enc = spdml.transfer.encode_domains(both, np.tile(y, 2), np.repeat(["s", "t"], 30))
    turned = spdml.transfer.TLRotate("t", expl_var=1.0, n_components=2).fit_transform(both, y_enc)
    assert np.abs(turned[:30] - both[30:]).mean() < 0.1 * np.abs(V - both[30:]).mean()
    with pytest.warns(UserWarning, match="n_clusters"):
        spdml.transfer.TLRotate("t", n_clusters=11).fit(both, y_enc)


def test_a_pipeline_of_transfer(two, peer):
    """Its last step is pyRiemann's."""
    X, y, labels = two
    pipeline = make_pipeline(spdml.transfer.TLCenter("ben"), spdml.transfer.TLRotate("ben"),
                             peer.TLClassifier("ben", spdml.MDM(), domain_weight={"anna": 1, "ben": 2}))
    score = cross_val_score(pipeline, X, y, cv=spdml.transfer.TLSplitter("ben", KFold(3)))
    assert score.mean() > 0.9
    assert spdml.transfer.TLSplitter("ben", KFold(3)).get_n_splits() == 3
    assert pipeline.fit(X, y).predict_proba(X[:2]).shape == (2, 2)
    inner = make_pipeline(spdml.TangentSpace(), SVC())
    last = peer.TLClassifier("ben", inner, domain_weight={"anna": 1, "ben": 2}).fit(X, y)
    assert last.score(X, y) > 0.9
    target = np.char.add(np.char.partition(y, "/")[:, 0], np.char.add("/", labels.astype(str)))
    regressor = peer.TLRegressor("ben", spdml.regression.KNearestNeighborRegressor(3)).fit(X, target)
    assert regressor.score(X, target) > 0.5


@pytest.mark.parametrize("estimator,words", [
    (spdml.transfer.TLCenter("carl"), "domains are anna, ben"), (spdml.transfer.TLScale("carl"), "carl"),
    (spdml.transfer.TLRotate("carl"), "carl"), (spdml.transfer.TLRotate("ben", weights=[1.0]), "2 are needed"),
    (spdml.transfer.TLRotate("ben", metric="stein"), "euclid or riemann")])
def test_bad_parameters(two, estimator, words):
    X, y, _ = two
    with pytest.raises((ValueError, TypeError), match=words):
        estimator.fit(X, y).transform(X)


def test_bad_input(two):
    X, y, _ = two
    with pytest.raises(ValueError, match="finite vectors"):
        spdml.transfer.TLCenter("ben").fit(X[0, 0], y)
    with pytest.raises(ValueError, match="has no domain"):
        spdml.transfer.TLCenter("ben").fit(X, np.arange(len(X)))
    with pytest.raises(ValueError, match="other classes"):
        spdml.transfer.TLRotate("ben").fit(X, np.where(np.arange(len(X)) == 0, "anna/7", y))
    same = np.repeat(X[:1], 4, axis=0)
    with pytest.raises(ValueError, match="are the same"):
        spdml.transfer.TLScale("a").fit(same, ["a/0"] * 4)


def test_centres_of_a_domain_that_is_new(two):
    """'last' is the last domain of fit; 'transductive' takes the mean of what comes, as new domains need."""
    X, y, _ = two
    ben = spdml.transfer.TLCenter("ben").fit(X, y).transform(X[:9])
    for name in ("last", ""):
        np.testing.assert_array_equal(spdml.transfer.TLCenter(name).fit(X, y).transform(X[:9]), ben)
    own = spdml.transfer.TLCenter("transductive").fit(X, y)
    np.testing.assert_allclose(spdml.mean(own.transform(3 * X[:9])), np.eye(3), atol=1e-9)
    rows = X.reshape(len(X), -1)
    moved = spdml.transfer.TLCenter("transductive").fit(rows, y).transform(rows[:9] + 5)
    np.testing.assert_allclose(moved.mean(axis=0), 0, atol=1e-12)
