"""MATLAB files that were made to do harm: each ends soon, in little memory, with one message.

Every file holds good matrices X unless it is X that lies; so what is hostile is met on the way."""

import struct
import zlib

import h5py
import numpy as np
import pytest

SECRET = 42.4242


@pytest.fixture
def attacked(proportionate, tmp_path):
    """Runs the command on a file: it must end by itself, in little time and memory."""

    def run(name, *words, code=1, **limits):
        done = proportionate("convert", name, "-o", "out.npz", **limits)
        text = done.stderr.decode()
        assert done.returncode == code, (done.returncode, text)
        assert len(text.splitlines()) == 1 or code == 0, text
        for word in words:
            assert word in text, text
        assert (tmp_path / "out.npz").exists() == (code == 0)
        assert str(SECRET).encode() not in done.stdout + done.stderr
        return text

    return run


# ---- version 5 -----------------------------------------------------------------------------------

DOUBLE, CHAR, CELL, STRUCT = 6, 4, 1, 2


def element(kind, content):
    return struct.pack("<II", kind, len(content)) + content + bytes(-len(content) % 8)


def start(kind, dims, name):
    return (element(6, struct.pack("<II", kind, 0)) +
            element(5, struct.pack(f"<{len(dims)}i", *dims)) + element(1, name))


def variable(kind, dims, name, content):
    return element(14, start(kind, dims, name) + content)


def numbers(values):
    return element(9, np.asarray(values, "<f8").tobytes())


def packed(content):
    squeezed = zlib.compress(content, 9)
    return struct.pack("<II", 15, len(squeezed)) + squeezed


ONE = variable(DOUBLE, [1, 1], b"", numbers([1.0]))
GOOD = variable(DOUBLE, [2, 2, 2], b"X", numbers([2, 0, 0, 2, 3, 0, 0, 3]))
FIELD = struct.pack("<HHI", 5, 4, 2) + element(1, b"a\0")


def nested(kind, depth, name):
    """A cell in a cell in a cell, or structs; built from within."""
    layers, size = [], len(ONE)
    for level in range(depth):
        body = start(kind, [1, 1], name if level == depth - 1 else b"")
        body += FIELD if kind == STRUCT else b""
        size += len(body)
        layers.append(struct.pack("<II", 14, size) + body)
        size += 8
    return b"".join(reversed(layers)) + ONE


def write5(path, *parts):
    head = b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\1IM"
    path.write_bytes(head + b"".join(parts))


BIG = 2**31 - 1
VERSION_5 = {
    "cells 100,000 deep": (nested(CELL, 100_000, b"y"), "y: ", "other than strings"),
    "packed cells 100,000 deep": (packed(nested(CELL, 100_000, b"y")), "other than strings"),
    "structs 100,000 deep": (nested(STRUCT, 100_000, b"y"), "y: ", "unsupported class"),
    "a billion cells": (variable(CELL, [2**30, 1], b"y", ONE), "promises 1073741824 x 1"),
    "many cells that are not there": (variable(CELL, [2**10, 60], b"y", ONE * 4), "y: "),
    "a cell longer than its array":
        (variable(CELL, [1, 1], b"y", variable(CHAR, [1, 2**30], b"",
                                               struct.pack("<II", 16, 2**30) + b"a" * 64)),
         "y: ", "damaged"),
    "a billion structs": (variable(STRUCT, [2**30, 1], b"y", FIELD), "y: "),
    "texts without letters": (variable(CHAR, [BIG, 0], b"y", b""), "promises 2147483647 texts"),
    "a text longer than the file": (variable(CHAR, [1, BIG], b"y", element(16, b"a")), "promises"),
    "text of doubles": (variable(CHAR, [2, 5], b"y", numbers(range(10))), "y: ", "damaged text"),
    "text that is not UTF-8": (variable(CHAR, [2, 2], b"y", element(16, b"\xff" * 4)), "damaged"),
    "negative sizes": (variable(DOUBLE, [-1, -1], b"y", numbers(range(8))), "promises"),
    "a thousand dimensions": (variable(DOUBLE, [1] * 1000, b"y", numbers([1])), "1000 dimensions"),
    "no dimensions": (variable(DOUBLE, [], b"y", numbers([1])), "has 0 dimensions"),
    "fewer numbers than promised": (variable(DOUBLE, [64, 64], b"y", numbers([1])), "damaged"),
    "sizes that overflow": (variable(DOUBLE, [BIG] * 3, b"y", numbers([1])), "promises"),
    "a length beyond the file": (struct.pack("<II", 14, BIG), "cut short"),
    "an element that is nothing": (struct.pack("<II", 99, 0), "damaged"),
    "a packed element that is none": (struct.pack("<II", 15, 8) + bytes(8), "damaged"),
}


