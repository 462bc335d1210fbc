#!/usr/bin/env python3
"""make_seeds.py [FOLDER] - writes the binary seeds of the structured fuzz targets.

The seeds are part of the repository; this says how they came about, and makes them anew after a
change of what a target understands. Only Python's own library is used, but for the seeds of mat73,
which h5py writes: without it (.venv has it) they stay as they are."""
import gzip
import bz2
import io
import lzma
import pathlib
import struct
import sys
import tarfile
import zipfile
import zlib

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


# [[2, 1 + i], [1 - i, 3]]
HERMITIAN = 2, 0, 1, 1, 1, -1, 3, 0
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
    seed("complex.npy", 1, 0, npy("<c16", (1, 2, 2), doubles(*HERMITIAN)))
    seed("skew.npy", 1, 2, npy("<c16", (1, 2, 2), doubles(*HERMITIAN[:7], 1)))
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


def element(kind, content, order="<"):
    tag = struct.pack(order + "II", kind, len(content))
    return tag + content + bytes(-len(content) % 8)


def within_tag(kind, content, order="<"):
    return struct.pack(order + "I", len(content) << 16 | kind) + content.ljust(4, b"\0")


def variable(kind, dims, name, content, order="<"):
    flags = element(6, struct.pack(order + "II", kind, 0), order)
    sizes = element(5, struct.pack(f"{order}{len(dims)}i", *dims), order)
    word = within_tag(1, name, order) if 0 < len(name) <= 4 else element(1, name, order)
    return element(14, flags + sizes + word + content, order)


def matlab5():
    """0 and a file, or 1 and a variable that the target packs."""
    head = {"<": b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\1IM",
            ">": b"MATLAB 5.0 MAT-file".ljust(124) + b"\1\0MI"}
    for order, name in (("<", "little"), (">", "big")):
        cube = element(9, struct.pack(order + "8d", *range(8)), order)
        whole = element(5, struct.pack(order + "2i", -4, 5), order)
        rows = element(17, struct.pack(order + "6H", *b"adbecf"), order)
        write("mat5", name + ".mat", b"\0" + head[order] +
              variable(6, [2, 2, 2], b"X", cube, order) + variable(12, [1, 2], b"w", whole, order) +
              variable(6, [2, 2], b"small", within_tag(2, b"\1\2\3\4", order), order) +
              variable(4, [2, 3], b"rows", rows, order))
    cells = variable(1, [2, 1], b"y", variable(4, [1, 2], b"", within_tag(16, b"ab")) +
                     variable(4, [1, 3], b"", element(16, "äß€".encode())))
    square = variable(6, [3, 3], b"X", element(9, doubles(1, 0, 0, 0, 1, 0, 0, 0, 1)))
    zero = element(9, bytes(8))
    write("mat5", "cells.mat", b"\0" + head["<"] + cells)
    write("mat5", "packed.mat", b"\1" + square)
    write("mat5", "packed-cells.mat", b"\1" + cells)
    write("mat5", "packed-bytes.mat", b"\1" + variable(7, [4, 4], b"X", element(2, bytes(16))))
    packed = [zlib.compress(square), zlib.compress(cells)]
    write("mat5", "both-packed.mat", b"\0" + head["<"] + b"".join(
        struct.pack("<II", 15, len(one)) + one for one in packed))
    parts = element(9, doubles(2, 1, 1, 3)), element(1, struct.pack("4b", 0, 1, -1, 0))
    write("mat5", "complex.mat", b"\0" + head["<"] +
          variable(6 | 0x800, [2, 2, 1], b"X", b"".join(parts)) +
          variable(1, [1, 2], b"C", variable(6 | 0x800, [2, 2], b"", b"".join(parts)) +
                   variable(6, [2, 2], b"", parts[0])))
    struct_of_one = within_tag(5, struct.pack("<i", 2)) + element(1, b"a\0")
    write("mat5", "other.mat", b"\0" + head["<"] +
          variable(2, [1, 1], b"s", struct_of_one + variable(6, [1, 1], b"", zero)) +
          variable(5, [2, 2], b"p", element(5, bytes(4)) + element(5, bytes(12)) + zero) +
          variable(6 | 0x800, [1, 1], b"z", zero + zero) + variable(6, [1, 1], b"n", zero) +
          element(14, element(6, struct.pack("<II", 17, 0)) + element(1, b"o") + element(1, b"MCOS")))


