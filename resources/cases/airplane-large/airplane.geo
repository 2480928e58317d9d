// SPDX-License-Identifier: BSD-3-Clause
// An airliner of 32 m with swept wings and a T-free tail, lengths in metres: x aft, y to starboard, z up.
// The shape of the sample "airplane" in 24,186 vertices; h = 0.53 m gives the 3247 of that one.
DefineConstant[ h = {0.1825, Name "Edge length"} ];
SetFactory("OpenCASCADE");

// Fuselage: a profile turned about the x axis.
Point(1) = {0, 0, 0};
Point(2) = {1.2, 0, 1.05};
Point(3) = {4.5, 0, 1.9};
Point(4) = {21, 0, 1.9};
Point(5) = {28, 0, 1.1};
Point(6) = {32, 0, 0};
Spline(1) = {1, 2, 3};
Line(2) = {3, 4};
Spline(3) = {4, 5, 6};
Line(4) = {6, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
fuselage[] = Extrude {{1, 0, 0}, {0, 0, 0}, 2 * Pi} { Surface{1}; };

// A lifting surface between two six-sided sections: leading edge (x, y, z), chord, thickness; `up` turns it upright.
Macro Section
  p = newp;
  Point(p) = {sx, sy, sz};
  Point(p + 1) = {sx + 0.25 * sc, sy - up * 0.5 * st, sz - (1 - up) * 0.5 * st};
  Point(p + 2) = {sx + 0.6 * sc, sy - up * 0.5 * st, sz - (1 - up) * 0.5 * st};
  Point(p + 3) = {sx + sc, sy, sz};
  Point(p + 4) = {sx + 0.6 * sc, sy + up * 0.5 * st, sz + (1 - up) * 0.5 * st};
  Point(p + 5) = {sx + 0.25 * sc, sy + up * 0.5 * st, sz + (1 - up) * 0.5 * st};
  l = newl;
  Line(l) = {p, p + 1};
  Line(l + 1) = {p + 1, p + 2};
  Line(l + 2) = {p + 2, p + 3};
  Line(l + 3) = {p + 3, p + 4};
  Line(l + 4) = {p + 4, p + 5};
  Line(l + 5) = {p + 5, p};
  section = newll;
  Curve Loop(section) = {l : l + 5};
Return

up = 0;
For side In {-1 : 1 : 2}
  sx = 10.5; sy = 0;         sz = -0.8; sc = 7;   st = 1.0;
  Call Section;
  root = section;
  sx = 17.5; sy = side * 15; sz = 0.2;  sc = 2.2; st = 0.4;
  Call Section;
  wing = newv;
  Ruled ThruSections(wing) = {root, section};
  sx = 26.5; sy = 0;          sz = 0.3; sc = 3.6; st = 0.6;
  Call Section;
  root = section;
  sx = 29.8; sy = side * 5.5; sz = 0.7; sc = 1.6; st = 0.35;
  Call Section;
  tail = newv;
  Ruled ThruSections(tail) = {root, section};
  parts[] += {wing, tail};
EndFor
up = 1;
sx = 25.5; sy = 0; sz = 0;   sc = 5;   st = 0.6; 
  Call Section;
  root = section;
sx = 29.8; sy = 0; sz = 6.5; sc = 2.2; st = 0.35;
  Call Section;
fin = newv;
Ruled ThruSections(fin) = {root, section};
parts[] += {fin};

whole[] = BooleanUnion{ Volume{fuselage[1]}; Delete; }{ Volume{parts[]}; Delete; };
MeshSize {:} = h;
Mesh.MeshSizeMin = 0.6 * h;
Mesh.MeshSizeMax = h;
Mesh.Algorithm = 6;
skin[] = Boundary{ Volume{whole[]}; };
Physical Surface("airplane") = {skin[]};
