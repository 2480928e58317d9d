#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the Nastran, PLY, MFEM and VTU files of this folder, each by a program other than Conoid.

Needs gmsh, and from PyPI: mfem, meshio, plyfile. Run it in this folder, after make_meshes.sh.
"""
import subprocess

import meshio
import mfem.ser as mfem
import numpy
import plyfile


def gmsh(*words):
    subprocess.run(["gmsh", *words, "-v", "1"], check=True)


# Nastran: the two blocks in free (0), short (1) and long (2) fields. Groups are Gmsh's physical groups.
for shape, hexes in (("tet", "0"), ("hex", "1")):
    for name, number in (("free", "0"), ("short", "1"), ("long", "2")):
        gmsh("two_blocks.geo", "-3", "-setnumber", "hexes", hexes, "-setnumber", "Mesh.BdfFieldFormat", number,
             "-format", "bdf", "-o", f"{shape}_order1_{name}.bdf")
        gmsh("two_blocks.geo", "-3", "-order", "2", "-setnumber", "Mesh.SecondOrderIncomplete", "1", "-setnumber", "hexes",
             hexes, "-setnumber", "Mesh.BdfFieldFormat", number, "-format", "bdf", "-o", f"{shape}_order2_{name}.bdf")

# PLY: the surface of the two blocks as text and as binary of both byte orders, with values beside that are to be skipped.
surface = meshio.read("tet_order1_22ascii.msh")
points = surface.points
faces = surface.cells_dict["triangle"]
vertex = numpy.zeros(len(points), dtype=[("x", "f8"), ("y", "f8"), ("z", "f8"), ("nx", "f4"), ("red", "u1")])
vertex["x"], vertex["y"], vertex["z"] = points.T
vertex["nx"] = numpy.nan
face = numpy.empty(len(faces), dtype=[("quality", "f4"), ("vertex_indices", "O"), ("flags", "O")])
for i, nodes in enumerate(faces):
    face[i] = (0.5, nodes.astype("i4"), numpy.arange(i % 3, dtype="u2"))
for name, order in (("ascii", "="), ("little", "<"), ("big", ">")):
    elements = [plyfile.PlyElement.describe(vertex, "vertex"),
                plyfile.PlyElement.describe(face, "face", val_types={"vertex_indices": "i4", "flags": "u2"},
                                            len_types={"vertex_indices": "u1", "flags": "i4"})]
    plyfile.PlyData(elements, text=name == "ascii", byte_order=order, comments=["two blocks"]).write(f"surface_{name}.ply")

# MFEM: unit boxes bent by x + 0.3 z^2, y + 0.2 x z, which is quadratic and keeps the volume.
def bend(mesh):
    nodes = mesh.GetNodes()
    dimension = mesh.SpaceDimension()
    count = nodes.Size() // dimension
    ordered = nodes.FESpace().GetOrdering() == 1
    at = (lambda i, a: i * dimension + a) if ordered else (lambda i, a: a * count + i)
    for i in range(count):
        p = [nodes[at(i, a)] for a in range(dimension)]
        if dimension == 2:
            moved = [p[0] + 0.3 * p[1] ** 2, p[1]]
        else:
            moved = [p[0] + 0.3 * p[2] ** 2, p[1] + 0.2 * p[0] * p[2], p[2]]
        for a in range(dimension):
            nodes[at(i, a)] = moved[a]


E = mfem.Element
for name, mesh in (("hex", mfem.Mesh.MakeCartesian3D(3, 2, 2, E.HEXAHEDRON)),
                   ("tet", mfem.Mesh.MakeCartesian3D(2, 2, 2, E.TETRAHEDRON)),
                   ("quad", mfem.Mesh.MakeCartesian2D(3, 2, E.QUADRILATERAL, True)),
                   ("triangle", mfem.Mesh.MakeCartesian2D(3, 2, E.TRIANGLE, True))):
    mesh.Save(f"{name}_straight.mesh")
    for ordering in (0, 1):
        mesh.SetCurvature(2, False, mesh.Dimension(), ordering)
        if ordering == 0:
            bend(mesh)
        mesh.Save(f"{name}_curved{ordering}.mesh")
line = mfem.Mesh.MakeCartesian1D(3, 3.0)
line.SetCurvature(2, False, 3, 1)
line.Save("line_curved1.mesh")
sets = mfem.Mesh.MakeCartesian2D(2, 2, E.TRIANGLE, True)
sets.attribute_sets.SetAttributeSet("all of it", mfem.intArray([1]))
sets.bdr_attribute_sets.SetAttributeSet("walls", mfem.intArray([1, 3]))
sets.Save("named_sets.mesh")
cubic = mfem.Mesh.MakeCartesian2D(1, 1, E.QUADRILATERAL, True)
cubic.SetCurvature(3, False, 2, 1)
cubic.Save("refused_order3.mesh")
periodic = mfem.Mesh.MakeCartesian2D(1, 1, E.QUADRILATERAL, True)
periodic.SetCurvature(2, True, 2, 1)
periodic.Save("refused_discontinuous.mesh")

# VTU: text, and compressed binary.
for shape in ("tet", "hex"):
    mesh = meshio.read(f"{shape}_order1_22ascii.msh")
    keep = {"tetra", "hexahedron"}
    cells = [(block.type, block.data) for block in mesh.cells if block.type in keep]
    tags = [data for block, data in zip(mesh.cells, mesh.cell_data["gmsh:physical"]) if block.type in keep]
    out = meshio.Mesh(mesh.points, cells, cell_data={"attribute": tags})
    meshio.write(f"{shape}_text.vtu", out, binary=False)
    meshio.write(f"{shape}_binary.vtu", out, binary=True, compression="zlib")
