"""Recordings in EDF and BDF: values, events, filters, damaged files; against numpy and scipy."""

import pathlib
import sys

import numpy as np
import pytest

signal = pytest.importorskip("scipy.signal")
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples"))
from make_recordings import edf  # noqa: E402

NAMES = ["C3", "Cz", "C4"]
RATE = 64


def cov(O):
    return np.cov(O, rowvar=False)


def close(X, expected, tolerance=1e-10):
    expected = np.asarray(expected)
    assert X.shape == expected.shape, (X.shape, expected.shape)
    assert np.abs(X - expected).max() <= tolerance * np.abs(expected).max()


def quantised(signals):
    """What 16 bits over 1000 microvolts leave of the signals."""
    return (np.round((signals + 500) * 65.535 - 32768) + 32768) / 65.535 - 500


@pytest.fixture
def recorded(rng, tmp_path):
    """20 s of three channels with four events of two classes."""
    signals = 40 * rng.standard_normal((3, 20 * RATE))
    events = [(2.5, "left"), (6.0, "right"), (10.25, "left"), (16.0, "right")]
    (tmp_path / "a.edf").write_bytes(edf(signals, events, NAMES, RATE))
    return quantised(signals).T, events


def test_whole_recording(spdml, recorded, tmp_path):
    spdml("describe", "covariance", "a.edf", "-o", "c.npz").good()
    close(np.load(tmp_path / "c.npz")["X"], [cov(recorded[0])])
    spdml("describe", "covariance", "a.edf", "--channels", "C4,C3", "-o", "c.npz").good()
    close(np.load(tmp_path / "c.npz")["X"], [cov(recorded[0][:, [2, 0]])])
    spdml("describe", "covariance", "a.edf", "--window", 5, "-o", "c.npz").good()
    close(np.load(tmp_path / "c.npz")["X"],
          [cov(recorded[0][k * 5 * RATE:(k + 1) * 5 * RATE]) for k in range(4)])


def test_annotations_become_epochs(spdml, recorded, tmp_path):
    O, events = recorded
    spdml("describe", "covariance", "a.edf", "--events", "auto", "-o", "c.npz").good()
    out = np.load(tmp_path / "c.npz")
    rows = [round(t * RATE) for t, _ in events]
    close(out["X"], [cov(O[r:r + 3 * RATE]) for r in rows])
    assert list(out["y"]) == [label for _, label in events]
    assert list(out["onset"]) == [t for t, _ in events]
    assert set(out["name"]) == {"a.edf"}
    done = spdml("describe", "covariance", "a.edf", "--events", "auto", "--epoch", "-3:1.5",
                 "--event-names", "left", "-o", "c.npz", "--json").good()
    out = np.load(tmp_path / "c.npz")
    close(out["X"], [cov(O[rows[2] - 3 * RATE:rows[2] + round(1.5 * RATE)])])
    assert done.json["events_left_out"] == 1 and "left out 1 event" in done.err
    for seconds, left_out in ((4, 0), (4.01, 1)):  # the last one ends with the recording, or behind it
        done = spdml("describe", "covariance", "a.edf", "--events", "auto", "--epoch", f"0:{seconds}",
                     "-o", "c.npz", "--json").good()
        close(np.load(tmp_path / "c.npz")["X"],
              [cov(O[r:r + round(seconds * RATE)]) for r in rows[:4 - left_out]])
        assert done.json.get("events_left_out", 0) == left_out


def test_filters_take_the_rate_of_the_file(spdml, recorded, tmp_path):
    O, events = recorded
    spdml("describe", "covariance", "a.edf", "--events", "auto", "--bands", "8-12", "-o",
          "c.npz").good()
    b = signal.butter(4, [8, 12], "bandpass", fs=RATE, output="sos")
    F = signal.sosfiltfilt(b, O, axis=0, padtype="odd", padlen=27)
    rows = [round(t * RATE) for t, _ in events]
    close(np.load(tmp_path / "c.npz")["X"], [cov(F[r:r + 3 * RATE]) for r in rows], 1e-6)
    spdml("describe", "covariance", "a.edf", "--rate", 100, "--bands", "8-12", "-o",
          "d.npz").failed("a.edf", "64 samples per second", "100")
    spdml("describe", "covariance", "a.edf", "--bands", "8-50", "-o", "d.npz").failed("a.edf")


@pytest.mark.parametrize("name, header, lines", [
    ("ev.csv", "onset,duration,label", ["1,2,a", "5.5,1,b", "9,2,a"]),
    ("a_events.tsv", "onset\tduration\tsample\ttrial_type\tvalue",
     ["1\t2\t64\ta\t1", "5.5\t1\t352\tb\t2", "9\t2\t576\ta\t1"]),
])
def test_tables_of_events(spdml, recorded, tmp_path, name, header, lines):
    (tmp_path / name).write_text("\n".join([header, *lines]) + "\n")
    where = "auto" if name.startswith("a_") else name
    spdml("describe", "covariance", "a.edf", "--events", where, "-o", "c.npz").good()
    out = np.load(tmp_path / "c.npz")
    close(out["X"], [cov(recorded[0][r:e]) for r, e in [(64, 192), (352, 416), (576, 704)]])
    assert list(out["y"]) == ["a", "b", "a"]


