// SPDX-License-Identifier: BSD-3-Clause
// Cone of half-angle 14.5 degrees with a spherical cap of radius 0.5 m that meets it tangentially; tip towards -z.
h = 0.11;
r = 0.5;
half = 14.5 * Pi / 180;
centre = r / Sin(half);
Point(1) = {0, 0, 0, 0.5 * h};
Point(2) = {0, 0, centre, h};
Point(3) = {0, 0, centre + r, h};
rho = r * Cos(half);
zed = centre - r * Sin(half);
Point(4) = {rho, 0, zed, h};
Point(5) = {0, rho, zed, h};
Point(6) = {-rho, 0, zed, h};
Point(7) = {0, -rho, zed, h};
Point(8) = {0, 0, zed, h};
For k In {0 : 3}
  Line(1 + k) = {1, 4 + k};
  Circle(5 + k) = {4 + k, 8, 4 + (k + 1) % 4};
  Circle(9 + k) = {4 + k, 2, 3};
EndFor
For k In {0 : 3}
  Curve Loop(1 + k) = {1 + k, 5 + k, -(1 + (k + 1) % 4)};
  Surface(1 + k) = {1 + k};
  Curve Loop(5 + k) = {5 + k, 9 + (k + 1) % 4, -(9 + k)};
  Surface(5 + k) = {5 + k};
EndFor
Reverse Surface {1, 2, 3, 4};
Physical Surface("body") = {1 : 8};
Mesh.Algorithm = 6;
