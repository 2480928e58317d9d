// SPDX-License-Identifier: BSD-3-Clause
// Gmsh MSH 2.x and 4.1 (Gmsh reference manual, "MSH file format"), ASCII and binary.
//
// Both versions become the same arrays: points with tags, cells with node tags, and for each cell the physical groups it
// is in. Node tags turn into point numbers at the end, so that the order of the sections does not matter.
#include "engine/mesh/readers/cursor.hpp"
#include "engine/mesh/readers/mixed_cells.hpp"
#include "engine/mesh/readers/msh_types.hpp"
#include "engine/mesh/readers/read_mesh.hpp"
#include "engine/mesh/shape_tables.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace conoid {
namespace {

using readers::Cursor;
using readers::GmshType;
using readers::quoted;

constexpr std::string_view resave_msh =
    "Save it again as MSH 4.1 or 2.2, for example `gmsh FILE -save -format msh41 -o out.msh`.";

/// Physical tags of an entity as the file has them: the sign turns cells round.
using PhysicalTags = std::vector<int>;

class MshReader {
 public:
  MshReader(std::string_view bytes, const std::string& file, const ReadOptions& options)
      : in_(bytes, file, options.memory_limit), options_(options) {}

  Mesh read() {
    in_.check_unit(options_.scale);
    in_.skip_byte_order_mark();
    bool format_seen = false;
    for (;;) {
      in_.skip_space();
      if (in_.at_end()) break;
      const std::size_t at = in_.position();
      std::string_view name = in_.line();
      while (!name.empty() && Cursor::is_space(name.back())) name.remove_suffix(1);
      if (name.size() < 2 || name.front() != '$')
        in_.fail_at(at, fmt::format("expected a section such as '$Nodes', found {}", quoted(name)));
      name.remove_prefix(1);
      if (name == "MeshFormat") {
        if (format_seen) in_.fail_at(at, "expected one section '$MeshFormat', found a second");
        mesh_format();
        format_seen = true;
      } else if (name == "Comments") {
        skip_to_end_of(name);
        continue;
      } else if (!format_seen) {
        in_.fail_at(at, fmt::format("expected '$MeshFormat' first, found {}", quoted(name)), std::string(resave_msh));
      } else if (name == "PhysicalNames") {
        physical_names();
      } else if (name == "Entities" && new_) {
        entities();
      } else if (name == "PartitionedEntities" && new_) {
        partitioned_entities();
      } else if (name == "Nodes" || (name == "ParametricNodes" && !new_)) {
        if (nodes_seen_) in_.fail_at(at, "expected one section '$Nodes', found a second");
        nodes_seen_ = true;
        if (new_)
          nodes_41();
        else
          nodes_22(name == "ParametricNodes");
      } else if (name == "Elements") {
        if (elements_seen_) in_.fail_at(at, "expected one section '$Elements', found a second");
        elements_seen_ = true;
        if (new_)
          elements_41();
        else
          elements_22();
      } else {
        skip_to_end_of(name);
        continue;
      }
      end_of(name);
    }
    return finish();
  }

 private:
  // ---- sections ----

  void mesh_format() {
    const std::size_t at = in_.position();
    const double version = in_.real("a version such as 4.1");
    const int type = in_.integer<int>("0 (ASCII) or 1 (binary)");
    const int size = in_.integer<int>("the size of a number, 8");
    new_ = version == 4.1;
    if (!new_ && !(version >= 2.0 && version < 3.0))
      in_.fail_at(at, fmt::format("expected MSH version 2.0 to 2.2 or 4.1, found {}", version),
                  std::string(resave_msh));
    if (type != 0 && type != 1) in_.fail_at(at, fmt::format("expected 0 (ASCII) or 1 (binary), found {}", type));
    if (size != 8) in_.fail_at(at, fmt::format("expected numbers of 8 bytes, found {}", size), std::string(resave_msh));
    in_.line();
    if (type == 0) return;
    in_.set_binary(false);
    const auto one = in_.load<std::int32_t>("the number 1 that tells the byte order");
    if (one == 0x01000000)
      in_.set_binary(true);
    else if (one != 1)
      in_.fail(fmt::format("expected the number 1 that tells the byte order, found {}", one));
  }

