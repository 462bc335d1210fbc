"""MATLAB files of every version and writer, compared with what scipy and h5py make of them."""

import pathlib

import numpy as np
import pytest
import scipy.io
import scipy.io.matlab
from mat_reader import Refused, pages_first, put_header, read

h5py = pytest.importorskip("h5py", reason="h5py is not installed")

REAL = pathlib.Path(scipy.io.matlab.__file__).parent / "tests" / "data"
NUMBERS = ["f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]

# Real files whose variables cannot be read, and why.
REFUSED = {
    "version 4": ["4.2c_SOL2", "debigged_m4", "test_mat4_le_floats", "testvec_4"],
    "sparse": ["sparse"],
    "cells of other things": ["testcell_", "testcellnest_", "testemptycell_"],
    "structs, objects, functions": ["testfunc_", "testobject_", "teststruct", "testsimplecell",
                                    "test_empty_struct", "nasty_duplicate", "sqr", "parabola"],
    "damaged on purpose": ["bad_miuint32", "broken_utf8", "corrupted_zlib", "malformed1"],
}


def is_refused(name):
    return any(part in name for parts in REFUSED.values() for part in parts)


def texts_of(array):
    """A char matrix or a cell array of strings, as scipy gives it, with our cut of blanks."""
    if array.dtype == object:
        return np.array([str(cell[0]) if cell.size else "" for cell in array.ravel()],
                        dtype=object).reshape(array.shape)
    return np.array([row.rstrip(" \0") for row in array.ravel()], dtype=object)


def check_equal(path, name, value):
    if value.dtype == object or value.dtype.kind == "U":
        wanted = texts_of(value)
        if value.dtype == object:
            wanted = pages_first(wanted)
    else:
        wanted = pages_first(value)
    got = read(path, name)
    if value.dtype.kind == "U" and not value.size:  # 1 x 0 is a row of no characters
        assert not any(got)
        return
    assert got.shape == wanted.shape, name
    assert np.array_equal(got, wanted, equal_nan=got.dtype.kind == "f"), name


def real_files():
    return sorted(REAL.glob("*.mat")) if REAL.is_dir() else []


@pytest.mark.parametrize("path", real_files(), ids=lambda path: path.name)
def test_real_files(path):
    """Files that MATLAB 5.3 to 8 and others wrote; scipy brings them for its own tests."""
    if path.name in ("testhdf5_7.4_GLNX86.mat", "bad_miutf8_array_name.mat"):
        pytest.skip("scipy cannot read it, we can")
    if path.name.startswith("testscalarcell_"):  # a cell of one number
        assert read(path, "testscalarcell").tolist() == [[1.0]]
        return
    try:
        variables = scipy.io.loadmat(path, chars_as_strings=True)
    except Exception:
        variables = None
    if variables is None or is_refused(path.name):
        with pytest.raises(Refused):
            read(path)
        return
    compared = 0
    for name, value in variables.items():
        if not name.startswith("__") and not isinstance(value, scipy.io.matlab.MatlabFunction):
            check_equal(path, name, value)
            compared += 1
    assert compared


def random_array(rng, dtype):
    shape = tuple(rng.integers(0 if rng.random() < 0.1 else 1, 7, size=rng.integers(2, 6)))
    if dtype[-2] == "f":
        return rng.standard_normal(shape).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, min(info.max, 2**63 - 1), size=shape, dtype=dtype[-2:]).astype(dtype)


def random_texts(rng):
    letters = np.array(list("abc äß€𝄞Ω"))
    return ["".join(rng.choice(letters, rng.integers(0, 9))).rstrip() for _ in range(rng.integers(1, 9))]


