#!/usr/bin/env python3
"""torch_spdnet.py - one training epoch of a shallow SPDNet: the layers of spdml.torch against spd-learn's.

    python bench/torch_spdnet.py [--threads 1] [--samples 512] [--batch 256] [--dtype float64]

Needs torch and spd-learn (`pip install spd-learn --no-deps`, then pyriemann and einops). Both networks start
from the same weights and see the same batches; losses and weights after the epoch are compared. Times are
of the processor, the best of several epochs, theirs and ours in turn."""
import argparse
import time

import torch
from spd_learn.modules import BiMap, LogEig, ReEig, SPDBatchNormMean
from torch import nn

import spdml.torch


def data(samples, n, dtype, seed=1):
    """Matrices with eigenvalues from 0.05 to 5, around a mean that depends on their class."""
    g = torch.Generator().manual_seed(seed)
    y = torch.arange(samples) % 4
    A = torch.linalg.qr(torch.randn(samples, n, n, generator=g, dtype=torch.float64))[0]
    spread = torch.exp(torch.rand(samples, n, generator=g, dtype=torch.float64) * 4.6 - 3.0)
    tilt = torch.eye(n, dtype=torch.float64) + 0.3 * torch.randn(4, n, n, generator=g, dtype=torch.float64) / n**0.5
    X = tilt[y] @ (A * spread[:, None]) @ A.mT @ tilt[y].mT
    return ((X + X.mT) / 2).to(dtype), y


def networks(n, m, dtype, norm):
    """Theirs and ours, with the same weights."""
    head = nn.Linear(m * (m + 1) // 2, 4, dtype=dtype)
    twin = nn.Linear(m * (m + 1) // 2, 4, dtype=dtype)
    twin.load_state_dict(head.state_dict())
    theirs = [BiMap(n, m, dtype=dtype, init_method="orthogonal"), ReEig(1e-4), LogEig(), head]
    ours = [spdml.torch.BiMap(n, m, dtype=dtype), spdml.torch.ReEig(1e-4), spdml.torch.LogEig(), twin]
    ours[0].load_state_dict({name: value[0] if value.dim() == 3 else value
                             for name, value in theirs[0].state_dict().items()})
    if norm:
        theirs.insert(2, SPDBatchNormMean(m, n_iter=norm, dtype=dtype))
        ours.insert(2, spdml.torch.BatchNorm(m, dtype=dtype))
    return nn.Sequential(*theirs), nn.Sequential(*ours)


def epoch(net, X, y, batch, rate=0.05):
    """The last loss, and seconds of the processor."""
    net.train()
    optimizer = torch.optim.SGD(net.parameters(), lr=rate)
    start = time.process_time()
    for first in range(0, len(X), batch):
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.cross_entropy(net(X[first:first + batch]), y[first:first + batch])
        loss.backward()
        optimizer.step()
    return float(loss.detach()), time.process_time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--samples", type=int, default=512)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--dtype", default="float64")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--sizes", default="8,16,32,64")
    o = parser.parse_args()
    torch.set_num_threads(o.threads)
    dtype = getattr(torch, o.dtype)
    print(f"torch {torch.__version__}, {o.threads} threads, {o.samples} samples, batches of {o.batch}, {o.dtype}")
    print(f"{'n':>3} {'m':>3}  {'norm':>5}  {'spd-learn ms':>12}  {'spdml ms':>9}  {'ratio':>5}  loss apart")
    for norm in (0, 1, 20):
        for n in map(int, o.sizes.split(",")):
            X, y = data(o.samples, n, dtype)
            torch.manual_seed(0)
            pair = networks(n, n // 2, dtype, norm)
            best, gap = [float("inf")] * 2, 0.0
            for _ in range(o.epochs):
                done = [epoch(net, X, y, o.batch) for net in pair]
                gap = max(gap, abs(done[0][0] - done[1][0]))
                best = [min(b, seconds) for b, (_, seconds) in zip(best, done)]
            print(f"{n:3} {n // 2:3}  {norm or '-':>5}  {1e3 * best[0]:12.1f}  {1e3 * best[1]:9.1f}  "
                  f"{best[0] / best[1]:5.1f}  {gap:.1e}", flush=True)


if __name__ == "__main__":
    main()
