// SPDX-License-Identifier: BSD-3-Clause
// Middles are shared: each is known by the sorted numbers of the points it lies between.
#include "engine/mesh/refine.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/core.h>

namespace conoid {
namespace {

class Refiner {
 public:
  explicit Refiner(const Mesh& mesh) : mesh_(mesh) {
    for (Index i = 0; i < mesh.point_count(); ++i) out_.add_point(mesh.point(i));
  }

  Mesh run() {
    std::vector<Index> first;  // child of each cell
    for (Index c = 0; c < mesh_.cell_count(); ++c) {
      first.push_back(out_.cell_count());
      split(mesh_.shape(c), mesh_.nodes(c));
    }
    first.push_back(out_.cell_count());
    for (const MeshGroup& group : mesh_.groups()) {
      MeshGroup& to = out_.add_group(group.name, group.dimension, group.tag);
      for (const Index c : group.cells)
        for (Index k = first[static_cast<std::size_t>(c)]; k < first[static_cast<std::size_t>(c) + 1]; ++k)
          to.cells.push_back(k);
    }
    return std::move(out_);
  }

 private:
  using Key = std::array<Index, 8>;

  template <class... N>
  Index middle(N... nodes) {
    Key key;
    key.fill(-1);
    const std::array<Index, sizeof...(N)> all{nodes...};
    std::copy(all.begin(), all.end(), key.begin());
    std::sort(key.begin(), key.begin() + sizeof...(N));
    const auto [it, fresh] = middles_.try_emplace(key, 0);
    if (fresh) {
      Vec3 p{};
      for (const Index n : all)
        for (std::size_t k = 0; k < 3; ++k) p[k] += mesh_.point(n)[k] / static_cast<double>(sizeof...(N));
      it->second = out_.add_point(p);
    }
    return it->second;
  }

  [[nodiscard]] double apart2(Index a, Index b) const {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k)
      sum += (out_.point(a)[k] - out_.point(b)[k]) * (out_.point(a)[k] - out_.point(b)[k]);
    return sum;
  }

  void split(CellShape shape, std::span<const Index> n) {
    switch (shape) {
      case CellShape::line2: {
        const Index m = middle(n[0], n[1]);
        out_.add_cell(shape, {n[0], m});
        out_.add_cell(shape, {m, n[1]});
        return;
      }
      case CellShape::triangle3: {
        const Index a = middle(n[0], n[1]), b = middle(n[1], n[2]), c = middle(n[2], n[0]);
        out_.add_cell(shape, {n[0], a, c});
        out_.add_cell(shape, {a, n[1], b});
        out_.add_cell(shape, {c, b, n[2]});
        out_.add_cell(shape, {a, b, c});
        return;
      }
      case CellShape::quad4: {
        const Index e[4] = {middle(n[0], n[1]), middle(n[1], n[2]), middle(n[2], n[3]), middle(n[3], n[0])};
        const Index m = middle(n[0], n[1], n[2], n[3]);
        for (std::size_t i = 0; i < 4; ++i) {
          // Each child begins at its parent's corner, turned so that the first stays first.
          std::array<Index, 4> child{};
          const std::array<Index, 4> ring = {n[i], e[i], m, e[(i + 3) % 4]};
          for (std::size_t k = 0; k < 4; ++k) child[(k + i) % 4] = ring[k];
          out_.add_cell(shape, child);
        }
        return;
      }
      case CellShape::tet4: return split_tetrahedron(n);
      case CellShape::hex8: return split_hexahedron(n);
      default: out_.add_cell(shape, n);
    }
  }

  void split_tetrahedron(std::span<const Index> n) {
    constexpr CellShape shape = CellShape::tet4;
    const Index a = middle(n[0], n[1]), b = middle(n[1], n[2]), c = middle(n[0], n[2]);
    const Index d = middle(n[0], n[3]), e = middle(n[1], n[3]), f = middle(n[2], n[3]);
    out_.add_cell(shape, {n[0], a, c, d});
    out_.add_cell(shape, {a, n[1], b, e});
    out_.add_cell(shape, {c, b, n[2], f});
    out_.add_cell(shape, {d, e, f, n[3]});
    // The octahedron a b c d e f, its opposite corners (a, f), (b, d), (c, e), cut along one of these diagonals. The four others
    // stand around it as a ring, in the sense that gives volumes of the parent's sign.
    struct Cut {
      Index from, to;
      std::array<Index, 4> ring;
    };
    const Cut cuts[] = {{a, f, {b, c, d, e}}, {b, d, {a, e, f, c}}, {c, e, {a, b, f, d}}};
    const Cut& cut = *std::min_element(std::begin(cuts), std::end(cuts), [&](const Cut& l, const Cut& r) {
      return apart2(l.from, l.to) < apart2(r.from, r.to);
    });
    for (std::size_t i = 0; i < 4; ++i) out_.add_cell(shape, {cut.from, cut.to, cut.ring[i], cut.ring[(i + 1) % 4]});
  }

  void split_hexahedron(std::span<const Index> n) {
    // Corners of a 3 × 3 × 3 lattice by their (i, j, k): where an index is 1, both sides of the parent are averaged.
    static constexpr std::array<std::size_t, 8> corner = {0, 1, 3, 2, 4, 5, 7, 6};  // of (x + 2 y + 4 z)
    const auto node = [&](std::size_t x, std::size_t y, std::size_t z) { return n[corner[x + 2 * y + 4 * z]]; };
    Index lattice[3][3][3];
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t k = 0; k < 3; ++k) {
          std::vector<Index> of;
          for (std::size_t x = 0; x < 2; ++x)
            for (std::size_t y = 0; y < 2; ++y)
              for (std::size_t z = 0; z < 2; ++z)
                if ((i == 1 || i == 2 * x) && (j == 1 || j == 2 * y) && (k == 1 || k == 2 * z))
                  of.push_back(node(x, y, z));
          lattice[i][j][k] = of.size() == 1   ? of[0]
                             : of.size() == 2 ? middle(of[0], of[1])
                             : of.size() == 4 ? middle(of[0], of[1], of[2], of[3])
                                              : middle(of[0], of[1], of[2], of[3], of[4], of[5], of[6], of[7]);
        }
    for (std::size_t k = 0; k < 2; ++k)
      for (std::size_t j = 0; j < 2; ++j)
        for (std::size_t i = 0; i < 2; ++i)
          out_.add_cell(CellShape::hex8, {lattice[i][j][k], lattice[i + 1][j][k], lattice[i + 1][j + 1][k],
                                          lattice[i][j + 1][k], lattice[i][j][k + 1], lattice[i + 1][j][k + 1],
                                          lattice[i + 1][j + 1][k + 1], lattice[i][j + 1][k + 1]});
  }

  const Mesh& mesh_;
  Mesh out_;
  std::map<Key, Index> middles_;
};

}  // namespace

Result<Mesh> refined(const Mesh& mesh, Index most) {
  Index cells = 0;
  for (const CellShape shape : mesh.shapes()) {
    if (order_of(shape) > 1)
      return make_error(ErrorCode::invalid_input, "a mesh of curved elements is not refined here",
                        "Mesh its geometry again with smaller elements.");
    cells += Index{1} << dimension_of(shape);
  }
  if (cells > most)
    return make_error(ErrorCode::invalid_input,
                      fmt::format("the refined mesh would have {} elements, {} are allowed", cells, most),
                      "Mesh the geometry again with the size that is needed.");
  return Refiner(mesh).run();
}

}  // namespace conoid
