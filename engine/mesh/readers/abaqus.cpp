// SPDX-License-Identifier: BSD-3-Clause
// Abaqus input files (Abaqus Keywords Reference Guide): lines '*KEYWORD, PARAMETER=VALUE', a comma at the end continues them; below them lines of
// values between commas; '**' begins a comment. Capitals do not matter.
//
// Nodes, elements and sets belong to a part; a file without parts is one. Instances place parts in the assembly.
#include "engine/core/vec3.hpp"
#include "engine/mesh/readers/cursor.hpp"
#include "engine/mesh/readers/mixed_cells.hpp"
#include "engine/mesh/readers/read_mesh.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <numbers>
#include <optional>
#include <unordered_map>

namespace conoid {
namespace {

using readers::Cursor;
using readers::quoted;
using readers::trimmed;

std::string upper(std::string_view text) {
  std::string out(trimmed(text));
  if (out.size() > 1 && out.front() == '"' && out.back() == '"') out = out.substr(1, out.size() - 2);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

/// What an element type is to a mesh: its shape and its nodes in the file; no shape for masses, springs and the like.
struct AbaqusShape {
  std::optional<CellShape> shape;
  int file_nodes = 0;
  bool middle_second = false;  ///< a line's middle node stands between its ends
};

/// The digits that begin at `at`.
int digits(const std::string& text, std::size_t at) {
  int value = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && value < 1000; ++at)
    value = 10 * value + (text[at] - '0');
  return value;
}

std::optional<AbaqusShape> solid(int nodes) {
  switch (nodes) {
    case 4: return AbaqusShape{CellShape::tet4, 4};
    case 10: return AbaqusShape{CellShape::tet10, 10};
    case 8: return AbaqusShape{CellShape::hex8, 8};
    case 20: return AbaqusShape{CellShape::hex20, 20};
    case 6: return AbaqusShape{readers::prism6, 6};
    case 15: return AbaqusShape{readers::prism6, 15};
    case 5: return AbaqusShape{readers::pyramid5, 5};
    case 13: return AbaqusShape{readers::pyramid5, 13};
    default: return std::nullopt;
  }
}

std::optional<AbaqusShape> face(int nodes) {
  switch (nodes) {
    case 3: return AbaqusShape{CellShape::triangle3, 3};
    case 4: return AbaqusShape{CellShape::quad4, 4};
    case 6:
    case 65: return AbaqusShape{CellShape::triangle6, 6};
    case 8: return AbaqusShape{CellShape::quad8, 8};
    case 9: return AbaqusShape{CellShape::quad9, 9};
    default: return std::nullopt;
  }
}

std::optional<AbaqusShape> line(int nodes) {
  if (nodes == 2) return AbaqusShape{CellShape::line2, 2};
  if (nodes == 3) return AbaqusShape{CellShape::line3, 3, true};
  return std::nullopt;
}

/// By the name of the type (Abaqus Elements Guide): what it is made for, the dimension of space, the number of nodes, options.
std::optional<AbaqusShape> shape_of(const std::string& type) {
  for (const std::string_view prefix : {"C3D", "DC3D", "AC3D", "DCC3D", "SC", "CSS"})
    if (type.starts_with(prefix) && type.size() > prefix.size() &&
        std::isdigit(static_cast<unsigned char>(type[prefix.size()])) != 0)
      return solid(digits(type, prefix.size()));
  for (const std::string_view prefix : {"CPS", "CPEG", "CPE", "CAXA", "CAX", "CGAX", "DC2D", "DCAX", "AC2D", "ACAX",
                                        "SFM3D", "M3D", "R3D", "STRI", "DS", "S", "F3D", "AC3"})
    if (type.starts_with(prefix) && type.size() > prefix.size() &&
        std::isdigit(static_cast<unsigned char>(type[prefix.size()])) != 0)
      return face(digits(type, prefix.size()));
  for (const std::string_view prefix : {"T2D", "T3D", "R2D", "RAX", "RB2D", "RB3D", "DC1D"})
    if (type.starts_with(prefix) && type.size() > prefix.size() &&
        std::isdigit(static_cast<unsigned char>(type[prefix.size()])) != 0)
      return line(digits(type, prefix.size()));
  if (type.size() >= 3 && type[0] == 'B' && (type[1] == '2' || type[1] == '3') &&
      std::isdigit(static_cast<unsigned char>(type[2])) != 0)
    return line(type[2] == '2' ? 3 : 2);
  if (type.starts_with("SAX") && type.size() > 3) return line(type[3] == '2' ? 3 : 2);
  for (const std::string_view prefix : {"MASS", "SPRING", "DASHPOT", "CONN", "ROTARYI", "COH", "GAP", "GK", "ITT",
                                        "JOINT", "HEATCAP", "ELBOW", "PIPE", "CIN"})
    if (type.starts_with(prefix)) return AbaqusShape{};
  return std::nullopt;
}

struct Part {
  std::vector<Index> tags;
  std::vector<double> points;
  std::vector<CellShape> shapes;
  std::vector<Index> connectivity;  // the file's numbers of nodes
  std::vector<std::size_t> positions;
  std::unordered_map<Index, Index> cells;                        // number of an element → its place
  std::vector<std::pair<std::string, std::vector<Index>>> sets;  // places of elements
  std::map<std::string, std::size_t> set_numbers;                // by its name in capitals
};

struct Instance {
  std::string part;
  Vec3 shift{}, from{}, to{};
  double angle = 0;  ///< rad
  std::size_t first_cell = 0;
};

class AbaqusReader {
 public:
  AbaqusReader(std::string_view bytes, const std::string& file, const ReadOptions& options)
      : in_(bytes, file, options.memory_limit), options_(options) {}

