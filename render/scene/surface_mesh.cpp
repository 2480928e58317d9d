// SPDX-License-Identifier: BSD-3-Clause
// Finding faces without a partner by sorting, and splitting them into triangles.
#include "render/scene/surface_mesh.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace conoid {

namespace {

// Local node numbers of a face: corners, then mid nodes, then the centre; VTK's numbering of cells.
using Face = std::vector<int>;

struct Shape {
  int nodes = 0;
  int dimension = 0;
  std::vector<Face> faces;  // of a volume cell
};

Shape shape_of(std::uint8_t type) {
  switch (type) {
    case 1: return {1, 0, {}};
    case 3: return {2, 1, {}};
    case 21: return {3, 1, {}};
    case 5: return {3, 2, {}};
    case 9: return {4, 2, {}};
    case 22: return {6, 2, {}};
    case 23: return {8, 2, {}};
    case 28: return {9, 2, {}};
    case 10: return {4, 3, {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}}};
    case 24: return {10, 3, {{0, 1, 3, 4, 8, 7}, {1, 2, 3, 5, 9, 8}, {2, 0, 3, 6, 7, 9}, {0, 2, 1, 6, 5, 4}}};
    case 12: return {8, 3, {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4}, {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}}};
    case 25:
      return {20,
              3,
              {{0, 4, 7, 3, 16, 15, 19, 11},
               {1, 2, 6, 5, 9, 18, 13, 17},
               {0, 1, 5, 4, 8, 17, 12, 16},
               {3, 7, 6, 2, 19, 14, 18, 10},
               {0, 3, 2, 1, 11, 10, 9, 8},
               {4, 5, 6, 7, 12, 13, 14, 15}}};
    case 29:
      return {27,
              3,
              {{0, 4, 7, 3, 16, 15, 19, 11, 20},
               {1, 2, 6, 5, 9, 18, 13, 17, 21},
               {0, 1, 5, 4, 8, 17, 12, 16, 22},
               {3, 7, 6, 2, 19, 14, 18, 10, 23},
               {0, 3, 2, 1, 11, 10, 9, 8, 24},
               {4, 5, 6, 7, 12, 13, 14, 15, 25}}};
    default: return {-1, -1, {}};
  }
}

struct ShapeTable {
  std::array<Shape, 256> shapes;
  ShapeTable() {
    for (std::size_t i = 0; i < shapes.size(); ++i) shapes[i] = shape_of(static_cast<std::uint8_t>(i));
  }
};

const Shape& shape(std::uint8_t type) {
  static const ShapeTable table;
  return table.shapes[type];
}

Error damaged(const std::string& what) {
  return make_error(ErrorCode::file, "the mesh of this frame is damaged: " + what,
                    "Write the results again, or check the file.");
}

int corners_of_face(std::size_t nodes) {
  return nodes == 3 || nodes == 6 ? 3 : 4;
}

// Triangles of a face in positions of its node list.
std::span<const std::array<int, 3>> split(std::size_t nodes) {
  static constexpr std::array<std::array<int, 3>, 1> t3 = {{{0, 1, 2}}};
  static constexpr std::array<std::array<int, 3>, 4> t6 = {{{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}}};
  static constexpr std::array<std::array<int, 3>, 2> q4 = {{{0, 1, 2}, {0, 2, 3}}};
  static constexpr std::array<std::array<int, 3>, 6> q8 = {
      {{0, 4, 7}, {4, 1, 5}, {5, 2, 6}, {6, 3, 7}, {4, 5, 6}, {4, 6, 7}}};
  static constexpr std::array<std::array<int, 3>, 8> q9 = {
      {{0, 4, 8}, {0, 8, 7}, {4, 1, 5}, {4, 5, 8}, {8, 5, 2}, {8, 2, 6}, {7, 8, 6}, {7, 6, 3}}};
  switch (nodes) {
    case 3: return t3;
    case 6: return t6;
    case 4: return q4;
    case 8: return q8;
    default: return q9;
  }
}

struct Side {
  std::array<Index, 4> key{};  // sorted corners
  Index cell = 0;
  int face = 0;
};

class Builder {
 public:
  Builder(const MeshGeometry& mesh, int pieces)
      : mesh_(mesh), pieces_(pieces), number_of_(mesh.points->size() / 3, -1) {}

  void face(std::span<const Index> nodes, Index cell) {
    if (pieces_ > 1 && (nodes.size() == 6 || nodes.size() == 8 || nodes.size() == 9)) return curved_face(nodes, cell);
    std::array<std::int32_t, 9> local{};
    for (std::size_t i = 0; i < nodes.size(); ++i) local[i] = skin_node(nodes[i]);
    for (const auto& t : split(nodes.size())) {
      for (const int i : t) out_.triangles.push_back(local[static_cast<std::size_t>(i)]);
      out_.triangle_cell.push_back(cell);
    }
    const auto corners = static_cast<std::size_t>(corners_of_face(nodes.size()));
    for (std::size_t i = 0; i < corners; ++i) {
      const std::int32_t a = local[i];
      const std::int32_t b = local[(i + 1) % corners];
      if (nodes.size() > corners) {
        edge(a, local[corners + i]);
        edge(local[corners + i], b);
      } else {
        edge(a, b);
      }
    }
  }

