// SPDX-License-Identifier: BSD-3-Clause
// A square in a physical group with the sign turned, and one that is not; unused points (a circle's centre).
// Meshed by make_meshes.sh.
Point(1) = {0, 0, 0, 1}; Point(2) = {1, 0, 0, 1}; Point(3) = {1, 1, 0, 1}; Point(4) = {0, 1, 0, 1};
Point(5) = {2, 0, 0, 1}; Point(6) = {2, 1, 0, 1}; Point(7) = {5, 5, 5, 1};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Line(5) = {2, 5}; Line(6) = {5, 6}; Line(7) = {6, 3};
Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
Curve Loop(2) = {5, 6, 7, -2}; Plane Surface(2) = {2};
Physical Surface("down", 1) = {-1};
Physical Surface("up", 2) = {2};
Transfinite Curve {1:7} = 2;
