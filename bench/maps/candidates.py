"""candidates.py - ways to learn a map: options of spdml.SPDML by name."""

MEAN = {"init": "mean", "max_iter": 100, "tol": 1e-4}
PLAIN = {"coordinates": "plain", "init": "identity", "max_iter": 200, "tol": 1e-4}


def difference(nu_b, **more):
    """The paper's: nu_w is the smallest class."""
    return {"objective": "difference", "nu_b": nu_b, **PLAIN, **more}


def ratio(nu, **more):
    """nu of both kinds; "half": of the smallest class."""
    return {"objective": "ratio", "nu_w": nu, "nu_b": nu, **MEAN, **more}


CANDIDATES = {
    "difference 1": difference(1),
    "difference 3": difference(3),
    "difference 10": difference(10),
    "ratio 3/3": ratio(3),
    "ratio 5/5": ratio(5),
    "ratio 10/10": ratio(10),
    "ratio half": ratio("half"),
    "ratio 5/5 identity": ratio(5, init="identity"),
    "ratio 5/5 csp": ratio(5, init="csp"),
    "ratio 5/5 rebuilt 1": ratio(5, rebuild_graph=1),
    "ratio 5/5 rebuilt 3": ratio(5, rebuild_graph=3),
    "ratio 5/5 rebuilt 5": ratio(5, rebuild_graph=5),
    "log-margin": {"objective": "log-margin", **MEAN},
    "softmax": {"objective": "softmax", **MEAN},
    "ratio 5/5 several": ratio(5, several=True),
    "log-margin several": {"objective": "log-margin", **MEAN, "several": True},
    "softmax several": {"objective": "softmax", **MEAN, "several": True},
}
