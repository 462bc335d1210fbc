"""Files made to harm whoever reads them: a message or a result within seconds and little memory."""

import bz2
import gzip
import io
import json
import os
import struct
import tarfile
import warnings
import zipfile
import zlib

import numpy as np
import pytest
from conftest import members, random_spd

# ---- .npy ----------------------------------------------------------------------------------------


def npy(header, data=b"", version=1, length=None):
    text = header.encode("latin-1")
    size = len(text) if length is None else length
    width = 2 if version == 1 else 4
    return b"\x93NUMPY" + bytes([version, 0]) + size.to_bytes(width, "little") + text + data


def plain(shape, descr="<f8", order="False"):
    return f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}}}"


def array(X):
    out = io.BytesIO()
    np.save(out, X)
    return out.getvalue()


NPY = {
    "dimensions that overflow": npy(plain("(4294967296, 4294967296, 4294967296)")),
    "overflow hidden by a zero": npy(plain("(9223372036854775807, 9223372036854775807, 0)")),
    "two to the 63 elements": npy(plain("(9223372036854775808,)")),
    "a negative size": npy(plain("(-1, 3, 3)")),
    "a hundred dimensions": npy(plain("(" + "1," * 100 + ")")),
    "texts without width": npy(plain("(1152921504606846976,)", "|S0")),
    "texts of absurd width": npy(plain("(1,)", "<U4611686018427387905")),
    "a header of 4 GiB": npy(plain("(1,)"), version=2, length=0xFFFFFFFF),
    "a header that is not there": npy("", length=65535),
    "brackets without end": npy(
        "{'descr': " + "[(" * 20000 + ", 'fortran_order': False, 'shape': (1,)}"),
    "keys twice": npy("{'descr': '<f8', 'descr': '<i1', 'fortran_order': False, 'shape': (1,)}"),
    "code in the header": npy("__import__('os').system('touch pwned')"),
    "a pickle": npy(plain("(1,)", "|O"), b"cos\nsystem\n(S'touch pwned'\ntR."),
    "controls in the type": npy(plain("(1, 1)", "\x1b]0;x\x07"), b"\0" * 8),
    "NUL in the header": npy(plain("(1, 1)\0\0"), b"\0" * 8),
}

# ---- .npz ----------------------------------------------------------------------------------------


def zipped(members, method=zipfile.ZIP_STORED, comment=b""):
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names twice
        with zipfile.ZipFile(out, "w", method) as archive:
            archive.comment = comment
            for name, content in members:
                archive.writestr(name, content)
    return out.getvalue()


EYE = array(np.eye(3)[None])
ONE = zipped([("X.npy", EYE)])
AT = ONE.index(b"PK\1\2")  # the directory, with one entry
END = struct.Struct("<IHHHHIIH")  # the last record


def spoilt(*changes, whole=ONE):
    """Bytes put at places."""
    bytes_ = bytearray(whole)
    for at, value in changes:
        bytes_[at:at + len(value)] = value
    return bytes(bytes_)


def overlapping():
    """Two entries of the directory share the bytes of one member, as in a bomb that multiplies."""
    entry, local = ONE[AT:-22], ONE[:AT]
    twice = entry + entry.replace(b"X.npy", b"Y.npy")
    return local + twice + END.pack(0x06054B50, 0, 0, 2, 2, len(twice), len(local), 0)


def nested():
    """A member within the bytes of another, both whole: names, sizes and checksums are right."""
    inner = ONE[:AT]
    outer = zipped([("Y.npy", array(np.frombuffer(inner, "u1")))])
    at = outer.index(b"PK\1\2")
    place = outer.index(inner)
    entry = bytearray(ONE[AT:-22])
    entry[42:46] = struct.pack("<I", place)
    both = outer[at:-22] + bytes(entry)
    return outer[:at] + both + END.pack(0x06054B50, 0, 0, 2, 2, len(both), at, 0)


def wide(count=1, size=None, at=AT, locator=None):
    """The directory's place in 64 bits."""
    size = len(ONE) - 22 - AT if size is None else size
    end64 = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count, size, at)
    place = len(ONE) - 22 if locator is None else locator
    return (ONE[:-22] + end64 + struct.pack("<IIQI", 0x07064B50, 0, place, 1)
            + END.pack(0x06054B50, 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0))


