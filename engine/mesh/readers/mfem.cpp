// SPDX-License-Identifier: BSD-3-Clause
// MFEM mesh v1.0 to v1.3 (mfem.org/mesh-formats): straight cells, or cells curved by a continuous nodal function of order 1
// or 2.
//
// A nodal function numbers its values: first the vertices, then the edges, then the quadrilateral faces, then the
// interiors of cells. Edges and faces are numbered in the order in which a walk over the elements meets them first.
#include "engine/mesh/readers/cursor.hpp"
#include "engine/mesh/readers/read_mesh.hpp"
#include "engine/mesh/shape_tables.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace conoid {
namespace {

using readers::Cursor;
using readers::quoted;

constexpr std::string_view resave_mfem =
    "Save it with MFEM's Mesh::Save as a conforming mesh of order 1 or 2: mesh.SetCurvature(2, false).";

struct Geometry {
  std::string_view name;
  CellShape straight, curved;
  bool readable;
};
constexpr std::array<Geometry, 8> geometries{{{"point", CellShape::vertex, CellShape::vertex, true},
                                              {"segment", CellShape::line2, CellShape::line3, true},
                                              {"triangle", CellShape::triangle3, CellShape::triangle6, true},
                                              {"square", CellShape::quad4, CellShape::quad9, true},
                                              {"tetrahedron", CellShape::tet4, CellShape::tet10, true},
                                              {"cube", CellShape::hex8, CellShape::hex27, true},
                                              {"prism", CellShape::vertex, CellShape::vertex, false},
                                              {"pyramid", CellShape::vertex, CellShape::vertex, false}}};

/// The order in which MFEM walks over edges (only for the tetrahedron another than VTK's) and over the faces of a cube.
constexpr std::array<std::int8_t, 6> tetrahedron_edges{0, 2, 3, 1, 4, 5};
constexpr std::array<std::int8_t, 6> cube_faces{4, 2, 1, 3, 0, 5};

/// The three lowest corners name a face (two and -1: an edge).
using Corners = std::array<Index, 3>;

struct CornersHash {
  std::size_t operator()(const Corners& c) const {
    std::uint64_t h = 0x51ed270b0d1cull;
    for (const Index n : c) {
      h = (h ^ static_cast<std::uint64_t>(n)) * 0x9fb21c651e98df25ull;
      h ^= h >> 31;
    }
    return static_cast<std::size_t>(h);
  }
};

/// Numbers edges or faces by first appearance.
class Numbering {
 public:
  explicit Numbering(Cursor& in) : in_(in) {}
  Index add(const Corners& key) {
    const auto [it, fresh] = numbers_.try_emplace(key, static_cast<Index>(numbers_.size()));
    if (fresh) in_.take_memory(1, 8 * sizeof(Index), "edges and faces");
    return it->second;
  }
  [[nodiscard]] Index find(const Corners& key) const {
    const auto it = numbers_.find(key);
    return it == numbers_.end() ? -1 : it->second;
  }
  [[nodiscard]] Index size() const { return static_cast<Index>(numbers_.size()); }

 private:
  Cursor& in_;
  std::unordered_map<Corners, Index, CornersHash> numbers_;
};

Corners edge_key(Index a, Index b) {
  return {std::min(a, b), std::max(a, b), -1};
}
Corners face_key(std::array<Index, 4> corners) {
  std::sort(corners.begin(), corners.end());
  return {corners[0], corners[1], corners[2]};
}

struct AttributeSet {
  std::string name;
  bool boundary;
  std::vector<int> attributes;
};

class MfemReader {
 public:
  MfemReader(std::string_view bytes, const std::string& file, const ReadOptions& options)
      : in_(bytes, file, options.memory_limit), options_(options) {}

