"""Methods of recognition compared under a protocol."""

from __future__ import annotations

import ctypes as c
import warnings
from typing import Any, Dict, List, Optional, Sequence, TYPE_CHECKING, Union

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import LeaveOneGroupOut

from ._core.arrays import doubles, ints, matrices, numbers, real, text, whole
from ._core.calls import call, context, Context
from ._core.labels import class_numbers
from ._core.header import Structure
from ._core.library import lib, PARAMETERS, structs
from ._core.matrices import definite
from ._core.methods import POOLED, recentering, take_alignment, take_means
from ._core.sets import real_form
from ._core.words import choice, parameter_number, parameter_value, seed_number
from .exceptions import InvalidArgumentError
from .maps import SPDML

if TYPE_CHECKING:
    import pandas

__all__ = ["Evaluation", "evaluate"]

_SPLITS, _GIVEN, _LEAVE_OUT, _FOLDS = 0, 1, 2, 3
_FOLDS_IF_SHARED, _FOLDS_GROUPED, _FOLDS_SINGLE = 0, 1, 2

_SCORES = 5  # the first so many fields are scores
_FIELDS: List[Structure] = []  # the library's table of the numbers of a result
while lib.spd_result_field_at(len(_FIELDS)):
    _FIELDS.append(lib.spd_result_field_at(len(_FIELDS)).contents)


def _number(field: Structure, outcome: Structure) -> Any:
    kind = (c.c_double, c.c_size_t, c.c_int)[field.type]
    return kind.from_address(c.addressof(outcome) + field.outcome).value


