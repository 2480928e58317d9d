// SPDX-License-Identifier: BSD-3-Clause
// I-DEAS universal files (SDRC, Universal File Datasets Summary): data sets between lines that hold -1 alone. Nodes: 15, 781, 2411;
// elements: 780, 2412; units: 164; groups: 2417, 2429, 2430, 2432, 2435, 2452, 2467, 2477. Numbers stand between blanks.
//
// Curved elements list their nodes around each ring, corners and middles in turn; the upright middles of a brick between its rings.
#include "engine/mesh/readers/cursor.hpp"
#include "engine/mesh/readers/mixed_cells.hpp"
#include "engine/mesh/readers/read_mesh.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

namespace conoid {
namespace {

using readers::Cursor;
using readers::quoted;

/// An element: VTK's node i is the file's node from[i].
struct UnvShape {
  CellShape shape;
  std::size_t file_nodes;
  std::array<std::uint8_t, 20> from;
};
constexpr std::array<std::uint8_t, 20> same{0, 1, 2, 3, 4, 5, 6, 7};
constexpr UnvShape line2{CellShape::line2, 2, same}, line3{CellShape::line3, 3, {0, 2, 1}},
    triangle3{CellShape::triangle3, 3, same}, triangle6{CellShape::triangle6, 6, {0, 2, 4, 1, 3, 5}},
    quad4{CellShape::quad4, 4, same}, quad8{CellShape::quad8, 8, {0, 2, 4, 6, 1, 3, 5, 7}},
    tet4{CellShape::tet4, 4, same}, tet10{CellShape::tet10, 10, {0, 2, 4, 9, 1, 3, 5, 6, 7, 8}},
    prism6{readers::prism6, 6, same}, prism15{readers::prism6, 15, {0, 2, 4, 9, 11, 13}},
    hex8{CellShape::hex8, 8, same},
    hex20{CellShape::hex20, 20, {0, 2, 4, 6, 12, 14, 16, 18, 1, 3, 5, 7, 13, 15, 17, 19, 8, 9, 10, 11}},
    vertex{CellShape::vertex, 1, same}, pyramid5{readers::pyramid5, 5, same},
    pyramid13{readers::pyramid5, 13, {0, 2, 4, 6, 12}};

/// By the number of the element's kind ("FE descriptor id"); nullptr for springs, rigid bars and what has no shape.
const UnvShape* shape_of(int kind) {
  switch (kind) {
    case 11:
    case 21:
    case 22: return &line2;
    case 23:
    case 24: return &line3;
    case 41:
    case 51:
    case 61:
    case 74:
    case 81:
    case 91: return &triangle3;
    case 42:
    case 52:
    case 62:
    case 72:
    case 82:
    case 92: return &triangle6;
    case 44:
    case 54:
    case 64:
    case 71:
    case 84:
    case 94: return &quad4;
    case 45:
    case 55:
    case 65:
    case 75:
    case 85:
    case 95: return &quad8;
    case 111: return &tet4;
    case 118: return &tet10;
    case 112: return &prism6;
    case 113: return &prism15;
    case 115: return &hex8;
    case 116: return &hex20;
    case 312: return &pyramid5;
    case 313: return &pyramid13;
    case 161: return &vertex;
    default: return nullptr;
  }
}

bool is_beam(int kind) {
  return kind == 11 || (kind >= 21 && kind <= 24);
}

class UnvReader {
 public:
  UnvReader(std::string_view bytes, const std::string& file, const ReadOptions& options)
      : in_(bytes, file, options.memory_limit), options_(options), scale_(options.scale) {}

  Mesh read() {
    in_.check_unit(options_.scale);
    in_.skip_byte_order_mark();
    while (to_mark()) data_set();
    return finish();
  }

 private:
  static bool is_mark(std::string_view line) {
    const auto first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return false;
    line.remove_prefix(first);
    return line.starts_with("-1") && line.substr(2).find_first_not_of(" \t\r") == std::string_view::npos;
  }
  /// Past the next line that holds -1 alone.
  bool to_mark() {
    while (!in_.at_end())
      if (is_mark(in_.line())) return true;
    return false;
  }
  /// True, and passed over, where the data set ends.
  bool at_mark() {
    const std::size_t at = in_.position();
    if (in_.at_end()) in_.fail("expected a line -1 at the end of a data set, found the end of the file");
    if (is_mark(in_.line())) return true;
    in_.seek(at);
    return false;
  }

  void data_set() {
    const int number = in_.integer<int>("the number of a data set");
    in_.line();
    switch (number) {
      case 164: return units();
      case 15: return nodes(true);
      case 781:
      case 2411: return nodes(false);
      case 780: return elements(8);
      case 2412: return elements(6);
      case 2417:
      case 2429:
      case 2430:
      case 2432: return groups(2);
      case 2435:
      case 2452:
      case 2467:
      case 2477: return groups(4);
      default: {
        if (!to_mark()) in_.fail("expected a line -1 at the end of a data set, found the end of the file");
      }
    }
  }

