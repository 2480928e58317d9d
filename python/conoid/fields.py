# SPDX-License-Identifier: BSD-3-Clause
"""Fields of a run as NumPy arrays, read from its results files while it goes on or afterwards.

A results file (VTKHDF, one a part of the frames) keeps values uncompressed, in pieces called chunks. Where the values of a frame
lie in one piece of the file, `part[field]` is a read-only view of the mapped file: nothing is copied and nothing is read before it
is looked at. That holds for small frames, and for big ones of up to 4 MiB; where a frame is spread over several places it is read
(a copy). `part.mapped(field)` tells. On grids the shape is (z, y, x), with components behind.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import sys
import threading
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

import h5py
import numpy as np
from numpy.typing import NDArray

from .errors import FileError

Floats = NDArray[np.float32]
Format = 1  # of /Conoid in a results file: the latest that is read here


@dataclass(frozen=True)
class FieldInfo:
    """What a field is."""

    name: str
    unit: str
    label: str
    kind: str  #: "magnitude", "signed" or "phase": how it is to be coloured
    at: str  #: "points" or "cells"
    components: int
    complex: bool


def _text(value: Any) -> str:
    return value.decode("utf-8") if isinstance(value, bytes) else str(value)


def _first(value: Any) -> int:
    return int(np.asarray(value).ravel()[0])


class _File:
    """One results file. There is one of it in a process: HDF5 shows a file that is open already as it was when it was opened, so
    all who look at it have to let go of it before anybody sees what was written since. Places in the file stay what they are."""

    _kept: weakref.WeakValueDictionary[Path, _File] = weakref.WeakValueDictionary()
    _registry = threading.Lock()

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = threading.RLock()
        self._map: mmap.mmap | None = None
        self._stamp: tuple[int, ...] = ()

    @classmethod
    def of(cls, path: Path) -> _File:
        """The file as it is now."""
        path = path.resolve()
        with cls._registry:
            file = cls._kept.get(path)
            if file is None:
                file = cls._kept[path] = cls(path)
        now = path.stat()
        stamp = (now.st_ino, now.st_size, now.st_mtime_ns)
        with file.lock:
            if file._stamp != stamp:
                file._open()
                file._stamp = stamp
        return file

    def _open(self) -> None:
        self.close()
        try:
            # A run that still writes holds no lock, and none is wanted: finished frames are never replaced.
            self.h5 = h5py.File(self.path, "r", locking=False)
        except OSError as wrong:
            raise FileError(f"'{self.path}' cannot be read as a results file: {wrong}") from None
        if "Conoid" not in self.h5:
            raise FileError(f"'{self.path}': expected a results file of Conoid, found another HDF5 file")
        own = self.h5["Conoid"].attrs
        version = _first(own["version"])
        if version > Format:
            raise FileError(f"'{self.path}' has format {version}; this package reads {Format}\n  Use a later package.")
        self.part = _text(own["part"])
        self.axis = _text(own["axis"])
        self.image = _text(self.h5["VTKHDF"].attrs["Type"]) == "ImageData"
        count = _first(own["frames"])
        numbers = self.h5["Conoid/Frames"][:count]
        values = self.h5["Conoid/Values"][:count]
        if len(numbers) < count or len(values) < count:
            raise FileError(f"'{self.path}' is damaged: {count} frames are announced, fewer are there")
        self.numbers = [int(n) for n in numbers[:, 0]]
        self.steps = [int(n) for n in numbers[:, 1]]
        self.values = [float(v) for v in values]
        self.grid = "points" in own
        if self.grid:
            self.shape = tuple(int(n) for n in own["points"])
            self.origin = np.array(own["origin"], dtype=np.float64)
            self.spacing = np.array(own["spacing"], dtype=np.float64)
        self.place = int(_first(own["place"])) if "place" in own else sys.maxsize  # in the frame; older files do not tell
        found: list[tuple[int, FieldInfo, str]] = []
        for group, at in (("PointData", "points"), ("CellData", "cells")):
            for name, array in self.h5["VTKHDF"][group].items():
                if "imaginary_part_of" in array.attrs or "complex" not in array.attrs:
                    continue
                offsets = f"VTKHDF/Steps/{group}Offsets/{name}"
                if offsets not in self.h5 or len(self.h5[offsets]) < count:
                    continue  # just begun: no finished frame has it
                a = array.attrs
                info = FieldInfo(
                    _text(a["name"]), _text(a["unit"]), _text(a["label"]), _text(a["kind"]), at, _first(a["components"]), bool(_first(a["complex"]))
                )
                found.append((int(_first(a["place"])) if "place" in a else sys.maxsize, info, f"{group}/{name}"))
        found.sort(key=lambda one: one[0])
        self.fields: dict[str, tuple[FieldInfo, str]] = {info.name: (info, array) for _, info, array in found}

    def close(self) -> None:
        if hasattr(self, "h5"):
            self.h5.close()
        self._map = None  # views that are in use keep it

    def offset(self, array: str, step: int) -> int:
        return self.integer(f"Steps/{array}", step)

    def integer(self, array: str, row: int) -> int:
        with self.lock:
            return int(self.h5["VTKHDF"][array][row])

    def rows(self, array: str, begin: int, count: int, copy: bool = False) -> tuple[NDArray[Any], bool]:
        """Rows of an array below VTKHDF, and whether they are a view of the file."""
        with self.lock:
            return self._rows(array, begin, count, copy)

    def _rows(self, array: str, begin: int, count: int, copy: bool) -> tuple[NDArray[Any], bool]:
        data = self.h5["VTKHDF"][array]
        if begin < 0 or count < 0 or begin + count > len(data):
            raise FileError(f"'{self.path}' is damaged: rows {begin} to {begin + count} of {array} are not there")
        place = None if copy or count == 0 else self._place(data, begin, count)
        if place is None:
            return data[begin : begin + count], False
        view = np.frombuffer(self._mapped(), dtype=data.dtype, count=count * int(np.prod(data.shape[1:])), offset=place)
        return view.reshape(count, *data.shape[1:]), True

    def _mapped(self) -> mmap.mmap:
        if self._map is None:
            with open(self.path, "rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return self._map

    def _place(self, data: Any, begin: int, count: int) -> int | None:
        """Where these rows begin in the file, if they lie there in one piece, as they are in memory."""
        if data.chunks is None or data.id.get_create_plist().get_nfilters() or not data.dtype.isnative:
            return None
        chunk = data.chunks
        row = int(np.prod(data.shape[1:])) * data.dtype.itemsize
        first: int | None = None
        expected = 0
        if chunk[1:] == data.shape[1:]:  # pieces of whole rows
            starts = [(k * chunk[0], *(0,) * (data.ndim - 1)) for k in range(begin // chunk[0], (begin + count - 1) // chunk[0] + 1)]
            skipped = (begin % chunk[0]) * row
        elif count == 1 and chunk[0] == 1 and chunk[2:] == data.shape[2:] and data.shape[1] % chunk[1] == 0:
            starts = [(begin, k, *(0,) * (data.ndim - 2)) for k in range(0, data.shape[1], chunk[1])]  # a row cut into slabs
            skipped = 0
        else:
            return None
        for start in starts:
            info = data.id.get_chunk_info_by_coord(start)
            if info.byte_offset is None or info.filter_mask:
                return None
            if first is None:
                first = info.byte_offset
            elif info.byte_offset != expected:
                return None
            expected = info.byte_offset + info.size
        assert first is not None
        return first + skipped if first + skipped + count * row <= os.path.getsize(self.path) else None


class Part(Mapping[str, NDArray[Any]]):
    """A piece of a frame, "volume", "surface", "plane xz": its geometry, and its fields by name."""

    def __init__(self, file: _File, step: int) -> None:
        self._file = file
        self._step = step

    @property
    def name(self) -> str:
        return self._file.part

    @property
    def is_grid(self) -> bool:
        """A uniform grid, or a mesh."""
        return self._file.grid

    @property
    def infos(self) -> dict[str, FieldInfo]:
        """The fields by name."""
        return {name: info for name, (info, _) in self._file.fields.items()}

    # Geometry.

    @property
    def shape(self) -> tuple[int, ...]:
        """Points of a grid along z, y and x."""
        self._require_grid()
        return tuple(reversed(self._file.shape))

    @property
    def origin(self) -> NDArray[np.float64]:
        """x, y, z of a grid's first point, m."""
        self._require_grid()
        return self._file.origin

    @property
    def spacing(self) -> NDArray[np.float64]:
        """Distances of a grid's points along x, y, z, m."""
        self._require_grid()
        return self._file.spacing

    @property
    def axes(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Coordinates of a grid's points along x, y and z, m."""
        self._require_grid()
        x, y, z = (o + h * np.arange(n) for o, h, n in zip(self._file.origin, self._file.spacing, self._file.shape))
        return x, y, z

    def _require_grid(self) -> None:
        if not self.is_grid:
            raise FileError(f"'{self.name}' is a mesh: it has points and cells, and no axes")

    @property
    def points(self) -> NDArray[np.float64]:
        """Places, a row a point, m; of this frame where the mesh moves."""
        if self.is_grid:
            x, y, z = self.axes
            grid = np.empty((*self.shape, 3))
            grid[..., 0], grid[..., 1], grid[..., 2] = x, y[:, None], z[:, None, None]
            return grid.reshape(-1, 3)
        part = self._file.offset("PartOffsets", self._step)
        count = self._file.integer("NumberOfPoints", part)
        return self._file.rows("Points", self._file.offset("PointOffsets", self._step), count)[0]

    def _cells(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]:
        f = self._file
        part = f.offset("PartOffsets", self._step)
        cells = f.integer("NumberOfCells", part)
        ids = f.integer("NumberOfConnectivityIds", part)
        first = f.offset("CellOffsets", self._step)
        connectivity = f.rows("Connectivity", f.offset("ConnectivityIdOffsets", self._step), ids)[0]
        offsets = f.rows("Offsets", first + part, cells + 1)[0]
        types = f.rows("Types", first, cells)[0]
        return connectivity, offsets, types

    @property
    def connectivity(self) -> NDArray[np.int64]:
        """Nodes of all cells of a mesh, one after the other."""
        return self._cells()[0]

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each cell begins in the connectivity, and the end."""
        return self._cells()[1]

    @property
    def types(self) -> NDArray[np.uint8]:
        """VTK's number of each cell's kind."""
        return self._cells()[2]

    @property
    def cells(self) -> dict[int, NDArray[np.int64]]:
        """Nodes by VTK's number of the kind of cell, a row a cell."""
        connectivity, offsets, types = self._cells()
        out: dict[int, NDArray[np.int64]] = {}
        for kind in np.unique(types):
            begins = offsets[:-1][types == kind]
            nodes = int((offsets[1:] - offsets[:-1])[types == kind][0])
            out[int(kind)] = connectivity[begins[:, None] + np.arange(nodes)]
        return out

    # Values.

    def _tuples(self, info: FieldInfo) -> int:
        if self._file.image:
            return 1
        part = self._file.offset("PartOffsets", self._step)
        return self._file.integer("NumberOfPoints" if info.at == "points" else "NumberOfCells", part)

    def _values(self, name: str, imaginary: bool = False) -> tuple[Floats, bool]:
        if name not in self._file.fields:
            raise KeyError(f"{name}; there are {', '.join(self._file.fields) or 'no fields'}")
        info, array = self._file.fields[name]
        group, leaf = array.split("/")
        begin = self._file.offset(f"{group}Offsets/{leaf}", self._step)
        if imaginary:
            array = f"{group}/{leaf[: -len('_re')]}_im"
        values, mapped = self._file.rows(array, begin, self._tuples(info))
        if self.is_grid:
            grid = self.shape if info.at == "points" else tuple(max(n - 1, 1) for n in self.shape)
            values = values.reshape(*grid, *((info.components,) if info.components > 1 else ()))
        return values, mapped

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Values of a field. Complex ones are put together (a copy): `real` and `imaginary` are views."""
        values, _ = self._values(name)
        if self._file.fields[name][0].complex:
            return values + np.complex64(1j) * self._values(name, imaginary=True)[0]
        return values

    def real(self, name: str) -> Floats:
        """The real part of a field, or the field."""
        return self._values(name)[0]

    def imaginary(self, name: str) -> Floats:
        """The imaginary part of a complex field."""
        if not self.infos[name].complex:
            raise KeyError(f"{name} is not complex")
        return self._values(name, imaginary=True)[0]

    def mapped(self, name: str) -> bool:
        """Whether this field comes as a view of the file."""
        return self._values(name)[1] and not self.infos[name].complex

    def __iter__(self) -> Iterator[str]:
        return iter(self._file.fields)

    def __len__(self) -> int:
        return len(self._file.fields)

    def plot(self, field: str | None = None, ax: Any = None, **options: Any) -> Any:
        """Draws a plane, a line or a plane mesh; needs matplotlib. Returns the axes."""
        from .plot import plot_part

        return plot_part(self, field, ax, **options)

    def __repr__(self) -> str:
        what = "grid of " + " x ".join(str(n) for n in self._file.shape) if self.is_grid else "mesh"
        return f"<{self.name}: {what} points; {', '.join(self)}>" if self.is_grid else f"<{self.name}: {what}; {', '.join(self)}>"


@dataclass(frozen=True)
class Frame(Mapping[str, Part]):
    """The fields of one moment: parts by name. `value` is in s or Hz, or an iteration, as `axis` says."""

    number: int
    step: int
    value: float
    axis: str  #: "time", "frequency" or "iteration"
    parts: dict[str, Part]

    def __getitem__(self, part: str) -> Part:
        if part not in self.parts:
            raise KeyError(f"{part}; there are {', '.join(self.parts)}")
        return self.parts[part]

    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def field(self, name: str) -> NDArray[Any]:
        """A field of the first part that has it."""
        for part in self.parts.values():
            if name in part:
                return part[name]
        raise KeyError(f"{name}; there are {', '.join(dict.fromkeys(n for p in self.parts.values() for n in p))}")

    def __repr__(self) -> str:
        return f"<frame {self.number} at {self.axis} {self.value:.6g}: {', '.join(self.parts)}>"


def results_files(folder: Path) -> list[Path]:
    """Those of a run, the first part's first."""
    found = sorted(folder.glob("results-*.vtkhdf"))
    first = folder / "results.vtkhdf"
    return ([first] if first.is_file() else []) + found


def is_running(folder: Path) -> bool:
    """Whether a process holds the run folder's lock."""
    try:
        with open(folder / ".lock", "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


class Frames(Sequence[Frame]):
    """The frames that a run has kept, as a sequence; each is read when its fields are asked for.

    While the run goes on the newest frame counts once all its parts are written: parts have files of their own, which a run
    finishes one after the other.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self._files: list[_File] = []
        self._seen: tuple[Any, ...] = ()
        self._index: list[tuple[int, int, float, str]] = []
        self.refresh()

    def refresh(self) -> bool:
        """Looks for frames that were written since; True if there are more. Frames had before stay as they are."""
        before = len(self._index)
        running = is_running(self.folder)  # asked first: what is written until it ends is whole
        paths = results_files(self.folder)
        stamp = (running, *((p, p.stat().st_size, p.stat().st_mtime_ns) for p in paths))
        if stamp == self._seen:
            return False
        self._files = self._open_all(paths)
        self._seen = stamp
        found: dict[int, tuple[int, int, float, str]] = {}
        for f in self._files:
            for number, step, value in zip(f.numbers, f.steps, f.values):
                found.setdefault(number, (number, step, value, f.axis))
        self._index = [found[number] for number in sorted(found)]
        if running and self._index:
            newest = self._index[-1][0]
            # A part's first file may have come to its name since the folder was looked through.
            begun = any(self.folder.glob("results*.vtkhdf.part")) or results_files(self.folder) != paths
            if begun or any(not f.numbers or f.numbers[-1] < newest for f in self._files):
                self._index.pop()
                self._seen = ()
        return len(self._index) > before

    def _open_all(self, paths: list[Path]) -> list[_File]:
        """A file that the run is just lengthening looks cut off for a moment: looked at again while the run goes on, for two seconds."""
        end = time.monotonic() + 2
        while True:
            running = is_running(self.folder)  # asked first: what ends meanwhile is whole at the next look
            try:
                files = [_File.of(path) for path in paths]
                # Those opened first may lack more than one frame of those opened last. A run begins no frame before the one before it is
                # in all files: opened once more, they lack the newest at most.
                newest = max((f.numbers[-1] for f in files if f.numbers), default=0)
                for path, f in zip(paths, files):
                    if not f.numbers or f.numbers[-1] < newest:
                        _File.of(path)
                return sorted(files, key=lambda f: f.place)
            except FileError:
                if not running or time.monotonic() > end:
                    raise
            time.sleep(0.01)

    def _frame(self, position: int) -> Frame:
        number, step, value, axis = self._index[position]
        parts = {f.part: Part(f, f.numbers.index(number)) for f in self._files if number in f.numbers}
        return Frame(number, step, value, axis, parts)

    @overload
    def __getitem__(self, index: int) -> Frame: ...
    @overload
    def __getitem__(self, index: slice) -> list[Frame]: ...
    def __getitem__(self, index: int | slice) -> Frame | list[Frame]:
        if isinstance(index, slice):
            return [self._frame(i) for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"the run has {len(self)} frames, asked for frame {index}")
        return self._frame(index % len(self))

    def __len__(self) -> int:
        return len(self._index)

    @property
    def values(self) -> NDArray[np.float64]:
        """Times (s), frequencies (Hz) or iterations of all frames."""
        return np.array([value for _, _, value, _ in self._index])

    def at(self, value: float) -> Frame:
        """The frame nearest to a time or frequency."""
        if not self._index:
            raise FileError(f"'{self.folder}' has no frames\n  Ask for fields in the case's \"output\".")
        return self._frame(int(np.argmin(np.abs(self.values - value))))

    def __repr__(self) -> str:
        return f"<{len(self)} frames>"
