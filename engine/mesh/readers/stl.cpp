// SPDX-License-Identifier: BSD-3-Clause
// STL: 80 bytes of header, a count and 50 bytes a triangle; or text "solid … facet normal … outer loop … vertex x y z …".
#include "engine/mesh/readers/cursor.hpp"
#include "engine/mesh/readers/read_mesh.hpp"

#include <cctype>

namespace conoid {
namespace {

using readers::Cursor;
using readers::quoted;

/// Finds equal points: an open table of point numbers, at most half full.
class PointMerger {
 public:
  explicit PointMerger(Cursor& in) : in_(in) { grow(1024); }

  Index add(Vec3 p) {
    for (double& x : p) x += 0.0;  // -0 and 0 are the same place
    const std::size_t count = points_.size() / 3;
    if (2 * (count + 1) > slots_.size()) grow(2 * slots_.size());
    std::size_t s = slot_of(p);
    while (slots_[s] >= 0) {
      const auto k = static_cast<std::size_t>(3 * slots_[s]);
      if (points_[k] == p[0] && points_[k + 1] == p[1] && points_[k + 2] == p[2]) return slots_[s];
      s = (s + 1) & (slots_.size() - 1);
    }
    slots_[s] = static_cast<Index>(count);
    points_.insert(points_.end(), p.begin(), p.end());
    return static_cast<Index>(count);
  }
  std::vector<double>& points() { return points_; }

 private:
  std::size_t slot_of(const Vec3& p) const {
    std::uint64_t h = 0;
    for (const double x : p) {
      h ^= std::bit_cast<std::uint64_t>(x);
      h *= 0x9fb21c651e98df25ull;
      h ^= h >> 29;
    }
    return static_cast<std::size_t>(h ^ (h >> 32)) & (slots_.size() - 1);
  }
  void grow(std::size_t size) {
    in_.take_memory(size, sizeof(Index) + 3 * sizeof(double) / 2, "points");
    slots_.assign(size, -1);
    for (std::size_t k = 0; k < points_.size(); k += 3) {
      std::size_t s = slot_of({points_[k], points_[k + 1], points_[k + 2]});
      while (slots_[s] >= 0) s = (s + 1) & (size - 1);
      slots_[s] = static_cast<Index>(k / 3);
    }
  }
  Cursor& in_;
  std::vector<double> points_;
  std::vector<Index> slots_;
};

struct Building {
  std::vector<Index> connectivity;
  std::vector<MeshGroup> groups;

