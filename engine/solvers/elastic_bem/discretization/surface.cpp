// SPDX-License-Identifier: BSD-3-Clause
// Elements, creases, nodes and traction nodes from a mesh.
#include "engine/solvers/elastic_bem/discretization/surface.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/core.h>

#include "engine/core/vec3.hpp"
#include "engine/mesh/ordering.hpp"
#include "engine/mesh/repair.hpp"
#include "engine/mesh/shape_functions.hpp"
#include "engine/mesh/shape_tables.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/solvers/elastic_bem/discretization/symmetry.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

std::array<double, 2> Element::reference(double u, double v, double& jacobian) const {
  if (!triangular()) {
    jacobian = 1;
    return {u, v};
  }
  jacobian = 1 - u;
  return {u, v * (1 - u)};
}

SurfacePoint Element::at(double r, double s) const {
  SurfacePoint p;
  if (affine) {
    for (std::size_t d = 0; d < 3; ++d) p.x[d] = corner[d] + r * along_r[d] + s * along_s[d];
    p.area = flat_area;
    return p;
  }
  Vec3 dr{}, ds{};
  if (shape == CellShape::quad4) {  // the common one, without tables
    const double n[4] = {(1 - r) * (1 - s), r * (1 - s), r * s, (1 - r) * s};
    const double a[4] = {s - 1, 1 - s, s, -s}, b[4] = {r - 1, -r, r, 1 - r};
    for (std::size_t k = 0; k < 4; ++k)
      for (std::size_t d = 0; d < 3; ++d) {
        p.x[d] += n[k] * x[k][d];
        dr[d] += a[k] * x[k][d];
        ds[d] += b[k] * x[k][d];
      }
  } else {
    const ShapeValues values = shape_values(shape, {r, s, 0});
    for (std::size_t k = 0; k < static_cast<std::size_t>(nodes_of(shape)); ++k)
      for (std::size_t d = 0; d < 3; ++d) {
        p.x[d] += values.n[k] * x[k][d];
        dr[d] += values.dn[k][0] * x[k][d];
        ds[d] += values.dn[k][1] * x[k][d];
      }
  }
  p.area = cross(dr, ds);
  return p;
}

void Element::field(double r, double s, double* values) const {
  if (nodes == 1) {
    values[0] = 1;
    return;
  }
  const ShapeValues v = shape_values(shape, {(r - low[0]) * stretch[0], (s - low[1]) * stretch[1], 0});
  std::copy_n(v.n.begin(), nodes, values);
}

std::array<double, 2> Element::node_at(int a) const {
  if (nodes == 1) return triangular() ? std::array{1.0 / 3, 1.0 / 3} : std::array{0.5, 0.5};
  const Vec3 p = reference_node(shape, a);
  return {low[0] + p[0] / stretch[0], low[1] + p[1] / stretch[1]};
}

void measure(Element& e) {
  const bool t = e.triangular();
  e.centre = e.at(t ? 1.0 / 3 : 0.5, t ? 1.0 / 3 : 0.5).x;
  if (t) {
    const Vec3 a = e.x[0], b = e.x[1], c = e.x[2];
    const double l0 = distance(a, b), l1 = distance(b, c), l2 = distance(c, a);
    e.length = {std::max(l0, l2), std::max(l1, l2)};
  } else {
    e.length = {distance(e.at(0, 0.5).x, e.at(1, 0.5).x), distance(e.at(0.5, 0).x, e.at(0.5, 1).x)};
  }
  e.size = std::max(e.length[0], e.length[1]);
  const Vec3 n = unit(e.at(t ? 1.0 / 3 : 0.5, t ? 1.0 / 3 : 0.5).area);
  e.flat = true;
  for (int k = 0; k < nodes_of(e.shape); ++k)
    if (std::abs(dot(sub(e.x[static_cast<std::size_t>(k)], e.centre), n)) > 1e-9 * e.size) e.flat = false;
  // Corners 1 and 2 of a triangle, 1 and 3 of a quad span it.
  const Vec3 u = sub(e.x[1], e.x[0]), v = sub(e.x[t ? 2 : 3], e.x[0]);
  bool affine = true;
  for (int k = 0; k < nodes_of(e.shape); ++k) {
    const Vec3 p = reference_node(e.shape, k);
    affine =
        affine && distance(axpy(p[0], u, axpy(p[1], v, e.x[0])), e.x[static_cast<std::size_t>(k)]) < 1e-12 * e.size;
  }
  e.affine = affine;
  e.corner = e.x[0];
  e.along_r = u;
  e.along_s = v;
  e.flat_area = cross(u, v);
}

