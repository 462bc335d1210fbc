"""The pipelines of examples/moabb/pipelines on moabb's fake data set, whose signals are noise: that they run,
and what they take. For results that mean something give moabb.benchmark the folder and real data sets:

    python fake.py [SUBJECTS]
    moabb.benchmark("examples/moabb/pipelines", paradigms=["LeftRightImagery"])
"""
import pathlib
import sys
import tempfile
import warnings

import moabb
from moabb.datasets.fake import FakeDataset
from moabb.evaluations import CrossSessionEvaluation
from moabb.paradigms import LeftRightImagery
from moabb.pipelines.utils import parse_pipelines_from_directory


PIPELINES = pathlib.Path(__file__).with_name("pipelines")


def main(subjects):
    warnings.simplefilter("ignore")
    moabb.set_log_level("error")
    data = FakeDataset(["left_hand", "right_hand"], n_subjects=subjects, seed=1, n_sessions=2,
                       channels=("C3", "C1", "Cz", "C2", "C4", "CP3", "CPz", "CP4"))
    paradigm = LeftRightImagery()
    pipelines = {found["name"]: found["pipeline"]
                 for found in parse_pipelines_from_directory(str(PIPELINES))
                 if "LeftRightImagery" in found["paradigms"]}
    with tempfile.TemporaryDirectory() as results:
        evaluation = CrossSessionEvaluation(paradigm, [data], hdf5_path=results, overwrite=True, n_jobs=1)
        table = evaluation.process(pipelines)
    print(f"{'pipeline':<14} {'AUC %':>13} {'seconds':>8}")
    for name, rows in table.groupby("pipeline"):
        print(f"{name:<14} {100 * rows['score'].mean():5.1f} +- {100 * rows['score'].std():4.1f} "
              f"{rows['time'].mean():8.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