@pytest.mark.parametrize("compressed", [False, True])
def test_random_arrays_of_version_5(tmp_path, compressed):
    rng = np.random.default_rng(5)
    for trial in range(40):
        values = {f"v{i}": random_array(rng, dtype) for i, dtype in enumerate(NUMBERS)}
        values["whole"] = rng.integers(-5, 300, (4, 3, 2)).astype(float)
        values["yes"] = rng.random((3, 4)) < 0.5
        texts = random_texts(rng)
        values["cells"] = np.array(texts, dtype=object).reshape(-1, 1)
        scipy.io.savemat(tmp_path / "a.mat", values, do_compression=compressed)
        for name, value in values.items():
            if name == "cells":
                assert read(tmp_path / "a.mat", name).ravel().tolist() == texts
            else:
                assert np.array_equal(read(tmp_path / "a.mat", name), pages_first(value)), name


# ---- version 7.3 ---------------------------------------------------------------------------------

MATLAB = {"f8": "double", "f4": "single", "i1": "int8", "u1": "uint8", "i2": "int16",
          "u2": "uint16", "i4": "int32", "u4": "uint32", "i8": "int64", "u8": "uint64"}


def random_storage(rng, shape):
    """Arguments of create_dataset: all the ways to store that are read."""
    if rng.random() < 0.4 or 0 in shape:
        return {}
    how = {"chunks": tuple(int(rng.integers(1, size + 1)) for size in shape)}
    if rng.random() < 0.7:
        how["compression"] = int(rng.integers(1, 10))
    if rng.random() < 0.5:
        how["shuffle"] = True
    if rng.random() < 0.5:
        how["fletcher32"] = True
    return how


def put_class(data, name):
    data.attrs["MATLAB_class"] = np.bytes_(name)


def put_compact(file, name, value):
    plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plan.set_layout(h5py.h5d.COMPACT)
    space = h5py.h5s.create_simple(value.shape)
    kind = h5py.h5t.py_create(value.dtype)
    data = h5py.h5d.create(file.id, name.encode(), kind, space, dcpl=plan)
    data.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ascontiguousarray(value), kind)
    return h5py.Dataset(data)


@pytest.mark.parametrize("libver", ["earliest", "latest", "v108"])
def test_random_arrays_of_version_73(tmp_path, libver):
    rng = np.random.default_rng(73)
    path = tmp_path / "a.mat"
    for trial in range(40):
        values = {}
        with h5py.File(path, "w", userblock_size=512, libver=libver) as file:
            for i in range(6):
                dtype = NUMBERS[rng.integers(len(NUMBERS))]
                value = random_array(rng, rng.choice(["<", ">"]) + dtype)
                how = random_storage(rng, value.shape)
                stored = value.transpose()
                if not how and value.size and rng.random() < 0.3:
                    data = put_compact(file, f"v{i}", stored)
                else:
                    how = {**how, "chunks": how["chunks"][::-1]} if how else how
                    data = file.create_dataset(f"v{i}", data=stored, **how)
                put_class(data, MATLAB[dtype])
                values[f"v{i}"] = value
        put_header(path)
        for name, value in values.items():
            assert np.array_equal(read(path, name), pages_first(value)), (trial, name)


def put_cells(file, name, texts):
    """A column of strings, as MATLAB stores it."""
    refs = file.create_group("#refs#")
    cells = file.create_dataset(name, (1, len(texts)), dtype=h5py.ref_dtype)
    put_class(cells, "cell")
    for i, text in enumerate(texts):
        units = np.frombuffer(text.encode("utf-16-le"), "<u2")
        one = refs.create_dataset(f"c{i}", data=units[:, None] if text else np.zeros(2, "u8"))
        put_class(one, "char")
        one.attrs["MATLAB_int_decode"] = np.int32(2)
        if not text:
            one.attrs["MATLAB_empty"] = np.uint8(1)
        cells[0, i] = one.ref


@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_texts_of_version_73(tmp_path, libver):
    rng = np.random.default_rng(3)
    path = tmp_path / "a.mat"
    for trial in range(10):
        texts = random_texts(rng)
        with h5py.File(path, "w", userblock_size=512, libver=libver) as file:
            put_cells(file, "y", texts)
            chars = np.array([list("abc"), list("xy ")])
            data = file.create_dataset("rows", data=np.vectorize(ord)(chars).T.astype("u2"))
            put_class(data, "char")
        put_header(path)
        assert read(path, "y").tolist() == [[text] for text in texts]
        assert read(path, "rows").tolist() == ["abc", "xy"]