def test_events_in_tables_of_signals(spdml, recorded, tmp_path):
    np.save(tmp_path / "s.npy", recorded[0])
    (tmp_path / "ev.csv").write_text("onset,label\n2,a\n8,b\n")
    spdml("describe", "covariance", "s.npy", "--rate", RATE, "--events", "ev.csv", "--epoch", "0:4",
          "-o", "c.npz").good()
    out = np.load(tmp_path / "c.npz")
    close(out["X"], [cov(recorded[0][k * RATE:(k + 4) * RATE]) for k in (2, 8)])


def test_folder_of_recordings(spdml, recorded, rng, tmp_path):
    for who in "bc":
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / f"{who}_eeg.edf").write_bytes((tmp_path / "a.edf").read_bytes())
    (tmp_path / "in" / "b_events.tsv").write_text("onset\tduration\ttrial_type\n1\t3\tup\n")
    (tmp_path / "index.csv").write_text("file,label,subject\nb_eeg.edf,x,7\nc_eeg.edf,x,8\n")
    done = spdml("describe", "covariance", "in", "--events", "auto", "--labels", "index.csv", "-o",
                 "c.npz", "--json").good()
    out = np.load(tmp_path / "c.npz")
    assert list(out["y"]) == ["up", "left", "right", "left", "right"]
    assert list(out["subject"]) == [7, 8, 8, 8, 8] and done.json["passed_over"] == []
    spdml("describe", "covariance", "in", "--events", "index.csv", "-o", "d.npz").failed(
        "one recording", "'auto'")


def test_a_folder_as_bids_has_it(spdml, recorded, tmp_path):
    folder = tmp_path / "sub-01" / "eeg"
    folder.mkdir(parents=True)
    (folder / "sub-01_task-x_eeg.edf").write_bytes((tmp_path / "a.edf").read_bytes())
    (folder / "sub-01_task-x_events.tsv").write_text("onset\tduration\ttrial_type\n1\t3\tup\n")
    (folder / "sub-01_task-x_channels.tsv").write_text("name\ttype\nC3\tEEG\n")
    (folder / "sub-01_task-x_eeg.json").write_text("{}")
    (tmp_path / "sub-01" / "participants.tsv").write_text("participant_id\nsub-01\n")
    done = spdml("describe", "covariance", "sub-01", "--events", "auto", "-o", "c.npz", "--json").good()
    assert list(np.load(tmp_path / "c.npz")["y"]) == ["up"]
    assert len(done.json["passed_over"]) == 3
    done = spdml("describe", "covariance", "sub-01", "-o", "c.npz", "--json").good()
    assert done.json["p"] == 1 and len(done.json["passed_over"]) == 4


def test_channels_must_agree(spdml, recorded, tmp_path):
    """Recordings whose channels stand in another order would mix without a word."""
    (tmp_path / "b.edf").write_bytes(edf(recorded[0].T, recorded[1], ["C4", "Cz", "C3"], RATE))
    spdml("describe", "covariance", "a.edf", "b.edf", "-o", "c.npz").failed(
        "b.edf", "'C4'", "'C3'", "a.edf")
    spdml("describe", "covariance", "a.edf", "b.edf", "--channels", "C3,Cz,C4", "-o",
          "c.npz").good()
    out = np.load(tmp_path / "c.npz")
    close(out["X"][1], cov(recorded[0][:, [2, 1, 0]]), 1e-4)
    assert "3: C3, Cz, C4" in spdml("info", "c.npz").good().out
    assert spdml("info", "c.npz", "--json").good().json["meta"]["rows"]["channels"] == NAMES


def test_trained_methods_take_recordings(spdml, recorded, tmp_path):
    spdml("describe", "covariance", "a.edf", "--events", "auto", "-o", "c.npz").good()
    spdml("train", "c.npz", "--method", "mdm", "-o", "m.spdml").good()
    spdml("predict", "m.spdml", "a.edf", "-o", "p.csv").good()
    assert len((tmp_path / "p.csv").read_text().splitlines()) == 5


def bdf(signals, triggers):
    """A BDF file of one record a second, with a Status channel."""
    names = [*NAMES, "Status"]
    records = signals.shape[1] // RATE
    text = lambda value, size: str(value).encode().ljust(size)
    head = (b"\xffBIOSEMI" + text("", 160) + text("01.01.24", 8) + text("00.00.00", 8) +
            text(256 * 5, 8) + text("24BIT", 44) + text(records, 8) + text(1, 8) + text(4, 4))
    rows = [(n, "", "uV", -262144, 262143, -8388608, 8388607, "", RATE, "") for n in names]
    for column, size in enumerate([16, 80, 8, 8, 8, 8, 8, 80, 8, 32]):
        head += b"".join(text(row[column], size) for row in rows)
    digital = np.vstack([np.round(signals * 32), triggers]).astype("<i4")
    body = b""
    for r in range(records):
        part = np.ascontiguousarray(digital[:, r * RATE:(r + 1) * RATE])
        body += part.view("u1").reshape(-1, 4)[:, :3].tobytes()
    return head + body


