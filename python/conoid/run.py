# SPDX-License-Identifier: BSD-3-Clause
"""Runs: one that goes on in a process of its own (`Running`), and the folder that it leaves (`Run`).

A run always is the command `conoid run` with a folder: what is computed from Python is what the command computes, and its folder can
be opened, resumed, drawn and exported by the window and the command too.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable

from .errors import FileError, InternalError, Stopped
from .fields import Frame, Frames, is_running
from .program import answer_of, ask, program, require
from .tables import Table, Tables, table_of_answer
from .units import Quantity

if TYPE_CHECKING:
    from .case import Case


class Number(float):
    """A number of a run's summary: a float that knows its unit."""

    unit: str

    def __new__(cls, value: float, unit: str = "") -> Number:
        out = super().__new__(cls, value)
        out.unit = unit
        return out

    def __reduce__(self) -> tuple[Any, ...]:
        return Number, (float(self), self.unit)

    def __str__(self) -> str:
        return f"{float(self):.6g}" + (f" {self.unit}" if self.unit not in ("", "1") else "")


@dataclass(frozen=True)
class Progress:
    """How far a run is, as it says itself about ten times a second."""

    phase: str = ""
    done: float = 0
    total: float = 0
    unit: str = ""
    step: int = 0
    steps: int = 0
    value: float = 0  #: time (s), frequency (Hz) or iteration
    elapsed: float = 0  #: seconds
    eta: float | None = None  #: seconds still to go
    raw: Mapping[str, Any] = field(default_factory=dict)

    @property
    def fraction(self) -> float | None:
        """Of the whole run; None while nobody knows."""
        return self.step / self.steps if self.steps else None


def _progress(item: Mapping[str, Any]) -> Progress:
    return Progress(
        phase=str(item.get("phase", "")),
        done=float(item.get("done", 0)),
        total=float(item.get("total", 0)),
        unit=str(item.get("unit", "")),
        step=int(item.get("step", 0)),
        steps=int(item.get("steps", 0)),
        value=float(item.get("value") or 0),
        elapsed=float(item.get("elapsed", 0)),
        eta=item.get("eta"),
        raw=item,
    )


