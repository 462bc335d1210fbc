#!/usr/bin/env python3
"""bench_describe.py - `spdml describe gabor` beside the same in Python, one thread each.

    python bench_describe.py [--spdml PATH] [--images N]

Random images of 64 x 64 pixels, 40 wavelets, covariances of the whole and the two halves. Peers:

    skimage       skimage.filters.gabor per wavelet: convolution in space, cut at 3 deviations
    fftconvolve   scipy.signal.fftconvolve per wavelet
    spectra       scipy.fft with the wavelets' transforms kept and one transform of the image

each with numpy.cov. Results are compared before anything is timed: fftconvolve and spectra have our
border and no cut, so they agree to single precision. Times are processor seconds, the best of three
(of one for skimage, which takes seconds an image), ours with starting, reading and writing. Dense SIFT has no row: scikit-image has SIFT at key points
and DAISY only, and VLFeat's Python wrapper has no packages for current Pythons."""
import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np
import scipy.fft
import scipy.signal
import skimage.filters

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIDE, SCALES, ORIENTATIONS, SIGMA = 64, 5, 8, 2 * np.pi
LENGTH = 2 * SIDE  # of the transforms; at least 2 SIDE - 1
WAVES = [(2 ** 0.5 / 2 ** (v / 2), np.pi * u / ORIENTATIONS)
         for v in range(SCALES) for u in range(ORIENTATIONS)]


def wavelet(k, phi):
    """psi at offsets -(SIDE - 1) .. SIDE - 1 (src/filters/gabor_bank.h)."""
    y, x = np.mgrid[1 - SIDE:SIDE, 1 - SIDE:SIDE]
    envelope = (k / SIGMA) ** 2 * np.exp(-0.5 * (k / SIGMA) ** 2 * (x * x + y * y))
    wave = np.exp(1j * k * (x * np.cos(phi) + y * np.sin(phi))) - np.exp(-0.5 * SIGMA ** 2)
    return envelope * wave


def by_skimage():
    def magnitudes(image):
        for k, phi in WAVES:
            re, im = skimage.filters.gabor(image, k / (2 * np.pi), phi, sigma_x=SIGMA / k,
                                           sigma_y=SIGMA / k, mode="constant")
            yield 2 * np.pi * np.hypot(re, im)
    return magnitudes


def by_fftconvolve():
    kernels = [wavelet(k, phi) for k, phi in WAVES]

    def magnitudes(image):
        for kernel in kernels:
            yield np.abs(scipy.signal.fftconvolve(image, kernel, mode="same"))
    return magnitudes


def by_spectra():
    kernels = [scipy.fft.fft2(wavelet(k, phi), (LENGTH, LENGTH)) for k, phi in WAVES]

    def magnitudes(image):
        spectrum = scipy.fft.fft2(image, (LENGTH, LENGTH))
        for kernel in kernels:
            full = scipy.fft.ifft2(spectrum * kernel)
            yield np.abs(np.roll(full, (1 - SIDE, 1 - SIDE), (0, 1))[:SIDE, :SIDE])
    return magnitudes


# name: how to make it, how far covariances may differ from ours, images that are timed
PEERS = {"skimage": (by_skimage, 0.3, 1), "fftconvolve": (by_fftconvolve, 1e-4, 8),
         "spectra": (by_spectra, 1e-4, 16)}


def describe(image, magnitudes):
    """129 x 129: covariances of the whole, the left and the right half."""
    y, x = np.mgrid[0:SIDE, 0:SIDE]
    features = np.stack([image, x, y, *magnitudes(image)])
    n = len(features)
    out = np.zeros((3 * n, 3 * n))
    for b, part in enumerate((features, features[:, :, :SIDE // 2], features[:, :, SIDE // 2:])):
        out[b * n:(b + 1) * n, b * n:(b + 1) * n] = np.cov(part.reshape(n, -1))
    return out


def run_ours(spdml, images, folder):
    """Covariances and processor seconds."""
    data, out = pathlib.Path(folder, "images.npz"), pathlib.Path(folder, "covariances.npz")
    np.savez(data, images=images)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([spdml, "describe", "gabor", data, "-o", out, "--threads", "1", "-q"],
                   check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    with np.load(out) as file:
        X = file["X"]
    return X, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def time_peer(magnitudes, images):
    best = np.inf
    for _ in range(3 if len(images) > 1 else 1):
        began = time.process_time()
        for image in images:
            describe(image, magnitudes)
        best = min(best, time.process_time() - began)
    return best / len(images)


def check(name, ours, theirs, limit):
    scale = np.sqrt(np.outer(np.diag(theirs), np.diag(theirs)))
    gap = np.max(np.abs(ours - theirs) / scale)
    if not gap <= limit:
        sys.exit(f"{name}: the covariance differs from ours by {gap:.2g}, more than {limit:g}")
    return gap


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--spdml", default=ROOT / "build" / "release" / "spdml")
    parser.add_argument("--images", type=int, default=200)
    args = parser.parse_args()
    rng = np.random.default_rng(1)
    pixels = rng.integers(0, 256, (args.images, SIDE, SIDE), dtype=np.uint8)
    with tempfile.TemporaryDirectory() as folder:
        runs = [run_ours(args.spdml, pixels, folder) for _ in range(3)]
    X, ours = runs[0][0], min(seconds for _, seconds in runs) / args.images
    print(f"gabor, {args.images} images of {SIDE} x {SIDE}, one thread")
    print(f"{'':<12} {'ms/image':>9} {'images/s':>9} {'ratio':>7} {'differs by':>11}")
    print(f"{'spdml':<12} {1e3 * ours:>9.2f} {1 / ours:>9.1f}", flush=True)
    for name, (make, limit, count) in PEERS.items():
        magnitudes = make()
        images = pixels[:count] / 255.0
        gap = check(name, X[0], describe(images[0], magnitudes), limit)
        seconds = time_peer(magnitudes, images)
        print(f"{name:<12} {1e3 * seconds:>9.2f} {1 / seconds:>9.1f} {seconds / ours:>6.1f}x "
              f"{gap:>11.1g}", flush=True)


if __name__ == "__main__":
    main()