  void physical_names() {
    const auto count = in_.integer<std::uint64_t>("the number of physical names");
    in_.need(count, 6, "physical names");
    for (std::uint64_t i = 0; i < count; ++i) {
      const int dimension = in_.integer<int>("a dimension 0 to 3");
      if (dimension < 0 || dimension > 3) in_.fail(fmt::format("expected a dimension 0 to 3, found {}", dimension));
      const int tag = in_.integer<int>("a physical tag");
      in_.skip_blanks();
      const std::size_t at = in_.position();
      const std::string_view line = in_.line();
      const auto first = line.find('"');
      const auto last = line.rfind('"');
      if (first == std::string_view::npos || last == first)
        in_.fail_at(at, fmt::format("expected a name in double quotes, found {}", quoted(line)));
      in_.take_memory(1, 128 + line.size(), "physical name");
      names_[{dimension, tag}] = line.substr(first + 1, last - first - 1);
    }
    if (in_.binary()) in_.skip_space();
  }

  void entities() {
    std::array<std::uint64_t, 4> counts{};
    for (auto& c : counts) c = number<std::uint64_t>("a number of entities");
    for (int dimension = 0; dimension < 4; ++dimension) {
      const std::uint64_t count = counts[static_cast<std::size_t>(dimension)];
      // tag, coordinates (3 for a point, 6 else), number of physical tags
      in_.need(count, in_.binary() ? (dimension == 0 ? 36u : 60u) : (dimension == 0 ? 9u : 17u), "entities");
      for (std::uint64_t i = 0; i < count; ++i) {
        const int tag = number<std::int32_t>("an entity's tag");
        for (int k = 0; k < (dimension == 0 ? 3 : 6); ++k) skip_real();
        const auto physicals = number<std::uint64_t>("a number of physical tags");
        in_.need(physicals, in_.binary() ? 4 : 2, "physical tags");
        if (physicals > 0) {
          in_.take_memory(physicals, sizeof(int), "physical tags");
          in_.take_memory(1, 160, "entity");
          PhysicalTags& tags = entities_[{dimension, tag}];
          for (std::uint64_t p = 0; p < physicals; ++p) tags.push_back(number<std::int32_t>("a physical tag"));
        }
        if (dimension == 0) continue;
        const auto bounding = number<std::uint64_t>("a number of bounding entities");
        in_.need(bounding, in_.binary() ? 4 : 2, "bounding entities");
        for (std::uint64_t b = 0; b < bounding; ++b) number<std::int32_t>("a bounding entity");
      }
    }
  }

  /// Entities cut by a partitioner: each names the one that it is a part of. What lies between two parts has a parent of a higher
  /// dimension and is no part of the model.
  void partitioned_entities() {
    partitions_ = number<std::uint64_t>("a number of partitions");
    const auto ghosts = number<std::uint64_t>("a number of ghost entities");
    in_.need(ghosts, in_.binary() ? 8 : 4, "ghost entities");
    for (std::uint64_t i = 0; i < ghosts; ++i) {
      number<std::int32_t>("a ghost entity's tag");
      number<std::int32_t>("a partition");
    }
    std::array<std::uint64_t, 4> counts{};
    for (auto& c : counts) c = number<std::uint64_t>("a number of entities");
    for (int dimension = 0; dimension < 4; ++dimension) {
      const std::uint64_t count = counts[static_cast<std::size_t>(dimension)];
      in_.need(count, in_.binary() ? (dimension == 0 ? 52u : 76u) : (dimension == 0 ? 15u : 23u), "entities");
      for (std::uint64_t i = 0; i < count; ++i) partitioned_entity(dimension);
    }
  }

  void partitioned_entity(int dimension) {
    const int tag = number<std::int32_t>("an entity's tag");
    const int parent_dimension = number<std::int32_t>("the dimension of its parent");
    const int parent = number<std::int32_t>("the tag of its parent");
    const auto parts = number<std::uint64_t>("a number of partitions");
    in_.need(parts, in_.binary() ? 4 : 2, "partitions");
    for (std::uint64_t p = 0; p < parts; ++p) number<std::int32_t>("a partition");
    for (int k = 0; k < (dimension == 0 ? 3 : 6); ++k) skip_real();
    const auto physicals = number<std::uint64_t>("a number of physical tags");
    in_.need(physicals, in_.binary() ? 4 : 2, "physical tags");
    in_.take_memory(1, 200, "entity");
    in_.take_memory(physicals, sizeof(int), "physical tags");
    PhysicalTags tags;
    for (std::uint64_t p = 0; p < physicals; ++p) tags.push_back(number<std::int32_t>("a physical tag"));
    if (parent_dimension != dimension) {
      between_.insert({dimension, tag});
    } else if (tags.empty()) {
      if (const auto whole = entities_.find({dimension, parent}); whole != entities_.end()) tags = whole->second;
    }
    if (!tags.empty()) entities_[{dimension, tag}] = std::move(tags);
    if (dimension == 0) return;
    const auto bounding = number<std::uint64_t>("a number of bounding entities");
    in_.need(bounding, in_.binary() ? 4 : 2, "bounding entities");
    for (std::uint64_t b = 0; b < bounding; ++b) number<std::int32_t>("a bounding entity");
  }