  /// "1.5D+03" is a number.
  double real(std::string_view what) {
    in_.skip_space();
    const std::size_t at = in_.position();
    const std::string_view word = in_.word();
    std::array<char, 64> text{};
    double value = 0;
    if (word.size() < text.size()) {
      std::transform(word.begin(), word.end(), text.begin(), [](char c) { return c == 'D' || c == 'd' ? 'e' : c; });
      const char* from = text[0] == '+' ? text.data() + 1 : text.data();
      const auto [stop, code] = std::from_chars(from, text.data() + word.size(), value);
      if (code == std::errc::result_out_of_range && stop == text.data() + word.size() && std::abs(value) < 1) return 0;
      if (code == std::errc{} && stop == text.data() + word.size() && std::isfinite(value)) return value;
    }
    in_.fail_at(at, fmt::format("expected {}, found {}", what, word.empty() ? "the end of the file" : quoted(word)));
  }

  void units() {
    // The code stands in the first ten columns, its words right behind.
    in_.skip_space();
    const std::string_view line = in_.line();
    int code = 0;
    std::from_chars(line.data(), line.data() + line.size(), code);
    const std::size_t at = in_.position();
    const double factor = real("the factor of length");
    if (!(factor > 0) || !(1 / factor > 0) || !std::isfinite(1 / factor))
      in_.fail_at(at, fmt::format("expected a factor of length above 0, found {}", factor));
    constexpr std::array<std::string_view, 11> names{"", "m", "ft", "m", "ft", "mm", "cm", "in", "mm", "", "mm"};
    unit_ = 1 / factor;
    unit_name_ = code >= 1 && code <= 10 && !names[static_cast<std::size_t>(code)].empty()
                     ? std::string(names[static_cast<std::size_t>(code)])
                     : fmt::format("{:.6g} m", unit_);
    if (!to_mark()) in_.fail("expected a line -1 at the end of a data set, found the end of the file");
  }

  void nodes(bool one_line) {
    while (!at_mark()) {
      in_.take_memory(1, 2 * (sizeof(Index) + 3 * sizeof(double)), "nodes");
      const std::size_t at = in_.position();
      const auto label = in_.integer<Index>("a node's number above 0");
      if (label < 1) in_.fail_at(at, fmt::format("expected a node's number above 0, found {}", label));
      tags_.push_back(label);
      for (int k = 0; k < 3; ++k) in_.integer<int>("a number of the node's record");
      if (!one_line) in_.line();
      for (int a = 0; a < 3; ++a) points_.push_back(real("a coordinate"));
      in_.line();
    }
  }

  void elements(int header) {
    while (!at_mark()) {
      const std::size_t at = in_.position();
      const auto label = in_.integer<Index>("an element's number above 0");
      const int kind = in_.integer<int>("the kind of the element");
      for (int k = 0; k < header - 3; ++k) in_.integer<int>("a number of the element's record");
      const auto count = in_.integer<std::int64_t>("a number of nodes");
      in_.line();
      if (count < 1 || count > 10000)
        in_.fail_at(at, fmt::format("element {}: expected a number of nodes, found {}", label, count));
      if (is_beam(kind)) in_.line();  // orientation and ends
      in_.take_memory(1, (static_cast<std::uint64_t>(count) + 8) * 2 * sizeof(Index), "elements");
      nodes_.clear();
      for (std::int64_t k = 0; k < count; ++k) nodes_.push_back(in_.integer<Index>("a node's number"));
      in_.line();
      const UnvShape* shape = shape_of(kind);
      if (shape == nullptr) {
        ++without_shape_;
        continue;
      }
      if (nodes_.size() != shape->file_nodes)
        in_.fail_at(at,
                    fmt::format("element {} of kind {}: expected {} nodes, found {}", label, kind, shape->file_nodes,
                                nodes_.size()),
                    "The format has no nodes in the middle of faces: in Gmsh, set Mesh.SecondOrderIncomplete = 1 "
                    "before meshing.");
      if (static_cast<int>(nodes_.size()) > readers::cell_nodes(shape->shape)) ++straightened_;
      if (!cells_.emplace(label, static_cast<Index>(shapes_.size())).second)
        in_.fail_at(at, fmt::format("expected each element once, found {} twice", label));
      for (int k = 0; k < readers::cell_nodes(shape->shape); ++k)
        connectivity_.push_back(nodes_[shape->from[static_cast<std::size_t>(k)]]);
      shapes_.push_back(shape->shape);
      positions_.push_back(at);
    }
  }