class Evaluation:
    """What `evaluate` found; prints as the table of the command.

    Arrays go by method first, in the order of ``methods``, then by round.

    Attributes
    ----------
    methods : names, list of str
    classes : the labels, sorted
    rounds : what each round is called: the group left out, or its number from 1
    train, test : for each round the numbers of its samples
    predicted : for each method and each round the predicted labels, as ``predicted[m][r]``
    accuracy, balanced_accuracy : (methods, rounds)
    kappa, macro_f1 : (methods, rounds), Cohen's kappa and the mean F1 of the classes
    auc : (methods, rounds), the area under the ROC curve, one class against the rest, as the mean
        over the classes; NaN if it was not asked for. A sample is ranked by how much its score of
        the class is better than its best score of another class
    confusion : (methods, classes, classes), rows the truth, summed over the rounds
    parameters : for each method a dictionary of the values it used, (rounds,) each
    cv_accuracy : (methods, rounds), of the chosen values; NaN where nothing was tuned
    cv_accuracy_no_map : the same without the method's map; NaN where that was not tried
    no_map : (methods, rounds), whether a method with a map chose none
    folds : (methods, rounds), of tuning; 0 where nothing was tuned
    tune_fits, tune_iterations : (methods, rounds), learned maps that tuning fitted, for all methods
        that share them, and their iterations
    seconds : dictionary with 'tune', 'fit' and 'test', (methods, rounds) each
    mcnemar : (methods, methods), p values of McNemar's exact test
    remarks : what accuracies do not tell, list of str
    """

    def __init__(self, found: Structure, classes: np.ndarray, groups: Optional[np.ndarray],
                 n: int, auc: bool = False) -> None:
        rounds = [found.round[r].contents for r in range(found.rounds)]
        results = [found.method[m].contents for m in range(found.methods)]
        cells = [[result.outcome[r].contents for r in range(found.rounds)] for result in results]

        self.classes = classes
        self.methods = [result.name.decode() for result in results]
        self.rounds = [str(i + 1) if groups is None else str(groups[r.group])
                       for i, r in enumerate(rounds)]
        self.train = [_copy(r.train, r.train_count) for r in rounds]
        self.test = [_copy(r.test, r.test_count) for r in rounds]
        self.predicted = [[classes[_copy(o.predicted, r.test_count)] for o, r in zip(row, rounds)]
                          for row in cells]
        for field in _FIELDS:
            setattr(self, field.name.decode(), np.array([[_number(field, o) for o in row] for row in cells]))
        self.no_map = np.array([[o.value[0] >= n for o in row] for row in cells])
        self.seconds = {name: self._each(f"{name}_seconds") for name in ("tune", "fit", "test")}
        size = len(classes)
        self.confusion = np.array([_copy(result.confusion, size * size).reshape(size, size)
                                   for result in results])
        self.mcnemar = np.array([_copy(result.p_value, found.methods) for result in results])
        self.parameters = [_parameters(row) for row in cells]
        self.remarks = [_words(found.remark[i].contents, self.rounds, classes)
                        for i in range(found.remarks)]
        self._repeats = bool(found.repeats_samples)
        self._n = n
        self._auc = auc

    def __str__(self) -> str:
        width = max(len("method"), *map(len, self.methods))
        scores = [field for field in _FIELDS[:_SCORES] if self._auc or field.name != b"auc"]
        lines = [f"{'method':<{width}}  "
                 + "".join(f"{field.label.decode():>{12 if field.percent else 6}}  " for field in scores)
                 + f"{'tune s':>6}  {'fit s':>6}  {'test s':>6}  {'p':>7}  parameters"]
        for m, name in enumerate(self.methods):
            seconds = "  ".join(f"{self.seconds[k][m].mean():6.2f}" for k in self.seconds)
            p = "-" if m == 0 else f"{self.mcnemar[m, 0]:.2g}"
            shown = [f"{_percent(values):>12}  " if field.percent else f"{_mean(values):>6}  "
                     for field in scores for values in [self._each(field.name.decode())[m]]]
            lines.append(f"{name:<{width}}  {''.join(shown)}{seconds}  {p:>7}  "
                         f"{_range(self.parameters[m], self._n)}")
        if len(self.methods) > 1:
            more = ", median over the rounds" if self._repeats else ""
            lines.append(f"p: McNemar's test against {self.methods[0]}{more}")
        return "\n".join(lines)

    __repr__ = __str__

    def _each(self, name: str) -> np.ndarray:
        """A field of the results, (methods, rounds)."""
        return np.asarray(getattr(self, name))

    def to_pandas(self) -> "pandas.DataFrame":
        """The numbers as a table; pandas must be there.

        Returns
        -------
        DataFrame
            With a row for each method and round.
        """
        import pandas
        rows = []
        scores = [field.name.decode() for field in _FIELDS[:_SCORES]]
        for m, name in enumerate(self.methods):
            for r, called in enumerate(self.rounds):
                row = {"method": name, "round": called}
                row.update({k: self._each(k)[m, r] for k in (*scores, "cv_accuracy", "folds")})
                row.update({f"{k}_seconds": s[m, r] for k, s in self.seconds.items()})
                row.update({k: v[r] for k, v in self.parameters[m].items()})
                rows.append(row)
        return pandas.DataFrame(rows)