def bomb():
    """Deflated zeros that promise far more than memory."""
    header = npy(plain("(40, 10000, 10000)"))
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed, crc = packer.compress(header), zlib.crc32(header)
    block = b"\0" * (1 << 20)
    for _ in range(64):
        packed += packer.compress(block)
        crc = zlib.crc32(block, crc)
    packed += packer.flush()
    size = 1032 * len(packed)
    fields = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 0x21, crc, len(packed), size, 5, 0)
    local = b"PK\3\4" + fields + b"X.npy" + packed
    entry = b"PK\1\2\x14\0" + fields + struct.pack("<HHHII", 0, 0, 0, 0, 0) + b"X.npy"
    return local + entry + END.pack(0x06054B50, 0, 0, 1, 1, len(entry), len(local), 0)


NPZ = {
    "two members of one name": zipped([("X.npy", EYE), ("X.npy", array(2 * np.eye(3)[None]))]),
    "members that overlap": overlapping(),
    "a member within another": nested(),
    "a directory that counts too many": spoilt((len(ONE) - 14, b"\xff\xff\xff\xff")),
    "a directory that counts too few": spoilt((len(ONE) - 14, b"\0\0\0\0")),
    "a directory in front of itself": spoilt((len(ONE) - 6, b"\xff\xff\xff\x7f")),
    "another name in the member": spoilt((30, b"Z")),
    "another method in the member": spoilt((8, b"\x08")),
    "another size in the member": spoilt((22, b"\xff\xff\0\0")),
    "a member before the file": spoilt((AT + 42, b"\xff\xff\xff\xfe")),
    "a size of 4 GiB": spoilt((AT + 20, b"\xfe\xff\xff\xff\xfe\xff\xff\xff")),
    "a zip64 field that is missing": spoilt((AT + 20, b"\xff\xff\xff\xff\xff\xff\xff\xff")),
    "an extra field beyond the end": spoilt((AT + 30, b"\xff\xff")),
    "a comment beyond the end": spoilt((AT + 32, b"\xff\xff")),
    "NUL in a name": zipped([("X.npy", EYE)]).replace(b"X.npy", b"X\0npy"),
    "a locator to nowhere": wide(locator=0xFFFFFFFFFFFFFFF0),
    "a directory of 2^63 members": wide(count=1 << 63),
    "a directory of 2^62 bytes": wide(size=1 << 62),
    "an end within the comment": zipped(
        [("X.npy", EYE)], comment=ONE[-22:-2] + b"\x40\0" + b"z" * 64),
    "sizes of zeros that explode": bomb(),
    "many small members": zipped([(f"m{i}.npy", array(np.zeros(1))) for i in range(3000)]),
    "a name of 60000 bytes": zipped([("n" * 60000 + ".npy", EYE)]),
    "a name that leads out": zipped([("../../../tmp/X.npy", EYE)]),
    "meta of brackets": zipped([("X.npy", EYE), ("meta.json", "[" * 500000)]),
    "meta that is no text": zipped([("X.npy", EYE), ("meta.json", b"\xff\xfe\0\0")]),
    "meta too long": zipped([("X.npy", EYE), ("meta.json", " " * (2 << 20))], zipfile.ZIP_DEFLATED),
    "meta that speaks to terminals": zipped(
        [("X.npy", EYE),
         ("meta.json", '{"descriptor": "\\u001b[2J", "spdml": "\\u001b]0;x\\u0007"}')]),
    "a model of absurd size": zipped(
        [("W.npy", EYE),
         ("meta.json", '{"format": "spdml-model", "version": 1, "n": 1e300, "m": -5}')]),
}

# ---- .csv ----------------------------------------------------------------------------------------

CSV = {
    "NUL": b"1,2\0,3\n",
    "a byte order mark alone": b"\xef\xbb\xbf",
    "UTF-16": "1,2\n3,4\n".encode("utf-16"),
    "a line of 8 MB": b"1" * (8 << 20) + b"\n",
    "a million columns": b"1," * (1 << 20) + b"1\n",
    "a million empty cells": b"," * (1 << 20) + b"\n",
    "blanks alone": b" \t" * (2 << 20),
    "comments alone": b"# x\n" * (1 << 19),
    "carriage returns": b"1\r0\r" * (1 << 17),
    "a quote without end": b'"' + b"1,2\n" * (1 << 19),
    "quotes alone": b'"' * (1 << 20),
    "quotes within": b'1,"' + b'""' * (1 << 19) + b'",2\n',
    "numbers of 100 digits": (b"1" * 100 + b",") * 999 + b"1\n",
    "numbers beyond doubles": b"1e999,-1e999\nnan,inf\n",
    "a mistyped first row": b"1,0,0,1.o\n2,0,0,2\n",
    "labels that speak to terminals": b"a,b,c,d,y\n2,0,0,2,\x1b[31mred\n1,0,0,1,\xe2\x80\xae\n",
    "text that is not UTF-8": b"a,b,c,d,y\n2,0,0,2,\xff\xfe\n1,0,0,1,\xc0\x9b\n",
    "rows that grow": b"".join(b"1," * k + b"1\n" for k in range(1, 400)),
}

