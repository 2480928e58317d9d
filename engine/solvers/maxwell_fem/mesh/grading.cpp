// SPDX-License-Identifier: BSD-3-Clause
// Edges by the angle around them; layers by cutting tetrahedra.
#include "engine/solvers/maxwell_fem/mesh/grading.hpp"

#include "engine/core/vec3.hpp"
#include "engine/solvers/maxwell_fem/discretization/pi.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {

using Edge = std::pair<Index, Index>;  ///< of points, the lower one first

Edge edge_of(Index a, Index b) {
  return {std::min(a, b), std::max(a, b)};
}

enum class Face : std::uint8_t { open, conductor, magnetic };

/// Which faces end the fields.
std::vector<Face> faces_of(const Space& space, const DomainOptions& roles) {
  const Mesh& mesh = space.mesh();
  std::vector<Face> out(static_cast<std::size_t>(space.face_count()), Face::open);
  std::vector<bool> named(out.size(), false);
  const auto one_sided = [&](Index f) { return space.sides(f).tet[1] < 0; };
  for (const auto& [name, boundary] : roles.boundaries)
    for (const MeshGroup& g : mesh.groups()) {
      if (g.name != name || g.dimension != 2) continue;
      for (const Index c : g.cells) {
        const auto n = mesh.nodes(c);
        const Index f = corners_of(mesh.shape(c)) == 3 ? space.find_face({n[0], n[1], n[2]}) : -1;
        if (f < 0) continue;  // make_domain() says so
        named[f] = boundary.kind != BoundaryKind::currents;
        if (boundary.kind == BoundaryKind::pec || (boundary.kind == BoundaryKind::currents && one_sided(f)))
          out[f] = Face::conductor;
        else if (boundary.kind == BoundaryKind::pmc)
          out[f] = Face::magnetic;
      }
    }
  for (Index f = 0; f < space.face_count(); ++f)
    if (roles.ungrouped_is_pec && one_sided(f) && !named[f]) out[f] = Face::conductor;
  return out;
}

