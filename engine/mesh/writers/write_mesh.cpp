// SPDX-License-Identifier: BSD-3-Clause
// MSH 4.1, STL and OBJ as bytes; the file is replaced as one step.
#include "engine/mesh/writers/write_mesh.hpp"

#include "engine/core/atomic_file.hpp"
#include "engine/core/file_ending.hpp"
#include "engine/core/vec3.hpp"
#include "engine/mesh/readers/msh_types.hpp"
#include "engine/mesh/topology.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <set>

#include <fmt/core.h>

namespace conoid {
namespace {

template <class... A>
void print(std::string& out, fmt::format_string<A...> format, A&&... args) {
  out += fmt::format(format, std::forward<A>(args)...);
}

/// A number and a space, in the shortest form that reads back the same.
template <class T>
void print_number(std::string& out, T value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  out.append(text.data(), static_cast<std::size_t>(end - text.data()));
  out += ' ';
}

template <class T>
void put(std::string& out, T value) {
  std::array<char, sizeof(T)> raw;
  std::memcpy(raw.data(), &value, sizeof(T));
  out.append(raw.data(), raw.size());
}

/// A name that no format's quotes or lines can be broken by.
std::string safe_name(const std::string& name, bool one_word = false) {
  std::string out = name.empty() ? "unnamed" : name;
  for (char& c : out)
    if (c == '"' || static_cast<unsigned char>(c) < 32 || (one_word && c == ' ')) c = '_';
  return out;
}

/// The set of groups that each cell is in, as a number; sets[number] lists the groups.
struct Memberships {
  std::vector<Index> set_of_cell;
  std::vector<std::vector<std::size_t>> sets{{}};
};

Memberships memberships(const Mesh& mesh) {
  Memberships m;
  m.set_of_cell.assign(static_cast<std::size_t>(mesh.cell_count()), 0);
  for (std::size_t g = 0; g < mesh.groups().size(); ++g) {
    std::map<Index, Index> grown;  // old set -> old set with g
    for (const Index c : mesh.groups()[g].cells) {
      if (dimension_of(mesh.shape(c)) != mesh.groups()[g].dimension) continue;
      Index& set = m.set_of_cell[static_cast<std::size_t>(c)];
      const auto [it, fresh] = grown.try_emplace(set, static_cast<Index>(m.sets.size()));
      if (fresh) {
        auto with = m.sets[static_cast<std::size_t>(set)];
        with.push_back(g);
        m.sets.push_back(std::move(with));
      }
      set = it->second;
    }
  }
  return m;
}

/// Positive tags, one a group and dimension; the group's own where it has one.
std::vector<int> physical_tags(const Mesh& mesh) {
  std::vector<int> tags(mesh.groups().size(), 0);
  std::set<std::pair<int, int>> taken;
  for (std::size_t g = 0; g < tags.size(); ++g)
    if (const auto& group = mesh.groups()[g]; group.tag > 0 && taken.insert({group.dimension, group.tag}).second)
      tags[g] = group.tag;
  for (std::size_t g = 0; g < tags.size(); ++g)
    for (int t = 1; tags[g] == 0; ++t)
      if (taken.insert({mesh.groups()[g].dimension, t}).second) tags[g] = t;
  return tags;
}

class MshWriter {
 public:
  MshWriter(const Mesh& mesh, const WriteOptions& options)
      : mesh_(mesh), options_(options), binary_(options.binary), members_(memberships(mesh)),
        tags_(physical_tags(mesh)) {}

  std::string write() {
    out_.reserve(static_cast<std::size_t>(mesh_.point_count() * 40 + mesh_.cell_count() * 16) +
                 8 * mesh_.connectivity().size());
    print(out_, "$MeshFormat\n4.1 {} 8\n", binary_ ? 1 : 0);
    if (binary_) {
      put<std::int32_t>(out_, 1);
      out_ += '\n';
    }
    out_ += "$EndMeshFormat\n";
    names();
    entities();
    nodes();
    elements();
    return std::move(out_);
  }

 private:
  void names() {
    if (mesh_.groups().empty()) return;
    print(out_, "$PhysicalNames\n{}\n", mesh_.groups().size());
    for (std::size_t g = 0; g < tags_.size(); ++g)
      print(out_, "{} {} \"{}\"\n", mesh_.groups()[g].dimension, tags_[g], safe_name(mesh_.groups()[g].name));
    out_ += "$EndPhysicalNames\n";
  }

