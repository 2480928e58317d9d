# SPDX-License-Identifier: BSD-3-Clause
"""Pictures in notebooks: tables as curves, planes and plane meshes in colours. Needs matplotlib, which nothing else here does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import ConoidError

if TYPE_CHECKING:
    from .fields import Part
    from .tables import Table

_kinds = {"signed": "RdBu_r", "magnitude": "viridis", "phase": "twilight"}


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ConoidError("pictures need matplotlib\n  pip install matplotlib, or apt install python3-matplotlib.") from None
    return plt.subplots(layout="constrained")[1]


def plot_table(table: Table, ax: Any = None, columns: Sequence[str] | None = None) -> Any:
    """Columns over the first one, exact ones dashed, on the scales that the table asks for."""
    ax = _axes(ax)
    abscissa, *others = table.columns
    for column in others if columns is None else columns:
        ax.plot(table[abscissa], table[column], "--" if column in table.exact else "-", label=table.labels[column])
    shown = others if columns is None else list(columns)
    units = {table.units[c] for c in shown}
    ax.set(title=table.title, xlabel=table.heading(abscissa), xscale=table.scales[0], yscale=table.scales[1])
    if len(units) == 1 and (unit := units.pop()) not in ("", "1"):
        ax.set_ylabel(unit)
    if len(shown) > 1:
        ax.legend()
    return ax


def plot_part(part: Part, field: str | None = None, ax: Any = None, *, component: int | None = None, **options: Any) -> Any:
    """A field of a plane (colours), a line (a curve), or a plane mesh of triangles and quadrilaterals.

    Vectors are shown by their magnitude, or one component; complex values by their real part. Signed fields have colours around 0.
    """
    name = field if field is not None else next(iter(part))
    info = part.infos[name]
    values = part.real(name)
    kind = info.kind
    if info.components > 1:
        values = np.linalg.norm(values, axis=-1) if component is None else values[..., component]
        kind = "magnitude" if component is None else kind
    ax = _axes(ax)
    label = (info.label or name) + (f" ({info.unit})" if info.unit else "")
    options.setdefault("cmap", _kinds.get(kind, "viridis"))
    if kind == "signed" and "vmin" not in options and "vmax" not in options:
        largest = float(np.nanmax(np.abs(values))) or 1.0
        options["vmin"], options["vmax"] = -largest, largest
    if part.is_grid:
        names = "zyx"
        long = [i for i, n in enumerate(part.shape) if n > 1]
        coordinates = part.axes[::-1]
        if len(long) == 1:
            ax.plot(coordinates[long[0]], values.ravel(), label=label)
            ax.set(xlabel=f"{names[long[0]]} (m)", ylabel=label)
            return ax
        if len(long) == 3:
            raise ConoidError(f"'{part.name}' is a volume: draw one plane of it, part['{name}'][k], or use run.render")
        up, across = long
        u, a = coordinates[up], coordinates[across]
        step_u, step_a = (u[1] - u[0]) / 2, (a[1] - a[0]) / 2
        extent = (a[0] - step_a, a[-1] + step_a, u[0] - step_u, u[-1] + step_u)
        if info.at == "cells":
            extent = (a[0], a[-1], u[0], u[-1])
        picture = ax.imshow(np.squeeze(values), origin="lower", extent=extent, **options)
        ax.set(xlabel=f"{names[across]} (m)", ylabel=f"{names[up]} (m)")
    else:
        from matplotlib.collections import PolyCollection

        points = part.points
        flat = [i for i in range(3) if np.ptp(points[:, i]) > 0]
        if len(flat) != 2:
            raise ConoidError(f"'{part.name}' is no plane mesh: use run.render")
        low, high = options.pop("vmin", None), options.pop("vmax", None)
        offsets, connectivity, types = part.offsets, part.connectivity, part.types
        corners = {5: 3, 22: 3, 9: 4, 23: 4, 28: 4}
        polygons = []
        colours = []
        for c, kind_of_cell in enumerate(types):
            nodes = connectivity[offsets[c] : offsets[c] + corners.get(int(kind_of_cell), 0)]
            if len(nodes):
                polygons.append(points[nodes][:, flat])
                colours.append(float(values[c]) if info.at == "cells" else float(np.mean(values[nodes])))
        picture = PolyCollection(polygons, array=np.array(colours), cmap=options.pop("cmap"), **options)
        picture.set_clim(low, high)
        ax.add_collection(picture)
        ax.autoscale_view()
        ax.set(xlabel=f"{'xyz'[flat[0]]} (m)", ylabel=f"{'xyz'[flat[1]]} (m)")
    ax.set_aspect("equal")
    ax.figure.colorbar(picture, ax=ax, label=label)
    return ax