  void nodes_41() {
    const auto blocks = number<std::uint64_t>("a number of node blocks");
    const auto count = number<std::uint64_t>("a number of nodes");
    number<std::uint64_t>("the lowest node tag");
    number<std::uint64_t>("the highest node tag");
    in_.need(blocks, in_.binary() ? 20 : 8, "node blocks");
    reserve_nodes(count, in_.binary() ? 32 : 8);
    for (std::uint64_t b = 0; b < blocks; ++b) {
      const int dimension = number<std::int32_t>("an entity's dimension");
      number<std::int32_t>("an entity's tag");
      const int parametric = number<std::int32_t>("0 or 1 (parametric nodes)");
      const auto n = number<std::uint64_t>("a number of nodes in the block");
      if (n > count - tags_.size())
        in_.fail(fmt::format("expected at most {} nodes in this block ({} in all), found {}", count - tags_.size(),
                             count, n));
      if (dimension < 0 || dimension > 3) in_.fail(fmt::format("expected a dimension 0 to 3, found {}", dimension));
      const int parameters = parametric == 0 ? 0 : dimension;
      in_.need(n, in_.binary() ? 8u * static_cast<unsigned>(4 + parameters) : 8, "nodes");
      for (std::uint64_t i = 0; i < n; ++i)
        node_tag(in_.binary() ? in_.load_unchecked<std::uint64_t>() : in_.integer<std::uint64_t>("a node tag"));
      for (std::uint64_t i = 0; i < n; ++i) {
        coordinates();
        for (int k = 0; k < parameters; ++k) skip_real();
      }
    }
    if (tags_.size() != count) in_.fail(fmt::format("expected {} nodes, found {}", count, tags_.size()));
  }

  /// With `parametric`, $ParametricNodes: behind the coordinates dimension and tag of the entity, and a parameter on a curve, two on
  /// a surface.
  void nodes_22(bool parametric) {
    const auto count = in_.integer<std::uint64_t>("the number of nodes");
    if (in_.binary()) in_.line();
    reserve_nodes(count, in_.binary() ? (parametric ? 36 : 28) : 8);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (in_.binary() && parametric) in_.need(1, 36, "nodes");
      const auto tag = in_.binary() ? in_.load_unchecked<std::int32_t>() : in_.integer<std::int64_t>("a node number");
      if (tag < 0) in_.fail(fmt::format("expected a node number above 0, found {}", tag));
      node_tag(static_cast<std::uint64_t>(tag));
      coordinates();
      if (!parametric) continue;
      if (!in_.binary()) {
        in_.line();
        continue;
      }
      const int dimension = in_.load_unchecked<std::int32_t>();
      in_.advance(4);
      if (dimension < 0 || dimension > 3) in_.fail(fmt::format("expected a dimension 0 to 3, found {}", dimension));
      for (int k = 0; k < (dimension == 3 ? 0 : dimension); ++k) in_.load<double>("a parameter");
    }
  }

  void reserve_nodes(std::uint64_t count, std::uint64_t bytes_each) {
    in_.need(count, bytes_each, "nodes");
    in_.take_memory(count, 4 * sizeof(double), "nodes");
    points_.reserve(3 * count);
    tags_.reserve(count);
  }

  void node_tag(std::uint64_t tag) {
    if (tag > static_cast<std::uint64_t>(INT64_MAX))
      in_.fail(fmt::format("expected a node tag below 2^63, found {}", tag));
    tags_.push_back(static_cast<Index>(tag));
  }

