"""The method itself chosen by cross-validation."""

from __future__ import annotations

from numbers import Number
from typing import Any, Dict, Optional, Tuple, Union

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state

from ._core import methods
from ._core.arrays import whole
from ._core.labels import class_numbers
from ._core.matrices import checked
from .exceptions import InvalidArgumentError
from .recognition import _Recognizer, softmax

__all__ = ["AutoClassifier"]
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}


def _seconds(time: Union[None, float, str]) -> float:
    """None: no limit, which is 0."""
    if time is None:
        return 0.0
    try:
        given = str(time)
        number = given.rstrip("smh")
        seconds = float(number) * _UNITS[given[len(number):]]
    except (KeyError, ValueError):
        seconds = -1.0
    if not 0 < seconds < np.inf:
        raise InvalidArgumentError(f"time is {time!r}; it must be seconds, or a text such as '60s', '2m' or "
                                   "'1h', or None for no limit")
    return seconds


class AutoClassifier(_Recognizer):
    """The best of a portfolio of methods, by cross-validation: nearest neighbours, kernel ridge
    regression, support vectors, sparse coding and discriminants, without a map, behind a learned one,
    and behind several.

    All are judged on the same folds, by maps that have not seen the fold; what is clearly behind leaves
    between folds. Another must beat krr-stein-bag by one standard error; leaders that this does not tell
    apart are judged on three deals of folds.

    Parameters
    ----------
    cv : int, splitter of scikit-learn, or list of (train, test)
        Folds, at most; or those of a splitter that tests each matrix once, such as GroupKFold. The interval
        then takes a fold for one unit, as it does a group.
    time : None, seconds, or '60s', '2m', '1h'
        For so long candidates are judged. What is chosen then depends on the machine.
    random_state : int, RandomState or None
        Of the folds, if cv is a number; the command's --seed.
    {n_jobs}

    Attributes
    ----------
    classes_ : (classes,)
    method_ : str
        The name of the chosen method.
    parameters_ : dict
        The values in use.
    league_ : list of dict
        The candidates, the best first: method, accuracy (of the folds), folds in which it was judged (of
        leaders in three deals), seconds, parameters, state ('judged', 'left': clearly behind, 'late':
        no time, 'unneeded': another was right about all samples before, 'failed') and message.
    expected_accuracy_ : float
        On new samples: the accuracy of the chosen one, less what it owes to having been chosen.
    expected_interval_ : (low, high), of 95 %
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from spdml import AutoClassifier
    >>> y = np.repeat([0, 1], 20)
    >>> A = np.random.default_rng(0).standard_normal((40, 3, 50)) * np.where(y, 2, 1)[:, None, None]
    >>> X = A @ A.transpose(0, 2, 1)
    >>> AutoClassifier().fit(X, y).score(X, y)
    1.0
    """

    def __init__(self, cv: int = 5, time: Union[None, float, str] = None, *, random_state: Union[None, int, np.random.RandomState] = 1,
                 n_jobs: Optional[int] = None) -> None:
        self.cv = cv
        self.time = time
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, groups: Any = None) -> "AutoClassifier":
        """Chooses a method and trains it on X and y.

        Parameters
        ----------
        {samples}
        {labels}
        groups : array, shape (samples,), optional
            A value for each sample: folds keep equal ones together; a splitter is given them.
        """
        seconds = _seconds(self.time)
        X = checked(X, ["stein"], n_jobs=self.n_jobs)
        classes, label = class_numbers(y, len(X))
        group, folds = self._folds(label, self._groups(groups, len(X)))
        seed = self.random_state
        if not isinstance(seed, (int, np.integer)):
            seed = int(check_random_state(seed).randint(1, 2**31 - 1))
        trained, told = methods.train_auto(X, classes, label, group, folds, whole(seed, "random_state", 0),
                                           seconds, self.n_jobs)
        self._take(trained)
        self.league_ = told["league"]
        self.expected_accuracy_ = told["accuracy"]
        self.expected_interval_ = told["interval"]
        return self

    def _folds(self, label: np.ndarray, group: Optional[np.ndarray]
               ) -> Tuple[Optional[np.ndarray], int]:
        """The groups that the library shall keep together, and in how many folds: the folds of a splitter are
        groups, of which each makes one."""
        if isinstance(self.cv, (Number, str)) or self.cv is None:
            return group, whole(self.cv, "cv")
        fold = np.full(len(label), -1, np.intc)
        splits = [test for _, test in check_cv(self.cv, label, classifier=True).split(
            np.zeros((len(label), 1)), label, group)]
        for number, test in enumerate(splits):
            fold[test] = number
        if (fold < 0).any() or sum(len(fold[test]) for test in splits) != len(fold):
            raise InvalidArgumentError(f"cv is {self.cv!r}; it must test each matrix once, as KFold does")
        return fold, len(splits)

    @staticmethod
    def _groups(groups: Any, samples: int) -> Optional[np.ndarray]:
        if groups is None:
            return None
        groups = np.asarray(groups)
        if groups.shape != (samples,):
            raise InvalidArgumentError(f"groups has shape {groups.shape}; it must be ({samples},)")
        return np.unique(groups, return_inverse=True)[1].astype(np.intc)

    def _take(self, trained: methods.Trained) -> None:
        super()._take(trained)
        self.method_ = trained.name

    def predict_proba(self, X: Any) -> np.ndarray:
        """(samples, classes): the probabilities of the chosen method if it has any (ts-lda, ts-lr, krr);
        of others the softmax of what decides, which is not calibrated."""
        trained, X = self._fitted(X)
        return softmax(self._scores(trained, X))

    def _method(self, samples: Optional[int]) -> Tuple[str, Dict[str, Any]]:
        return "auto", {}

    @classmethod
    def _parameters_of(cls, trained: methods.Trained) -> Dict[str, Any]:
        return {}
