// SPDX-License-Identifier: BSD-3-Clause
// Regions by their edges, groups by sorted corners, the surface meshed again by gmsh.
#include "engine/mesh/edit.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <numbers>
#include <tuple>
#include <utility>

#include <fmt/core.h>
#include <unistd.h>

#include "engine/core/atomic_file.hpp"
#include "engine/core/resources.hpp"
#include "engine/core/vec3.hpp"
#include "engine/mesh/curvature.hpp"
#include "engine/mesh/gmsh.hpp"
#include "engine/mesh/quality.hpp"
#include "engine/mesh/surface.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/mesh/writers/write_mesh.hpp"

namespace conoid {
namespace {

namespace fs = std::filesystem;

constexpr double sharp_edge = 40;    // degrees: an edge of the body
constexpr double told_reach = 0.01;  // of the longest side: what a body may lose of its tips without a word

std::vector<Index> cells_of_dimension(const Mesh& mesh, int dimension) {
  std::vector<Index> out;
  for (Index c = 0; c < mesh.cell_count(); ++c)
    if (dimension_of(mesh.shape(c)) == dimension) out.push_back(c);
  return out;
}

/// The corners in a row, so that the same face is found whichever way round it is.
std::array<Index, 4> outer_key(const Mesh& mesh, Index cell) {
  std::array<Index, 4> key{-1, -1, -1, -1};
  const auto corners = static_cast<std::size_t>(corners_of(mesh.shape(cell)));
  for (std::size_t i = 0; i < corners; ++i) key[i] = mesh.nodes(cell)[i];
  std::sort(key.begin(), key.end());
  return key;
}

/// Square of the distance from p to the triangle a b c (C. Ericson, Real-Time Collision Detection, 2005, section 5.1.5).
double square_apart(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = vec::sub(b, a), ac = vec::sub(c, a), ap = vec::sub(p, a), bp = vec::sub(p, b), cp = vec::sub(p, c);
  const auto to = [&](const Vec3& q) { return vec::dot(vec::sub(p, q), vec::sub(p, q)); };
  const double d1 = vec::dot(ab, ap), d2 = vec::dot(ac, ap), d3 = vec::dot(ab, bp), d4 = vec::dot(ac, bp);
  const double d5 = vec::dot(ab, cp), d6 = vec::dot(ac, cp);
  if (d1 <= 0 && d2 <= 0) return to(a);
  if (d3 >= 0 && d4 <= d3) return to(b);
  if (d6 >= 0 && d5 <= d6) return to(c);
  const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return to(vec::axpy(d1 / (d1 - d3), ab, a));
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return to(vec::axpy(d2 / (d2 - d6), ac, a));
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) return to(vec::axpy((d4 - d3) / (d4 - d3 + d5 - d6), vec::sub(c, b), b));
  const double sum = va + vb + vc;
  if (!(sum > 0)) return to(a);  // no area: its corners are near enough to each other
  return to(vec::axpy(vb / sum, ab, vec::axpy(vc / sum, ac, a)));
}

double square_apart(const Mesh& mesh, Index cell, const Vec3& p) {
  const auto n = mesh.nodes(cell);
  const double first = square_apart(p, mesh.point(n[0]), mesh.point(n[1]), mesh.point(n[2]));
  return corners_of(mesh.shape(cell)) < 4
             ? first
             : std::min(first, square_apart(p, mesh.point(n[0]), mesh.point(n[2]), mesh.point(n[3])));
}

/// Surface cells in a lattice of boxes, each in all the boxes that its own bounds meet: the nearest one to many places.
class Nearest {
 public:
  explicit Nearest(const Mesh& mesh) : mesh_(mesh), cells_(cells_of_dimension(mesh, 2)) {
    const auto [low, high] = mesh.bounds();
    low_ = low;
    double longest = 0;
    for (std::size_t k = 0; k < 3; ++k) longest = std::max(longest, high[k] - low[k]);
    // About one cell a box of the surface, whatever its shape.
    const double across = std::clamp(std::sqrt(static_cast<double>(cells_.size()) / 4), 1.0, 128.0);
    width_ = longest > 0 ? longest / across : 1;
    for (std::size_t k = 0; k < 3; ++k) boxes_[k] = static_cast<Index>((high[k] - low[k]) / width_) + 1;
    lists_.resize(static_cast<std::size_t>(boxes_[0] * boxes_[1] * boxes_[2]));
    for (const Index c : cells_) {
      std::array<Index, 3> from{}, to{};
      const auto n = mesh.nodes(c);
      for (std::size_t k = 0; k < 3; ++k) {
        double least = std::numeric_limits<double>::infinity(), most = -least;
        for (std::size_t i = 0; i < static_cast<std::size_t>(corners_of(mesh.shape(c))); ++i) {
          least = std::min(least, mesh.point(n[i])[k]);
          most = std::max(most, mesh.point(n[i])[k]);
        }
        from[k] = box(least, k);
        to[k] = box(most, k);
      }
      for (Index z = from[2]; z <= to[2]; ++z)
        for (Index y = from[1]; y <= to[1]; ++y)
          for (Index x = from[0]; x <= to[0]; ++x) list(x, y, z).push_back(c);
    }
  }

