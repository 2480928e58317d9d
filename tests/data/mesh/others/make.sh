#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The meshes of this folder: boxes of 1 x 2 x 3 that Gmsh 4.8.4 meshed and wrote in other programs' formats.
cd "$(dirname "$0")" || exit
for shape in tet hex prism; do
  for order in 1 2; do
    for format in inp unv; do  # these have no cells with nodes in the middle of faces
      gmsh -3 -order $order -setnumber Mesh.SecondOrderIncomplete 1 -clmin 3 $shape.geo -format $format -o $shape$order.$format
    done
    gmsh -3 -order $order -clmin 3 $shape.geo -format vtk -o $shape$order.vtk
    gmsh -3 -order $order -clmin 3 $shape.geo -format vtk -bin -o $shape${order}b.vtk
  done
done
