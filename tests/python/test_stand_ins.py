"""src/missing, code of ours in the place of zlib, Jansson, KissFFT and libsvm, beside Python's and
scikit-learn's. SPDML_STAND_INS names a library made of it."""

import ctypes as c
import itertools
import json
import os
import random
import subprocess
import sys
import textwrap
import time
import zlib

import numpy as np
import pytest
from sklearn.svm import SVC

PATH = os.environ.get("SPDML_STAND_INS")
pytestmark = pytest.mark.skipif(not PATH, reason="SPDML_STAND_INS names no library")
BLOCKS = {}


@pytest.fixture(scope="module", name="lib")
def _lib():
    lib = c.CDLL(PATH)
    for name in ("json_loads", "json_dumps", "kiss_fft_alloc", "svm_train"):
        getattr(lib, name).restype = c.c_void_p
    for name in ("crc32_z", "crc32_combine", "adler32", "json_dumpb"):
        getattr(lib, name).restype = c.c_size_t
    return lib


# ---- zlib ----------------------------------------------------------------------------------------

ALLOCATE = c.CFUNCTYPE(c.c_void_p, c.c_void_p, c.c_uint, c.c_uint)
RELEASE = c.CFUNCTYPE(None, c.c_void_p, c.c_void_p)


@ALLOCATE
def allocate(_, count, size):
    block = c.create_string_buffer(count * size)
    BLOCKS[c.addressof(block)] = block
    return c.addressof(block)


@RELEASE
def release(_, block):
    del BLOCKS[block]


class Stream(c.Structure):
    _fields_ = [("next_in", c.c_void_p), ("avail_in", c.c_uint), ("next_out", c.c_void_p),
                ("avail_out", c.c_uint), ("total_out", c.c_ulong), ("zalloc", ALLOCATE),
                ("zfree", RELEASE), ("opaque", c.c_void_p), ("state", c.c_void_p)]


def unpack(lib, packed, bits, piece, room):
    """(last status, bytes), by pieces of so many bytes in and out."""
    stream = Stream(zalloc=allocate, zfree=release)
    assert lib.inflateInit2(c.byref(stream), bits) == 0
    out, space, at, status = b"", c.create_string_buffer(room), 0, 0
    while status == 0:
        if stream.avail_in == 0:
            part = c.create_string_buffer(packed[at:at + piece], piece)
            stream.next_in, stream.avail_in = c.addressof(part), min(piece, len(packed) - at)
            at += stream.avail_in
        stream.next_out, stream.avail_out = c.addressof(space), room
        status = lib.inflate(c.byref(stream), 0)
        out += space.raw[:room - stream.avail_out]
    lib.inflateEnd(c.byref(stream))
    assert not BLOCKS
    return status, out


def texts():
    rng = random.Random(1)
    yield b""
    yield b"a"
    yield bytes(rng.randrange(256) for _ in range(3000))                   # stored
    yield b"abc" * 40000                                                   # long copies
    yield b"".join(rng.choice([b"geodesic ", b"mean\n", b"0.25,"]) for _ in range(20000))
    yield bytes(rng.choice(b"aab") for _ in range(300)) * 300              # copies from far behind


@pytest.mark.parametrize("bits", [-15, 15])
@pytest.mark.parametrize("level, strategy", [(0, 0), (1, 0), (9, 0), (9, zlib.Z_HUFFMAN_ONLY),
                                             (9, zlib.Z_FIXED), (9, zlib.Z_RLE)])
def test_what_zlib_packed_is_unpacked(lib, bits, level, strategy):
    for text in texts():
        packer = zlib.compressobj(level, zlib.DEFLATED, bits, 9, strategy)
        packed = packer.compress(text) + packer.flush()
        for piece, room in ((65536, 65536), (7, 1000), (1, 333)):
            if len(packed) > 20000 and piece == 1:
                continue
            assert unpack(lib, packed, bits, piece, room) == (1, text)
        if len(packed) > 10:
            assert unpack(lib, packed[:-5], bits, 100, 100)[0] == -5       # cut off


def test_damaged_bytes_end_with_an_error_or_other_bytes(lib):
    rng = random.Random(2)
    text = b"".join(rng.choice([b"geodesic ", b"mean\n", b"0.25,"]) for _ in range(300))
    packed = zlib.compress(text, 9)
    for _ in range(400):
        wrong = bytearray(packed)
        wrong[rng.randrange(len(wrong))] ^= 1 << rng.randrange(8)
        status, out = unpack(lib, bytes(wrong), 15, 64, 256)
        assert status in (-3, -5) or out == text


