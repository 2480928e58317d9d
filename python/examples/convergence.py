# SPDX-License-Identifier: BSD-3-Clause
# %% [markdown]
# # How fast does the error fall?
# A plane pulse runs along a box with rigid sides. Its pressure is known at every moment, so that the error of a frame can be taken
# from the frame itself. Second order in space and in time: half the spacing, a quarter of the error.

# %%
import numpy as np

import conoid
from conoid.units import m, ms, s

speed, width, start = 1500 * m / s, 30 * m, 250 * m

case = conoid.Case("acoustic-fd", title="A plane pulse between rigid walls")
case.grid.size = [800 * m, 60 * m, 60 * m]
case.grid.spacing = 10 * m
case.medium.velocity.speed = speed
for face in ("y_min", "y_max", "z_min", "z_max"):
    case[f"boundaries.{face}"] = {"kind": "rigid"}
case.excitation.initial = {"kind": "plane", "axis": "x", "centre": [start, 0, 0], "width": width, "amplitude": 1}
case.parameters = {"order": 2, "courant": 0.4, "end_time": 100 * ms}
case.output.frames.count = 1
print(case.check().require())

# %% [markdown]
# One run a spacing, two at a time.

# %%
spacings = [10 * m, 5 * m, 2.5 * m]
sweep = conoid.sweep(case, {"grid.spacing": spacings}, "runs/spacings", jobs=2)
assert not sweep.failed, sweep.failed[0].error


# %%
def error(run: conoid.Run) -> float:
    """Largest difference between the last frame and the exact pulse, in parts of the pulse."""
    frame = run.frames[-1]
    part = frame["volume"]
    exact = np.exp(-((part.axes[0] - start.si - speed.si * frame.value) ** 2) / (2 * width.si**2))
    return float(np.max(np.abs(part["pressure"] - exact)))


errors = np.array([error(point.run) for point in sweep])
orders = np.log2(errors[:-1] / errors[1:])
for spacing, value in zip(spacings, errors):
    print(f"{spacing!s:>6}  {value:.5f}")
print("orders", np.round(orders, 2))

# %% [markdown]
# The coarsest spacing has three nodes a standard deviation, where higher terms of the error are still seen; between the finer two the
# order is two.

# %%
assert errors[0] < 0.05
assert 1.9 < orders[-1] < 2.1, orders
