"""The types and functions of the C headers, as ctypes sees them.

The headers are the only place where they are written down: the package carries its own copy, and reads it
when it is imported. What is read is what include/spdml/ consists of: enumerations, structures, numbers,
types of callbacks and functions."""

from __future__ import annotations

import ctypes as c
import pathlib
import re
from typing import Any, Dict, Iterable, Tuple, Type

_NUMBERS = {"char": c.c_char, "int": c.c_int, "unsigned": c.c_uint, "size_t": c.c_size_t,
            "double": c.c_double, "int64_t": c.c_int64, "uint64_t": c.c_uint64, "uint32_t": c.c_uint32}
_DECLARATION = re.compile(r"""
    \#define[ ](?P<constant>SPD_\w+)[ ]+(?P<number>\d+)[ ]*$
    | typedef[ ]enum[ ](?P<enum>\w+)[ ]\{(?P<values>[^}]*)\}
    | ^(?:typedef[ ])?struct[ ](?P<struct>\w+)[ ](?:\{(?P<fields>[^}]*)\})?
    | typedef[ ](?P<answer>[^;{]*)\(\*(?P<callback>\w+)\)\((?P<taken>[^;]*)\);
    | SPD_API[ ](?P<result>[^;]*?)(?P<function>\w+)\((?P<arguments>[^;]*)\);""", re.X | re.M)


class Structure(c.Structure):
    """One whose first field is its own size knows it."""

    def __init__(self, *values: Any, **named: Any) -> None:
        sized = self._fields_[0][0] == "size"
        super().__init__(*((c.sizeof(type(self)),) if sized else ()), *values, **named)


class Structures:
    """Types of a header as attributes, without the prefix spd_."""

    def __init__(self, types: Dict[str, Any]) -> None:
        vars(self).update({name.removeprefix("spd_"): made for name, made in types.items()})

    def __getattr__(self, name: str) -> Type[Structure]:  # those that are there are found before
        raise AttributeError(f"the headers have no spd_{name}")


class Header:
    """What header files declare. `own`: types that are known already, classes for
    structures among them."""

    def __init__(self, files: Iterable[pathlib.Path], own: Dict[str, Any]) -> None:
        self.constants: Dict[str, int] = {}
        self.enums: Dict[str, Tuple[str, ...]] = {}
        self.types: Dict[str, Any] = {**_NUMBERS, **own}  # None: nothing is known of it but its name
        self.functions: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {}
        text = "".join(file.read_text("utf-8") for file in files)
        text = re.sub(r"/\*.*?\*/|#ifdef __cplusplus.*?#e(lse|ndif)", "", text, flags=re.S)
        for found in _DECLARATION.finditer(text):
            self._declare(**found.groupdict())

    def _declare(self, **of: Any) -> None:
        if of["constant"]:
            self.constants[of["constant"]] = int(of["number"])
        elif of["enum"]:
            self.types[of["enum"]] = c.c_int
            self.enums[of["enum"]] = tuple(re.findall(r"SPD_\w+", of["values"]))
        elif of["struct"] and not of["fields"]:
            self.types.setdefault(of["struct"], None)
        elif of["struct"]:
            made: Any = self.types.get(of["struct"]) or type(of["struct"], (Structure,), {})
            made._fields_ = [field for line in of["fields"].split(";") for field in self._members(line)]
            self.types[of["struct"]] = made
        elif of["callback"]:
            self.types[of["callback"]] = c.CFUNCTYPE(self._type(of["answer"]), *self._arguments(of["taken"]))
        else:
            self.functions[of["function"]] = self._type(of["result"]), self._arguments(of["arguments"])

    def _members(self, line: str) -> Iterable[Tuple[str, Any]]:
        """Of a line "const double *mean, *observations" or "char name[32]"."""
        kind, _, first = line.strip().removeprefix("const ").partition(" ")
        for name in first.split(",") if first else ():
            stars, title, length = re.findall(r"^(.*?)(\w+)(?:\[(\w+)\])?$", name.strip())[0]
            made = self._type(f"{kind} {stars}")
            yield title, made * (self.constants.get(length) or int(length)) if length else made

    def _arguments(self, text: str) -> Tuple[Any, ...]:
        return () if text == "void" else tuple(self._type(re.sub(r"\w+$", "", one)) for one in text.split(","))

    def _type(self, text: str) -> Any:
        """Of "const spd_set *" and the like."""
        stars = text.count("*")
        words = [word for word in text.replace("*", " ").split() if word not in ("const", "struct")]
        made = self.types.get(words[0])
        if stars and (made is None or words[-1] == "char"):
            made, stars = c.c_char_p if words == ["char"] else c.c_void_p, stars - 1
        for _ in range(stars):
            made = c.POINTER(made)
        return made
