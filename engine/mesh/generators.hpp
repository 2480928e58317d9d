// SPDX-License-Identifier: BSD-3-Clause
// Meshes of simple bodies, each made from a small struct of options (lengths in metres).
//
// Surfaces of bodies are closed and their normals point outwards. Options that make no sense (negative lengths, no
// divisions, more than 2^31 cells) give an Error that names the option. Callable from any thread.
#pragma once

#include "engine/core/error.hpp"
#include "engine/mesh/mesh.hpp"

#include <array>
#include <string>
#include <vector>

namespace conoid {

/// Geodesic sphere: each edge of an icosahedron in `divisions` parts, the points pushed out to the sphere:
/// 10 d² + 2 points, 20 d² triangles.
struct IcosphereOptions {
  double radius = 1;
  int divisions = 4;
  Vec3 centre{};
  bool equal_volume = false;  ///< scaled so that the flat-faced body has the ball's volume, 4/3 π r³
  int order = 1;              ///< 2: triangle6 with every node on the sphere
  std::string group = "surface";
};
[[nodiscard]] Result<Mesh> icosphere(const IcosphereOptions& options);

/// Ellipsoid with semi-axes a, b, c along x, y, z: an icosphere, stretched. Two equal axes give a spheroid.
struct EllipsoidOptions {
  Vec3 semi_axes{1, 1, 2};
  int divisions = 4;
  Vec3 centre{};
  bool equal_volume = false;
  int order = 1;
  std::string group = "surface";
};
[[nodiscard]] Result<Mesh> ellipsoid(const EllipsoidOptions& options);

/// Sphere of 6 d² quads: a cube's surface grid pushed out, lines at equal angles (or at equal lengths on the cube).
struct CubeSphereOptions {
  double radius = 1;
  int divisions = 4;
  Vec3 centre{};
  bool equal_angles = true;
  bool equal_volume = false;  ///< order 1 only; volume by the bilinear faces
  int order = 1;              ///< 2: quad9 with every node on the sphere
  std::string group = "surface";
};
[[nodiscard]] Result<Mesh> cube_sphere(const CubeSphereOptions& options);

/// Surface of a box in groups xmin, xmax, ymin, ymax, zmin, zmax: for equal divisions n, 6 n² + 2 points.
struct BoxSurfaceOptions {
  Vec3 low{0, 0, 0};
  Vec3 high{1, 1, 1};
  std::array<int, 3> divisions{4, 4, 4};
  bool quads = false;
  int order = 1;
};
[[nodiscard]] Result<Mesh> box_surface(const BoxSurfaceOptions& options);

/// A flat plate of quads in the plane z = `level`, group "ground"; with `enclosing` the further sides of a box that
/// closes it, group "enclosing": `rings` rings of quads around the plate out to `extent`, walls of `walls` rows down to
/// `depth`, and a bottom of as many quads as the plate. Normals point out of the body (the soil): for a square plate of
/// N x N, m = N², n = 2 N² + 4 N (rings + walls) elements and n + 2 points.
struct PlateOptions {
  std::array<double, 2> low{-5, -5};
  std::array<double, 2> high{5, 5};
  std::array<int, 2> divisions{10, 10};
  double level = 0;
  bool body_above = false;  ///< the body lies towards +z (normal of the plate: -z) instead of -z
  bool enclosing = false;
  int rings = 0;
  double extent = 0;  ///< how far the outermost ring reaches beyond the plate's edge; > 0 when rings > 0
  int walls = 1;
  double depth = 5;
  int order = 1;
};
[[nodiscard]] Result<Mesh> plate(const PlateOptions& options);

/// n + 1 coordinates from `low` to `high`; each cell `ratio` times as long as the one before it (1: uniform).
[[nodiscard]] std::vector<double> graded(double low, double high, int cells, double ratio = 1);

/// Grid of quads (z empty or one value: that level) or hexes with the given coordinates, ascending. Cells are x fastest,
/// then y, then z, and come first (group "domain"), boundary lines or faces after them in groups xmin, xmax, ymin, ymax,
/// zmin, zmax, with outward normals (in 2-D: the domain on the left of each line).
struct TensorGridOptions {
  std::array<std::vector<double>, 3> coordinates;
  bool simplices = false;    ///< each quad as 2 triangles, each hex as 6 tets around the diagonal low-high
  int order = 1;             ///< 1 or 2
  bool serendipity = false;  ///< order 2: quad8 and hex20 instead of quad9 and hex27
  bool boundary = true;      ///< boundary cells and their groups
  std::string group = "domain";
};
[[nodiscard]] Result<Mesh> tensor_grid(const TensorGridOptions& options);

/// A box of equal cells: tensor_grid with uniform coordinates. divisions[2] = 0: a rectangle at z = low[2].
struct BoxOptions {
  Vec3 low{0, 0, 0};
  Vec3 high{1, 1, 1};
  std::array<int, 3> divisions{4, 4, 4};
  bool simplices = false;
  int order = 1;
  bool serendipity = false;
  bool boundary = true;
  std::string group = "domain";
};
[[nodiscard]] Result<Mesh> box(const BoxOptions& options);

/// Closed surface of revolution about the z axis from a profile of (radius, z) points that runs from the lower pole to
/// the upper one; only the first and the last radius are 0. Triangles, `around` of them at each pole.
struct RevolutionOptions {
  std::vector<std::array<double, 2>> profile;
  int around = 16;
  Vec3 origin{};
  std::string group = "surface";
};
[[nodiscard]] Result<Mesh> revolution(const RevolutionOptions& options);

/// Cone with a spherical cap that meets it tangentially, tip at the origin pointing to -z, as in radar benchmarks.
struct ConeSphereOptions {
  double half_angle = 0.1221730476396031;  ///< radians; 7 degrees
  double sphere_radius = 0.0749;           ///< the cap's
  double edge = 0.02;                      ///< wanted edge length
  std::string group = "surface";
};
[[nodiscard]] Result<Mesh> cone_sphere(const ConeSphereOptions& options);

}  // namespace conoid
