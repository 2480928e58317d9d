// SPDX-License-Identifier: BSD-3-Clause
// A sector of 60 degrees of a disc in curved quadrilaterals: a core of four sides, gas around it, a shell outside.
DefineConstant[ n = {6, Name "Cells along half the arc"} ];
a = 30 * Pi / 180;
core = 0.4; gas = 1; shell = 1.2;
Point(1) = {0, 0, 0};
For ring In {0:2}
  r = (ring == 0) ? core : (ring == 1) ? gas : shell;
  For k In {0:2}
    Point(10 + 3 * ring + k) = {r * Cos(k * a), r * Sin(k * a), 0};
  EndFor
EndFor
// Core: straight sides. Rings: arcs about the centre.
Line(1) = {1, 10}; Line(2) = {10, 11}; Line(3) = {11, 12}; Line(4) = {12, 1};
For ring In {1:2}
  For k In {0:1}
    Circle(10 * ring + k) = {10 + 3 * ring + k, 1, 10 + 3 * ring + k + 1};
  EndFor
  For k In {0:2}
    Line(10 * ring + 5 + k) = {10 + 3 * (ring - 1) + k, 10 + 3 * ring + k};
  EndFor
EndFor
Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
Curve Loop(2) = {15, 10, -16, -2}; Plane Surface(2) = {2};
Curve Loop(3) = {16, 11, -17, -3}; Plane Surface(3) = {3};
Curve Loop(4) = {25, 20, -26, -10}; Plane Surface(4) = {4};
Curve Loop(5) = {26, 21, -27, -11}; Plane Surface(5) = {5};
Transfinite Curve{1:4, 10, 11, 20, 21} = n + 1;
Transfinite Curve{15:17} = n + 1;
Transfinite Curve{25:27} = n / 2 + 1;
Transfinite Surface{1:5};
Recombine Surface{1:5};
Mesh.ElementOrder = 2;
Physical Surface("gas") = {1, 2, 3};
Physical Surface("shell") = {4, 5};
Physical Curve("first plane") = {1, 15, 25};
Physical Curve("second plane") = {4, 17, 27};
Physical Curve("outside") = {20, 21};
