#!/usr/bin/env python3
"""make_seeds.py [FOLDER] - writes the binary seeds of the structured fuzz targets.

The seeds are part of the repository; this says how they came about, and makes them anew after a
change of what a target understands. Only Python's own library is used."""
import gzip
import bz2
import io
import lzma
import pathlib
import struct
import sys
import tarfile
import zipfile

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "corpus")


def write(target, name, data):
    path = FOLDER / target / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def npy(descr, shape, data):
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + data


def doubles(*values):
    return struct.pack(f"<{len(values)}d", *values)


PAIR = npy("<f8", (2, 2, 2), doubles(2, 0, 0, 1, 3, 1, 1, 2))


def zipped(members, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()


def tarred(members, kind):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=kind) as archive:
        for name, data in members:
            entry = tarfile.TarInfo(name)
            if data is None:
                entry.type = tarfile.SYMTYPE
                entry.linkname = "../../etc/passwd"
                archive.addfile(entry)
            else:
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))
    # an archive ends with two empty blocks; tarfile fills up to twenty
    return out.getvalue().rstrip(b"\0") + bytes(1024 + 300)


def archives():
    members = [("a/x.csv", b"1,2\n3,4\n"), ("../b.pgm", b"P5 2 2 255\nabcd"), ("link", None)]
    plain = tarred(members, tarfile.USTAR_FORMAT)
    write("archive", "ustar.tar", plain)
    write("archive", "pax.tar", tarred([("n\u00e4me" + 60 * "/long", b"x")], tarfile.PAX_FORMAT))
    write("archive", "gnu.tar", tarred([("a" * 120, b"x" * 600)], tarfile.GNU_FORMAT))
    write("archive", "plain.tar.gz", gzip.compress(plain, mtime=0))
    write("archive", "plain.tar.bz2", bz2.compress(plain))
    write("archive", "plain.tar.xz", lzma.compress(plain))
    files = [m for m in members if m[1] is not None]
    write("archive", "stored.zip", zipped(files))
    write("archive", "deflated.zip", zipped(files, zipfile.ZIP_DEFLATED))
    write("archive", "cut.tar", plain[:700])


def data_sets():
    """The first byte chooses the name: csv, npy, npz, none, txt; and then the options."""
    def seed(name, kind, choice, content):
        write("data", name, bytes([kind + 5 * choice]) + content)
    labels = npy("<i8", (2,), struct.pack("<2q", 1, 2))
    both = zipped([("X.npy", PAIR), ("y.npy", labels), ("z.npy", labels)])
    seed("rows.csv", 0, 0, b"2,0,0,1\n3,1,1,2\n")
    seed("labelled.csv", 0, 0, b"a,b,c,d,y\n2,0,0,1,u\n3,1,1,2,v\n")
    seed("labels.csv", 0, 0, b"u\nv\nu\n")
    seed("named.csv", 0, 2, b"labels,a\n1,4\n2,5\n7,6\n")
    seed("pair.npy", 1, 0, PAIR)
    seed("odd.npy", 1, 4, npy("<f8", (1, 2, 2), doubles(1, 2, 3, float("nan"))))
    seed("labels.npy", 1, 0, npy("<i8", (3,), struct.pack("<3q", 5, 1, 5)))
    seed("words.npy", 1, 0, npy("<U1", (3,), "abc".encode("utf-32-le")))
    seed("both.npz", 2, 0, both)
    seed("content.npz", 3, 0, both)
    seed("other.npz", 2, 27, zipped([("A.npy", PAIR), ("labels.npy", labels)]))


def main():
    archives()
    data_sets()


if __name__ == "__main__":
    main()