@pytest.mark.parametrize("name", VERSION_5)
def test_version_5(attacked, tmp_path, name):
    content, *words = VERSION_5[name]
    write5(tmp_path / "a.mat", GOOD, content)
    attacked("a.mat", *words)


def test_more_zeros_than_bytes(attacked, tmp_path):
    """Numbers that unpack to more than the program may take: refused before memory is."""
    claim = start(DOUBLE, [1024, 1024, 200], b"X") + struct.pack("<II", 9, 1024 * 1024 * 200 * 8)
    whole = struct.pack("<II", 14, len(claim) + 1024 * 1024 * 200 * 8) + claim
    write5(tmp_path / "a.mat", packed(whole + bytes(50 << 20)))
    attacked("a.mat", "variable at byte 128", "damaged")


def test_variables_without_names(attacked, tmp_path):
    write5(tmp_path / "a.mat", struct.pack("<II", 14, 0) * 20_000)
    attacked("a.mat", "contains no readable variables")


def test_what_is_not_asked_for_does_no_harm(attacked, tmp_path):
    write5(tmp_path / "a.mat", nested(CELL, 1000, b"c"), GOOD, nested(STRUCT, 1000, b"s"),
           variable(17, [1, 1], b"o", ONE))
    attacked("a.mat", code=0)


def test_names_with_escapes(attacked, tmp_path):
    write5(tmp_path / "a.mat", variable(STRUCT, [1, 1], b"\x1b[31m\n",
                                         FIELD + variable(STRUCT, [1, 1], b"", FIELD + ONE)))
    assert "\x1b" not in attacked("a.mat", "unsupported class")


# ---- version 7.3 ---------------------------------------------------------------------------------


def classed(data, name):
    data.attrs["MATLAB_class"] = np.bytes_(name)
    return data


@pytest.fixture
def write73(tmp_path):
    """Writes a.mat by a function of the open file; good matrices are in it unless it has X."""

    def write(fill, libver="earliest"):
        path = tmp_path / "a.mat"
        with h5py.File(path, "w", userblock_size=512, libver=libver) as file:
            fill(file)
            if "X" not in file and not file.get("X", getlink=True):
                classed(file.create_dataset("X", data=np.stack([np.eye(2), 3 * np.eye(2)])), "double")
        with open(path, "r+b") as file:
            file.write(b"MATLAB 7.3 MAT-file".ljust(116) + bytes(8) + b"\x00\x02IM")
        return path

    return write


def cells(group, name, *targets):
    made = classed(group.create_dataset(name, (1, len(targets)), dtype=h5py.ref_dtype), "cell")
    for i, target in enumerate(targets):
        made[0, i] = target.ref
    return made


def letter(group):
    return classed(group.create_dataset("leaf", data=np.array([[65]], "u2")), "char")


def cell_of_itself(file):
    made = classed(file.create_dataset("y", (1, 1), dtype=h5py.ref_dtype), "cell")
    made[0, 0] = made.ref


def cells_in_a_circle(file):
    one = classed(file.create_dataset("#a", (1, 1), dtype=h5py.ref_dtype), "cell")
    two = cells(file, "#b", one)
    one[0, 0] = two.ref
    cells(file, "y", one, two)


def cells_that_double(file):
    """Forty levels, each of which holds the next one twice."""
    inner = letter(file.create_group("#refs#"))
    for level in range(40):
        inner = cells(file["#refs#"], f"n{level}", inner, inner)
    cells(file, "y", inner, inner)