  [[nodiscard]] Index to(const Vec3& p) {
    Index best = -1;
    double least = std::numeric_limits<double>::infinity();
    const std::array<Index, 3> at{box(p[0], 0), box(p[1], 1), box(p[2], 2)};
    const Index rings = std::max({boxes_[0], boxes_[1], boxes_[2]});
    // How far outside the lattice the place lies, so that rings count from where it begins.
    double outside = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double high = low_[k] + static_cast<double>(boxes_[k]) * width_;
      outside = std::max({outside, low_[k] - p[k], p[k] - high});
    }
    for (Index r = 0; r <= rings; ++r) {
      // All of ring r is at least r − 1 whole boxes away.
      const double near = std::max(outside, static_cast<double>(r - 1) * width_);
      if (best >= 0 && near > 0 && near * near > least) break;
      for (Index z = std::max<Index>(0, at[2] - r); z <= std::min(boxes_[2] - 1, at[2] + r); ++z)
        for (Index y = std::max<Index>(0, at[1] - r); y <= std::min(boxes_[1] - 1, at[1] + r); ++y)
          for (Index x = std::max<Index>(0, at[0] - r); x <= std::min(boxes_[0] - 1, at[0] + r); ++x) {
            if (std::max({std::abs(x - at[0]), std::abs(y - at[1]), std::abs(z - at[2])}) != r) continue;
            for (const Index c : list(x, y, z))
              if (const double d = square_apart(mesh_, c, p); d < least) {
                least = d;
                best = c;
              }
          }
    }
    return best;
  }

 private:
  [[nodiscard]] Index box(double x, std::size_t k) const {
    return std::clamp<Index>(static_cast<Index>((x - low_[k]) / width_), 0, boxes_[k] - 1);
  }
  std::vector<Index>& list(Index x, Index y, Index z) {
    return lists_[static_cast<std::size_t>(x + boxes_[0] * (y + boxes_[1] * z))];
  }

  const Mesh& mesh_;
  std::vector<Index> cells_;
  Vec3 low_{};
  double width_ = 1;
  std::array<Index, 3> boxes_{1, 1, 1};
  std::vector<std::vector<Index>> lists_;
};

/// The names of the groups of one dimension that hold each cell.
std::map<Index, std::vector<std::size_t>> groups_by_cell(const Mesh& mesh, int dimension) {
  std::map<Index, std::vector<std::size_t>> out;
  for (std::size_t g = 0; g < mesh.groups().size(); ++g)
    if (mesh.groups()[g].dimension == dimension)
      for (const Index c : mesh.groups()[g].cells) out[c].push_back(g);
  return out;
}