namespace {

using EdgeKey = std::pair<Index, Index>;

struct EdgeUse {
  std::size_t element;
  int side;
};

/// Edges and their mirror images.
class EdgeImages {
 public:
  EdgeImages(const Mesh& mesh, std::span<const int> axes, const std::map<Index, std::vector<EdgeKey>>& at_point) {
    if (axes.empty()) return;
    std::vector<Index> points;
    std::vector<Vec3> places;
    for (const auto& [point, keys] : at_point) {
      number_[point] = points.size();
      points.push_back(point);
      places.push_back(mesh.point(point));
    }
    unsigned all = 0;
    for (const int axis : axes) all |= 1U << static_cast<unsigned>(axis);
    for (unsigned planes = 1; planes < 8; ++planes) {
      if ((planes & ~all) != 0) continue;
      images_.emplace_back();
      for (const Index k : mirror_images(places, planes, merge_tolerance(mesh)))
        images_.back().push_back(k < 0 ? -1 : points[static_cast<std::size_t>(k)]);
    }
  }
  /// The edge itself and its images; a point without image gives an edge that there is not.
  [[nodiscard]] std::vector<EdgeKey> of(const EdgeKey& key) const {
    std::vector<EdgeKey> out{key};
    for (const std::vector<Index>& image : images_)
      out.emplace_back(std::minmax(image[number_.at(key.first)], image[number_.at(key.second)]));
    return out;
  }