  /// A lattice of 2·pieces flat pieces a side over a face of order 2.
  void curved_face(std::span<const Index> nodes, Index cell) {
    const int n = 2 * pieces_;
    const bool triangle = nodes.size() == 6;
    std::vector<std::int32_t> lattice(static_cast<std::size_t>((n + 1) * (n + 1)), -1);
    const auto at = [&](int i, int j) -> std::int32_t& { return lattice[static_cast<std::size_t>(j * (n + 1) + i)]; };
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i <= (triangle ? n - j : n); ++i) at(i, j) = lattice_node(nodes, i, j, n);
    const auto add = [&](std::int32_t a, std::int32_t b, std::int32_t c) {
      out_.triangles.insert(out_.triangles.end(), {a, b, c});
      out_.triangle_cell.push_back(cell);
    };
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < (triangle ? n - j : n); ++i) {
        add(at(i, j), at(i + 1, j), triangle ? at(i, j + 1) : at(i + 1, j + 1));
        if (!triangle)
          add(at(i, j), at(i + 1, j + 1), at(i, j + 1));
        else if (i + j + 1 < n)
          add(at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
      }
    for (int i = 0; i < n; ++i) {
      edge(at(i, 0), at(i + 1, 0));
      edge(at(0, i), at(0, i + 1));
      if (triangle) {
        edge(at(n - i, i), at(n - i - 1, i + 1));
      } else {
        edge(at(i, n), at(i + 1, n));
        edge(at(n, i), at(n, i + 1));
      }
    }
  }

  void line(std::span<const Index> nodes, Index cell) {
    const auto piece = [&](Index from, Index to) {
      const std::int32_t a = skin_node(from), b = skin_node(to);
      edge(a, b);
      pieces_of_lines_.push_back({a, b, cell});
    };
    if (nodes.size() == 3) {
      piece(nodes[0], nodes[2]);
      piece(nodes[2], nodes[1]);
    } else {
      piece(nodes[0], nodes[1]);
    }
  }

  /// Lines alone become a band of two triangles a piece; its edges are those of the cells, all around.
  void band() {
    if (!out_.triangles.empty() || pieces_of_lines_.empty() || 2 * out_.nodes.size() > most_nodes) return;
    const auto count = static_cast<std::int32_t>(out_.nodes.size());
    out_.nodes.reserve(2 * out_.nodes.size());
    for (std::int32_t i = 0; i < count; ++i) out_.nodes.push_back(out_.nodes[static_cast<std::size_t>(i)]);
    out_.across.assign(static_cast<std::size_t>(count), 1);
    out_.across.resize(out_.nodes.size(), -1);
    edges_.clear();
    for (const auto& [a, b, cell] : pieces_of_lines_) {
      out_.triangles.insert(out_.triangles.end(), {a, b, b + count, a, b + count, a + count});
      out_.triangle_cell.insert(out_.triangle_cell.end(), {cell, cell});
      edge(a, b);
      edge(a + count, b + count);
      edge(a, a + count);
      edge(b, b + count);
    }
  }

  [[nodiscard]] bool full() const { return out_.nodes.size() > most_nodes; }

  SurfaceMesh finish() {
    std::sort(edges_.begin(), edges_.end());
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    out_.edges.reserve(2 * edges_.size());
    for (const auto& e : edges_) out_.edges.insert(out_.edges.end(), {e[0], e[1]});
    return std::move(out_);
  }

  SurfaceMesh out_;

 private:
  /// Lagrange functions of order 2 on nodes 0, 1, ½ at t.
  static std::array<double, 3> functions(double t) { return {(1 - t) * (1 - 2 * t), t * (2 * t - 1), 4 * t * (1 - t)}; }

  std::int32_t lattice_node(std::span<const Index> nodes, int i, int j, int n) {
    const double u = static_cast<double>(i) / n, v = static_cast<double>(j) / n;
    std::array<double, 9> w{};
    if (nodes.size() == 6) {
      const double l = 1 - u - v;
      w = {l * (2 * l - 1), u * (2 * u - 1), v * (2 * v - 1), 4 * l * u, 4 * u * v, 4 * v * l, 0, 0, 0};
    } else if (nodes.size() == 9) {
      const auto a = functions(u), b = functions(v);
      w = {a[0] * b[0], a[1] * b[0], a[1] * b[1], a[0] * b[1], a[2] * b[0],
           a[1] * b[2], a[2] * b[1], a[0] * b[2], a[2] * b[2]};
    } else {  // serendipity, in coordinates −1 … 1
      const double x = 2 * u - 1, y = 2 * v - 1;
      w = {-(1 - x) * (1 - y) * (1 + x + y) / 4,
           -(1 + x) * (1 - y) * (1 - x + y) / 4,
           -(1 + x) * (1 + y) * (1 - x - y) / 4,
           -(1 - x) * (1 + y) * (1 + x - y) / 4,
           (1 - x * x) * (1 - y) / 2,
           (1 + x) * (1 - y * y) / 2,
           (1 - x * x) * (1 + y) / 2,
           (1 - x) * (1 - y * y) / 2,
           0};
    }
    SurfaceBlend blend;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      if (std::abs(w[k]) < 1e-12) continue;
      if (std::abs(w[k] - 1) < 1e-12) return skin_node(nodes[k]);
      blend.points[static_cast<std::size_t>(blend.count)] = nodes[k];
      blend.weights[static_cast<std::size_t>(blend.count++)] = w[k];
    }
    // On a side the place belongs to the neighbour as well: one node for both.
    const bool triangle = nodes.size() == 6;
    std::optional<std::array<int, 3>> side;  // corners from and to, steps from the first
    if (j == 0)
      side = std::array{0, 1, i};
    else if (i == 0)
      side = triangle ? std::array{0, 2, j} : std::array{0, 3, j};
    else if (triangle && i + j == n)
      side = std::array{1, 2, j};
    else if (!triangle && i == n)
      side = std::array{1, 2, j};
    else if (!triangle && j == n)
      side = std::array{3, 2, i};
    if (!side) return blend_node(blend);
    const Index from = nodes[static_cast<std::size_t>((*side)[0])], to = nodes[static_cast<std::size_t>((*side)[1])];
    const std::array<Index, 3> key = {std::min(from, to), std::max(from, to), from < to ? (*side)[2] : n - (*side)[2]};
    const auto [found, is_new] = side_nodes_.try_emplace(key, -1);
    if (is_new) found->second = blend_node(blend);
    return found->second;
  }
  std::int32_t blend_node(const SurfaceBlend& blend) {
    const auto number = static_cast<std::int32_t>(out_.nodes.size());
    out_.nodes.push_back(-1 - static_cast<Index>(out_.blends.size()));
    out_.blends.push_back(blend);
    return number;
  }
  std::int32_t skin_node(Index point) {
    std::int32_t& number = number_of_[static_cast<std::size_t>(point)];
    if (number < 0) {
      number = static_cast<std::int32_t>(out_.nodes.size());
      out_.nodes.push_back(point);
    }
    return number;
  }
  void edge(std::int32_t a, std::int32_t b) { edges_.push_back({std::min(a, b), std::max(a, b)}); }

  struct LinePiece {
    std::int32_t begin, end;
    Index cell;
  };
  static constexpr std::size_t most_nodes = std::size_t{std::numeric_limits<std::int32_t>::max()} - 64;
  const MeshGeometry& mesh_;
  int pieces_;
  std::vector<LinePiece> pieces_of_lines_;
  std::map<std::array<Index, 3>, std::int32_t> side_nodes_;
  std::vector<std::int32_t> number_of_;
  std::vector<std::array<std::int32_t, 2>> edges_;
};

}  // namespace