# ---- images --------------------------------------------------------------------------------------


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, bits, colour, packed, before=b"", interlace=0):
    head = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, interlace)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
            + before + chunk(b"IDAT", packed) + chunk(b"IEND", b""))


def tiff(*entries, more=b"", following=0):
    """A little-endian TIFF of one directory; entries (tag, kind, count, value)."""
    count = len(entries)
    body = struct.pack("<H", count) + b"".join(struct.pack("<HHII", *e) for e in sorted(entries))
    return b"II*\0" + struct.pack("<I", 8) + body + struct.pack("<I", following) + more


def grey(width, height, **more):
    """Entries of a grey image of 8 bits in one strip behind the directory."""
    strip = {"offset": 8 + 2 + 12 * 9 + 4, "bytes": 4, "packing": 1, "rows": height, **more}
    return [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (259, 3, 1, strip["packing"]),
            (262, 3, 1, 1), (273, 4, 1, strip["offset"]), (277, 3, 1, 1), (278, 4, 1, strip["rows"]),
            (279, 4, 1, strip["bytes"])]


def jpeg(width, height, components=1):
    frame = struct.pack(">BHHB", 8, height, width, components) + b"".join(
        bytes([i + 1, 0x11, 0]) for i in range(components))
    table = bytes([0]) + bytes([1] * 64)
    return (b"\xff\xd8" + b"\xff\xdb" + struct.pack(">H", len(table) + 2) + table
            + b"\xff\xc0" + struct.pack(">H", len(frame) + 2) + frame + b"\xff\xd9")


ZEROS = zlib.compress(b"\0" * (32 << 20), 9)
IMAGES = {
    "png of 2^31 pixels a side": png(0x7FFFFFFF, 0x7FFFFFFF, 8, 2, b""),
    "png without pixels": png(0, 0, 8, 0, b""),
    "png of 60000 x 60000 bits": png(60000, 60000, 1, 0, ZEROS),
    "png of 16000 x 16000, nearly nothing": png(16000, 16000, 8, 0, zlib.compress(b"\0")),
    "png with an exploding profile": png(1, 1, 8, 0, zlib.compress(b"\0\0"),
                                         before=chunk(b"iCCP", b"p\0\0" + ZEROS)),
    "png with an exploding text": png(1, 1, 8, 0, zlib.compress(b"\0\0"),
                                      before=chunk(b"zTXt", b"t\0\0" + ZEROS)),
    "png with a chunk of 2 GB": b"\x89PNG\r\n\x1a\n\x7f\xff\xff\xffIHDR",
    "png with 100000 chunks": png(1, 1, 8, 0, zlib.compress(b"\0\0"),
                                  before=chunk(b"tEXt", b"a\0b") * 100000),
    "png of a palette that is missing": png(4, 4, 8, 3, zlib.compress(b"\0\0\0\0\0" * 4)),
    "png interlaced, cut": png(2000, 2000, 16, 6, zlib.compress(b"\0" * 100), interlace=1),
    "jpeg of 65535 x 65535": jpeg(65535, 65535, 3),
    "jpeg without pixels": jpeg(0, 0),
    "jpeg of 255 components": jpeg(8, 8, 255),
    "jpeg of markers": b"\xff\xd8" + b"\xff" * (1 << 20),
    "jpeg of tables": b"\xff\xd8" + (b"\xff\xdb\0\x43\0" + b"\1" * 64) * 20000,
    "tiff of 2^32 pixels a side": tiff(*grey(0xFFFFFFFF, 0xFFFFFFFF)),
    "tiff that lies beyond its end": tiff(*grey(2, 2, offset=0xFFFFFFF0)),
    "tiff with a strip of 4 GiB": tiff(*grey(2, 2, bytes=0xFFFFFFFF)),
    "tiff that follows itself": tiff(*grey(2, 2), more=b"abcd", following=8),
    "tiff with strips of no rows": tiff(*grey(2, 2, rows=0), more=b"abcd"),
    "tiff, deflated zeros": tiff(*grey(60000, 60000, packing=8, bytes=len(ZEROS)), more=ZEROS),
    "tiff of old jpeg": tiff(*grey(64, 64, packing=6), more=b"abcd"),
    "tiff of 65535 entries": b"II*\0\x08\0\0\0\xff\xff" + b"\0" * 1000,
    "pgm of 10^10 pixels": b"P5 100000 100000 255\n",
    "pgm of a size that overflows": b"P5 18446744073709551617 1 255\n\0",
    "pgm of highest value zero": b"P5 2 2 0\n\0\0\0\0",
    "pgm with a comment without end": b"P2 #" + b"x" * (4 << 20),
    "pgm of blanks": b"P2 " + b" \n" * (2 << 20),
    "pbm of nothing": b"P4 99999 99999\n",
    "ppm of letters": b"P3 2 2 255\n a b c d e f g h i j k l",
}

