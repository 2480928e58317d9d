# SPDX-License-Identifier: BSD-3-Clause
# %% [markdown]
# # An image of the ground by reverse-time migration
# Sixteen shots above two interfaces, in a vertical plane. What the receivers recorded runs backwards into a smooth model of the ground, in which
# nothing echoes; where it meets the wave of the source at the same moment, an interface sent it back. The march is its own adjoint, so this is
# the gradient of the misfit with respect to the model, up to scale.

# %%
from pathlib import Path

import numpy as np

import conoid
from conoid.units import Hz, m, ms

steps, every, spacing = 800, 8, 10  # 1 ms a step
tops = (400, 600)  # m below the surface
positions = np.linspace(200, 1200, 16)


def survey(title: str, layers: list[dict[str, float]]) -> conoid.Case:
    case = conoid.Case("acoustic-fd", title=title)
    case.grid.points = [141, 1, 86]
    case.grid.spacing = spacing * m
    case.grid.origin = [0 * m, 0 * m, -850 * m]
    case.medium.velocity = {"kind": "layers", "layers": layers}
    case.parameters = {"order": 8, "time_step": 1 * ms, "steps": steps}
    case.compute.threads = 1  # so small a grid gains nothing from more
    return case


def with_shots(case: conoid.Case) -> conoid.Case:
    case.excitation.sources = [
        {"position": [x, 0, -150], "shot": n + 1, "signal": {"kind": "ricker", "frequency": 15 * Hz, "amplitude": 1000}}
        for n, x in enumerate(positions)
    ]
    case.output.receiver_lines = [{"from": [150, 0, -130], "to": [1250, 0, -130], "count": 111}]
    case.output.segy = "ieee"
    case.output.trace_every = 1
    case.output.exact = False
    return case


ground = [{"speed": 2000}, {"top": tops[0], "speed": 2400}, {"top": tops[1], "speed": 2800}]
smooth = [  # the same speeds, with slopes of 160 m in the place of jumps
    {"speed": 2000},
    {"top": tops[0] - 80, "speed": 2000, "gradient": 2.5},
    {"top": tops[0] + 80, "speed": 2400},
    {"top": tops[1] - 80, "speed": 2400, "gradient": 2.5},
    {"top": tops[1] + 80, "speed": 2800},
]

# %% [markdown]
# What is measured, and what the smooth model gives, with frames of its waves.

# %%
measured = with_shots(survey("Measured", ground)).run("runs/measured")
modelled_case = with_shots(survey("Modelled", smooth))
modelled_case.output.frames.every = every
modelled = modelled_case.run("runs/modelled")


# %% [markdown]
# The difference of both, shot by shot, in files that are like those of the runs.


# %%
def traces(path: Path) -> tuple[bytes, np.ndarray]:
    """The binary header of a SEG-Y file and its traces as records of header and samples."""
    data = path.read_bytes()
    samples = int.from_bytes(data[3220:3222], "big")
    layout = np.dtype([("header", "V240"), ("samples", ">f4", samples)])
    return data[:3600], np.frombuffer(data[3600:], dtype=layout).copy()


def residual(shot: int) -> Path:
    head, seen = traces(measured.folder / "traces" / f"shot-{shot}.sgy")
    _, expected = traces(modelled.folder / "traces" / f"shot-{shot}.sgy")
    seen["samples"] -= expected["samples"]
    path = Path(f"residual-{shot}.sgy").resolve()
    path.write_bytes(head + seen.tobytes())
    return path


# %% [markdown]
# Backwards, and the product of both waves at equal moments over the square of the source's.


# %%
def waves(run: conoid.Run) -> dict[int, np.ndarray]:
    """Frames by their step, z along the first axis."""
    return {round(frame.value / 1e-3): np.array(frame["plane xz"]["pressure"])[:, 0, :] for frame in run.frames}


forward = waves(modelled)
image = illumination = 0.0
for n in range(len(positions)):
    back_case = survey("Backwards", smooth)
    back_case.excitation.traces = {"kind": "segy", "file": str(residual(n + 1)), "reversed": True}
    back_case.output.frames.every = every
    back = waves(back_case.run(f"runs/back-{n + 1}"))
    for step in range(every, steps, every):
        wave = forward[n * steps + step]
        image = image + wave * back[steps - step]
        illumination = illumination + wave**2
image = image / (illumination + 1e-3 * np.max(illumination))

# %% [markdown]
# Along the middle, the second derivative takes away what smooth products leave; the interfaces are where it is largest.

# %%
depth = 850 - spacing * np.arange(image.shape[0])
middle = image[:, 40:100].sum(axis=1)
sharp = np.abs(np.gradient(np.gradient(middle)))
found = [depth[inside][np.argmax(sharp[inside])] for inside in (np.abs(depth - top) < 90 for top in tops)]
print("interfaces at", *(f"{d:.0f} m" for d in found), "- true", *tops)
elsewhere = sharp[np.abs(depth - 500) < 25].max()
for top, place in zip(tops, found):
    assert abs(place - top) <= 30, found
    assert sharp[np.argmin(np.abs(depth - place))] > 2 * elsewhere, (place, elsewhere)