Status check_geometry(const MeshGeometry& mesh) {
  if (!mesh.points || !mesh.connectivity || !mesh.offsets || !mesh.types) return damaged("an array is missing");
  if (mesh.points->size() % 3 != 0) return damaged("the number of coordinates is not a multiple of 3");
  const auto cells = mesh.types->size();
  const auto& offsets = *mesh.offsets;
  if (offsets.size() != cells + 1 || offsets.front() != 0 ||
      offsets.back() != static_cast<Index>(mesh.connectivity->size()))
    return damaged("offsets do not match the cells");
  const auto points = static_cast<Index>(mesh.points->size() / 3);
  for (const Index node : *mesh.connectivity)
    if (node < 0 || node >= points)
      return damaged("node " + std::to_string(node) + " of " + std::to_string(points) + " is named");
  for (std::size_t c = 0; c < cells; ++c) {
    const Index n = offsets[c + 1] - offsets[c];
    const int wanted = shape((*mesh.types)[c]).nodes;
    if (n < 0 || offsets[c + 1] > offsets.back() || (wanted >= 0 && n != wanted))
      return damaged("cell " + std::to_string(c) + " of type " + std::to_string((*mesh.types)[c]) + " has " +
                     std::to_string(n) + " nodes");
  }
  return {};
}

