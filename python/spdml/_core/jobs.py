"""How many threads a call uses.

n_jobs is read as scikit-learn reads it: a number of threads; -1 all cores, -2 all but one. None is
what a surrounding ``joblib.parallel_config(n_jobs=...)`` says; else OMP_NUM_THREADS, which loky sets
in its workers so that together they use each core once; else one thread within a worker of joblib,
and all cores elsewhere. ``threadpoolctl.threadpool_limits(n)`` is an upper limit for all of this."""

from __future__ import annotations

import os
import sys
from typing import Any


_MOST = 2**31 - 1  # a C int
_limit = 0  # of threadpoolctl; 0: none


def cores() -> int:
    """Cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # Linux has it alone
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _of_environment() -> int:
    """OMP_NUM_THREADS, whose first number counts; 0 if it says nothing."""
    first = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return int(first) if first.isdigit() else 0


def _unsaid() -> int:
    """Threads for n_jobs=None; 0 for all cores."""
    module = sys.modules.get("joblib.parallel")
    backend, number = module.get_active_backend() if module else (None, None)
    if number is not None:
        return _asked(number)
    nested = backend is not None and (backend.nesting_level or 0) > 0
    return _of_environment() or (1 if nested else 0)


def limit(number: int = -1) -> int:
    """The most threads that calls may use, 0 for no limit; a number from 0 on sets it."""
    global _limit
    before = _limit
    if number >= 0:
        _limit = 0 if number >= cores() else number
    return before


def threads(n_jobs: Any) -> int:
    """The library's number of threads, 0 for all cores; ValueError for what is no such number."""
    number = _asked(n_jobs)
    return min(number or _limit, _limit) if _limit else number


def _asked(n_jobs: Any) -> int:
    if n_jobs is None:
        return _unsaid()
    if not hasattr(n_jobs, "__index__") or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ValueError(f"n_jobs is {n_jobs!r}; it must be a positive number of threads, -1 for all "
                         f"cores, -2 for all but one and so on, or None")
    number = int(n_jobs)
    if number == -1:
        return 0
    return min(number, _MOST) if number > 0 else max(cores() + 1 + number, 1)