/// Of a tetrahedron in the middle of its edge between the local corners p and q, along its faces there: coarse curved elements on a smooth
/// body have corners that bend, and faces that do not.
double dihedral(const Space& space, Index tet, int p, int q) {
  constexpr std::array<Vec3, 4> corner{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const Vec3 middle = scale(0.5, add(corner[p], corner[q]));
  const Map map = space.map(tet, middle);
  const auto leads = [&](const Vec3& way) {
    return add(add(scale(way[0], map.columns[0]), scale(way[1], map.columns[1])), scale(way[2], map.columns[2]));
  };
  const Vec3 along = unit(leads(sub(corner[q], corner[p])));
  std::array<Vec3, 2> across{};
  int n = 0;
  for (int c = 0; c < 4; ++c)
    if (c != p && c != q) {
      const Vec3 v = leads(sub(corner[c], middle));
      across[n++] = axpy(-dot(v, along), along, v);
    }
  return std::acos(std::clamp(dot(across[0], across[1]) / (norm(across[0]) * norm(across[1])), -1.0, 1.0));
}

/// Edges of conductors around which fields fill a wide angle.
class EdgesToGrade {
 public:
  EdgesToGrade(const Space& space, const std::vector<Face>& faces, const GradingOptions& options)
      : space_(space), faces_(faces) {
    for (Index f = 0; f < space.face_count(); ++f)
      if (faces[f] == Face::conductor) {
        const auto& t = space.tets()[space.sides(f).tet[0]];
        const auto& corners = local_faces[space.sides(f).local[0]];
        for (int k = 0; k < 3; ++k)
          around_[edge_of(t.points[corners[k]], t.points[corners[(k + 1) % 3]])].sheet |= space.sides(f).tet[1] >= 0;
      }
    std::vector<bool> on_metal(static_cast<std::size_t>(space.mesh().point_count()), false);
    for (const auto& [edge, at] : around_) on_metal[edge.first] = on_metal[edge.second] = true;
    for (Index t = 0; t < static_cast<Index>(space.tets().size()); ++t)
      for (int e = 0; e < 6; ++e) {
        const auto& p = space.tets()[t].points;
        const Edge edge = edge_of(p[local_edges[e][0]], p[local_edges[e][1]]);
        if (!on_metal[edge.first] || !on_metal[edge.second]) continue;
        if (const auto at = around_.find(edge); at != around_.end()) at->second.tets.emplace_back(t, e);
      }
    bool all_blunt = true;
    for (const auto& [edge, at] : around_)
      if (const double angle = widest(at.tets); angle > (at.sheet ? options.least_at_sheets : options.least_angle)) {
        found.insert(edge);
        all_blunt = all_blunt && !at.sheet && angle <= blunt_edge;
      }
    layers = all_blunt ? (options.layers + 1) / 2 : options.layers;
  }
  std::set<Edge> found;
  int layers = 0;

 private:
  /// The widest angle between conductors; a magnetic wall is a mirror, behind which it goes on.
  double widest(const std::vector<std::pair<Index, int>>& tets) const {
    std::vector<int> part(tets.size());
    for (std::size_t i = 0; i < part.size(); ++i) part[i] = static_cast<int>(i);
    const auto root = [&](int i) {
      while (part[i] != i) i = part[i];
      return i;
    };
    std::map<Index, int> seen;  // tetrahedron of a face
    std::vector<double> angle(tets.size(), 0);
    std::vector<bool> mirrored(tets.size(), false);
    for (std::size_t i = 0; i < tets.size(); ++i) {
      const auto [t, e] = tets[i];
      const auto [p, q] = local_edges[e];
      angle[i] = dihedral(space_, t, p, q);
      for (int f = 0; f < 4; ++f) {
        if (opposite_corner[f] == p || opposite_corner[f] == q) continue;
        const Index face = space_.face_of(t, f);
        if (faces_[face] == Face::magnetic) mirrored[i] = true;
        if (faces_[face] == Face::conductor) continue;
        if (const auto [other, fresh] = seen.try_emplace(face, static_cast<int>(i)); !fresh)
          part[root(static_cast<int>(i))] = root(other->second);
      }
    }
    std::map<int, std::pair<double, bool>> sum;
    for (std::size_t i = 0; i < tets.size(); ++i) {
      auto& [whole, doubled] = sum[root(static_cast<int>(i))];
      whole += angle[i];
      doubled = doubled || mirrored[i];
    }
    double out = 0;
    for (const auto& [number, of] : sum) out = std::max(out, of.second ? 2 * of.first : of.first);
    return out;
  }

  const Space& space_;
  const std::vector<Face>& faces_;
  struct Around {
    std::vector<std::pair<Index, int>> tets;  ///< and their local edges
    bool sheet = false;                       ///< a conductor with elements on both sides is at it
  };
  std::map<Edge, Around> around_;
};

/// A corner with its place in the tetrahedron that is cut: barycentric, so that zeros tell its faces.
struct Corner {
  Index point = -1;
  std::array<double, 4> at{};
};
using Piece = std::array<Corner, 4>;

Corner between(const Corner& a, const Corner& b, double share) {
  Corner out;
  for (int k = 0; k < 4; ++k) out.at[k] = (1 - share) * a.at[k] + share * b.at[k];
  return out;
}

class Cutter {
 public:
  Cutter(const Space& space, std::set<Edge> edges, const GradingOptions& options)
      : space_(space), edges_(std::move(edges)), options_(options), out_(),
        on_edge_(static_cast<std::size_t>(space.mesh().point_count()), false) {
    for (const auto& [a, b] : edges_) on_edge_[a] = on_edge_[b] = true;
    out_.mutable_points() = space.mesh().points();
    quadratic_ = std::any_of(space.mesh().shapes().begin(), space.mesh().shapes().end(),
                             [](CellShape s) { return s == CellShape::tet10; });
  }

  Result<Mesh> run(const Stopped& stopped) {
    take_pieces();
    cut_closed_triangles();
    cut_chords();
    children_.resize(space_.tets().size());
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      if (stopped_at(stopped, static_cast<Index>(p))) return stop_error();
      layers_of(pieces_[p], parent_[p]);
    }
    write_cells();
    std::vector<Index> all(static_cast<std::size_t>(out_.cell_count()));
    std::iota(all.begin(), all.end(), Index{0});
    return out_.extract(all);  // without middles of edges that were cut
  }

 private:
  [[nodiscard]] bool is_on_edge(const Corner& c) const { return on_edge_[c.point]; }
  [[nodiscard]] bool is_edge(const Corner& a, const Corner& b) const {
    return edges_.count(edge_of(a.point, b.point)) > 0;
  }
  [[nodiscard]] bool is_chord(const Corner& a, const Corner& b) const {
    return is_on_edge(a) && is_on_edge(b) && !is_edge(a, b);
  }
  [[nodiscard]] double length(const Edge& e) const { return distance(out_.point(e.first), out_.point(e.second)); }

  /// Where a place in the tetrahedron is.
  [[nodiscard]] Vec3 place(Index tet, const std::array<double, 4>& at) const {
    return space_.map(tet, {at[1], at[2], at[3]}).x;
  }
  /// The point between two others that this number tells from others there, made where it is new.
  Corner point(const Corner& a, const Corner& b, double share, int number, Index tet) {
    Corner out = between(a, b, share);
    const bool turned = a.point > b.point;
    const auto key = std::tuple(std::min(a.point, b.point), std::max(a.point, b.point), turned ? -number : number);
    const auto [known, fresh] = points_.try_emplace(key, 0);
    if (fresh) {
      known->second = out_.add_point(place(tet, out.at));
      on_edge_.resize(static_cast<std::size_t>(out_.point_count()), false);
    }
    out.point = known->second;
    return out;
  }

  void take_pieces() {
    for (Index t = 0; t < static_cast<Index>(space_.tets().size()); ++t) {
      const Tet& tet = space_.tets()[t];
      if (std::none_of(tet.points.begin(), tet.points.begin() + 4, [&](Index p) { return on_edge_[p]; })) continue;
      Piece piece;
      for (int k = 0; k < 4; ++k) {
        piece[k].point = tet.points[k];
        piece[k].at[k] = 1;
      }
      pieces_.push_back(piece);
      parent_.push_back(t);
    }
    touched_.assign(space_.tets().size(), false);
    for (const Index t : parent_) touched_[t] = true;
    if (!quadratic_) return;
    for (const Index t : parent_)
      for (int e = 0; e < 6; ++e)
        if (const Tet& tet = space_.tets()[t]; tet.points[4 + e] >= 0)
          middles_[edge_of(tet.points[local_edges[e][0]], tet.points[local_edges[e][1]])] = tet.points[4 + e];
  }

  /// Cuts a piece in the middle of its edge between two points: one half takes its place, the other one follows at the end.
  void bisect(std::size_t p, const Edge& edge) {
    int a = -1, b = -1;
    for (int k = 0; k < 4; ++k) {
      if (pieces_[p][k].point == edge.first) a = k;
      if (pieces_[p][k].point == edge.second) b = k;
    }
    if (a < 0 || b < 0) return;  // cut away before
    const Corner middle = point(pieces_[p][a], pieces_[p][b], 0.5, 0, parent_[p]);
    Piece other = pieces_[p];
    other[a] = middle;
    pieces_[p][b] = middle;
    pieces_.push_back(other);
    parent_.push_back(parent_[p]);
  }

  /// Where three edges that are graded close a triangle (a plate of one) the longest is cut, so that no more than two corners of a piece lie
  /// on one of them.
  void cut_closed_triangles() {
    for (;;) {
      std::set<std::pair<double, Edge>> longest;
      for (const Piece& p : pieces_)
        for (const auto& f : local_faces)
          if (is_edge(p[f[0]], p[f[1]]) && is_edge(p[f[1]], p[f[2]]) && is_edge(p[f[0]], p[f[2]]))
            for (int k = 0; k < 3; ++k) {
              const Edge e = edge_of(p[f[k]].point, p[f[(k + 1) % 3]].point);
              longest.emplace(length(e), e);
            }
      if (longest.empty()) return;
      const Edge cut = longest.rbegin()->second;
      const std::size_t count = pieces_.size();
      for (std::size_t p = 0; p < count; ++p) bisect(p, cut);
      const Index middle = points_.at({cut.first, cut.second, 0});
      on_edge_[middle] = true;
      edges_.erase(cut);
      edges_.insert(edge_of(cut.first, middle));
      edges_.insert(edge_of(cut.second, middle));
    }
  }

  /// Edges between two points of edges that are none themselves are cut, longest first everywhere, so that neighbours agree.
  void cut_chords() {
    std::map<Edge, std::vector<std::size_t>> holders;
    const auto note = [&](std::size_t p) {
      for (const auto& [a, b] : local_edges)
        if (is_chord(pieces_[p][a], pieces_[p][b]))
          holders[edge_of(pieces_[p][a].point, pieces_[p][b].point)].push_back(p);
    };
    for (std::size_t p = 0; p < pieces_.size(); ++p) note(p);
    std::vector<std::pair<double, Edge>> order;
    order.reserve(holders.size());
    for (const auto& [edge, of] : holders) order.emplace_back(-length(edge), edge);
    std::sort(order.begin(), order.end());
    for (const auto& [minus_length, edge] : order) {
      const std::vector<std::size_t> now = holders[edge];
      for (const std::size_t p : now) {
        const std::size_t before = pieces_.size();
        bisect(p, edge);
        if (pieces_.size() == before) continue;
        note(before);  // the first half was noted already
      }
    }
  }

  using Polygon = std::vector<Corner>;

  /// A convex piece with flat faces becomes tetrahedra from its point with the lowest number, faces likewise, so that neighbours agree.
  void fill(const std::vector<Polygon>& faces, Index tet) {
    Corner apex = faces[0][0];
    for (const Polygon& f : faces)
      for (const Corner& c : f)
        if (c.point < apex.point) apex = c;
    for (const Polygon& face : faces) {
      if (std::any_of(face.begin(), face.end(), [&](const Corner& c) { return c.point == apex.point; })) continue;
      const auto n = face.size();
      const auto first = static_cast<std::size_t>(
          std::min_element(face.begin(), face.end(),
                           [](const Corner& a, const Corner& b) { return a.point < b.point; }) -
          face.begin());
      for (std::size_t k = 1; k + 1 < n; ++k)
        emit({apex, face[first], face[(first + k) % n], face[(first + k + 1) % n]}, tet);
    }
  }
  void fill_prism(const std::array<Corner, 3>& a, const std::array<Corner, 3>& b, Index tet) {
    fill({{a[0], a[1], a[2]},
          {b[0], b[1], b[2]},
          {a[0], a[1], b[1], b[0]},
          {a[1], a[2], b[2], b[1]},
          {a[2], a[0], b[0], b[2]}},
         tet);
  }

  void layers_of(const Piece& piece, Index tet) {
    std::vector<Corner> on, off;
    for (const Corner& c : piece) (is_on_edge(c) ? on : off).push_back(c);
    if (on.empty())
      emit(piece, tet);
    else if (on.size() == 1)
      layers_at_point(on[0], off, tet);
    else
      layers_at_edge(on, off, tet);
  }
  [[nodiscard]] double share(int layer) const { return std::pow(1 - layer / (options_.layers + 1.0), options_.power); }
  void layers_at_point(const Corner& on, const std::vector<Corner>& off, Index tet) {
    std::array<Corner, 3> outer{off[0], off[1], off[2]};
    for (int l = 1; l <= options_.layers; ++l) {
      std::array<Corner, 3> inner;
      for (int k = 0; k < 3; ++k) inner[k] = point(on, off[k], share(l), l, tet);
      fill_prism(inner, outer, tet);
      outer = inner;
    }
    emit({on, outer[0], outer[1], outer[2]}, tet);
  }
  void layers_at_edge(const std::vector<Corner>& on, const std::vector<Corner>& off, Index tet) {
    // [end of the edge][corner beside it]
    std::array<std::array<Corner, 2>, 2> outer{{{off[0], off[1]}, {off[0], off[1]}}};
    for (int l = 1; l <= options_.layers; ++l) {
      std::array<std::array<Corner, 2>, 2> inner;
      for (int e = 0; e < 2; ++e)
        for (int k = 0; k < 2; ++k) inner[e][k] = point(on[e], off[k], share(l), l, tet);
      if (l == 1)
        fill_prism({off[0], inner[0][0], inner[1][0]}, {off[1], inner[0][1], inner[1][1]}, tet);
      else
        fill({{inner[0][0], inner[0][1], outer[0][1], outer[0][0]},
              {inner[1][0], inner[1][1], outer[1][1], outer[1][0]},
              {inner[0][0], inner[1][0], outer[1][0], outer[0][0]},
              {inner[0][1], inner[1][1], outer[1][1], outer[0][1]},
              {inner[0][0], inner[0][1], inner[1][1], inner[1][0]},
              {outer[0][0], outer[0][1], outer[1][1], outer[1][0]}},
             tet);
      outer = inner;
    }
    fill_prism({on[0], outer[0][0], outer[0][1]}, {on[1], outer[1][0], outer[1][1]}, tet);
  }

  void emit(Piece piece, Index tet) {
    const auto at = [&](int k) { return out_.point(piece[k].point); };
    if (triple(sub(at(1), at(0)), sub(at(2), at(0)), sub(at(3), at(0))) < 0) std::swap(piece[2], piece[3]);
    for (int e = 0; e < 6 && quadratic_; ++e) {
      const Corner &a = piece[local_edges[e][0]], &b = piece[local_edges[e][1]];
      const auto [known, fresh] = middles_.try_emplace(edge_of(a.point, b.point), 0);
      if (fresh) known->second = out_.add_point(place(tet, between(a, b, 0.5).at));
    }
    on_edge_.resize(static_cast<std::size_t>(out_.point_count()), false);
    children_[tet].push_back({piece[0].point, piece[1].point, piece[2].point, piece[3].point});
    for (int face = 0; face < 4; ++face)  // of the piece, on one of the tetrahedron
      for (int corner = 0; corner < 4; ++corner) {
        const auto& f = local_faces[face];
        if (piece[f[0]].at[corner] != 0 || piece[f[1]].at[corner] != 0 || piece[f[2]].at[corner] != 0) continue;
        const Index whole = space_.face_of(tet, 3 - corner);
        if (space_.sides(whole).tet[0] == tet)
          parts_[whole].push_back({piece[f[0]].point, piece[f[1]].point, piece[f[2]].point});
      }
  }

  [[nodiscard]] Index middle(Index a, Index b) const { return middles_.at(edge_of(a, b)); }

  void write_tet(const std::array<Index, 4>& c, std::vector<Index>& cells) {
    if (quadratic_)
      cells.push_back(out_.add_cell(CellShape::tet10,
                                    {c[0], c[1], c[2], c[3], middle(c[0], c[1]), middle(c[1], c[2]), middle(c[0], c[2]),
                                     middle(c[0], c[3]), middle(c[1], c[3]), middle(c[2], c[3])}));
    else
      cells.push_back(out_.add_cell(CellShape::tet4, c));
  }
  /// With the side of the triangle that it is a part of.
  void write_triangle(std::array<Index, 3> c, const Vec3& normal, std::vector<Index>& cells) {
    const Vec3 own = cross(sub(out_.point(c[1]), out_.point(c[0])), sub(out_.point(c[2]), out_.point(c[0])));
    if (dot(own, normal) < 0) std::swap(c[1], c[2]);
    if (quadratic_)
      cells.push_back(out_.add_cell(CellShape::triangle6,
                                    {c[0], c[1], c[2], middle(c[0], c[1]), middle(c[1], c[2]), middle(c[2], c[0])}));
    else
      cells.push_back(out_.add_cell(CellShape::triangle3, c));
  }

  void write_cells() {
    const Mesh& mesh = space_.mesh();
    std::vector<Index> tet_of(static_cast<std::size_t>(mesh.cell_count()), -1);
    for (Index t = 0; t < static_cast<Index>(space_.tets().size()); ++t) tet_of[space_.tets()[t].cell] = t;
    std::vector<std::vector<Index>> become(static_cast<std::size_t>(mesh.cell_count()));
    for (Index c = 0; c < mesh.cell_count(); ++c) {
      const auto n = mesh.nodes(c);
      if (const Index t = tet_of[c]; t >= 0 && touched_[t]) {
        for (const auto& corners : children_[t]) write_tet(corners, become[c]);
      } else if (const Index f = dimension_of(mesh.shape(c)) == 2 ? space_.find_face({n[0], n[1], n[2]}) : -1;
                 f >= 0 && parts_.count(f) > 0) {
        const Vec3 a = mesh.point(n[0]), normal = cross(sub(mesh.point(n[1]), a), sub(mesh.point(n[2]), a));
        for (const auto& corners : parts_.at(f)) write_triangle(corners, normal, become[c]);
      } else if (dimension_of(mesh.shape(c)) >= 2) {
        become[c].push_back(out_.add_cell(mesh.shape(c), n));
      }
    }
    for (const MeshGroup& g : mesh.groups()) {
      if (g.dimension < 2) continue;
      MeshGroup& to = out_.add_group(g.name, g.dimension, g.tag);
      for (const Index c : g.cells) to.cells.insert(to.cells.end(), become[c].begin(), become[c].end());
      std::sort(to.cells.begin(), to.cells.end());
    }
  }

  const Space& space_;
  std::set<Edge> edges_;
  GradingOptions options_;
  Mesh out_;
  bool quadratic_ = false;
  std::vector<bool> on_edge_;  ///< of points
  std::vector<Piece> pieces_;
  std::vector<Index> parent_;  ///< tetrahedron of each piece
  std::vector<bool> touched_;
  std::map<std::tuple<Index, Index, int>, Index> points_;
  std::map<Edge, Index> middles_;
  std::vector<std::vector<std::array<Index, 4>>> children_;   ///< of each tetrahedron
  std::map<Index, std::vector<std::array<Index, 3>>> parts_;  ///< of faces
};

}  // namespace

