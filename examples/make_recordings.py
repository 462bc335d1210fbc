"""make_recordings.py - writes generated EEG-like recordings as EDF+, for docs/eeg.md and the tests.

    python make_recordings.py FOLDER [SUBJECTS [SEED]]

One file for each subject: eight channels at 128 Hz, in which a rhythm of 10 Hz over one side weakens
for three seconds after each of 40 annotations "left" or "right", six seconds apart."""
import pathlib
import sys

import numpy as np

CHANNELS = ["F3", "F4", "C3", "Cz", "C4", "P3", "P4", "Oz"]
RATE, TRIALS, EVERY, LASTS = 128, 40, 6, 3
LIMIT = 500.0  # microvolts


def recording(rng, mixing):
    """Signals (channels, times) in microvolts, and events (onset, label)."""
    times = np.arange((TRIALS * EVERY + 2) * RATE) / RATE
    sources = rng.standard_normal((len(CHANNELS), len(times)))
    strength = np.full((2, len(times)), 1.6)
    events = [(2.0 + EVERY * k, ("left", "right")[rng.integers(2)]) for k in range(TRIALS)]
    for onset, label in events:
        during = (times >= onset) & (times < onset + LASTS)
        strength[0 if label == "right" else 1, during] = 1.15
    for side in range(2):
        wobble = np.cumsum(rng.normal(0, 0.06, len(times)))
        sources[side] += strength[side] * np.sin(2 * np.pi * 10 * times + wobble)
    return 15 * mixing @ sources, events


def field(value, size):
    return str(value).encode("ascii")[:size].ljust(size)


def annotations(events, records, size):
    """For each record of a second the texts that begin in it, padded with zeros."""
    out = []
    for r in range(records):
        text = f"+{r}\x14\x14\0".encode()
        for onset, label in events:
            if r <= onset < r + 1:
                text += f"+{onset:g}\x15{LASTS}\x14{label}\x14\0".encode()
        assert len(text) <= size, "too many events in a second"
        out.append(text.ljust(size, b"\0"))
    return out


def edf(signals, events, names=CHANNELS, rate=RATE, room=120):
    """The bytes of an EDF+ file with records of one second."""
    count, records = len(names) + 1, signals.shape[1] // rate
    head = (field("0", 8) + field("X X X X", 80) + field("Startdate 01-JAN-2024 X X X", 80) +
            field("01.01.24", 8) + field("00.00.00", 8) + field(256 * (count + 1), 8) +
            field("EDF+C", 44) + field(records, 8) + field(1, 8) + field(count, 4))
    rows = [(*[name, "", "uV", -LIMIT, LIMIT, -32768, 32767, "", rate, ""],) for name in names]
    rows.append(("EDF Annotations", "", "", -1, 1, -32768, 32767, "", room // 2, ""))
    sizes = [16, 80, 8, 8, 8, 8, 8, 80, 8, 32]
    for column, size in enumerate(sizes):
        head += b"".join(field(row[column], size) for row in rows)
    digital = np.round((np.clip(signals, -LIMIT, LIMIT) + LIMIT) * 65535 / (2 * LIMIT) - 32768)
    digital = digital.astype("<i2")[:, :records * rate].reshape(len(names), records, rate)
    texts = annotations(events, records, room)
    return head + b"".join(digital[:, r].tobytes() + texts[r] for r in range(records))


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    heads = np.random.default_rng(0)  # the same whatever the seed
    common = np.eye(len(CHANNELS)) + 0.5 * heads.standard_normal((len(CHANNELS),) * 2)
    for who in range(int(sys.argv[2]) if len(sys.argv) > 2 else 3):
        mixing = common + 0.2 * rng.standard_normal(common.shape)
        path = folder / f"subject{who + 1}.edf"
        path.write_bytes(edf(*recording(rng, mixing)))
        print(path)
