# SPDX-License-Identifier: BSD-3-Clause
"""What several tests need: the plane wave whose solution is known, computed once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import conoid  # noqa: E402
from conoid.units import m, ms  # noqa: E402

speed, width, start, spacing = 1500.0, 30.0, 250.0, 5.0


def exact(x: Any, t: float) -> Any:
    """Pressure of a plane Gaussian that travels towards +x."""
    return np.exp(-((x - start - speed * t) ** 2) / (2 * width**2))


def bound(t: float, step: float) -> float:
    """How far a frame may be off: leapfrog lets a wave k run fast by (k c dt)^2/24 of its speed, which after a way L = c t makes
    an error of L (c dt)^2/24 times the third derivative, 1.38/w^3 of a Gaussian at most. The next term, of order (k c dt)^4, adds
    less than 2 %, a start that is exact instead of discrete (c dt)^2/24 times the second derivative, at most 1/w^2, frames are kept in single precision (1e-7), and order 12 in space at six points a standard deviation adds nothing
    that would be seen beside these. The march is in double precision: in single, 400 steps round off as much as 1e-4."""
    return (speed * step) ** 2 / 24 * (1.02 * 1.38 * speed * t / width**3 + 1 / width**2) + 1e-6


def plane_wave() -> conoid.Case:
    case = conoid.Case("acoustic-fd", title="A plane pulse between rigid walls")
    case.grid.points = [161, 13, 13]
    case.grid.spacing = spacing * m
    case.medium.velocity.speed = speed
    for face in ("y_min", "y_max", "z_min", "z_max"):
        case[f"boundaries.{face}"] = {"kind": "rigid"}
    case.excitation.initial = {"kind": "plane", "axis": "x", "centre": [start, 0, 0], "width": width * m, "amplitude": 1}
    case.parameters = {"order": 12, "time_step": 0.5 * ms, "end_time": 200 * ms}
    case.compute.precision = "double"
    case.output.frames.interval = 20 * ms
    return case


@pytest.fixture(scope="session")
def wave(tmp_path_factory: pytest.TempPathFactory) -> conoid.Run:
    return plane_wave().run(tmp_path_factory.mktemp("wave") / "run", threads=1)
