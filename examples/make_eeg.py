"""make_eeg.py - writes generated EEG-like trials, for examples/eeg.sh and the tutorial.

    python make_eeg.py eeg.npz

Four subjects, two classes ("left", "right"), 30 trials of each; 12 channels, 2 s at 128 Hz. Of two
rhythms of 10 Hz the one opposite to the imagined movement is the weaker, as the mu rhythm is; every
subject's head mixes sources and noise into the channels in its own way."""
import sys

import numpy as np

SUBJECTS, PER_CLASS, CHANNELS, RATE, SECONDS = 4, 30, 12, 128, 2


def trial(rng, mixing, left, right):
    """One trial (channels, times): two rhythms and noise, mixed."""
    time = np.arange(RATE * SECONDS) / RATE
    sources = rng.standard_normal((CHANNELS, len(time)))
    for source, strength in enumerate((left, right)):
        phase = rng.uniform(0, 2 * np.pi)
        sources[source] += strength * np.sin(2 * np.pi * 10 * time + phase)
    return mixing @ (np.exp(rng.normal(0, 0.3, (CHANNELS, 1))) * sources)


def generate(rng):
    signals, y, subject = [], [], []
    common = rng.standard_normal((CHANNELS, CHANNELS))
    for who in range(SUBJECTS):
        mixing = common + 0.6 * rng.standard_normal((CHANNELS, CHANNELS))
        mixing *= np.exp(rng.normal(0, 0.5, (CHANNELS, 1)))
        for side, strengths in (("left", (1.8, 1.0)), ("right", (1.0, 1.8))):
            for _ in range(PER_CLASS):
                signals.append(trial(rng, mixing, *strengths))
                y.append(side)
                subject.append(who + 1)
    return np.array(signals), np.array(y), np.array(subject)


if __name__ == "__main__":
    signals, y, subject = generate(np.random.default_rng(1))
    np.savez(sys.argv[1], X=signals, y=y, subject=subject)
    print(f"{sys.argv[1]}: X {signals.shape}, y {y.shape}, subject {subject.shape}")
