# SPDX-License-Identifier: BSD-3-Clause
"""Runs: their numbers are the exact ones, fields come as views of the file, live frames and stops work, sweeps keep their order."""

from __future__ import annotations

import fcntl
import mmap
import pickle
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import bound, exact, plane_wave, spacing, width

import conoid
from conoid.fields import Frames
from conoid.units import m, ms


def _is_view(array: np.ndarray[Any, Any]) -> bool:
    base: object = array
    while isinstance(base, np.ndarray) and base.base is not None:
        base = base.base
    return isinstance(base, mmap.mmap) or (isinstance(base, memoryview) and isinstance(base.obj, mmap.mmap))


def test_frames_are_the_exact_plane_wave(wave: conoid.Run) -> None:
    assert wave.state == "finished"
    assert len(wave.frames) == 11
    step = wave.numbers["time_step"]
    assert (step, step.unit) == (5e-4, "s")
    for frame in wave.frames:
        part = frame["volume"]
        assert part.shape == (13, 13, 161)
        error = np.max(np.abs(part["pressure"] - exact(part.axes[0], frame.value)))
        assert error <= bound(frame.value, step), (frame, error)
    # Had the wave gone one node further, or not at all, the bound would have noticed.
    last = wave.frames[-1]
    x = last["volume"].axes[0]
    assert np.max(np.abs(exact(x - spacing, last.value) - last["volume"]["pressure"])) > 10 * bound(last.value, step)


def test_probe_is_the_exact_plane_wave(wave: conoid.Run) -> None:
    table = wave.probe("pressure", point=[[400 * m, 30, 30], (500, "0.03 km", 30)], frames="all")
    assert table.units["pressure"] == "Pa"
    for t, x, p in zip(table["time"], table["x"], table["pressure"]):
        assert abs(p - exact(np.array(x), t)) <= bound(t, 5e-4)
    line = wave.probe("pressure", line=([0, 30, 30], [800, 30, 30], 161))
    assert line["pressure"] == pytest.approx(wave.frames[-1]["volume"]["pressure"][6, 6], abs=1e-7)
    # The integral over the box of 60 m by 60 m; sums of a Gaussian at six points a standard deviation are exact to 1e-100.
    whole = wave.probe("pressure", over="volume", frames="first")
    assert whole["pressure_integral"][0] == pytest.approx(3600 * width * np.sqrt(2 * np.pi), rel=1e-6)


def test_fields_are_views_of_the_file(wave: conoid.Run) -> None:
    part = wave.frames[3]["volume"]
    values = part["pressure"]
    assert part.mapped("pressure") and _is_view(values)
    assert not values.flags.writeable
    copy = part._file.rows("PointData/pressure", 3, 1, copy=True)[0]
    assert np.array_equal(values.ravel(), copy.ravel())
    assert part.points.shape == (13 * 13 * 161, 3)
    assert part.points[-1] == pytest.approx([800, 60, 60])


def test_big_frames_are_views_too(tmp_path: Path) -> None:
    """More than one chunk a frame: pieces that follow each other in the file are mapped as one, others are read. Both are right."""
    case = plane_wave()
    case.grid.points = [161, 101, 101]
    case.output.volume_points = 2_000_000
    case.parameters = {"order": 12, "time_step": 0.5 * ms, "steps": 4}
    case.output.frames = {"every": 2, "parts": ["volume"]}
    run = case.run(tmp_path / "run")
    for frame in run.frames:
        part = frame["volume"]
        assert part["pressure"].nbytes > 4 << 20
        assert np.max(np.abs(part["pressure"] - exact(part.axes[0], frame.value))) <= bound(frame.value, 5e-4)
        plain = part._file.h5["VTKHDF/PointData/pressure"][frame.number]
        assert np.array_equal(part["pressure"].ravel(), plain.ravel())


def test_tables_numbers_and_log(wave: conoid.Run) -> None:
    energy = wave.tables["energy"]
    assert energy.columns[0] == "t" and energy.units["t"] == "s"
    assert energy.title and energy.data.shape[1] == len(energy)
    assert wave.numbers["time_steps"] == 400.0
    again = pickle.loads(pickle.dumps(wave.numbers["time_step"]))
    assert (again, again.unit) == (5e-4, "s")
    assert any("time step" in line["text"] for line in wave.log())
    assert wave.info["solver"] == "acoustic-fd"
    assert wave.case.grid.points == [161, 13, 13]
    assert set(wave.telemetry.columns) >= {"pass", "worker", "busy"}
    with pytest.raises(KeyError, match="there are energy"):
        wave.tables["nothing"]