def test_many_variables_of_version_73(tmp_path):
    """More than one table of symbols, more than one level of the tree of chunks."""
    path = tmp_path / "a.mat"
    with h5py.File(path, "w", userblock_size=512) as file:
        for i in range(300):
            put_class(file.create_dataset(f"v{i:03}", data=np.full((1, 1), float(i))), "double")
        long = np.arange(20000.0).reshape(100, 200)
        put_class(file.create_dataset("long", data=long, chunks=(1, 10)), "double")
    put_header(path)
    assert [read(path, f"v{i:03}")[0, 0] for i in range(300)] == list(range(300))
    assert np.array_equal(read(path, "long"), long.T)


def test_paged_index_of_version_73(tmp_path):
    """More than 1024 chunks in the newer form of HDF5, some of them never written."""
    path = tmp_path / "a.mat"
    value = np.arange(5000.0).reshape(50, 100)
    for packing in (None, "gzip"):
        with h5py.File(path, "w", userblock_size=512, libver="latest") as file:
            full = file.create_dataset("full", data=value, chunks=(1, 2), compression=packing)
            part = file.create_dataset("part", value.shape, "f8", chunks=(1, 2), fillvalue=7.5,
                                       compression=packing)
            part[45:] = value[45:]
            put_class(full, "double")
            put_class(part, "double")
        put_header(path)
        assert np.array_equal(read(path, "full"), value.T)
        value_part = np.where(np.arange(50)[:, None] < 45, 7.5, value)
        assert np.array_equal(read(path, "part"), value_part.T)


def test_chunks_without_an_index(tmp_path):
    """Chunks of a data set of fixed size that is allocated at once stand one after the other."""
    path = tmp_path / "a.mat"
    value = np.arange(35.0).reshape(5, 7)
    plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plan.set_chunk((2, 3))
    plan.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    with h5py.File(path, "w", userblock_size=512, libver="latest") as file:
        space = h5py.h5s.create_simple(value.shape)
        data = h5py.Dataset(h5py.h5d.create(file.id, b"v", h5py.h5t.IEEE_F64LE, space, dcpl=plan))
        data[...] = value
        put_class(data, "double")
    put_header(path)
    assert np.array_equal(read(path, "v"), value.T)


@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_headers_that_keep_the_order(tmp_path, libver):
    """Links and attributes with the number of their making, and so many that headers go on."""
    path = tmp_path / "a.mat"
    with h5py.File(path, "w", userblock_size=512, libver=libver, track_order=True) as file:
        for i in range(6):
            data = file.create_dataset(f"v{i}", data=np.full((2, 3), float(i)), track_order=True)
            for k in range(5):
                data.attrs[f"note{k}"] = "x" * 100
            put_class(data, "double")
    put_header(path)
    for i in range(6):
        assert np.array_equal(read(path, f"v{i}"), np.full((3, 2), i))


def test_fill_values(tmp_path):
    path = tmp_path / "a.mat"
    with h5py.File(path, "w", userblock_size=512) as file:
        data = file.create_dataset("a", (6, 4), "i4", chunks=(2, 2), fillvalue=-3)
        data[0, 0] = 5
        put_class(data, "int32")
        put_class(file.create_dataset("b", (2, 3), "f8", fillvalue=1.5), "double")
        put_class(file.create_dataset("c", (2, 3), "f8"), "double")
    put_header(path)
    got = read(path, "a")
    assert got[0, 0] == 5 and (got.ravel()[1:] == -3).all()
    assert (read(path, "b") == 1.5).all() and (read(path, "c") == 0).all()


@pytest.mark.skipif(not (REAL / "testhdf5_7.4_GLNX86.mat").exists(), reason="no such file")
def test_a_real_file_of_version_73():
    path = REAL / "testhdf5_7.4_GLNX86.mat"
    with h5py.File(path) as file:
        names = [name for name in file if not name.startswith("#")]
        assert names
        for name in names:
            if isinstance(file[name], h5py.Dataset) and file[name].dtype.kind in "fiu":
                wanted = file[name][()].T
                got = read(path, name)
                kind = file[name].attrs["MATLAB_class"]
                if kind == b"char":
                    assert got.tolist() == ["".join(map(chr, row)).rstrip() for row in wanted]
                else:
                    assert np.array_equal(got, pages_first(wanted)), name