  void coordinates() {
    for (int a = 0; a < 3; ++a) {
      double x = 0;
      if (in_.binary()) {
        x = in_.load_unchecked<double>();
        if (!std::isfinite(x)) in_.fail(fmt::format("expected a finite coordinate, found {}", x));
      } else {
        x = in_.real("a coordinate");
      }
      points_.push_back(x * options_.scale);
    }
  }

  const GmshType& element_type(int id) {
    const GmshType* type = readers::gmsh_type(id);
    if (type == nullptr) in_.fail(fmt::format("expected an element type of Gmsh, found {}", id));
    if (!type->readable)
      in_.fail(fmt::format(
                   "expected vertices, lines, triangles, quads, tets, hexes, prisms or pyramids of order 1 or 2, found "
                   "element type {} ({})",
                   id, type->name),
               "Mesh it with an order of at most 2 (in the script: Mesh.ElementOrder = 2;).");
    return *type;
  }

  void elements_41() {
    const auto blocks = number<std::uint64_t>("a number of element blocks");
    const auto count = number<std::uint64_t>("a number of elements");
    number<std::uint64_t>("the lowest element tag");
    number<std::uint64_t>("the highest element tag");
    in_.need(blocks, in_.binary() ? 20 : 8, "element blocks");
    in_.need(count, in_.binary() ? 16 : 4, "elements");
    reserve_cells(count);
    for (std::uint64_t b = 0; b < blocks; ++b) {
      const int dimension = number<std::int32_t>("an entity's dimension");
      const int entity = number<std::int32_t>("an entity's tag");
      const GmshType& type = element_type(number<std::int32_t>("an element type"));
      const auto n = number<std::uint64_t>("a number of elements in the block");
      if (n > count - shapes_.size())
        in_.fail(fmt::format("expected at most {} elements in this block ({} in all), found {}", count - shapes_.size(),
                             count, n));
      if (dimension != readers::cell_dimension(type.shape))
        in_.fail(fmt::format("expected elements of dimension {}, found {}", dimension, type.name));
      const auto nodes = file_nodes(type);
      in_.need(n, (in_.binary() ? 8u : 2u) * (nodes + 1), "elements");
      grow_connectivity(n * nodes);
      const auto found = entities_.find({dimension, entity});
      const PhysicalTags none;
      const PhysicalTags& physicals = found == entities_.end() ? none : found->second;
      const bool turned = !physicals.empty() && physicals.front() < 0;
      const Index first = static_cast<Index>(shapes_.size());
      for (std::uint64_t i = 0; i < n; ++i) {
        const auto next = [&] {
          const auto t = in_.binary() ? in_.load_unchecked<std::uint64_t>() : in_.integer<std::uint64_t>("a node tag");
          return t > static_cast<std::uint64_t>(INT64_MAX) ? Index{-1} : static_cast<Index>(t);
        };
        if (in_.binary())
          in_.advance(8);
        else
          in_.integer<std::uint64_t>("an element tag");
        cell(type, next, turned);
      }
      if (between_.count({dimension, entity}) > 0)
        between_cells_.emplace_back(first, static_cast<Index>(shapes_.size()));
      for (const int p : physicals) range_into_group(type.shape, p, first, static_cast<Index>(shapes_.size()));
    }
    if (shapes_.size() != count) in_.fail(fmt::format("expected {} elements, found {}", count, shapes_.size()));
  }

