"""Choosing the size of the map and its graph by grid search, then testing once.

    python grid_search.py"""

# %% Matrices whose classes differ in a planted 3-dimensional subspace; the rest is nuisance.
import numpy as np
import spdml
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline

N, PLANTED, PER_CLASS = 20, 3, 40


def generate(seed=1):
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.standard_normal((N, N)))[0]
    X, y = [], []
    for name in ("oak", "birch", "pine"):
        centre = rng.standard_normal((PLANTED, 2 * PLANTED))
        for _ in range(PER_CLASS):
            M = np.diag(np.exp(rng.normal(0, 1.0, N)))
            jitter = centre + 0.25 * rng.standard_normal(centre.shape)
            M[:PLANTED, :PLANTED] = jitter @ jitter.T / PLANTED + 0.05 * np.eye(PLANTED)
            X.append(basis @ M @ basis.T)
            y.append(name)
    return np.array(X), np.array(y)


X, y = generate()
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=1)

# %% The grid; tuning sees the training half alone.
pipeline = Pipeline([("map", spdml.SPDML(metric="stein", objective="difference")), ("nn", spdml.KNearestNeighbor(1))])
grid = {"map__n_components": [2, 3, 5, 10], "map__nu_b": [1, 3, 6], "nn__metric": ["stein", "airm"]}
search = GridSearchCV(pipeline, grid, cv=4, n_jobs=2).fit(X_train, y_train)

# %% The outcome.
for name, value in search.best_params_.items():
    print(f"{name:<20} {value}")
print(f"{'cross-validation':<20} {100 * search.best_score_:.1f} %")
plain = spdml.KNearestNeighbor(1, "stein").fit(X_train, y_train).score(X_test, y_test)
print(f"{'test, no map':<20} {100 * plain:.1f} %")
print(f"{'test, learned map':<20} {100 * search.score(X_test, y_test):.1f} %")
