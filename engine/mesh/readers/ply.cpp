// SPDX-License-Identifier: BSD-3-Clause
// PLY (Stanford polygon format, G. Turk's description of 1994): a text header that declares elements and their
// properties, then the records as text or as binary numbers of either byte order.
#include "engine/mesh/polygon.hpp"
#include "engine/mesh/readers/cursor.hpp"
#include "engine/mesh/readers/read_mesh.hpp"

#include <algorithm>
#include <array>

namespace conoid {
namespace {

using readers::Cursor;
using readers::quoted;

enum class Number : std::uint8_t { i8, u8, i16, u16, i32, u32, f32, f64 };

struct NumberName {
  std::string_view name;
  Number number;
};
constexpr std::array<NumberName, 16> number_names{{{"char", Number::i8},
                                                   {"uchar", Number::u8},
                                                   {"short", Number::i16},
                                                   {"ushort", Number::u16},
                                                   {"int", Number::i32},
                                                   {"uint", Number::u32},
                                                   {"float", Number::f32},
                                                   {"double", Number::f64},
                                                   {"int8", Number::i8},
                                                   {"uint8", Number::u8},
                                                   {"int16", Number::i16},
                                                   {"uint16", Number::u16},
                                                   {"int32", Number::i32},
                                                   {"uint32", Number::u32},
                                                   {"float32", Number::f32},
                                                   {"float64", Number::f64}}};
constexpr std::array<std::uint8_t, 8> number_sizes{1, 1, 2, 2, 4, 4, 4, 8};

bool is_integer(Number n) {
  return n < Number::f32;
}

/// What a property is for.
enum class Role : std::uint8_t { other, x, y, z, corners, first, second };

struct Property {
  std::string_view name;
  bool list = false;
  Number count = Number::u8;  ///< of a list
  Number value = Number::f32;
  Role role = Role::other;
};

struct Element {
  std::string_view name;
  std::uint64_t count = 0;
  std::size_t position = 0;  ///< of its line, for messages
  std::vector<Property> properties;
};

class PlyReader {
 public:
  PlyReader(std::string_view bytes, const std::string& file, const ReadOptions& options)
      : in_(bytes, file, options.memory_limit), options_(options) {}

  Mesh read() {
    in_.check_unit(options_.scale);
    header();
    for (const Element& element : elements_) {
      if (element.name == "vertex")
        vertices(element);
      else if (element.name == "face")
        faces(element);
      else if (element.name == "edge")
        edges(element);
      else
        skip(element);
    }
    if (shapes_.empty())
      in_.fail("expected at least one face, found none",
               strips_ ? "This file holds triangle strips; save it with plain faces (\"element face\")."
                       : "This is a cloud of points; make a surface of it first, for example in MeshLab.");
    if (!options_.keep_unused_points) readers::drop_unused_points(points_, connectivity_);
    return Mesh::from_arrays(std::move(points_), std::move(shapes_), std::move(connectivity_)).value();
  }

 private:
  // ---- header ----

  void header() {
    if (in_.word() != "ply") in_.fail_at(0, "expected 'ply' at the beginning", "This is not a PLY file.");
    in_.line();
    bool format_seen = false;
    for (;;) {
      in_.skip_space();
      const std::size_t at = in_.position();
      if (in_.at_end()) in_.fail("expected 'end_header', found the end of the file");
      const std::string_view key = in_.word_in_line();
      if (key == "comment" || key == "obj_info") {
        in_.line();
        continue;
      }
      if (key == "end_header") {
        if (!format_seen) in_.fail_at(at, "expected a line 'format ascii 1.0' or alike before 'end_header'");
        // The records begin right after this line's end: in binary their first byte may look like a space.
        in_.line();
        break;
      }
      if (key == "format") {
        format(at);
        format_seen = true;
      } else if (key == "element") {
        declare_element(at);
      } else if (key == "property") {
        declare_property(at);
      } else {
        in_.fail_at(at,
                    fmt::format("expected 'element', 'property', 'comment' or 'end_header', found {}", quoted(key)));
      }
      if (!in_.at_line_end()) in_.fail_expected("the end of the line");
    }
    const auto vertex =
        std::find_if(elements_.begin(), elements_.end(), [](const Element& e) { return e.name == "vertex"; });
    if (vertex == elements_.end()) in_.fail("expected 'element vertex' in the header, found none");
    for (const Role role : {Role::x, Role::y, Role::z})
      if (std::none_of(vertex->properties.begin(), vertex->properties.end(),
                       [role](const Property& p) { return p.role == role; }))
        in_.fail_at(vertex->position, "expected the properties x, y and z of a vertex");
    vertex_total_ = vertex->count;
    if (binary_) in_.set_binary((std::endian::native == std::endian::big) != big_);
  }

