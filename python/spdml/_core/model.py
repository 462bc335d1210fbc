"""A learned map held by the library, with Python's ways of copying and pickling."""

from __future__ import annotations

import ctypes as c
import os
from typing import Any, Dict

import numpy as np

from .calls import call, context
from .hermitian import extract
from .header import Structure
from .library import lib, structs


def packed(function: str, pointer: Any) -> bytes:
    """The bytes of the file of a model or a trained method, by the function that makes them."""
    bytes_at, size = c.c_void_p(), c.c_size_t()
    call(context(1), function, pointer, c.byref(bytes_at), c.byref(size))
    try:
        return c.string_at(bytes_at, size.value)
    finally:
        lib.spd_bytes_free(bytes_at)


class ModelHandle:
    """Owns one spd_model."""

    def __init__(self, pointer: Any) -> None:
        self.pointer = pointer

    def __del__(self) -> None:
        if getattr(self, "pointer", None):
            lib.spd_model_free(self.pointer)

    @property
    def fields(self) -> Structure:
        fields: Structure = self.pointer.contents
        return fields

    @property
    def W(self) -> np.ndarray:
        """A copy of the map, (n, m), real or complex."""
        m = self.fields
        W = np.ctypeslib.as_array(m.W, shape=(m.n, m.m))
        return extract(W) if m.options.contents.hermitian else W.copy()

    @property
    def costs(self) -> np.ndarray:
        """The cost at the start and after each iteration."""
        return np.array([self.fields.history[i].cost for i in range(self.fields.steps)])

    def save(self, path: Any) -> None:
        call(context(1), "spd_model_save", self.pointer, os.fsencode(path))

    @classmethod
    def load(cls, path: Any) -> "ModelHandle":
        pointer = c.POINTER(structs.model)()
        call(context(1), "spd_model_load", os.fsencode(path), c.byref(pointer))
        return cls(pointer)

    def __getstate__(self) -> Dict[str, bytes]:
        """The bytes of its .spdml file."""
        return {"file": packed("spd_model_pack", self.pointer)}

    def __setstate__(self, state: Dict[str, bytes]) -> None:
        self.pointer = c.POINTER(structs.model)()
        call(context(1), "spd_model_unpack", state["file"], len(state["file"]), c.byref(self.pointer))
