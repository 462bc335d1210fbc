"""Maps to fewer dimensions: SPDML to smaller SPD matrices, PGA to vectors."""

from __future__ import annotations

import ctypes as c
import warnings
from typing import Any, Callable, Dict, Optional, Tuple, Union

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ._core import gpu
from ._core.arrays import doubles, ints, matrices, metric_number, numbers, real, whole
from ._core.calls import call, context, Context, engine_name, word_of
from ._core.docs import documented
from ._core.header import Structure
from ._core.hermitian import embed, extract
from ._core.labels import class_numbers
from ._core.library import lib, PARAMETERS, Set, structs, value
from ._core.matrices import definite
from ._core.model import ModelHandle
from ._core.sets import congruence, device, filtered, host
from ._core.tags import MatrixTransformer
from ._core.words import choice, seed_number
from .exceptions import ECANCELLED, InvalidArgumentError
from .files import stored_set

__all__ = ["SPDML", "cost"]


class SPDML(MatrixTransformer):
    """The learned map of Harandi, Salzmann and Hartley (ECCV 2014): W (n, m), orthonormal, so
    that the smaller matrices W'XW separate the classes better.

    Parameters
    ----------
    n_components : int, 'auto', or None for a third of n
        Size m of the small matrices. 'auto' chooses among n/8, n/4, 3n/8, n/2 and 3n/4 by the
        nearest neighbour after the map in at most five folds, as ``spdml fit -m auto`` does.
    metric : {'stein', 'airm', 'jeffrey', 'log-euclidean'}
        Of the distances between mapped matrices; pyRiemann's names too.
    nu_w, nu_b : int or None; nu_b also 'auto': chosen likewise, together, among 1, 2, 3, 5, 10, 20, 50
        and nu_w, none of them above nu_w
        Neighbours within and between classes; None: those of the objective, which they do not
        change. Of 'difference', the smallest class size, and at most 3, or with paper=True 'auto';
        of 'softmax', whose candidates they are, all, of more than 500 samples the nearest 30 and
        60. 'auto' is for 'difference'.
    init : 'auto', 'identity', 'mean', 'random', 'csp', 'stein', or an (n, m) array
        'csp' are generalised eigenvectors of the class means, and need y; 'stein' is where a fit
        under Stein ends; 'auto' is 'mean' or 'csp', whichever has the lower cost, under AIRM
        'stein', and with paper=True 'identity'.
    max_iter : int
        Most iterations.
    tol : float
        It stops where the relative decrease of the cost is smaller in five iterations running.
    random_state : int, RandomState or None
        For random starts and graphs drawn at random.
    n_jobs : int or None
        Threads; None and -1: all cores. The result does not depend on it.
    objective : 'auto', 'difference' (the paper's) or 'softmax'
        'auto' is 'softmax', or 'difference' with paper=True, without y, and for the approximate
        log-Euclidean cost.
    restarts : int
        Starts, of which the best is kept.
    log_cost : 'approximate' or 'exact'
        What metric='log-euclidean' minimises: distances between W' log(X) W, which stand in for
        those between the mapped matrices, or the distances between log(W'XW) themselves.
    paper : bool
        The setting of the paper for whatever is 'auto': 'difference', 'identity', 'plain',
        'polak-ribiere'; nu_b None is chosen by cross-validation, as 'auto', if X is in memory
        as float64.
    search : 'exact', 'approximate' or 'auto'
        Of the neighbours in the graph: all true ones, or most of them in almost linear time; 'auto'
        is approximate where the exact search would take more than about a minute.
    engine : 'cpu', 'cuda', 'auto' or None
        Where it is learned; 'auto' takes a GPU where there is one and it gains. None: where the
        package computes, see `set_engine`; of an array on a GPU as by 'auto'.
    memory : float or None
        About how many bytes to use; None: three quarters of what there is. It decides what is kept
        of each matrix, and so whether an iteration takes one pass over the data or two.

    Attributes
    ----------
    components_ : (m, n), the transpose of W
    cost_history_ : cost at the start and after each iteration
    n_iter_, stop_, objective_, nu_w_, nu_b_, n_features_in_
    recall_ : share of the true neighbours in the graph; estimated if the search was approximate
    n_components_ : m as used
    cv_accuracy_, cv_accuracy_no_map_ : of what 'auto' chose, and without a map; NaN if nothing was
        chosen
    gain_left_ : about how much lower the cost might have become: an estimate from how it fell; 0 if
        `stop_` is 'gradient' or 'line-search', nan if it is not known

    {references: spdml}

    Examples
    --------
    >>> import numpy as np
    >>> from spdml import MDM, SPDML
    >>> from sklearn.pipeline import make_pipeline
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 20)
    >>> A = rng.standard_normal((40, 6, 30))
    >>> A[:, 0] *= np.where(y == 0, 1, 4)[:, None]      # one direction tells the classes apart
    >>> X = A @ A.transpose(0, 2, 1)
    >>> SPDML(2).fit(X, y).transform(X).shape
    (40, 2, 2)
    >>> make_pipeline(SPDML(2), MDM()).fit(X, y).score(X, y)
    1.0
    """

    _model: ModelHandle

    def __init__(self, n_components: Union[int, str, None] = None, metric: str = "stein", *,
                 nu_w: Optional[int] = None, nu_b: Union[int, str, None] = None,
                 init: Any = "auto", max_iter: int = 1000, tol: float = 1e-4,
                 random_state: Any = None, n_jobs: Optional[int] = None,
                 objective: str = "auto", restarts: int = 1, log_cost: str = "approximate",
                 paper: bool = False, search: str = "auto", engine: Optional[str] = None,
                 memory: Optional[float] = None) -> None:
        self.n_components = n_components
        self.metric = metric
        self.nu_w = nu_w
        self.nu_b = nu_b
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.objective = objective
        self.restarts = restarts
        self.log_cost = log_cost
        self.paper = paper
        self.search = search
        self.engine = engine
        self.memory = memory

    def fit(self, X: Any, y: Any = None, *, callback: Optional[Callable[[int, float], Any]] = None) -> "SPDML":
        """Learns the map.

        Parameters
        ----------
        X : array, shape (samples, n, n)
            Positive definite matrices; complex Hermitian ones have a complex map. Also the path of an .npy
            file, a list of paths, or MatrixFiles, which are read piece by piece; float32 arrays are not
            copied. An array on a GPU is learned from there, unless engine is 'cpu'; of what the processor
            does with it the library makes one copy.
        y : array, shape (samples,), optional
            Labels. Without them the map learns from the graph of nearest neighbours only.
        callback : function, optional
            Called as callback(iteration, cost) after each iteration; a true result stops the fit, which
            then keeps the best map so far.

        Returns
        -------
        self
        """
        there = gpu.holds(X)
        stored = self._on_device(X, y) if there else \
            stored_set(X, arrays=self._takes_float32(), check=False)
        if stored is not None and "auto" in (self.n_components, self.nu_b):
            raise InvalidArgumentError("'auto' needs X in memory as float64")
        S = stored if stored is not None else \
            host(definite(X, n_jobs=self.n_jobs) if np.iscomplexobj(X) else matrices(X))
        label = None if y is None else class_numbers(y, S.p)[1]
        chosen = self._choose(S, label, stored is None)
        options, start = self._options(S.n, label, chosen, bool(S.hermitian))
        ctx = self._context("auto" if there and engine_name() == "cpu" else None,
                            0.0 if self.memory is None else real(self.memory, "memory"))
        self._keep(_fit(ctx, S, label, options, callback))
        del start  # lived as long as the call needed it
        if self.stop_ == "invariant":
            unused = int((self.components_ == 0).all(axis=0).sum())
            warnings.warn(f"the matrices are block-diagonal, and W cannot leave the blocks in which the paper's start "
                          f"begins: {unused} of {self.n_features_in_} variables are not used; init='random' or "
                          f"init='mean' leaves them", ConvergenceWarning, stacklevel=2)
        return self

    def _on_device(self, X: Any, y: Any) -> Set:
        """X of a fit: by an engine that reaches it, with labels on the host."""
        if self.engine == "cpu":
            raise InvalidArgumentError(
                "X lies on the GPU, and engine='cpu' learns on the processor; use engine='cuda' or 'auto', or "
                "bring X to the host, with .cpu() (PyTorch) or .get() (CuPy)")
        if gpu.holds(y):
            raise InvalidArgumentError("y lies on the GPU; bring the labels to the host, with .cpu() (PyTorch) or "
                                       ".get() (CuPy)")
        return device(X, "X")

    def _context(self, usual: Optional[str] = None, memory: float = 0.0) -> Context:
        """This thread's, with our threads and engine; the next one that anybody asks for has its own."""
        engine = usual if self.engine is None else self.engine
        return context(self.n_jobs, None if engine is None else choice("engine", engine), memory)

    def transform(self, X: Any) -> np.ndarray:
        """W'XW (p, m, m); of complex matrices with the conjugate transpose. The result of an array
        on a GPU lies there too; the CPU computes it.

        Returns
        -------
        array, shape (p, m, m)
        """
        check_is_fitted(self, "components_")
        W = np.ascontiguousarray(self.components_.conj().T)
        if gpu.holds(X):
            if np.iscomplexobj(W):
                raise InvalidArgumentError("the map is complex, and arrays on the GPU are real; bring X to the host")
            return congruence(device(X, "X", self.n_features_in_), W, self.n_jobs)
        stored = stored_set(X)
        if stored is None:
            return filtered(definite(X, self.n_features_in_, self.n_jobs), W, self.n_jobs)
        n = stored.n // (1 + stored.hermitian)
        if n != self.n_features_in_:
            raise InvalidArgumentError(f"X has {n} rows; {self.n_features_in_} x {self.n_features_in_} matrices "
                                       f"are expected")
        if bool(stored.hermitian) != np.iscomplexobj(W):
            raise InvalidArgumentError("the map and the matrices must both be real, or both complex")
        if isinstance(X, np.ndarray):  # files were looked at when they were opened
            call(context(self.n_jobs), "spd_check", stored, 1e-3)
        S = congruence(stored, embed(W) if stored.hermitian else W, self.n_jobs)
        return extract(S) if stored.hermitian else S

    def _takes_float32(self) -> bool:
        """Without a copy; the others need float64 in memory."""
        return (self.engine or engine_name()) == "cpu" and not isinstance(self.n_components, str) and \
            not isinstance(self.nu_b, str) and not self.paper and \
            not (isinstance(self.metric, str) and "log" in self.metric)

    def save(self, path: Any) -> None:
        """Writes a .spdml file, which the command and `load` read."""
        check_is_fitted(self, "components_")
        self._model.save(path)

    @classmethod
    def load(cls, path: Any) -> "SPDML":
        """A fitted SPDML from a .spdml file, written by `save` or by the command."""
        handle = ModelHandle.load(path)
        o = handle.fields.options.contents
        made = cls(n_components=o.m // (1 + o.hermitian), metric=word_of("metric", o.metric), nu_w=o.nu_w,
                   nu_b=o.nu_b, paper=word_of("solver", o.solver) == "polak-ribiere",
                   max_iter=o.max_iter, tol=o.tol, random_state=o.seed,
                   objective=word_of("objective", o.objective),
                   restarts=o.restarts,
                   log_cost=word_of("log_cost", o.log_cost),
                   search=word_of("search", o.search))
        made._keep(handle)
        return made

    def _keep(self, handle: ModelHandle) -> None:
        f = handle.fields
        self._model = handle
        W = handle.W
        self.components_ = W.conj().T
        self.cost_history_ = handle.costs
        self.n_iter_ = f.iterations
        self.stop_ = word_of("stop", f.stop)
        self.objective_ = word_of("objective", f.options.contents.objective)
        self.gain_left_ = lib.spd_model_gain(handle.pointer)
        self.nu_w_, self.nu_b_ = f.options.contents.nu_w, f.options.contents.nu_b
        self.recall_ = f.options.contents.recall
        self.n_features_in_, self.n_components_ = W.shape
        self._rows_out = self.n_components_

    def _choose(self, X: Set, label: Optional[np.ndarray], in_memory: bool) -> Dict[str, int]:
        """What 'auto' comes to: the race of sizes and neighbours, then the winner and no map."""
        wanted = {name: value for name, value in (("m", self.n_components), ("nu_b", self.nu_b))
                  if isinstance(value, str)}
        if self._nu_b_by_paper(label) and in_memory:
            wanted["nu_b"] = "auto"
        self.cv_accuracy_ = self.cv_accuracy_no_map_ = np.nan
        for name, value in wanted.items():
            if value != "auto":
                raise InvalidArgumentError(
                    f"{'n_components' if name == 'm' else name} is {value!r}; 'auto' is a word "
                    f"that it knows")
        if not wanted:
            return {}
        if label is None:
            raise InvalidArgumentError("'auto' needs y to choose by")
        n = X.n // (1 + X.hermitian)
        grid: Dict[str, Any] = {"nu_b": None}
        grid["m"] = sorted({max(1, int(n * share / 8 + 0.5)) for share in (1, 2, 3, 4, 6)} - {n})
        if "m" in wanted and not grid["m"]:
            raise InvalidArgumentError("1 x 1 matrices cannot be made smaller")
        found, self.cv_accuracy_, _ = self._race(X, label, {k: grid[k] for k in wanted}, {})
        if "m" in wanted:
            fixed = {k: v for k, v in found.items() if k != "m"}
            _, _, self.cv_accuracy_no_map_ = self._race(X, label, {"m": [found["m"], n]}, fixed)
        return dict(found)

    def _race(self, X: Set, label: np.ndarray, tried: Dict[str, Any], fixed: Dict[str, int]) -> Any:
        """What spd_tune finds for the nearest neighbour after the map, and its accuracies."""
        open_yet: Dict[str, Any] = {name: value for name, value, given in
                    (("m", 1, self.n_components), ("nu_b", None, self.nu_b))
                    if isinstance(given, str)}
        options, start = self._options(X.n, label, {**open_yet, **fixed}, bool(X.hermitian))
        if "nu_b" in tried and self._objective(options) == "softmax":
            raise InvalidArgumentError(
                "nu_b is 'auto', but the objective 'softmax' takes all candidates; "
                "objective='difference' and paper=True have neighbours to choose")
        method, grid = structs.method(), structs.grid()
        call(context(1), "spd_method_parse", b"nn-ml", c.byref(method))
        method.metric, method.fit = options.metric, c.pointer(options)
        settled = {"m": options.m // (1 + X.hermitian), "nu_w": options.nu_w, "nu_b": options.nu_b}
        for i, name in enumerate(PARAMETERS):
            if tried.get(name) is not None:  # None: the library's own values
                axis = np.array(tried[name], dtype=float)
                grid.count[i], grid.value[i] = len(axis), doubles(axis)
                tried = {**tried, name: axis}  # lives as long as the call
            elif settled.get(name) and name not in tried:
                method.value[i] = settled[name]
            elif name == "objective" and options.objective != choice("objective", "auto"):
                method.value[i] = options.objective
        samples = structs.samples(p=X.p, n=X.n, X=doubles(X.holds), classes=int(label.max()) + 1,
                                  label=ints(label), hermitian=X.hermitian)
        tuning = structs.tune_options(folds=5, seed=options.seed, grid=c.pointer(grid))
        tuned = structs.tune_info()
        call(self._context(), "spd_tune", c.byref(method), c.byref(samples), c.byref(tuning), c.byref(tuned))
        del start
        found = {name: int(method.value[PARAMETERS.index(name)]) for name in tried}
        return {**fixed, **found}, tuned.accuracy, tuned.accuracy_no_map

    @staticmethod
    def _objective(options: Any) -> str:
        """The one that a fit with these options takes."""
        usual = structs.fit_options.from_buffer_copy(options)
        lib.spd_fit_resolve(c.byref(usual))
        return word_of("objective", usual.objective)

    def _nu_b_by_paper(self, label: Optional[np.ndarray]) -> bool:
        """Does the paper choose nu_b by cross-validation?"""
        return bool(self.paper) and label is not None and self.nu_b is None and \
            self.objective in ("auto", "difference")

    def _options(self, n: int, label: Optional[np.ndarray],
                 chosen: Optional[Dict[str, Any]] = None, hermitian: bool = False) -> Any:
        """The library's options for n x n matrices, perhaps real forms of complex ones, and the array
        that the options may point to."""
        o = structs.fit_options()
        lib.spd_fit_defaults(c.byref(o), c.sizeof(o))
        n //= 1 + hermitian
        values = {"m": self.n_components, "nu_b": self.nu_b, **(chosen or {})}
        o.m = whole(max(1, round(n / 3)) if values["m"] is None else values["m"], "n_components")
        if n == 1:
            raise InvalidArgumentError("1 x 1 matrices (n_features = 1) cannot be made smaller")
        if o.m >= n:
            raise InvalidArgumentError(
                f"n_components is {o.m}; it must be smaller than the matrices, {n} x {n}")
        o.metric = metric_number(self.metric)
        o.learning = value("learning", "unsupervised" if label is None else "supervised")
        o.nu_w = 0 if self.nu_w is None else whole(self.nu_w, "nu_w")
        o.nu_b = 0 if values["nu_b"] is None else whole(values["nu_b"], "nu_b")
        o.max_iter = whole(self.max_iter, "max_iter")
        o.tol = real(self.tol, "tol")
        o.objective = choice("objective", self.objective)
        o.restarts = whole(self.restarts, "restarts")
        o.log_cost = choice("log_cost", self.log_cost)
        o.paper = int(bool(self.paper))
        o.search = choice("search", self.search)
        if isinstance(self.random_state, (int, np.integer)):
            o.seed = seed_number("random_state", self.random_state)
        elif self.random_state is not None:
            o.seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        W = self._start(o, n, hermitian)
        o.m *= 1 + hermitian
        o.hermitian = int(hermitian)
        return o, W

    def _start(self, o: Structure, n: int, hermitian: bool) -> Optional[np.ndarray]:
        if isinstance(self.init, str):
            o.init = choice("init", self.init)
            return None
        W = numbers(self.init, "init", complex_too=hermitian)
        if W.shape != (n, o.m):
            raise InvalidArgumentError(f"init has shape {W.shape}; it must be {(n, o.m)}")
        if hermitian:
            W = embed(W)
        o.init = value("init", "given")
        o.W = doubles(W)
        return W

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "components_")