def matlab73():
    """What stands behind the first 512 bytes of a file."""
    try:
        import h5py
        import numpy as np
    except ImportError:
        return

    def classed(data, name):
        data.attrs["MATLAB_class"] = np.bytes_(name)
        return data

    def plain(file):
        classed(file.create_dataset("X", data=np.eye(3)[None]), "double")

    def packed(file):
        classed(file.create_dataset("X", data=np.arange(24.0).reshape(4, 6), chunks=(2, 4),
                                    compression=4, shuffle=True, fletcher32=True), "double")

    def texts(file):
        refs = file.create_group("#refs#")
        word = classed(refs.create_dataset("a", data=np.array([[65], [66]], "u2")), "char")
        empty = classed(refs.create_dataset("b", data=np.zeros(2, "u8")), "char")
        empty.attrs["MATLAB_empty"] = np.uint8(1)
        cells = classed(file.create_dataset("y", (1, 2), dtype=h5py.ref_dtype), "cell")
        cells[0, 0], cells[0, 1] = word.ref, empty.ref

    def types(file):
        for i, kind in enumerate(["<i2", ">f4", "u1"]):
            file.create_dataset(f"v{i}", data=np.arange(4).reshape(2, 2).astype(kind))
        file.create_dataset("e", (4, 4), "i4", chunks=(2, 2), fillvalue=3)[0, 0] = 1
        file["soft"] = h5py.SoftLink("/v0")
        classed(file.create_group("s"), "struct")

    def single(file):
        values = np.arange(24.0).reshape(4, 6)
        classed(file.create_dataset("X", data=values, chunks=(4, 6), compression=4), "double")
        classed(file.create_dataset("u", data=values[:3], chunks=(1, 6)), "double")

    def complex_numbers(file):
        values = np.array([[[2, 1 + 1j], [1 - 1j, 3]]])
        kind = np.dtype([("real", "<f8"), ("imag", "<f8")])
        classed(file.create_dataset("X", data=values.view(kind)), "double")
        file.create_dataset("Y", data=values.astype(">c8"), chunks=(1, 1, 2), compression=4)
        file.create_dataset("Z", data=values.view([("a", "<f8"), ("b", "<f8")]))

    for fill, form, libver in ((plain, "", "earliest"), (packed, "", "earliest"),
                               (texts, "", "earliest"), (types, "", "earliest"),
                               (plain, "-new", "latest"), (packed, "-new", "latest"),
                               (texts, "-new", "latest"), (types, "-new", "latest"),
                               (packed, "-v110", "v110"), (single, "-v110", "v110"),
                               (complex_numbers, "", "earliest"),
                               (complex_numbers, "-new", "latest")):
        out = io.BytesIO()
        with h5py.File(out, "w", libver=libver) as file:
            fill(file)
        write("mat73", f"{fill.__name__}{form}.h5", out.getvalue())


def stores():
    """The first byte chooses repairs."""
    for name, kind, repairs in (("complex128", "d", 0), ("complex64", "f", 3)):
        width = struct.calcsize("2" + kind)
        write("store", name, bytes([repairs]) +
              npy(f"<c{width}", (2, 2, 2), struct.pack(f"<16{kind}", *HERMITIAN, *HERMITIAN)))


def main():
    stores()
    matlab5()
    matlab73()
    archives()
    data_sets()
    descriptions()


if __name__ == "__main__":
    main()
