#!/usr/bin/env python3
"""wheel_contents.py WHEEL... - is each wheel for Linux whole? Its list of files, what its libraries and programs
load, the list of what is linked into them (CycloneDX) and the licences of that."""
import base64
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

SYSTEM = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
HOLDS = {"spdml": {"spdml/libspdml.so", "spdml/_quick.abi3.so", "spdml/py.typed",
                   "spdml/include/spdml/base.h"},
         "spdml_data": {"spdml_data/libspdml-data.so", "spdml_data/spdml"}}
LINKED = {"spdml": {"openblas", "lapack", "z", "jansson", "kissfft-float", "svm"}}
LINKED["spdml_data"] = LINKED["spdml"] | {"png", "jpeg", "webp", "gif"}


def check_record(packed, info):
    lines = dict(line.split(",", 1) for line in packed.read(f"{info}/RECORD").decode().splitlines() if line)
    for name in packed.namelist():
        if not name.endswith(("/", "/RECORD")):
            data = packed.read(name)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert lines[name] == f"sha256={digest},{len(data)}", name


def check_elf(path):
    said = subprocess.run(["readelf", "-W", "-d", "--dyn-syms", path], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    others = set(re.findall(r"NEEDED.*\[(.*)\]", said)) - SYSTEM - {"libspdml.so.0"}
    assert not others, f"{path.name} loads {others}"
    newest = max(tuple(map(int, number.split("."))) for number in re.findall(r"@GLIBC_([\d.]+)", said))
    assert newest <= (2, 28), f"{path.name} asks for glibc {newest}"


def check(wheel):
    project = wheel.name.split("-")[0]
    with zipfile.ZipFile(wheel) as packed, tempfile.TemporaryDirectory() as folder:
        names = packed.namelist()
        assert len(names) == len(set(names)) and HOLDS[project] <= set(names), names
        (info,) = {name.split("/")[0] for name in names if ".dist-info/" in name}
        check_record(packed, info)
        listed = json.loads(packed.read(f"{info}/sboms/spdml.cdx.json"))
        assert (listed["bomFormat"], listed["specVersion"]) == ("CycloneDX", "1.5")
        parts = {part["name"]: part for part in listed["components"]}
        assert LINKED[project] <= set(parts), parts.keys()
        for name, part in parts.items():
            assert re.match(r"\d+\.\d", part["version"]) and part["licenses"][0]["expression"], part
            assert len(packed.read(f"{info}/licenses/{name}.txt")) > 300, name
        for name in HOLDS[project]:
            if not name.endswith((".typed", ".h")):
                check_elf(pathlib.Path(packed.extract(name, folder)))
    print(f"{wheel.name}: {len(names)} files, {len(parts)} parts listed")


for word in sys.argv[1:]:
    check(pathlib.Path(word))
