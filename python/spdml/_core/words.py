"""Words and numbers of the library: of its enumerations, of seeds, of parameters of methods."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..exceptions import InvalidArgumentError
from .arrays import real, text
from .calls import number_of, word_of


def choice(what: str, value: str) -> int:
    """The library's number of a word of one of its enumerations (objective, graph, ...)."""
    return number_of(what, text(value, what))


def seed_number(name: str, value: Any) -> int:
    """A seed as the library takes it; ctypes would wrap others round without a word."""
    if not isinstance(value, (int, np.integer)) or not 0 <= value < 2**64:
        raise InvalidArgumentError(f"{name} is {value!r}; it must be an integer from 0 to 2**64 - 1")
    return int(value)


def parameter_number(parameter: str, value: Any) -> float:
    """A value of a method's parameter as the library takes it: objectives have names."""
    return choice(parameter, value) if parameter == "objective" else real(value, parameter)


def parameter_value(parameter: str, number: float) -> Any:
    """The same back."""
    return word_of("objective", int(number)) if parameter == "objective" else number