 private:
  std::map<Index, std::size_t> number_;
  std::vector<std::vector<Index>> images_;  ///< of each product of reflections
};

/// Corners of side k: quads (0,1) (1,2) (2,3) (3,0), triangles (0,1) (1,2) (2,0).
std::pair<int, int> side_corners(const Element& e, int side) {
  const int corners = e.triangular() ? 3 : 4;
  return {side, (side + 1) % corners};
}

Vec3 normal_at(const Element& e, double r, double s) {
  return unit(e.at(r, s).area);
}

/// Middle of a side in reference coordinates.
std::array<double, 2> side_middle(const Element& e, int side) {
  if (e.triangular()) return side == 0 ? std::array{0.5, 0.0} : side == 1 ? std::array{0.5, 0.5} : std::array{0.0, 0.5};
  return side == 0   ? std::array{0.5, 0.0}
         : side == 1 ? std::array{1.0, 0.5}
         : side == 2 ? std::array{0.5, 1.0}
                     : std::array{0.0, 0.5};
}

/// Folded, collapsed or strongly warped cells: the Jacobian must keep its direction over the element.
Status check_shape(const Element& e) {
  const Vec3 n = e.at(e.triangular() ? 1.0 / 3 : 0.5, e.triangular() ? 1.0 / 3 : 0.5).area;
  const double scale_ = e.size * e.size;
  if (!(norm(n) > 1e-8 * scale_))
    return make_error(ErrorCode::invalid_input,
                      fmt::format("surface cell {} at ({:.4g}, {:.4g}, {:.4g}) has no area", e.cell, e.centre[0],
                                  e.centre[1], e.centre[2]),
                      "Remove collapsed cells from the mesh.");
  for (int k = 0; k < (e.triangular() ? 3 : 4); ++k) {
    const Vec3 p = reference_node(e.shape, k);
    const Vec3 a = e.at(p[0], p[1]).area;
    if (dot(a, n) < 0.2 * norm(a) * norm(n) || !(norm(a) > 1e-6 * scale_))
      return make_error(
          ErrorCode::invalid_input,
          fmt::format("surface cell {} at ({:.4g}, {:.4g}, {:.4g}) is warped or folded: its normal turns by more than "
                      "78 degrees towards corner {}",
                      e.cell, e.centre[0], e.centre[1], e.centre[2], k + 1),
          "Split the cell into triangles or refine the mesh there.");
  }
  return {};
}

Element element_of(const Mesh& mesh, Index cell, bool turn) {
  Element e;
  e.shape = mesh.shape(cell);
  e.cell = cell;
  e.turned = turn;
  const auto nodes = mesh.nodes(cell);
  const auto order = turned_order(e.shape);
  for (std::size_t k = 0; k < nodes.size(); ++k)
    e.x[k] = mesh.point(nodes[turn ? static_cast<std::size_t>(order[k]) : k]);
  measure(e);
  return e;
}

/// Walls and a bottom that close the open rim of the elements [0, active), `depth` below it.
void close_rim(std::vector<Element>& elements, std::size_t active, const std::map<EdgeKey, std::vector<EdgeUse>>& edges,
               const Vec3& down, double depth) {
  struct Piece {
    Vec3 a, b;
  };
  std::vector<Piece> rim;
  Vec3 middle{};
  for (const auto& [key, uses] : edges) {
    if (uses.size() != 1 || uses[0].element >= active) continue;
    const Element& e = elements[uses[0].element];
    const auto [i, j] = side_corners(e, uses[0].side);
    const Vec3 a = e.x[static_cast<std::size_t>(i)], b = e.x[static_cast<std::size_t>(j)];
    if (order_of(e.shape) == 2) {
      const auto m = side_middle(e, uses[0].side);
      const Vec3 c = e.at(m[0], m[1]).x;
      rim.push_back({a, c});
      rim.push_back({c, b});
    } else {
      rim.push_back({a, b});
    }
  }
  for (const Piece& p : rim) middle = axpy(1 / static_cast<double>(rim.size()), p.a, middle);
  const Vec3 centre = axpy(depth, down, middle), drop = scale(depth, down);
  for (const Piece& p : rim) {
    Element wall, bottom;
    wall.shape = CellShape::quad4;
    wall.x[0] = p.b;
    wall.x[1] = p.a;
    wall.x[2] = add(p.a, drop);
    wall.x[3] = add(p.b, drop);
    bottom.shape = CellShape::triangle3;
    bottom.x[0] = add(p.b, drop);
    bottom.x[1] = add(p.a, drop);
    bottom.x[2] = centre;
    for (Element* e : {&wall, &bottom}) {
      e->enclosing = true;
      e->component = 0;
      measure(*e);
      elements.push_back(*e);
    }
  }
}

/// A mesh on its way to a surface, step by step in the order of the members.
struct SurfaceMaker {
  const Mesh& mesh;
  const SurfaceOptions& options;
  Surface out;
  std::vector<Index> cells, enclosing, both;
  std::vector<Index> components;  ///< of each cell
  // Of each component.
  std::map<Index, bool> turn, is_closed;
  std::map<Index, double> volume;
  std::map<Index, int> number;
  std::map<EdgeKey, std::vector<EdgeUse>> edges;
  std::size_t active = 0;  ///< elements that carry unknowns; enclosing ones come behind them
  std::map<EdgeKey, bool> breaks;
  std::map<Index, std::vector<EdgeKey>> at_point;
  std::vector<std::array<bool, 4>> broken;  ///< sides of each active element
  std::vector<Vec3> places;
  std::vector<std::vector<Touch>> touches;