def many_links(file):
    for i in range(20):
        put_class(file.create_dataset(f"v{i}", data=np.eye(2)), "double")


def growing(file):
    put_class(file.create_dataset("v", data=np.eye(4), maxshape=(None, 4), chunks=(2, 2)), "double")


def other_filter(file):
    put_class(file.create_dataset("v", data=np.eye(4), compression="lzf"), "double")


def named_type(file):
    file["#type"] = np.dtype("f8")
    put_class(file.create_dataset("v", data=np.eye(4), dtype=file["#type"]), "double")


def half_precision(file):
    put_class(file.create_dataset("v", data=np.eye(4, dtype="f2")), "single")


@pytest.mark.parametrize("fill", [many_links, growing, other_filter, named_type, half_precision])
def test_forms_of_hdf5_that_are_refused(tmp_path, fill):
    """MATLAB writes none of them; a message says what to do instead."""
    path = tmp_path / "a.mat"
    with h5py.File(path, "w", userblock_size=512, libver="latest") as file:
        fill(file)
    put_header(path)
    with pytest.raises(Refused):
        read(path, "v0" if fill is many_links else "v")


def test_texts_that_cells_share(tmp_path):
    """h5py may let many cells point to one text; that is no attack."""
    path = tmp_path / "a.mat"
    with h5py.File(path, "w", userblock_size=512) as file:
        refs = file.create_group("#refs#")
        kinds = [refs.create_dataset(name, data=np.frombuffer(name.encode(), "u1")[:, None].astype("u2"))
                 for name in ("walk", "run", "jump")]
        for kind in kinds:
            put_class(kind, "char")
        cells = file.create_dataset("y", (1, 30000), dtype=h5py.ref_dtype)
        cells[0] = np.array([kinds[i % 3].ref for i in range(30000)], dtype=h5py.ref_dtype)
        put_class(cells, "cell")
    put_header(path)
    assert read(path, "y").ravel().tolist() == ["walk", "run", "jump"] * 10000


# ---- cells and structs ---------------------------------------------------------------------------


def cells(values):
    out = np.empty((len(values), 1), dtype=object)
    for i, value in enumerate(values):
        out[i, 0] = value
    return out


@pytest.mark.parametrize("packed", [False, True])
def test_cells_and_structs_of_version_5(tmp_path, packed):
    rng = np.random.default_rng(5)
    path, X = tmp_path / "a.mat", rng.standard_normal((4, 3, 5))
    many = np.zeros((1, 4), dtype=[("cov", object), ("label", object), ("age", object)])
    for i in range(4):
        many[0, i] = (X[i], "ab"[i % 2], float(i))
    scipy.io.savemat(path, {
        "plain": cells(list(X)), "mixed": cells([X[0], np.arange(15, dtype="i2").reshape(3, 5)]),
        "odd": cells([X[0], X[1][:2]]), "both": cells([X[0], "text"]),
        "table": np.array([[X[0], X[1]], [X[2], X[3]], [X[0], X[0]]]).reshape(3, 2, 15).astype(object),
        "one": {"X": np.moveaxis(X, 0, 2), "y": np.array([1, 2, 1, 2]), "deep": {"a": 1.0}},
        "many": many}, do_compression=packed)
    assert np.array_equal(read(path, "plain"), X)
    mixed = read(path, "mixed")
    assert np.array_equal(mixed[0], X[0]) and np.array_equal(mixed[1].ravel(), np.arange(15))
    assert np.array_equal(read(path, "one.X"), X)
    assert read(path, "one.y").ravel().tolist() == [1, 2, 1, 2]
    assert np.array_equal(read(path, "many.cov"), X)
    assert read(path, "many.label").ravel().tolist() == list("abab")
    assert read(path, "many.age").ravel().tolist() == [0, 1, 2, 3]
    for name in ["odd", "both", "one.deep", "one", "many", "many.none"]:
        with pytest.raises(Refused):
            read(path, name)


