# SPDX-License-Identifier: BSD-3-Clause
"""Many runs of one case: values of its keys, all combinations, some at a time."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .case import Case
from .errors import ConoidError
from .run import Run
from .units import Quantity


@dataclass(frozen=True)
class Point:
    """One run of a sweep: the values that were set, and the run, or why there is none."""

    values: dict[str, Any]
    folder: Path
    run: Run | None
    error: ConoidError | None


class Sweep(Sequence[Point]):
    """The runs of a sweep, in the order of its values."""

    def __init__(self, over: Mapping[str, Sequence[Any]], points: Sequence[Point]) -> None:
        self.over = {k: list(v) for k, v in over.items()}
        self.points = list(points)

    def __getitem__(self, index: Any) -> Any:
        return self.points[index]

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    @property
    def failed(self) -> list[Point]:
        return [p for p in self.points if p.error is not None]

    def values(self, key: str) -> NDArray[np.float64]:
        """What a key was set to, in SI units, a number a run."""
        return np.array([v.si if isinstance(v := p.values[key], Quantity) else float(v) for p in self.points])

    def number(self, name: str) -> NDArray[np.float64]:
        """A number of the runs' summaries, NaN where a run failed or has none of that name."""
        return np.array([float(p.run.numbers.get(name, np.nan)) if p.run else np.nan for p in self.points])


def _one(case: Case, folder: Path, options: Mapping[str, Any]) -> Run:
    return case.run(folder, **options)


def submit(case: Case, folder: str | os.PathLike[str], executor: Executor, **options: Any) -> Future[Run]:
    """Runs a case by any executor of concurrent.futures: the future's result is the run."""
    return executor.submit(_one, case.copy(), Path(folder), options)


def sweep(
    case: Case,
    over: Mapping[str, Sequence[Any]],
    folder: str | os.PathLike[str],
    *,
    jobs: int = 1,
    executor: Executor | None = None,
    **options: Any,
) -> Sweep:
    """One run for each combination of values: sweep(case, {"parameters.order": [2, 4]}, "runs/orders", jobs=2).

    Runs lie in <folder>/000, 001…; `jobs` of them go on at a time and share the cores, unless `threads` says otherwise. Another
    executor of concurrent.futures may be given. Where a run fails, its error is kept and the others go on.
    """
    keys = list(over)
    if executor is None:
        options.setdefault("threads", max(1, len(os.sched_getaffinity(0)) // jobs) if jobs > 1 else None)
    own = ThreadPoolExecutor(jobs) if executor is None else None  # threads do: each only waits for its process
    chosen = executor if executor is not None else own
    assert chosen is not None
    try:
        waiting = []
        for i, values in enumerate(itertools.product(*(over[k] for k in keys))):
            one = case.copy()
            for key, value in zip(keys, values):
                one[key] = value
            place = Path(folder) / f"{i:03d}"
            waiting.append((dict(zip(keys, values)), place, submit(one, place, chosen, **options)))
        points = []
        for settings, place, future in waiting:
            try:
                points.append(Point(settings, place, future.result(), None))
            except ConoidError as error:
                points.append(Point(settings, place, None, error))
    finally:
        if own is not None:
            own.shutdown(cancel_futures=True)
    return Sweep(over, points)