# ---- motion capture ------------------------------------------------------------------------------

ROOT = "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n"
ASF = (":version 1.10\n:name x\n:units\n  length 1\n  angle deg\n:root\n  order TX TY TZ RX RY RZ\n"
       "  axis XYZ\n  position 0 0 0\n  orientation 0 0 0\n:bonedata\n")
BONE = ("  begin\n  id {0}\n  name b{0}\n  direction 1 0 0\n  length 1\n  axis 0 0 0 XYZ\n"
        "  dof rx\n  end\n")
TREE = ":hierarchy\n  begin\n  root b1\n"
AMC_HEAD = ":FULLY-SPECIFIED\n:DEGREES\n"
FRAME = "{0}\nroot 0 0 0 0 0 0\nb1 0\n"


def c3d(points=1, first=1, last=1, scale=-1.0, data=3, analog=0, parameters=b"", pointer=2):
    head = struct.pack("<BBHHHHHfHHf", pointer, 0x50, points, analog, first, last, 10, scale, data,
                       analog, 100.0)
    return head.ljust(512, b"\0") + parameters.ljust(512, b"\0") + b"\0" * 512


MOTION = {
    "deep.bvh": ROOT + "JOINT j\n{\nOFFSET 0 0 0\nCHANNELS 0\n" * 20000,
    "frames.bvh": ROOT + "}\nMOTION\nFrames: 999999999999\nFrame Time: 0.01\n0 0 0\n",
    "minus.bvh": ROOT + "}\nMOTION\nFrames: -1\nFrame Time: 0.01\n0 0 0\n",
    "time.bvh": ROOT + "}\nMOTION\nFrames: 1\nFrame Time: -nan\n0 0 0\n",
    "channels.bvh": ROOT.replace("CHANNELS 3", "CHANNELS 999999999"),
    "wide.bvh": ROOT + "JOINT j\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\n" * 20000 + "}\nMOTION\nFrames: 1\n",
    "word.bvh": "HIERARCHY\nROOT " + "x" * (4 << 20),
    "brackets.bvh": "HIERARCHY\n" + "{" * (1 << 20),
    "escape.bvh": ROOT.replace("ROOT r", "ROOT \x1b[2J") + "JUNK\x1b]0;x\x07 1\n",
    "counts.c3d": c3d(points=65535, first=1, last=65535),
    "backwards.c3d": c3d(first=65535, last=1),
    "analog.c3d": c3d(points=255, analog=65535, last=65535),
    "scale.c3d": c3d(scale=float("nan")),
    "pointer.c3d": c3d(pointer=255),
    "parameters.c3d": c3d(parameters=b"\0\0\xff\x54" + b"\x7f\x01" * 254),
    "loop.c3d": c3d(parameters=b"\0\0\1\x54" + b"\4\xffPOIN\0\0" * 60),
    "dimensions.c3d": c3d(
        parameters=b"\0\0\1\x54\5\1POINT\3\0\0\6\1LABELS\xff\x7f\xff\7" + b"\xff" * 7),
    "cycle.asf": ASF + BONE.format(1) + BONE.format(2) + TREE + "  b1 b2\n  b2 b1\n  end\n",
    "itself.asf": ASF + BONE.format(1) + TREE + "  b1 b1\n  end\n",
    "many.asf": ASF + "".join(BONE.format(i) for i in range(20000)) + TREE + "  end\n",
    "twice.asf": ASF + BONE.format(1) * 2000,
    "word.asf": ASF + "x" * (4 << 20),
    "chain.asf": ASF + "".join(BONE.format(i) for i in range(1, 3000)) + TREE
    + "".join(f"  b{i} b{i + 1}\n" for i in range(1, 2999)) + "  end\n",
}
AMC = {
    "frames": AMC_HEAD + "".join(FRAME.format(i) for i in range(1, 30000)),
    "numbers": AMC_HEAD + "1\nroot " + "1e308 " * (1 << 18),
    "gaps": AMC_HEAD + FRAME.format(1) + FRAME.format(18446744073709551615),
    "strangers": AMC_HEAD + "1\n" + "\x1b[2J 1\n" * 1000,
}

