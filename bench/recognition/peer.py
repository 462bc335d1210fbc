#!/usr/bin/env python3
"""peer.py TRAIN TEST REPEATS - pyRiemann's nearest neighbour, timed.

Prints one JSON object: seconds of each run (fit and predict), and the predicted labels."""
import json
import sys
import time

import numpy as np
from pyriemann.classification import KNearestNeighbor


def main():
    train, test = (np.load(path) for path in sys.argv[1:3])
    X, y, Q = train["X"], train["y"], test["X"]
    seconds = []
    for _ in range(int(sys.argv[3])):
        start = time.perf_counter()
        predicted = KNearestNeighbor(1, metric="riemann").fit(X, y).predict(Q)
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"seconds": seconds, "predicted": [int(label) for label in predicted]}))


if __name__ == "__main__":
    main()
