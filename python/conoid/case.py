# SPDX-License-Identifier: BSD-3-Clause
"""A case as an object: its keys are attributes, its values have units, and what a solver does not know is refused at once.

    case = conoid.Case("acoustic-fd", title="Two sources")
    case.grid.points = [81, 81, 61]
    case.grid.spacing = 10 * m
    case.excitation.sources.append(position=[0, 0, -200] * m, signal={"frequency": 20 * Hz})
    case.parameters.end_time = 0.2 * s
    case.check().require()

Names come from `conoid list SOLVER`; a trailing underscore stands for names that Python keeps to itself (`from_`). A key that was
renamed is taken under its former name as well, of which `check` then has a warning. The whole case
is checked by the program (`check`), which alone decides what is right.
"""

from __future__ import annotations

import copy
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, MutableMapping, MutableSequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from .errors import Diagnostic, FileError, InvalidInput, error_for
from .mesh import AttachedMesh, is_mesh
from .program import ask, diagnostics_in, samples
from .schema import Schema, schema, split
from .units import Quantity

if TYPE_CHECKING:
    from .run import Progress, Run, Running

_Path = tuple[str, ...]


def _name(attribute: str) -> str:
    return attribute[:-1] if attribute.endswith("_") and not attribute.startswith("_") else attribute


class _Place:
    """Where a piece of the case lies, and the case that it belongs to."""

    def __init__(self, case: Case, path: _Path, data: Any) -> None:
        object.__setattr__(self, "_case", case)
        object.__setattr__(self, "_path", path)
        object.__setattr__(self, "_data", data)

    _case: Case
    _path: _Path
    _data: Any

    def _view(self, step: str, value: Any) -> Any:
        path = (*self._path, step)
        if isinstance(value, dict):
            return Node(self._case, path, value)
        if isinstance(value, list) and self._case.schema.children((*path, "0")):
            return Items(self._case, path, value)
        return value

    def __repr__(self) -> str:
        return f"/{'/'.join(self._path)}: {self._data!r}"


class Node(_Place, MutableMapping[str, Any]):
    """The keys below one place, as attributes and as items. Places that are not there yet come into being when they are set."""

    def _key(self, key: str) -> str:
        """The name under which this key stands here: its own, or another that it has or had."""
        if key not in self._data:
            for name in self._case.schema.other_names((*self._path, key)):
                if name in self._data:
                    return name
        return key

    def __getitem__(self, key: str) -> Any:
        key = self._key(key)
        return self._view(key, self._data[key])

    def __setitem__(self, key: str, value: Any) -> None:
        path = (*self._path, key)
        taken = self._case._taken(path, value)
        for name in self._case.schema.other_names(path):  # both beside each other would be an error
            self._data.pop(name, None)
        self._data[key] = taken
        self._case._keep(self._path, self._data)

    def __delitem__(self, key: str) -> None:
        del self._data[self._key(key)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        key = self._key(_name(attribute))
        if key in self._data:
            return self[key]
        path = (*self._path, key)
        try:
            self._case.schema.require(path)
        except InvalidInput as wrong:
            raise AttributeError(str(wrong)) from None
        below = self._case.schema.children(path)
        if not below:
            raise AttributeError(f"/{'/'.join(path)} is not set in this case")
        # Not kept before something is written into it.
        return Unset(self._case, path, {}) if "*" in below else Node(self._case, path, {})

    def __setattr__(self, attribute: str, value: Any) -> None:
        self[_name(attribute)] = value

    def __delattr__(self, attribute: str) -> None:
        del self[_name(attribute)]

    def __dir__(self) -> list[str]:
        names = [k if k != "from" else "from_" for k in self._case.schema.children(self._path) if k != "*"]
        return sorted({*super().__dir__(), *names, *self._data})


class Items(_Place, MutableSequence[Any]):
    """A list of records: sources, receivers, loads. `append` takes a record, or its keys by name."""

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self._view(str(i), self._data[i]) for i in range(*index.indices(len(self._data)))]
        return self._view(str(index), self._data[index])

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            raise TypeError("items are set one by one")
        self._data[index] = self._case._taken((*self._path, str(index)), value)

    def __delitem__(self, index: Any) -> None:
        del self._data[index]

    def __len__(self) -> int:
        return len(self._data)

    def insert(self, index: int, value: Any) -> None:
        self._data.insert(index, self._case._taken((*self._path, str(index)), value))
        self._case._keep(self._path, self._data)

    def append(self, value: Any = None, /, **keys: Any) -> None:
        record = {**(value or {}), **{_name(k): v for k, v in keys.items()}} if keys or value is None else value
        self.insert(len(self._data), record)