  SurfaceMaker(const Mesh& m, const SurfaceOptions& o) : mesh(m), options(o) {}
  [[nodiscard]] Status take_cells();
  /// Which way each component faces.
  void face_components();
  [[nodiscard]] Status take_elements();
  /// Edges at which the field breaks.
  void break_edges();
  /// An element that touches a broken point without a broken edge there would keep its node on the break: its own edges at that point
  /// break too, until no such element is left.
  void spread_breaks();
  /// Nodes of an element move in from sides that are broken.
  static void move_in(Element& e, const std::array<bool, 4>& b);
  /// Field nodes: places that coincide are one node.
  void place_nodes();
  /// Neighbours in space become neighbours in memory.
  void order_nodes();
  [[nodiscard]] bool is_planar(Index n, const Vec3& mean, const std::vector<Vec3>& normals) const;
  void add_tractions(Index n, const std::vector<Vec3>& normals);
  [[nodiscard]] Status face_nodes();
  void measure_whole();
  void find_rim();
  /// The kernel fades out towards the rim, so that the missing ground beyond does not reflect waves (O. P. Bruno, M. Lyon,
  /// C. Pérez-Arancibia, C. Turc, SIAM J. Appl. Math. 76 (2016) 1871, for layered media).
  void fade();
  void close_curved_ground();
};

Status SurfaceMaker::take_cells() {
  for (Index c = 0; c < mesh.cell_count(); ++c)
    if (dimension_of(mesh.shape(c)) == 2) (options.condition(c) < 0 ? enclosing : cells).push_back(c);
  if (cells.empty())
    return make_error(ErrorCode::invalid_input, "the mesh has no surface cells",
                      "Mesh the surface with triangles or quads.");
  both = cells;
  both.insert(both.end(), enclosing.begin(), enclosing.end());
  const SurfaceReport report = check_surface(mesh, both);
  if (report.inconsistent_edge_count > 0 || report.non_manifold_edge_count > 0 || report.collapsed_cell_count > 0)
    return make_error(ErrorCode::invalid_input,
                      "the surface has flipped, collapsed or branching cells: " + explain(report, mesh),
                      "Neighbours must run along their edge in opposite directions: `conoid mesh FILE --orient "
                      "--convert OUT.msh` turns cells; "
                      "`conoid mesh FILE` lists edges of three cells.");
  if (options.domain != Domain::ground && report.open_edge_count > 0)
    return make_error(ErrorCode::invalid_input,
                      fmt::format("the {} is not closed: {}", options.domain == Domain::inside ? "body" : "cavity",
                                  explain(report, mesh)),
                      "Close the surface, or set parameters.domain to \"ground\" for an open ground surface.");
  return {};
}

void SurfaceMaker::face_components() {
  components = surface_components(mesh);
  std::map<Index, std::vector<Index>> members;
  for (Index c : both) members[components[static_cast<std::size_t>(c)]].push_back(c);
  for (const auto& [component, list] : members) {
    const SurfaceReport piece = check_surface(mesh, list, 1);
    const bool all_enclosed = std::any_of(list.begin(), list.end(), [&](Index c) { return options.condition(c) < 0; });
    const bool closed = piece.open_edge_count == 0;
    bool reverse = false;
    if (options.domain == Domain::inside) {
      reverse = false;  // decided below: cavities inside a body point into the hollow
    } else if (options.domain == Domain::outside || (closed && !all_enclosed)) {
      reverse = piece.volume > 0;
    } else if (closed) {
      reverse = piece.volume < 0;  // ground and its enclosing cells bound the soil
    } else {
      Vec3 sum{};
      for (Index c : list) {
        const Element e = element_of(mesh, c, false);
        sum = add(sum, e.at(e.triangular() ? 1.0 / 3 : 0.5, e.triangular() ? 1.0 / 3 : 0.5).area);
      }
      reverse = (dot(sum, options.down) > 0) != (options.below && options.below(list.front()));
    }
    turn[component] = reverse;
    is_closed[component] = closed && !all_enclosed;
    volume[component] = piece.volume;
    number.emplace(component, static_cast<int>(number.size()));
  }
  if (options.domain == Domain::inside) {
    Mesh oriented = mesh;
    orient_outward(oriented);
    for (auto& [component, reverse] : turn) {
      const Index first = members[component].front();
      reverse = !std::equal(oriented.nodes(first).begin(), oriented.nodes(first).end(), mesh.nodes(first).begin());
    }
  }
}

Status SurfaceMaker::take_elements() {
  for (const auto& [component, n] : number) {
    static_cast<void>(n);
    out.closed.push_back(is_closed[component]);
    out.hollow.push_back(is_closed[component] && volume[component] * (turn[component] ? -1 : 1) < 0);
  }
  for (Index c : both) {
    const Index component = components[static_cast<std::size_t>(c)];
    Element e = element_of(mesh, c, turn[component]);
    e.component = number[component];
    e.condition = options.condition(c);
    e.enclosing = e.condition < 0;
    if (auto status = check_shape(e); !status) return status.error();
    const auto nodes = mesh.nodes(c);
    const auto order = turned_order(e.shape);
    const auto id = [&](int k) {
      return nodes[e.turned ? static_cast<std::size_t>(order[static_cast<std::size_t>(k)])
                            : static_cast<std::size_t>(k)];
    };
    for (int side = 0; side < (e.triangular() ? 3 : 4); ++side) {
      const auto [i, j] = side_corners(e, side);
      edges[std::minmax(id(i), id(j))].push_back({out.elements.size(), side});
    }
    out.elements.push_back(e);
  }
  active = cells.size();
  out.active = static_cast<Index>(active);
  return {};
}

void SurfaceMaker::break_edges() {
  broken.assign(active, {false, false, false, false});
  if (options.constant) return;
  for (const auto& [key, uses] : edges) {
    bool b = options.discontinuous;
    std::vector<EdgeUse> mine;
    for (const EdgeUse& u : uses)
      if (u.element < active) mine.push_back(u);
    if (mine.empty()) continue;
    if (mine.size() == 1) b = true;
    if (mine.size() == 2 && !b) {
      const Element &p = out.elements[mine[0].element], &q = out.elements[mine[1].element];
      const auto a = side_middle(p, mine[0].side), c = side_middle(q, mine[1].side);
      b = dot(normal_at(p, a[0], a[1]), normal_at(q, c[0], c[1])) < std::cos(options.crease) ||
          (options.seam && options.seam(p.cell) != options.seam(q.cell));
    }
    breaks[key] = b;
    at_point[key.first].push_back(key);
    at_point[key.second].push_back(key);
  }
  spread_breaks();
  for (const auto& [key, b] : breaks)
    if (b)
      for (const EdgeUse& u : edges[key])
        if (u.element < active) broken[u.element][static_cast<std::size_t>(u.side)] = true;
}

void SurfaceMaker::spread_breaks() {
  const EdgeImages images(mesh, options.symmetry, at_point);
  std::map<Index, bool> broken_point;
  std::vector<Index> queue;
  for (const auto& [key, b] : breaks)
    if (b)
      for (Index p : {key.first, key.second})
        if (!broken_point[p]) {
          broken_point[p] = true;
          queue.push_back(p);
        }
  while (!queue.empty()) {
    const Index p = queue.back();
    queue.pop_back();
    std::map<std::size_t, std::vector<EdgeKey>> of_element;
    for (const EdgeKey& key : at_point[p])
      for (const EdgeUse& u : edges[key])
        if (u.element < active) of_element[u.element].push_back(key);
    for (const auto& [element, keys] : of_element) {
      static_cast<void>(element);
      if (std::any_of(keys.begin(), keys.end(), [&](const EdgeKey& k) { return breaks[k]; })) continue;
      for (const EdgeKey& key : keys)
        for (const EdgeKey& k : images.of(key)) {
          if (!breaks.contains(k)) continue;
          breaks[k] = true;
          for (Index q : {k.first, k.second})
            if (!broken_point[q] || q == p) {
              broken_point[q] = true;
              queue.push_back(q);
            }
        }
    }
  }
}

void SurfaceMaker::move_in(Element& e, const std::array<bool, 4>& b) {
  const bool second = order_of(e.shape) == 2;
  if (e.triangular()) {
    const double d = second ? 0.1 : 1.0 / 6;
    const double s0 = b[0] ? d : 0, s1 = b[1] ? d : 0, s2 = b[2] ? d : 0;  // s ≥ s0, 1−r−s ≥ s1, r ≥ s2
    e.low = {s2, s0};
    e.stretch = {1 / (1 - s0 - s1 - s2), 1 / (1 - s0 - s1 - s2)};
  } else {
    const double d = second ? 0.5 * (1 - std::sqrt(0.6)) : 0.5 * (1 - 1 / std::sqrt(3.0));
    e.low = {b[3] ? d : 0, b[0] ? d : 0};
    e.stretch = {1 / (1 - (b[1] ? d : 0) - e.low[0]), 1 / (1 - (b[2] ? d : 0) - e.low[1])};
  }
}

void SurfaceMaker::place_nodes() {
  for (Element& e : out.elements) out.largest_element = std::max(out.largest_element, e.size);
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, Index> found;
  double smallest = 1e300;
  for (std::size_t k = 0; k < active; ++k)
    smallest = std::min({smallest, out.elements[k].length[0], out.elements[k].length[1]});
  const double tolerance = 1e-4 * smallest;
  const auto node_of = [&](const Vec3& x) -> Index {
    const auto q = [&](double v) { return static_cast<std::int64_t>(std::llround(v / tolerance)); };
    const std::int64_t a = q(x[0]), b = q(x[1]), c = q(x[2]);
    for (std::int64_t i = -1; i <= 1; ++i)
      for (std::int64_t j = -1; j <= 1; ++j)
        for (std::int64_t k = -1; k <= 1; ++k)
          if (const auto it = found.find({a + i, b + j, c + k}); it != found.end()) return it->second;
    const Index n = static_cast<Index>(places.size());
    found.emplace(std::tuple{a, b, c}, n);
    places.push_back(x);
    touches.emplace_back();
    return n;
  };
  for (std::size_t k = 0; k < active; ++k) {
    Element& e = out.elements[k];
    e.nodes = options.constant ? 1 : nodes_of(e.shape);
    if (!options.constant) {
      const auto& b = broken[k];
      move_in(e, b);
      if (b[0] || b[1] || b[2] || b[3]) ++out.discontinuous;
    }
    for (int a = 0; a < e.nodes; ++a) {
      const auto p = e.node_at(a);
      const Index n = node_of(e.at(p[0], p[1]).x);
      e.node[static_cast<std::size_t>(a)] = n;
      touches[static_cast<std::size_t>(n)].push_back({static_cast<Index>(k), a});
    }
  }
}

void SurfaceMaker::order_nodes() {
  std::vector<double> flat_places;
  for (const Vec3& p : places) flat_places.insert(flat_places.end(), p.begin(), p.end());
  const std::vector<Index> order = curve_order(flat_places, Curve::hilbert);
  const std::vector<Index> position = inverse(order);
  for (std::size_t k = 0; k < active; ++k)
    for (int a = 0; a < out.elements[k].nodes; ++a) {
      Index& n = out.elements[k].node[static_cast<std::size_t>(a)];
      n = position[static_cast<std::size_t>(n)];
    }
  for (Index o : order) {
    out.nodes.push_back(places[static_cast<std::size_t>(o)]);
    out.touches.push_back(touches[static_cast<std::size_t>(o)]);
  }
}

bool SurfaceMaker::is_planar(Index n, const Vec3& mean, const std::vector<Vec3>& normals) const {
  const auto& list = out.touches[static_cast<std::size_t>(n)];
  bool planar = true;
  for (const Touch& t : list) {
    const Element& e = out.elements[static_cast<std::size_t>(t.element)];
    planar =
        planar && e.flat && std::abs(dot(sub(e.centre, out.nodes[static_cast<std::size_t>(n)]), mean)) < 1e-9 * e.size;
  }
  for (const Vec3& v : normals) planar = planar && dot(v, mean) > 1 - 1e-12;
  return planar;
}

/// A node has a traction of each condition that meets there.
void SurfaceMaker::add_tractions(Index n, const std::vector<Vec3>& normals) {
  const auto& list = out.touches[static_cast<std::size_t>(n)];
  std::map<int, Index> of_condition;
  out.node_tractions.emplace_back();
  for (std::size_t k = 0; k < list.size(); ++k) {
    Element& e = out.elements[static_cast<std::size_t>(list[k].element)];
    const auto [it, fresh] = of_condition.emplace(e.condition, static_cast<Index>(out.traction_node.size()));
    if (fresh) {
      out.traction_node.push_back(n);
      out.traction_normal.push_back(Vec3{});
      out.traction_condition.push_back(e.condition);
      out.node_tractions.back().push_back(it->second);
    }
    e.traction[static_cast<std::size_t>(list[k].local)] = it->second;
    Vec3& v = out.traction_normal[static_cast<std::size_t>(it->second)];
    v = add(v, normals[k]);
  }
}

Status SurfaceMaker::face_nodes() {
  const double cosine = std::cos(options.crease);
  for (Index n = 0; n < out.node_count(); ++n) {
    const auto& list = out.touches[static_cast<std::size_t>(n)];
    Vec3 mean{};
    std::vector<Vec3> normals;
    for (const Touch& t : list) {
      const Element& e = out.elements[static_cast<std::size_t>(t.element)];
      const auto p = e.node_at(t.local);
      normals.push_back(normal_at(e, p[0], p[1]));
      mean = add(mean, normals.back());
    }
    mean = unit(mean);
    out.normals.push_back(mean);
    out.planar.push_back(is_planar(n, mean, normals));
    add_tractions(n, normals);
    if (std::any_of(normals.begin(), normals.end(), [&](const Vec3& v) { return dot(v, mean) < cosine; }))
      return make_error(
          ErrorCode::invalid_input,
          fmt::format("the surface is sharper than the crease angle at ({:.4g}, {:.4g}, {:.4g})",
                      out.nodes[static_cast<std::size_t>(n)][0], out.nodes[static_cast<std::size_t>(n)][1],
                      out.nodes[static_cast<std::size_t>(n)][2]),
          "Refine the mesh there, lower parameters.crease_angle, or use discontinuous elements.");
  }
  for (Vec3& v : out.traction_normal) v = unit(v);
  return {};
}

void SurfaceMaker::measure_whole() {
  Vec3 low = out.nodes[0], high = out.nodes[0];
  Sum sizes;
  for (std::size_t k = 0; k < active; ++k) {
    sizes += out.elements[k].size;
    for (int c = 0; c < nodes_of(out.elements[k].shape); ++c)
      for (std::size_t d = 0; d < 3; ++d) {
        low[d] = std::min(low[d], out.elements[k].x[static_cast<std::size_t>(c)][d]);
        high[d] = std::max(high[d], out.elements[k].x[static_cast<std::size_t>(c)][d]);
      }
  }
  out.element_size = sizes.value() / static_cast<double>(active);
  out.centre = scale(0.5, add(low, high));
  out.diameter = distance(low, high);
}

void SurfaceMaker::find_rim() {
  out.enclosed = !enclosing.empty();
  if (options.domain == Domain::ground)
    for (const auto& [key, uses] : edges)
      if (uses.size() == 1 && uses[0].element < active) {
        const Element& e = out.elements[uses[0].element];
        const auto [i, j] = side_corners(e, uses[0].side);
        const auto m = side_middle(e, uses[0].side);
        out.rim.push_back({e.x[static_cast<std::size_t>(i)], e.at(m[0], m[1]).x, e.x[static_cast<std::size_t>(j)]});
      }
}

void SurfaceMaker::fade() {
  out.window.assign(out.nodes.size(), 1);
  if (options.domain != Domain::ground || !(options.window > 0) || !enclosing.empty()) return;
  std::vector<Vec3> rim;
  for (const auto& [a, c, b] : out.rim)
    for (const Vec3& p : {a, scale(0.5, add(a, c)), c, scale(0.5, add(c, b))}) rim.push_back(p);
  std::vector<double> way(out.nodes.size(), 1e300);
  double longest = 0;
  for (std::size_t n = 0; n < way.size(); ++n) {
    for (const Vec3& p : rim) way[n] = std::min(way[n], distance(out.nodes[n], p));
    longest = std::max(longest, way[n]);
  }
  // Places of forces stand for foundations and loads from outside of them only: it fades out from them to the rim where they reach that far.
  // Interfaces that are planes of their own, and rock, are neither.
  const auto piece_of = [&](std::size_t n) {
    return static_cast<std::size_t>(out.elements[static_cast<std::size_t>(out.touches[n].front().element)].component);
  };
  std::vector<std::vector<Vec3>> loaded(out.closed.size());
  std::vector<char> other(out.closed.size(), 0);
  for (std::size_t t = 0; t < out.traction_node.size(); ++t) {
    const auto n = static_cast<std::size_t>(out.traction_node[t]);
    const Index cell = out.elements[static_cast<std::size_t>(out.touches[n].front().element)].cell;
    if (!options.seam || options.seam(cell) == 0) other[piece_of(n)] = 1;
    if (out.traction_condition[t] != 0) loaded[piece_of(n)].push_back(out.nodes[n]);
  }
  for (std::size_t c = 0; c < loaded.size(); ++c)
    if (other[c] == 0) loaded[c].clear();
  for (std::size_t n = 0; n < way.size(); ++n) {
    double inner = options.window * longest;
    for (const Vec3& p : loaded[piece_of(n)]) inner = std::min(inner, way[n] + distance(out.nodes[n], p));
    const double u = 1 - way[n] / inner;  // 0: inner border, 1: rim
    if (u > 0 && out.planar[n]) out.window[n] = u >= 1 - 1e-9 ? 0 : std::exp(2 * std::exp(-1 / u) / (u - 1));
  }
}

void SurfaceMaker::close_curved_ground() {
  const bool curved_open = options.domain == Domain::ground && enclosing.empty() &&
                           std::any_of(out.planar.begin(), out.planar.end(), [](bool p) { return !p; });
  if (curved_open && options.close) {
    close_rim(out.elements, active, edges, options.down, 0.5 * out.diameter);
    for (std::size_t k = active; k < out.elements.size(); ++k)
      for (std::size_t c = 0; c < out.closed.size(); ++c)
        if (!out.closed[c]) {
          out.elements[k].component = static_cast<int>(c);
          break;
        }
  }
}

}  // namespace

Result<Surface> make_surface(const Mesh& mesh, const SurfaceOptions& options) {
  SurfaceMaker maker(mesh, options);
  if (auto status = maker.take_cells(); !status) return status.error();
  maker.face_components();
  if (auto status = maker.take_elements(); !status) return status.error();
  maker.break_edges();
  maker.place_nodes();
  maker.order_nodes();
  if (auto status = maker.face_nodes(); !status) return status.error();
  maker.measure_whole();
  maker.find_rim();
  maker.fade();
  maker.close_curved_ground();
  return std::move(maker.out);
}

}  // namespace conoid::elastic_bem