def cells_in_a_chain(file):
    inner = letter(file.create_group("#refs#"))
    for level in range(500):
        inner = cells(file["#refs#"], f"n{level}", inner)
    cells(file, "y", inner)


def text_that_is_shared(file):
    """A long text that each of many cells points to: a kilobyte stands for half a gigabyte."""
    long = file.create_dataset("#long", data=np.full((1 << 18, 1), 65, "u2"), compression=9)
    classed(long, "char")
    shared = classed(file.create_dataset("y", (1, 1000), dtype=h5py.ref_dtype), "cell")
    shared[...] = long.ref


def attribute(name, value):
    def fill(file):
        data = file.create_dataset("X", data=np.eye(3)[None])
        data.attrs[name] = value
    return fill


def empty_but_not(file):
    data = classed(file.create_dataset("X", data=np.array([2**40, 2**40, 2], "u8")), "double")
    data.attrs["MATLAB_empty"] = np.uint8(1)


def rows_without_letters(file):
    data = classed(file.create_dataset("y", data=np.array([2**31, 0], "u8")), "char")
    data.attrs["MATLAB_empty"] = np.uint8(1)


def stored(kind="double", **how):
    return lambda file: classed(file.create_dataset("X", **how), kind)


def group_of_itself(file):
    group = classed(file.create_group("X"), "struct")
    group["again"] = group
    group["root"] = file["/"]


def deep_groups(file):
    group = file
    for _ in range(500):
        group = classed(group.create_group("X"), "struct")


def huge_sparse(file):
    group = classed(file.create_group("X"), "double")
    group.attrs["MATLAB_sparse"] = np.uint64(2**40)
    group["ir"] = np.full(3, 2**50, "u8")


def soft_circle(file):
    file["X"] = h5py.SoftLink("/Y")
    file["Y"] = h5py.SoftLink("/X")


VERSION_73 = {
    "a cell of itself": (cell_of_itself, "y: ", "other than strings"),
    "cells in a circle": (cells_in_a_circle, "y: ", "other than strings"),
    "cells that double": (cells_that_double, "y: ", "other than strings"),
    "cells in a chain": (cells_in_a_chain, "y: ", "other than strings"),
    "text that is shared": (text_that_is_shared, "y: "),
    "a group of itself": (group_of_itself, "X: has an unsupported class"),
    "groups in groups": (deep_groups, "X: has an unsupported class"),
    "links in a circle": (soft_circle, "X: is a link"),
    "a sparse matrix of lies": (huge_sparse, "X: is sparse"),
    "a class of 30,000 letters": (attribute("MATLAB_class", np.bytes_("d" * 30000)), "MATLAB_class"),
    "a class that is a number": (attribute("MATLAB_class", np.int64(7)), "MATLAB_class"),
    "a class of any length": (attribute("MATLAB_class", "double"), "MATLAB_class"),
    "a mark of emptiness that is a text": (attribute("MATLAB_empty", np.bytes_("x" * 5000)),
                                           "MATLAB_empty"),
    "empty, with elements": (empty_but_not, "X: ", "empty"),
    "texts without letters": (rows_without_letters, "promises 2147483648 texts"),
    "chunks for a terabyte": (stored(shape=(2**20, 512, 512), dtype="f8", chunks=(1, 512, 512)),
                              "promises 512 x 512 x 1048576"),
    "chunks for a gigabyte": (stored(shape=(300, 1000, 1000), dtype="f8", chunks=(1, 1000, 1000)),
                              "promises 1000 x 1000 x 300"),
    "zeros that are nowhere": (stored(shape=(100, 60, 60), dtype="f8"), "X: promises"),
    "twenty dimensions": (stored(data=np.zeros((1,) * 20)), "20 dimensions"),
    "no dimensions": (stored(data=1.5), "has 0 dimensions"),
    "no elements at all": (stored(data=h5py.Empty("f8")), "has 0 dimensions"),
    "pairs of other things": (stored(data=np.zeros((4, 3, 3), [("a", "f8"), ("b", "f8")])),
                              "not numbers"),
    "pairs of unequal parts": (stored(data=np.zeros((4, 3, 3), [("real", "f8"), ("imag", "f4")])),
                               "not numbers"),
    "triples": (stored(data=np.zeros((4, 3, 3), [("real", "f8"), ("imag", "f8"), ("more", "f8")])),
                "not numbers"),
    "pairs in the wrong order": (stored(data=np.zeros((4, 3, 3), [("imag", "f8"), ("real", "f8")])),
                                 "not numbers"),
    "complex numbers that are not there": (stored(shape=(100, 60, 60), dtype="c16"), "X: promises"),
    "texts called numbers": (stored(data=np.full((1, 2, 2), b"abc")), "not numbers"),
    "lists called numbers": (stored(shape=(2, 2, 2), dtype=h5py.vlen_dtype(np.float64)), "not numbers"),
    "letters of 64 bits": (lambda file: classed(
        file.create_dataset("y", data=np.full((3, 2), 0x110000, "u8")), "char"), "damaged text"),
    "texts of any length": (lambda file: classed(
        file.create_dataset("y", (2, 2), h5py.string_dtype()), "char"), "damaged text"),
    "a filter that is not ours": (stored(data=np.zeros((4, 3, 3)), compression="lzf"), "filter"),
}