  void elements_22() {
    const auto count = in_.integer<std::uint64_t>("the number of elements");
    if (in_.binary()) in_.line();
    in_.need(count, in_.binary() ? 8 : 8, "elements");
    reserve_cells(count);
    if (in_.binary()) {
      while (shapes_.size() < count) {
        in_.need(12, 1, "bytes of an element header");
        const GmshType& type = element_type(in_.load_unchecked<std::int32_t>());
        const auto n = in_.load_unchecked<std::int32_t>();
        const auto tags = in_.load_unchecked<std::int32_t>();
        if (n <= 0 || static_cast<std::uint64_t>(n) > count - shapes_.size())
          in_.fail(fmt::format("expected 1 to {} elements in this block, found {}", count - shapes_.size(), n));
        if (tags < 0 || tags > 1 << 20) in_.fail(fmt::format("expected a number of tags from 0, found {}", tags));
        const std::uint64_t nodes = file_nodes(type);
        in_.need(static_cast<std::uint64_t>(n), 4 * (1 + static_cast<std::uint64_t>(tags) + nodes), "elements");
        grow_connectivity(static_cast<std::uint64_t>(n) * nodes);
        for (int i = 0; i < n; ++i) {
          in_.advance(4);
          int physical = 0;
          int elementary = 0;
          for (int t = 0; t < tags; ++t) {
            const auto tag = in_.load_unchecked<std::int32_t>();
            if (t == 0) physical = tag;
            if (t == 1) elementary = tag;
          }
          cell(
              type, [&] { return Index{in_.load_unchecked<std::int32_t>()}; }, false);
          note_physical(type.shape, physical, elementary);
        }
      }
      return;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      in_.integer<std::int64_t>("an element number");
      const GmshType& type = element_type(in_.integer<int>("an element type"));
      const auto tags = in_.integer<std::int64_t>("a number of tags");
      if (tags < 0) in_.fail(fmt::format("expected a number of tags from 0, found {}", tags));
      in_.need(static_cast<std::uint64_t>(tags), 2, "tags");
      int physical = 0;
      int elementary = 0;
      for (std::int64_t t = 0; t < tags; ++t) {
        const int tag = in_.integer<int>("a tag");
        if (t == 0) physical = tag;
        if (t == 1) elementary = tag;
      }
      grow_connectivity(file_nodes(type));
      cell(
          type, [&] { return in_.integer<Index>("a node number"); }, false);
      note_physical(type.shape, physical, elementary);
    }
  }

  static std::size_t file_nodes(const GmshType& type) {
    return static_cast<std::size_t>(type.file_nodes > 0 ? type.file_nodes : readers::cell_nodes(type.shape));
  }

  void reserve_cells(std::uint64_t count) {
    // shape, offset, and one membership in a group
    in_.take_memory(count, sizeof(CellShape) + 2 * sizeof(Index), "elements");
    shapes_.reserve(count);
  }
  void grow_connectivity(std::uint64_t nodes) {
    in_.take_memory(nodes, sizeof(Index), "nodes of elements");
    const std::size_t wanted = connectivity_.size() + nodes;
    if (wanted > connectivity_.capacity()) connectivity_.reserve(std::max(wanted, 3 * (connectivity_.capacity() / 2)));
  }

  void cell(const GmshType& type, const auto& next, bool turned) {
    const auto n = static_cast<std::size_t>(readers::cell_nodes(type.shape));
    std::array<Index, 27> gmsh{};
    const std::size_t all = file_nodes(type);
    for (std::size_t i = 0; i < all; ++i) gmsh[i] = next();
    if (all > n) ++straightened_;
    if (turned && dimension_of(type.shape) == readers::cell_dimension(type.shape)) {
      const auto order = turned_order(type.shape);
      for (std::size_t i = 0; i < n; ++i)
        connectivity_.push_back(gmsh[type.from_gmsh[static_cast<std::size_t>(order[i])]]);
    } else {
      for (std::size_t i = 0; i < n; ++i) connectivity_.push_back(gmsh[type.from_gmsh[i]]);
    }
    shapes_.push_back(type.shape);
  }

  // ---- groups ----

  std::vector<Index>& group_cells(int dimension, int tag) {
    const auto [it, fresh] = group_numbers_.try_emplace({dimension, tag}, groups_.size());
    if (fresh) {
      in_.take_memory(1, 256, "group");
      const auto name = names_.find({dimension, tag});
      groups_.push_back({name == names_.end() ? std::to_string(tag) : name->second, dimension, tag, {}});
    }
    return groups_[it->second].cells;
  }

  void range_into_group(CellShape shape, int physical, Index first, Index last) {
    auto& cells = group_cells(readers::cell_dimension(shape), physical == INT32_MIN ? 0 : std::abs(physical));
    in_.take_memory(static_cast<std::uint64_t>(last - first), sizeof(Index), "members of a group");
    if (cells.empty()) cells.reserve(static_cast<std::size_t>(last - first));
    for (Index c = first; c < last; ++c) cells.push_back(c);
  }

  /// MSH 2 writes a cell once for every physical group that its entity is in. Such entities are remembered, and the copies
  /// are merged at the end.
  void note_physical(CellShape shape, int physical, int elementary) {
    if (physical == 0 || physical == INT32_MIN) return;
    const auto cell = static_cast<Index>(shapes_.size()) - 1;
    group_cells(readers::cell_dimension(shape), std::abs(physical)).push_back(cell);
    const std::array<int, 3> key{readers::cell_dimension(shape), elementary, physical};
    if (key == last_seen_) return;
    last_seen_ = key;
    const auto [it, fresh] = physical_of_entity_.try_emplace({key[0], elementary}, physical);
    if (fresh)
      in_.take_memory(1, 96, "entity");
    else if (it->second != physical)
      copies_ = true;
  }

