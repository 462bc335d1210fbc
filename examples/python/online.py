"""A recording that arrives in blocks: each window is recentred and classified as it comes.

    python online.py

A classifier is trained on one day. On another the electrodes sit elsewhere, and its signals arrive in blocks of
an eighth of a second. The mean of what has come so far moves along with every window (`partial_fit`), windows are
seen from there, and where a trial's class is told afterwards the classifier learns it too."""

# %% Recordings: 16 channels at 256 Hz, three rhythms, each strongest over channels of its own.
import time
from collections import deque

import numpy as np
from spdml import MDM, covariances
from spdml.preprocessing import Whitening

RATE, CHANNELS, BLOCK, WINDOW = 256, 16, 32, 256
RHYTHMS = np.array([13.0, 17.0, 21.0])
rng = np.random.default_rng(3)
PATTERNS = rng.standard_normal((3, CHANNELS))


def record(classes, mixing):
    """One second for each of the classes (channels, times), one after the other."""
    t = np.arange(len(classes) * RATE) / RATE
    now = np.repeat(classes, RATE)
    waves = PATTERNS[now].T * np.sin(2 * np.pi * RHYTHMS[now] * t)
    return mixing @ (waves + rng.standard_normal((CHANNELS, len(t))))


first = np.eye(CHANNELS)
later = first + 0.9 * rng.standard_normal((CHANNELS, CHANNELS)) / np.sqrt(CHANNELS)

# %% The first day: trials of known class, recentred, and the means of the classes.
y = rng.permutation(np.repeat([0, 1, 2], 40))
trials = np.stack(np.split(record(y, first), len(y), axis=1))
X = covariances(trials, "oas")
centre = Whitening(metric="riemann").fit(X)
trained = MDM().fit(centre.transform(X), y)

# %% Another day, block by block. `moving` begins anew; `learning` is told the classes afterwards.
truth = rng.permutation(np.repeat([0, 1, 2], 30))
signal = record(truth, later)
moving, learning = Whitening(metric="riemann"), MDM().fit(centre.transform(X), y)
window = deque(maxlen=WINDOW // BLOCK)
right, latency = {"as trained": [], "recentred": [], "recentred, learning": []}, []
for at in range(0, signal.shape[1], BLOCK):
    block = signal[:, at:at + BLOCK]
    start = time.perf_counter()
    window.append(block)
    C = covariances(np.concatenate(window, axis=1)[None], "oas") if len(window) == window.maxlen else None
    if C is not None:
        moving.partial_fit(C)
        seen = moving.transform(C)
        answer = learning.predict(seen)[0]
    latency.append(time.perf_counter() - start)
    if C is None or (at + BLOCK) % RATE:
        continue
    trial = truth[at // RATE]  # a trial is over: how did it go?
    right["as trained"].append(trained.predict(centre.transform(C))[0] == trial)
    right["recentred"].append(trained.predict(seen)[0] == trial)
    right["recentred, learning"].append(answer == trial)
    learning.partial_fit(seen, [trial])

# %% The first trials pay for a mean of little; the last two thirds are counted.
print(f"{len(truth)} trials of another day, blocks of {1000 * BLOCK // RATE} ms")
for name, answers in right.items():
    print(f"  {name:<20} {100 * np.mean(answers[len(truth) // 3:]):5.1f} % right")
print(f"latency of a block: median {1e3 * np.median(latency):.2f} ms, "
      f"99 of 100 below {1e3 * np.quantile(latency, 0.99):.2f} ms")