def bits(*fields):
    """Deflate's bytes of (value, how many bits), the low bits first."""
    number, size = 0, 0
    for value, count in fields:
        number |= value << size
        size += count
    return number.to_bytes((size + 7) // 8, "little")


def packed_by_hand():
    """Raw streams that are wrong in one point: what is said of a copy or a code cannot be."""
    near = zlib.compressobj(9, zlib.DEFLATED, -15, zdict=b"geodesic mean " * 9)
    yield "a copy from before the start", near.compress(b"geodesic mean geodesic") + near.flush()
    last_fixed, last_dynamic = [(1, 1), (1, 2)], [(1, 1), (2, 2)]
    yield "the first symbol is a copy", bits(*last_fixed, (0b1000000, 7), (0, 5), (0, 7))
    sizes = [(0, 5), (0, 5)]  # 257 symbols and a distance
    yield "a code with more words than there are", bits(*last_dynamic, *sizes, (15, 4), *[(1, 3)] * 19)
    order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1]
    code = [(14, 4), *((int(k in (1, 18)), 3) for k in order)]  # 0: a length of 1; 1: so many zeros
    zeros = [(1, 1), (127, 7), (1, 1), (107, 7)]  # 256 of them
    head = [*last_dynamic, *sizes, *code, *zeros, (0, 1)]
    yield "lengths beyond the last", bits(*head, (1, 1), (0, 7), (0, 1))
    again = [(14, 4), *((int(k in (1, 16)), 3) for k in order)]  # 1: the length before, so many times
    yield "the length before the first", bits(*last_dynamic, *sizes, *again, *[(1, 1), (3, 2)] * 42, (1, 1), (1, 2), (0, 1),
                                              (0, 1), (0, 1))
    stored = bits((0, 8), (40000, 16), (40000 ^ 0xffff, 16)) + bytes(40000)
    yield "a distance that has no number", stored + bits(*last_fixed, (0b1000000, 7), (0b01111, 5), (0, 14), (0, 7))
    three = [(15, 4), *(({18: 1, 1: 2, 2: 2}.get(k, 0), 3) for k in [*order, 15])]  # 0: so many zeros; 10: 1; 11: 2
    one, two, short, long = (0b01, 2), (0b11, 2), [(0, 1), (127, 7), (0, 1), (106, 7)], [(0, 1), (127, 7), (0, 1), (107, 7)]
    yield "a lone word of two bits", bits(*last_dynamic, *sizes, *three, *long, two, one, (0, 2))
    yield "a lone distance of two bits", bits(*last_dynamic, *sizes, *three, *short, one, one, two, (1, 1))
    yield "two symbols, each the only word", bits(*last_dynamic, *sizes, *code, *zeros[:2], (0, 1), (0, 1), (0, 1), (1, 1),
                                                  (105, 7), (0, 1), (0, 1))


@pytest.mark.parametrize("what, packed", list(packed_by_hand()), ids=lambda value: value if isinstance(value, str) else "")
def test_streams_that_say_what_cannot_be(lib, what, packed):
    with pytest.raises(zlib.error, match="-3"):
        zlib.decompress(packed, -15)
    for piece in 1, 100:
        assert unpack(lib, packed + bytes(4), -15, piece, 300)[0] == -3


def test_what_it_packs_zlib_unpacks(lib):
    for text in texts():
        to, size = c.create_string_buffer(len(text) + 1000), c.c_ulong(len(text) + 1000)
        assert lib.compress(to, c.byref(size), text, c.c_ulong(len(text))) == 0
        assert zlib.decompress(to.raw[:size.value]) == text
        assert lib.crc32_z(c.c_ulong(0), text, c.c_size_t(len(text))) == zlib.crc32(text)
        assert lib.adler32(c.c_ulong(1), text, len(text)) == zlib.adler32(text)
        cut = len(text) // 3
        halves = (c.c_ulong(zlib.crc32(part)) for part in (text[:cut], text[cut:]))
        assert lib.crc32_combine(*halves, c.c_long(len(text) - cut)) == zlib.crc32(text)


# ---- Jansson -------------------------------------------------------------------------------------

REJECT_DUPLICATES, COMPACT, ENCODE_ANY = 1, 32, 0x200