/// A folder that goes away with what is in it.
class OwnFolder {
 public:
  OwnFolder() {
    static std::atomic<unsigned> counter{0};
    std::error_code ignored;
    path_ = temporary_folder() / fmt::format("conoid-remesh-{}-{}", ::getpid(), counter++);
    fs::create_directory(path_, ignored);
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  ~OwnFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Sizes of elements over the triangles of a surface, as a view of gmsh: `size`, down to `finest` where the surface is curved.
Status write_sizes(const Mesh& faces, double size, double finest, const fs::path& file) {
  // At a rim the more curved of its sides counts: places on it are found in either.
  std::vector<double> curvature(static_cast<std::size_t>(faces.point_count()), 0);
  const auto corners = corner_curvatures(faces, sharp_edge);
  for (Index c = 0; c < faces.cell_count(); ++c)
    for (std::size_t i = 0; i < 3 && faces.shape(c) == CellShape::triangle3; ++i) {
      double& here = curvature[static_cast<std::size_t>(faces.nodes(c)[i])];
      here = std::max(here, corners[static_cast<std::size_t>(c)][i]);
    }
  std::string out = "View \"size\" {\n";
  for (const Index c : cells_of_dimension(faces, 2)) {
    if (faces.shape(c) != CellShape::triangle3) continue;
    std::array<double, 3> here{};
    for (std::size_t i = 0; i < 3; ++i) {
      const double turn = curvature[static_cast<std::size_t>(faces.nodes(c)[i])] * elements_a_turn;
      here[i] = turn > 0 ? std::clamp(2 * std::numbers::pi / turn, finest, size) : size;
    }
    const auto n = faces.nodes(c);
    const Vec3 p = faces.point(n[0]), q = faces.point(n[1]), r = faces.point(n[2]);
    out += fmt::format(
        "ST({:.12g},{:.12g},{:.12g},{:.12g},{:.12g},{:.12g},{:.12g},{:.12g},{:.12g}){{{:.4g},{:.4g},{:.4g}}};\n", p[0],
        p[1], p[2], q[0], q[1], q[2], r[0], r[1], r[2], here[0], here[1], here[2]);
  }
  return write_file_atomically(file, out + "};\n");
}

/// What gmsh makes of a surface cut at its sharp edges: triangles, or what they enclose. (Its own sizes by curvature take minutes for
/// surfaces of many facets, and refine at the edges of flat sides.)
Result<Mesh> made_anew(const Mesh& faces, int dimension, double size, double finest, const std::stop_token& stop) {
  const OwnFolder folder;
  if (const Status written = write_mesh(faces, folder.path() / "surface.msh"); !written) return written.error();
  if (const Status written = write_sizes(faces, size, finest, folder.path() / "sizes.pos"); !written)
    return written.error();
  std::string script = fmt::format(
      "Merge \"surface.msh\";\nClassifySurfaces{{{0} * Pi / 180, 1, 1, {0} * Pi / 180}};\nCreateGeometry;\n"
      "Merge \"sizes.pos\";\nBackground Mesh View[0];\nMesh.MeshSizeExtendFromBoundary = 0;\n"
      "Mesh.MeshSizeFromPoints = 0;\nMesh.MeshSizeMin = {1};\nMesh.MeshSizeMax = {2};\n",
      sharp_edge, finest, size);
  if (dimension == 3) script += "Surface Loop(1) = Surface{:};\nVolume(1) = {1};\n";
  const fs::path geometry = folder.path() / "again.geo";
  if (const Status written = write_file_atomically(geometry, script); !written) return written.error();
  GmshOptions options;
  options.dimension = dimension;
  options.script = ScriptUse::own;
  return load_mesh(geometry, {}, options, stop);
}

/// Whether no cells of a surface cut each other, and none meet three to an edge.
bool is_sound(const Mesh& faces) {
  const SurfaceReport report = check_surface(faces, 1);
  return report.manifold() && report.collapsed_cell_count == 0 && self_intersections(faces, 1).empty();
}

/// The triangles without those beyond an edge at which a tip is pinched off (two go around where it is thinner than they are long).
Mesh without_pinched_tips(const Mesh& mesh) {
  const Mesh faces = mesh.extract(2);
  if (check_surface(faces, 1).manifold()) return faces;
  constexpr double flat_angle = 180, most = 0.01;  // of the area: what is no tip stays, and is told
  const std::vector<Index> parts = smooth_regions(faces, flat_angle);
  std::map<Index, double> areas;
  for (Index c = 0; c < faces.cell_count(); ++c)
    areas[parts[static_cast<std::size_t>(c)]] += vec::norm(cell_surface(faces, c).area_vector);
  const double least = most * total_area(faces);
  std::vector<Index> kept;
  for (Index c = 0; c < faces.cell_count(); ++c)
    if (areas[parts[static_cast<std::size_t>(c)]] > least) kept.push_back(c);
  return faces.extract(kept);
}

/// By how much less a surface made anew reaches than the old one, of the longest side.
double lost_reach(const Mesh& made, const Mesh& faces) {
  const auto [low, high] = faces.bounds();
  const auto [new_low, new_high] = made.bounds();
  double longest = 0, off = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    longest = std::max(longest, high[k] - low[k]);
    off = std::max({off, new_low[k] - low[k], high[k] - new_high[k]});
  }
  return longest > 0 ? off / longest : 0;
}

/// The elements, with shorter ones where those at first lose a tip, or cut through each other at slender parts.
Result<Mesh> made_soundly(const Mesh& faces, int dimension, double size, const std::stop_token& stop) {
  const bool sound = is_sound(faces);
  Result<Mesh> made = Mesh();
  for (const double finest : {1.0, 0.4, 0.15}) {
    made = made_anew(faces, dimension, size, finest * size / elements_of_finest, stop);
    if (!made) return made;
    if (dimension == 2) made = without_pinched_tips(*made);
    const Mesh outside = dimension == 2 ? Mesh() : outer_faces(*made);
    const Mesh& skin = dimension == 2 ? *made : outside;
    if (!sound || (is_sound(skin) && lost_reach(skin, faces) < told_reach)) break;
  }
  return made;
}

}  // namespace

