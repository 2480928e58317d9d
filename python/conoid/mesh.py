# SPDX-License-Identifier: BSD-3-Clause
"""Meshes of other Python packages, given to a case without a file of one's own.

Anything with `points` and `cells` will do: meshio's Mesh (blocks of cells by type, cell_sets), pyvista's UnstructuredGrid (`cells`,
`celltypes`) and PolyData (`faces`), or an object of your own. It is written as Gmsh MSH 2.2, whose physical groups carry the names.
Neither meshio nor pyvista is needed here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import FileError, InvalidInput

# Name of a kind of cell in meshio: number in VTK, number in Gmsh, dimension, and which node of VTK's order is each of Gmsh's.
# Gmsh reference manual, "Node ordering"; VTK, vtkCellType.h and the cells' class documentation.
_hexahedron_20 = [*range(8), 8, 11, 16, 9, 17, 10, 18, 19, 12, 15, 13, 14]
_kinds: dict[str, tuple[int, int, int, list[int]]] = {
    "vertex": (1, 15, 0, [0]),
    "line": (3, 1, 1, [0, 1]),
    "triangle": (5, 2, 2, [0, 1, 2]),
    "quad": (9, 3, 2, [0, 1, 2, 3]),
    "tetra": (10, 4, 3, [0, 1, 2, 3]),
    "hexahedron": (12, 5, 3, [*range(8)]),
    "line3": (21, 8, 1, [0, 1, 2]),
    "triangle6": (22, 9, 2, [*range(6)]),
    "quad8": (23, 16, 2, [*range(8)]),
    "quad9": (28, 10, 2, [*range(9)]),
    "tetra10": (24, 11, 3, [*range(8), 9, 8]),
    "hexahedron20": (25, 17, 3, _hexahedron_20),
    "hexahedron27": (29, 12, 3, [*_hexahedron_20, 24, 22, 20, 21, 23, 25, 26]),
}
_of_vtk = {kind[0]: name for name, kind in _kinds.items()}


def is_mesh(value: Any) -> bool:
    """Whether this can be taken for a mesh: points, and cells or faces."""
    return hasattr(value, "points") and (hasattr(value, "cells") or hasattr(value, "faces"))


def _blocks(mesh: Any) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """Cells by kind, in the mesh's order: runs of one kind are one block."""
    types = getattr(mesh, "celltypes", None)
    if types is not None:  # pyvista: n, id, id, …, n, id, …
        yield from _flat(np.asarray(mesh.cells, dtype=np.int64), np.asarray(types))
        return
    cells = getattr(mesh, "cells", None)
    faces = getattr(mesh, "faces", None)
    if cells is None or (faces is not None and len(cells) == 0):
        flat = np.asarray(faces, dtype=np.int64).ravel()
        if flat.size and np.all(flat[:: int(flat[0]) + 1] == flat[0]) and flat.size % (int(flat[0]) + 1) == 0:
            types = np.full(flat.size // (int(flat[0]) + 1), {3: 5, 4: 9}.get(int(flat[0]), 7))
        else:
            counts = []
            at = 0
            while at < flat.size:
                counts.append(int(flat[at]))
                at += counts[-1] + 1
            types = np.array([{3: 5, 4: 9}.get(n, 7) for n in counts])
        yield from _flat(flat, types)
        return
    if isinstance(cells, Mapping):
        cells = list(cells.items())
    for block in cells:
        kind, data = (block.type, block.data) if hasattr(block, "type") else (block[0], block[1])
        yield str(kind), np.asarray(data, dtype=np.int64)


def _flat(flat: NDArray[np.int64], types: NDArray[Any]) -> Iterator[tuple[str, NDArray[np.int64]]]:
    at = first = 0
    while first < len(types):
        last = first
        while last < len(types) and types[last] == types[first]:
            last += 1
        kind = _of_vtk.get(int(types[first]))
        if kind is None:
            raise InvalidInput(f"cells of VTK's type {int(types[first])} are not known here\n  Known: {', '.join(_kinds)}.")
        nodes = len(_kinds[kind][3])
        part = flat[at : at + (last - first) * (nodes + 1)].reshape(-1, nodes + 1)
        if np.any(part[:, 0] != nodes):
            raise InvalidInput(f"a cell called {kind} has not {nodes} nodes")
        yield kind, part[:, 1:]
        at += part.size
        first = last


def _names(mesh: Any, blocks: list[tuple[str, NDArray[np.int64]]]) -> list[NDArray[np.object_]]:
    """The group of each cell, a block at a time: meshio's cell_sets, Gmsh's physical tags, or a cell array called "group"."""
    names = [np.full(len(cells), "", dtype=object) for _, cells in blocks]
    data = getattr(mesh, "cell_data", None) or {}
    keys = list(data.keys()) if hasattr(data, "keys") else []
    fields = getattr(mesh, "field_data", None)
    if "gmsh:physical" in keys and isinstance(fields, Mapping):
        by_tag = {(int(v[0]), int(v[1])): str(k) for k, v in fields.items() if np.size(v) == 2}
        for (kind, _), own, tags in zip(blocks, names, data["gmsh:physical"]):
            for i, tag in enumerate(np.asarray(tags).ravel()):
                own[i] = by_tag.get((int(tag), _kinds[kind][2]), f"group {int(tag)}" if tag else "")
    elif "group" in keys:
        values = data["group"]
        whole = np.concatenate([np.ravel(v) for v in values]) if _by_block(values, blocks) else np.ravel(values)
        at = 0
        for own in names:
            own[:] = [str(v) for v in whole[at : at + len(own)]]
            at += len(own)
    for name, sets in (getattr(mesh, "cell_sets", None) or {}).items():
        for own, members in zip(names, sets):
            if members is not None and np.size(members):
                own[np.asarray(members, dtype=np.int64)] = str(name)
    return names


def _by_block(values: Any, blocks: list[tuple[str, NDArray[np.int64]]]) -> bool:
    return isinstance(values, (list, tuple)) and len(values) == len(blocks) and all(np.ndim(v) > 0 for v in values)


def write_mesh(mesh: Any, path: str | os.PathLike[str]) -> Path:
    """Writes any object with points and cells as Gmsh MSH 2.2 (text; numbers keep all their digits). A cell is in one group."""
    points = np.asarray(mesh.points, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] not in (2, 3):
        raise InvalidInput(f"points of a mesh are rows of 2 or 3 numbers; found an array of shape {points.shape}")
    if points.shape[1] == 2:
        points = np.column_stack([points, np.zeros(len(points))])
    if not np.all(np.isfinite(points)):
        raise InvalidInput("a point of the mesh is not finite")
    blocks = list(_blocks(mesh))
    if not sum(len(cells) for _, cells in blocks):
        raise InvalidInput("the mesh has no cells")
    for kind, cells in blocks:
        if kind not in _kinds:
            raise InvalidInput(f"cells called '{kind}' are not known here\n  Known: {', '.join(_kinds)}.")
        if cells.ndim != 2 or cells.shape[1] != len(_kinds[kind][3]):
            raise InvalidInput(f"a cell called {kind} has {len(_kinds[kind][3])} nodes; found an array of shape {cells.shape}")
        if cells.size and (cells.min() < 0 or cells.max() >= len(points)):
            raise InvalidInput(f"a cell called {kind} refers to a point that does not exist")
    names = _names(mesh, blocks)
    groups: dict[tuple[int, str], int] = {}
    for (kind, _), own in zip(blocks, names):
        for name in dict.fromkeys(own):
            if name:
                groups.setdefault((_kinds[kind][2], str(name)), len(groups) + 1)
    file = Path(path)
    try:
        with open(file, "w", encoding="utf-8") as out:
            out.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n")
            if groups:
                out.write(f"$PhysicalNames\n{len(groups)}\n")
                for (dimension, name), tag in groups.items():
                    out.write('%d %d "%s"\n' % (dimension, tag, name.replace('"', "'")))
                out.write("$EndPhysicalNames\n")
            out.write(f"$Nodes\n{len(points)}\n")
            out.writelines("%d %r %r %r\n" % (i, *p) for i, p in enumerate(points.tolist(), 1))
            out.write(f"$EndNodes\n$Elements\n{sum(len(cells) for _, cells in blocks)}\n")
            number = 0
            for (kind, cells), own in zip(blocks, names):
                _, gmsh, dimension, order = _kinds[kind]
                for nodes, name in zip((cells[:, order] + 1).tolist(), own):
                    number += 1
                    tag = groups[dimension, str(name)] if name else 0
                    out.write(f"{number} {gmsh} 2 {tag} {max(tag, 1)} {' '.join(map(str, nodes))}\n")
            out.write("$EndElements\n")
    except OSError as wrong:
        raise FileError(f"cannot write '{file}': {wrong.strerror}") from None
    return file


class AttachedMesh:
    """A mesh that belongs to a case; it becomes a file when the case does."""

    def __init__(self, mesh: Any) -> None:
        self.mesh = mesh

    def write(self, path: Path) -> None:
        write_mesh(self.mesh, path)

    def __repr__(self) -> str:
        return f"<mesh of {len(self.mesh.points)} points>"