class Run:
    """A run folder. Everything in it is read when it is asked for."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder).resolve()
        if not (self.folder / "case.json").is_file():
            raise FileError(f"'{folder}' is no run folder: it has no case.json")
        self._frames: Frames | None = None
        self.tables = Tables(self.folder / "charts")

    @property
    def name(self) -> str:
        return self.folder.name

    def _json(self, name: str) -> dict[str, Any]:
        try:
            found = json.loads((self.folder / name).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as wrong:
            raise FileError(f"cannot read '{self.folder / name}': {wrong}") from None
        return found if isinstance(found, dict) else {}

    @property
    def info(self) -> dict[str, Any]:
        """run.json: when and where it ran, with which options."""
        return self._json("run.json")

    @property
    def summary(self) -> dict[str, Any]:
        """summary.json; empty before the run has ended."""
        return self._json("summary.json")

    @property
    def state(self) -> str:
        """What the summary says ("finished", "stopped", "failed"); without one "running", or "broken off"."""
        if is_running(self.folder):
            return "running"
        return str(self.summary.get("state") or "broken off")

    @property
    def case(self) -> Case:
        """The case that was run."""
        from .case import Case

        written = self.info.get("case")
        return Case.from_dict(Case.load(self.folder)._data, Path(written).parent if written else self.folder)

    @property
    def numbers(self) -> dict[str, Number]:
        """Named results: floats with a `unit`."""
        found = self.summary.get("numbers", {})
        return {k: Number(float("nan") if v["value"] is None else v["value"], v.get("unit", "")) for k, v in found.items()}

    @property
    def frames(self) -> Frames:
        """The fields that were kept; see conoid.Frames. Looked for anew at each call."""
        if self._frames is None:
            self._frames = Frames(self.folder)
        else:
            self._frames.refresh()
        return self._frames

    def log(self) -> list[dict[str, Any]]:
        """The lines of log.jsonl: t (s), level, text."""
        out: list[dict[str, Any]] = []
        with contextlib.suppress(FileNotFoundError):
            for line in (self.folder / "log.jsonl").read_text(encoding="utf-8").splitlines():
                with contextlib.suppress(ValueError):  # the last line may be cut off
                    out.append(json.loads(line))
        return out

    @property
    def telemetry(self) -> Table:
        """Who computed what, and how long it took: a row a worker and pass."""
        return Table(self.folder / "telemetry.csv")

    # By the program.

    def probe(
        self,
        field: str | None = None,
        *,
        point: Sequence[Any] | Sequence[Sequence[Any]] | None = None,
        line: tuple[Sequence[Any], Sequence[Any], int] | None = None,
        over: str | Sequence[str] | None = None,
        frames: str = "last",
        part: str | None = None,
        component: str | None = None,
        show: str | None = None,
    ) -> Table:
        """Values at points, along a line, or integrals over groups: `conoid probe`. One of point, line and over must be given."""
        words = ["probe", str(self.folder), f"--frames={frames}"]
        require(sum(x is not None for x in (point, line, over)) == 1, "give one of point, line and over")
        if point is not None:
            many = point if len(point) and isinstance(point[0], (list, tuple)) or hasattr(point[0], "__len__") and not isinstance(point[0], str) else [point]
            for p in many:
                words.append(f"--point={_place(p)}")
        if line is not None:
            words += ["--line", _place(line[0]), _place(line[1]), str(line[2])]
        if over is not None:
            for name in [over] if isinstance(over, str) else over:
                words.append(f"--over={name}")
        for option, value in (("field", field), ("part", part), ("component", component), ("show", show)):
            if value is not None:
                words.append(f"--{option}={value}")
        return table_of_answer(ask(words))

    def resume(self, *, set: Mapping[str, Any] | None = None, threads: int | None = None, workers: str | None = None) -> Run:
        """Goes on from the newest checkpoint; `set` may change the run's end and output."""
        words = ["resume", str(self.folder), "--progress=none"]
        for key, value in (set or {}).items():
            words += ["--set", f"{key}={value if isinstance(value, (str, Quantity)) else json.dumps(value)}"]
        words += _offer(threads, workers, None)
        ask(words)
        return Run(self.folder)

    def export(self, to: str, folder: str | os.PathLike[str] | None = None) -> Path:
        """Writes fields for other programs: "vtu", "vti" or "csv". Returns the folder."""
        out = Path(folder) if folder is not None else self.folder / f"export-{to}"
        ask(["export", str(self.folder), "--to", to, "--out", str(out)])
        return out

    def render(self, field: str, out: str | os.PathLike[str], *options: str) -> Path:
        """Draws a picture or a film: `conoid render`; further options as the command takes them."""
        command = [program(), "render", str(self.folder), "--field", field, "-o", os.fspath(out), *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            answer_of(done.returncode, "", done.stderr)
        return Path(out)

    def __repr__(self) -> str:
        return f"<run {self.name}: {self.state}>"


def _place(point: Sequence[Any]) -> str:
    return ",".join(str(c).replace(" ", "") if isinstance(c, Quantity) else repr(float(c)) if not isinstance(c, str) else c for c in point)


def _offer(threads: int | None, workers: str | None, memory: str | None) -> list[str]:
    words: list[str] = []
    if threads is not None:
        words += ["--threads", str(threads)]
    if workers is not None:
        words += ["--workers", workers]
    if memory is not None:
        words += ["--memory", memory]
    return words


class Running:
    """A run that goes on in a process of its own. As a context it is stopped when its block is left by an exception."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self.folder = folder
        self.progress = Progress()
        self.phase = "starting"  #: "preparing", "running", "finishing", "finished"…
        self._err: list[str] = []
        self._answer: str | None = None
        self._listeners: list[Callable[[Progress], None]] = []
        self._out = tempfile.TemporaryFile(mode="w+", encoding="utf-8")
        # A group of its own: Ctrl-C in a terminal comes here first, and is handed on once.
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self._out, stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="replace", start_new_session=True
        )  # fmt: skip
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()

    def _listen(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            item: Any = None
            with contextlib.suppress(ValueError):
                item = json.loads(line)
            if not isinstance(item, dict):
                self._err.append(line.rstrip("\n"))
            elif "state" in item:
                self.phase = str(item["state"])
            elif "phase" in item:
                self.progress = _progress(item)
                for listener in list(self._listeners):
                    listener(self.progress)

    @property
    def done(self) -> bool:
        return self._process.poll() is not None

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def run(self) -> Run:
        """The folder as it is now; FileError before it is there."""
        return Run(self.folder)

    def frames(self, *, poll: float = 0.1) -> Iterator[Frame]:
        """Every frame that is kept, as soon as it is on the disk; ends with the run. Looks every `poll` seconds."""
        seen = -1
        frames: Frames | None = None
        while True:
            over = self.done  # asked first: what is written until then is still looked at
            if frames is None and (self.folder / "results.vtkhdf").is_file():
                frames = Frames(self.folder)
            elif frames is not None:
                frames.refresh()
            if frames is not None:
                for position in range(len(frames)):
                    frame = frames[position]
                    if frame.number > seen:
                        seen = frame.number
                        yield frame
            if over:
                return
            time.sleep(poll)

    def stop(self) -> None:
        """Stops at the next step, with a checkpoint; `wait` then raises Stopped."""
        if not self.done:
            self._process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """Ends the process at once; what was kept stays, and the run can be resumed from its last checkpoint."""
        if not self.done:
            self._process.kill()

    def wait(self, on_progress: Callable[[Progress], None] | None = None) -> Run:
        """Waits for the end. Returns the run, or raises the exception of the exit code (Stopped, NotConverged…)."""
        if on_progress is not None:
            self._listeners.append(on_progress)
        code = self._process.wait()
        self._reader.join()
        if self._answer is None:
            self._out.seek(0)
            self._answer = self._out.read()
            self._out.close()
        answer_of(code, self._answer, "\n".join(self._err))
        return Run(self.folder)

    def __enter__(self) -> Running:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            return
        self.stop()
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __repr__(self) -> str:
        return f"<run {self.folder.name}: {'ended' if self.done else self.phase}, step {self.progress.step} of {self.progress.steps}>"


def _new_folder(case: Case, runs: Path) -> Path:
    """runs/<UTC time>-<hash8>, made so that no other process takes it."""
    digest = hashlib.sha256(case.to_json().encode()).hexdigest()[:8]
    name = f"{datetime.now(timezone.utc):%Y%m%dT%H%M%SZ}-{digest}"
    for n in range(1, 1000):
        folder = runs / (name if n == 1 else f"{name}-{n}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as wrong:
            raise FileError(f"cannot make '{folder}': {wrong.strerror}") from None
        return folder
    raise InternalError(f"'{runs}' has a thousand runs of one second")


def start(
    case: Case,
    folder: str | os.PathLike[str] | None = None,
    *,
    threads: int | None = None,
    workers: str | None = None,
    memory: str | None = None,
    launcher: str | None = None,
    trust: bool = False,
) -> Running:
    """Starts a run of a case in a process of its own.

    `folder` must not hold anything yet; without one it is runs/<time>-<hash>. The case that is run, with its attached meshes, is
    kept beside it in <folder>-input, because a run that is resumed reads its mesh again. `threads`, `workers` ("cpu", "cuda:0,cpu"),
    `memory` ("host=8GiB"), `launcher` ("mpirun -n 4", "ssh host") and `trust` are those of the command.
    """
    chosen = _new_folder(case, Path("runs")) if folder is None else Path(folder)
    if chosen.is_dir() and any(chosen.iterdir()):
        raise FileError(f"'{chosen}' exists already and holds files\n  Choose a new folder.")
    chosen = chosen.resolve()
    file = case.save(chosen.with_name(chosen.name + "-input") / "case.json")
    command = [program(), "run", str(file), "--out", str(chosen), "--json", "--progress", "json"]
    command += _offer(threads, workers, memory)
    if launcher is not None:
        command += ["--launcher", launcher]
    if trust:
        command.append("--trust")
    return Running(command, chosen)


def find_runs(runs: str | os.PathLike[str] = "runs") -> list[Run]:
    """The runs below a folder, the oldest first."""
    folders = [p for p in Path(runs).iterdir() if (p / "run.json").is_file()] if Path(runs).is_dir() else []
    return [Run(p) for p in sorted(folders)]


__all__ = ["Number", "Progress", "Run", "Running", "Stopped", "find_runs", "start"]