  void integer(std::int32_t v) {
    if (binary_)
      put(out_, v);
    else
      print_number(out_, v);
  }
  void size(std::uint64_t v) {
    if (binary_)
      put(out_, v);
    else
      print_number(out_, v);
  }
  void real(double v) {
    if (binary_)
      put(out_, v);
    else
      print_number(out_, v);
  }
  void end_line() {
    if (!binary_) out_.back() = '\n';
  }
  void end_section(std::string_view name) {
    if (binary_) out_ += '\n';
    print(out_, "$End{}\n", name);
  }

  void entities() {
    std::array<std::set<Index>, 4> used;
    Index previous_set = -1;
    int previous_dimension = -1;
    for (Index c = 0; c < mesh_.cell_count(); ++c) {
      const int d = dimension_of(mesh_.shape(c));
      const Index set = members_.set_of_cell[static_cast<std::size_t>(c)];
      if (set == previous_set && d == previous_dimension) continue;
      previous_set = set;
      previous_dimension = d;
      used[static_cast<std::size_t>(d)].insert(set);
    }
    if (mesh_.cell_count() == 0) used[3].insert(0);
    out_ += "$Entities\n";
    for (const auto& u : used) size(u.size());
    end_line();
    auto [low, high] = mesh_.bounds();
    for (std::size_t d = 0; d < 4; ++d)
      for (const Index set : used[d]) {
        integer(static_cast<std::int32_t>(set) + 1);
        for (const double x : low) real(x * options_.scale);
        if (d > 0)
          for (const double x : high) real(x * options_.scale);
        const auto& groups = members_.sets[static_cast<std::size_t>(set)];
        size(groups.size());
        for (const std::size_t g : groups) integer(tags_[g]);
        if (d > 0) size(0);
        end_line();
      }
    end_section("Entities");
    for (int d = 0; d < 4; ++d)
      if (!used[static_cast<std::size_t>(d)].empty()) {
        node_dimension_ = d;
        node_entity_ = static_cast<std::int32_t>(*used[static_cast<std::size_t>(d)].begin()) + 1;
      }
  }

  void nodes() {
    const auto n = static_cast<std::uint64_t>(mesh_.point_count());
    out_ += "$Nodes\n";
    for (const std::uint64_t v : {n > 0 ? std::uint64_t{1} : 0, n, std::uint64_t{1}, n}) size(v);
    end_line();
    if (n > 0) {
      integer(node_dimension_);
      integer(node_entity_);
      integer(0);
      size(n);
      end_line();
      for (std::uint64_t i = 1; i <= n; ++i) {
        size(i);
        end_line();
      }
      for (std::size_t i = 0; i < mesh_.points().size(); i += 3) {
        for (std::size_t a = 0; a < 3; ++a) real(mesh_.points()[i + a] * options_.scale);
        end_line();
      }
    }
    end_section("Nodes");
  }

  void elements() {
    const auto n = mesh_.cell_count();
    // Runs of cells of one shape in the same groups.
    std::vector<Index> starts;
    for (Index c = 0; c < n; ++c) {
      const auto i = static_cast<std::size_t>(c);
      if (c == 0 || mesh_.shape(c) != mesh_.shape(c - 1) || members_.set_of_cell[i] != members_.set_of_cell[i - 1])
        starts.push_back(c);
    }
    starts.push_back(n);
    out_ += "$Elements\n";
    for (const Index v : {static_cast<Index>(starts.size()) - 1, n, Index{1}, n}) size(static_cast<std::uint64_t>(v));
    end_line();
    for (std::size_t b = 0; b + 1 < starts.size(); ++b) {
      const CellShape shape = mesh_.shape(starts[b]);
      const auto& type = readers::gmsh_type(shape);
      integer(dimension_of(shape));
      integer(static_cast<std::int32_t>(members_.set_of_cell[static_cast<std::size_t>(starts[b])]) + 1);
      integer(type.id);
      size(static_cast<std::uint64_t>(starts[b + 1] - starts[b]));
      end_line();
      std::array<Index, 27> gmsh{};
      for (Index c = starts[b]; c < starts[b + 1]; ++c) {
        const auto nodes = mesh_.nodes(c);
        for (std::size_t i = 0; i < nodes.size(); ++i) gmsh[type.from_gmsh[i]] = nodes[i];
        size(static_cast<std::uint64_t>(c) + 1);
        for (std::size_t i = 0; i < nodes.size(); ++i) size(static_cast<std::uint64_t>(gmsh[i]) + 1);
        end_line();
      }
    }
    end_section("Elements");
  }

