"""A learned map held by the library, with Python's ways of copying and pickling."""

from __future__ import annotations

import ctypes as c
import os
import tempfile
from typing import Any, Dict

import numpy as np

from ._calls import call, context
from ._hermitian import extract
from ._library import Model, lib


class ModelHandle:
    """Owns one spd_model."""

    def __init__(self, pointer: Any) -> None:
        self.pointer = pointer

    def __del__(self) -> None:
        if getattr(self, "pointer", None):
            lib.spd_model_free(self.pointer)

    @property
    def fields(self) -> Model:
        fields: Model = self.pointer.contents
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
        pointer = c.POINTER(Model)()
        call(context(1), "spd_model_load", os.fsencode(path), c.byref(pointer))
        return cls(pointer)

    def __getstate__(self) -> Dict[str, bytes]:
        """The bytes of its .spdml file."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.spdml")
            self.save(path)
            with open(path, "rb") as file:
                return {"file": file.read()}

    def __setstate__(self, state: Dict[str, bytes]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.spdml")
            with open(path, "wb") as file:
                file.write(state["file"])
            loaded = self.load(path)
        self.pointer, loaded.pointer = loaded.pointer, None