  void format(std::size_t at) {
    const std::string_view kind = in_.word_in_line();
    const std::string_view version = in_.word_in_line();
    binary_ = kind != "ascii";
    big_ = kind == "binary_big_endian";
    if ((binary_ && !big_ && kind != "binary_little_endian") || version != "1.0")
      in_.fail_at(
          at,
          fmt::format("expected 'format ascii 1.0', 'binary_little_endian 1.0' or 'binary_big_endian 1.0', found {} {}",
                      quoted(kind), quoted(version)));
  }

  void declare_element(std::size_t at) {
    in_.take_memory(1, 2 * sizeof(Element), "declaration");
    Element element;
    element.name = in_.word_in_line();
    element.position = at;
    if (in_.at_line_end()) in_.fail_at(at, "expected 'element', a name and a number");
    element.count = in_.integer_here<std::uint64_t>("a number of records");
    for (const Element& other : elements_)
      if (other.name == element.name)
        in_.fail_at(at, fmt::format("expected each element once, found {} twice", quoted(element.name)));
    if (element.name == "tristrips" && element.count > 0) strips_ = true;
    elements_.push_back(std::move(element));
  }

  Number number_named() {
    in_.skip_blanks();
    const std::size_t at = in_.position();
    const std::string_view name = in_.word_in_line();
    for (const NumberName& n : number_names)
      if (n.name == name) return n.number;
    in_.fail_at(at, fmt::format("expected a type such as float, double, int or uchar, found {}", quoted(name)));
  }

  void declare_property(std::size_t at) {
    if (elements_.empty()) in_.fail_at(at, "expected 'element' before the first 'property'");
    in_.take_memory(1, 2 * sizeof(Property), "declaration");
    Element& element = elements_.back();
    Property p;
    in_.skip_blanks();
    const std::size_t before = in_.position();
    if (in_.word_in_line() == "list") {
      p.list = true;
      p.count = number_named();
      if (!is_integer(p.count)) in_.fail_at(before, "expected an integer type for the length of a list");
    } else {
      in_.seek(before);
    }
    p.value = number_named();
    p.name = in_.word_in_line();
    if (p.name.empty()) in_.fail_at(at, "expected the name of the property, found the end of the line");
    if (element.name == "vertex" && !p.list)
      p.role = p.name == "x" ? Role::x : p.name == "y" ? Role::y : p.name == "z" ? Role::z : Role::other;
    if (element.name == "face" && p.list && (p.name == "vertex_indices" || p.name == "vertex_index"))
      p.role = Role::corners;
    if (element.name == "edge" && !p.list)
      p.role = p.name == "vertex1" ? Role::first : p.name == "vertex2" ? Role::second : Role::other;
    if ((p.role == Role::corners || p.role >= Role::first) && !is_integer(p.value))
      in_.fail_at(at, fmt::format("expected an integer type for '{}'", p.name));
    for (const Property& other : element.properties)
      if (other.name == p.name)
        in_.fail_at(at, fmt::format("expected each property once, found {} twice", quoted(p.name)));
    element.properties.push_back(p);
  }

  // ---- records ----

  /// Fails unless the records can still follow: each takes at least a digit and a space, or its binary size with empty lists.
  void need(const Element& element) {
    if (element.count == 0) return;
    if (element.properties.empty())
      in_.fail_at(element.position, fmt::format("expected at least one property of '{}', found none", element.name));
    std::uint64_t least = 0;
    for (const Property& p : element.properties)
      least += binary_ ? number_sizes[static_cast<std::size_t>(p.list ? p.count : p.value)] : 2;
    in_.need(element.count, binary_ ? least : least - 1, "records");
  }

  std::int64_t integer(Number type, std::string_view what) {
    if (!binary_) {
      return in_.integer<std::int64_t>(what);
    }
    switch (type) {
      case Number::i8: return in_.load<std::int8_t>(what);
      case Number::u8: return in_.load<std::uint8_t>(what);
      case Number::i16: return in_.load<std::int16_t>(what);
      case Number::u16: return in_.load<std::uint16_t>(what);
      case Number::i32: return in_.load<std::int32_t>(what);
      case Number::u32: return in_.load<std::uint32_t>(what);
      default: return 0;
    }
  }

  double coordinate(Number type) {
    if (!binary_) return in_.real("a coordinate");
    double x = 0;
    if (type == Number::f32)
      x = in_.load<float>("a coordinate");
    else if (type == Number::f64)
      x = in_.load<double>("a coordinate");
    else
      x = static_cast<double>(integer(type, "a coordinate"));
    if (!std::isfinite(x)) in_.fail(fmt::format("expected a finite coordinate, found {}", x));
    return x;
  }

  /// A value that is not used: colours, normals (which may be nan), textures.
  void skip_value(Number type) {
    if (binary_) {
      const std::uint64_t size = number_sizes[static_cast<std::size_t>(type)];
      in_.need(1, size, "value");
      in_.advance(size);
    } else if (in_.word().empty()) {
      in_.fail_expected("a number");
    }
  }

