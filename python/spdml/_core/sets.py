"""Sets of matrices as the library takes them, and its batched functions on arrays with any leading
dimensions, real or complex.

Arrays come from `_arrays.square`: C-contiguous float64 or complex128, (..., n, n). Complex matrices
travel in their real form (`_hermitian`): of twice the size, it takes twice the operations, but eight
matrices at a time. LAPACK takes single ones as they are, and factors. What the library says about
matrix 7 of a set is said about the place that it has in the caller's array."""

from __future__ import annotations

import contextlib
import ctypes as c
from typing import Any, Callable, Dict, Iterator, Optional, Tuple

import numpy as np

from . import gpu
from ..exceptions import BadMatrixError, InvalidArgumentError, NotFiniteError, NotPositiveDefiniteError
from .arrays import doubles, numbers, place, real, SYMMETRY, whole
from .calls import call, context
from .hermitian import embed, extract
from .header import Structure
from .library import Doubles, Longs, Set, structs, value


ALONE = 40            # single real matrices above this size go to LAPACK for exp and powers
# Left to the library, which knows the rule (docs/math.md): whether a matrix is positive definite
_WIDE = 2.0**-34    # with eigenvalues as far apart, smallest over largest,
_LITTLE = 2.0**-16  # or with a pivot as small, relative to the diagonal
_SCALAR: Dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "log": np.log, "exp": np.exp, "sqrt": np.sqrt, "invsqrt": lambda v: np.asarray(v**-0.5)}

FUNCTIONS = {name: value("function", name) for name in ("log", "exp", "sqrt", "invsqrt", "power")}


def flat(X: np.ndarray) -> np.ndarray:
    """X as one set (p, n, m)."""
    return X.reshape((-1,) + X.shape[-2:])


def real_form(X: np.ndarray) -> np.ndarray:
    """X as one set of real matrices: itself, or embedded."""
    return embed(flat(X)) if np.iscomplexobj(X) else np.ascontiguousarray(flat(X))


_HOST, _, _DEVICE = range(3)  # spd_place
_FLOAT64, _FLOAT32 = value("type", "float64"), value("type", "float32")


def host(X: np.ndarray) -> Set:
    """The set of an array (..., n, n) of float64, complex128 or float32."""
    R = real_form(X)
    made = Set(R.shape[1], len(R), R.ctypes.data, _FLOAT32 if R.dtype == np.float32 else _FLOAT64,
               int(np.iscomplexobj(X)))
    made.holds, made.leading = R, X.shape[:-2]
    return made


def hosts(X: np.ndarray, Y: Optional[np.ndarray]) -> Tuple[Set, Optional[Set]]:
    """Sets of two arrays, both real or both complex."""
    if Y is None:
        return host(X), None
    kind = np.result_type(X, Y)
    return host(X.astype(kind, copy=False)), host(Y.astype(kind, copy=False))


class DeviceSet(Set):
    """The set of an array on a GPU."""
    holds: gpu.View
    given: Any
    library: gpu.Library


def device(X: Any, name: str, size: Optional[int] = None, ndim: Optional[int] = 3,
           beside: Optional[DeviceSet] = None) -> DeviceSet:
    """The set of an array on a GPU, that of another set if told, which is checked and so waited for."""
    found = gpu.matrices(X, name, size, ndim)
    if beside is not None and beside.device != found.device:
        raise InvalidArgumentError(f"X lies on GPU {beside.device} and {name} on GPU {found.device}; bring them "
                                   f"to one")
    made = DeviceSet(n=found.shape[-1], p=int(np.prod(found.shape[:-2], dtype=int)), X=found.pointer,
                     place=_DEVICE, device=found.device, stream=found.stream)
    made.holds, made.leading, made.given = found, found.shape[:-2], X
    made.library = gpu.library(X, name)
    with called(("X", name, made.leading)):
        call(context(), "spd_check", made, SYMMETRY)
    made.stream = gpu.DEFAULT_STREAM
    return made


def devices(X: Any, Y: Any, name: str) -> Tuple[DeviceSet, Optional[DeviceSet]]:
    """Sets of X and of another array of that name on one GPU."""
    A = device(X, "X")
    return A, None if Y is None else device(Y, name, A.n, beside=A)