  Mesh read() {
    in_.check_unit(options_.scale);
    first_line();
    section("dimension");
    dimension_ = integer<int>("a dimension 1 to 3");
    if (dimension_ < 1 || dimension_ > 3) in_.fail(fmt::format("expected a dimension 1 to 3, found {}", dimension_));
    section("elements");
    read_cells(false);
    if (optional_section("attribute_sets")) attribute_sets(false);
    section("boundary");
    read_cells(true);
    if (optional_section("bdr_attribute_sets")) attribute_sets(true);
    section("vertices");
    vertices();
    if (cells_ == 0) in_.fail("expected at least one element, found none", "This file holds no mesh; save it again.");
    make_groups();
    if (!options_.keep_unused_points) readers::drop_unused_points(points_, connectivity_);
    return Mesh::from_arrays(std::move(points_), std::move(shapes_), std::move(connectivity_), std::move(groups_))
        .value();
  }

 private:
  // ---- words ----

  void skip() {
    for (in_.skip_space(); !in_.at_end() && in_.rest().front() == '#'; in_.skip_space()) in_.line();
  }
  template <class T>
  T integer(std::string_view what) {
    skip();
    return in_.integer_here<T>(what);
  }
  bool optional_section(std::string_view name) {
    skip();
    const std::size_t at = in_.position();
    if (in_.word() == name) return true;
    in_.seek(at);
    return false;
  }
  void section(std::string_view name) {
    if (!optional_section(name)) in_.fail_expected(fmt::format("the section '{}'", name));
  }

  void first_line() {
    const std::string_view line = in_.line();
    std::string_view version = line;
    while (!version.empty() && Cursor::is_space(version.back())) version.remove_suffix(1);
    constexpr std::string_view known[] = {"MFEM mesh v1.0", "MFEM mesh v1.2", "MFEM mesh v1.3"};
    if (std::find(std::begin(known), std::end(known), version) != std::end(known)) return;
    if (version.find("NC mesh") != std::string_view::npos || version == "MFEM mesh v1.1")
      in_.fail_at(0, "expected a conforming mesh ('MFEM mesh v1.0'), found one with hanging nodes",
                  "Refine it uniformly instead, and save it again.");
    if (version.find("NURBS") != std::string_view::npos)
      in_.fail_at(0, "expected 'MFEM mesh v1.0', found a NURBS mesh", std::string(resave_mfem));
    if (version.find("INLINE") != std::string_view::npos)
      in_.fail_at(0, "expected 'MFEM mesh v1.0', found the description of a box",
                  "Load it in MFEM and save it, or describe a grid in the case.");
    in_.fail_at(0, fmt::format("expected 'MFEM mesh v1.0', 'v1.2' or 'v1.3', found {}", quoted(version)),
                std::string(resave_mfem));
  }

  // ---- sections ----

  void read_cells(bool boundary) {
    const auto count = integer<std::uint64_t>(boundary ? "the number of boundary elements" : "the number of elements");
    in_.need(count, 5, "elements");
    const int dimension = dimension_ - (boundary ? 1 : 0);
    for (std::uint64_t i = 0; i < count; ++i) {
      const int attribute = integer<int>("an attribute");
      skip();
      const std::size_t at = in_.position();
      const auto type = in_.integer_here<std::uint32_t>("a geometry type 0 to 7");
      if (type >= geometries.size()) in_.fail_at(at, fmt::format("expected a geometry type 0 to 7, found {}", type));
      const Geometry& geometry = geometries[type];
      if (!geometry.readable)
        in_.fail_at(at,
                    fmt::format("expected points, segments, triangles, squares, tetrahedra or cubes, found a {}",
                                geometry.name),
                    "Mesh without prisms and pyramids.");
      if (dimension_of(geometry.straight) != dimension)
        in_.fail_at(at, fmt::format("expected {} of dimension {}, found a {}",
                                    boundary ? "boundary elements" : "elements", dimension, geometry.name));
      const auto nodes = static_cast<std::size_t>(nodes_of(geometry.straight));
      in_.take_memory(1, (2 * nodes + 5) * sizeof(Index), "elements");
      for (std::size_t k = 0; k < nodes; ++k) {
        skip();
        const std::size_t here = in_.position();
        const auto n = in_.integer_here<Index>("a vertex number");
        if (n < 0) in_.fail_at(here, fmt::format("expected a vertex number from 0, found {}", n));
        if (n > highest_) {
          highest_ = n;
          highest_position_ = here;
        }
        connectivity_.push_back(n);
      }
      shapes_.push_back(geometry.straight);
      attributes_.push_back(attribute);
    }
    if (!boundary) cells_ = shapes_.size();
  }