  void merge_copies() {
    struct CopyHash {
      std::size_t operator()(const std::vector<Index>& v) const {
        std::uint64_t h = v.size();
        for (const Index n : v) h = (h ^ static_cast<std::uint64_t>(n)) * 0x9fb21c651e98df25ull, h ^= h >> 31;
        return static_cast<std::size_t>(h);
      }
    };
    in_.take_memory(connectivity_.size() + 12 * shapes_.size(), sizeof(Index), "copies of elements");
    std::unordered_map<std::vector<Index>, Index, CopyHash> known;
    std::vector<Index> now(shapes_.size());
    std::vector<CellShape> shapes;
    std::vector<Index> connectivity;
    std::size_t at = 0;
    for (std::size_t c = 0; c < shapes_.size(); ++c) {
      const auto n = static_cast<std::size_t>(readers::cell_nodes(shapes_[c]));
      const auto from = connectivity_.begin() + static_cast<std::ptrdiff_t>(at);
      std::vector<Index> key(from, from + static_cast<std::ptrdiff_t>(n));
      at += n;
      // A copy on an entity with a negative physical tag is turned round; the first one's direction stays.
      std::sort(key.begin(), key.end());
      const auto [it, fresh] = known.try_emplace(std::move(key), static_cast<Index>(shapes.size()));
      if (fresh) {
        shapes.push_back(shapes_[c]);
        connectivity.insert(connectivity.end(), from, from + static_cast<std::ptrdiff_t>(n));
      }
      now[c] = it->second;
    }
    for (auto& g : groups_)
      for (Index& c : g.cells) c = now[static_cast<std::size_t>(c)];
    shapes_ = std::move(shapes);
    connectivity_ = std::move(connectivity);
  }

  // ---- the end ----

  Mesh finish() {
    if (!nodes_seen_) in_.fail("expected a section '$Nodes', found none", std::string(resave_msh));
    if (!elements_seen_) in_.fail("expected a section '$Elements', found none", std::string(resave_msh));
    if (shapes_.empty())
      in_.fail("expected at least one element, found none",
               "Mesh the geometry first (gmsh -2 or -3), and give the parts you need a physical group.");
    readers::resolve_tags(
        in_, tags_, connectivity_, [this](Index tag) { twice(tag); }, [this](std::size_t k) { unknown_node(k); });
    if (copies_) merge_copies();
    drop_cells_between_parts();
    if (straightened_ > 0)
      say(fmt::format("{} prisms and pyramids of order 2 were taken straight, by their corners", straightened_));
    // Names that two tags share become one group.
    std::vector<MeshGroup> groups;
    std::map<std::pair<int, std::string>, std::size_t> by_name;
    for (auto& g : groups_) {
      const auto [it, fresh] = by_name.try_emplace({g.dimension, g.name}, groups.size());
      if (fresh)
        groups.push_back(std::move(g));
      else
        groups[it->second].cells.insert(groups[it->second].cells.end(), g.cells.begin(), g.cells.end());
    }
    readers::cut_mixed_cells(points_, shapes_, connectivity_, groups, options_.notes);
    if (!options_.keep_unused_points) readers::drop_unused_points(points_, connectivity_);
    auto mesh = Mesh::from_arrays(std::move(points_), std::move(shapes_), std::move(connectivity_), std::move(groups));
    if (!mesh) throw Failure(mesh.error());
    return std::move(*mesh);
  }

  void say(std::string text) {
    if (options_.notes != nullptr) options_.notes->said.push_back(std::move(text));
  }

