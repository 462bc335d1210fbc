"""The structures and functions of _library.py are those of the header."""

import ctypes
import re
import shutil
import subprocess

import pytest
from conftest import ROOT
from spdml._core import data_library as _data_library, library as _library

HEADER = "".join(path.read_text() for path in sorted((ROOT / "include/spdml").glob("*.h")))
STRUCTURES = {
    "spd_error": _library.Error,
    "spd_progress": _library.Progress,
    "spd_set": _library.Set,
    "spd_set_options": _library.SetOptions,
    "spd_nearest_options": _library.NearestOptions,
    "spd_mean_options": _library.MeanOptions,
    "spd_fit_options": _library.FitOptions,
    "spd_fit_step": _library.FitStep,
    "spd_fit_hooks": _library.FitWatch,
    "spd_model": _library.Model,
    "spd_explanation": _library.Explanation,
    "spd_method": _library.Method,
    "spd_samples": _library.Samples,
    "spd_classifier_facts": _library.Facts,
    "spd_metadata": _library.Notes,
    "spd_grid": _library.Grid,
    "spd_evaluate_options": _library.EvaluateOptions,
    "spd_tune_options": _library.Tuning,
    "spd_tune_info": _library.Tuned,
    "spd_round": _library.Round,
    "spd_outcome": _library.Outcome,
    "spd_method_result": _library.MethodResult,
    "spd_remark": _library.Remark,
    "spd_evaluation": _library.Evaluation,
    "spd_covariance_options": _library.CovarianceOptions,
    "spd_embed_options": _library.EmbedOptions,
    "spd_embed_info": _library.EmbedInfo,
    "spd_pair": _library.Pair,
    "spd_array": _data_library.Array,
    "spd_data": _data_library.DataSet,
    "spd_rect": _data_library.Rect,
    "spd_describe_options": _data_library.DescribeOptions,
    "spd_describe_info": _data_library.Failures,
}


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
    lines.append(f'printf("parameters  %d\\n", SPD_PARAMETERS);')
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


def test_parameters_are_those_of_the_header(layout):
    assert len(_library.PARAMETERS) == layout["parameters", ""]
    for i, name in enumerate(_library.PARAMETERS):
        found = _library.lib.spd_name(_library.ENUMS.index("parameter"), i)
        assert found.decode().replace("-", "_") == name


def test_enumerations_are_those_of_the_header():
    assert [name.upper() for name in _library.ENUMS] == re.findall(r"^    SPD_ENUM_(\w+)", HEADER, re.M)


@pytest.mark.parametrize("name", _library.PROTOTYPES)
def test_functions_have_as_many_arguments_as_in_the_header(name):
    declared = re.search(rf"SPD_API [^;]*?\b{name}\(([^;]*)\);", HEADER)
    assert declared, f"the header has no {name}"
    inside = declared[1].strip()
    count = 0 if inside == "void" else inside.count(",") + 1
    assert len(_library.PROTOTYPES[name][1]) == count