def new(beside: Set, shape: Tuple[int, ...], kind: str = "float64") -> Tuple[Any, Any]:
    """An array for results of functions of a set, where that lies, and a pointer to it. To who checks
    types it is what it is in memory."""
    if isinstance(beside, DeviceSet):
        made = beside.library.empty(beside.given, shape, kind)
        at = gpu.view(made, "the result", kind).pointer
    else:
        made = np.empty(shape, kind)
        at = made.ctypes.data
    return made, c.cast(at, Doubles if kind == "float64" else Longs)


def rooted(D2: Any, beside: Set) -> Any:
    """Square roots, in place."""
    return beside.library.root(D2) if isinstance(beside, DeviceSet) else \
        np.sqrt(np.maximum(D2, 0.0, out=D2), out=D2)


def copies(X: np.ndarray) -> int:
    """How often the real form counts every eigenvalue."""
    return 2 if np.iscomplexobj(X) else 1


def from_real(F: np.ndarray, leading: Tuple[int, ...], complex_too: bool) -> np.ndarray:
    """Matrices (p, n, n) of the library as (..., n, n)."""
    F = extract(F) if complex_too else F
    return F.reshape(leading + F.shape[-2:])


def adjoint(X: np.ndarray) -> np.ndarray:
    """Transposes, conjugate ones of complex matrices.

    Parameters
    ----------
    X : array, shape (..., n, m)
        Real or complex.

    Returns
    -------
    array, shape (..., m, n)
        A view of X, or a copy of a complex one.

    Examples
    --------
    >>> import numpy as np
    >>> from spdml.geometry.base import ctranspose
    >>> ctranspose(np.array([[1, 2j]]))
    array([[1.-0.j],
           [0.-2.j]])
    """
    return X.conj().swapaxes(-1, -2)


def hermitian(X: np.ndarray) -> np.ndarray:
    """The symmetric or Hermitian part, which rounding may have left out of a product."""
    return np.asarray((X + adjoint(X)) / 2)


def diagonal(X: np.ndarray) -> np.ndarray:
    """Diagonals (..., n) as a view; real ones of Hermitian matrices."""
    return np.asarray(np.einsum("...ii->...i", X).real)


def finite(X: np.ndarray, name: str) -> np.ndarray:
    """X, which must not hold NaN or infinity; for functions that look at no eigenvalues."""
    with np.errstate(invalid="ignore", over="ignore"):
        if np.isfinite(X.sum()):
            return X
    good = np.isfinite(X)
    if not good.all():  # else the sum is too large
        i = int(np.flatnonzero(~flat(good).all(axis=(1, 2)))[0])
        row, column = np.argwhere(~flat(good)[i])[0]
        raise NotFiniteError(f"{name}{place(i, X.shape[:-2])} holds NaN or Inf at row {row}, column "
                             f"{column}", i, float("nan"))
    return X


def _own_place(index: int, own: Tuple[int, ...], common: Tuple[int, ...]) -> str:
    """Where the matrix of that number in the common leading dimensions stands in an array whose own
    ones were broadcast to them."""
    if own == common:
        return place(index, own)
    numbers_of_all = np.arange(int(np.prod(own, dtype=int))).reshape(own)
    return place(int(np.broadcast_to(numbers_of_all, common).reshape(-1)[index]), own)


@contextlib.contextmanager
def called(*arguments: Tuple[str, str, Tuple[int, ...]], common: Optional[Tuple[int, ...]] = None
           ) -> Iterator[None]:
    """Messages about a matrix say where it stands in the caller's array, and what helps. Each of the
    arguments: its name in the library, its own name, its leading dimensions, which were broadcast to
    the common ones."""
    try:
        yield
    except BadMatrixError as problem:
        message, index = str(problem), problem.index
        for theirs, own, leading in arguments:
            found = f"{theirs}[{index}]"
            if index is not None and found in message:
                message = message.replace(
                    found, own + _own_place(index, leading, leading if common is None else common))
                problem.index = None if leading == () else index
                if isinstance(problem, NotPositiveDefiniteError) and "; try" not in message:
                    message += f"; try spdml.regularize({own.partition('[')[0]}, 1e-6)"
                break
        problem.args = (message, problem.index) + problem.args[2:]
        raise


def apply(X: np.ndarray, function: str, power: float = 1.0, n_jobs: Optional[int] = None,
          name: str = "X") -> np.ndarray:
    """log, exp, sqrt, invsqrt or power of every matrix."""
    n, single = X.shape[-1], _is_single(X)
    if single and (np.iscomplexobj(X) or n > ALONE and function in ("exp", "power")):
        F = _apply_by_lapack(X, function, power)
        if F is not None:
            return F
    return apply_to(host(X), function, power, n_jobs, name)


