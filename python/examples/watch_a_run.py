# SPDX-License-Identifier: BSD-3-Clause
# %% [markdown]
# # Watch a run, stop it, go on
# A run is a process of its own. Its frames can be looked at while it goes on; a run that is stopped writes a checkpoint and is resumed
# from there. The sample has exact traces to compare with.

# %%
import numpy as np

import conoid
from conoid.units import s

case = conoid.Case.sample("point-source")
case.parameters.end_time = 0.4 * s
print(case.check().require())

# %% [markdown]
# The largest pressure of each frame as it comes. Once the wave has been on its way for a tenth of a second the run is stopped.

# %%
with conoid.start(case, "runs/watched") as running:
    for frame in running.frames():
        print(f"{frame.value:.3f} s  {np.max(np.abs(frame['volume']['pressure'])):.3g} Pa")
        if frame.value > 0.1:
            running.stop()
            break
    try:
        run = running.wait()  # it was quicker than the loop
    except conoid.Stopped:
        print("stopped, as was asked")
        run = running.run.resume()

# %% [markdown]
# The traces are those of a run that was never stopped, and lie on the exact ones.

# %%
receivers = run.tables["receivers"]
peak = np.max(np.abs(receivers["surface_exact"]))
for name in ("surface", "deep", "side"):
    print(f"{name:8} {np.max(np.abs(receivers[name] - receivers[name + '_exact'])) / peak:.4f} of the peak")

# %%
assert run.state == "finished"
assert receivers["t"][-1] >= 0.4
assert all(np.max(np.abs(receivers[n] - receivers[n + "_exact"])) < 0.01 * peak for n in ("surface", "deep", "side"))
