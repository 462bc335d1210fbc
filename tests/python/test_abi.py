"""What is read of the headers is what a C compiler makes of them."""

import ctypes
import re
import shutil
import subprocess

import pytest
from conftest import ROOT
from spdml._core import data_library, library
from spdml._core.header import Structure

TEXT = "".join(path.read_text() for path in [*sorted((ROOT / "include/spdml").glob("*.h")),
                                              ROOT / "include/spdml-data.h"])
STRUCTURES = {name: made for name, made in data_library.HEADER.types.items()
              if isinstance(made, type) and issubclass(made, Structure)}
FUNCTIONS = {**library.HEADER.functions, **data_library.HEADER.functions}


@pytest.fixture(scope="module")
def layout(tmp_path_factory):
    """(structure, field): offset, and (structure, ''): size, as the compiler sees them."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("abi")
    lines = ["#include <stdio.h>", '#include "spdml-data.h"', "int main(void) {"]
    for name, structure in STRUCTURES.items():
        lines.append(f'printf("{name}  %zu\\n", sizeof({name}));')
        for field, *_ in structure._fields_:
            lines.append(f'printf("{name} {field} %zu\\n", offsetof({name}, {field}));')
    lines.append('printf("parameters  %d\\n", SPD_PARAMETERS);')
    lines.append("return 0; }")
    (folder / "layout.c").write_text("\n".join(lines))
    subprocess.run([compiler, f"-I{ROOT}/include", "layout.c", "-o", "layout"], cwd=folder,
                   check=True)
    text = subprocess.run([folder / "layout"], capture_output=True, text=True, check=True).stdout
    return {tuple(line.split(" ")[:2]): int(line.split(" ")[2]) for line in text.splitlines()}


@pytest.mark.parametrize("name", STRUCTURES)
def test_structures_have_the_layout_of_the_header(layout, name):
    structure = STRUCTURES[name]
    assert ctypes.sizeof(structure) == layout[name, ""]
    for field, *_ in structure._fields_:
        assert getattr(structure, field).offset == layout[name, field], field


def test_every_structure_and_function_is_read():
    declared = re.sub(r"/[*].*?[*]/", "", TEXT, flags=re.S)
    assert set(STRUCTURES) == set(re.findall(r"^(?:typedef )?struct (spd_\w+) \{", declared, re.M)) - {"spd_set_view"}
    assert set(FUNCTIONS) == set(re.findall(r"^SPD_API [^;]*?(spd_\w+)\(", declared, re.M))
    assert len(STRUCTURES) > 40 and len(FUNCTIONS) > 100


def test_parameters_are_those_of_the_header(layout):
    assert len(library.PARAMETERS) == layout["parameters", ""]
    for i, name in enumerate(library.PARAMETERS):
        found = library.lib.spd_name(library.ENUMS.index("parameter"), i)
        assert found.decode().replace("-", "_") == name


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_have_as_many_arguments_as_in_the_header(name):
    declared = re.search(rf"SPD_API [^;]*?\b{name}\(([^;]*)\);", TEXT)
    inside = declared[1].strip()
    count = 0 if inside == "void" else inside.count(",") + 1
    assert len(FUNCTIONS[name][1]) == count


def test_types_of_arguments():
    """One of each kind."""
    _, arguments = FUNCTIONS["spd_set_open"]
    options, found = (ctypes.POINTER(STRUCTURES[name]) for name in ("spd_set_options", "spd_set"))
    assert arguments == (ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_char_p), options,
                         ctypes.POINTER(found))
    assert FUNCTIONS["spd_version"] == (ctypes.c_char_p, ())
    assert FUNCTIONS["spd_classifier_weights"] == (ctypes.POINTER(ctypes.c_double), (ctypes.c_void_p,))
    assert FUNCTIONS["spd_model_unpack"][1][1:3] == (ctypes.c_void_p, ctypes.c_size_t)