Result<EdgesFound> find_edges(const Mesh& mesh, const DomainOptions& roles, const GradingOptions& options,
                              const Stopped& stopped) {
  EdgesFound out;
  if (options.layers < 1 || mesh.dimension() < 3) return out;
  const bool any =
      roles.ungrouped_is_pec || std::any_of(roles.boundaries.begin(), roles.boundaries.end(),
                                            [](const auto& b) { return b.second.kind == BoundaryKind::pec; });
  if (!any) return out;
  auto space = Space::make(mesh, 1, stopped);
  if (!space) return space.error();
  const std::vector<Face> faces = faces_of(*space, roles);
  const EdgesToGrade edges(*space, faces, options);
  out.count = static_cast<Index>(edges.found.size());
  out.layers = edges.layers;
  std::vector<bool> on_edge(static_cast<std::size_t>(mesh.point_count()), false);
  for (const auto& [a, b] : edges.found) {
    on_edge[a] = on_edge[b] = true;
    out.longest = std::max(out.longest, distance(mesh.point(a), mesh.point(b)));
  }
  for (const Tet& t : space->tets()) {
    int on = 0, along = 0;
    for (int k = 0; k < 4; ++k) on += on_edge[t.points[k]];
    for (const auto& [a, b] : local_edges) along += edges.found.count(edge_of(t.points[a], t.points[b])) > 0;
    if (on == 0) continue;
    // Each chord makes one piece more; those that keep an edge, and those with a point of one.
    const int pieces = 1 + on * (on - 1) / 2 - along, at_edges = std::min(pieces, on == 4 ? 2 * along : along);
    out.added_tets += pieces - 1 + at_edges * (6.0 * out.layers - 1) + (pieces - at_edges) * 3.0 * out.layers;
  }
  return out;
}

