#!/usr/bin/env python3
"""wheel_list.py WHEEL - is the list of libraries in the wheel true and complete? It is compared with
the files of the wheel itself, and with dpkg where there is one."""
import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
import zipfile


def version_of(package):
    return subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], stdout=subprocess.PIPE,
                          text=True, check=True).stdout


def check_entry(archive, entry):
    (kept,) = [item["value"] for item in entry["properties"] if item["name"] == "spdml:file"]
    (digest,) = entry["hashes"]
    assert digest["alg"] == "SHA-256"
    assert digest["content"] == hashlib.sha256(archive.read(kept)).hexdigest(), kept
    assert re.match(r"\d+\.", entry["version"]), entry
    (licence,) = entry["licenses"]
    assert re.fullmatch(r"[A-Z][\w.-]+( WITH [\w.-]+)?", licence["expression"]), licence
    if not kept.startswith("spdml/"):  # ours
        package = re.fullmatch(r"pkg:deb/\w+/([^@]+)@.+", entry["purl"])[1]
        if shutil.which("dpkg-query"):
            assert entry["version"] == version_of(package), entry
    return kept


def check_record(archive, info, name):
    lines = dict(line.split(",", 1) for line in
                 archive.read(f"{info}/RECORD").decode().splitlines() if line)
    for path in archive.namelist():
        if not path.endswith(("/", "RECORD")):
            data = archive.read(path)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert lines[path] == f"sha256={digest},{len(data)}", path
    assert name in lines


def main(path):
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        assert len(names) == len(set(names)), "a name twice"
        (name,) = [name for name in names if name.endswith("/sboms/spdml.cdx.json")]
        listed = json.loads(archive.read(name))
        assert (listed["bomFormat"], listed["specVersion"]) == ("CycloneDX", "1.5")
        found = [check_entry(archive, entry) for entry in listed["components"]]
        held = [name for name in names if re.search(r"\.so(\.|$)", name)]
        assert sorted(found) == sorted(held), (found, held)
        assert any("openblas" in name for name in found) and len(found) >= 5, found
        # Everything that is held is needed by something.
        needed = {other for item in listed["dependencies"] for other in item["dependsOn"]}
        assert needed == set(found), needed ^ set(found)
        check_record(archive, name.split("/")[0], name)
        print(f"{len(found)} libraries")


if __name__ == "__main__":
    main(sys.argv[1])