class Unset(Node):
    """A place for records that holds none yet: a list of them (`append`), or a map by name (`place["name"] = …`, `place.name`).
    The table of keys writes "*" for both."""

    def append(self, value: Any = None, /, **keys: Any) -> None:
        if self._data:
            raise InvalidInput(f"/{'/'.join(self._path)} has names already: it cannot become a list")
        Items(self._case, self._path, self._case._list_at(self._path)).append(value, **keys)


@dataclass(frozen=True)
class Estimate:
    """What a run will take, as `conoid check` says it. Bytes and seconds; 0: not known."""

    host_memory: int
    disk: int
    steps: int
    seconds: float
    basis: str  #: what the seconds rest on
    details: dict[str, str]
    raw: dict[str, Any]


@dataclass(frozen=True)
class Check:
    """What the program says of a case without running it."""

    ok: bool
    exit_code: int
    diagnostics: tuple[Diagnostic, ...]
    estimate: Estimate

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.severity == "error")

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.severity == "warning")

    def require(self) -> Check:
        """Raises the exception of the exit code where the case is not valid; returns itself otherwise."""
        if not self.ok:
            raise error_for(self.exit_code, self.diagnostics)
        return self

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        lines = [f"{d.severity}: {d}" for d in self.diagnostics]
        if self.ok:
            lines += [f"{name}: {text}" for name, text in self.estimate.details.items()]
        return "\n".join(lines)


