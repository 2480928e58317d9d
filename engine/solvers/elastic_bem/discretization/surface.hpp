// SPDX-License-Identifier: BSD-3-Clause
// A mesh as boundary elements see it: geometry of each element, collocation points, where tractions may jump.
//
// Displacements live at nodes (the collocation points), tractions at traction nodes: the elements around a node that have
// the same boundary condition share one. At creases, at the rim of an open surface and, on request, at every edge, field
// nodes move into the elements (discontinuous elements), so that at each node the surface is smooth and one traction vector
// exists. The field functions of such an element are the shape functions in reference coordinates stretched about the moved
// nodes.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/mesh/mesh.hpp"

namespace conoid::elastic_bem {

inline constexpr int most_nodes = 9;

/// A point of an element: place, and ∂x/∂r × ∂x/∂s = normal times area.
struct SurfacePoint {
  Vec3 x{}, area{};
};

struct Element {
  CellShape shape = CellShape::quad4;
  Index cell = -1;         ///< in the mesh; −1: made by the program
  int condition = 0;       ///< index of its boundary condition
  int component = 0;       ///< pieces of surface joined by edges
  bool enclosing = false;  ///< geometry only: closes an open surface in the static row sums
  bool flat = false;
  bool turned = false;                               ///< node order reversed against the mesh
  bool affine = false;                               ///< x is linear in (r, s): parallelograms and straight triangles
  Vec3 corner{}, along_r{}, along_s{}, flat_area{};  ///< of an affine element: x = corner + r along_r + s along_s
  std::array<Vec3, most_nodes> x{};
  int nodes = 1;  ///< field nodes; 1: constant
  std::array<Index, most_nodes> node{}, traction{};
  std::array<double, 2> low{0, 0}, stretch{1, 1};  ///< field coordinates: (r − low)·stretch
  Vec3 centre{};
  double size = 0;                 ///< longer of the two middle lines
  std::array<double, 2> length{};  ///< middle lines along r and s

  [[nodiscard]] bool triangular() const { return shape == CellShape::triangle3 || shape == CellShape::triangle6; }
  /// (u, v) in the unit square → reference cell; triangles by collapsing, `jacobian` of that map.
  [[nodiscard]] std::array<double, 2> reference(double u, double v, double& jacobian) const;
  [[nodiscard]] SurfacePoint at(double r, double s) const;
  void field(double r, double s, double* values) const;
  /// Reference coordinates of field node a.
  [[nodiscard]] std::array<double, 2> node_at(int a) const;
};

/// Fills in centre, sizes, flatness of an element from its points.
void measure(Element& e);

/// Where a node touches an element.
struct Touch {
  Index element = 0;
  int local = 0;
};

struct Surface {
  std::vector<Element> elements;                   ///< enclosing ones last
  Index active = 0;                                ///< elements with unknowns
  std::vector<Vec3> nodes;                         ///< collocation points
  std::vector<Vec3> normals;                       ///< mean unit normal there, out of the medium
  std::vector<std::vector<Touch>> touches;         ///< of each node
  std::vector<Index> traction_node;                ///< displacement node of each traction node
  std::vector<Vec3> traction_normal;               ///< mean normal of its elements there
  std::vector<int> traction_condition;             ///< their boundary condition
  std::vector<std::vector<Index>> node_tractions;  ///< traction nodes of each node
  std::vector<bool> closed;                        ///< a component has no rim and no enclosing cells
  std::vector<bool> hollow;                        ///< a closed component with the medium around it: a cavity
  std::vector<double> window;            ///< a node: weight of its column in H, below 1 near the rim of open ground
  std::vector<bool> planar;              ///< a node: all elements around it lie in one plane
  std::vector<std::array<Vec3, 3>> rim;  ///< sides of open ground that one element has: beginning, middle, end
  bool enclosed = false;                 ///< the mesh has enclosing cells
  Vec3 centre{};
  double diameter = 0;
  double element_size = 0;  ///< mean
  double largest_element = 0;
  Index discontinuous = 0;  ///< elements with moved nodes
  [[nodiscard]] Index node_count() const { return static_cast<Index>(nodes.size()); }
};

enum class Domain { inside, outside, ground };

struct SurfaceOptions {
  Domain domain = Domain::outside;
  bool constant = false;       ///< constant fields on each element
  bool discontinuous = false;  ///< all edges
  double crease = 0.7;         ///< radians between normals from which an edge is a crease
  Vec3 down{0, 0, -1};         ///< into the ground (Domain::ground)
  std::function<int(Index cell)> condition = [](Index) { return 0; };  ///< −1: enclosing element
  double window = 0;  ///< open ground: share of the way from the rim inwards over which the kernel is faded out
  std::vector<int>
      symmetry;       ///< axes across planes in which the mesh is its own image: fields break alike on both sides
  bool close = true;  ///< make enclosing elements where a curved open surface has none
  std::function<int(Index cell)> seam;  ///< fields break between cells of different numbers; empty: one number
  std::function<bool(Index cell)>
      below;  ///< open ground: cells that bound it from below, so that their normals point down
};

/// Errors: no surface cells, inconsistent or collapsed cells, an open body or cavity, warped quads that fold.
[[nodiscard]] Result<Surface> make_surface(const Mesh& mesh, const SurfaceOptions& options);

}  // namespace conoid::elastic_bem