Mesh outer_faces(const Mesh& mesh) {
  return mesh.dimension() == 3 ? boundary_surface(mesh) : mesh.extract(2);
}

Index nearest_face(const Mesh& faces, const Vec3& place) {
  Index best = -1;
  double least = std::numeric_limits<double>::infinity();
  for (const Index c : cells_of_dimension(faces, 2))
    if (const double d = square_apart(faces, c, place); d < least) {
      least = d;
      best = c;
    }
  return best;
}

std::vector<Index> smooth_region(const Mesh& faces, Index cell, double angle) {
  if (cell < 0 || cell >= faces.cell_count() || dimension_of(faces.shape(cell)) != 2) return {};
  const std::vector<Index> regions = smooth_regions(faces, angle);
  std::vector<Index> out;
  for (Index c = 0; c < faces.cell_count(); ++c)
    if (regions[static_cast<std::size_t>(c)] == regions[static_cast<std::size_t>(cell)]) out.push_back(c);
  return out;
}

std::vector<Index> smooth_regions(const Mesh& faces, double angle) {
  // Every side of every cell, those of the same edge beside each other; `up`: the cell runs along it from the lower number on.
  struct Side {
    Index low, high, cell;
    bool up;
    [[nodiscard]] bool same_edge(const Side& o) const { return low == o.low && high == o.high; }
  };
  std::vector<Side> sides;
  std::vector<std::size_t> first(static_cast<std::size_t>(faces.cell_count()) + 1, 0);  // of each cell in `partner`
  for (Index c = 0; c < faces.cell_count(); ++c) {
    const auto corners = dimension_of(faces.shape(c)) == 2 ? static_cast<std::size_t>(corners_of(faces.shape(c))) : 0;
    const auto n = faces.nodes(c);
    for (std::size_t i = 0; i < corners; ++i) {
      const Index from = n[i], to = n[(i + 1) % corners];
      sides.push_back({std::min(from, to), std::max(from, to), c, from < to});
    }
    first[static_cast<std::size_t>(c) + 1] = sides.size();
  }
  std::sort(sides.begin(), sides.end(), [](const Side& x, const Side& y) {
    return std::tie(x.low, x.high, x.cell) < std::tie(y.low, y.high, y.cell);
  });
  // Neighbours over edges of exactly two cells; turned: they run along their edge the same way, so their normals are opposite.
  struct Neighbour {
    Index cell;
    bool turned;
  };
  std::vector<Neighbour> partner(sides.size());
  std::vector<unsigned char> count(static_cast<std::size_t>(faces.cell_count()), 0);
  for (std::size_t i = 0; i < sides.size();) {
    std::size_t end = i + 1;
    while (end < sides.size() && sides[end].same_edge(sides[i])) ++end;
    if (end == i + 2)
      for (const auto& [one, other] : {std::pair{sides[i], sides[i + 1]}, {sides[i + 1], sides[i]}}) {
        const auto c = static_cast<std::size_t>(one.cell);
        partner[first[c] + count[c]++] = {other.cell, one.up == other.up};
      }
    i = end;
  }
  const auto normal = [&](Index c) { return vec::unit(cell_surface(faces, c).area_vector); };
  const double least = std::cos(angle * 3.14159265358979323846 / 180);
  std::vector<Index> region(static_cast<std::size_t>(faces.cell_count()), -1), reached;
  Index number = 0;
  for (Index cell = 0; cell < faces.cell_count(); ++cell) {
    if (region[static_cast<std::size_t>(cell)] >= 0 || dimension_of(faces.shape(cell)) != 2) continue;
    reached.assign(1, cell);
    region[static_cast<std::size_t>(cell)] = number;
    while (!reached.empty()) {
      const Index at = reached.back();
      reached.pop_back();
      const auto c = static_cast<std::size_t>(at);
      const Vec3 own = normal(at);
      for (std::size_t k = first[c]; k < first[c] + count[c]; ++k) {
        const auto [other, turned] = partner[k];
        if (region[static_cast<std::size_t>(other)] >= 0 || (turned ? -1 : 1) * vec::dot(own, normal(other)) < least)
          continue;
        region[static_cast<std::size_t>(other)] = number;
        reached.push_back(other);
      }
    }
    ++number;
  }
  return region;
}