def test_a_table_that_is_being_written(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("# title: Two\n# label: a = First\n# exact: b\nt[s],a[Pa],b[Pa]\n0,1,2\n1,nan,3\n2,4")
    table = conoid.Table(file)
    assert table["t"].tolist() == [0, 1] and np.isnan(table["a"][1])
    assert table.exact == ["b"] and table.heading("a") == "First (Pa)"
    file.write_text(file.read_text() + ",5\n")
    assert table.refresh()["b"].tolist() == [2, 3, 5]
    file.write_text("t[s],a\n1\n")
    with pytest.raises(conoid.FileError, match="damaged"):
        table.refresh()


def test_frames_come_while_the_run_goes_on(tmp_path: Path) -> None:
    """A run that would take an hour is watched for three frames and stopped: each is whole and exact when it comes."""
    case = plane_wave()
    case.grid.points = [161, 41, 41]
    case.parameters.end_time = 1000
    case.output.trace_every = case.output.energy_every = 100000
    seen: list[int] = []
    with case.start(tmp_path / "run", threads=1) as running:
        for frame in running.frames(poll=0.01):
            assert not running.done
            assert set(frame.parts) == {"volume", "plane xy", "plane xz", "plane yz"}
            if frame.value <= 0.2:
                x = frame["volume"].axes[0]
                assert np.max(np.abs(frame["volume"]["pressure"] - exact(x, frame.value))) <= bound(frame.value, 5e-4)
            seen.append(frame.number)
            if len(seen) == 3:
                break
        running.stop()
        with pytest.raises(conoid.Stopped):
            running.wait()
    assert seen == [0, 1, 2]
    assert len(running.run.frames) >= 3


def test_a_results_file_that_is_cut_off_for_a_moment(wave: conoid.Run, tmp_path: Path) -> None:
    whole = (wave.folder / "results.vtkhdf").read_bytes()
    file = tmp_path / "results.vtkhdf"
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(conoid.FileError):
        Frames(tmp_path)  # nobody writes it any more
    with open(tmp_path / ".lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # as a run that goes on
        writer = threading.Timer(0.3, file.write_bytes, (whole,))
        writer.start()
        assert len(Frames(tmp_path)) > 0
        writer.join()


def test_all_frames_and_progress_of_a_run(tmp_path: Path) -> None:
    case = plane_wave()
    case.parameters.end_time = 60 * ms
    case.output.frames.interval = 2 * ms
    told: list[conoid.Progress] = []
    with case.start(tmp_path / "run", threads=1) as running:
        numbers = [frame.number for frame in running.frames(poll=0.01)]
        run = running.wait(told.append)
    assert numbers == list(range(31)) and len(run.frames) == 31
    assert running.progress.step == running.progress.steps == 120
    assert running.progress.fraction == 1


def test_leaving_by_an_exception_stops_the_run(tmp_path: Path) -> None:
    case = plane_wave()
    case.parameters.end_time = 1000
    case.output.trace_every = case.output.energy_every = 100000
    case.output.frames = {"count": 0}
    with pytest.raises(ZeroDivisionError), case.start(tmp_path / "run", threads=1) as running:
        while running.progress.step == 0 and not running.done:
            time.sleep(0.02)
        raise ZeroDivisionError
    assert running.done and running.run.state == "stopped"


def test_stop_and_resume(tmp_path: Path) -> None:
    case = plane_wave()
    case.parameters.end_time = 100
    case.output.frames.count = 0
    case.output.trace_every = case.output.energy_every = 1000
    del case.output.frames["interval"]
    running = case.start(tmp_path / "run", threads=1)
    while running.progress.step == 0 and not running.done:
        time.sleep(0.02)
    assert running.run.state == "running"
    running.stop()
    with pytest.raises(conoid.Stopped):
        running.wait()
    run = running.run
    assert run.state == "stopped"
    step = run.summary["steps"]
    run = run.resume(set={"parameters.end_time": (step + 10) * 0.5 * ms}, threads=1)
    assert run.state == "finished" and run.summary["steps"] == step + 10


def test_a_run_that_cannot_start(tmp_path: Path) -> None:
    case = plane_wave()
    case.parameters.time_step = 100 * ms
    with pytest.raises(conoid.InvalidInput, match="/parameters/time_step"):
        case.run(tmp_path / "run")
    full = tmp_path / "full"
    full.mkdir()
    (full / "file").write_text("")
    with pytest.raises(conoid.FileError, match="holds files"):
        plane_wave().run(full)
    with pytest.raises(conoid.FileError, match="no run folder"):
        conoid.Run(full)


def test_sweep_measures_the_order(tmp_path: Path) -> None:
    """The error of the time step falls with its square: three runs, two at a time, in the order asked for."""
    case = plane_wave()
    case.parameters.end_time = 200 * ms
    steps = [1 * ms, 0.5 * ms, 0.25 * ms]
    found = conoid.sweep(case, {"parameters.time_step": steps}, tmp_path / "sweep", jobs=2)
    assert not found.failed and found.values("parameters.time_step").tolist() == [1e-3, 5e-4, 2.5e-4]
    assert np.array_equal(found.number("time_step"), found.values("parameters.time_step"))
    errors = []
    for point in found:
        assert point.run is not None
        part = point.run.frames[-1]["volume"]
        errors.append(np.max(np.abs(part["pressure"] - exact(part.axes[0], point.run.frames[-1].value))))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(orders - 2) < 0.05), orders


def test_a_sweep_keeps_its_errors_and_takes_any_executor(tmp_path: Path) -> None:
    case = plane_wave()
    case.parameters.end_time = 2 * ms
    with ThreadPoolExecutor(2) as executor:
        found = conoid.sweep(case, {"parameters.order": [7, 8]}, tmp_path / "sweep", executor=executor, threads=1)
    assert [p.values["parameters.order"] for p in found.failed] == [7]
    assert isinstance(found[0].error, conoid.InvalidInput)
    assert np.isnan(found.number("time_step")[0]) and found[1].run.state == "finished"


def test_a_new_folder_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    case = plane_wave()
    case.parameters = {"time_step": 0.5 * ms, "steps": 2}
    names = {case.run(threads=1).name for _ in range(3)}
    assert len(names) == 3
    assert {run.name for run in conoid.find_runs()} == names


def test_export(wave: conoid.Run, tmp_path: Path) -> None:
    folder = wave.export("csv", tmp_path / "tables")
    assert list(folder.glob("*.csv"))