EdgesFound edges_of_surface(const Mesh& surface, const std::vector<bool>& conductor, bool filled,
                            const GradingOptions& options) {
  EdgesFound out;
  if (options.layers < 1) return out;
  const auto at = [&](Index p) { return surface.point(p); };
  double volume = 0;
  struct Side {
    Vec3 normal, inwards;  ///< in the middle of the edge: of the face, and along it from the edge
    bool conductor;
  };
  std::map<Edge, std::vector<Side>> sides;
  for (Index c = 0; c < surface.cell_count(); ++c) {
    const auto n = surface.nodes(c);
    const int corners = dimension_of(surface.shape(c)) == 2 ? corners_of(surface.shape(c)) : 0;
    for (int k = 2; k < corners; ++k) volume += triple(at(n[0]), at(n[k - 1]), at(n[k]));
    for (int k = 0; k < corners; ++k) {
      const int next = (k + 1) % corners, beyond = (k + 2) % corners;
      const Vec3 a = at(n[k]), b = at(n[next]), half = scale(0.5, add(a, b));
      Vec3 inwards = sub(at(n[beyond]), half);
      if (surface.shape(c) == CellShape::triangle6)  // derivative of the quadratic map there
        inwards = sub(scale(2, sub(add(at(n[3 + next]), at(n[3 + beyond])), at(n[3 + k]))), add(half, at(n[beyond])));
      sides[edge_of(n[k], n[next])].push_back({unit(cross(sub(b, a), inwards)), inwards, conductor[c]});
    }
  }
  bool all_blunt = !filled;
  for (const auto& [edge, of] : sides) {
    const auto metal = std::count_if(of.begin(), of.end(), [](const Side& s) { return s.conductor; });
    if (metal == 0) continue;
    double angle = 2 * pi;  // a rim
    if (of.size() == 2 && metal == 2) {
      const double bend = std::acos(std::clamp(dot(of[0].normal, of[1].normal), -1.0, 1.0)),
                   outwards = dot(of[0].normal, of[1].inwards) * (volume < 0 ? -1 : 1);
      angle = outwards < 0 || filled ? pi + bend : pi - bend;
    } else if (!filled) {
      continue;
    }
    if (!(angle > (filled ? options.least_at_sheets : options.least_angle))) continue;
    ++out.count;
    out.of_surface.push_back(edge);
    out.longest = std::max(out.longest, distance(at(edge.first), at(edge.second)));
    all_blunt = all_blunt && angle <= blunt_edge;
  }
  out.layers = all_blunt ? (options.layers + 1) / 2 : options.layers;
  return out;
}

Result<Mesh> graded(const Mesh& mesh, const DomainOptions& roles, const GradingOptions& options,
                    const Stopped& stopped) {
  if (options.layers < 1) return mesh;
  auto space = Space::make(mesh, 1, stopped);
  if (!space) return space.error();
  const std::vector<Face> faces = faces_of(*space, roles);
  EdgesToGrade edges(*space, faces, options);
  if (edges.found.empty()) return mesh;
  GradingOptions here = options;
  here.layers = edges.layers;
  return Cutter(*space, std::move(edges.found), here).run(stopped);
}

}  // namespace conoid::maxwell_fem