Result<SurfaceMesh> make_surface(const MeshGeometry& mesh, int pieces) {
  if (auto status = check_geometry(mesh); !status) return status.error();
  const auto cells = static_cast<Index>(mesh.types->size());
  const auto nodes_of = [&](Index c) {
    const auto k = static_cast<std::size_t>(c);
    return std::span<const Index>(mesh.connectivity->data() + (*mesh.offsets)[k],
                                  static_cast<std::size_t>((*mesh.offsets)[k + 1] - (*mesh.offsets)[k]));
  };
  Builder builder(mesh, pieces);
  std::vector<Side> sides;
  for (Index c = 0; c < cells; ++c) {
    const Shape& s = shape((*mesh.types)[static_cast<std::size_t>(c)]);
    const auto nodes = nodes_of(c);
    if (s.dimension == 2)
      builder.face(nodes, c);
    else if (s.dimension == 1)
      builder.line(nodes, c);
    else if (s.dimension < 0)
      ++builder.out_.skipped_cells;
    else if (s.dimension == 3)
      for (std::size_t f = 0; f < s.faces.size(); ++f) {
        Side side{{-1, -1, -1, -1}, c, static_cast<int>(f)};
        const int corners = corners_of_face(s.faces[f].size());
        for (int i = 0; i < corners; ++i)
          side.key[static_cast<std::size_t>(i)] =
              nodes[static_cast<std::size_t>(s.faces[f][static_cast<std::size_t>(i)])];
        std::sort(side.key.begin(), side.key.end());
        sides.push_back(side);
      }
    if (builder.full()) return make_error(ErrorCode::resources, "the surface has too many nodes to be drawn");
  }
  builder.out_.has_volume_cells = !sides.empty();
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return a.key != b.key ? a.key < b.key : (a.cell != b.cell ? a.cell < b.cell : a.face < b.face);
  });
  std::vector<Side> skin;
  for (std::size_t i = 0; i < sides.size();) {
    std::size_t j = i + 1;
    while (j < sides.size() && sides[j].key == sides[i].key) ++j;
    if (j == i + 1) skin.push_back(sides[i]);
    i = j;
  }
  std::sort(skin.begin(), skin.end(),
            [](const Side& a, const Side& b) { return a.cell != b.cell ? a.cell < b.cell : a.face < b.face; });
  std::array<Index, 9> nodes{};
  for (const Side& side : skin) {
    const Face& face =
        shape((*mesh.types)[static_cast<std::size_t>(side.cell)]).faces[static_cast<std::size_t>(side.face)];
    const auto cell = nodes_of(side.cell);
    for (std::size_t i = 0; i < face.size(); ++i) nodes[i] = cell[static_cast<std::size_t>(face[i])];
    builder.face({nodes.data(), face.size()}, side.cell);
    if (builder.full()) return make_error(ErrorCode::resources, "the surface has too many nodes to be drawn");
  }
  builder.band();
  return builder.finish();
}

bool is_outward(const SurfaceMesh& skin, const MeshGeometry& mesh, const float* xyz) {
  using V = std::array<double, 3>;
  Index of = -1;
  V middle{};
  const auto corner = [&](std::size_t i) {
    const float* at = xyz + 3 * static_cast<std::size_t>(skin.triangles[i]);
    return V{static_cast<double>(at[0]), static_cast<double>(at[1]), static_cast<double>(at[2])};
  };
  for (std::size_t t = 0; t < skin.triangle_cell.size(); ++t) {
    const auto cell = static_cast<std::size_t>(skin.triangle_cell[t]);
    if (shape((*mesh.types)[cell]).dimension != 3) return false;
    if (std::exchange(of, skin.triangle_cell[t]) != skin.triangle_cell[t]) {
      const Index begin = (*mesh.offsets)[cell], end = (*mesh.offsets)[cell + 1];
      middle = {};
      for (Index k = begin; k < end; ++k)
        for (std::size_t d = 0; d < 3; ++d)
          middle[d] +=
              (*mesh.points)[3 * static_cast<std::size_t>((*mesh.connectivity)[static_cast<std::size_t>(k)]) + d];
      for (double& x : middle) x /= static_cast<double>(end - begin);
    }
    const V a = corner(3 * t), b = corner(3 * t + 1), c = corner(3 * t + 2);
    V u{}, v{}, w{};
    for (std::size_t d = 0; d < 3; ++d) u[d] = b[d] - a[d], v[d] = c[d] - a[d], w[d] = a[d] - middle[d];
    const double turned =
        w[0] * (u[1] * v[2] - u[2] * v[1]) + w[1] * (u[2] * v[0] - u[0] * v[2]) + w[2] * (u[0] * v[1] - u[1] * v[0]);
    if (!(turned >= 0)) return false;
  }
  return !skin.triangle_cell.empty();
}

}  // namespace conoid