# ---- archives ------------------------------------------------------------------------------------

TABLE = b"1,2\n3,5\n4,1\n2,2\n"


def tarred(*members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, kind, content in members:
            info = tarfile.TarInfo(name)
            info.type = kind
            info.linkname = "/etc/passwd" if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE) else ""
            info.size = len(content) if kind == tarfile.REGTYPE else 0
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def sparse_tar(size):
    """A member that claims to be much longer than the archive."""
    info = tarfile.TarInfo("a.csv")
    info.size = size
    return info.tobuf(tarfile.GNU_FORMAT) + b"1,2\n" * 128


FILE = tarfile.REGTYPE
LINKS = [(f"{i}.csv", kind, b"") for i, kind in enumerate(
    [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE,
     tarfile.DIRTYPE])]
ARCHIVES = {
    "links.tar": tarred(*LINKS),
    "links2.tar": tarred(("a.csv", FILE, TABLE), *LINKS),
    "out.tar": tarred(("/etc/spdml-test.csv", FILE, TABLE), ("../../../b.csv", FILE, TABLE)),
    "huge.tar": sparse_tar(1 << 40),
    "long.tar": tarred(("d/" * 30000 + "a.csv", FILE, TABLE)),
    "escape.tar": tarred(("\x1b[2J\x07.csv", FILE, b"x")),
    "members.tar": tarred(*((f"{i}.csv", FILE, b"") for i in range(3000))),
    "nested.zip": zipped([("b.zip", zipped([("a.csv", TABLE)]))]),
    "zeros.zip": zipped([("a.csv", b"\0" * (64 << 20))], zipfile.ZIP_DEFLATED),
    "rows.tar.gz": gzip.compress(tarred(("a.csv", FILE, b"1,2\n" * (4 << 20)))),
    "cut.tar.bz2": bz2.compress(tarred(("a.csv", FILE, TABLE)))[:60],
    "overlap.zip": overlapping().replace(b"X.npy", b"X.csv").replace(b"Y.npy", b"Y.csv"),
    "gzipped.zip": gzip.compress(b"\0" * (64 << 20)),
    "empty.tar": b"\0" * 10240,
    "not.tar": b"\x1b[2J" * 1000,
    "program.zip": b"#!/bin/sh\ntouch pwned\n",
}

# ---- indices -------------------------------------------------------------------------------------

INDICES = {
    "two labels": "file,label\n1.csv,a\n2.csv,b\n1.csv,b\n",
    "out of the folder": "file,label,../../x\n1.csv,a,1\n2.csv,b,2\n/etc/passwd,c,3\n",
    "terminals": "file,label,\x1b[2J\n1.csv,\x1b[31m,1\n2.csv,\x9b,2\n",
    "binary": b"\x7fELF\0\0\0",
    "one column": "file\n1.csv\n",
    "wide": "file," + "c," * 100000 + "label\n1.csv," + "1," * 100000 + "a\n",
    "long": "file,label\n" + "1.csv,a\n" * 200000 + "2.csv,b\n",
    "a mistyped label": "1.csv,a\n2.csv,2\n",
}


# ---- running -------------------------------------------------------------------------------------