def read(lib, text, flags=0):
    return lib.json_loads(text.encode(), c.c_size_t(flags), None)


def written(lib, value, flags):
    size = lib.json_dumpb(c.c_void_p(value), None, c.c_size_t(0), c.c_size_t(flags))
    space = c.create_string_buffer(size)
    lib.json_dumpb(c.c_void_p(value), space, c.c_size_t(size), c.c_size_t(flags))
    return space.raw[:size].decode()


def anything(rng, depth):
    kind = rng.randrange(8 if depth else 6)
    if kind == 6:
        return [anything(rng, depth - 1) for _ in range(rng.randrange(6))]
    if kind == 7:
        return {f"k{rng.randrange(99)}é": anything(rng, depth - 1) for _ in range(rng.randrange(40))}
    return [None, True, False, rng.randrange(-2 ** 63, 2 ** 63), rng.gauss(0, 1) * 10 ** rng.uniform(-300, 300),
            "".join(rng.choice('ab"\\/\n\t\x01 é€\U0001d54a') for _ in range(rng.randrange(12)))][kind]


@pytest.mark.parametrize("indent, flags", [(None, COMPACT), (None, 0), (2, 2)])
def test_json_comes_back(lib, indent, flags):
    rng = random.Random(3)
    separators = (",", ":") if flags == COMPACT else (", " if indent is None else ",", ": ")
    for k in range(60):
        value = [anything(rng, 4)]
        text = json.dumps(value, ensure_ascii=bool(k % 2), indent=k % 3)
        own = read(lib, text)
        assert own
        back = written(lib, own, flags)
        assert json.loads(back) == value
        # the same text as Python's but for numbers and escapes of control characters
        numbers_apart = json.loads(back, parse_float=lambda _: 0.5)
        assert (json.dumps(numbers_apart, ensure_ascii=False, indent=indent, separators=separators) ==
                written(lib, read(lib, json.dumps(numbers_apart)), flags))
        assert lib.json_equal(c.c_void_p(own), c.c_void_p(read(lib, back)))


@pytest.mark.parametrize("text", [
    "", "1", '"a"', "[", "[1", "[1,", "[1,]", "{", '{"a"', '{"a":', '{"a":1,', '{"a":1,}', "{a:1}", "[01]", "[1.]",
    "[.5]", "[1e]", "[+1]", "[-]", "[nul]", "[1] 2", '["\\x"]', '["\\u12"]', '["\\ud800"]', '["\\ud800\\u0041"]',
    '["\\u0000"]', '["\n"]', '["a]', "[1e999]", "[99999999999999999999]", "[" * 3000 + "]" * 3000])
def test_what_is_not_json_is_refused(lib, text):
    assert read(lib, text) is None
    assert lib.json_loadb(text.encode()[:-1] + b"\xff", c.c_size_t(max(len(text.encode()), 1)), 0, None) == 0


def test_duplicates_are_refused_on_request(lib):
    text = '{"a": 1, "b": 2, "a": 3}'
    assert read(lib, text, REJECT_DUPLICATES) is None
    assert json.loads(written(lib, read(lib, text), 0)) == {"a": 3, "b": 2}


def keys_of_one_place(bits, blocks):
    """2^blocks keys that a hash without a seed (FNV-1a from its usual start) puts on one place: pairs
    of words that lead from one state, of so many bits, to another, one behind the other."""
    mask, state, pairs, rng = (1 << bits) - 1, 1469598103934665603, [], random.Random(1)
    for _ in range(blocks):
        seen, word = {}, None
        while word is None or seen.setdefault(end, word) == word:
            word = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=5))
            end = state
            for letter in word.encode():
                end = (end ^ letter) * 1099511628211 & mask
        pairs.append((seen[end], word))
        state = end
    return ["".join(words) for words in itertools.product(*pairs)]


def test_keys_that_were_made_to_collide(lib):
    made = keys_of_one_place(20, 13)
    assert len(set(made)) == 1 << 13
    rng = random.Random(2)
    plain = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=len(key))) for key in made]

    def seconds(keys):
        text, spent = json.dumps(dict.fromkeys(keys, 1)), []
        for _ in range(3):
            start = time.process_time()
            value = read(lib, text)
            spent.append(time.process_time() - start)
            lib.json_decref(c.c_void_p(value))
        return min(spent)

    assert seconds(made) < 10 * seconds(plain) + 0.01


# ---- KissFFT -------------------------------------------------------------------------------------

