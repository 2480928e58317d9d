# SPDX-License-Identifier: BSD-3-Clause
"""Tables of a run (charts/*.csv), and those that `conoid probe` answers with, as NumPy arrays with names and units."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import FileError, InvalidInput

Array = NDArray[np.float64]


class Table(Mapping[str, Array]):
    """Columns by name. The file is read when its columns are first asked for; `refresh` reads it again while a run goes on."""

    def __init__(self, source: str | os.PathLike[str] | None, *, name: str = "", title: str = "") -> None:
        self.file = None if source is None else Path(source)
        self.name = name or (self.file.stem if self.file else "")
        self._title = title
        self._columns: list[str] = []
        self._units: list[str] = []
        self._labels: dict[str, str] = {}
        self._preamble: dict[str, str] = {}
        self._exact: list[str] = []
        self._data: Array | None = None

    @classmethod
    def of(cls, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[float | None]], title: str = "") -> Table:
        """Of columns (name, unit) and rows."""
        table = cls(None, title=title)
        table._columns = [name for name, _ in columns]
        table._units = [unit for _, unit in columns]
        values = [[np.nan if v is None else v for v in row] for row in rows]
        table._data = np.array(values, dtype=np.float64).reshape(len(rows), len(columns))
        return table

    def refresh(self) -> Table:
        """Looks at the file again."""
        if self.file is not None:
            self._read(self.file)
        return self

    def _read(self, file: Path) -> None:
        try:
            text = file.read_text(encoding="utf-8")
        except OSError as wrong:
            raise FileError(f"cannot read '{file}': {wrong.strerror}") from None
        if not text.endswith("\n"):  # a row that is being written, or was cut off
            text = text[: text.rfind("\n") + 1]
        self._preamble, self._labels, self._exact = {}, {}, []
        head = ""
        rows: list[str] = []
        for line in text.split("\n"):
            if line.startswith("#"):
                word, _, rest = line[1:].strip().partition(": ")
                if word == "label":
                    column, _, label = rest.partition(" = ")
                    self._labels[column] = label
                elif word == "exact":
                    self._exact.append(rest)
                else:
                    self._preamble[word] = rest
            elif not head:
                head = line
            elif line:
                rows.append(line)
        names = [c.partition("[") for c in head.split(",")] if head else []
        self._columns = [name.strip() for name, _, _ in names]
        self._units = [unit.rstrip("]") for _, _, unit in names]
        try:
            data = np.loadtxt(rows, delimiter=",", ndmin=2, dtype=np.float64) if rows else np.empty((0, len(names)))
        except ValueError as wrong:
            raise FileError(f"'{file}' is no table of numbers: {wrong}") from None
        if data.shape[1] != len(names):
            raise FileError(f"'{file}' is damaged: {len(names)} columns are named, rows have {data.shape[1]}")
        self._data = data

    @property
    def data(self) -> Array:
        """All values, a row a row."""
        if self._data is None:
            self.refresh()
        assert self._data is not None
        return self._data

    def __getitem__(self, column: str) -> Array:
        data = self.data
        if column not in self._columns:
            raise KeyError(f"{column}; there are {', '.join(self._columns)}")
        values: Array = data[:, self._columns.index(column)]
        return values

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def columns(self) -> list[str]:
        """Names; the first is the abscissa."""
        return self._columns if self.data is not None else []

    @property
    def units(self) -> dict[str, str]:
        return dict(zip(self.columns, self._units))

    @property
    def labels(self) -> dict[str, str]:
        """Names for people."""
        return {c: self._labels.get(c, c) for c in self.columns}

    @property
    def exact(self) -> list[str]:
        """Columns that are exact or measured values, to compare with."""
        return list(self._exact) if self.data is not None else []

    @property
    def title(self) -> str:
        return self._title or (self._preamble.get("title", "") if self.data is not None else "")

    @property
    def definition(self) -> str:
        """What the columns mean."""
        return self._preamble.get("definition", "") if self.data is not None else ""

    @property
    def scales(self) -> tuple[str, str]:
        """Of the axes: "linear" or "log"."""
        data = self.data
        del data
        return self._preamble.get("x-scale", "linear"), self._preamble.get("y-scale", "linear")

    def heading(self, column: str) -> str:
        """Name for people and unit: "time (s)"."""
        unit = self.units[column]
        return self.labels[column] + (f" ({unit})" if unit and unit != "1" else "")

    def plot(self, ax: Any = None, columns: Sequence[str] | None = None) -> Any:
        """Draws columns over the first one; needs matplotlib. Returns the axes."""
        from .plot import plot_table

        return plot_table(self, ax, columns)

    def _repr_html_(self) -> str:
        cells = "".join(f"<th>{self.heading(c)}</th>" for c in self.columns)
        shown = self.data if len(self.data) <= 10 else np.concatenate([self.data[:5], self.data[-5:]])
        rows = "".join("<tr>" + "".join(f"<td>{v:.6g}</td>" for v in row) + "</tr>" for row in shown)
        return f"<p>{self.title or self.name}: {len(self.data)} rows</p><table><tr>{cells}</tr>{rows}</table>"

    def __repr__(self) -> str:
        if self._data is None:
            return f"<table {self.name}>"
        return f"<table {self.name}: {', '.join(self.heading(c) for c in self.columns)}; {len(self.data)} rows>"


class Tables(Mapping[str, Table]):
    """The tables of a folder by name; none is read before it is asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept: dict[str, Table] = {}

    def _names(self) -> list[str]:
        return sorted(p.stem for p in self._folder.glob("*.csv")) if self._folder.is_dir() else []

    def __getitem__(self, name: str) -> Table:
        if name not in self._kept:
            file = self._folder / f"{name}.csv"
            if not file.is_file():
                raise KeyError(f"{name}; there are {', '.join(self._names()) or 'no tables'}")
            self._kept[name] = Table(file)
        return self._kept[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def __repr__(self) -> str:
        return f"<tables: {', '.join(self._names()) or 'none'}>"


def table_of_answer(answer: Mapping[str, Any]) -> Table:
    """Of what `conoid probe --json` prints."""
    if "columns" not in answer or "rows" not in answer:
        raise InvalidInput("the program answered with no table")
    columns = [(str(c["name"]), str(c.get("unit", ""))) for c in answer["columns"]]
    return Table.of(columns, answer["rows"], str(answer.get("title", "")))