  /// "name" in quotes, a count and the attributes of each set.
  void attribute_sets(bool boundary) {
    const auto count = integer<std::uint64_t>("the number of attribute sets");
    in_.need(count, 6, "attribute sets");
    for (std::uint64_t i = 0; i < count; ++i) {
      skip();
      const std::size_t at = in_.position();
      const std::string_view line = in_.line();
      const auto first = line.find('"');
      const auto last = line.rfind('"');
      if (first == std::string_view::npos || last == first)
        in_.fail_at(at, fmt::format("expected the name of a set in double quotes, found {}", quoted(line)));
      const auto members = integer<std::uint64_t>("the number of attributes in the set");
      in_.need(members, 1, "attributes");
      in_.take_memory(1, 128 + line.size() + 4 * members, "attribute sets");
      AttributeSet set{std::string(line.substr(first + 1, last - first - 1)), boundary, {}};
      for (std::uint64_t k = 0; k < members; ++k) set.attributes.push_back(integer<int>("an attribute"));
      sets_.push_back(std::move(set));
    }
  }

  void vertices() {
    const auto count = integer<std::uint64_t>("the number of vertices");
    if (highest_ >= 0 && static_cast<std::uint64_t>(highest_) >= count)
      in_.fail_at(highest_position_, fmt::format("expected a vertex below {}, found {}", count, highest_));
    if (optional_section("nodes")) return nodes(count);
    const int dimension = integer<int>("the number of coordinates, 1 to 3, or 'nodes'");
    if (dimension < 1 || dimension > 3)
      in_.fail(fmt::format("expected 1 to 3 coordinates a vertex, found {}", dimension));
    in_.need(count, 2 * static_cast<unsigned>(dimension) - 1, "vertices");
    in_.take_memory(count, 3 * sizeof(double), "vertices");
    points_.assign(3 * count, 0.0);
    for (std::uint64_t i = 0; i < count; ++i)
      for (int a = 0; a < dimension; ++a) points_[3 * i + static_cast<std::size_t>(a)] = coordinate();
  }

  double coordinate() {
    skip();
    return in_.real_here("a coordinate") * options_.scale;
  }

  std::string_view value_of(std::string_view key) {
    skip();
    const std::size_t at = in_.position();
    if (in_.word() != key) {
      in_.seek(at);
      in_.fail_expected(fmt::format("'{}'", key));
    }
    in_.skip_blanks();
    return in_.word_in_line();
  }

  void nodes(std::uint64_t vertex_count) {
    section("FiniteElementSpace");
    skip();
    const std::size_t at = in_.position();
    const std::string_view name = value_of("FiniteElementCollection:");
    const int order = order_of_collection(name, at);
    skip();
    const std::size_t at_dimension = in_.position();
    const std::string_view dimension_word = value_of("VDim:");
    if (dimension_word.size() != 1 || dimension_word[0] < '1' || dimension_word[0] > '3')
      in_.fail_at(at_dimension, fmt::format("expected 'VDim: 1' to 3, found {}", quoted(dimension_word)));
    const auto components = static_cast<std::uint64_t>(dimension_word[0] - '0');
    skip();
    const std::size_t at_ordering = in_.position();
    const std::string_view ordering = value_of("Ordering:");
    if (ordering != "0" && ordering != "1")
      in_.fail_at(at_ordering, fmt::format("expected 'Ordering: 0' or 1, found {}", quoted(ordering)));

    // The vertices' coordinates are here: each takes a digit and a space.
    in_.need(vertex_count, 2 * components - 1, "vertices");
    const std::uint64_t count = order == 1 ? vertex_count : curve(static_cast<Index>(vertex_count));
    in_.need(count, 2 * components - 1, "nodes");
    in_.take_memory(count, 3 * sizeof(double), "nodes");
    points_.assign(3 * count, 0.0);
    if (ordering == "1") {
      for (std::uint64_t i = 0; i < count; ++i)
        for (std::uint64_t a = 0; a < components; ++a) points_[3 * i + a] = coordinate();
    } else {
      for (std::uint64_t a = 0; a < components; ++a)
        for (std::uint64_t i = 0; i < count; ++i) points_[3 * i + a] = coordinate();
    }
  }

