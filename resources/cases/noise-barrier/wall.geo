// SPDX-License-Identifier: BSD-3-Clause
// A wall 6 m long, 0.3 m thick and 2 m high, open below, where it stands on the ground z = 0.
h = 0.2;
SetFactory("OpenCASCADE");
Box(1) = {-3, -0.15, 0, 6, 0.3, 2};
MeshSize {:} = h;
below() = Surface In BoundingBox {-3.1, -0.3, -0.1, 3.1, 0.3, 0.1};
sides() = Surface {:};
sides() -= below();
Physical Surface("wall") = {sides()};
Mesh.Algorithm = 6;
