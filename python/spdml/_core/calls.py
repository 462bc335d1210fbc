"""Calling the library: a context per thread, messages as exceptions, progress, Ctrl-C.

ctypes releases the interpreter's lock during a call. The library calls back a few times a second
on the calling thread; that is where Python notices Ctrl-C, and where a progress bar is drawn."""

from __future__ import annotations

import contextlib
import contextvars
import ctypes
import signal
import threading
import warnings
from typing import Any, Callable, Container, Iterator, List, Optional

from . import jobs
from .. import exceptions
from .library import ENUMS, Handle, lib, quick, structs, value


SPD_NO_INDEX = (1 << (8 * ctypes.sizeof(Handle))) - 1

ProgressCallback = Callable[[str, float, float, str], Any]
_callback: "contextvars.ContextVar[Optional[ProgressCallback]]" = contextvars.ContextVar(
    "spdml_progress", default=None)


class Context:
    """One context of the library, for one thread of ours."""

    def __init__(self) -> None:
        self.handle = lib.spd_context_new()
        if not self.handle:
            raise MemoryError("spdml: out of memory for a context")
        self.raised: Optional[BaseException] = None
        self.settings: Any = None  # None: unknown
        self._progress = structs.progress_fn(self._report)  # must live as long as the context

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            lib.spd_context_free(self.handle)

    def set(self, threads: int, engine: int, memory: float) -> None:
        """For the next call. Whatever uses the handle otherwise leaves `settings` None."""
        if self.settings != (threads, engine, memory):
            lib.spd_context_set_threads(self.handle, threads)
            lib.spd_context_set_engine(self.handle, engine)
            lib.spd_context_set_memory(self.handle, memory)
            lib.spd_context_set_progress(self.handle, self._progress, None)
            self.settings = (threads, engine, memory)

    def _report(self, _user: Any, step: Any) -> int:
        """Runs while a call is under way. What is raised here ends the call and is raised again by
        `call`; so is what Ctrl-C raised."""
        try:
            callback = _callback.get()
            if callback is not None and self.raised is None:
                s = step.contents
                callback(s.task.decode(), s.done, s.total, s.unit.decode())
        except BaseException as problem:
            self.raised = problem
        return int(self.raised is not None)

    def note_interrupts(self) -> Any:
        """Ctrl-C during a call is noted, not raised in the middle of a callback, until the handler that
        is returned, if any, is set back. Python runs signal handlers in its main thread alone, and there
        when the library calls back."""
        if threading.current_thread() is not threading.main_thread():
            return None
        before = signal.getsignal(signal.SIGINT)
        if not callable(before):
            return None

        def note(number: int, frame: Any) -> None:
            try:
                before(number, frame)
            except BaseException as problem:
                self.raised = problem

        signal.signal(signal.SIGINT, note)
        return before


class _Free(threading.local):
    """The contexts of a thread that are not in a call: one, or none while a call calls back."""

    def __init__(self) -> None:
        self.contexts: List[Context] = []

    def last(self) -> Context:
        if not self.contexts:
            self.contexts.append(Context())
        return self.contexts[-1]


_free = _Free()
_CPU = value("engine", "cpu")
_engine = _CPU  # the library's number of the one that calls run on


def set_engine(engine: str) -> str:
    """Says where the package computes from now on.

    It holds for all functions and estimators of this process, in all of its threads: distances,
    neighbours, kernels, means, functions of matrices, learned maps, and with them classification,
    tuning and evaluation. What the GPU has no kernels for runs on the processor all the same.

    Parameters
    ----------
    engine : 'cpu', 'cuda' or 'auto'
        The processor, an NVIDIA GPU, or the GPU where there is one and much to do.

    Returns
    -------
    str
        The engine before.

    Raises
    ------
    RuntimeError
        For 'cuda' where no GPU can be used.

    Examples
    --------
    >>> import spdml
    >>> before = spdml.set_engine("auto")
    >>> spdml.set_engine(before)
    'auto'
    """
    global _engine
    device, ctx = ctypes.create_string_buffer(256), context(1)
    if not isinstance(engine, str):
        raise exceptions.InvalidArgumentError(f"engine is {engine!r}; it must be 'cpu', 'cuda' or 'auto'")
    number = number_of("engine", engine.encode())
    call(ctx, "spd_engine_device", number, len(device), device)
    before, _engine = engine_name(), number
    return before


def engine_name() -> str:
    """Where the package computes."""
    return word_of("engine", _engine)


def context(n_jobs: Optional[int] = None, engine: Optional[int] = None, memory: float = 0.0
            ) -> Context:
    """This thread's context, set to n_jobs threads (`_jobs`), to an engine, by default the package's,
    and to so many bytes, 0 for the usual."""
    found = _free.last()
    found.set(1 if n_jobs == 1 else jobs.threads(n_jobs), _engine if engine is None else engine, memory)
    return found