Result<Mesh> with_group(const Mesh& mesh, std::span<const Index> faces, const std::string& name) {
  if (name.empty()) return make_error(ErrorCode::invalid_input, "a group needs a name", "Type one.");
  if (faces.empty()) return make_error(ErrorCode::invalid_input, "no face has been chosen", "Choose faces first.");
  for (const MeshGroup& group : mesh.groups())
    if (group.name == name && group.dimension != 2)
      return make_error(ErrorCode::invalid_input,
                        fmt::format("the group '{}' is there already and is no surface", name), "Choose another name.");
  // The chosen faces as cells of the mesh itself.
  Mesh out = mesh;
  std::vector<Index> cells;
  if (mesh.dimension() == 2) {
    const std::vector<Index> all = cells_of_dimension(mesh, 2);
    for (const Index f : faces)
      if (f >= 0 && static_cast<std::size_t>(f) < all.size()) cells.push_back(all[static_cast<std::size_t>(f)]);
  } else {
    std::map<std::array<Index, 4>, Index> known;
    for (const Index c : cells_of_dimension(mesh, 2)) known.emplace(outer_key(mesh, c), c);
    BoundaryLinks links;
    const Mesh boundary = boundary_surface(mesh, &links);
    for (const Index f : faces) {
      if (f < 0 || f >= boundary.cell_count()) continue;
      std::vector<Index> nodes;
      for (const Index n : boundary.nodes(f)) nodes.push_back(links.points[static_cast<std::size_t>(n)]);
      std::array<Index, 4> key{-1, -1, -1, -1};
      std::copy_n(nodes.begin(), corners_of(boundary.shape(f)), key.begin());
      std::sort(key.begin(), key.end());
      const auto at = known.find(key);
      cells.push_back(at != known.end() ? at->second : out.add_cell(boundary.shape(f), nodes));
    }
  }
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  if (cells.empty())
    return make_error(ErrorCode::invalid_input, "the chosen faces are not faces of this mesh", "Choose them again.");
  std::vector<MeshGroup> groups;
  int tag = 0;
  for (MeshGroup group : mesh.groups()) {
    tag = std::max(tag, group.tag);
    if (group.dimension == 2 && group.name != name)
      std::erase_if(group.cells, [&](Index c) { return std::binary_search(cells.begin(), cells.end(), c); });
    if (group.name != name && !group.cells.empty()) groups.push_back(std::move(group));
  }
  groups.push_back({name, 2, tag + 1, std::move(cells)});
  return Mesh::from_arrays(out.points(), out.shapes(), out.connectivity(), std::move(groups));
}

std::string why_not_remeshed(const Mesh& mesh, const Mesh* faces) {
  const int dimension = mesh.dimension();
  if (dimension < 2) return "the mesh has no surface";
  std::size_t volume_cells = 0;
  for (const CellShape shape : mesh.shapes()) {
    if (order_of(shape) > 1) return "its elements are curved: they are made again from their geometry";
    if (shape == CellShape::quad4 || shape == CellShape::hex8)
      return "quadrilaterals and hexahedra are made again from their geometry only";
    volume_cells += dimension_of(shape) == 3 ? 1 : 0;
  }
  std::size_t grouped = 0, grouped_outside = 0;
  for (const MeshGroup& group : mesh.groups()) {
    if (group.dimension < 2 && !group.cells.empty())
      return fmt::format("the group '{}' of curves or points would be lost", group.name);
    if (group.dimension == 2) grouped += group.cells.size();
    if (group.dimension == 3 && !group.cells.empty() && group.cells.size() != volume_cells)
      return "its volume is of several groups, whose borders would move";
  }
  if (dimension == 2 || grouped == 0) return {};
  const Mesh own = faces ? Mesh() : outer_faces(mesh);
  for (const MeshGroup& group : (faces ? *faces : own).groups())
    if (group.dimension == 2) grouped_outside += group.cells.size();
  return grouped != grouped_outside ? "groups of faces inside the body would be lost" : "";
}