  /// Two or four numbers an entity, of which the first are its kind (8: an element) and its number.
  void groups(int each) {
    while (!at_mark()) {
      const int number = in_.integer<int>("a group's number");
      for (int k = 0; k < 6; ++k) in_.integer<int>("a number of the group's record");
      const auto count = in_.integer<std::uint64_t>("the number of the group's members");
      in_.line();
      std::string_view name = in_.line();
      while (!name.empty() && Cursor::is_space(name.back())) name.remove_suffix(1);
      while (!name.empty() && Cursor::is_space(name.front())) name.remove_prefix(1);
      in_.need(count, static_cast<std::uint64_t>(each) * 2 - 1, "members");
      in_.take_memory(count, 2 * sizeof(Index), "members");
      in_.take_memory(1, 256 + name.size(), "group");
      Members group{name.empty() ? std::to_string(number) : std::string(name), number, {}};
      for (std::uint64_t k = 0; k < count; ++k) {
        const int kind = in_.integer<int>("the kind of a member");
        const auto member = in_.integer<Index>("the number of a member");
        for (int rest = 2; rest < each; ++rest) in_.integer<int>("a number of the member's record");
        if (kind == 8) group.elements.push_back(member);
      }
      in_.line();
      members_.push_back(std::move(group));
    }
  }

  Mesh finish() {
    if (shapes_.empty())
      in_.fail("expected at least one element (data set 2412), found none", "Export the elements with the nodes.");
    if (unit_ > 0) scale_ = unit_;
    for (double& x : points_) {
      x *= scale_;
      if (!std::isfinite(x)) in_.fail(fmt::format("expected finite coordinates, found {}", x));
    }
    readers::resolve_tags(
        in_, tags_, connectivity_,
        [this](Index tag) { in_.fail(fmt::format("expected each node once, found {} twice", tag)); },
        [this](std::size_t k) {
          std::size_t cell = 0;
          for (std::size_t end = 0; cell < shapes_.size(); ++cell) {
            end += static_cast<std::size_t>(readers::cell_nodes(shapes_[cell]));
            if (k < end) break;
          }
          in_.fail_at(positions_[cell], fmt::format("expected nodes that the file gives, found {}", connectivity_[k]));
        });
    std::vector<MeshGroup> groups = made_groups();
    if (options_.notes != nullptr) {
      options_.notes->unit = unit_;
      options_.notes->unit_name = unit_name_;
      if (without_shape_ > 0)
        options_.notes->said.push_back(fmt::format(
            "{} elements without a shape of their own (springs, rigid bars …) were left out", without_shape_));
      if (straightened_ > 0)
        options_.notes->said.push_back(
            fmt::format("{} prisms and pyramids of order 2 were taken straight, by their corners", straightened_));
    }
    readers::cut_mixed_cells(points_, shapes_, connectivity_, groups, options_.notes);
    if (!options_.keep_unused_points) readers::drop_unused_points(points_, connectivity_);
    auto mesh = Mesh::from_arrays(std::move(points_), std::move(shapes_), std::move(connectivity_), std::move(groups));
    if (!mesh) throw Failure(mesh.error());
    return std::move(*mesh);
  }

  struct Members {
    std::string name;
    int number;
    std::vector<Index> elements;
  };

  std::vector<MeshGroup> made_groups() {
    std::vector<MeshGroup> out;
    std::map<std::pair<std::string, int>, std::size_t> known;
    for (const Members& m : members_)
      for (const Index label : m.elements) {
        const auto cell = cells_.find(label);
        if (cell == cells_.end()) continue;  // a spring, or an element that is not in this file
        const int dimension = readers::cell_dimension(shapes_[static_cast<std::size_t>(cell->second)]);
        const auto [it, fresh] = known.try_emplace({m.name, dimension}, out.size());
        if (fresh) out.push_back({m.name, dimension, std::max(0, m.number), {}});
        out[it->second].cells.push_back(cell->second);
      }
    for (MeshGroup& g : out) {
      std::sort(g.cells.begin(), g.cells.end());
      g.cells.erase(std::unique(g.cells.begin(), g.cells.end()), g.cells.end());
    }
    return out;
  }

  Cursor in_;
  const ReadOptions& options_;
  double scale_, unit_ = 0;
  std::string unit_name_;
  std::vector<Index> tags_, connectivity_, nodes_;
  std::vector<double> points_;
  std::vector<CellShape> shapes_;
  std::vector<std::size_t> positions_;
  std::unordered_map<Index, Index> cells_;
  std::vector<Members> members_;
  std::size_t without_shape_ = 0, straightened_ = 0;
};

}  // namespace

Result<Mesh> read_unv(std::string_view bytes, const std::string& file, const ReadOptions& options) {
  try {
    return UnvReader(bytes, file, options).read();
  } catch (...) {
    return current_exception_as_error();
  }
}

}  // namespace conoid