  const Mesh& mesh_;
  const WriteOptions& options_;
  bool binary_;
  Memberships members_;
  std::vector<int> tags_;
  std::string out_;
  int node_dimension_ = 0;
  std::int32_t node_entity_ = 1;
};

/// Triangles of a surface cell, by local nodes.
std::span<const std::array<std::int8_t, 3>> triangles_of(CellShape shape) {
  static constexpr std::array<std::array<std::int8_t, 3>, 1> triangle3{{{0, 1, 2}}};
  static constexpr std::array<std::array<std::int8_t, 3>, 2> quad4{{{0, 1, 2}, {0, 2, 3}}};
  static constexpr std::array<std::array<std::int8_t, 3>, 4> triangle6{{{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}}};
  static constexpr std::array<std::array<std::int8_t, 3>, 6> quad8{
      {{0, 4, 7}, {4, 1, 5}, {5, 2, 6}, {6, 3, 7}, {4, 5, 6}, {4, 6, 7}}};
  static constexpr std::array<std::array<std::int8_t, 3>, 8> quad9{
      {{0, 4, 8}, {0, 8, 7}, {4, 1, 5}, {4, 5, 8}, {8, 5, 2}, {8, 2, 6}, {7, 8, 6}, {7, 6, 3}}};
  switch (shape) {
    case CellShape::triangle3: return triangle3;
    case CellShape::quad4: return quad4;
    case CellShape::triangle6: return triangle6;
    case CellShape::quad8: return quad8;
    case CellShape::quad9: return quad9;
    default: return {};
  }
}

}  // namespace

std::string to_msh(const Mesh& mesh, const WriteOptions& options) {
  return MshWriter(mesh, options).write();
}

std::string to_stl(const Mesh& mesh, const WriteOptions& options) {
  if (mesh.dimension() == 3) return to_stl(boundary_surface(mesh), options);
  struct Facet {
    Vec3 normal;
    std::array<Vec3, 3> p;
  };
  const auto each_facet = [&](Index cell, const auto& f) {
    const auto n = mesh.nodes(cell);
    for (const auto& t : triangles_of(mesh.shape(cell))) {
      Facet facet{};
      for (std::size_t i = 0; i < 3; ++i)
        facet.p[i] = vec::scale(options.scale, mesh.point(n[static_cast<std::size_t>(t[i])]));
      facet.normal = vec::unit(vec::cross(vec::sub(facet.p[1], facet.p[0]), vec::sub(facet.p[2], facet.p[0])));
      f(facet);
    }
  };
  std::string out;
  if (options.binary) {
    out.assign(80, ' ');
    constexpr std::string_view header = "Conoid surface, binary STL";
    std::copy(header.begin(), header.end(), out.begin());
    std::uint32_t count = 0;
    put(out, count);
    const auto put_vector = [&](const Vec3& v) {
      for (const double x : v) put(out, static_cast<float>(x));
    };
    for (Index c = 0; c < mesh.cell_count(); ++c)
      each_facet(c, [&](const Facet& f) {
        put_vector(f.normal);
        for (const Vec3& p : f.p) put_vector(p);
        put<std::uint16_t>(out, 0);
        ++count;
      });
    for (std::size_t i = 0; i < 4; ++i) out[80 + i] = static_cast<char>((count >> (8 * i)) & 255u);
    return out;
  }
  const auto solid = [&](const std::string& name, std::span<const Index> cells) {
    print(out, "solid {}\n", name);
    for (const Index c : cells)
      each_facet(c, [&](const Facet& f) {
        print(out, "facet normal {} {} {}\nouter loop\n", f.normal[0], f.normal[1], f.normal[2]);
        for (const Vec3& p : f.p) print(out, "vertex {} {} {}\n", p[0], p[1], p[2]);
        out += "endloop\nendfacet\n";
      });
    print(out, "endsolid {}\n", name);
  };
  std::vector<char> written(static_cast<std::size_t>(mesh.cell_count()), 0);
  for (const auto& g : mesh.groups()) {
    if (g.dimension != 2) continue;
    std::vector<Index> cells;  // a triangle in two groups is written once: twice would not be a surface
    for (const Index c : g.cells)
      if (written[static_cast<std::size_t>(c)]++ == 0) cells.push_back(c);
    if (!cells.empty()) solid(safe_name(g.name), cells);
  }
  std::vector<Index> rest;
  for (Index c = 0; c < mesh.cell_count(); ++c)
    if (dimension_of(mesh.shape(c)) == 2 && written[static_cast<std::size_t>(c)] == 0) rest.push_back(c);
  if (!rest.empty()) solid("surface", rest);
  return out;
}

std::string to_obj(const Mesh& mesh, const WriteOptions& options) {
  if (mesh.dimension() == 3) return to_obj(boundary_surface(mesh), options);
  std::string out;
  for (Index i = 0; i < mesh.point_count(); ++i) {
    const Vec3 p = vec::scale(options.scale, mesh.point(i));
    print(out, "v {} {} {}\n", p[0], p[1], p[2]);
  }
  const Memberships members = memberships(mesh);
  Index set = 0;
  const auto row = [&](char key, std::span<const Index> nodes, std::span<const std::int8_t> local) {
    out += key;
    for (const std::int8_t i : local) print(out, " {}", nodes[static_cast<std::size_t>(i)] + 1);
    out += '\n';
  };
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    const CellShape shape = mesh.shape(c);
    const int d = dimension_of(shape);
    if (d != 1 && d != 2) continue;
    if (const Index now = members.set_of_cell[static_cast<std::size_t>(c)]; now != set) {
      set = now;
      out += 'g';
      for (const std::size_t g : members.sets[static_cast<std::size_t>(set)])
        print(out, " {}", safe_name(mesh.groups()[g].name, true));
      out += members.sets[static_cast<std::size_t>(set)].empty() ? " default\n" : "\n";
    }
    const auto nodes = mesh.nodes(c);
    static constexpr std::array<std::int8_t, 4> corners{0, 1, 2, 3};
    static constexpr std::array<std::int8_t, 3> bent{0, 2, 1};
    if (shape == CellShape::line3)
      row('l', nodes, bent);
    else if (order_of(shape) == 2)
      for (const auto& t : triangles_of(shape)) row('f', nodes, t);
    else
      row(d == 1 ? 'l' : 'f', nodes, std::span(corners).first(nodes.size()));
  }
  return out;
}

