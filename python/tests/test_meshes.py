# SPDX-License-Identifier: BSD-3-Clause
"""Meshes of other packages: the program reads back what was given, kind by kind, with volumes that are known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import conoid
from conoid.program import ask

Array = np.ndarray[Any, Any]

# Corners and mid-side nodes in VTK's order (vtkQuadraticTetra, vtkQuadraticHexahedron, vtkTriQuadraticHexahedron).
_tetra = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
_tetra_edges = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]
_box = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], float)
_box_edges = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
_box_faces = [(0, 3, 7, 4), (1, 2, 6, 5), (0, 1, 5, 4), (3, 2, 6, 7), (0, 1, 2, 3), (4, 5, 6, 7)]


def _with_middles(corners: Array, *groups: Sequence[tuple[int, ...]]) -> Array:
    return np.vstack([corners, *[corners[list(nodes)].mean(axis=0)[None] for group in groups for nodes in group]])


_cells = {
    "tetra": (_tetra, 1 / 6),
    "tetra10": (_with_middles(_tetra, _tetra_edges), 1 / 6),
    "hexahedron": (_box, 1),
    "hexahedron20": (_with_middles(_box, _box_edges), 1),
    "hexahedron27": (_with_middles(_box, _box_edges, _box_faces, [tuple(range(8))]), 1),
}


def _described(mesh: object, tmp_path: Path) -> dict[str, Any]:
    return ask(["mesh", str(conoid.write_mesh(mesh, tmp_path / "mesh.msh")), "--unit", "m"])


@pytest.mark.parametrize("kind", _cells)
def test_each_kind_of_cell_has_its_volume(kind: str, tmp_path: Path) -> None:
    points, volume = _cells[kind]
    mesh = SimpleNamespace(points=points, cells=[(kind, np.arange(len(points))[None])])
    told = _described(mesh, tmp_path)
    assert told["points"] == len(points)
    assert told["quality"]["measure"] == pytest.approx(volume, rel=1e-12)


def _square(n: int) -> tuple[Array, Array]:
    x = np.linspace(0, 1, n + 1)
    points = np.array([(a, b) for b in x for a in x])
    k = np.array([i + j * (n + 1) for j in range(n) for i in range(n)])
    return points, np.column_stack([k, k + 1, k + n + 2, k + n + 1])


def test_groups_of_meshio(tmp_path: Path) -> None:
    points, quads = _square(2)
    lines = np.array([[0, 1], [1, 2]])
    mesh = SimpleNamespace(
        points=points,
        cells=[SimpleNamespace(type="quad", data=quads), SimpleNamespace(type="line", data=lines)],
        cell_sets={"gas": [np.array([0, 1, 2, 3]), None], "floor": [np.array([], int), np.array([0, 1])]},
    )
    told = _described(mesh, tmp_path)
    names = {g["name"]: g for g in told["groups"]}
    assert set(names) == {"gas", "floor"}
    tagged = SimpleNamespace(
        points=points,
        cells=[("quad", quads), ("line", lines)],
        cell_data={"gmsh:physical": [np.full(4, 7), np.full(2, 3)]},
        field_data={"gas": np.array([7, 2]), "floor": np.array([3, 1])},
    )
    assert {g["name"] for g in _described(tagged, tmp_path)["groups"]} == {"gas", "floor"}


def test_cells_of_pyvista(tmp_path: Path) -> None:
    flat = np.hstack([[4, 0, 1, 2, 3], [4, 1, 2, 3, 4]])
    points = np.vstack([_tetra, [1, 1, 1]])
    mesh = SimpleNamespace(points=points, cells=flat, celltypes=np.array([10, 10]), cell_data={"group": ["a", "b"]})
    told = _described(mesh, tmp_path)
    assert {g["name"] for g in told["groups"]} == {"a", "b"}
    surface = SimpleNamespace(points=_tetra, faces=np.array([3, 0, 2, 1, 3, 0, 1, 3, 3, 1, 2, 3, 3, 2, 0, 3]))
    assert _described(surface, tmp_path)["cells"] == 4


def test_a_mesh_that_cannot_be_one(tmp_path: Path) -> None:
    with pytest.raises(conoid.InvalidInput, match="does not exist"):
        conoid.write_mesh(SimpleNamespace(points=_tetra, cells=[("tetra", [[0, 1, 2, 4]])]), tmp_path / "m.msh")
    with pytest.raises(conoid.InvalidInput, match="wedge"):
        conoid.write_mesh(SimpleNamespace(points=_box, cells=[("wedge", [[0, 1, 2, 3, 4, 5]])]), tmp_path / "m.msh")
    with pytest.raises(conoid.InvalidInput, match="not finite"):
        conoid.write_mesh(SimpleNamespace(points=_tetra * np.nan, cells=[("tetra", [[0, 1, 2, 3]])]), tmp_path / "m.msh")


def test_a_mesh_goes_into_a_case_without_a_file(tmp_path: Path) -> None:
    """Gas at rest in a square of a mesh that was never a file of the user's: its energy is p/(gamma - 1) times the area."""
    points, quads = _square(4)
    case = conoid.Case("hydro-fem", title="Gas at rest")
    case.mesh = {"file": SimpleNamespace(points=points, cells={"quad": quads}), "unit": "m"}
    case.materials.air.gamma = 1.4
    case.regions.append(material="air", density=1, pressure=1)
    case.parameters = {"order": 1, "end_time": 0.01}
    assert case.check().require().ok
    with pytest.raises(conoid.InvalidInput, match="takes no mesh"):
        case.title = SimpleNamespace(points=points, cells=[("quad", quads)])
    run = case.run(tmp_path / "run", threads=1)
    assert run.numbers["total_energy"] == pytest.approx(2.5, rel=1e-12)
    part = run.frames[-1].parts[next(iter(run.frames[-1].parts))]
    assert not part.is_grid and len(part.types) >= 16
    assert sum(len(c) for c in part.cells.values()) == len(part.types)
    assert np.all(part.connectivity < len(part.points))
    resumed = run.resume(set={"parameters.end_time": 0.02}, threads=1)
    assert resumed.state == "finished"
