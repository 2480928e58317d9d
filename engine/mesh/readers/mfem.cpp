// SPDX-License-Identifier: BSD-3-Clause
// MFEM mesh v1.0 to v1.3 (mfem.org/mesh-formats): straight cells, or cells curved by a continuous nodal function of order 1
// or 2; and MFEM INLINE mesh v1.0, which describes a box of equal cells.
//
// A nodal function numbers its values: first the vertices, then the edges, then the quadrilateral faces, then the
// interiors of cells. Edges and faces are numbered in the order in which a walk over the elements meets them first.
#include "engine/mesh/readers/cursor.hpp"
#include "engine/mesh/readers/mixed_cells.hpp"
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
                                              {"prism", readers::prism6, readers::prism6, true},
                                              {"pyramid", readers::pyramid5, readers::pyramid5, true}}};

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
    if (inline_) return box();
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
    return finished();
  }

 private:
  Mesh finished() {
    if (groups_.empty()) make_groups();
    readers::cut_mixed_cells(points_, shapes_, connectivity_, groups_, options_.notes);
    if (!options_.keep_unused_points) readers::drop_unused_points(points_, connectivity_);
    return Mesh::from_arrays(std::move(points_), std::move(shapes_), std::move(connectivity_), std::move(groups_))
        .value();
  }

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
    if (version == "MFEM INLINE mesh v1.0") {
      inline_ = true;
      return;
    }
    if (version.find("NC mesh") != std::string_view::npos || version == "MFEM mesh v1.1")
      in_.fail_at(
          0, "expected a conforming mesh ('MFEM mesh v1.0'), found one with hanging nodes (NC)",
          "Refine uniformly instead; or write the leaves as a picture: MFEM's Mesh::PrintVTU, which is read as .vtu.");
    if (version.find("NURBS") != std::string_view::npos)
      in_.fail_at(0, "expected 'MFEM mesh v1.0', found a NURBS mesh, whose cells are rational",
                  "Take cells of order 2 near it, which MFEM does: mesh.SetCurvature(2, false), then Mesh::Save.");
    in_.fail_at(0, fmt::format("expected 'MFEM mesh v1.0', 'v1.2' or 'v1.3', found {}", quoted(version)),
                std::string(resave_mfem));
  }

  // ---- a box ----

  /// "type = hex", "nx = 4", "sx = 1.5" …, one a line (mfem.org/mesh-formats, "MFEM INLINE mesh").
  Mesh box() {
    std::string type;
    std::array<Index, 3> cells{0, 0, 0};
    std::array<double, 3> size{-1, -1, -1};
    for (skip(); !in_.at_end(); skip()) {
      const std::size_t at = in_.position();
      std::string text(in_.line());
      if (const auto equals = text.find('='); equals != std::string::npos) text[equals] = ' ';
      Cursor words(text, in_.file(), 1 << 20);
      const std::string_view key = words.word();
      const std::string_view value = words.word();
      const auto number = [&](auto& into) {
        const auto [stop, code] = std::from_chars(value.data(), value.data() + value.size(), into);
        if (code != std::errc{} || stop != value.data() + value.size() || !(into > 0))
          in_.fail_at(at, fmt::format("{}: expected a number above 0, found {}", key, quoted(value)));
      };
      if (key == "type")
        type = value;
      else if (key.size() == 2 && key[0] == 'n' && key[1] >= 'x' && key[1] <= 'z')
        number(cells[static_cast<std::size_t>(key[1] - 'x')]);
      else if (key.size() == 2 && key[0] == 's' && key[1] >= 'x' && key[1] <= 'z')
        number(size[static_cast<std::size_t>(key[1] - 'x')]);
      else
        in_.fail_at(at, fmt::format("expected type, nx, ny, nz, sx, sy or sz, found {}", quoted(key)));
    }
    const bool flat = type == "quad" || type == "tri", full = type == "hex" || type == "tet";
    if (!flat && !full && type != "segment")
      in_.fail_at(0,
                  fmt::format("expected a box of segments, triangles, quads, tets or hexes, found type {}",
                              quoted(std::string_view(type))),
                  "Write type = tet, quad, hex …");
    dimension_ = full ? 3 : flat ? 2 : 1;
    std::uint64_t points = 1, boxes = 1;
    for (std::size_t a = 0; a < 3; ++a) {
      if (a >= static_cast<std::size_t>(dimension_)) {
        cells[a] = 0;
        continue;
      }
      if (cells[a] < 1 || cells[a] > 1000000000 || !(size[a] > 0) || !std::isfinite(size[a]))
        in_.fail_at(
            0, fmt::format("expected n{0} and s{0} above 0 for type {1}", "xyz"[a], quoted(std::string_view(type))));
      in_.take_memory(points, static_cast<std::uint64_t>(cells[a]) + 1, "points");  // cannot overflow below
      points *= static_cast<std::uint64_t>(cells[a]) + 1;
      boxes *= static_cast<std::uint64_t>(cells[a]);
    }
    in_.take_memory(points, 3 * sizeof(double), "points");
    in_.take_memory(boxes, (type == "tet" ? 36u : 10u) * sizeof(Index), "elements");
    fill_box(cells, size, type == "tri" || type == "tet");
    return finished();
  }

  void fill_box(const std::array<Index, 3>& n, const std::array<double, 3>& size, bool cut) {
    const auto point = [&](Index i, Index j, Index k) { return i + (n[0] + 1) * (j + (n[1] + 1) * k); };
    for (Index k = 0; k <= n[2]; ++k)
      for (Index j = 0; j <= n[1]; ++j)
        for (Index i = 0; i <= n[0]; ++i) {
          const std::array<Index, 3> at{i, j, k};
          for (std::size_t a = 0; a < 3; ++a)
            points_.push_back(
                n[a] > 0 ? options_.scale * size[a] * static_cast<double>(at[a]) / static_cast<double>(n[a]) : 0.0);
        }
    const auto add = [&](CellShape shape, int attribute, std::initializer_list<Index> nodes) {
      shapes_.push_back(shape);
      connectivity_.insert(connectivity_.end(), nodes);
      attributes_.push_back(attribute);
    };
    const bool flat = dimension_ == 2, full = dimension_ == 3;
    for (Index k = 0; k < std::max<Index>(1, n[2]); ++k)
      for (Index j = 0; j < std::max<Index>(1, n[1]); ++j)
        for (Index i = 0; i < n[0]; ++i) {
          const auto p = [&](Index a, Index b, Index c) { return point(i + a, j + b, k + c); };
          if (full)
            add(CellShape::hex8, 1,
                {p(0, 0, 0), p(1, 0, 0), p(1, 1, 0), p(0, 1, 0), p(0, 0, 1), p(1, 0, 1), p(1, 1, 1), p(0, 1, 1)});
          else if (flat)
            add(CellShape::quad4, 1, {p(0, 0, 0), p(1, 0, 0), p(1, 1, 0), p(0, 1, 0)});
          else
            add(CellShape::line2, 1, {p(0, 0, 0), p(1, 0, 0)});
        }
    // Attributes of the sides as MFEM numbers them: in the plane below, right, above, left; in space below, front, right, back, left, above.
    if (!flat && !full) {
      add(CellShape::vertex, 1, {0});
      add(CellShape::vertex, 2, {n[0]});
    }
    if (flat) {
      for (Index i = 0; i < n[0]; ++i) {
        add(CellShape::line2, 1, {point(i, 0, 0), point(i + 1, 0, 0)});
        add(CellShape::line2, 3, {point(i + 1, n[1], 0), point(i, n[1], 0)});
      }
      for (Index j = 0; j < n[1]; ++j) {
        add(CellShape::line2, 2, {point(n[0], j, 0), point(n[0], j + 1, 0)});
        add(CellShape::line2, 4, {point(0, j + 1, 0), point(0, j, 0)});
      }
    }
    if (full) {
      for (Index j = 0; j < n[1]; ++j)
        for (Index i = 0; i < n[0]; ++i) {
          add(CellShape::quad4, 1, {point(i, j, 0), point(i, j + 1, 0), point(i + 1, j + 1, 0), point(i + 1, j, 0)});
          add(CellShape::quad4, 6,
              {point(i, j, n[2]), point(i + 1, j, n[2]), point(i + 1, j + 1, n[2]), point(i, j + 1, n[2])});
        }
      for (Index k = 0; k < n[2]; ++k) {
        for (Index i = 0; i < n[0]; ++i) {
          add(CellShape::quad4, 2, {point(i, 0, k), point(i + 1, 0, k), point(i + 1, 0, k + 1), point(i, 0, k + 1)});
          add(CellShape::quad4, 4,
              {point(i, n[1], k), point(i, n[1], k + 1), point(i + 1, n[1], k + 1), point(i + 1, n[1], k)});
        }
        for (Index j = 0; j < n[1]; ++j) {
          add(CellShape::quad4, 3,
              {point(n[0], j, k), point(n[0], j + 1, k), point(n[0], j + 1, k + 1), point(n[0], j, k + 1)});
          add(CellShape::quad4, 5, {point(0, j, k), point(0, j, k + 1), point(0, j + 1, k + 1), point(0, j + 1, k)});
        }
      }
    }
    if (cut) {
      make_groups();
      readers::cut_all_cells(points_, shapes_, connectivity_, groups_);
      attributes_.clear();
    }
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
      if (readers::cell_dimension(geometry.straight) != dimension)
        in_.fail_at(at, fmt::format("expected {} of dimension {}, found a {}",
                                    boundary ? "boundary elements" : "elements", dimension, geometry.name));
      const auto nodes = static_cast<std::size_t>(readers::cell_nodes(geometry.straight));
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

  /// The name (in quotes, or the whole line), a count and the attributes of each set.
  void attribute_sets(bool boundary) {
    const auto count = integer<std::uint64_t>("the number of attribute sets");
    in_.need(count, 6, "attribute sets");
    for (std::uint64_t i = 0; i < count; ++i) {
      skip();
      const std::size_t at = in_.position();
      const std::string_view line = in_.line();
      const auto first = line.find('"');
      const auto last = line.rfind('"');
      std::string_view name = line;
      if (first != std::string_view::npos && last != first) {
        name = line.substr(first + 1, last - first - 1);
        in_.seek(at + last + 1);  // the count may follow in the line
      }
      while (!name.empty() && Cursor::is_space(name.back())) name.remove_suffix(1);
      if (name.empty()) in_.fail_at(at, fmt::format("expected the name of a set, found {}", quoted(line)));
      const auto members = integer<std::uint64_t>("the number of attributes in the set");
      in_.need(members, 1, "attributes");
      in_.take_memory(1, 128 + line.size() + 4 * members, "attribute sets");
      AttributeSet set{std::string(name), boundary, {}};
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
    if (order == 2 && std::any_of(shapes_.begin(), shapes_.end(), [](CellShape c) { return nodes_of(c) == 0; }))
      in_.fail_at(at, "expected straight prisms and pyramids, found a mesh of them with nodes of order 2",
                  "Save it straight: mesh.SetCurvature(1, false).");
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
                  "Discontinuous nodes belong to periodic meshes, which close upon themselves: save the mesh as it was "
                  "before its sides were "
                  "joined. A mesh that is not periodic is saved with continuous nodes by mesh.SetCurvature(2, false).");
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
      const int dimension = readers::cell_dimension(shapes_[c]);
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
  bool inline_ = false;
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