  Mesh read() {
    in_.check_unit(options_.scale);
    in_.skip_byte_order_mark();
    part_ = &parts_[""];
    std::string_view line;
    while (next_line(line)) {
      if (line.front() == '*')
        keyword(line);
      else
        values(line);
    }
    end_element();
    return finish();
  }

 private:
  // ---- lines ----

  bool next_line(std::string_view& line) {
    while (!in_.at_end()) {
      at_ = in_.position();
      line = trimmed(in_.line());
      if (!line.empty() && !line.starts_with("**")) return true;
    }
    return false;
  }

  /// "*ELEMENT, TYPE=C3D8R, ELSET=body": the keyword without its blanks, and its parameters.
  void keyword(std::string_view line) {
    end_element();
    std::string whole(line);
    while (whole.ends_with(',') && whole.size() < 10000) {
      std::string_view more;
      if (!next_line(more)) break;
      whole += more;
    }
    parameters_.clear();
    std::string key;
    for (std::size_t at = 0, k = 0; at <= whole.size() && k < 200; ++k) {
      const std::size_t end = std::min(whole.find(',', at), whole.size());
      const std::string_view piece = trimmed(std::string_view(whole).substr(at, end - at));
      at = end + 1;
      if (k == 0) {
        key = upper(piece.substr(1));
        continue;
      }
      const auto equals = piece.find('=');
      std::string_view value =
          equals == std::string_view::npos ? std::string_view{} : trimmed(piece.substr(equals + 1));
      if (value.size() > 1 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
      parameters_[upper(piece.substr(0, equals))] = value;
    }
    std::erase(key, ' ');
    begin(key);
  }

  [[nodiscard]] std::string parameter(const char* name) const {
    const auto found = parameters_.find(name);
    return found == parameters_.end() ? std::string() : found->second;
  }

  void begin(const std::string& key) {
    what_ = What::nothing;
    if (key == "NODE") {
      const std::string system = upper(parameter("SYSTEM"));
      if (!system.empty() && system != "R")
        in_.fail_at(at_, fmt::format("*NODE: expected Cartesian coordinates, found SYSTEM={}", system),
                    "Write the nodes in the Cartesian system.");
      if (parameters_.count("INPUT") > 0) refuse_file("*NODE");
      what_ = What::nodes;
    } else if (key == "ELEMENT") {
      begin_elements();
    } else if (key == "ELSET") {
      if (parameter("ELSET").empty()) in_.fail_at(at_, "*ELSET: expected a name (ELSET=…), found none");
      set_ = &set_named(target(), parameter("ELSET"));
      generate_ = parameters_.count("GENERATE") > 0;
      what_ = What::set;
    } else if (key == "PART") {
      part_ = &parts_[upper(parameter("NAME"))];
    } else if (key == "ENDPART") {
      part_ = &parts_[""];
    } else if (key == "INSTANCE") {
      if (parameter("PART").empty()) return;
      in_.take_memory(1, 4 * sizeof(Instance), "instances");
      names_.push_back(upper(parameter("NAME")));
      instances_.push_back({upper(parameter("PART")), {}, {}, {}, 0, 0});
      rows_ = 0;
      what_ = What::instance;
    } else if (key == "INCLUDE") {
      refuse_file("*INCLUDE");
    } else if (key == "NGEN" || key == "NFILL" || key == "NCOPY" || key == "ELGEN" || key == "ELCOPY" ||
               key == "SYSTEM" || key == "NMAP") {
      in_.fail_at(at_, fmt::format("expected nodes and elements written out, found *{}", key),
                  "Write the input file with all nodes and elements: the analysis program does so on its own when a "
                  "model is exported.");
    }
  }
  [[noreturn]] void refuse_file(const char* key) {
    in_.fail_at(at_, fmt::format("expected the whole model in one file, found {} of another", key),
                "Join the files into one.");
  }

  /// The sets of an assembly name elements of an instance; they are kept for its part, so that all instances of the part have them.
  Part& target() {
    const auto name = std::find(names_.begin(), names_.end(), upper(parameter("INSTANCE")));
    if (name == names_.end()) return *part_;
    return parts_[instances_[static_cast<std::size_t>(name - names_.begin())].part];
  }

  // ---- values ----

  void values(std::string_view line) {
    switch (what_) {
      case What::nothing: return;
      case What::nodes: return node(line);
      case What::elements: return element(line);
      case What::set: return members(line);
      case What::instance: return placing(line);
    }
  }

  /// The next value of a line; false at its end.
  static bool take(std::string_view& line, std::string_view& value) {
    if (line.empty()) return false;
    const auto end = line.find(',');
    value = trimmed(line.substr(0, end));
    line = end == std::string_view::npos ? std::string_view{} : line.substr(end + 1);
    return true;
  }
  std::optional<Index> integer(std::string_view text) const {
    Index value = 0;
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
    return value;
  }
  Index number(std::string_view text, std::string_view what) {
    const auto value = integer(text);
    if (!value || *value < 1)
      in_.fail_at(at_, fmt::format("expected {}, found {}", what, text.empty() ? "an empty field" : quoted(text)));
    return *value;
  }
  double real(std::string_view text) {
    if (text.empty()) return 0;
    std::string plain(text.front() == '+' ? text.substr(1) : text);
    for (char& c : plain) c = c == 'd' || c == 'D' ? 'e' : c;
    double value = 0;
    const auto [stop, code] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
    const bool whole = stop == plain.data() + plain.size();
    if (code == std::errc::result_out_of_range && whole && plain.find("e-") != std::string::npos) return 0;
    if (code != std::errc{} || !whole || !std::isfinite(value))
      in_.fail_at(at_, fmt::format("expected a number, found {}", quoted(text)));
    return value;
  }

  void node(std::string_view line) {
    std::string_view value;
    take(line, value);
    in_.take_memory(1, 2 * (sizeof(Index) + 3 * sizeof(double)), "nodes");
    part_->tags.push_back(number(value, "a node's number above 0"));
    for (int a = 0; a < 3; ++a) part_->points.push_back(take(line, value) ? real(value) : 0.0);
  }

  void begin_elements() {
    if (parameters_.count("INPUT") > 0) refuse_file("*ELEMENT");
    const std::string type = upper(parameter("TYPE"));
    const auto shape = shape_of(type);
    if (!shape)
      in_.fail_at(
          at_,
          fmt::format("*ELEMENT: expected solids, shells, membranes, trusses or beams of order 1 or 2, found TYPE={}",
                      quoted(std::string_view(type))),
          "Leave this kind of element out, or replace it (C3D27 by C3D20; in Gmsh: Mesh.SecondOrderIncomplete = 1).");
    shape_ = *shape;
    set_ = parameter("ELSET").empty() ? nullptr : &set_named(*part_, parameter("ELSET"));
    wanted_.clear();
    what_ = What::elements;
  }

  /// An element may take several lines; a line that ends with a comma goes on in the next one.
  void element(std::string_view line) {
    const bool goes_on = line.ends_with(',');
    if (wanted_.empty()) element_at_ = at_;
    std::string_view value;
    while (take(line, value)) {
      if (value.empty()) continue;
      in_.take_memory(1, 2 * sizeof(Index), "nodes of elements");
      wanted_.push_back(number(value, "a node's number above 0"));
    }
    if (!shape_.shape) return wanted_.clear();
    if (static_cast<int>(wanted_.size()) > shape_.file_nodes ||
        (static_cast<int>(wanted_.size()) == shape_.file_nodes + 1) || !goes_on)
      end_element();
  }

  void end_element() {
    if (wanted_.empty() || what_ != What::elements || !shape_.shape) return wanted_.clear();
    if (static_cast<int>(wanted_.size()) != shape_.file_nodes + 1)
      in_.fail_at(element_at_,
                  fmt::format("element {}: expected {} nodes, found {}", wanted_.front(), shape_.file_nodes,
                              wanted_.size() - 1),
                  "Correct the type or the nodes. Of a mesh of order 2 from Gmsh: set Mesh.SecondOrderIncomplete = 1 "
                  "before meshing.");
    Part& p = *part_;
    in_.take_memory(1, 16 * sizeof(Index), "elements");
    const auto place = static_cast<Index>(p.shapes.size());
    if (!p.cells.emplace(wanted_.front(), place).second)
      in_.fail_at(element_at_, fmt::format("expected each element once, found {} twice", wanted_.front()));
    const int kept = readers::cell_nodes(*shape_.shape);
    if (kept < shape_.file_nodes) ++straightened_;
    if (shape_.middle_second) std::swap(wanted_[2], wanted_[3]);
    p.connectivity.insert(p.connectivity.end(), wanted_.begin() + 1, wanted_.begin() + 1 + kept);
    p.shapes.push_back(*shape_.shape);
    p.positions.push_back(element_at_);
    if (set_ != nullptr) set_->push_back(place);
    wanted_.clear();
  }

  std::vector<Index>& set_named(Part& part, const std::string& name) {
    const auto [it, fresh] = part.set_numbers.try_emplace(upper(name), part.sets.size());
    if (fresh) {
      in_.take_memory(1, 256 + 2 * name.size(), "sets");
      part.sets.emplace_back(name, std::vector<Index>());
      // References into the list may have moved.
      if (what_ == What::elements) set_ = nullptr;
    }
    return part.sets[it->second].second;
  }

  void members(std::string_view line) {
    Part& part = target();
    std::string_view value;
    if (generate_) {
      std::array<Index, 3> range{0, 0, 1};
      for (std::size_t k = 0; k < 3 && take(line, value); ++k)
        if (!value.empty()) range[k] = number(value, "an element's number above 0");
      if (range[1] < range[0]) return;
      // Only numbers that exist: a range may span the world.
      if ((range[1] - range[0]) / range[2] > static_cast<Index>(part.cells.size()) * 2 + 16) {
        for (const auto& [label, place] : part.cells)
          if (label >= range[0] && label <= range[1] && (label - range[0]) % range[2] == 0) into_set(place);
      } else {
        for (Index label = range[0]; label <= range[1]; label += range[2]) into_set(part, label);
      }
      return;
    }
    while (take(line, value)) {
      if (value.empty()) continue;
      if (const auto label = integer(value)) {
        into_set(part, *label);
        continue;
      }
      // Another set's name.
      const auto other = part.set_numbers.find(upper(value));
      if (other == part.set_numbers.end()) continue;
      const std::vector<Index> copy = part.sets[other->second].second;
      in_.take_memory(copy.size(), sizeof(Index), "members of sets");
      for (const Index place : copy) into_set(place);
    }
  }
  void into_set(const Part& part, Index label) {
    if (const auto cell = part.cells.find(label); cell != part.cells.end()) into_set(cell->second);
  }
  void into_set(Index place) {
    in_.take_memory(1, 2 * sizeof(Index), "members of sets");
    set_->push_back(place);
  }

  /// First a shift, then two points of an axis and an angle in degrees.
  void placing(std::string_view line) {
    Instance& instance = instances_.back();
    std::array<double, 7> v{};
    std::string_view value;
    for (std::size_t k = 0; k < 7 && take(line, value); ++k) v[k] = real(value);
    if (rows_++ == 0) {
      instance.shift = {v[0], v[1], v[2]};
    } else if (rows_ == 2) {
      instance.from = {v[0], v[1], v[2]};
      instance.to = {v[3], v[4], v[5]};
      instance.angle = v[6] * std::numbers::pi / 180;
    }
  }

  // ---- the end ----

  /// O. Rodrigues: turned by an angle about the axis from one point to another, after the shift.
  static Vec3 placed(const Instance& i, const Vec3& p) {
    const Vec3 x = vec::add(p, i.shift), axis = vec::unit(vec::sub(i.to, i.from));
    if (i.angle == 0 || vec::norm(axis) == 0) return x;
    const Vec3 r = vec::sub(x, i.from);
    const double c = std::cos(i.angle), s = std::sin(i.angle);
    const Vec3 turned =
        vec::add(vec::axpy(c, r, vec::scale(s, vec::cross(axis, r))), vec::scale((1 - c) * vec::dot(axis, r), axis));
    return vec::add(turned, i.from);
  }

  void add(Part& part, const Instance& instance) {
    in_.take_memory(part.tags.size(), 3 * sizeof(double), "nodes");
    in_.take_memory(part.shapes.size() + part.connectivity.size(), 2 * sizeof(Index), "elements");
    std::vector<Index> nodes = part.connectivity;
    readers::resolve_tags(
        in_, part.tags, nodes,
        [this](Index tag) { in_.fail(fmt::format("expected each node once, found {} twice", tag)); },
        [&](std::size_t k) {
          std::size_t cell = 0;
          for (std::size_t end = 0; cell < part.shapes.size(); ++cell) {
            end += static_cast<std::size_t>(readers::cell_nodes(part.shapes[cell]));
            if (k < end) break;
          }
          in_.fail_at(part.positions[cell], fmt::format("expected nodes that *NODE gives, found {}", nodes[k]));
        });
    const auto first_point = static_cast<Index>(points_.size() / 3), first_cell = static_cast<Index>(shapes_.size());
    for (std::size_t k = 0; k < part.points.size(); k += 3) {
      const Vec3 p = placed(instance, {part.points[k], part.points[k + 1], part.points[k + 2]});
      for (const double x : p) {
        points_.push_back(x * options_.scale);
        if (!std::isfinite(points_.back())) in_.fail(fmt::format("expected finite coordinates, found {}", x));
      }
    }
    for (const Index n : nodes) connectivity_.push_back(first_point + n);
    shapes_.insert(shapes_.end(), part.shapes.begin(), part.shapes.end());
    for (const auto& [name, cells] : part.sets) {
      in_.take_memory(cells.size(), sizeof(Index), "members of sets");
      for (const Index c : cells) {
        const int dimension = readers::cell_dimension(part.shapes[static_cast<std::size_t>(c)]);
        const auto [it, fresh] = group_numbers_.try_emplace({name, dimension}, groups_.size());
        if (fresh) groups_.push_back({name, dimension, 0, {}});
        groups_[it->second].cells.push_back(first_cell + c);
      }
    }
  }

  Mesh finish() {
    if (instances_.empty()) {
      for (auto& [name, part] : parts_) add(part, {});
    } else {
      add(parts_[""], {});
      for (const Instance& i : instances_) {
        const auto part = parts_.find(i.part);
        if (part == parts_.end())
          in_.fail(fmt::format("expected a *PART of the name {}, found none", quoted(std::string_view(i.part))));
        add(part->second, i);
      }
    }
    if (shapes_.empty())
      in_.fail("expected at least one element (*ELEMENT), found none", "Export the elements with the nodes.");
    for (MeshGroup& g : groups_) {
      std::sort(g.cells.begin(), g.cells.end());
      g.cells.erase(std::unique(g.cells.begin(), g.cells.end()), g.cells.end());
    }
    if (straightened_ > 0 && options_.notes != nullptr)
      options_.notes->said.push_back(
          fmt::format("{} prisms and pyramids of order 2 were taken straight, by their corners", straightened_));
    readers::cut_mixed_cells(points_, shapes_, connectivity_, groups_, options_.notes);
    if (!options_.keep_unused_points) readers::drop_unused_points(points_, connectivity_);
    auto mesh = Mesh::from_arrays(std::move(points_), std::move(shapes_), std::move(connectivity_), std::move(groups_));
    if (!mesh) throw Failure(mesh.error());
    return std::move(*mesh);
  }

  enum class What { nothing, nodes, elements, set, instance };
  Cursor in_;
  const ReadOptions& options_;
  std::size_t at_ = 0, element_at_ = 0;
  What what_ = What::nothing;
  std::map<std::string, std::string> parameters_;
  std::map<std::string, Part> parts_;
  Part* part_ = nullptr;
  std::vector<Instance> instances_;
  std::vector<std::string> names_;
  int rows_ = 0;
  AbaqusShape shape_;
  std::vector<Index> wanted_;
  std::vector<Index>* set_ = nullptr;
  bool generate_ = false;
  std::size_t straightened_ = 0;
  std::vector<double> points_;
  std::vector<CellShape> shapes_;
  std::vector<Index> connectivity_;
  std::vector<MeshGroup> groups_;
  std::map<std::pair<std::string, int>, std::size_t> group_numbers_;
};

}  // namespace

Result<Mesh> read_abaqus(std::string_view bytes, const std::string& file, const ReadOptions& options) {
  try {
    return AbaqusReader(bytes, file, options).read();
  } catch (...) {
    return current_exception_as_error();
  }
}

}  // namespace conoid
