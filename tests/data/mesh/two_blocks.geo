// SPDX-License-Identifier: BSD-3-Clause
// Two blocks side by side, skewed, with plane faces; groups that share entities.
// Meshed by make_meshes.sh.
DefineConstant[ hexes = 0 ];
Point(1) = {0, 0, 0, 1};
Point(2) = {1.3, 0.1, 0.2, 1};
Point(3) = {1.5, 0.8, 0.1, 1};
Point(4) = {0.2, 0.7, -0.1, 1};
Point(5) = {-0.1, 0.15, 0.9, 1};
Point(6) = {1.2, 0.25, 1.1, 1};
Point(7) = {1.4, 0.95, 1, 1};
Point(8) = {0.1, 0.85, 0.8, 1};
Point(9) = {2.6, 0.2, 0.4, 1};
Point(10) = {2.8, 0.9, 0.3, 1};
Point(11) = {2.5, 0.35, 1.3, 1};
Point(12) = {2.7, 1.05, 1.2, 1};
Line(1) = {1, 2};   Line(2) = {2, 3};    Line(3) = {3, 4};    Line(4) = {4, 1};
Line(5) = {5, 6};   Line(6) = {6, 7};    Line(7) = {7, 8};    Line(8) = {8, 5};
Line(9) = {1, 5};   Line(10) = {2, 6};   Line(11) = {3, 7};   Line(12) = {4, 8};
Line(13) = {2, 9};  Line(14) = {9, 10};  Line(15) = {10, 3};  Line(16) = {6, 11};
Line(17) = {11, 12}; Line(18) = {12, 7}; Line(19) = {9, 11};  Line(20) = {10, 12};
Curve Loop(1) = {1, 2, 3, 4};        Surface(1) = {1};
Curve Loop(2) = {5, 6, 7, 8};        Surface(2) = {2};
Curve Loop(3) = {1, 10, -5, -9};     Surface(3) = {3};
Curve Loop(4) = {2, 11, -6, -10};    Surface(4) = {4};
Curve Loop(5) = {3, 12, -7, -11};    Surface(5) = {5};
Curve Loop(6) = {4, 9, -8, -12};     Surface(6) = {6};
Curve Loop(7) = {13, 14, 15, -2};    Surface(7) = {7};
Curve Loop(8) = {16, 17, 18, -6};    Surface(8) = {8};
Curve Loop(9) = {13, 19, -16, -10};  Surface(9) = {9};
Curve Loop(10) = {14, 20, -17, -19}; Surface(10) = {10};
Curve Loop(11) = {15, 11, -18, -20}; Surface(11) = {11};
Surface Loop(1) = {1, 2, 3, 4, 5, 6};     Volume(1) = {1};
Surface Loop(2) = {7, 8, 9, 10, 11, 4};   Volume(2) = {2};
Transfinite Curve {1:20} = 3;
Transfinite Surface {1:11};
If (hexes)
  Recombine Surface {1:11};
  Transfinite Volume {1:2};
EndIf
Physical Volume("left", 1) = {1};
Physical Volume("right", 2) = {2};
Physical Volume("all of it", 3) = {1, 2};
Physical Surface("floor", 4) = {1, 7};
Physical Surface(9) = {4};
Physical Curve("edge", 5) = {9};
