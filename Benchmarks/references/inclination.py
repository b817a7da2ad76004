"""Runs VQF (Laidig and Seel 2023, MIT licence) over the BROAD trials given as files.

Writes, for each file, `<output folder>/<file name>.up`: one line a row of the file with the unit vector
that points up in the sensor's frame, first as VQF 6D gives it sample by sample, then as its offline
variant gives it from the whole trial, then as an accelerometer alone gives it through a zero-phase
low-pass (Butterworth, second order, 2 Hz). Prints nanoseconds a sample of VQF's own loop.

With `moving` the rows at rest (the last column is 0) are cut out first.

    python3 inclination.py all|moving OUTPUT_FOLDER FILE...
"""

import os
import sys
import time

import numpy
import vqf

STANDARD_GRAVITY = 9.80665
RATE = 285.714


def up(quaternions):
    """The third row of each rotation matrix: the room's vertical in the sensor's frame."""
    w, x, y, z = quaternions.T
    return numpy.stack(
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z], axis=1
    )


def low_pass(values, corner):
    """One pass of a second-order Butterworth low-pass, settled at the first value."""
    k = numpy.tan(numpy.pi * corner / RATE)
    norm = 1 / (1 + numpy.sqrt(2) * k + k * k)
    b0 = k * k * norm
    a1 = 2 * (k * k - 1) * norm
    a2 = (1 - numpy.sqrt(2) * k + k * k) * norm
    result = numpy.empty_like(values)
    x1 = x2 = y1 = y2 = values[0]
    for index, x in enumerate(values):
        y = b0 * (x + 2 * x1 + x2) - a1 * y1 - a2 * y2
        x2, x1, y2, y1 = x1, x, y1, y
        result[index] = y
    return result


def both_ways(values, corner):
    return low_pass(low_pass(values, corner)[::-1], corner)[::-1]


def main():
    only_moving = sys.argv[1] == "moving"
    folder = sys.argv[2]
    spent = 0.0
    rows = 0
    for path in sys.argv[3:]:
        table = numpy.genfromtxt(path, delimiter=",", skip_header=1)
        if only_moving:
            table = table[table[:, 10] == 1]
        force = numpy.ascontiguousarray(table[:, 1:4] * STANDARD_GRAVITY)
        rate = numpy.ascontiguousarray(numpy.radians(table[:, 4:7]))
        begin = time.perf_counter()
        causal = vqf.VQF(1 / RATE).updateBatch(rate, force)["quat6D"]
        spent += time.perf_counter() - begin
        rows += len(table)
        whole = vqf.offlineVQF(rate, force, None, 1 / RATE)["quat6D"]
        alone = both_ways(table[:, 1:4], 2.0)
        alone /= numpy.linalg.norm(alone, axis=1, keepdims=True)
        target = os.path.join(folder, os.path.basename(path) + ".up")
        numpy.savetxt(target, numpy.hstack([up(causal), up(whole), alone]), fmt="%.9f")
    print(f"{1e9 * spent / rows:.0f}")


main()
