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
    """The first byte chooses the name: csv, npy, npz, none, txt, mat; and then the options."""
    def seed(name, kind, choice, content):
        write("data", name, bytes([kind + 6 * choice]) + content)
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
    head = b"MATLAB 7.3 MAT-file".ljust(124, b" ") + b"\0\2IM"
    seed("old.mat", 5, 0, (FOLDER / "mat5/scipy.mat").read_bytes()[1:])
    seed("new.mat", 5, 0, head.ljust(512, b"\0") + (FOLDER / "mat73/plain-new.h5").read_bytes())
    seed("other.npz", 2, 27, zipped([("A.npy", PAIR), ("labels.npy", labels)]))


def descriptions():
    """Name, descriptor, the file, and 64 bytes of options: zeros are the usual ones."""
    names = ["csv", "npy", "npz", "pgm", "bvh", "c3d", "amc", "txt"]
    covariance, sift, gabor, region, joints = range(5)

    def seed(ending, kind, content, options=b""):
        # the last option's byte is that of the column that groups rows
        write("describe", f"{kind}-{len(options)}.{ending}",
              bytes([names.index(ending), kind]) + content + options.ljust(64, b"\0"))
    table = b"\n".join(b"%d,%d,%d" % (i, i * i % 7, i * 5 % 11) for i in range(9)) + b"\n"
    pixels = b"P5 12 12 255\n" + bytes(i * 37 % 251 for i in range(144))
    motion = (FOLDER / "bvh/small.bvh").read_bytes()
    seed("csv", covariance, table)
    seed("csv", covariance, b"g,x,y\n" + b"\n".join(b"%d,%d,%d" % (i // 5, i, i * i % 7)
                                                   for i in range(10)), bytes(63) + b"\xff")
    seed("csv", joints, table)
    seed("txt", covariance, table.replace(b",", b"\t"))
    seed("npy", covariance, npy("<f8", (2, 6, 2), doubles(*(i * i % 13 for i in range(24)))))
    seed("npy", region, npy("|u1", (2, 8, 8), bytes(i * 7 % 256 for i in range(128))))
    seed("npz", covariance, zipped([("X.npy", npy("<f8", (6, 2), doubles(*range(12)))),
                                    ("y.npy", npy("<i8", (1,), struct.pack("<q", 4)))]))
    for kind in (sift, gabor, region):
        seed("pgm", kind, pixels)
    seed("bvh", joints, motion)
    seed("c3d", joints, (FOLDER / "c3d/intel_float.c3d").read_bytes())
    seed("amc", joints, b":FULLY-SPECIFIED\n:DEGREES\n" + b"".join(
        b"%d\nroot 1 %d 3\na %d\n" % (i, i, i * i) for i in range(1, 7)), bytes(24) + b"\1")


def main():
    archives()
    data_sets()
    descriptions()


if __name__ == "__main__":
    main()