def refer(file, name, values, kind, shape):
    """Cells of version 7.3: references to data sets with a class."""
    refs = file.require_group("#refs#")
    out = file.create_dataset(name, shape, dtype=h5py.ref_dtype)
    made = []
    for i, value in enumerate(values):
        data = refs.create_dataset(f"{name.replace('/', '_')}{i}", data=value)
        put_class(data, kind if not isinstance(kind, list) else kind[i])
        made.append(data.ref)
    out[...] = np.array(made, dtype=h5py.ref_dtype).reshape(shape)
    return out


@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_cells_and_structs_of_version_73(tmp_path, libver):
    rng = np.random.default_rng(6)
    path, X = tmp_path / "a.mat", rng.standard_normal((4, 3, 5))
    turned = [x.T for x in X]
    letters = [np.array([[ord(c)]], "u2") for c in "abab"]
    with h5py.File(path, "w", userblock_size=512, libver=libver) as file:
        put_class(refer(file, "plain", turned, "double", (1, 4)), "cell")
        put_class(refer(file, "odd", [turned[0], turned[1][:2]], "double", (1, 2)), "cell")
        put_class(file.create_group("one"), "struct")
        put_class(file.create_dataset("one/X", data=X.transpose(0, 2, 1)), "double")
        put_class(file.create_group("many"), "struct")
        refer(file, "many/cov", turned, "double", (4, 1))
        refer(file, "many/label", letters, "char", (4, 1))
        refer(file, "many/age", [np.array([[float(i)]]) for i in range(4)], "double", (4, 1))
    put_header(path)
    assert np.array_equal(read(path, "plain"), X)
    assert np.array_equal(read(path, "one.X"), X)
    assert np.array_equal(read(path, "many.cov"), X)
    assert read(path, "many.label").ravel().tolist() == list("abab")
    assert read(path, "many.age").ravel().tolist() == [0, 1, 2, 3]
    for name in ["odd", "one", "many"]:
        with pytest.raises(Refused):
            read(path, name)


# ---- not by MATLAB -------------------------------------------------------------------------------


@pytest.mark.parametrize("header", [False, True])
def test_plain_hdf5_keeps_its_order(tmp_path, header):
    """Without MATLAB_class a data set is h5py's, row-major; vectors have one dimension."""
    rng = np.random.default_rng(7)
    path, X = tmp_path / "a.mat", rng.standard_normal((4, 3, 5))
    words = ["Ruhe", "Gehen", "", "Über"]
    with h5py.File(path, "w", userblock_size=512 if header else 0) as file:
        file["X"] = X
        file["y"] = np.arange(4)
        file["table"] = X[0]
        file["fixed"] = np.array([w.encode() for w in words])
        file["free"] = words
        file["group/X"] = X[:2]
        file["many"] = [f"text {i:05d}" for i in range(3000)]
    if header:
        put_header(path)
    assert np.array_equal(read(path, "X"), X) and read(path, "y").tolist() == [0, 1, 2, 3]
    assert np.array_equal(read(path, "table"), X[0]) and np.array_equal(read(path, "group.X"), X[:2])
    assert read(path, "fixed").tolist() == words and read(path, "free").tolist() == words
    assert read(path, "many").tolist() == [f"text {i:05d}" for i in range(3000)]


@pytest.mark.parametrize("padded", [b"double", b"double\0\0\0\0", b"double".ljust(64, b"\0"), b"double  "])
def test_class_with_padding(tmp_path, padded):
    """hdf5storage and others pad MATLAB_class."""
    path, X = tmp_path / "a.mat", np.arange(24.0).reshape(2, 3, 4)
    with h5py.File(path, "w", userblock_size=512) as file:
        data = file.create_dataset("X", data=X)
        data.attrs.create("MATLAB_class", padded, dtype=f"S{len(padded)}")
    put_header(path)
    assert np.array_equal(read(path, "X"), X.transpose(0, 2, 1))