def apply_to(X: Set, function: str, power: float, n_jobs: Optional[int], name: str = "X") -> np.ndarray:
    """The same of any set."""
    F, at = new(X, X.leading + (X.n, X.n))
    with called(("X", name, X.leading)):
        call(context(n_jobs), "spd_apply", FUNCTIONS[function], power, X, at)
    return extract(F) if X.hermitian else np.asarray(F) if isinstance(F, np.ndarray) else F


def semidefinite(X: np.ndarray, function: str, power: float, n_jobs: Optional[int] = None) -> np.ndarray:
    """sqrt, or a power above 0. Eigenvalues that are zero but for rounding are taken as zero."""
    try:
        return apply(X, function, power, n_jobs)
    except NotPositiveDefiniteError:
        values, V = np.linalg.eigh(X)
        least = -8 * np.finfo(float).eps * X.shape[-1] * np.abs(values).max(axis=-1)
        if (values[..., 0] < least).any():
            raise
    return hermitian((V * np.maximum(values, 0.0)[..., None, :] ** power) @ adjoint(V))


def _apply_by_lapack(X: np.ndarray, function: str, power: float) -> Optional[np.ndarray]:
    """By LAPACK; None where something is wrong, which the library then names."""
    try:
        values, V = np.linalg.eigh(X)
        with np.errstate(all="raise"):
            f = values**power if function == "power" else _SCALAR[function](values)
    except (np.linalg.LinAlgError, FloatingPointError):
        return None
    wide = values[..., 0] <= _WIDE * values[..., -1]
    if not np.isfinite(f).all() or (function != "exp" and wide.any()):
        return None
    return hermitian((V * f[..., None, :]) @ adjoint(V))


def _is_single(X: np.ndarray) -> bool:
    """One matrix is not worth a call of the library where numpy has the function."""
    return bool(X.size == X.shape[-1] ** 2)


def _by_lapack(X: np.ndarray, function: Callable[[np.ndarray], Any]) -> Any:
    """Of complex matrices; None where something is wrong, which the library then names."""
    try:
        F = function(X)
    except np.linalg.LinAlgError:
        return None
    return F if np.isfinite(F.sum()) else None


def _transformed(function: str, X: np.ndarray, name: str) -> np.ndarray:
    S = host(X)
    F = np.empty_like(S.holds)
    with called(("X", name, X.shape[:-2])):
        call(context(), function, S, doubles(F))
    return from_real(F, X.shape[:-2], np.iscomplexobj(X))


def factor(X: np.ndarray) -> Optional[np.ndarray]:
    """By LAPACK; None where it is left to the library whether X is positive definite."""
    L = _by_lapack(X, np.linalg.cholesky)
    if L is None or (diagonal(L) ** 2 < _LITTLE * diagonal(X)).any():
        return None
    return np.asarray(L)


def cholesky(X: np.ndarray, name: str = "X") -> np.ndarray:
    """Lower factors with a positive diagonal."""
    L = factor(X) if _is_single(X) or np.iscomplexobj(X) else None
    return L if L is not None else _transformed("spd_cholesky", X, name)


def inverse(X: np.ndarray, name: str = "X") -> np.ndarray:
    """Inverses of positive definite matrices."""
    if _is_single(X):
        cholesky(X, name)  # names one that is not positive definite
        return hermitian(np.linalg.inv(X))
    return _transformed("spd_inverse", X, name)


def logdet(X: np.ndarray, name: str = "X") -> np.ndarray:
    """Logarithms of the determinants of positive definite matrices."""
    if np.iscomplexobj(X):
        return np.asarray(2 * np.log(diagonal(cholesky(X, name))).sum(axis=-1))
    values = np.empty(X.shape[:-2])
    with called(("X", name, X.shape[:-2])):
        call(context(), "spd_logdet", host(X), doubles(values))
    return values


def eigenvalues(X: np.ndarray, name: str = "X") -> np.ndarray:
    """Eigenvalues (..., n), ascending."""
    S = host(X)
    values = np.empty((S.p, S.n))
    with called(("X", name, X.shape[:-2])):
        call(context(), "spd_eigh", S, doubles(values), None)
    return np.ascontiguousarray(values[:, ::copies(X)]).reshape(X.shape[:-1])