def quick_handle() -> Any:
    """This thread's context as `quick` takes it; None if calls cannot go that way: there is no such
    module, somebody wants to see the progress of calls, or they shall run elsewhere than on the CPU."""
    if quick is None or _engine != _CPU or _callback.get() is not None:
        return None
    contexts = _free.contexts
    found = contexts[-1] if contexts else _free.last()
    found.settings = None
    return found.handle


def _warn(status: int, message: str) -> None:
    if status == exceptions.NOT_CONVERGED:
        from sklearn.exceptions import ConvergenceWarning
        warnings.warn(message, ConvergenceWarning, stacklevel=4)
    else:
        warnings.warn(message, UserWarning, stacklevel=4)


def call(ctx: Context, name: str, *arguments: Any, allow: Container[int] = (), library: Any = None) -> int:
    """Calls a function whose first argument is the context, of libspdml or of another library. Raises
    what its status says, warns if the status is positive; a status in `allow` is returned instead."""
    ctx.raised = None
    free = _free.contexts
    free.remove(ctx)  # a callback that calls the library has another one
    before = None
    try:
        before = ctx.note_interrupts()
        status: int = getattr(library or lib, name)(ctx.handle, *arguments)
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)
        free.append(ctx)
        callback = _callback.get()
        if isinstance(callback, _Bar):
            callback.close()
    if ctx.raised is not None:
        problem, ctx.raised = ctx.raised, None
        raise problem
    if status == 0 or status in allow:
        return status
    error = lib.spd_context_error(ctx.handle).contents
    message = exceptions.advised(error.message.decode(errors="replace"), error.remedy,
                              error.remedy_value, exceptions.EINVAL if library else status)
    if status > 0:
        _warn(status, message)
        return status
    index = None if error.index == SPD_NO_INDEX else error.index
    raise exceptions.exception(status, message, index, error.value)


def number_of(what: str, word: bytes) -> int:
    """The library's number of a word of one of its enumerations (objective, graph, ...)."""
    return call(context(1), "spd_parse", ENUMS.index(what), word, allow=range(100))


def word_of(what: str, number: int) -> str:
    """The same back."""
    return str(lib.spd_name(ENUMS.index(what), number).decode())


class _Bar:
    """A callback that draws a tqdm bar, one for each call; in notebooks a widget."""

    def __init__(self) -> None:
        from tqdm.auto import tqdm  # now, so that its absence is told at once
        self._make: Any = tqdm
        self._bar: Any = None
        self._task = ""

    def __call__(self, task: str, done: float, total: float, unit: str) -> None:
        whole = round(total) or None
        if self._bar is None:
            self._bar = self._make(total=whole, leave=False)
        if task != self._task:
            self._task = task
            self._bar.reset(whole)
            self._bar.unit = " " + unit
            self._bar.set_description(task, refresh=False)
        self._bar.total = whole
        self._bar.n = round(done)
        self._bar.refresh()

    def close(self) -> None:
        """The call is over."""
        if self._bar is not None:
            self._bar.close()
        self._bar, self._task = None, ""


@contextlib.contextmanager
def progress(callback: Optional[ProgressCallback] = None) -> Iterator[None]:
    """Reports the progress of the calls made inside, as in ``with spdml.progress(): model.fit(X)``. Calls
    that other threads make meanwhile are not reported.

    Parameters
    ----------
    callback : function or None
        Called as ``callback(task, done, total, unit)`` a few times a second; total is 0 when unknown,
        and raising an exception ends the call. None: a tqdm bar is drawn (needs tqdm).

    Returns
    -------
    context manager

    Examples
    --------
    >>> import numpy as np, spdml
    >>> with spdml.progress(lambda task, done, total, unit: None):
    ...     spdml.mean(np.ones((3, 1, 1)))
    array([[1.]])
    """
    token = _callback.set(callback if callback is not None else _Bar())
    try:
        yield
    finally:
        _callback.reset(token)


def version() -> str:
    """The version of the library."""
    return str(lib.spd_version().decode())


def check_environment() -> None:
    """Warns if SPDML_ISA asks for what cannot be had; the best that the machine has is then used."""
    ctx = context()
    if lib.spd_isa_check(ctx.handle) != 0:
        message = lib.spd_context_error(ctx.handle).contents.message.decode(errors="replace")
        warnings.warn(message, RuntimeWarning, stacklevel=3)


def isa_name() -> str:
    """The instruction set of the kernels in use.

    Returns
    -------
    str
        'avx512', 'avx2' or 'baseline'.

    Examples
    --------
    >>> import spdml
    >>> spdml.isa_name() in ("avx512", "avx2", "baseline")
    True
    """
    return str(lib.spd_isa_name().decode())