  /// 1 or 2 for a continuous Lagrange basis: "Linear", "Quadratic", "H1_3D_P2".
  int order_of_collection(std::string_view name, std::size_t at) {
    if (name == "Linear") return 1;
    if (name == "Quadratic") return 2;
    if (name.size() > 7 && name.starts_with("H1_") && name.substr(4).starts_with("D_P")) {
      const std::string_view order = name.substr(7);
      if (order == "1") return 1;
      if (order == "2") return 2;
      in_.fail_at(at, fmt::format("expected cells of order 1 or 2, found order {}", quoted(order)),
                  std::string(resave_mfem));
    }
    if (name.starts_with("L2"))
      in_.fail_at(at, fmt::format("expected continuous nodes such as 'H1_3D_P2', found {}", quoted(name)),
                  "Discontinuous nodes belong to periodic meshes; unroll it, or save it continuous: "
                  "mesh.SetCurvature(2, false).");
    in_.fail_at(at,
                fmt::format("expected nodes 'H1_{}D_P1', 'H1_{}D_P2', 'Linear' or 'Quadratic', found {}", dimension_,
                            dimension_, quoted(name)),
                std::string(resave_mfem));
  }

  // ---- order 2 ----

  /// Numbers edges, faces and interiors, makes all cells those of order 2, and gives the number of nodes.
  std::uint64_t curve(Index vertex_count) {
    Numbering edges(in_);
    Numbering faces(in_);
    std::size_t at = 0;
    for (std::size_t c = 0; c < cells_; at += static_cast<std::size_t>(nodes_of(shapes_[c])), ++c)
      number_edges_and_faces(c, at, edges, faces);
    const Index first_face = vertex_count + edges.size();
    const Index first_inside = first_face + faces.size();
    Index inside = first_inside;

    std::vector<Index> curved;
    at = 0;
    for (std::size_t c = 0; c < shapes_.size(); ++c) {
      const CellShape straight_shape = shapes_[c];
      const CellShape shape = curved_shape(straight_shape);
      const auto corners = static_cast<std::size_t>(nodes_of(straight_shape));
      const Index* corner = connectivity_.data() + at;
      at += corners;
      std::array<Index, 27> node{};
      std::copy(corner, corner + corners, node.begin());
      const auto name = [&](std::int8_t local) { return corner[static_cast<std::size_t>(local)]; };
      // In one dimension the only node between is the interior of the segment itself.
      if (!(dimension_ == 1 && c < cells_))
        for (const EdgeNodes& e : edges_of(shape)) {
          const Index edge = edges.find(edge_key(name(e.a), name(e.b)));
          if (edge < 0) not_of_an_element(c);
          node[static_cast<std::size_t>(e.middle)] = vertex_count + edge;
        }
      if (shape == CellShape::hex27) {
        for (const FaceNodes& f : faces_of(shape))
          node[static_cast<std::size_t>(f.nodes[8])] =
              first_face +
              faces.find(face_key({name(f.nodes[0]), name(f.nodes[1]), name(f.nodes[2]), name(f.nodes[3])}));
      }
      if (dimension_ == 3 && shape == CellShape::quad9) {
        const Index face = faces.find(face_key({corner[0], corner[1], corner[2], corner[3]}));
        if (face < 0) not_of_an_element(c);
        node[8] = first_face + face;
      }
      const bool has_inside = c < cells_ && (shape == CellShape::hex27 || shape == CellShape::quad9 ||
                                             (dimension_ == 1 && shape == CellShape::line3));
      const auto nodes = static_cast<std::size_t>(nodes_of(shape));
      if (has_inside) node[nodes - 1] = inside++;
      in_.take_memory(nodes, sizeof(Index), "nodes of elements");
      curved.insert(curved.end(), node.begin(), node.begin() + static_cast<std::ptrdiff_t>(nodes));
      shapes_[c] = shape;
    }
    connectivity_ = std::move(curved);
    return static_cast<std::uint64_t>(inside);
  }