@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 6, 8, 30, 45, 64, 7, 77])
def test_transforms_are_those_of_numpy(lib, length):
    rng = np.random.default_rng(4)
    bytes_needed = c.c_size_t(0)
    lib.kiss_fft_alloc(length, 0, None, c.byref(bytes_needed))
    for inverse in (0, 1):
        for stride in (1, 3):
            memory = c.create_string_buffer(bytes_needed.value)
            plan = lib.kiss_fft_alloc(length, inverse, memory, c.byref(bytes_needed))
            given = (rng.standard_normal((length * stride, 2)) @ [1, 1j]).astype(np.complex64)
            out = np.empty(length, np.complex64)
            lib.kiss_fft_stride(c.c_void_p(plan), c.c_void_p(given.ctypes.data), c.c_void_p(out.ctypes.data), stride)
            used = given[::stride].astype(complex)
            wanted = np.fft.ifft(used) * length if inverse else np.fft.fft(used)
            assert abs(out - wanted).max() <= 8 * np.finfo(np.float32).eps * length * abs(used).max()


def test_fast_lengths(lib):
    for length in range(1, 400):
        found = lib.kiss_fft_next_fast_size(length)
        assert found == next(k for k in range(length, 2 * length + 1) if 30 ** 9 % k == 0)


# ---- libsvm --------------------------------------------------------------------------------------

class Node(c.Structure):
    _fields_ = [("index", c.c_int), ("value", c.c_double)]


class Problem(c.Structure):
    _fields_ = [("l", c.c_int), ("y", c.POINTER(c.c_double)), ("x", c.POINTER(c.POINTER(Node)))]


class Parameter(c.Structure):
    _fields_ = [("svm_type", c.c_int), ("kernel_type", c.c_int), ("cache_size", c.c_double), ("eps", c.c_double),
                ("C", c.c_double), ("shrinking", c.c_int)]


class Machine(c.Structure):
    _fields_ = [("l", c.c_int), ("sv_coef", c.POINTER(c.POINTER(c.c_double))), ("sv_indices", c.POINTER(c.c_int)),
                ("rho", c.POINTER(c.c_double))]


def test_machines_without_memory():
    """There is none, and the process goes on."""
    alone = textwrap.dedent("""
        import ctypes as c, resource, sys
        lib = c.CDLL(sys.argv[1])
        lib.svm_train.restype = c.c_void_p
        class Problem(c.Structure):
            _fields_ = [("l", c.c_int), ("y", c.c_void_p), ("x", c.c_void_p)]
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20),) * 2)
        print(lib.svm_train(c.byref(Problem(50_000_000)), bytes(64)))""")
    options = os.environ.get("ASAN_OPTIONS", "") + ":allocator_may_return_null=1"
    done = subprocess.run([sys.executable, "-c", alone, PATH], capture_output=True, text=True, timeout=60,
                          env=dict(os.environ, ASAN_OPTIONS=options))
    assert (done.returncode, done.stdout) == (0, "None\n"), done.stderr


@pytest.mark.parametrize("cost", [0.1, 1.0, 100.0])
def test_machines_decide_as_those_of_scikit_learn(lib, cost):
    rng = np.random.default_rng(5)
    size = 60
    points = np.r_[rng.normal(0, 1, (size // 2, 3)), rng.normal(1, 1, (size // 2, 3))]
    y = np.repeat([1.0, -1.0], size // 2)
    K = np.exp(-0.5 * ((points[:, None] - points[None]) ** 2).sum(-1))
    rows = [(Node * (size + 2))(Node(0, i + 1), *(Node(j + 1, K[i, j]) for j in range(size)), Node(-1, 0))
            for i in range(size)]
    problem = Problem(size, (c.c_double * size)(*y), (c.POINTER(Node) * size)(*(c.cast(r, c.POINTER(Node))
                                                                               for r in rows)))
    machine = Machine.from_address(lib.svm_train(c.byref(problem), c.byref(Parameter(0, 4, 64, 1e-6, cost, 1))))
    coef = np.zeros(size)
    coef[np.array(machine.sv_indices[:machine.l]) - 1] = machine.sv_coef[0][:machine.l]
    twin = SVC(C=cost, kernel="precomputed", tol=1e-6).fit(K, y)
    assert abs(K @ coef - machine.rho[0] - twin.decision_function(K)).max() <= 1e-4
    assert (abs(coef) <= cost).all() and abs(coef.sum()) <= 1e-9 * cost
