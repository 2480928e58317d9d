// SPDX-License-Identifier: BSD-3-Clause
// Wavefront OBJ, the polygonal part of it.
#include "engine/mesh/polygon.hpp"
#include "engine/mesh/readers/cursor.hpp"
#include "engine/mesh/readers/read_mesh.hpp"

#include <algorithm>
#include <unordered_map>

namespace conoid {
namespace {

using readers::Cursor;
using readers::quoted;

class ObjReader {
 public:
  ObjReader(std::string_view bytes, const std::string& file, const ReadOptions& options)
      : in_(bytes, file, options.memory_limit), options_(options) {}

  Mesh read() {
    in_.check_unit(options_.scale);
    in_.skip_byte_order_mark();
    while (!in_.at_end()) {
      statement();
      if (!in_.at_end()) in_.line();
    }
    if (shapes_.empty())
      in_.fail("expected at least one face (a line 'f 1 2 3'), found none",
               "Check that this is an OBJ file with faces; free-form surfaces are not read.");
    const auto count = static_cast<Index>(points_.size() / 3);
    if (highest_ >= count)
      in_.fail_at(highest_position_, fmt::format("expected a vertex from 1 to {}, found {}", count, highest_ + 1));
    if (!options_.keep_unused_points) readers::drop_unused_points(points_, connectivity_);
    std::erase_if(groups_, [](const MeshGroup& g) { return g.cells.empty(); });
    return Mesh::from_arrays(std::move(points_), std::move(shapes_), std::move(connectivity_), std::move(groups_))
        .value();
  }

 private:
  /// The next word of the statement; a backslash at the end of a line continues it.
  std::string_view next() {
    for (;;) {
      std::string_view w = in_.word_in_line();
      if (w == "\\" && in_.at_line_end() && !in_.at_end()) {
        in_.line();
        continue;
      }
      if (!w.empty() && w.front() == '#') {  // a comment at the end of the line
        in_.seek(in_.position() - w.size());
        return {};
      }
      return w;
    }
  }

  void statement() {
    const std::string_view key = next();
    if (key == "v")
      vertex();
    else if (key == "f")
      face();
    else if (key == "l")
      polyline();
    else if (key == "g")
      groups();
    else if (key == "o")
      object();
  }

  void vertex() {
    in_.take_memory(1, 2 * 3 * sizeof(double) + sizeof(Index), "vertex");
    for (int a = 0; a < 3; ++a) {
      if (in_.at_line_end()) in_.fail(fmt::format("expected three coordinates after 'v', found {}", a));
      points_.push_back(in_.real_here("a coordinate") * options_.scale);
    }
  }

  /// "12", "12/3", "12//7", "-1/…": the vertex, from 0.
  Index vertex_index(std::string_view word) {
    const std::size_t at = in_.position() - word.size();
    Index i = 0;
    const char* end = word.data() + word.size();
    const auto [stop, code] = std::from_chars(word.data(), end, i);
    if (code != std::errc{} || (stop != end && *stop != '/') || i == 0)
      in_.fail_at(at, fmt::format("expected a vertex number such as 12, 12/3 or -1, found {}", quoted(word)));
    const auto count = static_cast<Index>(points_.size() / 3);
    if (i < 0 && -i > count) in_.fail_at(at, fmt::format("expected a vertex from -1 back to -{}, found {}", count, i));
    const Index n = i < 0 ? count + i : i - 1;
    if (n > highest_) {
      highest_ = n;
      highest_position_ = at;
    }
    return n;
  }

  void corners() {
    polygon_.clear();
    for (std::string_view w = next(); !w.empty(); w = next()) {
      if (polygon_.size() == polygon_.capacity()) in_.take_memory(polygon_.size(), 2 * sizeof(Index), "corner");
      polygon_.push_back(vertex_index(w));
    }
  }

