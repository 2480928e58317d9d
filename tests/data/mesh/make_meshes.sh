#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Makes the .msh files of this folder from the .geo scripts beside it. Needs gmsh; run it in this folder.
set -eu
for v in 22 41; do
  for b in 0 1; do
    k=$([ $b = 1 ] && echo binary || echo ascii)
    for shape in tet hex; do
      h=$([ $shape = hex ] && echo 1 || echo 0)
      # MSH 2 would forget the groups if everything were saved; MSH 4 keeps cells without a group as well.
      all=$([ $v = 41 ] && echo 1 || echo 0)
      mesh() { gmsh two_blocks.geo -3 -setnumber hexes $h -format msh$v -setnumber Mesh.Binary $b \
        -setnumber Mesh.SaveAll $all -v 1 "$@"; }
      mesh -o ${shape}_order1_$v$k.msh
      mesh -order 2 -o ${shape}_order2_$v$k.msh
    done
    mesh -order 2 -setnumber Mesh.SecondOrderIncomplete 1 -o hex_serendipity_$v$k.msh
    gmsh turned.geo -2 -format msh$v -setnumber Mesh.Binary $b -v 1 -o turned_$v$k.msh
  done
done