  static CellShape curved_shape(CellShape straight_shape) {
    for (const Geometry& g : geometries)
      if (g.readable && g.straight == straight_shape) return g.curved;
    return straight_shape;
  }

  void number_edges_and_faces(std::size_t cell, std::size_t at, Numbering& edges, Numbering& faces) {
    const CellShape shape = shapes_[cell];
    const auto name = [&](std::int8_t local) { return connectivity_[at + static_cast<std::size_t>(local)]; };
    if (dimension_ > 1) {
      const auto list = edges_of(shape);
      for (std::size_t k = 0; k < list.size(); ++k) {
        const EdgeNodes& e = list[shape == CellShape::tet4 ? static_cast<std::size_t>(tetrahedron_edges[k]) : k];
        edges.add(edge_key(name(e.a), name(e.b)));
      }
    }
    if (shape == CellShape::hex8)
      for (const std::int8_t k : cube_faces) {
        const FaceNodes& f = faces_of(shape)[static_cast<std::size_t>(k)];
        faces.add(face_key({name(f.nodes[0]), name(f.nodes[1]), name(f.nodes[2]), name(f.nodes[3])}));
      }
  }

  [[noreturn]] void not_of_an_element(std::size_t cell) {
    in_.fail(
        fmt::format("expected boundary element {} to be a side of an element, found one that is not", cell - cells_));
  }

  // ---- groups ----

  void make_groups() {
    std::unordered_map<std::int64_t, std::size_t> known;
    for (std::size_t c = 0; c < shapes_.size(); ++c) {
      const int dimension = dimension_of(shapes_[c]);
      const std::int64_t key = std::int64_t{attributes_[c]} * 4 + dimension;
      const auto [it, fresh] = known.try_emplace(key, groups_.size());
      if (fresh) {
        in_.take_memory(1, 256, "group");
        groups_.push_back({std::to_string(attributes_[c]), dimension, attributes_[c], {}});
      }
      groups_[it->second].cells.push_back(static_cast<Index>(c));
    }
    std::unordered_set<std::string> taken;
    for (const MeshGroup& g : groups_) taken.insert(fmt::format("{} {}", g.dimension, g.name));
    for (const AttributeSet& set : sets_) {
      const int dimension = dimension_ - (set.boundary ? 1 : 0);
      MeshGroup joined{set.name, dimension, 0, {}};
      std::vector<int> members = set.attributes;
      std::sort(members.begin(), members.end());
      members.erase(std::unique(members.begin(), members.end()), members.end());
      for (const int attribute : members) {
        const auto it = known.find(std::int64_t{attribute} * 4 + dimension);
        if (it == known.end()) continue;
        const auto& cells = groups_[it->second].cells;
        in_.take_memory(cells.size(), sizeof(Index), "members of a set");
        joined.cells.insert(joined.cells.end(), cells.begin(), cells.end());
      }
      if (taken.insert(fmt::format("{} {}", dimension, set.name)).second) groups_.push_back(std::move(joined));
    }
  }

  Cursor in_;
  const ReadOptions& options_;
  int dimension_ = 3;
  std::size_t cells_ = 0;  ///< elements; the boundary's follow
  std::vector<CellShape> shapes_;
  std::vector<Index> connectivity_;
  std::vector<int> attributes_;
  std::vector<double> points_;
  std::vector<AttributeSet> sets_;
  std::vector<MeshGroup> groups_;
  Index highest_ = -1;
  std::size_t highest_position_ = 0;
};

}  // namespace

Result<Mesh> read_mfem(std::string_view bytes, const std::string& file, const ReadOptions& options) {
  try {
    return MfemReader(bytes, file, options).read();
  } catch (...) {
    return current_exception_as_error();
  }
}

}  // namespace conoid
