// SPDX-License-Identifier: BSD-3-Clause
// A faceted aircraft, 1.1 m long: flat facets send the echo away from where the radar stands. About 770 triangles at h = 0.078.
SetFactory("Built-in");
h = DefineNumber[ 0.078, Name "h" ];

Point(1) = {0, 0, 0, h};  // N
Point(2) = {1.1, 0.62, 0, h};  // Wr
Point(3) = {0.36, 0, 0.17, h};  // P
Point(4) = {0.64, 0, 0.15, h};  // Q
Point(5) = {0.9, 0.36, 0, h};  // Ir
Point(6) = {1.08, 0.15, 0, h};  // Rr
Point(7) = {0.95, 0, 0, h};  // C
Point(8) = {0.34, 0, -0.06, h};  // B
Point(9) = {0.74, 0, -0.05, h};  // D
Point(10) = {1.1, -0.62, 0, h};  // Wl
Point(11) = {0.9, -0.36, 0, h};  // Il
Point(12) = {1.08, -0.15, 0, h};  // Rl
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {1, 3};
Line(4) = {2, 4};
Line(5) = {3, 4};
Line(6) = {2, 5};
Line(7) = {4, 5};
Line(8) = {5, 6};
Line(9) = {4, 6};
Line(10) = {6, 7};
Line(11) = {4, 7};
Line(12) = {1, 8};
Line(13) = {2, 8};
Line(14) = {8, 9};
Line(15) = {2, 9};
Line(16) = {5, 9};
Line(17) = {6, 9};
Line(18) = {7, 9};
Line(19) = {3, 10};
Line(20) = {1, 10};
Line(21) = {4, 10};
Line(22) = {10, 11};
Line(23) = {4, 11};
Line(24) = {11, 12};
Line(25) = {4, 12};
Line(26) = {7, 12};
Line(27) = {8, 10};
Line(28) = {9, 10};
Line(29) = {9, 11};
Line(30) = {9, 12};
Curve Loop(1) = {1, 2, -3};  Plane Surface(1) = {1};
Curve Loop(2) = {-2, 4, -5};  Plane Surface(2) = {2};
Curve Loop(3) = {-4, 6, -7};  Plane Surface(3) = {3};
Curve Loop(4) = {7, 8, -9};  Plane Surface(4) = {4};
Curve Loop(5) = {9, 10, -11};  Plane Surface(5) = {5};
Curve Loop(6) = {12, -13, -1};  Plane Surface(6) = {6};
Curve Loop(7) = {14, -15, 13};  Plane Surface(7) = {7};
Curve Loop(8) = {-16, -6, 15};  Plane Surface(8) = {8};
Curve Loop(9) = {-17, -8, 16};  Plane Surface(9) = {9};
Curve Loop(10) = {-18, -10, 17};  Plane Surface(10) = {10};
Curve Loop(11) = {19, -20, 3};  Plane Surface(11) = {11};
Curve Loop(12) = {21, -19, 5};  Plane Surface(12) = {12};
Curve Loop(13) = {-22, -21, 23};  Plane Surface(13) = {13};
Curve Loop(14) = {-24, -23, 25};  Plane Surface(14) = {14};
Curve Loop(15) = {26, -25, 11};  Plane Surface(15) = {15};
Curve Loop(16) = {-27, -12, 20};  Plane Surface(16) = {16};
Curve Loop(17) = {-28, -14, 27};  Plane Surface(17) = {17};
Curve Loop(18) = {22, -29, 28};  Plane Surface(18) = {18};
Curve Loop(19) = {24, -30, 29};  Plane Surface(19) = {19};
Curve Loop(20) = {-26, 18, 30};  Plane Surface(20) = {20};
Physical Surface("aircraft") = {1:20};
Mesh.Algorithm = 6;
Mesh.MeshSizeFactor = 1;