  /// What lies between two partitions bounds neither the body nor a group.
  void drop_cells_between_parts() {
    if (partitions_ > 0) say(fmt::format("the mesh is cut into {} partitions, which were joined", partitions_));
    if (between_cells_.empty()) return;
    std::vector<char> gone(shapes_.size(), 0);
    for (const auto& [first, last] : between_cells_) std::fill(gone.begin() + first, gone.begin() + last, char{1});
    std::vector<Index> now(shapes_.size(), -1);
    std::vector<CellShape> shapes;
    std::vector<Index> connectivity;
    auto from = connectivity_.begin();
    for (std::size_t c = 0; c < shapes_.size(); ++c) {
      const auto n = readers::cell_nodes(shapes_[c]);
      if (gone[c] == 0) {
        now[c] = static_cast<Index>(shapes.size());
        shapes.push_back(shapes_[c]);
        connectivity.insert(connectivity.end(), from, from + n);
      }
      from += n;
    }
    if (shapes.empty()) return;
    for (auto& g : groups_) {
      for (Index& c : g.cells) c = now[static_cast<std::size_t>(c)];
      std::erase(g.cells, Index{-1});
    }
    say(fmt::format("{} cells between partitions were left out", shapes_.size() - shapes.size()));
    shapes_ = std::move(shapes);
    connectivity_ = std::move(connectivity);
  }

  [[noreturn]] void unknown_node(std::size_t position_in_connectivity) {
    std::size_t at = 0;
    std::size_t c = 0;
    while (at + static_cast<std::size_t>(readers::cell_nodes(shapes_[c])) <= position_in_connectivity)
      at += static_cast<std::size_t>(readers::cell_nodes(shapes_[c++]));
    Place place;
    place.file = in_.file();
    throw Failure(
        make_error(ErrorCode::invalid_input,
                   fmt::format("$Elements: expected nodes of the section '$Nodes', found node {} in element {} of the "
                               "section (a {})",
                               connectivity_[position_in_connectivity], c + 1, readers::gmsh_type(shapes_[c]).name),
                   "The file is damaged or was cut off; save or copy it again.", place));
  }
  [[noreturn]] void twice(Index tag) {
    Place place;
    place.file = in_.file();
    throw Failure(make_error(ErrorCode::invalid_input,
                             fmt::format("$Nodes: expected each node once, found node {} twice", tag),
                             "The file is damaged; save it again.", place));
  }

  // ---- helpers ----

  /// A number of a 4.1 section, in either form.
  template <class T>
  T number(std::string_view what) {
    return in_.binary() ? in_.load<T>(what) : in_.integer<T>(what);
  }
  /// A number that is not used: bounding boxes may hold "inf" or "nan".
  void skip_real() {
    if (in_.binary())
      in_.load<double>("a coordinate");
    else if (in_.word().empty())
      in_.fail_expected("a number");
  }

  void end_of(std::string_view name) {
    in_.skip_space();
    const std::size_t at = in_.position();
    std::string_view line = in_.line();
    while (!line.empty() && Cursor::is_space(line.back())) line.remove_suffix(1);
    if (!line.starts_with("$End") || line.substr(4) != name)
      in_.fail_at(
          at, fmt::format("expected '$End{}', found {}", name, line.empty() ? "the end of the file" : quoted(line)));
  }
  void skip_to_end_of(std::string_view name) {
    const std::string wanted = fmt::format("$End{}", name.substr(0, 200));
    const auto at = in_.rest().find(wanted);
    if (at == std::string_view::npos)
      in_.fail(fmt::format("expected '{}' further down, found the end of the file", wanted));
    in_.advance(at);
    in_.line();
  }

  Cursor in_;
  const ReadOptions& options_;
  bool new_ = false;
  bool nodes_seen_ = false;
  bool elements_seen_ = false;
  bool copies_ = false;
  std::vector<double> points_;
  std::vector<Index> tags_;
  std::vector<CellShape> shapes_;
  std::vector<Index> connectivity_;  // node tags until resolve_tags()
  std::vector<MeshGroup> groups_;
  std::map<std::pair<int, int>, std::size_t> group_numbers_;
  std::map<std::pair<int, int>, std::string> names_;
  std::map<std::pair<int, int>, PhysicalTags> entities_;
  std::uint64_t partitions_ = 0;
  std::set<std::pair<int, int>> between_;               ///< entities between partitions
  std::vector<std::pair<Index, Index>> between_cells_;  ///< first and past the last cell of each of their blocks
  std::size_t straightened_ = 0;
  std::map<std::pair<int, int>, int> physical_of_entity_;
  std::array<int, 3> last_seen_{-1, 0, 0};
};

}  // namespace

Result<Mesh> read_msh(std::string_view bytes, const std::string& file, const ReadOptions& options) {
  try {
    return MshReader(bytes, file, options).read();
  } catch (...) {
    return current_exception_as_error();
  }
}

}  // namespace conoid