def paired(A: np.ndarray, B: np.ndarray) -> Tuple[np.ndarray, np.ndarray, Tuple[int, ...]]:
    """A and B as sets (p, n, n) of as many matrices, both real or both complex, and their common
    leading dimensions."""
    if A.shape == B.shape and A.dtype == B.dtype:
        return flat(A), flat(B), A.shape[:-2]
    leading = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    kind = np.result_type(A, B)
    both = [np.ascontiguousarray(np.broadcast_to(X, leading + X.shape[-2:]), dtype=kind)
            for X in (A, B)]
    return flat(both[0]), flat(both[1]), leading


def joint_eigenvectors(A: np.ndarray, B: np.ndarray, names: Tuple[str, str] = ("A", "B")
                       ) -> Tuple[np.ndarray, np.ndarray]:
    """Of A v = lambda B v with V' B V = I, for sets of real matrices (p, n, n)."""
    values, V = np.empty(A.shape[:2]), np.empty_like(A)
    with called(("X", names[0], A.shape[:-2]), ("Y", names[1], B.shape[:-2])):
        call(context(), "spd_eigh_general", host(A), host(B), doubles(values), doubles(V))
    return values, V


def joint_eigenvalues(A: np.ndarray, B: np.ndarray, names: Tuple[str, str] = ("A", "B")
                      ) -> np.ndarray:
    """Eigenvalues (..., n), ascending, of A v = lambda B v for pairs of matrices; B positive
    definite."""
    P, Q, leading = paired(A, B)
    X, Y = host(P), host(Q)
    values = np.empty((X.p, X.n))
    with called(("X", names[0], A.shape[:-2]), ("Y", names[1], B.shape[:-2]), common=leading):
        call(context(), "spd_eigh_general", X, Y, doubles(values), None)
    values = np.ascontiguousarray(values[:, ::copies(P)])
    return values.reshape(leading + values.shape[-1:])


def whitened(X: np.ndarray, W: np.ndarray) -> np.ndarray:
    """W' X W, exactly symmetric or Hermitian, for one square W (n, n)."""
    if np.iscomplexobj(X) or np.iscomplexobj(W) or W.shape[0] != W.shape[1]:
        return hermitian(adjoint(W) @ X @ W)
    return congruence(host(X), np.ascontiguousarray(W)).reshape(X.shape)


def congruence(X: Set, W: np.ndarray, n_jobs: Optional[int] = None) -> np.ndarray:
    """W' X_i W (p, m, m); W lies on the host."""
    S, at = new(X, (X.p, W.shape[1], W.shape[1]))
    with called(("X", "X", (X.p,))):
        call(context(n_jobs), "spd_congruence", X, W.shape[1], doubles(W), at)
    return np.asarray(S) if isinstance(S, np.ndarray) else S


def given_weights(sample_weight: Any, count: int) -> Optional[np.ndarray]:
    """Weights as they were given, which the library checks."""
    if sample_weight is None:
        return None
    weights = numbers(sample_weight, "sample_weight")
    if weights.shape != (count,):
        raise InvalidArgumentError(
            f"sample_weight has shape {weights.shape}; {count} weights are needed")
    return weights


def checked_weights(sample_weight: Any, count: int) -> Optional[np.ndarray]:
    """Weights from 0 on."""
    weights = given_weights(sample_weight, count)
    if weights is not None and (not (weights >= 0).all() or not 0 < weights.sum() < np.inf):
        raise InvalidArgumentError(
            "sample_weight must hold numbers from 0 on that are finite and not all 0")
    return weights


def weights_of(sample_weight: Any, count: int) -> np.ndarray:
    """Weights with the sum one."""
    weights = checked_weights(sample_weight, count)
    return np.full(count, 1.0 / count) if weights is None else np.asarray(weights / weights.sum())


def mean_options(weights: Optional[np.ndarray], tol: float, max_iter: Optional[int]) -> Structure:
    """They hold while the weights do."""
    return structs.mean_options(weights=doubles(weights), tol=real(tol, "tol"),
                                max_iter=0 if max_iter is None else whole(max_iter, "max_iter", 1))


def filtered(X: np.ndarray, W: np.ndarray, n_jobs: Optional[int] = None) -> np.ndarray:
    """W^H X_i W, of each, real or complex."""
    if np.iscomplexobj(X) or np.iscomplexobj(W) or W.shape[1] > W.shape[0]:
        return np.asarray(adjoint(W) @ X @ W)
    return congruence(host(X), np.ascontiguousarray(W), n_jobs)
