"""EEG covariances: from signals to a learned map, in scikit-learn's and pyRiemann's company.

    python eeg.py                 on generated recordings
    python eeg.py ssvep24.npz     on covariances of your own: an .npz with X (p, n, n) and y

Read it from top to bottom; every step prints what it did."""

# %% Recordings: three rhythms at 13, 17 and 21 Hz, each strongest over channels of its own, under
# noise that all channels share. One trial is 16 channels x 256 samples.
import sys

import numpy as np
import spdml
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

CHANNELS, SAMPLES, RATE, PER_CLASS = 16, 256, 256.0, 40
RHYTHMS = (13.0, 17.0, 21.0)


def record(rng, rhythm, pattern, mixing):
    """One trial (channels, samples)."""
    time = np.arange(SAMPLES) / RATE
    wave = np.sin(2 * np.pi * rhythm * time + rng.uniform(0, 2 * np.pi))
    background = mixing @ (rng.standard_normal((CHANNELS, SAMPLES)) *
                           np.exp(rng.normal(0, 0.6, (CHANNELS, 1))))
    return 0.45 * rng.uniform(0.5, 1.5) * np.outer(pattern, wave) + background


def generate(seed=1):
    rng = np.random.default_rng(seed)
    mixing = rng.standard_normal((CHANNELS, CHANNELS)) / np.sqrt(CHANNELS)
    patterns = rng.standard_normal((len(RHYTHMS), CHANNELS))
    signals = [record(rng, rhythm, pattern, mixing)
               for rhythm, pattern in zip(RHYTHMS, patterns) for _ in range(PER_CLASS)]
    y = np.repeat([f"{rhythm:g} Hz" for rhythm in RHYTHMS], PER_CLASS)
    return np.array(signals), y


# %% Covariances, shrunk a little as is usual for short trials.
if len(sys.argv) > 1:
    with np.load(sys.argv[1]) as file:
        X, y = file["X"], file["y"]
else:
    signals, y = generate()
    X = spdml.covariances(signals, "oas")
print(f"{len(X)} covariances of {X.shape[1]} x {X.shape[1]}, classes {sorted(set(y.tolist()))}")
print(f"eigenvalues from {np.linalg.eigvalsh(X).min():.2g} to {np.linalg.eigvalsh(X).max():.2g}")

# %% Classifiers on the full matrices and after a learned map, by cross-validation.
half = X.shape[1] // 2
pipelines = {
    "MDM": spdml.MDM(),
    "nearest neighbour": spdml.KNearestNeighbor(1),
    f"map to {half} x {half}, MDM": make_pipeline(spdml.SPDML(half, "airm"), spdml.MDM()),
    f"map to {half} x {half}, nearest neighbour": make_pipeline(
        spdml.SPDML(half, "airm"), spdml.KNearestNeighbor(1)),
    "tangent space, LDA": spdml.SPDClassifier("ts-lda"),
}
folds = StratifiedKFold(5, shuffle=True, random_state=1)
print("\naccuracy in five folds")
for name, pipeline in pipelines.items():
    accuracy = cross_val_score(pipeline, X, y, cv=folds)
    print(f"  {name:<36} {100 * accuracy.mean():5.1f} % +- {100 * accuracy.std():4.1f}")

# %% The map itself: how the cost fell, and which channels it looks at.
model = spdml.SPDML(half, "airm").fit(X, y)
print(f"\n{model.n_iter_} iterations, cost {model.cost_history_[0]:.4g} -> "
      f"{model.cost_history_[-1]:.4g}, stopped by {model.stop_}")
share = (model.components_**2).sum(axis=0)
print("channels it looks at most:", ", ".join(f"{k} ({100 * share[k]:.0f} %)"
                                              for k in np.argsort(-share)[:4]))