class Case:
    """A case: what is to be computed. See the module's text for how it is built."""

    _data: dict[str, Any]
    schema: Schema
    folder: Path

    def __init__(self, solver: str, /, *, title: str = "", **parts: Any) -> None:
        self._start({"conoid": 1, **({"title": title} if title else {}), "solver": solver}, Path.cwd())
        for key, value in parts.items():
            self[key] = value

    def _start(self, data: dict[str, Any], folder: Path) -> None:
        solver = data.get("solver")
        if not isinstance(solver, str):
            raise InvalidInput("/solver: a case names its solver\n  conoid.solvers() lists them.")
        object.__setattr__(self, "_data", data)
        object.__setattr__(self, "schema", schema(solver))
        object.__setattr__(self, "folder", folder)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], folder: str | os.PathLike[str] | None = None) -> Case:
        """Of plain values, as they stand in a case file. `folder`: what names of files count from."""
        case = cls.__new__(cls)
        case._start(copy.deepcopy(dict(data)), Path(folder) if folder is not None else Path.cwd())
        return case

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Case:
        """Reads a case file, or the case.json of a folder. Comments are not kept."""
        file = Path(path)
        if file.is_dir():
            file = file / "case.json"
        try:
            text = file.read_text(encoding="utf-8")
        except OSError as wrong:
            raise FileError(f"cannot read '{file}': {wrong.strerror}") from None
        try:
            data = json.loads(without_comments(text))
        except ValueError as wrong:
            raise InvalidInput(f"{file}: {wrong}") from None
        if not isinstance(data, dict):
            raise InvalidInput(f"{file}: expected an object at the top")
        return cls.from_dict(data, file.resolve().parent)

    @classmethod
    def sample(cls, name: str) -> Case:
        """A sample case that came with the program (conoid.samples())."""
        for sample in samples():
            if sample.name == name:
                return cls.load(sample.path)
        raise InvalidInput(f"there is no sample '{name}'\n  There are: {', '.join(s.name for s in samples())}.")

    # Keys.

    @property
    def solver(self) -> str:
        return str(self._data["solver"])

    @property
    def _root(self) -> Node:
        return Node(self, (), self._data)

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):
            raise AttributeError(attribute)
        return getattr(self._root, attribute)

    def __setattr__(self, attribute: str, value: Any) -> None:
        if attribute in ("folder",):
            object.__setattr__(self, attribute, Path(value))
        else:
            setattr(self._root, attribute, value)

    def __delattr__(self, attribute: str) -> None:
        delattr(self._root, attribute)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.schema.children(())})

    def _walk(self, pointer: str) -> tuple[Any, str]:
        *steps, last = split(pointer)
        here: Any = self._root
        for step in steps:
            here = here[int(step)] if isinstance(here, Items) else getattr(here, step + "_")
        return here, last

    def __getitem__(self, pointer: str) -> Any:
        """By path: "grid.spacing", "/grid/spacing", "excitation.sources.0.position"."""
        here, last = self._walk(pointer)
        return here[int(last)] if isinstance(here, Items) else here[last]

    def __setitem__(self, pointer: str, value: Any) -> None:
        here, last = self._walk(pointer)
        if isinstance(here, Items):
            here[int(last)] = value
        else:
            here[last] = value

    def __delitem__(self, pointer: str) -> None:
        here, last = self._walk(pointer)
        if isinstance(here, Items):
            del here[int(last)]
        else:
            del here[last]

    def __contains__(self, pointer: str) -> bool:
        try:
            self[pointer]
        except (KeyError, IndexError, AttributeError):
            return False
        return True

    def _taken(self, path: _Path, value: Any) -> Any:
        """A value as it will stand in the file; refuses unknown keys and units that measure something else."""
        self.schema.require(path)
        if isinstance(value, _Place):
            value = copy.deepcopy(value._data)
        if isinstance(value, Mapping):
            return {_name(str(k)): self._taken((*path, _name(str(k))), v) for k, v in value.items()}
        if is_mesh(value):
            if not any(key.is_file for key in self.schema.at(path)):
                raise InvalidInput(f"/{'/'.join(path)}: takes no mesh")
            return AttachedMesh(value)
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, np.ndarray):
            return self._taken(path, value.tolist())
        if isinstance(value, (list, tuple)):
            below = self.schema.children((*path, "0")) or self.schema.at((*path, "0"))
            return [self._taken((*path, str(i)) if below else path, v) for i, v in enumerate(value)]
        if isinstance(value, Quantity):
            self._require_dimension(path, value)
            return str(value)
        if isinstance(value, os.PathLike):
            return os.fspath(value)
        if value is None or isinstance(value, (bool, int, float, str, AttachedMesh)):
            return value
        raise InvalidInput(f"/{'/'.join(path)}: a case cannot hold a {type(value).__name__}")

    def _require_dimension(self, path: _Path, value: Quantity) -> None:
        units = [unit for unit in (key.unit_of_values() for key in self.schema.at(path)) if unit is not None]
        if units and all(unit.dimension != value.unit.dimension for unit in units):
            raise InvalidInput(f"/{'/'.join(path)}: found '{value}', expected a number in {units[0]}")

    def _keep(self, path: _Path, data: Any) -> None:
        """Puts a piece that was made by looking at it into the case, now that something is in it."""
        here: Any = self._data
        for i, step in enumerate(path):
            last = i + 1 == len(path)
            if isinstance(here, list):
                here = here[int(step)]
            else:
                here = here.setdefault(step, data if last else {})

    def _list_at(self, path: _Path) -> list[Any]:
        """The list at a place; an empty one is put there where nothing is."""
        items: list[Any] = []
        self._keep(path, items)
        here: Any = self._data
        for step in path:
            here = here[int(step)] if isinstance(here, list) else here[step]
        if not isinstance(here, list):
            raise InvalidInput(f"/{'/'.join(path)} is no list in this case")
        return here

    # Files.

    def copy(self) -> Case:
        """Another case with the same values; attached meshes are shared."""
        case = Case.__new__(Case)
        case._start(_copied(self._data), self.folder)
        return case

    def to_dict(self, folder: str | os.PathLike[str] | None = None) -> dict[str, Any]:
        """Plain values. With a folder: for a file in it; names of files are made absolute, attached meshes are written there."""
        return dict(self._plain((), self._data, None if folder is None else Path(folder)))

    def _plain(self, path: _Path, value: Any, folder: Path | None) -> Any:
        if isinstance(value, dict):
            return {k: self._plain((*path, k), v, folder) for k, v in value.items()}
        if isinstance(value, list):
            return [self._plain((*path, str(i)), v, folder) for i, v in enumerate(value)]
        if isinstance(value, AttachedMesh):
            name = "-".join(path) + ".msh"
            if folder is not None:
                value.write(folder / name)
            return name
        if folder is not None and isinstance(value, str) and any(k.is_file for k in self.schema.at(path)):
            return value if os.path.isabs(value) or not (self.folder / value).exists() else str(self.folder / value)
        return value

    def to_json(self) -> str:
        """The text of the case file."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the case file, and attached meshes beside it. Names of files in it become absolute."""
        file = Path(path)
        if file.suffix != ".json":
            file = file / "case.json"
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            text = json.dumps(self.to_dict(file.parent.resolve()), indent=2, ensure_ascii=False) + "\n"
            file.write_text(text, encoding="utf-8")
        except OSError as wrong:
            raise FileError(f"cannot write '{file}': {wrong.strerror}") from None
        return file

    # The program.

    def check(self) -> Check:
        """What is wrong with the case, and what it will take; computes nothing. Raises only where the program cannot be asked."""
        folder = tempfile.mkdtemp(prefix="conoid-")
        try:
            file = self.save(Path(folder) / "case.json")
            told = ask(["check", str(file)], accept=(0, 3, 4, 6))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        raw = told.get("estimate") or {}
        estimate = Estimate(
            host_memory=int(raw.get("host_memory", 0)),
            disk=int(raw.get("disk", 0)),
            steps=int(raw.get("steps", 0)),
            seconds=float(raw.get("seconds", 0)),
            basis=str(raw.get("basis", "")),
            details=dict(raw.get("details", {})),
            raw=raw,
        )
        return Check(bool(told.get("ok", False)), int(told.get("exit", 1)), tuple(diagnostics_in(told)), estimate)

    def start(self, folder: str | os.PathLike[str] | None = None, **options: Any) -> Running:
        """Starts a run in a process of its own and comes back at once. For the options see conoid.start."""
        from .run import start

        return start(self, folder, **options)

    def run(
        self,
        folder: str | os.PathLike[str] | None = None,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        **options: Any,
    ) -> Run:
        """Runs the case and returns the run when it is finished. Ctrl-C stops it at the next step, with a checkpoint."""
        with self.start(folder, **options) as running:
            return running.wait(on_progress)

    def __repr__(self) -> str:
        return f"<case of {self.solver}: {self._data.get('title') or 'without a title'}>"


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _copied(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_copied(v) for v in value]
    return value


def without_comments(text: str) -> str:
    """Case files may have comments of both kinds, which JSON has not; their places stay blank, so that errors name the right line."""
    pattern = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)

    def blank(match: re.Match[str]) -> str:
        found = match.group(0)
        return found if found.startswith('"') else re.sub(r"[^\n]", " ", found)

    return pattern.sub(blank, text)


__all__ = ["Case", "Check", "Estimate", "Items", "Node"]