@pytest.fixture
def survives(proportionate, tmp_path):
    """Runs the command with little memory and time; it must end by itself, with one clean line."""

    def run(*words, **limits):
        done = proportionate(*words, **limits)
        shown = done.stdout + done.stderr
        assert done.returncode in (0, 1, 2), (done.returncode, shown)
        if done.returncode:
            assert done.stderr.startswith(b"spdml: ") and done.stderr.count(b"\n") == 1, done.stderr
        assert not set(shown) & (set(range(32)) - {9, 10}) and 127 not in shown, shown
        assert "\u202e" not in shown.decode() and "\x9b" not in shown.decode()
        assert not (tmp_path / "pwned").exists()
        return done

    return run


def put(folder, name, content):
    content = content if isinstance(content, bytes) else content.encode("latin-1")
    (folder / name).write_bytes(content)
    return name


@pytest.mark.parametrize("what", NPY)
def test_npy(survives, tmp_path, what):
    assert survives("info", put(tmp_path, "a.npy", NPY[what])).returncode == 1


@pytest.mark.parametrize("what", NPZ)
def test_npz(survives, tmp_path, what):
    name = put(tmp_path, "a.npz", NPZ[what])
    done = survives("info", name)
    fine = ("an end within the comment", "a name of 60000 bytes", "a name that leads out",
            "meta of brackets", "meta that speaks to terminals", "a model of absurd size")
    assert done.returncode == (0 if what in fine else 1), done.stderr
    (tmp_path / "a.npz").rename(tmp_path / "a.spdml")
    assert survives("info", "a.spdml").returncode in (0, 1)
    assert survives("transform", name, "--model", "a.spdml", "-o", "o.npz").returncode


@pytest.mark.parametrize("what", CSV)
def test_csv(survives, tmp_path, what):
    name = put(tmp_path, "a.csv", CSV[what])
    survives("info", name)
    survives("describe", "covariance", name, "-o", "o.npz")


@pytest.mark.parametrize("what", IMAGES)
def test_images(survives, tmp_path, what):
    ending = what.split()[0]
    name = put(tmp_path, "a." + ending, IMAGES[what])
    survives("describe", "region", name, "-o", "o.npz", "--threads", "1")


@pytest.mark.parametrize("name", MOTION)
def test_motion(survives, tmp_path, name):
    put(tmp_path, name, MOTION[name])
    if name.endswith(".asf"):
        name = put(tmp_path, name[:-4] + "_1.amc", AMC_HEAD + FRAME.format(1))
    survives("describe", "joints", name, "-o", "o.npz", "--threads", "1")


@pytest.mark.parametrize("what", AMC)
def test_clips(survives, tmp_path, what):
    put(tmp_path, "s.asf", ASF + BONE.format(1) + TREE + "  end\n")
    name = put(tmp_path, "s_1.amc", AMC[what])
    survives("describe", "joints", name, "-o", "o.npz", "--threads", "1")


@pytest.mark.parametrize("name", ARCHIVES)
def test_archives(survives, tmp_path, name):
    put(tmp_path, name, ARCHIVES[name])
    done = survives("describe", "covariance", name, "-o", "o.npz", "--threads", "1")
    assert set(os.listdir(tmp_path)) <= {name, "o.npz"}, "something was unpacked"
    assert not os.path.exists("/etc/spdml-test.csv")
    assert (done.returncode == 0) == (tmp_path / "o.npz").exists()


@pytest.mark.parametrize("what", INDICES)
def test_indices(survives, tmp_path, what):
    (tmp_path / "t").mkdir()
    for name in ("1.csv", "2.csv"):
        put(tmp_path / "t", name, TABLE)
    index = put(tmp_path, "index.csv", INDICES[what])
    done = survives("describe", "covariance", "t", "--labels", index, "-o", "o.npz")
    if done.returncode == 0:
        members = zipfile.ZipFile(tmp_path / "o.npz").namelist()
        assert all("/" not in name and not name.startswith(".") for name in members), members
        survives("info", "o.npz")
    assert (done.returncode == 0) == (what in ("out of the folder", "long"))


# ---- models --------------------------------------------------------------------------------------


@pytest.fixture
def rewritten(spdml, tmp_path, rng):
    """A model that was fitted to a few matrices, with other arrays and other sizes in meta.json."""
    np.savez(tmp_path / "d.npz", X=random_spd(rng, 8, 4), y=[0, 1] * 4)
    spdml("fit", "d.npz", "-m", "2", "--max-iter", "3", "--checkpoint", "c.npz", "-o", "a.spdml").good()
    (tmp_path / "d.npz").unlink()

    def write(name, arrays, sizes=None):
        found = members(tmp_path / "a.spdml")
        found["meta.json"] = json.dumps({**json.loads(found["meta.json"]), **(sizes or {})}).encode()
        found |= {key + ".npy": array(value) for key, value in arrays.items()}
        (tmp_path / "c.npz").unlink(missing_ok=True)
        return put(tmp_path, name, zipped(found.items(), zipfile.ZIP_DEFLATED))

    return write