  void face() {
    corners();
    const std::size_t n = polygon_.size();
    if (n < 3) in_.fail(fmt::format("expected at least 3 vertices after 'f', found {}", n));
    if (n == 3) return add(CellShape::triangle3, polygon_);
    // Corners that come later in the file are taken for a convex polygon's.
    places_.clear();
    for (const Index i : polygon_) {
      const auto k = static_cast<std::size_t>(3 * i);
      if (k + 3 <= points_.size()) places_.push_back({points_[k], points_[k + 1], points_[k + 2]});
    }
    if (places_.size() < n) places_.assign(n, Vec3{});
    if (n == 4 && is_convex(places_)) return add(CellShape::quad4, polygon_);
    for (const auto& t : triangulate(places_)) {
      const std::array<Index, 3> cell{polygon_[static_cast<std::size_t>(t[0])],
                                      polygon_[static_cast<std::size_t>(t[1])],
                                      polygon_[static_cast<std::size_t>(t[2])]};
      add(CellShape::triangle3, cell);
    }
  }

  void polyline() {
    corners();
    if (polygon_.size() < 2) in_.fail(fmt::format("expected at least 2 vertices after 'l', found {}", polygon_.size()));
    for (std::size_t i = 0; i + 1 < polygon_.size(); ++i) {
      const std::array<Index, 2> s{polygon_[i], polygon_[i + 1]};
      add(CellShape::line2, s);
    }
  }

  void add(CellShape shape, std::span<const Index> nodes) {
    in_.take_memory(1, 2 * (nodes.size() + 2 + current_.size() + 1) * sizeof(Index), "cell");
    connectivity_.insert(connectivity_.end(), nodes.begin(), nodes.end());
    shapes_.push_back(shape);
    const auto cell = static_cast<Index>(shapes_.size()) - 1;
    const auto join = [&](const std::string& name) {
      auto& cells = groups_[group_number(name, dimension_of(shape))].cells;
      if (cells.empty() || cells.back() != cell) cells.push_back(cell);
    };
    if (!object_.empty()) join(object_);
    for (const auto& name : current_) join(name);
  }

  std::size_t group_number(const std::string& name, int dimension) {
    const auto [it, fresh] = numbers_.try_emplace(name + (dimension == 1 ? "\n1" : "\n2"), groups_.size());
    if (fresh) {
      in_.take_memory(1, 4 * sizeof(MeshGroup) + 4 * name.size(), "group");
      groups_.push_back({name, dimension, 0, {}});
    }
    return it->second;
  }

  void groups() {
    // "g a b": what follows belongs to both; "g" alone or "g default" ends.
    current_.clear();
    std::size_t length = 0;
    for (std::string_view w = next(); !w.empty(); w = next()) {
      in_.take_memory(1, 2 * sizeof(std::string) + w.size(), "group name");
      if (w != "default" && w != "(null)") current_.emplace_back(w);
      if (++length > 64) in_.fail("expected at most 64 groups for one face, found more");
    }
    std::sort(current_.begin(), current_.end());
    current_.erase(std::unique(current_.begin(), current_.end()), current_.end());
  }

  void object() {
    in_.skip_blanks();
    const std::size_t at = in_.position();
    std::string_view name = in_.line();
    in_.seek(at + name.size());  // the caller skips the line's end
    while (!name.empty() && Cursor::is_space(name.back())) name.remove_suffix(1);
    object_ = name;
    current_.clear();
  }

  Cursor in_;
  const ReadOptions& options_;
  std::vector<double> points_;
  std::vector<CellShape> shapes_;
  std::vector<Index> connectivity_;
  std::vector<MeshGroup> groups_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::string> current_;
  std::string object_;
  std::vector<Index> polygon_;
  std::vector<Vec3> places_;
  Index highest_ = -1;
  std::size_t highest_position_ = 0;
};

}  // namespace

Result<Mesh> read_obj(std::string_view bytes, const std::string& file, const ReadOptions& options) {
  try {
    return ObjReader(bytes, file, options).read();
  } catch (...) {
    return current_exception_as_error();
  }
}

}  // namespace conoid