  [[nodiscard]] Index triangles() const { return static_cast<Index>(connectivity.size() / 3); }
};

void read_binary(Cursor& in, PointMerger& points, Building& out, double scale) {
  in.set_binary(std::endian::native == std::endian::big);
  in.need(84, 1, "bytes of STL header");
  in.advance(80);
  const auto count = in.load<std::uint32_t>("the number of triangles");
  in.need(count, 50, "triangles");
  in.take_memory(count, 3 * sizeof(Index) + 2 * sizeof(Index) + 1, "triangles");
  out.connectivity.reserve(std::size_t{3} * count);
  for (std::uint32_t t = 0; t < count; ++t) {
    const std::size_t start = in.position();
    in.advance(12);  // the normal
    for (int i = 0; i < 3; ++i) {
      Vec3 p{};
      for (double& x : p) x = in.load_unchecked<float>();
      for (double& x : p) {
        if (!std::isfinite(x))
          in.fail_at(start, fmt::format("triangle {}: expected finite coordinates, found {}", t, x));
        x *= scale;
      }
      out.connectivity.push_back(points.add(p));
    }
    in.advance(2);  // "attribute byte count"
  }
  out.groups.push_back({"solid", 2, 0, {}});
  for (Index t = 0; t < out.triangles(); ++t) out.groups.back().cells.push_back(t);
}

bool same_word(std::string_view word, std::string_view wanted) {
  return word.size() == wanted.size() && std::equal(word.begin(), word.end(), wanted.begin(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == b;
         });
}

void expect(Cursor& in, std::string_view wanted) {
  const std::size_t before = in.position();
  if (same_word(in.word(), wanted)) return;
  in.seek(before);
  in.fail_expected(fmt::format("'{}'", wanted));
}

void read_ascii(Cursor& in, PointMerger& points, Building& out, double scale) {
  for (int number = 1;; ++number) {
    in.skip_space();
    if (in.at_end()) {
      if (number == 1) in.fail_expected("'solid'");
      return;
    }
    expect(in, "solid");
    in.skip_blanks();
    std::string_view name = in.line();
    while (!name.empty() && Cursor::is_space(name.back())) name.remove_suffix(1);
    MeshGroup group{std::string(name), 2, 0, {}};
    if (group.name.empty()) group.name = number == 1 ? "solid" : fmt::format("solid_{}", number);
    auto* known = &group;
    for (auto& g : out.groups)
      if (g.name == group.name) known = &g;
    for (;;) {
      const std::size_t before = in.position();
      const std::string_view word = in.word();
      if (same_word(word, "endsolid")) {
        in.line();
        break;
      }
      if (!same_word(word, "facet")) {
        in.seek(before);
        in.fail_expected("'facet' or 'endsolid'");
      }
      expect(in, "normal");
      // Some programs write "nan" for the normal of a sliver; it is not used.
      for (int i = 0; i < 3; ++i)
        if (in.word().empty()) in.fail_expected("a component of the normal");
      expect(in, "outer");
      expect(in, "loop");
      in.take_memory(1, 2 * (3 + 2) * sizeof(Index) + 1, "triangle");
      for (int i = 0; i < 3; ++i) {
        expect(in, "vertex");
        Vec3 p{};
        for (double& x : p) x = in.real("a coordinate") * scale;
        out.connectivity.push_back(points.add(p));
      }
      expect(in, "endloop");
      expect(in, "endfacet");
      known->cells.push_back(out.triangles() - 1);
    }
    if (known == &group) out.groups.push_back(std::move(group));
  }
}

bool is_text(std::string_view bytes) {
  // A binary header may begin with "solid" as well; text has no zero bytes.
  const std::string_view head = bytes.substr(0, 1024);
  return head.find('\0') == std::string_view::npos;
}

}  // namespace

Result<Mesh> read_stl(std::string_view bytes, const std::string& file, const ReadOptions& options) {
  try {
    Cursor in(bytes, file, options.memory_limit);
    in.check_unit(options.scale);
    PointMerger points(in);
    Building out;
    std::string_view start = bytes;
    if (start.starts_with("\xef\xbb\xbf")) {
      start.remove_prefix(3);
      in.advance(3);
    }
    const auto first = start.find_first_not_of(" \t\r\n");
    bool ascii = first != std::string_view::npos && same_word(start.substr(first, 5), "solid") && is_text(bytes);
    if (ascii && bytes.size() >= 84) {
      // Exactly the size that a binary file with this count has: binary.
      Cursor probe = in;
      probe.seek(80);
      probe.set_binary(std::endian::native == std::endian::big);
      if (bytes.size() == 84 + std::uint64_t{50} * probe.load_unchecked<std::uint32_t>()) ascii = false;
    }
    if (ascii) {
      read_ascii(in, points, out, options.scale);
    } else {
      in.seek(0);
      read_binary(in, points, out, options.scale);
    }
    if (out.connectivity.empty())
      in.fail("expected at least one triangle, found none", "Export the surface again; this STL file is empty.");
    std::vector<CellShape> shapes(static_cast<std::size_t>(out.triangles()), CellShape::triangle3);
    return Mesh::from_arrays(std::move(points.points()), std::move(shapes), std::move(out.connectivity),
                             std::move(out.groups));
  } catch (...) {
    return current_exception_as_error();
  }
}

}  // namespace conoid
