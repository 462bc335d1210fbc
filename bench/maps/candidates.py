"""candidates.py - ways to learn a map: options of spdml.SPDML by name."""

MEAN = {"init": "mean", "max_iter": 100, "tol": 1e-4}
PLAIN = {"init": "identity", "max_iter": 200, "tol": 1e-4}


def difference(nu_b, **more):
    """The paper's: nu_w is the smallest class."""
    return {"objective": "difference", "nu_b": nu_b, **PLAIN, **more}


CANDIDATES = {
    "difference 1": difference(1),
    "difference 3": difference(3),
    "difference 10": difference(10),
    "softmax": {"objective": "softmax", **MEAN},
    "softmax several": {"objective": "softmax", **MEAN, "several": True},
}