  std::uint64_t length(const Property& p) {
    const std::int64_t n = integer(p.count, "the length of a list");
    if (n < 0) in_.fail(fmt::format("expected the length of a list, found {}", n));
    const auto count = static_cast<std::uint64_t>(n);
    in_.need(count, binary_ ? number_sizes[static_cast<std::size_t>(p.value)] : 1, "entries of a list");
    return count;
  }

  void skip_property(const Property& p) {
    if (!p.list) return skip_value(p.value);
    const std::uint64_t n = length(p);
    if (binary_)
      in_.advance(n * number_sizes[static_cast<std::size_t>(p.value)]);
    else
      for (std::uint64_t i = 0; i < n; ++i) skip_value(p.value);
  }

  void skip(const Element& element) {
    need(element);
    for (std::uint64_t i = 0; i < element.count; ++i)
      for (const Property& p : element.properties) skip_property(p);
  }

  void vertices(const Element& element) {
    need(element);
    in_.take_memory(element.count, 3 * sizeof(double), "vertices");
    points_.resize(3 * element.count);
    for (std::uint64_t i = 0; i < element.count; ++i)
      for (const Property& p : element.properties) {
        if (p.role == Role::other)
          skip_property(p);
        else
          points_[3 * i + (p.role == Role::x ? 0 : p.role == Role::y ? 1 : 2)] = coordinate(p.value) * options_.scale;
      }
  }

  Index corner(Number type) {
    const std::int64_t n = integer(type, "a vertex number");
    if (n < 0 || static_cast<std::uint64_t>(n) >= vertex_total_)
      in_.fail(vertex_total_ == 0 ? fmt::format("expected no faces, for there are no vertices; found vertex {}", n)
                                  : fmt::format("expected a vertex from 0 to {}, found {}", vertex_total_ - 1, n));
    return n;
  }

  void faces(const Element& element) {
    const bool known = std::any_of(element.properties.begin(), element.properties.end(),
                                   [](const Property& p) { return p.role == Role::corners; });
    if (!known && element.count > 0)
      in_.fail_at(element.position, "expected the property 'list … vertex_indices' of a face, found none");
    need(element);
    for (std::uint64_t i = 0; i < element.count; ++i)
      for (const Property& p : element.properties) {
        if (p.role != Role::corners) {
          skip_property(p);
          continue;
        }
        const std::uint64_t n = length(p);
        if (n < 3) in_.fail(fmt::format("face {}: expected at least 3 vertices, found {}", i, n));
        in_.take_memory(n, 2 * (3 + 2) * sizeof(Index), "corners of faces");
        polygon_.clear();
        for (std::uint64_t k = 0; k < n; ++k) polygon_.push_back(corner(p.value));
        add_polygon();
      }
  }

  void add_polygon() {
    places_.clear();
    // Vertices come first by custom; where they do not, a polygon is taken for a convex one.
    for (const Index i : polygon_) {
      const auto k = static_cast<std::size_t>(3 * i);
      if (k + 3 <= points_.size()) places_.push_back({points_[k], points_[k + 1], points_[k + 2]});
    }
    if (places_.size() < polygon_.size()) places_.assign(polygon_.size(), Vec3{});
    if (polygon_.size() <= 4 && is_convex(places_)) {
      shapes_.push_back(polygon_.size() == 3 ? CellShape::triangle3 : CellShape::quad4);
      connectivity_.insert(connectivity_.end(), polygon_.begin(), polygon_.end());
      return;
    }
    for (const auto& t : triangulate(places_)) {
      shapes_.push_back(CellShape::triangle3);
      for (const Index k : t) connectivity_.push_back(polygon_[static_cast<std::size_t>(k)]);
    }
  }

  void edges(const Element& element) {
    int ends = 0;
    for (const Property& p : element.properties) ends += p.role != Role::other ? 1 : 0;
    if (ends != 2) return skip(element);
    need(element);
    in_.take_memory(element.count, 2 * 4 * sizeof(Index), "edges");
    for (std::uint64_t i = 0; i < element.count; ++i) {
      std::array<Index, 2> nodes{};
      for (const Property& p : element.properties) {
        if (p.role == Role::other)
          skip_property(p);
        else
          nodes[p.role == Role::first ? 0 : 1] = corner(p.value);
      }
      shapes_.push_back(CellShape::line2);
      connectivity_.insert(connectivity_.end(), nodes.begin(), nodes.end());
    }
  }

  Cursor in_;
  const ReadOptions& options_;
  std::vector<Element> elements_;
  bool binary_ = false;
  bool big_ = false;
  bool strips_ = false;
  std::uint64_t vertex_total_ = 0;
  std::vector<double> points_;
  std::vector<CellShape> shapes_;
  std::vector<Index> connectivity_;
  std::vector<Index> polygon_;
  std::vector<Vec3> places_;
};

}  // namespace

Result<Mesh> read_ply(std::string_view bytes, const std::string& file, const ReadOptions& options) {
  try {
    return PlyReader(bytes, file, options).read();
  } catch (...) {
    return current_exception_as_error();
  }
}

}  // namespace conoid