Result<Mesh> remeshed(const Mesh& mesh, double size, std::stop_token stop, double most) {
  if (!(size > 0) || !std::isfinite(size))
    return make_error(ErrorCode::invalid_input, "the size of the elements must be positive",
                      "Give the length of an edge.");
  const int dimension = mesh.dimension();
  const Mesh faces = outer_faces(mesh);
  if (const std::string why = why_not_remeshed(mesh, &faces); !why.empty())
    return make_error(ErrorCode::invalid_input, "the mesh cannot be made again by itself: " + why,
                      "Name its geometry (.geo, STEP) as the mesh instead.");
  // Equilateral triangles, and tetrahedra of a regular one's volume.
  const double about =
      dimension == 2 ? total_area(faces) / (0.433 * size * size) : total_volume(mesh) / (0.118 * size * size * size);
  if (about > most)
    return make_error(ErrorCode::invalid_input,
                      fmt::format("there would be about {:.2g} elements, {:.2g} are allowed", about, most),
                      "Choose a larger size.");

  const auto made = made_soundly(faces, dimension, size, stop);
  if (!made) return made.error();

  // Cells of the highest dimension, and of a volume the faces that belong to a group.
  const auto old_groups = groups_by_cell(faces, 2);
  Nearest nearest(faces);
  std::vector<Index> kept;
  std::map<std::size_t, std::vector<Index>>
      grouped;  // by group of `faces`: cells of the new mesh, by their place in `kept`
  for (const Index c : cells_of_dimension(*made, 2)) {
    const auto at = old_groups.find(nearest.to(cell_surface(*made, c).centroid));
    if (dimension == 3 && at == old_groups.end()) continue;
    if (at != old_groups.end())
      for (const std::size_t g : at->second) grouped[g].push_back(static_cast<Index>(kept.size()));
    kept.push_back(c);
  }
  const auto first_volume = static_cast<Index>(kept.size());
  if (dimension == 3)
    for (const Index c : cells_of_dimension(*made, 3)) kept.push_back(c);
  if (kept.empty() || (dimension == 3 && first_volume == static_cast<Index>(kept.size())))
    return make_error(ErrorCode::invalid_input, "gmsh made no elements",
                      "Choose a smaller size, or mesh the geometry itself.");
  const Mesh bare = made->extract(kept);
  std::vector<MeshGroup> groups;
  for (auto& [g, cells] : grouped)
    groups.push_back({faces.groups()[g].name, 2, faces.groups()[g].tag, std::move(cells)});
  if (dimension == 3)
    for (const MeshGroup& group : mesh.groups())
      if (group.dimension == 3 && !group.cells.empty()) {
        MeshGroup whole{group.name, 3, group.tag, {}};
        for (Index c = first_volume; c < bare.cell_count(); ++c) whole.cells.push_back(c);
        groups.push_back(std::move(whole));
      }
  auto out = Mesh::from_arrays(bare.points(), bare.shapes(), bare.connectivity(), std::move(groups));
  if (out && dimension == 2) orient_outward(*out);
  return out;
}

std::string how_remeshed_differs(const Mesh& before, const Mesh& after) {
  const Mesh old_faces = outer_faces(before), new_faces = outer_faces(after);
  const bool closed = check_surface(old_faces).closed() && check_surface(new_faces).closed();
  const auto measure = [&](const Mesh& m) { return closed ? std::abs(enclosed_volume(m)) : total_area(m); };
  const double was = measure(old_faces), is = measure(new_faces);
  constexpr double told = 0.02;
  if (was > 0 && std::abs(is / was - 1) > told)
    return fmt::format("{} {:.2g} % {} in the elements made anew than in those of the file",
                       closed ? "the body is" : "the surface is", 100 * std::abs(is / was - 1),
                       is < was ? "smaller" : "larger");
  const double lost = lost_reach(new_faces, old_faces);
  if (lost > told_reach)
    return fmt::format(
        "a tip of the body is {:.2g} % of its length shorter in the elements made anew than in those of the file",
        100 * lost);
  return {};
}

}  // namespace conoid