def test_a_model_that_is_large_and_empty(survives, rewritten):
    """The identity packs a thousand to one: what is checked takes time in proportion to the numbers."""
    assert survives("info", rewritten("a.spdml", {"W": np.eye(2000)}, {"n": 2000, "m": 2000})).returncode == 0


def test_a_model_that_is_not_orthonormal(survives, rewritten):
    W = np.eye(1000)
    W[999, 998] = 1e-6
    done = survives("info", rewritten("a.spdml", {"W": W}, {"n": 1000, "m": 1000}))
    assert done.returncode == 1 and b"W: columns are not orthonormal" in done.stderr


def test_arrays_that_nobody_asks_for(survives, rewritten):
    """Zeros of one byte each, which would become eight: they are not unpacked."""
    name = rewritten("a.spdml", {"unrelated": np.zeros(100_000_000, "u1")})
    assert survives("info", name).returncode == 0


# ---- results of evaluations ------------------------------------------------------------------------


def test_results_that_are_too_long(survives, tmp_path):
    for name in ("a.json", "b.json"):
        with open(tmp_path / name, "wb") as file:
            file.truncate((1 << 26) + 1)
    done = survives("compare", "a.json", "b.json")
    assert done.returncode == 1 and b"is longer than 67108864 bytes" in done.stderr


def special(folder, kind):
    path = folder / "special"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "socket":
        import socket
        here = os.getcwd()
        os.chdir(folder)  # names of sockets must be short
        socket.socket(socket.AF_UNIX).bind("special")
        os.chdir(here)
    else:
        path.symlink_to({"device": "/dev/zero", "terminal": "/dev/tty", "loop": "special"}[kind])
    return path


@pytest.mark.parametrize("kind", ["pipe", "folder", "socket", "device", "terminal", "loop"])
def test_inputs_that_are_no_files(survives, tmp_path, rng, kind):
    """Every way to name an input: refused at once, nothing waits for a writer."""
    path = special(tmp_path, kind)
    X = random_spd(rng, 6, 3)
    np.savez(tmp_path / "d.npz", X=X, y=[0, 0, 0, 1, 1, 1])
    put(tmp_path, "t.csv", TABLE)
    put(tmp_path, "s_1.amc", AMC["gaps"])
    for ending in ".npy .npz .csv .mat .spdml .png .asf .tar .amc".split():
        (tmp_path / ("p" + ending)).symlink_to(path)
    runs = [
        *(["info", "p" + e] for e in (".npy", ".npz", ".csv", ".mat", ".spdml")),
        ["mean", "d.npz", "--weights", "p.npy"],
        ["info", "d.npz", "--labels", "p.csv"],
        ["distance", "d.npz", "p.npy"],
        ["neighbours", "d.npz", "-k", "1", "--queries", "p.npy"],
        ["transform", "d.npz", "--model", "p.spdml", "-o", "o.npz"],
        ["fit", "d.npz", "-m", "2", "--resume", "p.npz", "-o", "o.spdml"],
        ["fit", "d.npz", "-m", "2", "--affinity", "p.npy", "-o", "o.spdml"],
        ["cost", "d.npz", "--w", "p.npy"],
        ["classify", "--train", "p.npz", "--test", "d.npz", "--method", "nn-airm"],
        ["classify", "--train", "d.npz", "--test", "p.npz", "--method", "nn-airm"],
        ["describe", "covariance", "p.csv", "-o", "o.npz"],
        ["describe", "covariance", "t.csv", "--labels", "p.csv", "-o", "o.npz"],
        ["describe", "region", "p.png", "-o", "o.npz"],
        ["describe", "covariance", "p.tar", "-o", "o.npz"],
        ["describe", "joints", "s_1.amc", "--asf", "p.asf", "-o", "o.npz"],
        ["describe", "joints", "p.amc", "-o", "o.npz"],
    ]
    for words in runs:
        assert survives(*words).returncode in (1, 2), words