def evaluate(X: Any, y: Any, methods: Union[str, Sequence[str]], *, cv: Any = None, groups: Any = None,
             train_per_class: Optional[int] = None, repeats: Optional[int] = None,
             inner_cv: int = 5, inner_groups: Any = None, random_state: int = 1, auc: bool = False,
             values: Optional[Dict[str, Any]] = None, grid: Optional[Dict[str, Any]] = None,
             vectors: Any = None, fit: Optional[SPDML] = None,
             paper: bool = False, exhaustive: bool = False, feature_mean: Any = None, feature_count: Any = None,
             normalize: Optional[str] = None, recenter: Any = None,
             calibration_size: float = 0.0,
             n_jobs: Optional[int] = None) -> Evaluation:
    """Compares methods on one set of labelled matrices, as ``spdml evaluate`` does.

    Each method is tuned within the training part of a round, trained there and tested on the other
    part, whose labels count for the score alone.

    Parameters
    ----------
    X : array, shape (p, n, n)
        Real symmetric or complex Hermitian; or None when all methods read vectors.
    y : array, shape (p,)
        Labels.
    methods : str or list of str
        Names as in the command: 'nn-airm', 'nn-stein-ml', 'mdm-airm', 'rsr', ...
    cv : int, float, splitter of scikit-learn, or iterable of (train, test)
        The rounds. A whole number: so many folds, stratified by class, as `--outer-folds` of the command; by
        default 5. A number below 1: the share of each class that trains, in random splits, as
        `--split`. A splitter, such as ``RepeatedStratifiedKFold(...)`` or ``LeaveOneGroupOut()``, or
        pairs of masks or of numbers of samples: these rounds.
    groups : array, shape (p,), optional
        A value for each sample, for splitters that need it; whole numbers of folds keep equal ones
        together.
    train_per_class : int, optional
        In place of `cv`: the number of each class that trains, in random splits.
    repeats : int, optional
        How many random splits, 10 by default; how often folds are dealt, 1 by default.
    inner_cv : int
        Folds of the cross-validation that chooses values, at most.
    inner_groups : array, shape (p,), or 'none', optional
        Its folds keep equal ones together. By default `groups` where classes occur under several of
        them; 'none' for no groups.
    random_state : int
        Of splits, folds and random maps.
    auc : bool
        Also the areas under ROC curves; scores of all classes may take longer than predictions.
    values : dict, optional
        Parameters that are fixed, for all methods that have them: m, nu_w, nu_b, k, beta, beta_scale,
        lambda, components, dimensions, cost, objective (a name).
    grid : dict, optional
        The same names with the values that cross-validation tries, in place of the usual ones.
    vectors : array, shape (p, d) or (p, height, width), optional
        For src and gsrc.
    fit : SPDML, optional
        Whose options learned maps take (graph, init, max_iter, tol, ...); an objective other than
        'auto' is then fixed.
    paper : bool
        Learn maps as in the paper, see SPDML, and tune them over m and nu_b <= nu_w, with no map only
        where it gets as many right as any.
    exhaustive : bool
        Try every setting in every fold, with maps fitted as finely as the final one, where otherwise
        settings that are clearly behind leave; about ten times slower.
    feature_mean : array, shape (p, n), optional
        Means of the observations whose covariances X are, as `describe` has them in its columns; pca-
        takes the pooled covariance without them, and warns.
    feature_count : array, shape (p,) or (p, blocks), optional
        The numbers of these observations.
    normalize : str, optional
        As of SPDClassifier.
    recenter : str or array, shape (p,), optional
        'all', 'training', or a value for each sample, whose groups are recentred: in the training part
        of a round by their mean there, in the test part by the same, or, if training has none of a
        group, by the mean of its test samples, without their labels.
    calibration_size : float
        With ``LeaveOneGroupOut()``, the share of the group, its first samples, that trains in place of
        being tested.
    n_jobs : int, optional
        Threads; None and -1: all cores. Results do not depend on it.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> import numpy as np
    >>> import spdml
    >>> A = np.random.default_rng(0).standard_normal((40, 3, 30))
    >>> A[::2, 0] *= 3
    >>> X, y = A @ A.transpose(0, 2, 1), [1, 2] * 20
    >>> result = spdml.evaluate(X, y, ["nn-airm", "mdm-airm"], cv=0.5, repeats=4)
    >>> result.accuracy.shape               # of each method in each round
    (2, 4)
    >>> bool((result.accuracy.mean(axis=1) > 0.9).all())
    True
    >>> table = str(result)                 # the table of the command
    """
    classes, label = class_numbers(y, len(X if X is not None else vectors))
    ctx = context(n_jobs)
    keep: List[Any] = []  # what the library only borrows
    samples = _samples(X, vectors, label, len(classes), keep)
    take_means(samples, feature_mean, feature_count, keep)
    options = structs.evaluate_options()
    lib.spd_evaluate_defaults(c.byref(options), c.sizeof(options))
    left_out = _take_rounds(options, label, cv, groups, train_per_class, repeats, keep)
    options.auc = int(bool(auc))
    _take_folds(options, len(label), inner_cv, inner_groups, keep)
    _take_methods(options, ctx, [methods] if isinstance(methods, str) else list(methods),
                  values or {},
                  _fit_options(fit, samples, label, random_state, paper, keep), keep)
    _take_alignment(options, samples, normalize, recenter, keep)
    options.calibration = real(calibration_size, "calibration_size")
    _take_grid(options, grid or {}, keep)
    options.exhaustive = int(exhaustive)
    options.seed = seed_number("random_state", random_state)
    options.after = structs.evaluate_fn(lambda user, found, round, method: int(ctx.raised is not None))
    found = c.POINTER(structs.evaluation)()
    try:
        call(context(n_jobs), "spd_evaluate", c.byref(samples), c.byref(options), c.byref(found))
        result = Evaluation(found.contents, classes, left_out, samples.n // (1 + samples.hermitian), bool(auc))
    finally:
        lib.spd_evaluation_free(found)
    for remark in result.remarks:
        warnings.warn(remark, UserWarning, stacklevel=2)
    return result


def _samples(X: Any, vectors: Any, label: np.ndarray, classes: int, keep: List[Any]) -> Structure:
    samples = structs.samples(p=len(label), classes=classes, label=ints(label))
    keep.append(label)
    if X is not None:
        samples.hermitian = int(np.iscomplexobj(X))
        X = real_form(definite(X)) if samples.hermitian else matrices(X)
        samples.n, samples.X = X.shape[1], doubles(X)
    if vectors is not None:
        vectors = numbers(vectors, "vectors")
        if vectors.ndim not in (2, 3) or len(vectors) != len(label):
            raise InvalidArgumentError(f"vectors has shape {vectors.shape}; it must be "
                                       f"({len(label)}, d) or ({len(label)}, height, width)")
        if not np.isfinite(vectors).all():
            raise InvalidArgumentError("vectors holds NaN or infinity")
        samples.height = vectors.shape[1] if vectors.ndim == 3 else 1
        samples.width, samples.V = vectors.shape[-1], doubles(vectors)
    keep += [X, vectors]
    return samples


def _take_rounds(options: Structure, label: np.ndarray, cv: Any, groups: Any,
                 per_class: Optional[int], repeats: Optional[int], keep: List[Any]) -> Optional[np.ndarray]:
    """Fills in the protocol; the values of the groups that are left out one by one, or None."""
    if cv is not None and per_class is not None:
        raise InvalidArgumentError("cv and train_per_class are given; choose one")
    p, number = len(label), _pointer(groups, len(label), "groups", keep)
    for name, count in (("repeats", repeats), ("train_per_class", per_class)):
        if count is not None:
            whole(count, name)
    if per_class is not None or isinstance(cv, float):
        if groups is not None:
            raise InvalidArgumentError("groups are for folds and splitters, not for random splits of each class")
        options.protocol, options.repeats = _SPLITS, 10 if repeats is None else repeats
        options.per_class, options.fraction = per_class or 0, 0.0 if cv is None else cv
    elif cv is None or isinstance(cv, (int, np.integer)):
        options.protocol, options.repeats = _FOLDS, 1 if repeats is None else repeats
        options.outer_folds, options.group = whole(5 if cv is None else cv, "cv", 0), number
    elif repeats is not None:
        raise InvalidArgumentError("repeats is for whole and broken numbers as cv; splitters say it themselves")
    elif isinstance(cv, LeaveOneGroupOut):
        if groups is None:
            raise InvalidArgumentError("LeaveOneGroupOut() needs groups=, a value for each sample")
        options.protocol, options.group = _LEAVE_OUT, number
        return np.unique(groups)
    else:
        options.protocol = _GIVEN
        options.fold_group = number
        _take_pairs(options, p, cv if isinstance(cv, str) or not hasattr(cv, "split") else
                    cv.split(np.zeros((p, 1)), label, groups), keep)
    return None


def _take_pairs(options: Structure, p: int, pairs: Any, keep: List[Any]) -> None:
    """Rounds that are given: pairs of masks or numbers of samples, None for what the other leaves."""
    try:
        rounds = [(_flags(train, p, "train"), _flags(test, p, "test")) for train, test in pairs]
    except (TypeError, ValueError) as problem:
        if isinstance(problem, InvalidArgumentError):
            raise
        raise InvalidArgumentError(f"cv is {pairs!r}; it must be a number, a splitter of scikit-learn, or pairs "
                                   f"(train, test)") from None
    if not rounds:
        raise InvalidArgumentError("cv has no rounds")
    if any(train is None and test is None for train, test in rounds):
        raise InvalidArgumentError("a round of cv names no samples")
    trains, tests = ([one if one is not None else 1 - other for one, other in both]
                     for both in (rounds, [pair[::-1] for pair in rounds]))
    both = np.ascontiguousarray([trains, tests], dtype=np.int8)
    options.train, options.test, options.rounds = both[0].ctypes.data, both[1].ctypes.data, len(rounds)
    keep.append(both)


def _flags(which: Any, p: int, name: str) -> Any:
    """A mask or numbers of samples as p flags."""
    if which is None:
        return None
    which = np.asarray(which)
    flags = np.zeros(p, dtype=np.int8)
    if which.ndim != 1 or which.dtype.kind not in "biu" or \
            (which.dtype == bool and len(which) != p):
        raise InvalidArgumentError(f"{name} must be a mask of {p} or a list of sample numbers")
    if which.dtype != bool and len(which) and not 0 <= which.min() <= which.max() < p:
        raise InvalidArgumentError(f"{name} names samples beyond the {p} there are")
    flags[which] = 1
    return flags


def _pointer(groups: Any, p: int, name: str, keep: List[Any]) -> Any:
    return None if groups is None else _groups(groups, p, name, keep)[1]


def _groups(values: Any, p: int, name: str, keep: List[Any]) -> Any:
    """The distinct values, and a pointer to the number of each sample's."""
    values = np.asarray(values)
    if values.shape != (p,):
        raise InvalidArgumentError(f"{name} has shape {values.shape}; {p} values are needed")
    distinct, number = np.unique(values, return_inverse=True)
    number = np.ascontiguousarray(number, dtype=np.intc)
    keep.append(number)
    return distinct, ints(number)


def _take_folds(options: Structure, p: int, cv: int, groups: Any, keep: List[Any]) -> None:
    options.folds = whole(cv, "inner_cv", 0)
    if isinstance(groups, str) and groups == "none":
        options.fold_rule = _FOLDS_SINGLE
    elif groups is not None:
        options.fold_rule = _FOLDS_GROUPED
        options.fold_group = _groups(groups, p, "inner_groups", keep)[1]


def _fit_options(fit: Optional[SPDML], samples: Structure, label: np.ndarray, seed: int,
                 paper: bool, keep: List[Any]) -> Any:
    if samples.n < 2 * (1 + samples.hermitian):  # there is nothing to map
        return None
    estimator = (SPDML() if fit is None else clone(fit)).set_params(
        random_state=seed_number("random_state", seed))
    options, start = estimator._options(samples.n, label, hermitian=bool(samples.hermitian))
    options.seed = seed
    options.paper |= int(paper)
    keep += [options, start]
    return c.pointer(options)


def _take_methods(options: Structure, ctx: Context, names: List[str],
                  values: Dict[str, Any], fit: Any, keep: List[Any]) -> None:
    made = (structs.method * len(names))()
    known = _known(values)
    used = set()
    for method, name in zip(made, names):
        method.size = c.sizeof(structs.method)
        call(ctx, "spd_method_parse", text(name, "a method"), c.byref(method))
        method.fit = fit
        for i, value in known.items():
            if lib.spd_method_uses(c.byref(method), i):
                method.value[i] = parameter_number(PARAMETERS[i], value)
                used.add(i)
    for i in known:
        if i not in used:
            raise InvalidArgumentError(f"values: none of the methods has {PARAMETERS[i]!r}")
    pointers = (c.POINTER(structs.method) * len(names))(*(c.pointer(method) for method in made))
    options.methods, options.method = len(names), pointers
    keep += [made, pointers]


def _take_alignment(options: Structure, samples: Structure, normalize: Any, recenter: Any,
                    keep: List[Any]) -> None:
    by_groups = not (recenter is None or isinstance(recenter, str))
    if by_groups:
        samples.group = _groups(recenter, samples.p, "recenter", keep)[1]
    number = recentering("groups" if by_groups else recenter, ("groups", "all") if by_groups else ("all",))
    for m in range(options.methods):
        if not lib.spd_method_on_vectors(options.method[m]):
            take_alignment(options.method[m].contents, normalize, number)


def _take_grid(options: Structure, values: Dict[str, Any], keep: List[Any]) -> None:
    grid = structs.grid()
    for i, axis in _known(values).items():
        if PARAMETERS[i] == "objective":
            axis = [choice("objective", name) for name in np.atleast_1d(axis).ravel().tolist()]
        axis = np.atleast_1d(numbers(axis, f"grid[{PARAMETERS[i]!r}]")).ravel()
        grid.count[i], grid.value[i] = len(axis), doubles(axis)
        keep.append(axis)
    options.grid = c.pointer(grid)
    keep.append(grid)


def _known(values: Dict[str, Any]) -> Dict[int, Any]:
    """By the numbers of the parameters."""
    unknown = sorted(set(values) - set(PARAMETERS))
    if unknown:
        raise InvalidArgumentError(
            f"parameter {unknown[0]!r} is unknown; there are {', '.join(PARAMETERS)}")
    return {PARAMETERS.index(name): value for name, value in values.items()}


def _copy(pointer: Any, count: int) -> np.ndarray:
    return np.ctypeslib.as_array(pointer, (count,)).copy()


def _parameters(row: List[Any]) -> Dict[str, np.ndarray]:
    table = {name: np.array([o.value[i] for o in row]) for i, name in enumerate(PARAMETERS)}
    table = {name: values for name, values in table.items() if not np.isnan(values).all()}
    if "objective" in table:  # rounds without a map have none
        table["objective"] = np.array(["" if np.isnan(number) else
                                       parameter_value("objective", number)
                                       for number in table["objective"]])
    return table


def _words(remark: Any, rounds: List[str], classes: np.ndarray) -> str:
    name, count, total = classes[remark.label], remark.count, remark.total
    return (
        f"{count} classes (such as {name}) have one sample: it trains and is never tested",
        f"all test samples are of class {name}; accuracy does not tell how well it is told from "
        f"the others",
        f"{count} of {total} rounds test one class alone, the first is round "
        f"{rounds[remark.round]}, class {name}",
        f"round {rounds[remark.round]}: {count} of {total} test samples are of classes without "
        f"training samples (such as {name}) and count as errors",
        POOLED,
    )[remark.kind]


def _mean(values: np.ndarray) -> str:
    """The mean of what is there."""
    there = values[~np.isnan(values)]
    return f"{there.mean():.3f}" if len(there) else "-"


def _percent(values: np.ndarray) -> str:
    if len(values) == 1:
        return f"{100 * values[0]:.1f}"
    return f"{100 * values.mean():.1f} +- {100 * values.std(ddof=1):.1f}"


def _range(parameters: Dict[str, np.ndarray], n: int) -> str:
    """'m 23, nu-b 1..5'"""
    words = []
    for name, values in parameters.items():
        if name == "objective":
            used = sorted(set(values) - {""}, key=lambda word: choice("objective", word))
            words.append(f"{name} {'/'.join(used)}")
            continue
        low, high = np.nanmin(values), np.nanmax(values)
        word = f"{name.replace('_', '-')} {low:.4g}" + (f"..{high:.4g}" if high > low else "")
        without = int(np.sum(values >= n)) if name == "m" else 0
        if without:
            word += " (no map" + ("" if without == len(values) else
                                  f" in {without} of {len(values)} rounds") + ")"
        words.append(word)
    return ", ".join(words) or "-"