@pytest.mark.parametrize("libver", ["earliest", "latest"])
@pytest.mark.parametrize("name", VERSION_73)
def test_version_73(attacked, write73, name, libver):
    fill, *words = VERSION_73[name]
    write73(fill, libver)
    attacked("a.mat", *words)


def test_a_chunk_that_comes_twice(attacked, write73):
    """One chunk listed twice in place of two: the other one's elements would be what memory held."""
    value = np.stack([np.eye(2), 3 * np.eye(2)])
    path = write73(stored(data=value, chunks=(1, 2, 2)))
    attacked("a.mat", code=0)
    (path.parent / "out.npz").unlink()
    content = bytearray(path.read_bytes())
    key = 8 + 8 * 4 + 8  # size and filters, where the chunk begins, its address
    second = content.find(b"TREE\x01") + 24 + key + 8
    assert struct.unpack_from("<4Q", content, second) == (1, 0, 0, 0)
    content[second] = 0
    path.write_bytes(content)
    attacked("a.mat", "X: is damaged")


def unwritten(letters, cells, fill, kind="u1"):
    """Cells that all refer to one text which was never written: all its letters are the fill value."""

    def write(file):
        how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        how.set_layout(h5py.h5d.CONTIGUOUS)
        how.set_alloc_time(h5py.h5d.ALLOC_TIME_LATE)
        how.set_fill_value(np.array(fill, kind))
        space = h5py.h5s.create_simple((letters, 1))
        text = h5py.Dataset(h5py.h5d.create(file.id, b"#text", h5py.h5t.py_create(np.dtype(kind)),
                                            space, how))
        classed(text, "char")
        shared = classed(file.create_dataset("y", (1, cells), dtype=h5py.ref_dtype), "cell")
        shared[...] = text.ref

    return write


@pytest.mark.parametrize("fill", [65, 0])
def test_a_text_that_was_never_written(attacked, write73, fill):
    """A file of n bytes with n / 8 references to n letters."""
    write73(unwritten(60_000, 8000, fill))
    attacked("a.mat", "y: is damaged: its parts refer to each other again and again")
    write73(unwritten(1000, 2, fill))
    attacked("a.mat", code=0)


def raw73(path, *parts):
    """A file of HDF5 from its blocks: each gets the addresses of those before, and gives its bytes;
    the last is the root group's header."""
    whole, places = bytearray(96), []
    for part in parts:
        places.append(len(whole))
        whole += part(*places[:-1])
        whole += bytes(-len(whole) % 8)
    start = b"\x89HDF\r\n\x1a\n" + bytes([0] * 5 + [8, 8] + [0] * 9)
    start += struct.pack("<6Q", 0, 2**64 - 1, 512 + len(whole), 2**64 - 1, 0, places[-1])
    whole[:len(start)] = start
    head = b"MATLAB 7.3 MAT-file".ljust(116) + bytes(8) + b"\x00\x02IM"
    path.write_bytes(head.ljust(512, b"\0") + whole)