@documented
def cost(X: Any, y: Any, W: Any, gradient: bool = False, n_jobs: Optional[int] = None,
         **options: Any) -> Union[float, Tuple[float, np.ndarray]]:
    """The cost that SPDML.fit minimises, at any W of full rank: as the command ``spdml cost``. It sums
    over ordered pairs: every pair counts twice.

    Parameters
    ----------
    X : array, (p, n, n)
        Real symmetric or complex Hermitian.
    y : array, shape (samples,), optional
        Labels; without them the cost is unsupervised.
    W : array, shape (n, m)
        The map, with orthonormal columns.
    gradient : bool
        Also the gradient.
    {n_jobs}
    options : parameters of SPDML
        metric, objective, nu_w, nu_b, log_cost, paper.

    Returns
    -------
    float, or (float, array (n, m))
        The gradient is not projected; of a complex W, it is that by the real parts plus i times that
        by the imaginary ones.

    Examples
    --------
    >>> import numpy as np, spdml
    >>> X = np.array([1.0, 2.0, 1.0, 3.0])[:, None, None] * np.eye(2)
    >>> value, G = spdml.maps.cost(X, [0, 0, 1, 1], np.eye(2)[:, :1], gradient=True)
    >>> G.shape
    (2, 1)
    """
    hermitian = np.iscomplexobj(X)
    X = definite(X, n_jobs=n_jobs) if hermitian else matrices(X)
    p, n = X.shape[:2]
    W = np.ascontiguousarray(numbers(W, "W", complex_too=hermitian))
    if W.ndim != 2 or W.shape[0] != n or not 1 <= W.shape[1] <= n:
        raise InvalidArgumentError(f"W has shape {W.shape}; it must be ({n}, m) with m at most {n}")
    wrong = sorted(set(options) - _COSTLY)
    if wrong:
        raise InvalidArgumentError(f"cost has no option {wrong[0]!r}; use {', '.join(sorted(_COSTLY))}")
    label = None if y is None else class_numbers(y, p)[1]
    o, _ = SPDML(n_components=1, **options)._options(max(n, 2), label)
    S, W = host(X), embed(W) if hermitian else W
    o.m, o.hermitian = W.shape[1], int(hermitian)
    lib.spd_fit_resolve(c.byref(o))
    pairs, count = c.POINTER(structs.pair)(), c.c_size_t()
    ctx = context(n_jobs)
    call(ctx, "spd_affinity", S, ints(label), c.byref(o), c.byref(pairs), c.byref(count))
    found = c.c_double()
    G = np.empty_like(W) if gradient else None
    try:
        o.W, o.pairs, o.own_pairs = doubles(W), count.value, pairs
        call(ctx, "spd_cost", S, c.byref(o), c.byref(found), doubles(G))
    finally:
        lib.spd_pairs_free(pairs)
    if hermitian and G is not None:
        G = 2 * extract(G)  # each entry of W is there twice
    return found.value if G is None else (found.value, G)


_COSTLY = {"metric", "objective", "nu_w", "nu_b", "log_cost", "paper"}


def _fit(ctx: Context, X: Set, label: Optional[np.ndarray], options: Structure,
         callback: Optional[Callable[[int, float], Any]]) -> ModelHandle:
    """spd_fit. A callback that stops the fit leaves the best map so far; one that raises, none."""
    pointer = c.POINTER(structs.model)()

    def after(_user: Any, _state: Any, step: Any, iteration: int) -> int:
        stop = False
        try:
            if callback is not None and ctx.raised is None:
                stop = bool(callback(iteration, step.contents.cost if step else np.nan))
        except BaseException as problem:  # raised again by call
            ctx.raised = problem
        return int(stop or ctx.raised is not None)

    try:
        watch = structs.fit_hooks(after=structs.fit_fn(after))
        call(ctx, "spd_fit", X, ints(label), c.byref(options), c.byref(watch), c.byref(pointer),
             allow=(ECANCELLED,) if callback else ())
    except BaseException:
        if pointer:
            lib.spd_model_free(pointer)
        raise
    return ModelHandle(pointer)
