// SPDX-License-Identifier: BSD-3-Clause
// A wall 6 m long, 0.3 m thick and 2 m high on rigid ground: with its mirror image below the ground, z from -2 to 2 m.
h = 0.2;
SetFactory("OpenCASCADE");
Box(1) = {-3, -0.15, -2, 6, 0.3, 4};
MeshSize {:} = h;
Physical Surface("wall") = {1 : 6};
Mesh.Algorithm = 6;