def message(kind, body):
    body += bytes(-len(body) % 8)
    return struct.pack("<HHI", kind, len(body), 0) + body


def header(*messages):
    body = b"".join(messages)
    return struct.pack("<BBHIII", 1, 0, len(messages), 1, len(body), 0) + body


def group(count, name, target):
    """Blocks of a group that lists `count` links of one name, to the block that target says of those
    before, or to a name (soft) if it is None."""
    entry = struct.Struct("<QQII16x")

    def symbols(*places):
        one = entry.pack(8, 0, 2, 0) if target is None else entry.pack(8, places[target], 1, 0)
        return b"SNOD\1\0" + struct.pack("<H", count) + one * count

    return [lambda *p: bytes(8) + name + bytes(8),
            lambda *p: b"HEAP" + bytes(4) + struct.pack("<QQQ", len(name) + 16, 1, p[-1]),
            symbols,
            lambda *p: b"TREE\0\0" + struct.pack("<HQQQQQ", 1, 2**64 - 1, 2**64 - 1, 0, p[-1], 0),
            lambda *p: header(message(0x11, struct.pack("<QQ", p[-1], p[-3])))]


@pytest.mark.parametrize("groups, links", [(400, 1000), (2000, 4000)])
def test_a_group_that_is_listed_again_and_again(attacked, tmp_path, groups, links):
    """The root names one group many times, and that lists many links, all by one long name."""
    raw73(tmp_path / "a.mat", *group(links, b"s" * 1000, None), *group(groups, b"r" * 1000, 4))
    attacked("a.mat", "again and again")


def test_names_without_end(attacked, tmp_path):
    """65,535 links of one long name: the list is thirty times as long as the file."""
    raw73(tmp_path / "a.mat", *group(65535, b"n" * 1020, None))
    attacked("a.mat", "has no array named 'X'")


def test_types_within_types(attacked, tmp_path):
    """A pair of numbers whose parts are pairs, thousands deep: no deeper than the stack is."""
    pair = b"\x36\2\0\0" + struct.pack("<I", 8) + b"r\0\0"
    raw73(tmp_path / "a.mat",
          lambda *p: header(message(1, struct.pack("<BBB5xQ", 1, 1, 0, 4)), message(3, pair * 5900),
                            message(8, bytes([3, 1]) + struct.pack("<QQ", 96, 32))),
          *group(1, b"X", 0))
    attacked("a.mat", "X: ", stack=384 << 10)


# ---- other people's files --------------------------------------------------------------------------


@pytest.fixture
def secret(tmp_path):
    """Matrices that a file of a stranger would like to have, raw and as a file of their own."""
    values = np.repeat(np.eye(3)[None] * SECRET, 2, 0)
    values.tofile(tmp_path / "secret.raw")
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["X"] = values
    return tmp_path


@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_nothing_leads_out_of_the_file(attacked, write73, secret, libver):
    raw, whole = str(secret / "secret.raw"), str(secret / "secret.h5")
    write73(stored(shape=(2, 3, 3), dtype="f8", external=[(raw, 0, 144)]), libver)
    attacked("a.mat", "X: keeps its elements in other files")

    def link(file):
        file["X"] = h5py.ExternalLink(whole, "/X")
    write73(link, libver)
    attacked("a.mat", "X: is a link")

    def virtual(file):
        layout = h5py.VirtualLayout((2, 3, 3), "f8")
        layout[:] = h5py.VirtualSource(whole, "X", (2, 3, 3))[:]
        classed(file.create_virtual_dataset("X", layout), "double")
    write73(virtual, libver)
    attacked("a.mat", "X: is a virtual data set")


def test_a_good_file_passes_the_same_test(attacked, write73):
    write73(lambda file: None)
    attacked("a.mat", code=0)
