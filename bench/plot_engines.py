"""plot_engines.py TABLE.csv OUT.svg - seconds of a fit of 30 iterations against the number of samples, on the GPU and on
the processor, from what `bench_cuda plot` prints."""
import csv
import math
import sys

ITERATIONS = 30
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 640, 400, 60, 50, 20, 110
COLOURS = {"cuda": "#0a7d4b", "cpu": "#8a2be2"}


def series(path):
    """{(metric, engine): [(p, seconds)]}"""
    found = {}
    with open(path, encoding="utf-8") as table:
        for row in csv.DictReader(table):
            seconds = float(row["opened"]) + ITERATIONS * float(row["iteration"])
            if math.isfinite(seconds):
                found.setdefault((row["metric"], row["engine"]), []).append((int(row["p"]), seconds))
    return found


def plot(found):
    points = [point for line in found.values() for point in line]
    low = [math.floor(math.log10(min(point[k] for point in points))) for k in (0, 1)]
    high = [math.ceil(math.log10(max(point[k] for point in points))) for k in (0, 1)]

    def place(p, seconds):
        x = LEFT + (math.log10(p) - low[0]) / (high[0] - low[0]) * (WIDTH - LEFT - RIGHT)
        y = HEIGHT - BOTTOM - (math.log10(seconds) - low[1]) / (high[1] - low[1]) * (HEIGHT - BOTTOM - TOP)
        return round(x, 1), round(y, 1)

    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">'
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
    for e in range(low[0], high[0] + 1):
        x, y = place(10.0 ** e, 10.0 ** low[1])
        yield f'<path d="M{x} {y}V{TOP}" stroke="#ddd"/><text x="{x}" y="{y + 18}" text-anchor="middle">{10 ** e:,}</text>'
    for e in range(low[1], high[1] + 1):
        x, y = place(10.0 ** low[0], 10.0 ** e)
        yield (f'<path d="M{x} {y}H{WIDTH - RIGHT}" stroke="#ddd"/>'
               f'<text x="{x - 6}" y="{y + 4}" text-anchor="end">{10.0 ** e:g} s</text>')
    for (metric, engine), line in found.items():
        dash = ' stroke-dasharray="6 4"' if metric == "airm" else ""
        path = " ".join(f"{x},{y}" for x, y in (place(*point) for point in sorted(line)))
        x, y = place(*max(line))
        yield f'<polyline points="{path}" fill="none" stroke="{COLOURS[engine]}" stroke-width="2"{dash}/>'
        yield f'<text x="{x + 6}" y="{y + 4}" fill="{COLOURS[engine]}">{engine}, {metric}</text>'
    yield f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">samples</text></svg>'


if __name__ == "__main__":
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.write("\n".join(plot(series(sys.argv[1]))) + "\n")