std::string what_is_lost(const Mesh& mesh, const std::filesystem::path& path) {
  const std::string ending = lower_case_ending(path);
  if (ending != ".stl" && ending != ".obj") return {};
  const std::string name = ending == ".stl" ? "STL" : "OBJ";
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : "; ") + text; };
  const auto any = [&](const auto& is) { return std::any_of(mesh.shapes().begin(), mesh.shapes().end(), is); };
  if (mesh.dimension() == 3) add(fmt::format("{} holds surfaces: the boundary of the volume was written", name));
  if (any([](CellShape s) { return order_of(s) == 2; }))
    add(fmt::format("{} has no curved cells: those of order 2 were written as flat pieces between all their nodes",
                    name));
  if (ending == ".stl" && any([](CellShape s) { return corners_of(s) == 4 && dimension_of(s) == 2; }))
    add("STL has triangles only: quadrilaterals were cut");
  if (ending == ".stl" && any([](CellShape s) { return dimension_of(s) == 1; }))
    add("STL has no lines: they were left out");
  return out;
}

Status write_mesh(const Mesh& mesh, const std::filesystem::path& path, const WriteOptions& options) {
  try {
    const std::string ending = lower_case_ending(path);
    Place place;
    place.file = path.string();
    if (ending == ".msh") return write_file_atomically(path, to_msh(mesh, options));
    if (ending != ".stl" && ending != ".obj")
      return make_error(ErrorCode::command_line,
                        fmt::format("expected a file ending in .msh, .stl or .obj, found '{}'", ending),
                        "Name the output file accordingly.", place);
    if (mesh.dimension() < 2)
      return make_error(ErrorCode::invalid_input, "the mesh has no surface to write", "Write it as .msh.", place);
    return write_file_atomically(path, ending == ".stl" ? to_stl(mesh, options) : to_obj(mesh, options));
  } catch (...) {
    return current_exception_as_error();
  }
}

}  // namespace conoid