def test_bdf_with_triggers(spdml, rng, tmp_path):
    signals = 100 * rng.standard_normal((3, 10 * RATE))
    triggers = np.zeros(10 * RATE, int)
    triggers[100:110], triggers[300:305], triggers[400:] = 1, 2, 0x10001 - 0x10000 * 2
    (tmp_path / "b.bdf").write_bytes(bdf(signals, triggers))
    spdml("describe", "covariance", "b.bdf", "--events", "auto", "--epoch", "0:1", "-o",
          "c.npz").good()
    out = np.load(tmp_path / "c.npz")
    O = np.round(signals * 32).T / 32
    close(out["X"], [cov(O[r:r + RATE]) for r in (100, 300, 400)], 1e-4)
    assert list(out["y"]) == ["1", "2", "1"]


# ---- what is refused -----------------------------------------------------------------------------


def put(content, at, text, size=8):
    return content[:at] + text.encode().ljust(size) + content[at + size:]


@pytest.mark.parametrize("change, words", [
    (lambda e: e[:100], ["cut off within the header"]),
    (lambda e: e[:2000], ["cut off"]),
    (lambda e: e[:-1], ["promised", "cut off"]),
    (lambda e: b"1" + e[1:], ["not a recording"]),
    (lambda e: put(e, 252, "0", 4), ["number of signals"]),
    (lambda e: put(e, 252, "9999", 4), ["number of signals"]),
    (lambda e: put(e, 252, "7", 4), ["does not fit"]),
    (lambda e: put(e, 236, "many"), ["number of records"]),
    (lambda e: put(e, 236, "0"), ["no records"]),
    (lambda e: put(e, 236, "999999999"), ["cut off"]),
    (lambda e: put(e, 244, "0"), ["no sampling rate"]),
    (lambda e: put(e, 244, "-1"), ["number of seconds"]),
    (lambda e: put(e, 256 + 104 * 4, "500.0"), ["no range"]),
    (lambda e: put(e, 256 + 216 * 4, "32"), ["cut off", "C3", "samples"][1:]),
    (lambda e: put(e, 256 + 216 * 4, "99999999"), ["cut off"]),
    (lambda e: e.replace(b"+7\x14\x14", b"+9\x14\x14"), ["gaps"]),
    (lambda e: e.replace(b"+7\x14\x14", b"+x\x14\x14"), ["damaged annotation"]),
    (lambda e: e.replace(b"left\x14\0", b"left\x15\1", 1), ["record 3"]),
    (lambda e: e.replace(b"left", b"l\xfft!", 1), ["UTF-8"]),
])
def test_damaged_recordings(spdml, recorded, tmp_path, change, words):
    (tmp_path / "bad.edf").write_bytes(change((tmp_path / "a.edf").read_bytes()))
    (tmp_path / "c.npz").write_text("keep me")
    spdml("describe", "covariance", "bad.edf", "-o", "c.npz").failed("bad.edf", *words)
    assert (tmp_path / "c.npz").read_text() == "keep me"


@pytest.mark.parametrize("table, words", [
    ("a,b\n1,2\n", ["onset"]), ("onset,label\n", ["no events"]), ("onset,label\nx,a\n", ["line 2"]),
    ("onset,duration,label\n1,-2,a\n", ["negative"]), ("onset,label\n1\n", ["as many cells"]),
    ("onset,label\n1,\"a\n", ["quote"]), ("onset,label\n1,a\0\n", ["NUL"]),
    ("onset,duration,label\n1,n/a,a\n", ["too short"]), ("", ["empty"]),
])
def test_bad_tables_of_events(spdml, recorded, tmp_path, table, words):
    (tmp_path / "ev.csv").write_text(table)
    spdml("describe", "covariance", "a.edf", "--events", "ev.csv", "-o", "c.npz").failed(*words)
    assert not (tmp_path / "c.npz").exists()


def test_options_that_make_no_sense(spdml, recorded, tmp_path):
    for words, said in [
        (["--channels", "C3,Fz"], ["no channel 'Fz'", "C3, Cz, C4"]),
        (["--channels", "C3,C3"], ["twice"]),
        (["--events", "auto", "--event-names", "up"], ["up", "left, right"]),
        (["--events", "auto", "--window", 2], ["windows and events"]),
        (["--epoch", "0:1"], ["need events"]),
        (["--events", "auto", "--epoch", "0:0.02"], ["too short"]),
        (["--events", "none.csv"], ["none.csv"]),
    ]:
        spdml("describe", "covariance", "a.edf", *words, "-o", "c.npz").failed(*said)
    spdml("describe", "covariance", "a.edf", "--events", "auto", "--epoch", "2:1", "-o",
          "c.npz").failed("--epoch 2:1", code=2)
    (tmp_path / "plain.edf").write_bytes(edf(recorded[0].T, [], NAMES, RATE))
    spdml("describe", "covariance", "plain.edf", "--events", "auto", "-o", "c.npz").failed(
        "plain.edf", "no events")
